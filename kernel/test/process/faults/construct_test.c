/* SPDX-License-Identifier: Apache-2.0 */
/* A process whose constructors run first, at each of its starts: a's sporadic task runs them. */
#include "kernel/test/process/restart/looker.h"

#include "kernel/core/kernel.h"
#include "kernel/process/restart.h"

enum { MARK = 0x5A };

static unsigned constructed; /* how often the task ran to its end */
static unsigned begun;       /* how often it began */
static unsigned jobs_a;      /* of a's periodic task */
static unsigned jobs_b;      /* of b's, which lacks none */
static uint64_t first_ns;    /* a's first job since it was last constructed */
static void (*misbehave)(void);
#if TAKT_BUDGETS
static struct takt_budget budget;
#endif

static void check_all(void)
{
    check_kernel(UINT16_MAX);
}

/* Its memory is as at the start of the system, and none of the others has run. */
static void construct(unsigned task)
{
    uint8_t *memory = world_buffer(0);
    (void)task;
    begun++;
    CHECK_EQUAL(memory[0], 0);
    CHECK_EQUAL(world.tasks[A + PERIODIC].timer.state, TAKTI_DORMANT);
    CHECK_EQUAL(world.tasks[A + BACKGROUND].timer.state, TAKTI_DORMANT);
    if (misbehave != NULL) {
        misbehave();
    }
    takt_work(TAKT_MS(3)); /* several steps */
    memory[0] = MARK;
    constructed++;
    first_ns = 0;
}

static void job_a(unsigned task)
{
    const uint8_t *memory = world_buffer(0);
    (void)task;
    CHECK_EQUAL(memory[0], MARK);
    CHECK_EQUAL(CALL0(now) % TAKT_MS(10), 0);
    jobs_a++;
    first_ns = first_ns == 0 ? CALL0(now) : first_ns;
}

static void job_b(unsigned task)
{
    (void)task;
    CHECK_EQUAL(CALL0(now), TAKT_MS(10) * jobs_b);
    jobs_b++;
}

/* b's task comes first: nothing that a does delays it. */
static void begin(unsigned restarts_max, void (*wrong)(void))
{
    fresh_with_looker(restarts_max, look, check_all);
    constructed = begun = jobs_a = jobs_b = 0;
    misbehave = wrong;
    *world.process_configs[0].constructs = SPORADIC + 1;
    memset(world_memory[0], 0x77, MEMORY);
    world.work[A + SPORADIC] = construct;
    world.work[A + PERIODIC] = job_a;
    world.work[B + PERIODIC] = job_b;
    world_promote(B + PERIODIC, 1);
}

static void check_runs(unsigned times)
{
    CHECK_EQUAL(begun, times);
    CHECK_EQUAL(constructed, times);
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_RUNS);
    CHECK_EQUAL(world.processes[0].phase, TAKTI_PHASE_NONE);
}

/* Constructors run once, before the others, whose releases are those of a process without any. */
static void test_boot(void)
{
    begin(0, NULL);
    world.objects[WORLD_INTERRUPT].owner = 0;
    world.rights[1][WORLD_INTERRUPT] = 0;
    world.interrupt.task = &world.tasks[B + SPORADIC];
    world_run(4);
    CHECK_EQUAL(begun, 1);
    CHECK_EQUAL(world.interrupt.attached, UINT8_MAX);
    begin(0, NULL);
    world_run(95);
    check_runs(1);
    CHECK_EQUAL(jobs_a, 9);
    CHECK_EQUAL(first_ns, TAKT_MS(10));
    CHECK_EQUAL(jobs_b, 10);
    CHECK_EQUAL(takt_process_faults.count, 0);
}

static void fault_once(unsigned task)
{
    (void)task;
    if (takt_process_faults.count == 0) {
        sleep_to(25);
        fault();
    }
    sleep_to(1000);
}

/* And again after a fault. */
static void test_restart(void)
{
    begin(255, NULL);
    world.work[A + BACKGROUND] = fault_once;
    world_run(95);
    check_runs(2);
    CHECK(first_ns > TAKT_MS(30) && first_ns <= TAKT_MS(50));
    CHECK_EQUAL(jobs_a, 2 + (TAKT_MS(100) - first_ns) / TAKT_MS(10));
    CHECK_EQUAL(jobs_b, 10);
}

/* A fault of a constructor is one of its process: it restarts as often as it may, and nothing else is delayed. */
static void test_fault(void)
{
    begin(3, fault);
    world_run(95);
    CHECK_EQUAL(begun, 4);
    CHECK_EQUAL(constructed, 0);
    CHECK_EQUAL(jobs_a, 0);
    CHECK_EQUAL(jobs_b, 10);
    CHECK_EQUAL(takt_process_faults.count, 4);
    CHECK_EQUAL(takt_process_faults.records[0].task, A + SPORADIC);
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_STOPPED);
}

#if TAKT_BUDGETS
static void loop(void)
{
    for (;;) {
        takt_work(TAKT_MS(1));
    }
}

/* An endless loop ends with the budget. */
static void test_loop(void)
{
    begin(1, loop);
    budget = (struct takt_budget){.full_ns = TAKT_MS(4), .policy = TAKT_BUDGET_STOP};
    world_limit(A + SPORADIC, &budget);
    world_run(95);
    CHECK_EQUAL(begun, 2);
    CHECK_EQUAL(takt_process_faults.count, 2);
    CHECK_EQUAL(takt_process_faults.records[1].cause, TAKT_PROCESS_BUDGET);
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_STOPPED);
    CHECK_EQUAL(jobs_b, 10);
}
#endif

static void wait_long(void)
{
    (void)CALL1(delay, TAKT_MS(50));
}

static void wait_at_first(void)
{
    if (begun == 1) {
        sleep_to(1000);
    }
}

static void stop_and_start(unsigned task)
{
    (void)task;
    sleep_to(20);
    note(CALL1(process_stop, world_handle(WORLD_PROCESS_A)));
    sleep_to(40);
    note(begun);
    note(CALL1(process_start, world_handle(WORLD_PROCESS_A)));
    sleep_to(1000);
}

/* The others wait for as long as a constructor waits; stopped meanwhile, the process starts anew. */
static void test_wait(void)
{
    begin(0, wait_long);
    world_run(95);
    check_runs(1);
    CHECK_EQUAL(first_ns, TAKT_MS(60));
    CHECK_EQUAL(jobs_b, 10);
    begin(0, wait_at_first);
    world.work[B + BACKGROUND] = stop_and_start;
    world_run(95);
    CHECK_NOTES(TAKT_OK, 1, TAKT_OK);
    CHECK_EQUAL(begun, 2);
    CHECK_EQUAL(constructed, 1);
    CHECK_EQUAL(first_ns, TAKT_MS(60)); /* some 12 ms of steps after the start */
}

/* A constructor may stop its own task: the others then start without what it would have made. */
static void stop_itself(void)
{
    uint8_t *memory = world_buffer(0);
    memory[0] = MARK;
    (void)CALL1(task_stop, world_handle(A + SPORADIC));
    CHECK(false);
}

static void test_stopped(void)
{
    begin(0, stop_itself);
    world_run(35);
    CHECK_EQUAL(begun, 1);
    CHECK_EQUAL(jobs_a, 3);
}

/* One that is not started with the system is constructed when it is. */
static void start_late(unsigned task)
{
    (void)task;
    sleep_to(23);
    note(begun);
    note(CALL1(process_start, world_handle(WORLD_PROCESS_A)));
    sleep_to(1000);
}

static void test_on_call(void)
{
    begin(0, NULL);
    world_on_call(0);
    world.work[B + BACKGROUND] = start_late;
    world_run(95);
    CHECK_NOTES(0, TAKT_OK);
    check_runs(1);
    CHECK_EQUAL(first_ns, TAKT_MS(40));
}

int main(void)
{
    test_boot();
    test_restart();
    test_fault();
#if TAKT_BUDGETS
    test_loop();
#endif
    test_wait();
    test_stopped();
    test_on_call();
    return 0;
}
