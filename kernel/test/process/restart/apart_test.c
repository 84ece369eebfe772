/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of several processes at one time, and how soon after a fault a process can have its next. */
#include "looker.h"

#include "kernel/core/kernel.h"
#include "kernel/process/restart.h"

#define FIRST_NS TAKT_MS(3)                          /* the first faults */
#define LEAST_NS TAKT_MS(4 + (MEMORY + 1023) / 1024) /* as tools/takt/prove/budgets.py has it */

enum { FAULTS = 5, FOREVER = 255 };

static uint64_t faults_ns[PROCESSES][FAULTS];
static unsigned fault_count[PROCESSES];
static unsigned faults_max[PROCESSES]; /* of each; afterwards its tasks do nothing */
static uint64_t started_ns[PROCESSES]; /* when its first task was there again, the last time */
static uint64_t seen[PROCESSES];       /* how far each has come */
static uint64_t last_ns;               /* the last piece that was seen */
static unsigned waits;                 /* looks at processes that wait */
static unsigned looks;

/* Of all processes together one piece a millisecond at most; the end of a wait is none. */
static void check_distance(void)
{
    unsigned steps = 0;
    for (unsigned index = 0; index < PROCESSES; index++) {
        const struct takt_process *process = &world.processes[index];
        unsigned phase = process->phase == TAKTI_PHASE_WAIT ? TAKTI_PHASE_BROKEN : process->phase;
        uint64_t now = (uint64_t)process->made << 32 | (uint64_t)phase << 16 | process->at;
        waits += process->phase == TAKTI_PHASE_WAIT;
        steps += now != seen[index] && phase > TAKTI_PHASE_TASKS;
        seen[index] = now;
    }
    CHECK(steps <= 1);
    if (steps == 1) {
        CHECK(last_ns == 0 || takt_now() - last_ns >= TAKT_MS(1) - LOOK_NS);
        last_ns = takt_now();
    }
}

static void check_all(void)
{
    if (looks++ % 16 == 0) {
        check_kernel(UINT16_MAX);
    }
    check_distance();
    for (unsigned index = 0; index < PROCESSES; index++) {
        if (world.processes[index].state != TAKTI_PROCESS_RUNS) {
            started_ns[index] = 0;
        } else if (started_ns[index] == 0) {
            started_ns[index] = takt_now();
        }
    }
}

/* Faults as soon as it runs, so many times. */
static void fault_again(unsigned task)
{
    unsigned process = task / PROCESS_TASKS;
    if (fault_count[process] == 0) {
        (void)CALL1(delay_until, FIRST_NS);
    }
    if (fault_count[process] < faults_max[process]) {
        faults_ns[process][fault_count[process]++] = CALL0(now);
        fault();
    }
    sleep_to(10000);
}

/* Each process that has `max` faults; no two of `apart_ns` need be alike. */
static void begin(const unsigned max[PROCESSES], const uint64_t apart_ns[PROCESSES])
{
    static const unsigned faulty[PROCESSES] = {A + BACKGROUND, B + BACKGROUND, C + PERIODIC};
    fresh_with_looker(FOREVER, look, check_all);
    for (unsigned process = 0; process < PROCESSES; process++) {
        fault_count[process] = 0;
        faults_max[process] = max[process];
        world.process_configs[process].faults_apart_ns = apart_ns[process];
        started_ns[process] = 1;
        seen[process] = 0;
        if (max[process] > 0) {
            world.work[faulty[process]] = fault_again;
        }
    }
    last_ns = 0;
    waits = 0;
    looks = 0;
}

static void check_faults(const uint64_t least_ns[PROCESSES])
{
    for (unsigned process = 0; process < PROCESSES; process++) {
        CHECK_EQUAL(fault_count[process], faults_max[process]);
        CHECK_EQUAL(world.processes[process].state, TAKTI_PROCESS_RUNS);
        CHECK_EQUAL(world.processes[process].phase, TAKTI_PHASE_NONE);
        for (unsigned number = 1; number < fault_count[process]; number++) {
            CHECK(faults_ns[process][number] - faults_ns[process][number - 1] >= least_ns[process]);
        }
    }
}

static const uint64_t none_ns[PROCESSES];
static const uint64_t natural_ns[PROCESSES] = {LEAST_NS, LEAST_NS, LEAST_NS};

static void test_two_at_once(void)
{
    begin((const unsigned[]){FAULTS, FAULTS, 0}, none_ns);
    world_run(400);
    CHECK_EQUAL(faults_ns[0][0], faults_ns[1][0]);
    check_faults(natural_ns);
    CHECK_EQUAL(waits, 0);
}

static void test_three_at_once(void)
{
    begin((const unsigned[]){FAULTS, FAULTS, FAULTS}, none_ns);
    world_run(500);
    CHECK_EQUAL(faults_ns[0][0], faults_ns[1][0]);
    CHECK_EQUAL(faults_ns[0][0], faults_ns[2][0]);
    check_faults(natural_ns);
}

/* The waits of all end at one time, and what comes after them one after the other. */
static void test_waits_at_once(void)
{
    const uint64_t apart_ns[PROCESSES] = {TAKT_MS(80), TAKT_MS(80), TAKT_MS(80)};
    begin((const unsigned[]){FAULTS, FAULTS, FAULTS}, apart_ns);
    world_run(600);
    check_faults(apart_ns);
    CHECK(waits > 0);
}

static void test_waits_of_several(void)
{
    const uint64_t apart_ns[PROCESSES] = {TAKT_MS(25), TAKT_MS(60), LEAST_NS / 2};
    begin((const unsigned[]){FAULTS, FAULTS, FAULTS}, apart_ns);
    world_run(700);
    check_faults((const uint64_t[]){TAKT_MS(25), TAKT_MS(60), LEAST_NS});
    CHECK(waits > 0);
}

#if TAKT_JOBS
static void release_sporadic(void)
{
    if (world.processes[0].state == TAKTI_PROCESS_RUNS && world.processes[0].restarts > 0) {
        takt_job_release(&world.tasks[A + SPORADIC]);
    }
}

/* Its first task comes when the distance is over, and no later than its mutexes take to be whole. */
static void check_exact(uint64_t apart_ns, uint64_t least_ns, uint64_t most_ns)
{
    begin((const unsigned[]){FAULTS, 0, 0}, (const uint64_t[]){apart_ns, 0, 0});
    meddle = release_sporadic;
    world.work[A + SPORADIC] = fault_again;
    world_run(500);
    CHECK_EQUAL(fault_count[0], FAULTS);
    for (unsigned number = 1; number < FAULTS; number++) {
        uint64_t distance_ns = faults_ns[0][number] - faults_ns[0][number - 1];
        CHECK(distance_ns >= least_ns && distance_ns <= most_ns);
    }
}

static void test_exact(void)
{
    uint64_t mending_ns = TAKT_MS(world.objects_used * TAKTI_WORK_LOOK / TAKTI_WORK) + 2 * LOOK_NS;
    check_exact(TAKT_MS(40), TAKT_MS(40), TAKT_MS(40) + mending_ns);
    check_exact(TAKT_MS(40) + 7, TAKT_MS(40) + 7, TAKT_MS(40) + 7 + mending_ns);
    check_exact(0, LEAST_NS, TAKT_MS(20));
    check_exact(LEAST_NS, LEAST_NS, TAKT_MS(20));
}

static bool watched;
static unsigned paused; /* looks at the watchdog between the end of the wait and the start */

static void see_watchdog(void)
{
    unsigned phase = world.processes[0].phase;
    if (!watched) {
        watched = true;
        CHECK_EQUAL(takt_watchdog_start(&world.watchdog), TAKT_OK);
    }
    if (phase == TAKTI_PHASE_WAIT || phase == TAKTI_PHASE_BROKEN) {
        CHECK(world.watchdog.in_process->paused);
        paused += phase == TAKTI_PHASE_BROKEN;
    }
}

/* The end of a wait does nothing of what comes next. */
static void test_wait_is_no_piece(void)
{
    begin((const unsigned[]){1, 0, 0}, (const uint64_t[]){TAKT_MS(80), 0, 0});
    meddle = see_watchdog;
    paused = 0;
    watched = false;
    world_run(150);
    CHECK(paused > 0);
    CHECK_EQUAL(world.processes[0].phase, TAKTI_PHASE_NONE);
}

static void test_far(void)
{
    begin((const unsigned[]){FAULTS, 0, 0}, (const uint64_t[]){TAKT_FOREVER - 1, 0, 0});
    world_run(500);
    CHECK_EQUAL(fault_count[0], 1);
    CHECK_EQUAL(world.processes[0].phase, TAKTI_PHASE_WAIT);
}
#endif

/* When b has started again after its fault at 60 ms, while a, which faulted before, waits or is not there. */
static void b_faults_later(unsigned task)
{
    (void)task;
    if (fault_count[1] == 0) {
        sleep_to(60);
        fault_count[1]++;
        fault();
    }
    sleep_to(10000);
}

static uint64_t b_starts_ns(bool a_waits)
{
    begin((const unsigned[]){a_waits ? 1 : 0, 0, 0}, (const uint64_t[]){TAKT_MS(500), 0, 0});
    world.work[B + BACKGROUND] = b_faults_later;
    world_run(150);
    CHECK_EQUAL(world.processes[0].phase, a_waits ? TAKTI_PHASE_WAIT : TAKTI_PHASE_NONE);
    CHECK_EQUAL(world.processes[1].phase, TAKTI_PHASE_NONE);
    CHECK(started_ns[1] > TAKT_MS(60));
    return started_ns[1];
}

static void test_waits_alone(void)
{
    uint64_t alone_ns = b_starts_ns(false);
    CHECK_EQUAL(b_starts_ns(true), alone_ns);
    CHECK(waits > 0);
}

/* A task that waits for a mutex of a process that faults goes on before one below it executes, though others fault as
 * well. */
static uint64_t below_ns; /* when the one below goes on */

static void hold(unsigned task)
{
    if (fault_count[task / PROCESS_TASKS] == 0) {
        CHECK_EQUAL(CALL1(mutex_lock, world_handle(WORLD_MUTEX)), TAKT_OK);
        CHECK_EQUAL(CALL1(ceiling_lock, world_handle(WORLD_CEILING)), TAKT_OK);
    }
    fault_again(task);
}

static void work_below(unsigned task)
{
    (void)task;
    (void)CALL1(delay_until, FIRST_NS);
    below_ns = CALL0(now);
    takt_work(TAKT_MS(1));
    sleep_to(10000);
}

static void test_waiter_wakes_at_once(void)
{
    begin((const unsigned[]){1, 0, 1}, none_ns);
    below_ns = 0;
    world.work[A + BACKGROUND] = hold;
    world.work[B + PERIODIC] = wait_for_mutex;
    world.work[B + BACKGROUND] = work_below;
    world_run(150);
    CHECK_NOTES(TAKT_OWNER_DIED);
    CHECK_EQUAL(returned_ns, FIRST_NS);
    CHECK_EQUAL(below_ns, FIRST_NS);
}

#if TAKT_BUDGETS
/* The processor has not left the task yet when its mutex goes. */
static void hold_too_long(unsigned task)
{
    (void)task;
    if (takt_process_faults.count == 0) {
        CHECK_EQUAL(CALL1(mutex_lock, world_handle(WORLD_MUTEX)), TAKT_OK);
        (void)CALL1(delay_until, FIRST_NS);
        takt_work(TAKT_MS(10));
    }
    sleep_to(10000);
}

static void test_waiter_wakes_after_budget(void)
{
    static struct takt_budget budget;
    begin((const unsigned[]){0, 0, 0}, none_ns);
    budget = (struct takt_budget){.full_ns = TAKT_MS(2),
                                  .hold_ns = TAKT_MS(50),
                                  .suspension_ns = TAKT_MS(5),
                                  .waits = 9,
                                  .policy = TAKT_BUDGET_STOP};
    world.work[A + BACKGROUND] = hold_too_long;
    world.work[B + PERIODIC] = wait_for_mutex;
    world_limit(A + BACKGROUND, &budget);
    world_run(150);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(takt_process_faults.records[0].cause, TAKT_PROCESS_BUDGET);
    CHECK_NOTES(TAKT_OWNER_DIED);
    CHECK_EQUAL(returned_ns, takt_process_faults.records[0].time_ns);
    CHECK_EQUAL(world.processes[0].phase, TAKTI_PHASE_NONE);
}
#endif

int main(void)
{
    test_two_at_once();
    test_three_at_once();
    test_waits_at_once();
    test_waits_of_several();
    test_waits_alone();
    test_waiter_wakes_at_once();
#if TAKT_JOBS
    test_exact();
    test_far();
    test_wait_is_no_piece();
#endif
#if TAKT_BUDGETS
    test_waiter_wakes_after_budget();
#endif
    return 0;
}
