/* SPDX-License-Identifier: Apache-2.0 */
/* Restarts of a process with rare events between its steps. */
#include "looker.h"

#include "kernel/core/kernel.h"
#include "kernel/process/restart.h"
#include "takt/hint.h"

static unsigned stray[2];           /* calls of a piece: with nothing left to do, and too early */
static uint64_t watched_ns;         /* when the watchdog expires that was started meanwhile */
static uint64_t turn_ns;            /* when a's background task starts again */
static bool early_start;            /* it is started before */
static struct takti_call stop_call; /* stops it then */

static void check_with_own_timers(void)
{
    check_kernel(0);
}

static void begin(unsigned restarts_max, void (*work)(unsigned task), void (*entry)(void *argument))
{
    fresh_with_looker(restarts_max, entry, check_with_own_timers);
    let_a_fault(work);
}

/* A piece that is called though its timer has been armed again, or nothing is left to do, does nothing. */
static void call_piece(void)
{
    struct takt_process *process = &world.processes[0];
    struct takt_process before = *process;
    if (process->restart_call.timer.armed != 0 || process->phase == TAKTI_PHASE_NONE) {
        takti_process_step(&process->restart_call);
        CHECK(memcmp(&before, process, sizeof before) == 0);
        stray[process->phase != TAKTI_PHASE_NONE]++;
    }
}

static void test_stray_piece(void)
{
    begin(1, sleep_until_3ms, look);
    meddle = call_piece;
    world_run(80);
    CHECK(stray[0] > 0 && stray[1] > 0);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_RUNS);
}

/* A task that starts its watchdog meanwhile has done so: it is not started once more with the process. */
static void start_watchdog(void)
{
    if (world.processes[0].state == TAKTI_PROCESS_RESTARTS && watched_ns == 0) {
        CHECK_EQUAL(takt_watchdog_start(&world.watchdog), TAKT_OK);
        watched_ns = world.watchdog.until_ns;
    }
}

static void watch_and_die(unsigned task)
{
    CHECK_EQUAL(CALL1(watchdog_start, world_handle(WORLD_WATCHDOG)), TAKT_OK);
    sleep_until_3ms(task);
}

static void watch_declared_and_die(unsigned task)
{
    world.watchdog.in_process->declared = true; /* as if init had started it: it watches in each life */
    watch_and_die(task);
}

static void test_watchdog(void)
{
    begin(1, watch_declared_and_die, look);
    world.objects[WORLD_WATCHDOG].owner = 0;
    watched_ns = 0;
    meddle = start_watchdog;
    world_run(80);
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_RUNS);
    CHECK(watched_ns > TAKT_S(100) && world.watchdog.until_ns == watched_ns);
}

/* All that it has is data. */
static void spoil(unsigned task)
{
    memset(world_memory[0], 1, MEMORY - QUOTA);
    sleep_until_3ms(task);
}

static void test_data(void)
{
    static uint8_t bytes[MEMORY - QUOTA];
    for (unsigned byte = 0; byte < sizeof bytes; byte++) {
        bytes[byte] = (uint8_t)(byte * 5 + 2);
    }
    begin(1, spoil, look);
    world_all_data(0, bytes);
    world_run(80);
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_RUNS);
    CHECK(memcmp(world_memory[0], bytes, sizeof bytes) == 0);
}

/* Others start a task of it before its turn, and it is stopped while it runs, just before the piece that would start
 * it. */
static void run_for_long(unsigned task)
{
    if (takt_process_faults.count == 0) {
        sleep_until_3ms(task);
        fault();
    }
    if (time_count < 4) {
        times_ns[time_count++] = CALL0(now);
    }
    takt_work(TAKT_MS(8));
    sleep_to(1000);
}

static void start_early(unsigned task)
{
    (void)task;
    for (unsigned time = 0; time < 2000; time++) {
        (void)CALL1(delay, LOOK_NS);
        const struct takt_process *process = &world.processes[0];
        if (early_start && process->phase == TAKTI_PHASE_OTHERS && process->at == BACKGROUND) {
            note(CALL1(task_start, world_handle(A + BACKGROUND)));
            break;
        }
    }
    sleep_to(1000);
}

static void stop_running(struct takti_call *call)
{
    (void)call;
    CHECK(takti_kernel.ready.running == &world.tasks[A + BACKGROUND]);
    takt_task_stop(&world.tasks[A + BACKGROUND]);
}

static void wait_for_turn(void)
{
    const struct takt_process *process = &world.processes[0];
    if (!early_start && process->phase == TAKTI_PHASE_OTHERS && process->at == BACKGROUND) {
        turn_ns = process->restart_call.timer.at_ns;
    }
    if (early_start && stop_call.timer.armed == 0 && takt_now() < TAKT_MS(1)) {
        takti_call_at(&stop_call, turn_ns, stop_running);
    }
}

static void begin_early(bool early)
{
    begin(1, NULL, look);
    early_start = early;
    memset(&stop_call, 0, sizeof stop_call);
    meddle = wait_for_turn;
    world.work[A + BACKGROUND] = run_for_long;
    world.work[B + BACKGROUND] = start_early;
    world_run(80);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_RUNS);
    CHECK_EQUAL(world.processes[0].phase, TAKTI_PHASE_NONE);
}

static void test_stopped_in_its_turn(void)
{
    turn_ns = 0;
    begin_early(false);
    CHECK_EQUAL(time_count, 1);
    CHECK(turn_ns != 0 && times_ns[0] == turn_ns);
    uint64_t at_ns = turn_ns;
    begin_early(true);
    CHECK_NOTES(TAKT_OK);
    CHECK_EQUAL(time_count, 2);
    CHECK(times_ns[0] < at_ns);
    CHECK_EQUAL(times_ns[1], at_ns + TAKT_MS(1)); /* by the piece after that, when its context had been saved */
}

#if TAKT_BUDGETS
static struct takt_budget budget;
static struct takti_call long_call, arming_call;

static void take_long(struct takti_call *call)
{
    (void)call;
    takt_work(TAKT_MS(4));
}

static void arm_long(struct takti_call *call)
{
    (void)call;
    takti_call_at(&long_call, TAKT_MS(3), take_long); /* behind the budget, which was armed before */
}

static void arm_both(void *argument)
{
    (void)argument;
    takti_call_at(&arming_call, TAKT_MS(1), arm_long);
    takt_delay_until(TAKT_FOREVER);
}

static void work_for_long(unsigned task)
{
    (void)task;
    takt_work(TAKT_MS(20));
}

/* A piece that is due before the processor has left the process does nothing: it comes again. */
static void test_not_left(void)
{
    begin(0, NULL, arm_both);
    budget = (struct takt_budget){.full_ns = TAKT_MS(3), .policy = TAKT_BUDGET_STOP};
    memset(&long_call, 0, sizeof long_call);
    memset(&arming_call, 0, sizeof arming_call);
    world.work[A + BACKGROUND] = work_for_long;
    world_limit(A + BACKGROUND, &budget);
    world_run(40);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(takt_process_faults.records[0].time_ns, TAKT_MS(3));
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_STOPPED);
}
#endif

static unsigned expired, began;

static void expires(struct takt_watchdog *watchdog)
{
    (void)watchdog;
    expired++;
}

static void never_die(unsigned task)
{
    watch_and_die(task);
    sleep_to(1000);
}

/* A watchdog that expires while the process of its task ends waits for that: nobody could have kicked. */
static void check_expired(void (*work)(unsigned task), unsigned times)
{
    expired = 0;
    begin(0, work, look);
    takt_watchdog_init(&world.watchdog, 33, &world.tasks[PERIODIC], TAKT_US(3500), TAKT_WATCHDOG_NOTIFY, expires);
    world_run(6);
    CHECK_EQUAL(expired, times);
}

/* Nor does it start a task again whose process ended meanwhile. */
static void test_not_started(void)
{
    begin(0, watch_and_die, look);
    takt_watchdog_init(&world.watchdog, 33, &world.tasks[PERIODIC], TAKT_MS(2), TAKT_WATCHDOG_RESTART, NULL);
    world_run(60);
    CHECK_EQUAL(world.watchdog.expired, 1);
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_STOPPED);
    CHECK_EQUAL(world.tasks[PERIODIC].timer.state, TAKTI_DORMANT);
}

static void begin_again(void *argument)
{
    static struct takt_watchdog watchdog;
    (void)argument;
    if (began++ == 0) {
        takt_watchdog_init(&watchdog, 40, &world.tasks[C + BACKGROUND], TAKT_MS(2), TAKT_WATCHDOG_RESTART, NULL);
        CHECK_EQUAL(takt_watchdog_start(&watchdog), TAKT_OK);
    }
    takt_delay_until(TAKT_FOREVER);
}

/* A task of the kernel's has no process that could have ended. */
static void test_kernels_own(void)
{
    begin(0, sleep_until_3ms, begin_again);
    world_run(5);
    CHECK_EQUAL(began, 2);
}

static void lock_shared(unsigned task)
{
    sleep_to(2);
    uint64_t result = CALL1(mutex_lock, world_handle(WORLD_MUTEX));
    CHECK(task != A + PERIODIC);
    note(result);
    note(CALL0(now));
    sleep_to(1000);
}

static void unlock_while_it_ends(unsigned task)
{
    (void)task;
    CHECK_EQUAL(CALL1(mutex_lock, world_handle(WORLD_MUTEX)), TAKT_OK);
    (void)CALL1(delay_until, TAKT_MS(3) + TAKT_US(30));
    CHECK(world.mutex.waiters == &world.tasks[A + PERIODIC]);
    (void)CALL1(mutex_unlock, world_handle(WORLD_MUTEX));
    sleep_to(1000);
}

/* A mutex is passed to the first waiter that is not being stopped. */
static void test_passed_on(void)
{
    begin(0, sleep_until_3ms, look);
    world.work[A + PERIODIC] = lock_shared;
    world.work[B + PERIODIC] = lock_shared;
    world.work[B + BACKGROUND] = unlock_while_it_ends;
    world_run(20);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_NOTES(TAKT_OK, TAKT_MS(3) + TAKT_US(30));
}

#if TAKTI_HINTS
static struct takti_call end_call;

static void end_a(struct takti_call *call)
{
    (void)call;
    uint32_t lock = takt_port_lock();
    takti_process_end(&world.processes[0]);
    takti_reselect();
    takt_port_unlock(lock);
}

static void lock_both(unsigned task)
{
    (void)task;
    sleep_to(1);
    CHECK_EQUAL(CALL1(mutex_lock, world_handle(WORLD_OWN_MUTEX)), TAKT_OK);
    (void)CALL1(mutex_lock, world_handle(WORLD_MUTEX));
    CHECK(false); /* its process ends */
}

static void raise_for_a_while(void *argument)
{
    (void)argument;
    takt_delay_until(TAKT_US(1200));
    CHECK_EQUAL(takt_mutex_lock_until(&world.own_mutex, TAKT_US(2500)), TAKT_TIMEOUT);
    takt_delay_until(TAKT_FOREVER);
}

static void lock_hinted(void *argument)
{
    (void)argument;
    takti_call_at(&end_call, TAKT_MS(3), end_a);
    takt_hint_next(&world.mutex);
    takt_delay_until(TAKT_MS(2));
    CHECK_EQUAL(takt_mutex_lock(&world.mutex), TAKT_OK);
    note(takt_now());
    takt_mutex_unlock(&world.mutex);
    takt_delay_until(TAKT_FOREVER);
}

static void unlock_just_after(unsigned task)
{
    CHECK_EQUAL(CALL1(mutex_lock, world_handle(WORLD_MUTEX)), TAKT_OK);
    takt_work(TAKT_MS(3) + TAKT_US(30));
    CHECK(task == B + PERIODIC && world.mutex.waiters == &world.tasks[C + BACKGROUND]);
    CHECK(world.mutex.waiters->next == &world.tasks[A + PERIODIC] && takti_is_ending(&world.tasks[A + PERIODIC]));
    (void)CALL1(mutex_unlock, world_handle(WORLD_MUTEX));
    note(CALL0(now));
    sleep_to(1000);
}

/* A mutex goes to no task that waits ahead, but past it; if the only one behind it ends, to nobody. That one was before
 * it once: somebody waited for what it held, and gave up. */
static void test_passed_ahead(void)
{
    begin(0, sleep_until_3ms, lock_hinted);
    memset(&end_call, 0, sizeof end_call);
    world_promote(C + BACKGROUND, 1);
    world_kernel_task(B + BACKGROUND, raise_for_a_while);
    world.work[A + BACKGROUND] = NULL;
    world.work[A + PERIODIC] = lock_both;
    world.work[B + PERIODIC] = unlock_just_after;
    world_run(20);
    CHECK_NOTES(TAKT_MS(3) + TAKT_US(30), results[0]);
}
#endif

#if TAKT_JOBS
static struct takt_deadline_timer deadline;

static void misses(struct takt_task *task)
{
    CHECK(task == &world.tasks[A + PERIODIC]);
    expired++;
}

static void sleep_long(unsigned task)
{
    (void)task;
    sleep_to(1000);
}

static void die_at_9(unsigned task)
{
    (void)task;
    sleep_to(9);
    (void)CALL1(delay, TAKT_US(500));
}

/* A deadline that comes while the process ends is nobody's to miss. */
static void check_missed(void (*work)(unsigned task), unsigned times)
{
    expired = 0;
    memset(&deadline, 0, sizeof deadline);
    begin(0, work, look);
    world_deadline(A + PERIODIC, &deadline, misses);
    world.work[A + PERIODIC] = sleep_long;
    world_run(15);
    CHECK_EQUAL(takt_process_faults.count, 1 - times);
    CHECK_EQUAL(expired, times);
}
#endif

int main(void)
{
    test_passed_on();
#if TAKTI_HINTS
    test_passed_ahead();
#endif
#if TAKT_JOBS
    check_missed(die_at_9, 0);
    check_missed(sleep_long, 1);
#endif
    check_expired(watch_and_die, 0);
    check_expired(never_die, 1);
    test_not_started();
    test_kernels_own();
    test_stray_piece();
    test_watchdog();
    test_data();
    test_stopped_in_its_turn();
#if TAKT_BUDGETS
    test_not_left();
#endif
    return 0;
}
