/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that are started and stopped by calls. */
#include "looker.h"

#include "kernel/core/kernel.h"
#include "kernel/process/restart.h"

static uint64_t jobs_ns[256]; /* releases of a's periodic task, or when its sporadic one ran */
static unsigned job_count;
static unsigned rounds;

static void check_all(void)
{
    check_kernel(UINT16_MAX);
}

static void note_job(unsigned task)
{
    (void)task;
    CHECK(job_count < sizeof jobs_ns / sizeof *jobs_ns);
    jobs_ns[job_count++] = CALL0(now);
}

/* A world in which task `caller` of b does `work`; of a the periodic task notes its jobs. */
static void begin(void (*work)(unsigned task))
{
    fresh_with_looker(UINT8_MAX, look, check_all);
    job_count = 0;
    rounds = 0;
    world.work[A + PERIODIC] = note_job;
    world.work[B + BACKGROUND] = work;
}

static uint64_t start_a(void)
{
    return CALL1(process_start, world_handle(WORLD_PROCESS_A));
}

static uint64_t stop_a(void)
{
    return CALL1(process_stop, world_handle(WORLD_PROCESS_A));
}

static uint64_t a_stopped(void)
{
    return CALL1(process_stopped, world_handle(WORLD_PROCESS_A));
}

/* Waits until a is stopped. Returns when. */
static uint64_t await_stopped(void)
{
    while (a_stopped() == 0) {
        (void)CALL1(delay, LOOK_NS);
    }
    return CALL0(now);
}

static void start_once(unsigned task)
{
    (void)task;
    note(stop_a()); /* it never ran */
    note(a_stopped());
    sleep_to(23);
    CHECK_EQUAL(job_count, 0);
    note(start_a());
    note(start_a());
    note(a_stopped());
    sleep_to(10000);
}

/* It does not run before its start; then its memory is as at the start of the system, and its periodic task is released
 * when it would have been. */
static void test_on_call(void)
{
    begin(start_once);
    world_on_call(0);
    memset(world_memory[0], 0x77, MEMORY);
    world_run(95);
    CHECK_NOTES(TAKT_STATE, 1, TAKT_OK, TAKT_STATE, 0);
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_RUNS);
    CHECK_EQUAL(world.processes[0].phase, TAKTI_PHASE_NONE);
    CHECK_EQUAL(world_memory[0][3], 3 * 7 + 1);
    CHECK_EQUAL(world_memory[0][GUARD], 0);
    CHECK_EQUAL(world_memory[0][MEMORY - 1], 0);
    CHECK_EQUAL(world.interrupt.attached, UINT8_MAX); /* it is of several */
#if TAKT_JOBS
    CHECK(job_count > 4 && jobs_ns[0] <= TAKT_MS(40));
    for (unsigned job = 0; job < job_count; job++) {
        CHECK_EQUAL(jobs_ns[job], jobs_ns[0] + TAKT_MS(10) * job);
        CHECK_EQUAL(jobs_ns[job] % TAKT_MS(10), 0);
    }
#endif
}

/* What is its alone is there from its start on, not before. */
static void test_on_call_interrupt(void)
{
    begin(start_once);
    world_on_call(0);
    world.objects[WORLD_INTERRUPT].owner = 0;
    world.rights[1][WORLD_INTERRUPT] = 0;
    world_run(22);
    CHECK_EQUAL(world.interrupt.attached, UINT8_MAX);
    begin(start_once);
    world_on_call(0);
    world.objects[WORLD_INTERRUPT].owner = 0;
    world.rights[1][WORLD_INTERRUPT] = 0;
    world_run(95);
    CHECK_EQUAL(world.interrupt.attached, 0);
}

static void stop_and_start(unsigned task)
{
    (void)task;
    sleep_to(15);
    note(stop_a());
    note(stop_a());
    note(a_stopped());
    note(start_a()); /* when its end is complete */
    note(start_a());
    sleep_to(60);
    note(stop_a());
    (void)await_stopped();
    note(CALL0(now) < TAKT_MS(80));
    sleep_to(10000);
}

static void test_stop_and_start(void)
{
    begin(stop_and_start);
    world_run(150);
    CHECK_NOTES(TAKT_OK, TAKT_STATE, 0, TAKT_OK, TAKT_STATE, TAKT_OK, 1);
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_STOPPED);
    CHECK_EQUAL(world.processes[0].restarts, 0);
    CHECK_EQUAL(takt_process_faults.count, 0);
#if TAKT_JOBS
    CHECK(job_count >= 4 && jobs_ns[1] == TAKT_MS(10) && jobs_ns[2] > TAKT_MS(15) && jobs_ns[2] % TAKT_MS(10) == 0);
    CHECK_EQUAL(jobs_ns[job_count - 1], TAKT_MS(60)); /* that of the time of the stop */
#endif
}

/* Its own: it does not come back. */
static void stop_own(unsigned task)
{
    (void)task;
    if (rounds++ == 0) {
        sleep_to(3);
        (void)stop_a();
        CHECK(false);
    }
    sleep_to(10000);
}

static void start_when_stopped(unsigned task)
{
    (void)task;
    sleep_to(2);
    note(await_stopped() >= TAKT_MS(3));
    note(start_a());
    sleep_to(10000);
}

static void test_stops_itself(void)
{
    begin(start_when_stopped);
    world.work[A + BACKGROUND] = stop_own;
    world_run(100);
    CHECK_NOTES(1, TAKT_OK);
    CHECK_EQUAL(rounds, 2);
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_RUNS);
}

/* A process that faulted, and would restart, at each place of its restart. */
static uint64_t stop_at_ns;

static void fault_once(unsigned task)
{
    (void)task;
    if (rounds++ == 0) {
        sleep_to(3);
        fault();
    }
    sleep_to(10000);
}

static void stop_then_start(unsigned task)
{
    (void)task;
    (void)CALL1(delay_until, stop_at_ns);
    note(stop_a());
    sleep_to(80);
    note(a_stopped());
    note(start_a());
    sleep_to(10000);
}

static void test_stop_while_it_restarts(void)
{
    for (stop_at_ns = TAKT_MS(3); stop_at_ns < TAKT_MS(25); stop_at_ns += TAKT_US(500)) {
        begin(stop_then_start);
        world.work[A + BACKGROUND] = fault_once;
        world_run(150);
        CHECK_NOTES(TAKT_OK, 1, TAKT_OK);
        CHECK_EQUAL(takt_process_faults.count, 1);
        CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_RUNS);
        CHECK_EQUAL(world.processes[0].phase, TAKTI_PHASE_NONE);
        CHECK(rounds == 2 || rounds == 3); /* 3: it had begun before the stop */
    }
}

/* Waiters for what its tasks hold or serve go on at once, and lock it again when it has started. */
static void hold_and_serve(unsigned task)
{
    (void)task;
    if (rounds++ == 0) {
        CHECK_EQUAL(CALL1(mutex_lock, world_handle(WORLD_MUTEX)), TAKT_OK);
        sleep_to(1000);
    }
    sleep_to(10000);
}

static void accept_and_sleep(unsigned task)
{
    (void)task;
    struct takt_rendezvous_accepted *accepted = (void *)world_buffer(0);
    if (time_count++ == 0) {
        CHECK_EQUAL(CALL2(rendezvous_accept, world_handle(WORLD_RENDEZVOUS), accepted), TAKT_OK);
    }
    sleep_to(10000);
}

static void lock_and_stop(unsigned task)
{
    (void)task;
    sleep_to(4);
    note(stop_a());
    note(CALL1(mutex_try_lock, world_handle(WORLD_MUTEX)));
    (void)await_stopped();
    note(CALL1(mutex_try_lock, world_handle(WORLD_MUTEX)));
    note(start_a());
    sleep_to(40);
    note(CALL1(mutex_try_lock, world_handle(WORLD_MUTEX)));
    sleep_to(10000);
}

static uint64_t called_result, called_ns;

static void call_a(unsigned task)
{
    (void)task;
    if (called_ns == 0) {
        sleep_to(1);
        called_result = CALL3(rendezvous_call, world_handle(WORLD_RENDEZVOUS), world_buffer(1), 4);
        called_ns = CALL0(now);
    }
    sleep_to(10000);
}

static void test_holds_a_mutex_and_serves(void)
{
    begin(lock_and_stop);
    called_ns = 0;
    world.work[A + PERIODIC] = accept_and_sleep;
    world.work[A + BACKGROUND] = hold_and_serve;
    world.work[B + PERIODIC] = call_a;
    world_run(100);
    CHECK_NOTES(TAKT_OK, TAKT_OWNER_DIED, TAKT_OWNER_DIED, TAKT_OK, TAKT_OK);
    CHECK_EQUAL(called_result, TAKT_OWNER_DIED);
    CHECK_EQUAL(called_ns, TAKT_MS(4));
}

static void test_waiter_for_its_mutex(void)
{
    begin(lock_and_stop);
    world.work[A + BACKGROUND] = hold_and_serve;
    world.work[B + PERIODIC] = wait_for_mutex;
    world_run(4);
    CHECK_EQUAL(returned_ns, 0);
    begin(stop_and_start);
    world.work[A + BACKGROUND] = hold_and_serve;
    world.work[B + PERIODIC] = wait_for_mutex;
    world_run(30);
    CHECK_NOTES(TAKT_OK, TAKT_STATE, 0, TAKT_OK, TAKT_STATE, TAKT_OWNER_DIED); /* all at that time */
    CHECK_EQUAL(returned_ns, TAKT_MS(15));
}

/* No sooner after a stop than after a fault; the first start waits for nothing. */
static void stop_at_40(unsigned task)
{
    (void)task;
    note(start_a());
    sleep_to(40);
    note(stop_a());
    note(start_a());
    sleep_to(10000);
}

static void note_start(unsigned task)
{
    (void)task;
    times_ns[time_count++] = CALL0(now);
    sleep_to(10000);
}

static void test_apart(void)
{
    begin(stop_at_40);
    world_on_call(0);
    world.process_configs[0].faults_apart_ns = TAKT_MS(70);
    world.work[A + BACKGROUND] = note_start;
    world_run(150);
    CHECK_NOTES(TAKT_OK, TAKT_OK, TAKT_OK);
    CHECK_EQUAL(time_count, 2);
    CHECK(times_ns[0] < TAKT_MS(20));
    CHECK(times_ns[1] >= TAKT_MS(110) && times_ns[1] < TAKT_MS(120));
}

#if TAKT_JOBS
/* A sporadic task keeps its distance from its last job, and a message that came meanwhile releases it. */
static void post_and_stop(unsigned task)
{
    (void)task;
    sleep_to(12);
    (void)CALL1(job_release, world_handle(A + SPORADIC));
    (void)CALL1(delay, TAKT_US(100));
    note(stop_a());
    note(start_a());
    sleep_to(10000);
}

static void release_always(void)
{
    if (takt_now() > TAKT_MS(13)) {
        takt_job_release(&world.tasks[A + SPORADIC]);
    }
}

static void test_distance(void)
{
    begin(post_and_stop);
    world.work[A + PERIODIC] = NULL;
    world.work[A + SPORADIC] = note_job;
    meddle = release_always;
    world_run(100);
    CHECK(job_count > 3 && jobs_ns[0] == TAKT_MS(12));
    for (unsigned job = 1; job < job_count; job++) {
        CHECK(jobs_ns[job] - jobs_ns[job - 1] >= TAKT_MS(5));
    }
}

/* A watchdog that was declared to watch a task of a process on call begins with it. */
static uint64_t expired_ns; /* the first time */

static void expires(struct takt_watchdog *watchdog)
{
    (void)watchdog;
    expired_ns = expired_ns == 0 ? takt_now() : expired_ns;
}

static void declare_watchdog(void)
{
    CHECK_EQUAL(takt_watchdog_start(&world.watchdog), TAKT_OK);
}

static void test_watchdog(void)
{
    begin(start_once);
    world_on_call(0);
    takt_watchdog_init(&world.watchdog, 33, &world.tasks[A + PERIODIC], TAKT_MS(20), TAKT_WATCHDOG_NOTIFY, expires);
    world.declare = declare_watchdog;
    expired_ns = 0;
    world_run(95);
    CHECK(expired_ns >= TAKT_MS(23 + 20)); /* nobody kicks from the start at 23 ms on */
}
#endif

int main(void)
{
    test_on_call();
    test_on_call_interrupt();
    test_stop_and_start();
    test_stops_itself();
    test_stop_while_it_restarts();
    test_holds_a_mutex_and_serves();
    test_waiter_for_its_mutex();
    test_apart();
#if TAKT_JOBS
    test_distance();
    test_watchdog();
#endif
    return 0;
}
