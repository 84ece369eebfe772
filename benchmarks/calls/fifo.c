/* SPDX-License-Identifier: Apache-2.0 */
/* What waiters in FIFO order add to calls of a mutex: the same scenarios with them, and in the order of priorities. In
 * a kernel without them (TAKT_FIFO_WAITERS) only the latter. */
#include "calls.h"

static struct takt_mutex mutex;
static bool in_turn;

static void mutex_setup(void)
{
    takt_mutex_init(&mutex, 1);
    if (TAKT_FIFO_WAITERS) {
        *mutex.in_turn = in_turn;
    }
}

static void unlock_after(unsigned number)
{
    (void)number;
    takt_mutex_unlock(&mutex);
}

static void owned_setup(void)
{
    mutex_setup();
    (void)!takt_mutex_lock(&mutex);
}

/* So that each waiter hands it over. */
static void passed_setup(void)
{
    owned_setup();
    after = unlock_after;
}

static void owner_entry(void *argument)
{
    (void)argument;
    (void)!takt_mutex_lock(&mutex);
    takt_task_suspend(&fresh.task);
    takt_mutex_unlock(&mutex);
    takt_task_suspend(&fresh.task);
}

static void held_setup(void)
{
    mutex_setup();
    after = unlock_after;
    thread_prepare(&fresh, owner_entry, LEVEL_BLOCKER);
    (void)!takt_task_start(&fresh.task, &fresh.config);
}

static void held_undo(void)
{
    takt_task_resume(&fresh.task);
}

static uint32_t locking(unsigned number)
{
    return takt_mutex_lock_until(&mutex, expiry(number));
}

static void delete_undo(void)
{
    takt_mutex_delete(&mutex);
}

CALL(lock, takt_mutex_lock(&mutex))
DO(unlock, takt_mutex_unlock(&mutex))
CALL(cancel, takt_task_cancel(&other[0].task))

#define SCENARIOS(order)                                                                      \
    {                                                                                         \
        {"lock", order, BLOCKS, 0, 0, lock, held_setup, locking, .undo = held_undo},          \
            {"unlock", order, WAKES, 0, ALL, unlock, passed_setup, locking, .undo = NULL},    \
            {"leave", order, WAKES, 0, 1, cancel, owned_setup, locking, .undo = delete_undo}, \
    }
static const struct scenario by_priority[] = SCENARIOS("priority");
static const struct scenario by_order[] = SCENARIOS("fifo");

void measure_calls(void)
{
    MEASURE(by_priority);
    in_turn = true;
    if (TAKT_FIFO_WAITERS) {
        MEASURE(by_order);
    }
}
