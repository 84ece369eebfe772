/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A proved system stays proved with hints, with ceilings, and with sections that end earlier. Random systems that the
 * analysis accepts, with jobs that lock a mutex and perhaps another one in it or after it, each run on the kernel
 * without hints, with a hint at the end of every job, and with ceilings: no job misses, responses stay below the same
 * bounds, and every task gets the same results in the same order. So it does where each job unlocks before the last
 * part of its first section (`takt hints` moves unlocks so): then bounds by the shorter holds are kept, also of systems
 * that are accepted with these alone.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/test/check.h"
#include "kernel/test/model/plan.h"
#include "takt/analysis.h"
#include "takt/task.h"
#include "takt/trace.h"

enum { SYSTEMS = 6000, UNIT_NS = 1000, HOLDS_MAX = TASKS_MAX * MUTEXES };

static uint64_t state;
static struct plan plan;
enum { PLAIN, HINTED, CEILING, EARLY, WAYS };
static struct outcome outcomes[WAYS];
static struct takt_analysis_task tasks[TASKS_MAX];
static struct takt_analysis_hold holds[HOLDS_MAX];
static unsigned hold_count;
static uint64_t bounds_ns[TASKS_MAX], early_bounds_ns[TASKS_MAX];
static struct {
    unsigned position; /* in its script: of the last part of its first section, before the unlock */
    unsigned mutex;    /* of that section */
    uint64_t ns;
} tails[TASKS_MAX]; /* by task */

/* splitmix64 (Steele, Lea and Flood 2014). */
static unsigned below(unsigned limit)
{
    uint64_t z = state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (unsigned)((z ^ (z >> 31)) % limit);
}

static uint64_t append(struct task_plan *task, enum op_kind kind, unsigned object, unsigned units)
{
    task->script[task->length++] =
        (struct op){.kind = (uint8_t)kind, .object = (uint8_t)object, .ns = units * (uint32_t)UNIT_NS};
    return units * (uint64_t)UNIT_NS;
}

/* A second section, in the first one or after it. Returns its length. */
static uint64_t fill_second(struct task_plan *task, unsigned mutex, unsigned index, bool nested)
{
    (void)append(task, OP_LOCK, mutex, 0);
    uint64_t hold_ns = append(task, OP_WORK, 0, 1 + below(4));
    holds[hold_count++] =
        (struct takt_analysis_hold){.hold_ns = hold_ns, .mutex = mutex, .task = index, .nested = nested, .locks = 1};
    (void)append(task, OP_UNLOCK, nested ? 1 : 0, 0);
    return hold_ns;
}

/* Work, and sections of which one may lie in another or follow it. Returns the execution time; the last operation is a
 * hint. */
static uint64_t fill(struct task_plan *task, unsigned index)
{
    uint64_t wcet_ns = append(task, OP_WORK, 0, 1 + below(4));
    unsigned used[2] = {below(MUTEXES), MUTEXES};
    unsigned first = hold_count;
    holds[hold_count++] = (struct takt_analysis_hold){.mutex = used[0], .task = index, .locks = 1};
    (void)append(task, OP_LOCK, used[0], 0);
    holds[first].hold_ns = append(task, OP_WORK, 0, 1 + below(6));
    bool nested = below(2) == 0;
    if (below(2) == 0 && used[0] + 1 < MUTEXES) {
        used[1] = used[0] + 1;
    }
    if (used[1] != MUTEXES && nested) {
        holds[first].hold_ns += fill_second(task, used[1], index, true);
    }
    tails[index].position = task->length;
    tails[index].mutex = used[0];
    tails[index].ns = append(task, OP_WORK, 0, 1 + below(4));
    holds[first].hold_ns += tails[index].ns;
    (void)append(task, OP_UNLOCK, 0, 0);
    if (used[1] != MUTEXES && !nested) {
        wcet_ns += fill_second(task, used[1], index, false);
    }
    wcet_ns += holds[first].hold_ns + append(task, OP_WORK, 0, 1 + below(3));
    unsigned hint = used[1] != MUTEXES && below(4) == 0 ? used[1] : used[0]; /* now and then not the next one */
    bool set = used[1] != MUTEXES && below(2) == 0;
    (void)append(task, OP_HINT, set ? MUTEXES + (1u << used[0] | 1u << used[1]) : hint, 0);
    return wcet_ns;
}

static void generate(uint64_t seed)
{
    memset(&plan, 0, sizeof plan);
    state = seed;
    hold_count = 0;
    plan.seed = seed;
    for (unsigned index = 0; index < SEMAPHORES; index++) { /* not used */
        plan.semaphore_maximum[index] = 1;
    }
    plan_no_triggers(&plan);
    plan.end_ns = 3000 * UNIT_NS;
    plan.task_count = (uint8_t)(3 + below(TASKS_MAX - 3));
    unsigned level = 0;
    plan.level_edf[0] = TAKT_EDF && below(2) == 0;
    for (unsigned index = 0; index < plan.task_count; index++) {
        struct task_plan *task = &plan.tasks[index];
        if (index > 0 && below(3) != 0) {
            level++;
            plan.level_edf[level] = TAKT_EDF && below(2) == 0;
        }
        plan.level_bands[level] = (uint8_t)level;
        uint64_t wcet_ns = fill(task, index);
        task->release = TAKT_PERIODIC;
        task->level = (uint8_t)level;
        task->period_ns = (uint64_t)UNIT_NS * (30 + below(60) * (1 + index));
        task->deadline_ns = task->period_ns / (1 + below(2));
        task->offset_ns = (uint64_t)UNIT_NS * below(40);
        task->pending_max = 1;
        tasks[index] =
            (struct takt_analysis_task){.wcet_ns = wcet_ns,
                                        .period_ns = task->period_ns,
                                        .deadline_ns = task->deadline_ns,
                                        .level = (uint16_t)level,
                                        .order = plan.level_edf[level] ? TAKT_ANALYSIS_DEADLINE : TAKT_ANALYSIS_EQUAL};
    }
    memset(plan.ceiling, 0xFF, sizeof plan.ceiling);
    for (unsigned each = 0; each < hold_count; each++) {
        plan_ceiling_raise(&plan, holds[each].mutex, &plan.tasks[holds[each].task]);
    }
    plan.level_count = (uint8_t)(level + 2);
    plan.level_bands[level + 1] = (uint8_t)(level + 1);
}

static bool accepted(uint64_t *found_ns)
{
    const struct takt_analysis_set set = {.tasks = tasks, .task_count = plan.task_count, .iterations = 10000};
    struct takt_analysis_mutex mutexes[MUTEXES];
    struct takt_analysis_user users[TASKS_MAX];
    uint64_t blocking_ns[TASKS_MAX];
    enum takt_analysis_status statuses[TASKS_MAX];
    enum takt_analysis_verdict verdict;
    CHECK(takt_analysis_blocking(&set, holds, hold_count, mutexes, MUTEXES, users, blocking_ns) == TAKT_ANALYSIS_OK);
    for (unsigned index = 0; index < plan.task_count; index++) {
        tasks[index].blocking_ns = blocking_ns[index];
    }
    CHECK(takt_analysis_feasible(&set, &verdict, NULL, NULL) == TAKT_ANALYSIS_OK);
    if (verdict != TAKT_ANALYSIS_FEASIBLE) {
        return false;
    }
    CHECK(takt_analysis_responses(&set, found_ns, statuses) == TAKT_ANALYSIS_OK);
    for (unsigned index = 0; index < plan.task_count; index++) {
        CHECK(statuses[index] == TAKT_ANALYSIS_OK);
    }
    return true;
}

static void execute(struct outcome *outcome)
{
    outcome_reset(outcome);
    drive_run(&plan, outcome);
}

/* The next result of a task that is not a hint's. */
static const struct entry *next_result(const struct log *log, unsigned task, unsigned *position)
{
    while (*position < log->count) {
        const struct entry *entry = &log->entries[(*position)++];
        if (entry->task == task && entry->event != LOG_RESULT + OP_HINT) {
            return entry;
        }
    }
    return NULL;
}

static void same_results(unsigned task, unsigned way)
{
    unsigned positions[2] = {0, 0};
    for (;;) { /* the run may end in the middle of a job: that one is compared as far as it came */
        const struct entry *plain = next_result(&outcomes[PLAIN].results, task, &positions[0]);
        const struct entry *other = next_result(&outcomes[way].results, task, &positions[1]);
        if (plain == NULL || other == NULL) {
            return;
        }
        CHECK(plain->event == other->event && plain->object == other->object && plain->value == other->value &&
              plain->value == 0);
    }
}

static unsigned switches(const struct log *trace)
{
    unsigned count = 0;
    for (unsigned position = 0; position < trace->count; position++) {
        count += trace->entries[position].event == TAKT_EVENT_RUN;
    }
    return count;
}

/* Waits for a mutex. */
static unsigned blocked(const struct log *trace)
{
    unsigned count = 0;
    for (unsigned position = 0; position < trace->count; position++) {
        const struct entry *entry = &trace->entries[position];
        count += entry->event == TAKT_EVENT_BLOCK && entry->object - MUTEX_ID < MUTEXES;
    }
    return count;
}

/* Every job unlocks before the last part of its first section. */
static void unlock_early(void)
{
    for (unsigned index = 0; index < plan.task_count; index++) {
        struct op *tail = &plan.tasks[index].script[tails[index].position];
        struct op unlock = tail[1];
        tail[1] = tail[0];
        tail[0] = unlock;
    }
}

static bool accepted_early(void)
{
    for (unsigned each = 0; each < hold_count; each++) { /* in the order of the analysis */
        bool first = holds[each].mutex == tails[holds[each].task].mutex;
        holds[each].hold_ns -= first ? tails[holds[each].task].ns : 0;
    }
    for (unsigned index = 0; index < plan.task_count; index++) {
        tasks[index].blocking_ns = 0;
    }
    return accepted(early_bounds_ns);
}

static bool kept(unsigned way, const uint64_t *limits_ns)
{
    for (unsigned index = 0; index < plan.task_count; index++) {
        const struct figures *figures = &outcomes[way].figures;
        if (figures->misses[index] != 0 || figures->response_ns_max[index] > limits_ns[index] ||
            figures->jobs[index] == 0) {
            plan_print(&plan);
            printf("task %u, way %u: %u misses, response %" PRIu64 " of %" PRIu64 "\n", index, way,
                   figures->misses[index], figures->response_ns_max[index], limits_ns[index]);
            return false;
        }
    }
    return true;
}

/* With hints, as the system was generated, and in the other ways. */
static bool ways_kept(bool in_time, bool in_time_early)
{
    bool right = true;
    if (in_time) {
        execute(&outcomes[HINTED]);
    }
    if (in_time_early) {
        unlock_early();
        execute(&outcomes[EARLY]);
        right = kept(EARLY, early_bounds_ns);
        unlock_early(); /* back */
    }
    if (in_time) {
        for (unsigned index = 0; index < plan.task_count; index++) {
            plan.tasks[index].length--; /* the hint */
        }
        execute(&outcomes[PLAIN]);
        plan.ceilings = MUTEXES;
        execute(&outcomes[CEILING]);
        for (unsigned way = PLAIN; way <= CEILING; way++) {
            right = right && kept(way, bounds_ns);
        }
        for (unsigned each = 0; each < plan.task_count * WAYS; each++) {
            same_results(each / WAYS, each % WAYS);
        }
    }
    return right;
}

int main(void)
{
    unsigned waits = 0;
    uint64_t plain = 0;
    uint64_t hinted = 0;
    unsigned proved = 0;
    unsigned early = 0;
    for (uint64_t seed = 1; seed <= SYSTEMS; seed++) {
        generate(seed);
        bool in_time = accepted(bounds_ns);
        bool in_time_early = accepted_early();
        CHECK(in_time_early || !in_time); /* shorter sections never make it worse */
        early += in_time_early && !in_time;
        if (!ways_kept(in_time, in_time_early)) {
            return 1;
        }
        if (!in_time) {
            continue;
        }
        proved++;
        waits += blocked(&outcomes[CEILING].trace);
        plain += switches(&outcomes[PLAIN].trace);
        hinted += switches(&outcomes[HINTED].trace);
    }
    printf("%u of %u systems are proved, %u more with early unlocks; switches without hints %" PRIu64 ", with %" PRIu64
           "\n",
           proved, SYSTEMS, early, plain, hinted);
    CHECK(early > SYSTEMS / 200);
    CHECK(proved > SYSTEMS / 10);
    CHECK(TAKT_HEEDS_HINTS ? hinted < plain : hinted == plain); /* else nothing was compared */
    CHECK(TAKT_EDF || waits == 0); /* with ceilings none does, except with equal deadlines */
    return 0;
}
