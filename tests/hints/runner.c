/* SPDX-License-Identifier: Apache-2.0 */
/* Runs every program, and prints "NAME switches: 9" and what each of its tasks noted: "NAME TASK: 1 2 3". */
#include "kernel/test/support/scenario.h"
#include "tests/hints/program.h"

enum { END_MS = 100 };

#define EACH(name) extern const struct program program_##name;
#include "programs.inc"
#undef EACH
#define EACH(name) &program_##name,
static const struct program *const programs[] = {
#include "programs.inc"
};

struct program_notes program_notes[SCENARIO_TASKS];

void outside(void)
{
}

static void add(const struct takt_task_config *task)
{
    struct takt_task_config *config = scenario_named(task->name, task->level, task->entry);
    config->release = task->release;
    config->style = task->style;
    config->period_ns = task->period_ns;
    config->deadline_ns = task->deadline_ns;
}

static void run(const struct program *program)
{
    memset(program_notes, 0, sizeof program_notes);
    scenario_new();
    for (unsigned task = 0; task < program->count; task++) {
        add(&program->tasks[task]);
    }
    scenario_run(END_MS);
    unsigned switches = 0;
    for (const char *text = scenario_runs(); *text != '\0'; text++) {
        switches += *text == ' ';
    }
    printf("%s switches: %u\n", program->name, switches);
    for (unsigned task = 0; task < program->count; task++) {
        printf("%s %s:", program->name, program->tasks[task].name);
        for (unsigned i = 0; i < program_notes[task].count; i++) {
            printf(" %u", program_notes[task].values[i]);
        }
        printf("\n");
    }
}

int main(void)
{
    for (unsigned i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        run(programs[i]);
    }
    return 0;
}
