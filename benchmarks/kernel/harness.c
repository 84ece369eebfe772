/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

volatile uint32_t effects;
unsigned others;
struct thread runner;

static struct thread store[THREADS_MAX + 1];
static struct thread *started[THREADS_MAX];
static unsigned started_count;
static unsigned started_kept; /* the others stay for all rows */

_Noreturn void harness_fail(const char *what, const char *row)
{
    print("\nbenchmark: ");
    print(row);
    print(": ");
    print(what);
    print("\n");
    takt_board_exit(1);
}

uint32_t harness_option(const char *name, uint32_t otherwise)
{
    uint64_t value;
    return takt_board_option(name, &value) ? (uint32_t)value : otherwise;
}

void thread_start(struct thread *thread, void (*entry)(void *argument), enum level level)
{
    if (started_count == THREADS_MAX) {
        harness_fail("too many threads", "thread_start");
    }
    started[started_count++] = thread;
    thread_create(thread, entry, level);
}

void thread_take(void (*entry)(void *argument), enum level level)
{
    thread_start(&store[started_count], entry, level);
}

static void threads_drop(void)
{
    while (started_count > started_kept) {
        thread_delete(started[--started_count]);
    }
}

/* The others do nothing: half of them are ready, below everybody else, half wait for what never comes. */
static struct semaphore never;

static void wait_for_ever(void *argument)
{
    (void)argument;
    semaphore_take(&never);
    harness_fail("woken", "others");
}

static void run_never(void *argument)
{
    (void)argument;
    harness_fail("ran", "others");
}

static void others_start(void)
{
    semaphore_init(&never);
    for (unsigned i = 0; i < others; i++) {
        bool waits = i % 2u == 0;
        thread_take(waits ? wait_for_ever : run_never, waits ? LEVEL_ABOVE : LEVEL_OTHERS);
    }
    started_kept = started_count;
}

#ifdef BENCHMARK_SWEEP
static const bool sweeping = true;
#else
static const bool sweeping = false;
#endif
static uint32_t repeats;
static uint32_t only; /* the number of the one row that is measured, from 1; 0: all */
static uint32_t row_number;
static uint32_t room;  /* for tasks: rows that need more are left out ... */
static uint32_t above; /* ... and those that need no more than this: another run has less room */
static uint32_t cost;  /* what lies between two stamps next to each other */

void harness_begin(void)
{
    repeats = harness_option("repeats", 10000);
    room = harness_option("room", THREADS_MAX + 2u);
    above = harness_option("above", 0);
    only = harness_option("only", 0);
    others = harness_option("tasks", 4);
    others_start();
    if (sweeping) {
        sweep_prepare();
    }
    stamp_end(0);
    stamp_end(1);
    cost = stamp_difference(stamps[0], stamps[1]);
    print_number("{\"repeats\": ", repeats);
}

/* The first time fills queues and starts threads, and is left out. */
static void measure(const struct row *row)
{
    uint32_t total = 0;
    uint32_t most = 0;
    row->once();
    effects = 0;
    for (uint32_t i = 0; i < repeats; i++) {
        row->once();
        uint32_t count = stamp_difference(stamps[row->from], stamps[row->to]) - cost;
        total += count;
        most = count > most ? count : most;
    }
    if (effects != repeats * row->effects) {
        harness_fail("not what should have happened", row->name);
    }
    print_number("{\"total\": ", total);
    print_number(", \"max\": ", most);
}

/* The tasks that there are in a row: its threads, the others, the runner and the one that spins. */
static unsigned tasks_of(const struct row *row)
{
    unsigned own = row->threads == 0 ? FEW_THREADS : row->threads;
    return (own == OTHERS_MORE ? others + 1u : own) + others + 2u;
}

static bool wanted(const struct row *row)
{
    unsigned tasks = tasks_of(row);
    return tasks <= room && tasks > above;
}

static void row_print(const struct row *row)
{
    row->setup();
    profile_row(row);
    if (sweeping) {
        sweep_row(row);
    } else {
        measure(row);
    }
    profile_row(NULL);
    BENCHMARK_ROW_PRINTS(row);
    threads_drop();
    print("}");
}

void harness_measure(const struct row *rows, unsigned count)
{
    for (const struct row *row = rows; row < rows + count; row++) {
        if ((row->equals && !levels_have_equals()) || (++row_number != only && only != 0)) {
            continue;
        }
        print(", \"");
        print(row->name);
        print("\": ");
        if (wanted(row)) {
            row_print(row);
        } else {
            print("null");
        }
    }
}

bool other_set_measure(void)
{
    static void (*const sets[])(void) = {[SET_RHEALSTONE - 1] = rhealstone_rows_measure,
                                         [SET_SEED - 1] = seed_rows_measure,
                                         [SET_SHARE - 1] = share_measure};
    uint32_t set = harness_option("set", 0);
    if (set > sizeof sets / sizeof sets[0]) {
        harness_fail("there is no such set", "option set");
    }
    if (set != 0) {
        sets[set - 1]();
    }
    return set != 0;
}

_Noreturn void harness_end(void)
{
    print("}\n");
    takt_board_exit(0);
}
