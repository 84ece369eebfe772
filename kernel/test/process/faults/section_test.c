/* SPDX-License-Identifier: Apache-2.0 */
/* A section ends however its task waits in it: what it waits counts as what it executes. */
#include "kernel/test/support/notes.h"
#include "kernel/test/support/world.h"

#include "kernel/core/kernel.h"

enum { LOCK_MS = 1, HOLD_MS = 3 };

static struct takt_budget budget;
static unsigned before_ms, wait_ms, after_ms; /* what the owner does in its section */

/* a's background task is watched in its sections only. */
static void begin(unsigned wait_cost_ms)
{
    fresh(0);
    budget = (struct takt_budget){.full_ns = TAKT_FOREVER,
                                  .hold_ns = TAKT_MS(HOLD_MS),
                                  .wait_ns = (uint32_t)TAKT_MS(wait_cost_ms),
                                  .policy = TAKT_BUDGET_STOP};
    world_limit(A + BACKGROUND, &budget);
}

static void own(unsigned task)
{
    (void)task;
    sleep_to(LOCK_MS);
    CHECK_EQUAL(CALL1(mutex_lock, world_handle(WORLD_MUTEX)), TAKT_OK);
    takt_work(TAKT_MS(before_ms));
    if (wait_ms != 0) {
        (void)CALL1(delay, TAKT_MS(wait_ms));
    }
    takt_work(TAKT_MS(after_ms));
    (void)CALL1(mutex_unlock, world_handle(WORLD_MUTEX));
    (void)CALL1(delay, TAKT_MS(2 * HOLD_MS)); /* in no section any more */
    times_ns[time_count++] = CALL0(now);
    sleep_to(1000);
}

/* b's: waits for the mutex from 2 ms on, notes what it gets and when. */
static void want(unsigned task)
{
    (void)task;
    sleep_to(2);
    note(CALL1(mutex_lock, world_handle(WORLD_MUTEX)));
    note(CALL0(now));
    sleep_to(1000);
}

static void section(unsigned before, unsigned wait, unsigned after, unsigned cost)
{
    begin(cost);
    before_ms = before;
    wait_ms = wait;
    after_ms = after;
    world.work[A + BACKGROUND] = own;
    world.work[B + BACKGROUND] = want;
    world_run(30);
}

/* The process ended at `ms`, and the waiter for its mutex got the status soon. */
static void check_ended(unsigned ms, enum takt_status expected)
{
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(takt_process_faults.records[0].cause, TAKT_PROCESS_BUDGET);
    CHECK_EQUAL(takt_process_faults.records[0].process, 0);
    CHECK_EQUAL(takt_process_faults.records[0].time_ns, TAKT_MS(ms));
    CHECK_EQUAL(results[0], expected);
    CHECK(results[1] >= TAKT_MS(ms) && results[1] < TAKT_MS(ms + 1));
    CHECK_EQUAL(time_count, 0);
}

static void check_out(unsigned ms)
{
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_EQUAL(results[0], TAKT_OK);
    CHECK_EQUAL(results[1], TAKT_MS(ms));
    CHECK_EQUAL(times_ns[0], TAKT_MS(ms + 2 * HOLD_MS));
}

static void test_owner(void)
{
    section(1, 1000, 0, 0);
    check_ended(LOCK_MS + HOLD_MS, TAKT_OWNER_DIED); /* while it waits */
    section(0, 2, 2, 0);
    check_ended(LOCK_MS + HOLD_MS, TAKT_OWNER_DIED); /* after that */
    section(1, 1, 1, 0);
    check_out(LOCK_MS + HOLD_MS);
    section(0, 1, 0, HOLD_MS + 2);
    check_out(LOCK_MS + 1); /* the kernel's time for the wait is part of that */
    section(1, 1000, 0, HOLD_MS + 2);
    check_ended(LOCK_MS + 1, TAKT_OWNER_DIED); /* the wait itself costs all that is left */
    section(1, 1000, 0, HOLD_MS + 1);
    check_ended(LOCK_MS + HOLD_MS, TAKT_OWNER_DIED); /* and here all but 1 */
}

static void suspend(unsigned task)
{
    (void)task;
    sleep_to(2);
    (void)CALL1(task_suspend, world_handle(A + BACKGROUND));
    sleep_to(1000);
}

/* With a wait in the section. */
static void test_suspended(void)
{
    begin(0);
    before_ms = 10;
    wait_ms = after_ms = 0;
    world.work[A + BACKGROUND] = own;
    world.work[B + BACKGROUND] = want;
    world.work[C + BACKGROUND] = NULL;
    world.work[A + PERIODIC] = suspend;
    world_loop(A + PERIODIC);
    world_run(30);
    check_ended(LOCK_MS + HOLD_MS, TAKT_OWNER_DIED);
}

static void lend(unsigned task) /* b's, which has it first */
{
    (void)task;
    CHECK_EQUAL(CALL1(mutex_lock, world_handle(WORLD_MUTEX)), TAKT_OK);
    (void)CALL1(delay, TAKT_MS(5));
    (void)CALL1(mutex_unlock, world_handle(WORLD_MUTEX));
    note(CALL1(mutex_lock, world_handle(WORLD_MUTEX)));
    note(CALL0(now));
    sleep_to(1000);
}

/* It is handed the mutex while it is suspended: from there on it is in its section. */
static void test_handed(void)
{
    begin(0);
    before_ms = wait_ms = after_ms = 0;
    world.work[A + BACKGROUND] = own;
    world.work[B + BACKGROUND] = lend;
    world.work[A + PERIODIC] = suspend;
    world_loop(A + PERIODIC);
    world_run(30);
    check_ended(5 + HOLD_MS, TAKT_OK); /* it has done nothing with it */
}

static void wait_for_signal(unsigned task)
{
    (void)task;
    CHECK_EQUAL(CALL1(mutex_lock, world_handle(WORLD_MUTEX)), TAKT_OK);
    CHECK_EQUAL(world_call(TAKTI_CALL_condition_wait, world_handle(WORLD_CONDITION), world_handle(WORLD_MUTEX), 0, 0),
                TAKT_OK);
    (void)CALL1(mutex_unlock, world_handle(WORLD_MUTEX));
    times_ns[time_count++] = CALL0(now);
    sleep_to(1000);
}

static void signal_late(unsigned task)
{
    (void)task;
    sleep_to(20);
    (void)CALL1(condition_signal, world_handle(WORLD_CONDITION));
    sleep_to(1000);
}

/* A task that waits for a signal is in no section. */
static void test_condition(void)
{
    begin(0);
    world.work[A + BACKGROUND] = wait_for_signal;
    world.work[B + BACKGROUND] = signal_late;
    world_run(30);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_EQUAL(times_ns[0], TAKT_MS(20));
}

/* Waits that a job may have are none that its section may have. */
static void check_job(unsigned wait, unsigned after)
{
    fresh(0);
    budget = (struct takt_budget){.full_ns = TAKT_MS(9),
                                  .hold_ns = TAKT_MS(HOLD_MS),
                                  .suspension_ns = TAKT_MS(50),
                                  .waits = 9,
                                  .policy = TAKT_BUDGET_STOP};
    world_limit(A + PERIODIC, &budget);
    before_ms = 0;
    wait_ms = wait;
    after_ms = after;
    world.work[A + PERIODIC] = own;
    world.work[B + BACKGROUND] = want;
    world_run(30);
    check_ended(LOCK_MS + HOLD_MS, TAKT_OWNER_DIED);
}

static void test_job(void)
{
    check_job(20, 0); /* while it waits */
    check_job(2, 2);  /* after that */
}

static void work_and_note(unsigned task)
{
    takt_work(TAKT_MS(8));
    note(CALL1(task_budget_ns, world_handle(task)));
    note(CALL0(now));
}

static void suspend_and_die(unsigned task)
{
    (void)task;
    sleep_to(2);
    (void)CALL1(task_suspend, world_handle(A + PERIODIC));
    fault();
}

/* A task that goes on because the process ended that had suspended it waits no more: it is charged once. */
static void test_resumed_by_an_end(void)
{
    fresh(0);
    budget = (struct takt_budget){.full_ns = TAKT_MS(40), .hold_ns = TAKT_MS(HOLD_MS), .policy = TAKT_BUDGET_STOP};
    world_limit(A + PERIODIC, &budget);
    world.work[A + PERIODIC] = work_and_note;
    world.work[B + BACKGROUND] = suspend_and_die;
    world_promote(B + BACKGROUND, 0);
    world_run(30);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(takt_process_faults.records[0].process, 1);
    CHECK(result_count >= 2);           /* of its first job */
    CHECK(results[1] > TAKT_MS(8 + 1)); /* it was suspended for a while */
    CHECK_EQUAL(results[0], TAKT_MS(40) - results[1]);
}

static void wait_undeclared(unsigned task)
{
    (void)task;
    (void)CALL1(delay, TAKT_US(500));
    CHECK(false);
}

static void find_no_timer(unsigned task)
{
    (void)task;
    takt_work(TAKT_US(1)); /* the end comes in an interrupt */
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK(!takti_timer_armed(&world.tasks[A + PERIODIC].timer));
    note(CALL0(now));
    sleep_to(1000);
}

/* A wait with a timeout that its task did not declare ends the process, and interrupts nobody later. */
static void test_no_timer_is_left(void)
{
    fresh(0);
    budget = (struct takt_budget){.full_ns = TAKT_MS(5), .hold_ns = TAKT_MS(HOLD_MS), .policy = TAKT_BUDGET_STOP};
    world_limit(A + PERIODIC, &budget);
    world.work[A + PERIODIC] = wait_undeclared;
    world.work[B + BACKGROUND] = find_no_timer;
    world_run(30);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(result_count, 1);
    CHECK(results[0] < TAKT_US(500));
}

static uintptr_t created; /* by the background task of a */
static bool declared;     /* its longest section */
static bool outer;        /* does the task that waits for it hold what others share? */

static void *memory_of_a(void)
{
    return (uint8_t *)world_buffer(0) + 64;
}

static void own_created(unsigned task)
{
    (void)task;
    CHECK_EQUAL(CALL1(mutex_create, memory_of_a()), TAKT_OK);
    created = *(uintptr_t *)memory_of_a();
    CHECK_EQUAL(CALL1(mutex_lock, created), TAKT_OK);
    takt_work(TAKT_MS(10));
    (void)CALL1(mutex_unlock, created);
    sleep_to(1000);
}

static void wait_for_created(unsigned task)
{
    (void)task;
    (void)CALL1(delay_until, TAKT_MS(1));
    if (outer) {
        CHECK_EQUAL(CALL1(mutex_lock, world_handle(WORLD_MUTEX)), TAKT_OK);
    }
    note(CALL1(mutex_lock, created));
    note(CALL0(now));
    (void)CALL1(mutex_unlock, created);
    sleep_to(1000);
}

/* a's periodic task, with 4 ms to execute and to wait, waits for what its process created for 9 ms. */
static void wait_in_job(bool with_hold, bool in_section)
{
    fresh(0);
    declared = with_hold;
    outer = in_section;
    world.process_configs[0].mutexes_inherit = declared;
    budget = (struct takt_budget){.full_ns = TAKT_MS(4),
                                  .hold_ns = TAKT_MS(HOLD_MS),
                                  .suspension_ns = TAKT_MS(1),
                                  .waits = 1,
                                  .locks = 1,
                                  .wait_ns = 1,
                                  .policy = TAKT_BUDGET_STOP};
    world_limit(A + PERIODIC, &budget);
    world.work[A + PERIODIC] = wait_for_created;
    world.work[A + BACKGROUND] = own_created;
    world_run(14);
}

/* The wait for an owner that inherits is blocking, and charged to nobody, unless others wait for the waiting task. */
static void test_wait_for_created(void)
{
    wait_in_job(true, false);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_NOTES(TAKT_OK, TAKT_MS(10));
    wait_in_job(false, false);
    CHECK_EQUAL(takt_process_faults.count, 1);
    wait_in_job(true, true);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(takt_process_faults.records[0].cause, TAKT_PROCESS_BUDGET);
    CHECK(takt_process_faults.records[0].time_ns <= TAKT_MS(1 + HOLD_MS));
}

static void own_for_long(void *argument)
{
    (void)argument;
    (void)CALL1(mutex_lock, created);
    if (outer) {
        (void)CALL1(delay, TAKT_MS(50));
    }
    takt_work(TAKT_MS(50));
    note(0);
}

static void start_owner(unsigned task)
{
    struct takt_thread_attributes *attributes = (void *)((uint8_t *)memory_of_a() + 16);
    (void)task;
    CHECK_EQUAL(CALL1(mutex_create, memory_of_a()), TAKT_OK);
    created = *(uintptr_t *)memory_of_a();
    *attributes = (struct takt_thread_attributes){.entry = own_for_long, .stack_size = 256, .level = 3 + TASKS};
    CHECK_EQUAL(CALL2(thread_create, memory_of_a(), attributes), TAKT_OK);
    sleep_to(1000);
}

/* A thread that stays in its section, executing or waiting, is stopped there as a task is. */
static void check_thread(bool waits)
{
    static const struct takt_budget watched = {
        .full_ns = TAKT_FOREVER, .hold_ns = TAKT_MS(HOLD_MS), .policy = TAKT_BUDGET_STOP};
    fresh(0);
    outer = waits;
    world.process_configs[0].mutexes_inherit = true;
    *world.process_configs[0].thread_budget = &watched;
    world.work[A + BACKGROUND] = start_owner;
    world_run(30);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(takt_process_faults.records[0].cause, TAKT_PROCESS_BUDGET);
    CHECK(takt_process_faults.records[0].time_ns >= TAKT_MS(HOLD_MS));
    CHECK(takt_process_faults.records[0].time_ns < TAKT_MS(HOLD_MS + 1));
    CHECK_EQUAL(result_count, 0);
}

int main(void)
{
    test_wait_for_created();
    check_thread(false);
    check_thread(true);
    test_owner();
    test_suspended();
    test_handed();
    test_condition();
    test_job();
    test_resumed_by_an_end();
    test_no_timer_is_left();
    return 0;
}
