/* SPDX-License-Identifier: Apache-2.0 */
/* The shell: a job reads a part of a line, or executes one, or writes one row of a built-in command. */
#include <string.h>

#include "kernel/core/state.h"
#include "library/shell/src/line.h"
#include "library/shell/src/objects.h"
#include "library/shell/src/say.h"
#include "takt/board.h"
#include "takt/console.h"
#include "takt/system.h"

extern const struct takt_system takt_system; /* generated */

enum { MILLION = 1000000 };

static const char *state_of(const struct takt_task *task)
{
    uint32_t lock = takt_port_lock();
    bool suspended = (task->timer.flags & TAKTI_FLAG_SUSPENDED) != 0;
    unsigned state = task->timer.state;
    takt_port_unlock(lock);
    if (task == takt_task_running()) {
        return "running";
    }
    if (suspended) {
        return "suspended";
    }
    switch (state) {
    case TAKTI_DORMANT:
        return "dormant";
    case TAKTI_READY:
        return "ready";
    case TAKTI_SUSPENDED:
        return "suspended";
    case TAKTI_BLOCKED_JOB:
        return "waits for release";
    case TAKTI_BLOCKED_DELAY:
        return "delayed";
    case TAKTI_BLOCKED_MUTEX:
        return "waits for mutex";
    default:
        return "blocked";
    }
}

/* In a column of numbers; `known`: the kernel keeps it. */
static void say_figure(uint64_t number, bool known)
{
    if (known) {
        takti_shell_say_right(number, TAKTI_SHELL_NUMBER_WIDTH);
    } else {
        takti_shell_say_padded("-", 1, TAKTI_SHELL_NUMBER_WIDTH, true);
    }
}

/* Millionths as per cent with one digit behind the point. */
static void say_percent(uint64_t millionths, bool known)
{
    say_figure(millionths / (MILLION / 100), known);
    if (known) {
        takt_shell_say(".");
        takt_shell_say_number(millionths / (MILLION / 1000) % 10);
        takt_shell_say(" %");
    }
}

static void tasks_row(struct takt_shell *shell, unsigned row)
{
    (void)shell;
    const struct takt_task *task = &takt_system.tasks[row];
    struct takt_task_statistics statistics = takt_task_statistics(task);
    takti_shell_say_name(takt_system.configs[row].name);
    say_figure(statistics.jobs_completed, true);
    say_figure(statistics.misses, true);
    say_figure(statistics.response_ns_max / 1000, TAKT_TRACE);
    takt_shell_say("  ");
    takt_shell_say(state_of(task));
}

/* Stacks are filled only with trace; on host, and in cooperative systems, jobs run on others. */
static void stacks_row(struct takt_shell *shell, unsigned row)
{
    (void)shell;
    const struct takt_task_config *config = &takt_system.configs[row];
    uint32_t used = TAKT_TRACE ? takti_stack_used(config) : 0;
    takti_shell_say_name(config->name);
    if (used > 0) {
        takti_shell_say_pair(used, config->stack_size, " bytes");
    } else {
        takt_shell_say("- of ");
        takt_shell_say_number(config->stack_size);
        takt_shell_say(" bytes");
    }
}

/* Millionths, at most a million; the part without overflow: `of_ns` > 0. */
static uint64_t share(uint64_t part_ns, uint64_t of_ns)
{
    return part_ns >= of_ns ? MILLION : part_ns / (of_ns / MILLION + 1);
}

static void cpu_row(struct takt_shell *shell, unsigned row)
{
    if (row == takt_system.task_count) {
        takti_shell_say_name("all");
        say_percent(shell->declared, true);
        say_percent(shell->executed, TAKT_TRACE);
        return;
    }
    const struct takt_task_config *config = &takt_system.configs[row];
    struct takt_task_statistics statistics = takt_task_statistics(&takt_system.tasks[row]);
    uint64_t declared = config->period_ns == 0 ? 0 : config->wcet_ns * MILLION / config->period_ns;
    takti_shell_say_name(config->name);
    uint64_t executed = share(statistics.jobs_completed * statistics.execution_ns_max, takt_now());
    say_percent(declared, true);
    say_percent(executed, TAKT_TRACE);
    shell->declared += declared;
    shell->executed += executed;
}

static void objects_row(struct takt_shell *shell, unsigned row)
{
    (void)shell;
    const struct takti_shell_object *object = &takti_shell_objects[row];
    takti_shell_say_name(object->name);
    object->say(object->object);
}

static void help_row(struct takt_shell *shell, unsigned row);

/* Built-in commands; the first is not one, so that 0 is none. */
static const struct {
    const char *name;
    const char *help;
    const char *head; /* or NULL */
    void (*row)(struct takt_shell *shell, unsigned row);
} builtins[] = {
    {"", "", NULL, NULL},
    {"help", "the commands", NULL, help_row},
    {"tasks", "jobs, misses, worst response in us and state of each task",
     "task                   jobs    misses response  state", tasks_row},
    {"stacks", "stack used and declared of each task", NULL, stacks_row},
    {"cpu", "load of each task: declared, and at most executed since the start",
     "task               declared     executed at most", cpu_row},
    {"objects", "the state of each object", NULL, objects_row},
};
enum { NONE, HELP, TASKS, STACKS, CPU, OBJECTS, BUILTINS };

static unsigned rows(const struct takt_shell *shell)
{
    switch (shell->table) {
    case HELP:
        return BUILTINS - 1u + shell->command_count;
    case CPU:
        return takt_system.task_count + 1u;
    case OBJECTS:
        return takti_shell_object_count;
    default:
        return takt_system.task_count;
    }
}

static void help_row(struct takt_shell *shell, unsigned row)
{
    bool own = row >= BUILTINS - 1;
    const struct takt_shell_command *command = own ? &shell->commands[row - (BUILTINS - 1)] : NULL;
    takti_shell_say_name(own ? command->name : builtins[row + 1].name);
    takt_shell_say(own ? command->help : builtins[row + 1].help);
}

static void prompt(struct takt_shell *shell)
{
    uint32_t lost = takt_console_lost();
    if (lost != shell->lost) {
        takt_shell_say_number(lost - shell->lost);
        takt_shell_say(" characters of the input were lost\r\n");
        shell->lost = lost;
    }
    takti_shell_line_clear(&shell->line);
    takt_shell_say("> ");
}

static void next_row(struct takt_shell *shell)
{
    if (shell->row < rows(shell)) {
        builtins[shell->table].row(shell, shell->row++);
        takt_shell_say("\r\n");
    } else {
        shell->table = NONE;
        prompt(shell);
    }
}

static void execute(struct takt_shell *shell)
{
    char *words[TAKT_SHELL_ARGUMENTS];
    unsigned count = takti_shell_words(&shell->line, words);
    if (count > TAKT_SHELL_ARGUMENTS) {
        takt_shell_say("more than ");
        takt_shell_say_number(TAKT_SHELL_ARGUMENTS);
        takt_shell_say(" words: nothing was executed\r\n");
        return;
    }
    if (count == 0) {
        return;
    }
    for (unsigned at = 0; at < shell->command_count; at++) {
        if (strcmp(words[0], shell->commands[at].name) == 0) {
            shell->commands[at].run((int)count, words);
            return;
        }
    }
    for (unsigned at = 1; at < BUILTINS; at++) {
        if (strcmp(words[0], builtins[at].name) == 0) {
            shell->table = (uint8_t)at;
            shell->row = 0;
            shell->declared = shell->executed = 0;
            if (builtins[at].head != NULL) {
                takt_shell_say(builtins[at].head);
                takt_shell_say("\r\n");
            }
            return;
        }
    }
    takt_shell_say(words[0]);
    takt_shell_say(": no such command; try help\r\n");
}

/* Whether the line ended. */
static bool take(struct takt_shell *shell, uint8_t byte)
{
    char echo = (char)byte;
    unsigned before = shell->line.length;
    switch (takti_shell_line_take(&shell->line, byte)) {
    case TAKTI_SHELL_ADDED:
        takt_board_console_write(&echo, 1);
        return false;
    case TAKTI_SHELL_REMOVED:
        takt_shell_say("\b \b");
        return false;
    case TAKTI_SHELL_CLEARED:
        for (unsigned at = 0; at < before; at++) { /* <= TAKT_SHELL_LINE */
            takt_shell_say("\b \b");
        }
        return false;
    case TAKTI_SHELL_ENDED:
        takt_shell_say("\r\n");
        execute(shell);
        return true;
    case TAKTI_SHELL_TOO_LONG:
        takt_shell_say("\r\nlonger than ");
        takt_shell_say_number(TAKT_SHELL_LINE);
        takt_shell_say(" characters: nothing was executed\r\n");
        return true;
    default:
        return false;
    }
}

void takt_shell_step(struct takt_shell *shell)
{
    if (!shell->begun) {
        shell->begun = 1;
        prompt(shell);
    }
    if (shell->table != NONE) {
        next_row(shell);
        return;
    }
    uint8_t byte;
    for (unsigned count = 0; count < TAKT_SHELL_STEP_BYTES && takt_console_read(&byte, 1) == 1; count++) {
        if (take(shell, byte)) {
            if (shell->table == NONE) {
                prompt(shell);
            }
            return;
        }
    }
}
