/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs random systems of kernel/test/model (witness PROFILE FIRST COUNT) and writes to standard output, for each of
 * them, its trace and between the records what the kernel itself knows: whenever the lock opens or the processor goes
 * to another task. Linked with --wrap for the functions that are named takti_/takt_..., which tell of that.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/core/kernel.h"
#include "kernel/test/model/plan.h"
#include "takt/ceiling.h"

/* The stream: a tag, then what follows it. All little endian; tests/support/witnesses.py reads it. */
enum tag { SYSTEM = 'N', RECORD = 'R', WITNESS = 'W', END = 'E' };

struct budget_line {
    uint64_t budget_ns; /* 0: none */
    uint64_t hold_ns;
    uint64_t on_budget;
};

struct system_line {
    uint64_t seed;
    struct budget_line budgets[TASKS_MAX];
    uint32_t tasks;
    uint32_t levels;
    uint8_t level_bands[LEVELS_MAX];
    uint8_t level_edf[LEVELS_MAX];
};

struct task_line {
    uint64_t key_deadline_ns;
    uint64_t left_ns;    /* of its budget; TAKT_FOREVER: it has none ... */
    uint64_t section_ns; /* ... or is in no section that is watched */
    uint32_t job;
    uint16_t object;
    uint8_t state;
    uint8_t level;
    uint8_t suspended;
    uint8_t stopping;
    uint16_t mutexes; /* a bit each */
    uint8_t demoted;
};

struct witness {
    uint64_t now_ns;
    uint64_t running;
    struct task_line tasks[TASKS_MAX];
};

_Static_assert(sizeof(struct task_line) == 37 + 3 && sizeof(struct witness) == 16 + 40 * TASKS_MAX, "as they are read");

static struct plan plan;
static struct outcome outcome;
static struct takt_mutex *mutexes[MUTEXES];
static uint32_t sent;       /* records */
static uint32_t sent_ticks; /* of the last */
static struct witness last;
static bool opening; /* the callback is running */

static void put(enum tag tag, const void *data, size_t size)
{
    if (putchar(tag) == EOF || fwrite(data, size, 1, stdout) != 1) {
        exit(1);
    }
}

/* What a state is to a reader of the trace: tests/support/witnesses.py. */
enum place { STOPPED, RELEASE, BLOCKED, CAN_RUN };
static const uint8_t places[] = {
    [TAKTI_DORMANT] = STOPPED,      [TAKTI_BLOCKED_JOB] = RELEASE,   [TAKTI_BLOCKED_DELAY] = BLOCKED,
    [TAKTI_BLOCKED] = BLOCKED,      [TAKTI_BLOCKED_MUTEX] = BLOCKED, [TAKTI_BLOCKED_FIFO] = BLOCKED,
    [TAKTI_BLOCKED_PIPE] = BLOCKED, [TAKTI_READY] = CAN_RUN,         [TAKTI_SUSPENDED] = CAN_RUN};

#if TAKT_BUDGETS
static uint64_t without(uint64_t left_ns, uint64_t used_ns)
{
    return left_ns == TAKT_FOREVER ? left_ns : left_ns > used_ns ? left_ns - used_ns : 0;
}

/* What the kernel has, without what it has yet to take off. */
static void budget_of(const struct takt_task *task, struct task_line *line)
{
    const struct takt_budget *budget = task->config->budget;
    bool pays = task == takti_kernel.ready.running && *takti_kernel.interrupts == 0;
    uint64_t used_ns = pays ? takt_port_now_ns() - takti_kernel.budgets->since_ns : 0;
    if (budget != NULL) {
        bool spent = (budget->state & TAKTI_BUDGET_SPENT) != 0;
        line->left_ns = spent ? 0 : without(budget->left_ns, used_ns);
        line->section_ns = without(budget->section_ns, used_ns);
        line->demoted = (budget->state & TAKTI_BUDGET_DEMOTED) != 0;
    }
}
#else
static void budget_of(const struct takt_task *task, struct task_line *line)
{
    (void)task;
    (void)line;
}
#endif

static struct task_line line_of(const struct takt_task *task)
{
    unsigned level = takti_level_index(&takti_kernel.ready, task->level);
    struct task_line line = {.state = places[task->timer.state]};
    if (task->timer.state == TAKTI_DORMANT) {
        return line;
    }
    line.level = (uint8_t)level;
    line.key_deadline_ns = takti_key_deadline_ns(task);
    line.job = task->trace->job_number;
    line.object = task->trace->wait_object;
    line.suspended = task->timer.state == TAKTI_SUSPENDED || (task->timer.flags & TAKTI_FLAG_SUSPENDED) != 0;
    line.stopping = takti_stops_later(task);
    line.left_ns = line.section_ns = TAKT_FOREVER;
    budget_of(task, &line);
    for (unsigned index = 0; index < MUTEXES; index++) {
        line.mutexes |= (uint16_t)(mutexes[index] != NULL && mutexes[index]->owner == task ? 1u << index : 0);
    }
    return line;
}

/* The records since the last time, and then the kernel's state if there were any or it is another. */
static void tell(void)
{
    const struct takti_trace *trace = takti_kernel.trace;
    struct witness now = {.now_ns = takt_port_now_ns(), .running = takti_kernel.ready.running->config->index};
    uint32_t written = takti_trace_written(trace);
    bool some = sent != written;
    if (opening || trace->records == NULL) {
        return;
    }
    opening = true;
    while (sent != written) {
        struct takt_trace_record record = trace->records[sent++ & trace->mask];
        uint32_t ticks = record.delta_ns;
        record.delta_ns = record.event == TAKT_EVENT_TIME ? 0 : ticks - sent_ticks;
        sent_ticks = ticks;
        put(RECORD, &record, sizeof record);
    }
    for (unsigned index = 0; index < plan.task_count; index++) {
        now.tasks[index] = line_of(&takti_kernel.system->tasks[index]);
    }
    if (some || memcmp(&now, &last, sizeof now) != 0) {
        last = now;
        put(WITNESS, &now, sizeof now);
    }
    opening = false;
}

void __real_takt_port_unlock(uint32_t state);
void __wrap_takt_port_unlock(uint32_t state);
void __wrap_takt_port_unlock(uint32_t state)
{
    if (state == 0) {
        tell();
    }
    __real_takt_port_unlock(state);
}

void __real_takt_port_leave(uint32_t entered);
void __wrap_takt_port_leave(uint32_t entered);
void __wrap_takt_port_leave(uint32_t entered)
{
    tell();
    __real_takt_port_leave(entered);
}

enum takt_status __real_takt_port_switch(struct takt_task *to, struct takt_task *from, uint32_t task);
enum takt_status __wrap_takt_port_switch(struct takt_task *to, struct takt_task *from, uint32_t task);
enum takt_status __wrap_takt_port_switch(struct takt_task *to, struct takt_task *from, uint32_t task)
{
    tell();
    return __real_takt_port_switch(to, from, task);
}

struct takt_task *__real_takti_switch_pended(void);
struct takt_task *__wrap_takti_switch_pended(void);
struct takt_task *__wrap_takti_switch_pended(void)
{
    struct takt_task *next = __real_takti_switch_pended();
    tell();
    return next;
}

void __real_takt_mutex_init(struct takt_mutex *mutex, uint16_t trace_id);
void __wrap_takt_mutex_init(struct takt_mutex *mutex, uint16_t trace_id);
void __wrap_takt_mutex_init(struct takt_mutex *mutex, uint16_t trace_id)
{
    __real_takt_mutex_init(mutex, trace_id);
    if (trace_id >= MUTEX_ID && trace_id < MUTEX_ID + MUTEXES) {
        mutexes[trace_id - MUTEX_ID] = mutex;
    }
}

void __real_takt_ceiling_init(struct takt_ceiling *ceiling, uint16_t trace_id, uint8_t level, uint64_t deadline_ns);
void __wrap_takt_ceiling_init(struct takt_ceiling *ceiling, uint16_t trace_id, uint8_t level, uint64_t deadline_ns);
void __wrap_takt_ceiling_init(struct takt_ceiling *ceiling, uint16_t trace_id, uint8_t level, uint64_t deadline_ns)
{
    __real_takt_ceiling_init(ceiling, trace_id, level, deadline_ns);
    if (plan_ceiling(&plan, trace_id - MUTEX_ID)) { /* it is there in place of a mutex */
        mutexes[trace_id - MUTEX_ID] = &ceiling->mutex;
    }
}

/* Of what a job is charged the trace tells its execution: it may wait as it likes, and its yields cost nothing. */
static void only_execution_is_charged(void)
{
    for (unsigned index = 0; index < plan.task_count; index++) {
        plan.tasks[index].suspension_ns = TAKT_FOREVER;
        plan.tasks[index].wait_ns = 0;
        plan.tasks[index].waits = 1;
    }
}

int main(int argc, char **argv)
{
    const struct profile *profile = argc == 4 ? profile_find(argv[1]) : NULL;
    if (profile == NULL) {
        fprintf(stderr, "usage: witness PROFILE FIRST COUNT\n");
        return 2;
    }
    uint64_t first = strtoull(argv[2], NULL, 0);
    uint64_t count = strtoull(argv[3], NULL, 0);
    for (uint64_t seed = first; seed < first + count; seed++) {
        plan_generate(&plan, profile, seed, (unsigned)(seed % 30));
        only_execution_is_charged();
        struct system_line line = {.seed = seed, .tasks = plan.task_count, .levels = plan.level_count};
        for (unsigned level = 0; level < plan.level_count; level++) {
            line.level_bands[level] = plan.level_bands[level];
            line.level_edf[level] = plan.level_edf[level];
        }
        for (unsigned index = 0; index < plan.task_count; index++) {
            const struct task_plan *task = &plan.tasks[index];
            line.budgets[index] = (struct budget_line){task->budget_ns, task->hold_ns, task->on_budget};
        }
        put(SYSTEM, &line, sizeof line);
        memset(mutexes, 0, sizeof mutexes);
        memset(&last, 0, sizeof last);
        outcome_reset(&outcome);
        sent = 0;
        drive_run(&plan, &outcome);
    }
    put(END, "", 1);
    return 0;
}
