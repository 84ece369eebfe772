/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process ends while one of its tasks holds a lock that others wait for, and has been handed another one, or a call,
 * but has not run since: the first lock is broken, and what it was handed goes to the next one as it was.
 */
#include "kernel/test/support/notes.h"
#include "kernel/test/support/world.h"

#include "kernel/core/handed.h"
#include "kernel/core/kernel.h"

enum { HAND_MS = 2, FAULT_MS = 4 };
enum handed { HANDED_CEILING, HANDED_MUTEX, HANDED_CALL, HANDED_KINDS };

static enum handed handed;
static unsigned wait_ms; /* when another process begins to wait for the first lock */
static enum takt_status of_first, of_handed;

static uint64_t lock_one(bool ceiling)
{
    return ceiling ? CALL1(ceiling_lock, world_handle(WORLD_CEILING)) : CALL1(mutex_lock, world_handle(WORLD_MUTEX));
}

static void unlock_ceiling_or_mutex(bool ceiling)
{
    (void)(ceiling ? CALL1(ceiling_unlock, world_handle(WORLD_CEILING))
                   : CALL1(mutex_unlock, world_handle(WORLD_MUTEX)));
}

static bool first_is_ceiling(void)
{
    return handed == HANDED_MUTEX;
}

static void accept(void)
{
    struct takt_rendezvous_accepted *accepted = world_buffer(0);
    CHECK_EQUAL(CALL2(rendezvous_accept, world_handle(WORLD_RENDEZVOUS), accepted), TAKT_OK);
    (void)CALL1(rendezvous_complete, accepted);
}

static void a_holds_and_waits(unsigned task)
{
    (void)task;
    if (takt_process_faults.count != 0) { /* its second life */
        if (handed == HANDED_CALL) {
            accept();
        }
        sleep_to(1000);
    }
    CHECK_EQUAL(lock_one(first_is_ceiling()), TAKT_OK);
    sleep_to(1);
    if (handed == HANDED_CALL) {
        accept();
    } else {
        (void)lock_one(!first_is_ceiling());
    }
    CHECK(false); /* its process ends before it runs */
}

static void a_faults(unsigned task)
{
    (void)task;
    if (takt_process_faults.count == 0) {
        sleep_to(FAULT_MS);
        fault();
    }
    sleep_to(1000);
}

static void b_hands(unsigned task)
{
    (void)task;
    if (handed == HANDED_CALL) {
        sleep_to(HAND_MS);
        of_handed = CALL3(rendezvous_call, world_handle(WORLD_RENDEZVOUS), world_buffer(1), 4);
        sleep_to(1000);
    }
    CHECK_EQUAL(lock_one(!first_is_ceiling()), TAKT_OK);
    sleep_to(HAND_MS);
    unlock_ceiling_or_mutex(!first_is_ceiling());
    of_handed = lock_one(!first_is_ceiling());
    sleep_to(1000);
}

static void b_waits(unsigned task)
{
    (void)task;
    sleep_to(wait_ms);
    of_first = lock_one(first_is_ceiling());
    sleep_to(1000);
}

/* Of the two locks only the one that it was handed is to be passed on, not broken. */
static void check_which(const struct takt_task *task)
{
    const struct takt_mutex *first = first_is_ceiling() ? &world.ceiling.mutex : &world.mutex;
    const struct takt_mutex *second = first_is_ceiling() ? &world.mutex : &world.ceiling.mutex;
    CHECK(!takti_handed_mutex(task, first));
    CHECK(takti_handed_mutex(task, handed == HANDED_CALL ? &task->in_process->serving : second));
}

static void kernel_suspends(void *argument)
{
    (void)argument;
    takt_delay_until(TAKT_MS(1) + TAKT_US(300));
    takt_task_suspend(&world.tasks[A + PERIODIC]);
    takt_delay_until(TAKT_MS(FAULT_MS) - TAKT_US(300));
    check_which(&world.tasks[A + PERIODIC]);
    takt_delay_until(TAKT_FOREVER);
}

static void check_one(enum handed kind, unsigned first_wait_ms)
{
    fresh(1);
    handed = kind;
    wait_ms = first_wait_ms;
    of_first = of_handed = TAKT_BUSY;
    world.work[A + PERIODIC] = a_holds_and_waits;
    world.work[A + BACKGROUND] = a_faults;
    world.work[B + BACKGROUND] = b_hands;
    world.work[B + PERIODIC] = b_waits;
    world_kernel_task(C + BACKGROUND, kernel_suspends);
    world_run(40);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(of_first, TAKT_OWNER_DIED);
    CHECK_EQUAL(of_handed, TAKT_OK);
}

int main(void)
{
    for (unsigned kind = 0; kind < HANDED_KINDS; kind++) {
        check_one((enum handed)kind, HAND_MS);
        check_one((enum handed)kind, HAND_MS + 1);
    }
    return 0;
}
