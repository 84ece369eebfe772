/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "benchmarks/print.h"
#include "calls.h"

enum { TIMERS = OTHERS_MAX + 6 }; /* the others', four tasks', an alarm's or watchdog's, budgets' */

struct thread other[OTHERS_MAX];
struct thread runner;
struct thread blocker;
struct thread fresh;
unsigned others;
uint32_t sent[MESSAGE / 4] = {1, 2};
uint32_t got[MESSAGE / 4];
bool ascending;
bool last_first;
uint8_t first_level;
uint8_t blocker_level;
bool blocker_has_jobs;
void (*after)(unsigned number);

uint64_t worst_ns;
const uint64_t earliest_ns = TAKT_S(500000);
const uint64_t last_ns = TAKT_S(2000000);

static const struct scenario *current;
static struct thread spinner;
static uint64_t stack_idle[STACK_SIZE / sizeof(uint64_t)];
static unsigned worst[2]; /* number of the others' expiries before it: of a delay, of a wait */
static volatile bool returned;
static volatile uint32_t result;
static volatile unsigned woken;
static uint32_t cost; /* what lies between two stamps next to each other */

static void init(void);
TAKT_TIMERS_DEFINE(timers, TIMERS);
extern const struct takt_system takt_system;
extern const uint64_t takt_proof_hash;
const uint64_t takt_proof_hash = 0;
const struct takt_system takt_system = {
    .init = init,
    .idle_stack = stack_idle,
    .idle_stack_size = sizeof stack_idle,
    .timers = &timers,
};

_Noreturn void fail(const char *what)
{
    print("\nbenchmark: ");
    print(current == NULL ? "start" : current->call);
    print(": ");
    print(current == NULL ? "" : current->name);
    print(": ");
    print(what);
    print("\n");
    takt_board_exit(1);
}

static const uint64_t far_ns = TAKT_S(1000000);
static const uint64_t apart_ns = TAKT_MS(100); /* more than what passes between two looks at the clock */

static const uint64_t block_ns = TAKT_US(300); /* in which a task of the others blocks */

uint64_t expiry(unsigned number)
{
    return far_ns + apart_ns * (ascending ? number + 1u : others - number);
}

void call_returned(uint32_t status)
{
    returned = true;
    result = status;
}

bool call_has_returned(void)
{
    return returned;
}

void thread_prepare(struct thread *thread, void (*entry)(void *argument), uint8_t level)
{
    struct takt_task_config *config = &thread->config;
    *config = (struct takt_task_config){
        .name = "calls", .entry = entry, .stack = thread->stack, .stack_size = sizeof thread->stack, .level = level};
    if (thread >= other && thread < other + OTHERS_MAX) {
        unsigned number = (unsigned)(thread - other);
        config->argument = (void *)(uintptr_t)number;
        config->index = (uint16_t)(4u + number);
    } else {
        config->index = thread == &runner ? 0 : thread == &blocker ? 1 : thread == &fresh ? 2 : 3;
    }
}

static void start(struct thread *thread)
{
    if (takt_task_start(&thread->task, &thread->config) != TAKT_OK) {
        fail("a task does not start");
    }
}

static uint32_t sleep(unsigned number)
{
    takt_delay_until(expiry(number));
    return TAKT_OK;
}

static void end_of(unsigned number)
{
    woken++;
    if (after != NULL) {
        after(number);
    }
    takt_task_suspend(takt_task_running());
}

static void first_entry(void *argument)
{
    (void)argument;
    (void)current->wait(0);
    stamp_end(1);
    end_of(0);
}

static void other_entry(void *argument)
{
    unsigned number = (unsigned)(uintptr_t)argument;
    (void)(current->wait == NULL ? sleep : current->wait)(number);
    end_of(number);
}

void fresh_entry(void *argument)
{
    (void)argument;
    stamp_end(1);
    woken++;
    takt_task_suspend(&fresh.task);
}

void fresh_prepare(uint8_t level)
{
    thread_prepare(&fresh, fresh_entry, level);
}

static void blocker_entry(void *argument)
{
    (void)argument;
    current->run();
    if (after != NULL) {
        after(others);
    }
    takt_task_suspend(&blocker.task);
}

static void others_start(void)
{
    for (unsigned position = 0; position < others; position++) {
        unsigned number = last_first ? others - 1u - position : position;
        bool first = number == 0 && current->wait != NULL;
        thread_prepare(&other[number], first ? first_entry : other_entry, first ? first_level : LEVEL_OTHERS);
        start(&other[number]);
        takt_delay(block_ns); /* the runner may have inherited a level as good as its */
    }
}

static void blocker_start(void)
{
    thread_prepare(&blocker, blocker_entry, blocker_level);
    stamps[0] = 0;
    if (!blocker_has_jobs) {
        start(&blocker);
        stamp_end(2);
        if (stamps[0] == 0) {
            fail("the blocker did not run");
        }
        return;
    }
    struct takt_task_config *config = &blocker.config;
    config->release = TAKT_PERIODIC;
    config->style = TAKT_STYLE_LOOP;
    config->period_ns = config->deadline_ns = worst_ns - takt_now();
    start(&blocker);
    while (*(volatile uint32_t *)stamps == 0) {
    }
    stamp_end(2);
}

static void drop(struct thread *thread)
{
    takt_task_delete(&thread->task);
    if (!takt_task_stopped(&thread->task)) {
        fail("a task does not end");
    }
}

static bool calls_by_blocker(void)
{
    return current->form == BLOCKS || current->form == BLOCKS_AND_WAKES;
}

static void check(void)
{
    unsigned expected = current->woken == ALL ? others : current->woken < others ? current->woken : others;
    if (calls_by_blocker() == returned) {
        fail(returned ? "returned" : "did not return");
    }
    if (woken != expected) {
        fail("a task that should have run did not, or another did");
    }
    if (returned && result != current->result) {
        fail("not the result");
    }
}

/* Instructions of a scenario. */
static uint32_t once(const struct scenario *scenario)
{
    current = scenario;
    ascending = last_first = blocker_has_jobs = false;
    first_level = LEVEL_FIRST;
    blocker_level = LEVEL_BLOCKER;
    after = NULL;
    bool waits = strncmp(scenario->call, "takt_delay", strlen("takt_delay")) != 0;
    worst_ns = far_ns + apart_ns * worst[waits] + apart_ns / 2u;
    if (scenario->setup != NULL) {
        scenario->setup();
    }
    others_start();
    if (scenario->arm != NULL) {
        scenario->arm();
    }
    woken = 0;
    returned = false;
    if (calls_by_blocker()) {
        blocker_start();
    } else {
        scenario->run();
    }
    check();
    bool wakes = scenario->form == WAKES || scenario->form == BLOCKS_AND_WAKES;
    uint32_t count = stamp_difference(stamps[0], stamps[wakes ? 1 : 2]) - cost;
    if (scenario->undo != NULL) {
        scenario->undo();
    }
    drop(&blocker);
    drop(&fresh);
    for (unsigned number = 0; number < others; number++) {
        drop(&other[number]);
    }
    return count;
}

static unsigned scenario_count;

void measure(const struct scenario *scenarios, unsigned count)
{
    for (const struct scenario *scenario = scenarios; scenario < scenarios + count; scenario++) {
        uint32_t instructions = once(scenario);
        print(scenario_count++ == 0 ? "{\"" : ", \"");
        print(scenario->call);
        print(": ");
        print(scenario->name);
        print_number("\": ", instructions);
    }
}

/* The number of sleepers in front with which a delay, and a wait with a timeout, is most expensive. */
static struct takt_semaphore never;
DO(delay, takt_delay_until(worst_ns))
CALL(wait, takt_semaphore_wait_until(&never, worst_ns))

static void find_worst(const struct scenario *probe, unsigned *position)
{
    unsigned best = 0;
    uint32_t most = 0;
    for (*position = 0; *position <= others; ++*position) {
        uint32_t instructions = once(probe);
        if (instructions > most) {
            most = instructions;
            best = *position;
        }
    }
    *position = best;
}

static void run(void *argument)
{
    (void)argument;
    stamp_end(0);
    stamp_end(1);
    cost = stamp_difference(stamps[0], stamps[1]);
    find_worst(&(const struct scenario){"takt_delay_until", "probe", BLOCKS, .run = delay}, &worst[0]);
    find_worst(&(const struct scenario){"takt_semaphore_wait_until", "probe", BLOCKS, .run = wait}, &worst[1]);
    measure_calls();
    print("}\n");
    takt_board_exit(0);
}

/* The processor must not sleep: stamps would no longer be exact. */
static void spin(void *argument)
{
    (void)argument;
    for (;;) {
    }
}

static void init(void)
{
    uint64_t option;
    others = takt_board_option("tasks", &option) && option <= OTHERS_MAX ? (unsigned)option : 4;
    thread_prepare(&runner, run, LEVEL_RUNNER);
    thread_prepare(&spinner, spin, LEVEL_SPINNER);
    start(&runner);
    start(&spinner);
}
