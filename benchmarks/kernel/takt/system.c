/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takt under the rows. Option band: 0 fixed, every level a priority; 1 edf, one band in which levels are deadlines;
 * 2 csd3, two of those and a fixed one. In an edf band tasks are in the middle of a long job. Option jobs: only their
 * releases, distinct: each at a time of its own. Option locks: see locks.c. Option room: how
 * many tasks the system has room for.
 */
#include "harness.h"
#include "rows.h"
#include "takt/board.h"
#include "takt_sched.h"

enum band { BAND_FIXED, BAND_EDF, BAND_CSD3 };
enum { TASKS_MAX = 256 };
enum { FIXED_FIRST = 1, EDF_FIRST = 20, EDF_SECOND = 21, FIXED_LAST = 22 };

static enum band band;
static uint32_t room; /* tasks of the system, as if it was declared with so many */
static struct thread *by_index[TASKS_MAX];
static uint64_t stack_idle[THREAD_STACK_SIZE / sizeof(uint64_t)];
static struct takt_trace_record records[1024]; /* overwritten again and again: the more expensive case */
static const uint8_t level_bands[TAKT_LEVELS] = {
    [EDF_FIRST] = 1, [EDF_SECOND] = 2, [FIXED_LAST] = 3, [FIXED_LAST + LEVELS] = 3};

static void init(void);
TAKT_TIMERS_DEFINE(timers, TASKS_MAX + 2); /* and an alarm's, and a watchdog's */
TAKT_EDF_DEFINE(edf, 2, TASKS_MAX);

extern struct takt_system takt_system;
extern const uint64_t takt_proof_hash;
const uint64_t takt_proof_hash = 0;
struct takt_system takt_system = {
    .level_bands = level_bands,
    .edf_levels = {TAKT_EDF ? TAKT_BITMAP_BIT(EDF_FIRST) | TAKT_BITMAP_BIT(EDF_SECOND) : 0},
    .init = init,
    .idle_stack = stack_idle,
    .idle_stack_size = sizeof stack_idle,
    .timers = &timers,
    .trace_records = records,
    .trace_capacity = sizeof records / sizeof records[0],
};

static uint64_t deadline_ns(enum level level)
{
    return TAKT_S(1000) * (1 + (uint64_t)level);
}

static bool stopped(const struct takt_task *task)
{
#if TAKT_PROCESSES /* whose memory this is, too */
    return task->timer.state == 0;
#else
    return takt_task_stopped(task);
#endif
}

/* The lowest level that no other running task has. */
static uint16_t index_free(struct thread *thread)
{
    uint16_t index = 0;
    while (by_index[index] != NULL && by_index[index] != thread && !stopped(&by_index[index]->task)) {
        index++;
    }
    if (index >= room) {
        harness_fail("too many tasks for option room", "tasks");
    }
    by_index[index] = thread;
    return index;
}

/* What both kinds of tasks have in common. Returns whether it may have jobs: in its band. */
static bool prepare(struct thread *thread, void (*entry)(void *argument), enum level level)
{
    struct takt_task_config *config = &thread->config;
    config->index = index_free(thread);
    config->name = "bench";
    config->entry = entry;
    config->stack = thread->stack;
    config->stack_size = sizeof thread->stack;
#if TAKT_PROCESSES
    config->process = process_of(thread == &runner);
#endif
    bool in_edf = band != BAND_FIXED && level != LEVEL_LAST && !(band == BAND_CSD3 && level == LEVEL_OTHERS);
    if (in_edf) {
        config->level = band == BAND_EDF || level >= LEVEL_RUNNER ? EDF_SECOND : EDF_FIRST;
    } else {
        config->level = (uint8_t)(band == BAND_FIXED ? FIXED_FIRST + level : FIXED_LAST + level);
    }
    return in_edf;
}

void thread_prepare(struct thread *thread, void (*entry)(void *argument), enum level level)
{
    struct takt_task_config *config = &thread->config;
    if (prepare(thread, entry, level)) {
        config->release = TAKT_PERIODIC;
        config->style = TAKT_STYLE_LOOP;
        config->period_ns = TAKT_S(100000000); /* later than what any row waits for */
        config->deadline_ns = deadline_ns(level);
    } else {
        config->release = TAKT_BACKGROUND;
    }
}

void job_prepare(struct thread *thread, void (*entry)(void *argument), enum level level, uint64_t period_ns,
                 uint64_t offset_ns)
{
    struct takt_task_config *config = &thread->config;
    (void)prepare(thread, entry, level);
    config->release = TAKT_PERIODIC;
    config->style = TAKT_STYLE_ENTRY;
    config->period_ns = period_ns;
    config->deadline_ns = deadline_ns(level);
    config->offset_ns = offset_ns;
}

void job_start(struct thread *thread, void (*entry)(void *argument), enum level level, uint64_t period_ns)
{
    job_prepare(thread, entry, level, period_ns, period_ns);
    thread_create_prepared(thread, entry, level);
}

void ceiling_for(struct takt_ceiling *ceiling, enum level level)
{
    static struct thread user; /* never started */
    bool in_edf = prepare(&user, NULL, level);
    takt_ceiling_init(ceiling, 8, user.config.level, in_edf ? deadline_ns(level) : 0);
}

bool levels_have_equals(void)
{
    return band == BAND_FIXED;
}

/* The processor must not sleep: stamps would no longer be exact. */
static struct thread spinner;

static void spin(void *argument)
{
    (void)argument;
    for (;;) {
    }
}

static void run(void *argument)
{
    (void)argument;
    harness_begin();
#if TAKT_PROCESSES
    if (harness_option("set", 0) == SET_CALLS) {
        call_rows_measure();
    } else {
        task_rows_measure();
        service_rows_measure();
        event_rows_measure();
        time_rows_measure();
    }
#else
    if (harness_option("set", 0) == SET_CALLS) {
        call_rows_measure();
    } else if (harness_option("jobs", 0) != 0) {
        releases_measure();
    } else if (!other_set_measure() && !locks_measure()) {
        task_rows_measure();
        service_rows_measure();
        event_rows_measure();
        time_rows_measure();
        own_rows_measure();
    }
#endif
    harness_end();
}

_Noreturn void __real_takt_start(const struct takt_system *system);
_Noreturn void __wrap_takt_start(const struct takt_system *system);

/* The linker puts this before the kernel's: an edf band takes as long as there is room for, which an option decides. */
_Noreturn void __wrap_takt_start(const struct takt_system *system)
{
    static struct takt_system started;
    room = harness_option("room", TASKS_MAX);
    started = *system;
    static struct takt_edf_space space;
    space = edf;
    space.leaves = (uint16_t)room;
    started.edf = &space;
#if TAKT_PROCESSES
    processes_declare(&started);
#endif
    __real_takt_start(&started);
}

static void init(void)
{
    band = (enum band)harness_option("band", BAND_FIXED);
#if !TAKT_PROCESSES
    releases_init(harness_option("jobs", 0), harness_option("distinct", 0) != 0);
#endif
    thread_create(&runner, run, LEVEL_RUNNER);
    thread_create(&spinner, spin, LEVEL_LAST);
#if TAKT_PROCESSES
    processes_begin();
#endif
}
