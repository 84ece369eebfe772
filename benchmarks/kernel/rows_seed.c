/* SPDX-License-Identifier: Apache-2.0 */
/* What seed 000 measures in its tables 3.5 and 4.3 and no other row does. Nobody waits for the objects. */
#include "harness.h"

#include <string.h>

/* Nobody's storage: what an initialisation leaves out shows. */
#define SPOIL(object) memset(&(object), 0xA5, sizeof(object))

static struct semaphore semaphore;
static struct mutex mutex;
static struct queue queue;
static uint32_t message[2];
static uint32_t received[2];

static void nothing_setup(void)
{
}

/* A function that does nothing. */
static __attribute__((noipa)) uint32_t same(uint32_t value)
{
    return value;
}

static void call_once(void)
{
    stamp_begin(0);
    uint32_t value = same(1);
    stamp_end(1);
    effects += value;
}

/* A task above its creator: from the call until it runs. */
static struct thread created;

static void created_entry(void *argument)
{
    (void)argument;
    stamp_end(1);
    effects++;
    thread_suspend_self(&created);
}

static void create_setup(void)
{
    thread_prepare(&created, created_entry, LEVEL_ABOVE);
}

static void create_once(void)
{
    stamp_begin(0);
    thread_create_prepared(&created, created_entry, LEVEL_ABOVE);
    effects++;
    thread_delete(&created);
}

static void semaphore_create_once(void)
{
    SPOIL(semaphore);
    stamp_begin(0);
    semaphore_init(&semaphore);
    stamp_end(1);
    effects += !semaphore_try_take(&semaphore);
    semaphore_give(&semaphore);
    effects += semaphore_try_take(&semaphore);
}

static void mutex_create_once(void)
{
    SPOIL(mutex);
    stamp_begin(0);
    mutex_init(&mutex);
    stamp_end(1);
    effects += mutex_try_lock(&mutex);
    mutex_unlock(&mutex);
}

/* The lock and the unlock of one pair, each alone. Somebody else looks after each whether the mutex is free. */
static struct thread looker;
static volatile bool is_free;

static void looker_entry(void *argument)
{
    (void)argument;
    for (;;) {
        thread_suspend_self(&looker);
        is_free = mutex_try_lock(&mutex);
        if (is_free) {
            mutex_unlock(&mutex);
        }
    }
}

static void mutex_setup(void)
{
    mutex_init(&mutex);
    thread_start(&looker, looker_entry, LEVEL_ABOVE);
}

static void mutex_once(void)
{
    stamp_begin(0);
    mutex_lock(&mutex);
    stamp_end(1);
    thread_resume(&looker);
    effects += !is_free;
    stamp_begin(2);
    mutex_unlock(&mutex);
    stamp_end(3);
    thread_resume(&looker);
    effects += is_free;
}

static void queue_create_once(void)
{
    SPOIL(queue);
    stamp_begin(0);
    queue_init(&queue, sizeof message);
    stamp_end(1);
    message[0]++;
    queue_send(&queue, message);
    queue_receive(&queue, received);
    effects += received[0] == message[0];
}

static void queue_setup(void)
{
    queue_init(&queue, sizeof message);
}

static void queue_once(void)
{
    message[0]++;
    message[1] = ~message[0];
    stamp_begin(0);
    queue_send(&queue, message);
    stamp_end(1);
    stamp_begin(2);
    queue_receive(&queue, received);
    stamp_end(3);
    effects += received[0] == message[0] && received[1] == message[1];
}

/* Deleted while it is owned, and while there is a message in it: what shows is that neither is so any longer. */
static void mutex_delete_once(void)
{
    mutex_init(&mutex);
    mutex_lock(&mutex);
    stamp_begin(0);
    mutex_delete(&mutex);
    stamp_end(1);
    thread_resume(&looker);
    effects += is_free;
}

static void queue_delete_once(void)
{
    queue_init(&queue, sizeof message);
    queue_send(&queue, message);
    stamp_begin(0);
    queue_delete(&queue);
    stamp_end(1);
    effects += !queue_try_receive(&queue, received);
}

/* The last message alone, which a read leaves there. */
static struct latest latest;

static void latest_setup(void)
{
    latest_init(&latest);
}

static void latest_once(void)
{
    message[0]++;
    message[1] = ~message[0];
    stamp_begin(0);
    latest_write(&latest, message);
    stamp_end(1);
    stamp_begin(2);
    latest_read(&latest, received);
    stamp_end(3);
    effects += received[0] == message[0] && received[1] == message[1];
    message[0]++;
    latest_write(&latest, message);
    latest_read(&latest, received);
    latest_read(&latest, received);
    effects += received[0] == message[0];
}

/*
 * A task blocks, until the next best runs; is unblocked and runs; is unblocked and does not, since it is lower.
 * `others` and three are all the tasks that there are.
 */
static struct thread blocker;
static volatile bool runs;

static void blocker_entry(void *argument)
{
    (void)argument;
    for (;;) {
        stamp_end(1);
        runs = true;
        effects++;
        stamp_begin(2);
        thread_suspend_self(&blocker);
    }
}

static void above_setup(void)
{
    thread_start(&blocker, blocker_entry, LEVEL_ABOVE);
}

static void above_once(void)
{
    runs = false;
    stamp_begin(0);
    thread_resume(&blocker);
    stamp_end(3);
    effects += runs;
}

static void below_entry(void *argument)
{
    (void)argument;
    for (;;) {
        thread_suspend_self(&blocker);
        runs = true;
    }
}

static void returner(void *argument)
{
    (void)argument;
    for (;;) {
        thread_resume(&runner);
    }
}

static void unblock_setup(void)
{
    thread_start(&blocker, below_entry, LEVEL_BELOW);
    thread_take(returner, LEVEL_RETURN);
}

/* It and the one below it have their turn before the runner goes on. */
static void unblock_once(void)
{
    runs = false;
    stamp_begin(0);
    thread_resume(&blocker);
    stamp_end(1);
    effects += !runs;
    thread_suspend_self(&runner);
    effects += runs;
}

static const struct row rows[] = {
    {"null_call", nothing_setup, call_once, 1, 0, 1, false, 0},
    {"task_create_runs", create_setup, create_once, 2, 0, 1, false, 0},
    {"semaphore_create", nothing_setup, semaphore_create_once, 2, 0, 1, false, 0},
    {"mutex_create", nothing_setup, mutex_create_once, 1, 0, 1, false, 0},
    {"mutex_lock", mutex_setup, mutex_once, 2, 0, 1, false, 0},
    {"mutex_unlock", mutex_setup, mutex_once, 2, 2, 3, false, 0},
    {"queue_create", nothing_setup, queue_create_once, 1, 0, 1, false, 0},
    {"queue_send", queue_setup, queue_once, 1, 0, 1, false, 0},
    {"queue_receive", queue_setup, queue_once, 1, 2, 3, false, 0},
    {"latest_write", latest_setup, latest_once, 2, 0, 1, false, 0},
    {"latest_read", latest_setup, latest_once, 2, 2, 3, false, 0},
    {"block", above_setup, above_once, 2, 2, 3, false, 0},
    {"unblock_runs", above_setup, above_once, 2, 0, 1, false, 0},
    {"unblock", unblock_setup, unblock_once, 2, 0, 1, false, 0},
};

static const struct row delete_rows[] = {
    {"mutex_delete", mutex_setup, mutex_delete_once, 1, 0, 1, false, 0},
    {"queue_delete", nothing_setup, queue_delete_once, 1, 0, 1, false, 0},
};

void seed_rows_measure(void)
{
    harness_measure(rows, sizeof rows / sizeof rows[0]);
    if (deletes_objects()) {
        harness_measure(delete_rows, sizeof delete_rows / sizeof delete_rows[0]);
    }
}
