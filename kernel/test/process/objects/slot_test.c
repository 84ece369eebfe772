/* SPDX-License-Identifier: Apache-2.0 */
/* A slot of several processes: each has its buffers in its own memory, and only the kernel knows who has which. */
#include "kernel/test/support/notes.h"
#include "kernel/test/support/world.h"

#include "kernel/core/kernel.h"
#include "kernel/core/processes.h"

#define SLOT world_handle(WORLD_SLOT)

static uintptr_t *variable_of(unsigned process)
{
    return world_buffer(process);
}

static unsigned index_in(unsigned process, uintptr_t buffer)
{
    uintptr_t offset = buffer - (uintptr_t)world_slot_copies(process) - sizeof(struct takt_message_buffer);
    CHECK(offset % TAKT_MESSAGE_BUFFER_BYTES(MESSAGE) == 0);
    return (unsigned)(offset / TAKT_MESSAGE_BUFFER_BYTES(MESSAGE));
}

static uint64_t *message_at(unsigned process)
{
    CHECK(index_in(process, *variable_of(process)) < SLOT_MESSAGES);
    return (uint64_t *)*variable_of(process);
}

static void open_slot(void)
{
    CHECK_EQUAL(CALL1(slot_allocate, SLOT), TAKT_OK);
    (void)CALL1(slot_open, SLOT);
}

/* Of a. */
static void send(uint64_t message)
{
    CHECK_EQUAL(CALL3(slot_try_reserve, SLOT, 0, variable_of(0)), TAKT_OK);
    *message_at(0) = message;
    (void)CALL2(slot_commit, SLOT, *variable_of(0));
}

static void release(void)
{
    (void)CALL2(slot_release, SLOT, *variable_of(1));
}

static void b_takes(unsigned task)
{
    struct takt_slot_info *info = (void *)(variable_of(1) + 1);
    (void)task;
    open_slot();
    note(CALL2(slot_take, SLOT, variable_of(1))); /* waits */
    note(*message_at(1));
    (void)CALL2(slot_info, SLOT, info);
    CHECK(info->config == NULL && (uintptr_t)info->owner == world_handle(B + PERIODIC));
    CHECK(info->state == TAKT_SLOT_OPEN && info->reserved == 1 && info->committed == 0 && info->taken == 1);
    *message_at(1) = 99; /* is b's own */
    sleep_to(4);
    release(); /* for a, which waits for a buffer */
    note(CALL3(slot_take_until, SLOT, variable_of(1), TAKT_MS(6)));
    note(*message_at(1));
    release();
    note(CALL2(slot_try_take, SLOT, variable_of(1)));
    sleep_to(1000);
}

static void a_sends(unsigned task)
{
    (void)task;
    sleep_to(1);
    send(11);
    CHECK_EQUAL(CALL3(slot_try_reserve, SLOT, 0, variable_of(0)), TAKT_OK);
    CHECK_EQUAL(CALL3(slot_try_reserve, SLOT, 0, variable_of(0) + 1), TAKT_BUSY);
    CHECK_EQUAL(CALL3(slot_reserve, SLOT, 0, variable_of(0) + 1), TAKT_OK);
    CHECK_EQUAL(CALL0(now), TAKT_MS(4));
    *message_at(0) = 22;
    (void)CALL2(slot_commit, SLOT, *variable_of(0));
    CHECK(index_in(0, variable_of(0)[0]) != index_in(0, variable_of(0)[1]));
    sleep_to(1000);
}

static void test_exchange(void)
{
    fresh(0);
    world.work[A + BACKGROUND] = a_sends;
    world.work[B + PERIODIC] = b_takes;
    world_run(6);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_NOTES(TAKT_OK, 11, TAKT_OK, 22, TAKT_BUSY);
}

/* What a does wrong while b has the slot, in which a and b have each reserved a buffer. */
static void (*wrong)(void);

static void commit_at(uintptr_t buffer)
{
    (void)CALL2(slot_commit, SLOT, buffer);
}

static void commit_twice(void)
{
    commit_at(*variable_of(0));
    commit_at(*variable_of(0));
}

static void commit_that_of_b(void)
{
    commit_at((uintptr_t)world_slot_copies(0) + (*variable_of(1) - (uintptr_t)world_slot_copies(1)));
}

static void commit_in_b(void)
{
    commit_at(*variable_of(1));
}

static void commit_in_kernel(void)
{
    commit_at((uintptr_t)world.slot.config->storage + sizeof(struct takt_message_buffer));
}

static void commit_inside(void)
{
    commit_at(*variable_of(0) + 1);
}

static void commit_behind(void)
{
    commit_at((uintptr_t)world_slot_copies(0) + TAKT_SLOT_BYTES(MESSAGE, SLOT_MESSAGES) +
              sizeof(struct takt_message_buffer));
}

static void take_from_b(void)
{
    (void)CALL2(slot_try_take, SLOT, variable_of(0));
}

static void release_from_b(void)
{
    (void)CALL2(slot_release, SLOT, *variable_of(0));
}

static void close_of_b(void)
{
    (void)CALL1(slot_close, SLOT);
}

static void reserve_to_b(void)
{
    (void)CALL3(slot_try_reserve, SLOT, 0, variable_of(1) + 1);
}

static void ask_to_kernel(void)
{
    (void)CALL2(slot_info, SLOT, &world.slot);
}

static void (*const wrongs[])(void) = {commit_twice,  commit_that_of_b, commit_in_b,  commit_in_kernel,
                                       commit_inside, commit_behind,    take_from_b,  release_from_b,
                                       close_of_b,    reserve_to_b,     ask_to_kernel};

static void a_does_wrong(unsigned task)
{
    (void)task;
    sleep_to(1);
    CHECK_EQUAL(CALL3(slot_try_reserve, SLOT, 0, variable_of(0)), TAKT_OK);
    wrong();
    CHECK(false);
}

static void b_reserves(unsigned task)
{
    (void)task;
    open_slot();
    CHECK_EQUAL(CALL3(slot_try_reserve, SLOT, 0, variable_of(1)), TAKT_OK);
    sleep_to(1000);
}

static void b_releases_wrong(unsigned task)
{
    (void)task;
    open_slot();
    CHECK_EQUAL(CALL3(slot_try_reserve, SLOT, 0, variable_of(1)), TAKT_OK);
    release(); /* not taken */
    CHECK(false);
}

static void test_wrong(void)
{
    for (unsigned number = 0; number < sizeof wrongs / sizeof *wrongs; number++) {
        fresh(0);
        wrong = wrongs[number];
        world.work[A + BACKGROUND] = a_does_wrong;
        world.work[B + BACKGROUND] = b_reserves;
        world_run(5);
        CHECK_REFUSED();
        CHECK_EQUAL(takt_process_faults.records[0].process, 0);
    }
    fresh(0);
    world.work[B + BACKGROUND] = b_releases_wrong;
    world_run(5);
    CHECK_REFUSED();
}

static void a_dies_with_all(unsigned task)
{
    (void)task;
    if (takt_process_faults.count == 0) {
        sleep_to(1);
        send(33);
        CHECK_EQUAL(CALL3(slot_try_reserve, SLOT, 0, variable_of(0)), TAKT_OK);
        sleep_to(3);
        fault();
    }
    sleep_to(1000);
}

static void b_waits_for_buffer(unsigned task)
{
    (void)task;
    sleep_to(2);
    note(CALL3(slot_reserve, SLOT, 0, variable_of(1)));
    note(index_in(1, *variable_of(1)));
    note(CALL3(slot_try_reserve, SLOT, 0, variable_of(1) + 1)); /* what was committed stays */
    sleep_to(1000);
}

static void b_owns(unsigned task)
{
    (void)task;
    open_slot();
    sleep_to(40);
    note(CALL2(slot_try_take, SLOT, variable_of(1) + 2));
    note(*(uint64_t *)variable_of(1)[2]);
    sleep_to(1000);
}

/* A buffer that a process reserved and did not commit goes to a waiter when it ends. */
static void test_end_of_sender(void)
{
    fresh(1);
    world.work[A + BACKGROUND] = a_dies_with_all;
    world.work[B + BACKGROUND] = b_waits_for_buffer;
    world.work[B + PERIODIC] = b_owns;
    world_run(60);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_NOTES(TAKT_OK, 1, TAKT_BUSY, TAKT_OK, 33);
}

static void b_owns_twice(unsigned task)
{
    (void)task;
    if (takt_process_faults.count == 0) {
        open_slot();
        sleep_to(2);
        CHECK_EQUAL(CALL2(slot_try_take, SLOT, variable_of(1)), TAKT_OK); /* is gone */
        sleep_to(5);
        fault();
    }
    sleep_to(45);
    open_slot(); /* with what was committed meanwhile */
    note(CALL2(slot_try_take, SLOT, variable_of(1)));
    note(*message_at(1));
    release();
    note(CALL2(slot_try_take, SLOT, variable_of(1)));
    sleep_to(1000);
}

static void a_goes_on(unsigned task)
{
    (void)task;
    sleep_to(1);
    send(44);
    CHECK_EQUAL(CALL3(slot_try_reserve, SLOT, 0, variable_of(0)), TAKT_OK);
    sleep_to(3);
    note(CALL3(slot_reserve, SLOT, 0, variable_of(0) + 1)); /* until its owner is gone */
    sleep_to(30);
    *message_at(0) = 55;
    (void)CALL2(slot_commit, SLOT, *variable_of(0));
    note(CALL3(slot_try_reserve, SLOT, 0, variable_of(0)));
    sleep_to(1000);
}

/* Of an owner that ends what it took is gone, and others keep what they reserved: none of it is lost. */
static void test_end_of_owner(void)
{
    fresh(1);
    world.work[A + BACKGROUND] = a_goes_on;
    world.work[B + BACKGROUND] = b_owns_twice;
    world_run(60);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_NOTES(TAKT_OK, TAKT_STATE, TAKT_OK, 55, TAKT_BUSY);
}

static void use_and_die(unsigned task)
{
    (void)task;
    if (takt_process_faults.count == 0) {
        open_slot();
        send(1);
        send(2);
        CHECK_EQUAL(CALL2(slot_try_take, SLOT, variable_of(0)), TAKT_OK);
        sleep_to(1);
        fault();
    }
    note(world.slot.state);
    note(CALL1(slot_allocate, SLOT));
    note(CALL1(slot_deallocate, SLOT)); /* nothing is left */
    sleep_to(1000);
}

/* A slot of one process only is free after that. */
static void test_own(void)
{
    fresh(1);
    world.objects[WORLD_SLOT].owner = 0;
    world.rights[1][WORLD_SLOT] = 0;
    world.work[A + BACKGROUND] = use_and_die;
    world_run(60);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_NOTES(TAKT_SLOT_FREE, TAKT_OK, TAKT_OK);
}

static void b_waits(unsigned task)
{
    (void)task;
    open_slot();
    note(CALL2(slot_take, SLOT, variable_of(1)));
}

static void a_sends_one(unsigned task)
{
    (void)task;
    sleep_to(2);
    send(66);
    sleep_to(1000);
}

static void take_back_taken(void *argument)
{
    (void)argument;
    takt_delay_until(TAKT_MS(1) + TAKT_US(500));
    takt_task_suspend(&world.tasks[B + PERIODIC]);
    takt_delay_until(TAKT_MS(2) + TAKT_US(500));
    CHECK(world.slot.taken != NULL && takti_slot_stored(&world.slot) == 0);
    *variable_of(1) = (uintptr_t)world_outside;
    takt_task_stop(&world.tasks[B + PERIODIC]);
    CHECK(world.slot.taken == NULL && takti_slot_stored(&world.slot) == 1);
    takt_delay_until(TAKT_FOREVER);
}

static void b_holds_all(unsigned task)
{
    (void)task;
    open_slot();
    CHECK_EQUAL(CALL3(slot_try_reserve, SLOT, 0, variable_of(1)), TAKT_OK);
    (void)CALL2(slot_commit, SLOT, *variable_of(1));
    CHECK_EQUAL(CALL3(slot_try_reserve, SLOT, 0, variable_of(1)), TAKT_OK);
    sleep_to(2);
    (void)CALL1(slot_flush, SLOT); /* for the waiter */
    sleep_to(1000);
}

static void a_waits_for_buffer(unsigned task)
{
    (void)task;
    sleep_to(1);
    note(CALL3(slot_reserve, SLOT, 0, variable_of(0)));
}

static void take_back_buffer(void *argument)
{
    (void)argument;
    takt_delay_until(TAKT_MS(1) + TAKT_US(500));
    takt_task_suspend(&world.tasks[A + PERIODIC]);
    takt_delay_until(TAKT_MS(2) + TAKT_US(500));
    CHECK_EQUAL(world.slot.buffers.left, 0);
    *variable_of(0) = (uintptr_t)world_outside;
    takt_task_stop(&world.tasks[A + PERIODIC]);
    CHECK_EQUAL(world.slot.buffers.left, 1);
    CHECK(!takti_slot_reserved_by(&world.slot, takti_slot_buffer_at(&world.slot, 0), 0));
    takt_delay_until(TAKT_FOREVER);
}

/* What a task was handed, and did not see, goes back; whatever its variable says. */
static void test_handed_back(void)
{
    fresh(0);
    world.work[A + BACKGROUND] = a_sends_one;
    world.work[B + PERIODIC] = b_waits;
    world_kernel_task(C + BACKGROUND, take_back_taken);
    world_run(4);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_EQUAL(result_count, 0);
    fresh(0);
    world.work[A + PERIODIC] = a_waits_for_buffer;
    world.work[B + BACKGROUND] = b_holds_all;
    world_kernel_task(C + BACKGROUND, take_back_buffer);
    world_run(4);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_EQUAL(result_count, 0);
}

int main(void)
{
    test_exchange();
    test_wrong();
    test_end_of_sender();
    test_end_of_owner();
    test_own();
    test_handed_back();
    return 0;
}
