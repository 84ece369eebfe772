/* SPDX-License-Identifier: Apache-2.0 */
/* The shell: a job reads a part of a line, or executes one, or writes one row of a built-in command. */
#include <string.h>

#include "kernel/core/state.h"
#include "library/shell/src/line.h"
#include "takt/board.h"
#include "takt/console.h"
#include "takt/system.h"

extern const struct takt_system takt_system; /* generated */

enum { DIGITS = 20, MILLION = 1000000, NAME_WIDTH = 16, NUMBER_WIDTH = 10 };

void takt_shell_say(const char *text)
{
    takt_board_console_write(text, strlen(text));
}

static void say_padded(const char *text, size_t length, unsigned width, bool right)
{
    static const char spaces[] = "                ";
    size_t more = length < width ? width - length : 0;
    if (right) {
        takt_board_console_write(spaces, more);
    }
    takt_board_console_write(text, length);
    if (!right) {
        takt_board_console_write(spaces, more);
    }
}

static void say_right(uint64_t number, unsigned width)
{
    char text[DIGITS];
    unsigned begin = DIGITS;
    do {
        text[--begin] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    say_padded(&text[begin], DIGITS - begin, width, true);
}

void takt_shell_say_number(uint64_t number)
{
    say_right(number, 0);
}

static void say_name(const char *name)
{
    say_padded(name, strlen(name), NAME_WIDTH, false);
    takt_shell_say(" ");
}

static void say_pair(uint64_t number, uint64_t most, const char *what)
{
    takt_shell_say_number(number);
    takt_shell_say(" of ");
    takt_shell_say_number(most);
    takt_shell_say(what);
}

/* Millionths as per cent with one digit behind the point. */
static void say_percent(uint64_t millionths, unsigned width)
{
    say_right(millionths / (MILLION / 100), width);
    takt_shell_say(".");
    takt_shell_say_number(millionths / (MILLION / 1000) % 10);
    takt_shell_say(" %");
}

/* A figure that only grows, which a better task may change between its two words: then it is read again. Two equal
 * readings are a value that it had. */
static uint64_t steady(const volatile uint64_t *figure)
{
    uint64_t before = *figure;
    for (unsigned again = 0; again < 8; again++) {
        uint64_t now = *figure;
        if (now == before) {
            break;
        }
        before = now;
    }
    return before;
}

static const char *state_of(const struct takt_task *task)
{
    if (task == takt_task_running()) {
        return "running";
    }
    if (task->timer.flags & TAKTI_FLAG_SUSPENDED) {
        return "suspended";
    }
    switch (task->timer.state) {
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

static void tasks_row(struct takt_shell *shell, unsigned row)
{
    (void)shell;
    const struct takt_task_config *config = &takt_system.configs[row];
    const struct takt_task_statistics *statistics = config->statistics;
    say_name(config->name);
    if (statistics != NULL) {
        say_right(statistics->jobs_completed, NUMBER_WIDTH);
        say_right(statistics->misses, NUMBER_WIDTH);
        if (TAKT_TRACE) {
            say_right(steady(&statistics->response_ns_max) / 1000, NUMBER_WIDTH);
        } else {
            say_padded("-", 1, NUMBER_WIDTH, true);
        }
    }
    takt_shell_say("  ");
    takt_shell_say(state_of(&takt_system.tasks[row]));
}

static void stacks_row(struct takt_shell *shell, unsigned row)
{
    (void)shell;
    const struct takt_task_config *config = &takt_system.configs[row];
    const volatile uint8_t *stack = config->stack;
    uint32_t untouched = sizeof(uint32_t); /* the guard word */
    while (TAKT_TRACE && untouched < config->stack_size && stack[untouched] == TAKT_STACK_FILL) {
        untouched++;
    }
    say_name(config->name);
    if (TAKT_TRACE && untouched < config->stack_size) {
        say_pair(config->stack_size - untouched, config->stack_size, " bytes");
    } else { /* stacks are filled only with trace; on host, and in cooperative systems, jobs run on others */
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
        say_name("all");
        say_percent(shell->declared, NUMBER_WIDTH);
        if (TAKT_TRACE) {
            say_percent(shell->executed, NUMBER_WIDTH);
        }
        return;
    }
    const struct takt_task_config *config = &takt_system.configs[row];
    uint64_t declared = config->period_ns == 0 ? 0 : config->wcet_ns * MILLION / config->period_ns;
    say_name(config->name);
    say_percent(declared, NUMBER_WIDTH);
    shell->declared += declared;
    if (TAKT_TRACE && config->statistics != NULL) {
        uint64_t most_ns = config->statistics->jobs_completed * steady(&config->statistics->execution_ns_max);
        uint64_t executed = share(most_ns, takt_now());
        say_percent(executed, NUMBER_WIDTH);
        shell->executed += executed;
    }
}

static void objects_row(struct takt_shell *shell, unsigned row)
{
    const struct takt_shell_object *shown = &shell->objects[row];
    say_name(shown->name);
    switch (shown->kind) {
    case TAKT_SHELL_MUTEX: {
        const struct takt_mutex *mutex = shown->object;
        const struct takt_task *owner = *(struct takt_task *const volatile *)&mutex->owner;
        bool owned = owner >= takt_system.tasks && owner < takt_system.tasks + takt_system.task_count;
        takt_shell_say(owned ? "mutex, owned by " : "mutex, free");
        takt_shell_say(owned ? owner->config->name : "");
        break;
    }
    case TAKT_SHELL_SEMAPHORE: {
        const struct takt_semaphore *semaphore = shown->object;
        takt_shell_say("semaphore, ");
        say_pair(takt_semaphore_count(semaphore), semaphore->maximum, "");
        break;
    }
    case TAKT_SHELL_MAILBOX: {
        const struct takt_mailbox *mailbox = shown->object;
        takt_shell_say("mailbox, ");
        say_pair(takt_mailbox_count(mailbox), mailbox->capacity, " messages");
        break;
    }
    case TAKT_SHELL_PIPE: {
        const struct takt_pipe *pipe = shown->object;
        takt_shell_say("pipe, ");
        say_pair(*(const volatile uint32_t *)&pipe->possible[0], pipe->capacity, " bytes");
        break;
    }
    case TAKT_SHELL_EVENTS:
        takt_shell_say("events, flags ");
        takt_shell_say_number(takt_events_get(shown->object));
        break;
    }
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
        return shell->object_count;
    default:
        return takt_system.task_count;
    }
}

static void help_row(struct takt_shell *shell, unsigned row)
{
    bool own = row >= BUILTINS - 1;
    const struct takt_shell_command *command = own ? &shell->commands[row - (BUILTINS - 1)] : NULL;
    say_name(own ? command->name : builtins[row + 1].name);
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
