/* SPDX-License-Identifier: Apache-2.0 */
/* Threads with a period: admitted against the declared tasks, and held to their wcet. */
#include "kernel/test/support/notes.h"
#include "takt/admission.h"
#include "takt/invariants.h"

#include "kernel/core/kernel.h"

enum { EXTRA = 4, CAPACITY = TASKS + EXTRA, THREAD_LEVEL = 2 };

static struct takt_admission_entry entries[CAPACITY];
static struct takt_analysis_task snapshot[CAPACITY];
static struct takt_admission_state state;
static struct takt_admission admission;
static uint64_t jobs_ns[64];
static unsigned job_count;
static unsigned lives;
static unsigned level;
static uint64_t works_ns; /* what a job of a thread executes */

static void check_kernel(void)
{
    const struct takt_known_objects objects = {.all = UINT16_MAX};
    struct takt_broken broken = takt_kernel_broken(&objects);
    if (broken.what != NULL) {
        printf("%llu ns: %s (%p)\n", (unsigned long long)takt_now(), broken.what, broken.where);
        check_failed();
    }
}

static void thread_job(void *argument)
{
    (void)argument;
    jobs_ns[job_count++] = CALL0(now);
    takt_work(works_ns);
}

static void end_at_once(void *argument)
{
    (void)argument;
}

static void begin(void (*work)(unsigned task))
{
    fresh(UINT8_MAX);
    memset(entries, 0, sizeof entries);
    memset(&state, 0, sizeof state);
    admission = (struct takt_admission){
        .add = takti_admission_add,
        .remove = takti_admission_remove,
        .entries = entries,
        .snapshot = snapshot,
        .state = &state,
        .iterations = 1000,
        .capacity = CAPACITY,
        .threads = {{.create = takti_thread_admit, .prove = takti_thread_prove, .give_up = takti_thread_give_up}}};
    world_admission(&admission);
    for (unsigned task = 0; task < TASKS; task++) {
        world_wcet(task, task % PROCESS_TASKS == BACKGROUND ? 0 : TAKT_US(100));
    }
    world_wcet(B + PERIODIC, TAKT_MS(1)); /* the sporadic tasks below it have deadlines of 5 */
    for (unsigned process = 0; process < PROCESSES; process++) {
        world.process_configs[process].deadline_threads = PLACES;
    }
    job_count = lives = 0;
    level = THREAD_LEVEL;
    works_ns = TAKT_MS(1);
    world.work[A + BACKGROUND] = work;
}

static uint64_t create(unsigned process, unsigned period_ms, unsigned deadline_ms, unsigned wcet_ms)
{
    struct takt_thread_attributes *attributes = (void *)((uint8_t *)world_buffer(process) + 64);
    *attributes = (struct takt_thread_attributes){.entry = thread_job,
                                                  .stack_size = 256,
                                                  .level = level,
                                                  .period_ns = TAKT_MS(period_ms),
                                                  .deadline_ns = TAKT_MS(deadline_ms),
                                                  .wcet_ns = TAKT_MS(wcet_ms)};
    return CALL2(thread_create, world_buffer(process), attributes);
}

static void accept_and_refuse(unsigned task)
{
    (void)task;
    sleep_to(1);
    note(create(0, 10, 10, 2));
    note(create(0, 10, 10, 9)); /* b would miss its deadline */
    note(create(0, 20, 20, 3)); /* nor would the sporadic tasks meet theirs */
    note(create(0, 20, 20, 1));
    note(create(0, 20, 20, 1)); /* no slot */
    check_kernel();
    sleep_to(1000);
}

static void test_accepted_and_refused(void)
{
    begin(accept_and_refuse);
    world_run(45);
    CHECK_NOTES(TAKT_OK, TAKT_REFUSED, TAKT_REFUSED, TAKT_OK, TAKT_LIMIT);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_EQUAL(job_count, 5 + 3); /* from 1 ms on: each 10 ms, each 20 */
    CHECK_EQUAL(jobs_ns[0], TAKT_MS(1));
}

static void end_and_create(unsigned task)
{
    (void)task;
    sleep_to(1);
    note(create(0, 10, 10, 3));
    note(create(0, 10, 10, 3));
    (void)CALL1(task_stop, *(uintptr_t *)world_buffer(0)); /* of the refused one: its handle is stale */
    CHECK(false);
}

static void test_handle_of_a_refused_one(void)
{
    begin(end_and_create);
    world_run(8);
    CHECK_EQUAL(results[0], TAKT_OK);
    CHECK_EQUAL(results[1], TAKT_REFUSED);
    CHECK_REFUSED();
}

/* Its jobs count until the next release of one that was stopped. */
static void stop_and_create(unsigned task)
{
    (void)task;
    sleep_to(1);
    note(create(0, 10, 10, 3));
    uintptr_t first = *(uintptr_t *)world_buffer(0);
    sleep_to(4);
    (void)CALL1(task_stop, first);
    (void)CALL1(thread_detach, first);
    note(create(0, 10, 10, 3));
    sleep_to(12);
    note(create(0, 10, 10, 3));
    sleep_to(1000);
}

static void test_stopped_ones_count_on(void)
{
    begin(stop_and_create);
    world_run(40);
    CHECK_NOTES(TAKT_OK, TAKT_REFUSED, TAKT_OK);
}

/* Whatever it says, a thread executes for no longer: then its process faults, and others miss nothing. */
static unsigned missed_jobs;

static void check_release(unsigned task)
{
    (void)task;
    missed_jobs += CALL0(now) >= CALL0(job_deadline_ns) ? 1 : 0;
    takt_work(TAKT_MS(1));
    missed_jobs += CALL0(now) > CALL0(job_deadline_ns) ? 1 : 0;
}

static void lie(unsigned task)
{
    (void)task;
    if (lives++ == 0) {
        works_ns = TAKT_MS(50);
        sleep_to(1);
        note(create(0, 10, 10, 3));
    }
    sleep_to(1000);
}

static void test_liar(void)
{
    begin(lie);
    missed_jobs = 0;
    world.work[B + PERIODIC] = check_release;
    world_run(60);
    CHECK_EQUAL(results[0], TAKT_OK);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(takt_process_faults.records[0].cause, TAKT_PROCESS_BUDGET);
    CHECK(takt_process_faults.records[0].time_ns <= TAKT_MS(6));
    CHECK_EQUAL(missed_jobs, 0);
    check_kernel();
}

/* A process that starts again finds its declared tasks, and all others, still in the set. */
static void fault_and_create(unsigned task)
{
    (void)task;
    if (lives++ == 0) {
        sleep_to(1);
        note(create(0, 10, 10, 3));
        fault();
    }
    sleep_to(60);
    note(create(0, 10, 10, 9));
    note(create(0, 10, 10, 3));
    sleep_to(1000);
}

static void test_after_a_restart(void)
{
    begin(fault_and_create);
    world_run(100);
    CHECK_NOTES(TAKT_OK, TAKT_REFUSED, TAKT_OK);
    unsigned declared = 0;
    for (unsigned entry = 0; entry < CAPACITY; entry++) {
        declared += entries[entry].task != NULL && entries[entry].until_ns == TAKT_FOREVER ? 1 : 0;
    }
    CHECK_EQUAL(declared, TASKS + 1);
}

static void create_two(unsigned task)
{
    (void)task;
    world.process_configs[0].deadline_threads = 1;
    sleep_to(1);
    note(create(0, 20, 20, 1));
    note(create(0, 20, 20, 1));
    sleep_to(1000);
}

static void test_quota(void)
{
    begin(create_two);
    world_run(10);
    CHECK_NOTES(TAKT_OK, TAKT_LIMIT);
}

/* While no task waits no proof is made; the caller waits, and may be let go. */
static void never_rest(unsigned task)
{
    if (task == B + BACKGROUND) {
        takt_work(TAKT_MS(20));
        check_kernel();
        sleep_to(1000);
    }
}

static void create_one(unsigned task)
{
    (void)task;
    sleep_to(1);
    note(create(0, 20, 20, 1));
    note(CALL0(now) >= TAKT_MS(20));
    sleep_to(1000);
}

static void test_waits_for_idle(void)
{
    begin(create_one);
    world.work[B + BACKGROUND] = never_rest;
    world_run(60);
    CHECK_NOTES(TAKT_OK, 1);
}

static void cancel_it(unsigned task)
{
    if (task == B + PERIODIC && time_count++ == 0) {
        sleep_to(5);
        note(CALL1(task_cancel, world_handle(A + BACKGROUND)));
        note(create(1, 20, 20, 1)); /* that proof is still to be made */
    }
}

static void test_cancelled(void)
{
    begin(create_one);
    world.work[B + BACKGROUND] = never_rest;
    world.work[B + PERIODIC] = cancel_it;
    world_run(60);
    CHECK_NOTES(TAKT_CANCELLED, 0, TAKT_OK, TAKT_UNDECIDED);
    CHECK_EQUAL(job_count, 0);
    CHECK((world.objects[WORLD_PLACES].kind & TAKT_OBJECT_FREE) != 0);
    CHECK(!*state.asked);
    check_kernel();
}

/* Another task of its process frees its slot, and takes it, before the proof is made. */
static void free_it(unsigned task)
{
    if (task == A + PERIODIC && lives++ == 0) {
        uint8_t *bytes = world_buffer(0);
        sleep_to(5);
        (void)CALL1(thread_detach, *(uintptr_t *)(void *)bytes);
        struct takt_thread_attributes *attributes = (void *)(bytes + 128);
        *attributes = (struct takt_thread_attributes){.entry = end_at_once, .stack_size = 256, .level = 3 + TASKS};
        note(CALL2(thread_create, bytes + 192, attributes));
    }
}

static void test_freed_meanwhile(void)
{
    begin(create_one);
    world.work[B + BACKGROUND] = never_rest;
    world.work[A + PERIODIC] = free_it;
    world_run(60);
    CHECK_NOTES(TAKT_OK, TAKT_STATE, 1);
    CHECK_EQUAL(job_count, 0);
    check_kernel();
}

/* Its process faults while it waits. */
static void fault_at_5(unsigned task)
{
    if (task == A + PERIODIC && lives++ == 0) {
        sleep_to(5);
        fault();
    }
}

static void test_process_ends(void)
{
    begin(create_one);
    world.work[B + BACKGROUND] = never_rest;
    world.work[A + PERIODIC] = fault_at_5;
    world_run(80);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK(!*state.asked && *state.callers == NULL);
    check_kernel();
}

/* What no kernel can promise is a fault. */
static void create_wrong(unsigned task)
{
    (void)task;
    level = lives == 3 ? 3 + TASKS : THREAD_LEVEL; /* as a background thread's */
    (void)create(0, 10, lives == 1 ? 11 : 10, lives == 2 ? 11 : 1);
    note(1);
    sleep_to(1000);
}

static void test_wrong(void)
{
    for (lives = 1; lives <= 3; lives++) {
        unsigned which = lives;
        begin(create_wrong);
        lives = which;
        world_run(5);
        CHECK_REFUSED();
        CHECK_EQUAL(result_count, 0);
    }
}

static void test_without_admission(void)
{
    begin(create_one);
    world_admission(NULL);
    world_run(30);
    CHECK_EQUAL(results[0], TAKT_REFUSED);
}

int main(void)
{
    test_accepted_and_refused();
    test_handle_of_a_refused_one();
    test_stopped_ones_count_on();
    test_liar();
    test_after_a_restart();
    test_quota();
    test_waits_for_idle();
    test_cancelled();
    test_freed_meanwhile();
    test_process_ends();
    test_wrong();
    test_without_admission();
    return 0;
}
