/* SPDX-License-Identifier: Apache-2.0 */
/* The restart of a process step by step: what other processes see meanwhile, checked every 20 us. */
#include "looker.h"

#include "kernel/core/kernel.h"
#include "kernel/process/restart.h"

static unsigned looks;            /* while a process ended or was made anew */
static uint64_t last_piece_ns;    /* that was seen, but of mutexes that others wait for */
static uint64_t seen[PROCESSES];  /* how far each has come */
static bool attached[PROCESSES];  /* each has what it was not declared with */
static unsigned detached;         /* pieces that took such away */
static uint32_t made[PROCESSES];  /* of its memory */
static uint64_t came_ns, more_ns; /* when calls of others returned */

/* Of all processes together there is one piece a millisecond at most, and a long one comes later. */
static void check_distance(void)
{
    unsigned steps = 0;
    uint64_t apart_ns = TAKT_MS(1);
    for (unsigned index = 0; index < PROCESSES; index++) {
        const struct takt_process *process = &world.processes[index];
        uint64_t now = (uint64_t)process->made << 32 | (uint64_t)process->phase << 16 | process->at;
        bool quick = process->phase <= 2; /* before the first of those */
        if (now != seen[index] && !quick) {
            steps++;
        }
        CHECK(process->made <= made[index] + 1024);
        made[index] = process->made;
        bool has = takti_process_has_attached(process);
        if (attached[index] && !has) {
            apart_ns = TAKT_MS(2);
            detached++;
        }
        attached[index] = has;
        seen[index] = now;
    }
    CHECK(steps <= 1);
    if (steps == 1) {
        CHECK(last_piece_ns == 0 || takt_now() - last_piece_ns >= apart_ns - LOOK_NS);
        last_piece_ns = takt_now();
    }
}

static void check_all(void)
{
    check_kernel(UINT16_MAX);
    check_distance();
    for (unsigned index = 0; index < 2; index++) {
        const struct takt_process *process = &world.processes[index];
        looks += process->state != TAKTI_PROCESS_RUNS;
        for (unsigned task = 0; task < PROCESS_TASKS && process->state != TAKTI_PROCESS_RUNS; task++) {
            CHECK(world.tasks[index * PROCESS_TASKS + task].timer.state != TAKTI_READY);
        }
    }
}

static void begin(unsigned restarts_max, void (*work)(unsigned task))
{
    fresh_with_looker(restarts_max, look, check_all);
    let_a_fault(work);
    looks = 0;
    last_piece_ns = 0;
    memset(seen, 0, sizeof seen);
    memset(attached, 0, sizeof attached);
    memset(made, 0, sizeof made);
    detached = 0;
    came_ns = 0;
    more_ns = 0;
}

static void hold_three(unsigned task)
{
    (void)task;
    CHECK_EQUAL(CALL1(mutex_lock, world_handle(WORLD_MUTEX)), TAKT_OK);
    CHECK_EQUAL(CALL1(mutex_lock, world_handle(WORLD_OWN_MUTEX)), TAKT_OK);
    CHECK_EQUAL(CALL1(ceiling_lock, world_handle(WORLD_CEILING)), TAKT_OK);
    sleep_to(3);
}

static void come_later(unsigned task)
{
    (void)task;
    (void)CALL1(delay_until, TAKT_MS(3) + TAKT_US(20)); /* before its owner is stopped */
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_ENDING);
    CHECK(world.own_mutex.owner == &world.tasks[A + BACKGROUND]);
    note(CALL1(mutex_lock, world_handle(WORLD_OWN_MUTEX)));
    note(CALL1(ceiling_try_lock, world_handle(WORLD_CEILING)));
    note(CALL1(ceiling_lock, world_handle(WORLD_CEILING)));
    note(CALL1(task_start, world_handle(A + BACKGROUND)));
    (void)CALL1(task_resume, world_handle(A + PERIODIC));
    came_ns = CALL0(now);
    sleep_to(1000);
}

/* A task that waits or calls lock gets the status at once; what the process had not locked goes on. */
static void test_waiters_wake(void)
{
    begin(1, hold_three);
    world.work[B + PERIODIC] = wait_for_mutex;
    world.work[B + BACKGROUND] = come_later;
    world.rights[1][WORLD_OWN_MUTEX] = TAKT_RIGHT_USE;
    world_run(80);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(takt_process_faults.records[0].restarted, 1);
    CHECK_NOTES(TAKT_OWNER_DIED, TAKT_OWNER_DIED, TAKT_OWNER_DIED, TAKT_OWNER_DIED, TAKT_STATE);
    CHECK_EQUAL(came_ns, TAKT_MS(3) + TAKT_US(20));
    CHECK_EQUAL(returned_ns, faulted_ns);
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_RUNS);
    CHECK(world.mutex.owner == NULL && world.own_mutex.owner == NULL && world.ceiling.mutex.owner == NULL);
    CHECK(looks > 100);
}

/* Tasks of a wait for what b has or gives, and a live one of b's with each. */
static void a_waits_for_mutex(unsigned task)
{
    (void)task;
    if (takt_process_faults.count == 0) {
        sleep_to(2);
        (void)CALL1(mutex_lock, world_handle(WORLD_MUTEX));
        CHECK(false);
    }
}

static void b_unlocks(unsigned task)
{
    (void)task;
    sleep_to(1);
    CHECK_EQUAL(CALL1(mutex_lock, world_handle(WORLD_MUTEX)), TAKT_OK);
    (void)CALL1(delay_until, TAKT_MS(3) + TAKT_US(30));
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_ENDING);
    CHECK(world.mutex.waiters == &world.tasks[A + PERIODIC]);
    (void)CALL1(mutex_unlock, world_handle(WORLD_MUTEX));
    CHECK(world.mutex.owner == NULL);
    note(CALL1(mutex_lock, world_handle(WORLD_MUTEX)));
    (void)CALL1(mutex_unlock, world_handle(WORLD_MUTEX));
    sleep_to(1000);
}

/* A task that ends gets no mutex: it would leave it broken, without having been in the section. */
static void test_not_passed(void)
{
    begin(0, sleep_until_3ms);
    world.work[A + PERIODIC] = a_waits_for_mutex;
    world.work[B + BACKGROUND] = b_unlocks;
    world_run(20);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_NOTES(TAKT_OK);
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_STOPPED);
}

static void a_waits_for_unit(unsigned task)
{
    (void)task;
    if (takt_process_faults.count == 0) {
        CHECK_EQUAL(CALL1(semaphore_wait, world_handle(WORLD_SEMAPHORE)), TAKT_OK);
        (void)CALL1(semaphore_wait, world_handle(WORLD_SEMAPHORE));
        CHECK(false);
    }
}

static void b_posts(unsigned task)
{
    (void)task;
    (void)CALL1(delay_until, TAKT_MS(3) + TAKT_US(30));
    CHECK(world.semaphore.waiters == &world.tasks[A + PERIODIC]);
    (void)CALL1(semaphore_post, world_handle(WORLD_SEMAPHORE));
    note(world.semaphore.count);
    (void)CALL1(task_resume, world_handle(A + PERIODIC)); /* held now: not even so */
    sleep_to(1000);
}

static void test_no_unit(void)
{
    begin(0, sleep_until_3ms);
    world.work[A + PERIODIC] = a_waits_for_unit;
    world.work[B + BACKGROUND] = b_posts;
    world_run(20);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_NOTES(1);
}

static void waits_for_signal(unsigned task)
{
    if (takt_process_faults.count == 0) {
        sleep_to(1);
        CHECK_EQUAL(CALL1(mutex_lock, world_handle(WORLD_MUTEX)), TAKT_OK);
        uint64_t result = CALL2(condition_wait, world_handle(WORLD_CONDITION), world_handle(WORLD_MUTEX));
        CHECK(task != A + PERIODIC);
        note(result);
        (void)CALL1(mutex_unlock, world_handle(WORLD_MUTEX));
    }
    sleep_to(1000);
}

static void signals(unsigned task)
{
    (void)task;
    (void)CALL1(delay_until, TAKT_MS(3) + TAKT_US(30));
    CHECK(world.condition.waiting.waiters == &world.tasks[A + PERIODIC]);
    (void)CALL1(condition_signal, world_handle(WORLD_CONDITION));
    sleep_to(1000);
}

/* A signal is for those that live. */
static void test_signal(void)
{
    begin(0, sleep_until_3ms);
    world.work[A + PERIODIC] = waits_for_signal;
    world.work[B + PERIODIC] = waits_for_signal;
    world.work[B + BACKGROUND] = signals;
    world_run(20);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_NOTES(TAKT_OK);
    CHECK(world.mutex.owner == NULL);
}

static void a_accepts(unsigned task)
{
    (void)task;
    if (takt_process_faults.count == 0) {
        (void)CALL2(rendezvous_accept, world_handle(WORLD_RENDEZVOUS), world_buffer(0));
        CHECK(false);
    }
}

static void b_calls(unsigned task)
{
    (void)task;
    (void)CALL1(delay_until, TAKT_MS(3) + TAKT_US(30));
    CHECK(world.rendezvous.acceptors == &world.tasks[A + PERIODIC]);
    note(world_call(TAKTI_CALL_rendezvous_call, world_handle(WORLD_RENDEZVOUS), (uintptr_t)world_buffer(1), 8, 0));
    CHECK(false); /* nobody accepts any more */
}

static void test_not_accepted(void)
{
    begin(0, sleep_until_3ms);
    world.work[A + PERIODIC] = a_accepts;
    world.work[B + BACKGROUND] = b_calls;
    world_run(20);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(result_count, 0);
    CHECK(world.rendezvous.callers == &world.tasks[B + BACKGROUND]);
}

/* Two at once: what they are made of comes one after the other. */
static void b_faults(unsigned task)
{
    (void)task;
    if (world.processes[1].restarts == 0) {
        sleep_to(3);
        fault();
    }
    sleep_to(1000);
}

static void test_two(void)
{
    begin(1, hold_three);
    world.work[B + BACKGROUND] = b_faults;
    world_run(150);
    CHECK_EQUAL(takt_process_faults.count, 2);
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_RUNS);
    CHECK_EQUAL(world.processes[1].state, TAKTI_PROCESS_RUNS);
    CHECK_EQUAL(world.processes[0].phase, 0);
    CHECK_EQUAL(world.processes[1].phase, 0);
}

static uintptr_t created;

static void hold_created(unsigned task)
{
    uintptr_t *handle = (void *)((uint8_t *)world_buffer(0) + 64);
    (void)task;
    CHECK_EQUAL(CALL1(mutex_create, handle), TAKT_OK);
    created = *handle;
    CHECK_EQUAL(CALL1(mutex_lock, created), TAKT_OK);
    sleep_to(3);
}

static void wait_for_created(unsigned task)
{
    (void)task;
    sleep_to(1);
    note(CALL1(mutex_lock, created));
    sleep_to(1000);
}

static void see_created(unsigned task)
{
    (void)task;
    (void)CALL1(delay_until, TAKT_MS(3) + TAKT_US(30));
    note(world.created[0].mutexes[0].owner == &world.tasks[A + BACKGROUND]);
    sleep_to(1000);
}

/* For what it created only its own tasks wait: it is kept until its owner is stopped. */
static void test_created(void)
{
    begin(0, hold_created);
    world.work[A + PERIODIC] = wait_for_created;
    world.work[B + BACKGROUND] = see_created;
    world_run(80);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_NOTES(true);
}

static void attach(unsigned task)
{
    (void)task;
    CHECK_EQUAL(CALL1(shared_attach, world_handle(WORLD_SHARED)), (uintptr_t)world_shared);
    sleep_to(3);
}

/* What it had attached is taken away by a piece that comes 2 ms after the one before. */
static void test_attached(void)
{
    begin(1, attach);
    world_run(80);
    CHECK_EQUAL(detached, 1);
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_RUNS);
}

#if TAKT_JOBS
/* It faults as soon as one of its tasks is there, and the others are not. */
static void release_sporadic(void)
{
    const struct takt_process *process = &world.processes[0];
    if (process->state == TAKTI_PROCESS_RUNS && process->restarts > 0) {
        takt_job_release(&world.tasks[A + SPORADIC]);
    }
}

static unsigned early; /* faults before all tasks were there */

static void fault_early(unsigned task)
{
    (void)task;
    early += world.tasks[A + BACKGROUND].timer.state == TAKTI_DORMANT;
    fault();
}

static void test_while_it_starts(void)
{
    begin(4, sleep_until_3ms);
    early = 0;
    meddle = release_sporadic;
    world.work[A + SPORADIC] = fault_early;
    world_run(400);
    CHECK_EQUAL(takt_process_faults.count, 5);
    CHECK(early > 0);
    for (unsigned number = 1; number < 5; number++) { /* as tools/takt/prove/budgets.py has it */
        CHECK(takt_process_faults.records[number].time_ns - takt_process_faults.records[number - 1].time_ns >=
              TAKT_MS(4 + MEMORY / 1024));
    }
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_STOPPED);
    CHECK_EQUAL(world.processes[0].phase, 0);
}

/* An interrupt, or another task, does to tasks that end what it may. */
static void stop_and_resume(void)
{
    static unsigned turn;
    struct takt_task *task = &world.tasks[A + turn++ % PROCESS_TASKS];
    if (world.processes[0].state == TAKTI_PROCESS_ENDING) {
        takt_task_suspend(task);
        takt_task_resume(task);
        takt_job_release(&world.tasks[A + SPORADIC]);
        if (turn % 7 == 0) {
            takt_task_stop(task);
        }
    }
}

static void test_meddled_with(void)
{
    begin(1, hold_three);
    meddle = stop_and_resume;
    world.work[A + PERIODIC] = a_waits_for_unit;
    world.work[B + PERIODIC] = wait_for_mutex;
    world_run(80);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_RUNS);
    CHECK_EQUAL(results[0], TAKT_OWNER_DIED);
}
#endif

int main(void)
{
    test_waiters_wake();
    test_not_passed();
    test_no_unit();
    test_signal();
    test_not_accepted();
    test_two();
    test_created();
    test_attached();
#if TAKT_JOBS
    test_while_it_starts();
    test_meddled_with();
#endif
    return 0;
}
