/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows as in benchmarks/kernel, made by a process: one line of JSON with total and maximum of RUNS rounds, in
 * instructions. A first round is left out: stacks of threads and storage of mailboxes are allocated in it.
 */
#include "measure.h"

#include "benchmarks/print.h"

enum { RUNS = 20 };
#if __riscv
enum { INSTRUCTION_NS = 32, TICK_NS = 25, PHASES = 32 };
#else
enum { INSTRUCTION_NS = 64, TICK_NS = 40, PHASES = 8 };
#endif

static const char *const names[OPERATIONS] = {
    [FUNCTION] = "function",
    [NULL_CALL] = "null",
    [SWITCH] = "switch",
    [PROCESS_START] = "process_start",
    [THREAD_CREATE_RUNS] = "thread_create_runs",
    [THREAD_JOIN] = "thread_join",
    [THREAD_DETACH_ENDED] = "thread_detach_ended",
    [THREAD_DETACH_RUNNING] = "thread_detach_running",
    [SHARED_ATTACH_FIRST] = "shared_attach_first",
    [SHARED_ATTACH] = "shared_attach",
    [SHARED_DETACH_LAST] = "shared_detach_last",
    [SHARED_DETACH] = "shared_detach",
    [MUTEX_CREATE] = "mutex_create",
    [MUTEX_DELETE] = "mutex_delete",
    [MUTEX_LOCK] = "mutex_lock",
    [MUTEX_UNLOCK] = "mutex_unlock",
    [CONDITION_CREATE] = "condition_create",
    [CONDITION_DELETE] = "condition_delete",
    [CONDITION_WAIT] = "condition_wait",
    [CONDITION_SIGNAL] = "condition_signal",
    [CONDITION_SIGNAL_RUNS] = "condition_signal_runs",
    [MAILBOX_CREATE] = "mailbox_create",
    [MAILBOX_DELETE] = "mailbox_delete",
    [MAILBOX_SEND] = "mailbox_send",
    [MAILBOX_RECEIVE] = "mailbox_receive",
    [STATE_WRITE] = "state_write",
    [STATE_READ] = "state_read",
    [STATE_READ_LOCKED] = "state_read_locked",
};

static struct figure {
    uint32_t total;
    uint32_t max;
    uint32_t count;
} figures[OPERATIONS];
static bool counting;
static uint32_t cost; /* of the stamps themselves */

volatile uint64_t stamps_ns[STAMPS];

/* Instructions between two stamps. One takes more than a tick of the clock and less than two, so that each has a time
 * of its own; `origin_ns` is where among PHASES ticks, which are whole instructions, time 0 was. */
static uint32_t origin_ns;

static uint32_t instructions(uint64_t from_ns, uint64_t to_ns)
{
    uint64_t first = (from_ns + origin_ns + INSTRUCTION_NS - 1) / INSTRUCTION_NS;
    return (uint32_t)((to_ns + origin_ns + INSTRUCTION_NS - 1) / INSTRUCTION_NS - first);
}

void expect(bool happened, enum operation operation)
{
    if (!happened) {
        print("\nbenchmark: ");
        print(names[operation]);
        print(": not what should have happened\n");
        takt_task_suspend(TASK_measure);
    }
}

void count_instructions(enum operation operation, uint32_t instructions)
{
    struct figure *figure = &figures[operation];
    if (counting) {
        figure->total += instructions;
        figure->max = instructions > figure->max ? instructions : figure->max;
        figure->count++;
    }
}

void count(enum operation operation, unsigned from)
{
    count_instructions(operation, instructions(stamps_ns[from], stamps_ns[from + 1]) - cost);
}

/* The origin is where stamps next to each other are equally far from each other, wherever they are. */
static void calibrate(void)
{
    enum { PAIRS = 2 * PHASES };
    static uint64_t pairs_ns[PAIRS][2];
    for (unsigned pair = 0; pair < PAIRS; pair++) {
        stamp(0);
        stamp(1);
        pairs_ns[pair][0] = stamps_ns[0];
        pairs_ns[pair][1] = stamps_ns[1];
        for (volatile unsigned wait = 0; wait < pair; wait++) {
        }
    }
    unsigned alike = 0;
    for (unsigned phase = 0; phase < PHASES && alike < PAIRS; phase++) {
        origin_ns = phase * TICK_NS;
        cost = instructions(pairs_ns[0][0], pairs_ns[0][1]);
        for (alike = 0; alike < PAIRS && instructions(pairs_ns[alike][0], pairs_ns[alike][1]) == cost; alike++) {
        }
    }
    expect(alike == PAIRS, FUNCTION);
}

static __attribute__((noipa)) uint32_t same(uint32_t value)
{
    return value;
}

static void calls_once(void)
{
    stamp(0);
    uint32_t value = same(1);
    stamp(1);
    expect(value == 1, FUNCTION);
    count(FUNCTION, 0);
    stamp(0);
    takt_process_null();
    stamp(1);
    count(NULL_CALL, 0);
}

static volatile bool equal_ran;

/* An equal of the measuring task, which it lets run once. */
void equal_run(void *argument)
{
    (void)argument;
    for (;;) {
        takt_task_suspend(TASK_equal);
        takt_task_yield();
        stamp(1);
        equal_ran = true;
    }
}

static void switch_once(void)
{
    equal_ran = false;
    takt_task_resume(TASK_equal);
    takt_task_yield(); /* it is between two yields now */
    stamp(0);
    takt_task_yield();
    expect(equal_ran, SWITCH);
    count(SWITCH, 0);
}

static void report(void)
{
    print_number("\n{\"repeats\": ", RUNS);
    for (enum operation operation = 0; operation < OPERATIONS; operation++) {
        const struct figure *figure = &figures[operation];
        expect(figure->count == RUNS, operation);
        print(", \"");
        print(names[operation]);
        print_number("\": {\"total\": ", figure->total);
        print_number(", \"max\": ", figure->max);
        print("}");
    }
    print("}\n");
}

static volatile bool published;

/* Once, when the other task has measured the rest. */
void publish_job(void *argument)
{
    (void)argument;
    for (unsigned run = 0; run <= RUNS; run++) {
        counting = run > 0;
        states_once();
    }
    published = true;
}

void measure_run(void *argument)
{
    (void)argument;
    calibrate();
    objects_prepare();
    takt_task_yield(); /* the other waits to be resumed now */
    for (unsigned run = 0; run <= RUNS; run++) {
        counting = run > 0;
        calls_once();
        switch_once();
        objects_once();
        conditions_once();
        threads_once();
        processes_once();
    }
    takt_delay_until(TAKT_MS(2200));
    expect(published, STATE_WRITE);
    report();
}
