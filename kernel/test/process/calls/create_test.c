/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that processes create at run time: they do what declared ones do, for their process, until they are gone. */
#include "kernel/test/support/notes.h"
#include "kernel/test/support/world.h"

#include "kernel/core/kernel.h"
#include "takt/invariants.h"

static uintptr_t handles[8]; /* what tasks tell each other: that of a fault as a test */
static bool again;           /* the process runs for the second time */

static uint8_t *buffer_of(unsigned process)
{
    return (uint8_t *)world_buffer(process) + 64;
}

/* In a task: a call that creates, with two numbers as attributes or one. */
static uint64_t create(enum takti_call_number number, unsigned place, unsigned first, unsigned second)
{
    unsigned process = takti_kernel.ready.running->config->process->config->index;
    uint8_t *memory = buffer_of(process);
    struct takt_mailbox_attributes *attributes = (void *)(memory + 8);
    *attributes = (struct takt_mailbox_attributes){(uint16_t)first, (uint16_t)second};
    uint64_t status =
        world_call(number, (uintptr_t)memory, number == TAKTI_CALL_pipe_create ? first : (uintptr_t)attributes, 0, 0);
    handles[place] = *(uintptr_t *)(void *)memory;
    return status;
}

/* One of each kind, and no more than there are places. */
static void create_all(unsigned task)
{
    (void)task;
    note(create(TAKTI_CALL_mutex_create, 0, 0, 0));
    note(create(TAKTI_CALL_mutex_create, 1, 0, 0));
    note(create(TAKTI_CALL_mutex_create, 7, 0, 0)); /* TAKT_LIMIT: places */
    note(create(TAKTI_CALL_condition_create, 2, 0, 0));
    note(create(TAKTI_CALL_events_create, 3, 0, 0));
    note(create(TAKTI_CALL_semaphore_create, 4, 1, 2));
    note(create(TAKTI_CALL_mailbox_create, 5, MESSAGE, 6));
    note(create(TAKTI_CALL_pipe_create, 6, 32, 0)); /* TAKT_LIMIT: of 64 bytes 48 are taken */
    if (again) {
        sleep_to(1000);
    }
    again = true;
    sleep_to(3);
    fault();
}

static const uint64_t all_created[] = {TAKT_OK, TAKT_OK, TAKT_LIMIT, TAKT_OK, TAKT_OK, TAKT_OK, TAKT_OK, TAKT_LIMIT};

static void check_all_created(void)
{
    CHECK_EQUAL(result_count, 8);
    for (unsigned place = 0; place < 8; place++) {
        CHECK_EQUAL(results[place], all_created[place]);
    }
    result_count = 0;
}

/* What a process created is gone with it: all of it can be created again, by other handles. */
static void test_restart(void)
{
    uintptr_t before[8];
    fresh(1);
    again = false;
    world.work[A + BACKGROUND] = create_all;
    world_run(3);
    check_all_created();
    memcpy(before, handles, sizeof before);
    fresh(1);
    again = false;
    world.work[A + BACKGROUND] = create_all;
    world_run(22);
    check_all_created();
    CHECK_EQUAL(takt_process_faults.count, 1);
    for (unsigned place = WORLD_PLACES + PLACES; place < WORLD_PLACES + PROCESS_PLACES; place++) {
        CHECK((world.objects[place].kind & TAKT_OBJECT_FREE) != 0);
    }
    CHECK_EQUAL(world.processes[0].quota.buffers_used, 0);
    fresh(1);
    again = false;
    world.work[A + BACKGROUND] = create_all;
    result_count = 0;
    world_run(60);
    CHECK_EQUAL(takt_process_faults.count, 1);
    for (unsigned place = 0; place < 6; place++) {
        CHECK_EQUAL(handles[place], before[place] + 0x10000);
    }
}

/* Deleted, the place can be taken again; its storage stays with it. */
static void reuse(unsigned task)
{
    (void)task;
    note(create(TAKTI_CALL_mailbox_create, 0, MESSAGE, 8));
    note(CALL1(mailbox_delete, handles[0]));
    note(create(TAKTI_CALL_pipe_create, 1, 32, 0)); /* the bytes are the mailbox's place's */
    note(create(TAKTI_CALL_mailbox_create, 2, MESSAGE, 9));
    note(create(TAKTI_CALL_mailbox_create, 2, 3, 21));
    note(handles[2] == handles[0] + 0x10000);
    note(CALL2(mailbox_try_send, handles[2], buffer_of(0)));
    note(CALL2(mailbox_try_send, handles[0], buffer_of(0))); /* stale: a fault */
}

static void test_reuse(void)
{
    fresh(0);
    world.work[A + BACKGROUND] = reuse;
    world_run(5);
    const uint64_t expected[] = {TAKT_OK, 0, TAKT_LIMIT, TAKT_LIMIT, TAKT_OK, true, TAKT_OK};
    CHECK_EQUAL(result_count, 7);
    for (unsigned place = 0; place < 7; place++) {
        CHECK_EQUAL(results[place], expected[place]);
    }
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(takt_process_faults.records[0].address, handles[0]);
}

/* A mailbox with priorities: of 64 bytes each message takes 8 besides its own. */
static void create_letters(unsigned task)
{
    (void)task;
    uint8_t *letter = buffer_of(0) + 64;
    uint32_t each = TAKT_MESSAGE_BUFFER_BYTES(MESSAGE);
    note(create(TAKTI_CALL_priority_mailbox_create, 0, MESSAGE, BUFFERS / each + 1));
    note(create(TAKTI_CALL_priority_mailbox_create, 0, MESSAGE, BUFFERS / each));
    note(create(TAKTI_CALL_priority_mailbox_create, 1, MESSAGE, 1)); /* that was the only one */
    for (unsigned priority = 3; priority > 1; priority--) {
        letter[0] = (uint8_t)priority;
        CHECK_EQUAL(CALL3(priority_mailbox_try_send, handles[0], letter, priority), TAKT_OK);
    }
    CHECK_EQUAL(CALL2(priority_mailbox_receive, handles[0], letter), TAKT_OK);
    note(letter[0]);
    (void)CALL1(priority_mailbox_delete, handles[0]);
    note(create(TAKTI_CALL_priority_mailbox_create, 1, MESSAGE, 1)); /* it is empty */
    note(CALL2(priority_mailbox_try_receive, handles[1], letter));
    (void)CALL2(priority_mailbox_try_receive, handles[0], letter); /* stale: a fault */
    CHECK(false);
}

static void test_letters(void)
{
    fresh(0);
    world.work[A + BACKGROUND] = create_letters;
    world_run(5);
    const uint64_t expected[] = {TAKT_LIMIT, TAKT_OK, TAKT_LIMIT, 2, TAKT_OK, TAKT_BUSY};
    CHECK_EQUAL(result_count, 6);
    for (unsigned index = 0; index < 6; index++) {
        CHECK_EQUAL(results[index], expected[index]);
    }
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(takt_process_faults.records[0].address, handles[0]);
}

/* Generations go round, but none is 0; and what is left of the buffers is not all of use. */
static void wear_out(unsigned task)
{
    struct takt_object *place = &world.objects[WORLD_PLACES + PLACE_MUTEX];
    (void)task;
    place->generation = UINT16_MAX;
    note(create(TAKTI_CALL_mutex_create, 0, 0, 0));
    note(CALL1(mutex_delete, handles[0]));
    note(place->generation);
    note(create(TAKTI_CALL_pipe_create, 1, BUFFERS - 4, 0));
    note(create(TAKTI_CALL_pipe_create, 1, BUFFERS - 8, 0));
    sleep_to(1000);
}

static void test_worn_out(void)
{
    fresh(0);
    world.process_configs[0].buffers_size -= 4;
    world.work[A + BACKGROUND] = wear_out;
    world_run(5);
    const uint64_t expected[] = {TAKT_OK, 0, 1, TAKT_LIMIT, TAKT_OK};
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_EQUAL(result_count, 5);
    for (unsigned number = 0; number < 5; number++) {
        CHECK_EQUAL(results[number], expected[number]);
    }
}

/* Each does what one of its kind does. */
static void use_all(unsigned task)
{
    uint8_t *memory = buffer_of(0);
    struct takt_events_wanted *wanted = (void *)(memory + 16);
    struct takt_pipe_count *count = (void *)(memory + 32);
    (void)task;
    (void)create(TAKTI_CALL_semaphore_create, 0, 1, 2);
    (void)create(TAKTI_CALL_events_create, 1, 0, 0);
    (void)create(TAKTI_CALL_mailbox_create, 2, 4, 2);
    (void)create(TAKTI_CALL_pipe_create, 3, 32, 0);
    note(CALL1(semaphore_post, handles[0]));
    note(CALL1(semaphore_post, handles[0])); /* TAKT_LIMIT: 2 are its maximum */
    note(CALL1(semaphore_count, handles[0]));
    (void)CALL2(events_set, handles[1], 6);
    *wanted = (struct takt_events_wanted){2, 0};
    note(CALL2(events_try_wait, handles[1], wanted));
    memory[40 + 8] = 77;
    (void)CALL2(mailbox_try_send, handles[2], memory + 48);
    note(CALL2(mailbox_try_receive, handles[2], memory + 56) + memory[56]);
    *count = (struct takt_pipe_count){.size = 33, .least = 1};
    (void)CALL3(pipe_try_write, handles[3], memory + 48, count);
    note(count->done);
    sleep_to(1000);
}

static void test_use(void)
{
    fresh(0);
    world.work[A + BACKGROUND] = use_all;
    world_run(5);
    const uint64_t expected[] = {TAKT_OK, TAKT_LIMIT, 2, TAKT_OK, 77, 32};
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_EQUAL(result_count, 6);
    for (unsigned place = 0; place < 6; place++) {
        CHECK_EQUAL(results[place], expected[place]);
    }
}

/* Attributes that no object can have, and a handle where the process may not write. */
static struct {
    enum takti_call_number number;
    unsigned first, second;
} bad;

static void create_badly(unsigned task)
{
    (void)task;
    (void)create(bad.number, 0, bad.first, bad.second);
    note(0);
}

static void create_elsewhere(unsigned task)
{
    (void)task;
    (void)world_call(bad.number, (uintptr_t)buffer_of(1), (uintptr_t)buffer_of(0), 0, 0);
    note(0);
}

static void test_refused(void)
{
    static const unsigned cases[][3] = {{TAKTI_CALL_semaphore_create, 3, 2},
                                        {TAKTI_CALL_semaphore_create, 0, 0},
                                        {TAKTI_CALL_mailbox_create, 0, 1},
                                        {TAKTI_CALL_mailbox_create, 1, 0},
                                        {TAKTI_CALL_mailbox_create, 257, 1},
                                        {TAKTI_CALL_pipe_create, 31, 0},
                                        {TAKTI_CALL_priority_mailbox_create, 8, 0},
                                        {TAKTI_CALL_priority_mailbox_create, 0, 1},
                                        {TAKTI_CALL_priority_mailbox_create, 257, 1},
                                        {TAKTI_CALL_mutex_create, 0, 0},
                                        {TAKTI_CALL_condition_create, 0, 0},
                                        {TAKTI_CALL_events_create, 0, 0}};
    for (unsigned which = 0; which < sizeof cases / sizeof *cases; which++) {
        bad.number = cases[which][0];
        bad.first = cases[which][1];
        bad.second = cases[which][2];
        for (unsigned elsewhere = which < 6 ? 0 : 1; elsewhere < 2; elsewhere++) {
            fresh(0);
            world.work[A + BACKGROUND] = elsewhere ? create_elsewhere : create_badly;
            world_run(5);
            CHECK_EQUAL(result_count, 0);
            CHECK_REFUSED();
        }
    }
    fresh(0); /* as long as they may be, and more than there is room for */
    bad.number = TAKTI_CALL_mailbox_create;
    bad.first = TAKT_PROCESS_MESSAGE_MAX;
    bad.second = UINT16_MAX;
    world.work[A + BACKGROUND] = create_badly;
    world_run(5);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK((world.objects[WORLD_PLACES + PLACE_MAILBOX].kind & TAKT_OBJECT_FREE) != 0);
}

static void lock_created(unsigned task)
{
    (void)task;
    (void)create(TAKTI_CALL_mutex_create, 0, 0, 0);
    note(CALL1(mutex_lock, handles[0]));
    sleep_to(1000);
}

static void use_other(unsigned task)
{
    (void)task;
    sleep_to(2);
    note(CALL1(mutex_lock, handles[0]));
}

/* Its process alone uses it: one that has the number has no right. */
static void test_others(void)
{
    fresh(0);
    world.work[A + BACKGROUND] = lock_created;
    world.work[B + BACKGROUND] = use_other;
    world_run(10);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(takt_process_faults.records[0].process, 1);
    CHECK_EQUAL(takt_process_faults.records[0].address, handles[0]);
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_RUNS);
}

#if TAKT_JOBS
static void hold_created(unsigned task)
{
    (void)task;
    (void)create(TAKTI_CALL_mutex_create, 0, 0, 0);
    (void)CALL1(mutex_lock, handles[0]);
    (void)CALL1(job_release, world_handle(A + SPORADIC));
    sleep_to(5);
    (void)CALL1(mutex_unlock, handles[0]);
    note(0);
}

static void wait_for_created(unsigned task)
{
    (void)task;
    sleep_to(2);
    note(CALL1(mutex_lock, handles[0]));
    note(30);
    sleep_to(1000);
}

static void delete_created(unsigned task)
{
    (void)task;
    sleep_to(3);
    note(CALL1(mutex_delete, handles[0]));
}

/* Its waiter gets TAKT_DELETED; its owner no longer owns it: to unlock it is a fault, for the handle is stale. */
static void test_delete_while_held(void)
{
    fresh(0);
    world.work[A + BACKGROUND] = hold_created;
    world.work[A + PERIODIC] = wait_for_created;
    world.work[A + SPORADIC] = delete_created;
    world_run(9);
    const uint64_t expected[] = {TAKT_DELETED, 30, 0};
    CHECK_EQUAL(result_count, 3);
    for (unsigned place = 0; place < 3; place++) {
        CHECK_EQUAL(results[place], expected[place]);
    }
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(takt_process_faults.records[0].time_ns, TAKT_MS(5));
    CHECK_EQUAL(takt_process_faults.records[0].address, handles[0]);
}

static void hold_of_all(unsigned task)
{
    (void)task;
    (void)CALL1(mutex_lock, world_handle(WORLD_MUTEX));
    sleep_to(5);
    (void)CALL1(mutex_unlock, world_handle(WORLD_MUTEX));
    note(0);
}

static void take_from(unsigned task)
{
    (void)task;
    sleep_to(2);
    note(CALL1(mutex_delete, world_handle(WORLD_MUTEX)));
    note(CALL1(mutex_try_lock, world_handle(WORLD_MUTEX)));
    note(CALL1(mutex_unlock, world_handle(WORLD_MUTEX)));
    sleep_to(1000);
}

/*
 * A task with the right to manage a declared mutex takes it from a task of another process, whose unlock is a fault
 * then.
 */
static void test_delete_of_others(void)
{
    fresh(0);
    world.work[B + BACKGROUND] = hold_of_all;
    world.work[A + BACKGROUND] = take_from;
    world_run(9);
    CHECK_EQUAL(result_count, 3);
    CHECK(results[0] == 0 && results[1] == TAKT_OK && results[2] == 0);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(takt_process_faults.records[0].process, 1);
    CHECK_EQUAL(takt_process_faults.records[0].time_ns, TAKT_MS(5));
}

static void wait_with_created(unsigned task)
{
    (void)task;
    (void)create(TAKTI_CALL_mutex_create, 0, 0, 0);
    (void)create(TAKTI_CALL_condition_create, 1, 0, 0);
    (void)CALL1(mutex_lock, handles[0]);
    note(CALL2(condition_wait, handles[1], handles[0]));
    sleep_to(1000);
}

static void delete_and_signal(unsigned task)
{
    (void)task;
    sleep_to(2);
    (void)CALL1(mutex_delete, handles[0]);
    (void)CALL1(condition_signal, handles[1]);
    note(create(TAKTI_CALL_mutex_create, 2, 0, 0));
    note(create(TAKTI_CALL_mutex_create, 3, 0, 0)); /* the other place's is still owned */
    note((handles[2] & UINT16_MAX) != (handles[0] & UINT16_MAX));
    struct takt_broken broken = takt_kernel_broken(NULL);
    CHECK(broken.what == NULL);
}

/* A mutex that is deleted while a task waits for a signal with it goes to that task, and not to a new object. */
static void test_delete_while_awaited(void)
{
    fresh(0);
    world.work[A + BACKGROUND] = wait_with_created;
    world.work[A + PERIODIC] = delete_and_signal;
    world_run(9);
    const uint64_t expected[] = {TAKT_OK, TAKT_LIMIT, true, TAKT_OK};
    CHECK_EQUAL(result_count, 4);
    for (unsigned place = 0; place < 4; place++) {
        CHECK_EQUAL(results[place], expected[place]);
    }
    CHECK_EQUAL(takt_process_faults.count, 0);
}
#endif

int main(void)
{
    test_restart();
    test_reuse();
    test_letters();
    test_worn_out();
    test_use();
    test_refused();
    test_others();
#if TAKT_JOBS
    test_delete_while_held();
    test_delete_of_others();
    test_delete_while_awaited();
#endif
    return 0;
}
