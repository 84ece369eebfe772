/* SPDX-License-Identifier: Apache-2.0 */
/* Semaphore, mutex and queue: pairs that nobody waits for, ways until a waiter runs, ways to block. */
#include "harness.h"

static struct semaphore semaphore;
static struct mutex mutex;
static struct queue queue;
static uint32_t message[4];
static uint32_t received[4];

static void semaphore_setup(void)
{
    semaphore_init(&semaphore);
}

static void semaphore_pair(void)
{
    struct semaphore *known = &semaphore;
    IN_REGISTER(known);
    stamp_begin(0);
    semaphore_give(known);
    semaphore_take(known);
    stamp_end(1);
    effects += !semaphore_try_take(&semaphore);
}

static void mutex_setup(void)
{
    mutex_init(&mutex);
}

static void mutex_pair(void)
{
    struct mutex *known = &mutex;
    IN_REGISTER(known);
    stamp_begin(0);
    mutex_lock(known);
    mutex_unlock(known);
    stamp_end(1);
    effects += mutex_try_lock(&mutex);
    mutex_unlock(&mutex);
}

static void queue_8_setup(void)
{
    queue_init(&queue, 8);
}

static void queue_16_setup(void)
{
    queue_init(&queue, 16);
}

static void queue_pair(void)
{
    message[0]++;
    message[3]++;
    struct queue *known = &queue;
    IN_REGISTER(known);
    stamp_begin(0);
    queue_send(known, message);
    queue_receive(known, received);
    stamp_end(1);
    effects += received[0] == message[0];
}

/* A waiter: from the call that wakes it to its first instruction after its own. */
static void semaphore_waiter(void *argument)
{
    (void)argument;
    for (;;) {
        semaphore_take(&semaphore);
        stamp_end(1);
        effects++;
    }
}

static void semaphore_waiter_setup(void)
{
    semaphore_init(&semaphore);
    thread_take(semaphore_waiter, LEVEL_ABOVE);
}

static void semaphore_to_waiter(void)
{
    stamp_begin(0);
    semaphore_give(&semaphore);
}

static void queue_waiter(void *argument)
{
    (void)argument;
    for (;;) {
        queue_receive(&queue, received);
        stamp_end(1);
        effects += received[0] == message[0];
    }
}

static void queue_waiter_setup(void)
{
    queue_init(&queue, 8);
    thread_take(queue_waiter, LEVEL_ABOVE);
}

static void queue_to_waiter(void)
{
    message[0]++;
    stamp_begin(0);
    queue_send(&queue, message);
}

/* A task blocks, until the one below it goes on. */
static void semaphore_blocker(void *argument)
{
    (void)argument;
    for (;;) {
        stamp_begin(0);
        semaphore_take(&semaphore);
        effects++;
    }
}

static void semaphore_blocker_setup(void)
{
    semaphore_init(&semaphore);
    thread_take(semaphore_blocker, LEVEL_ABOVE);
}

static void semaphore_take_blocks(void)
{
    semaphore_give(&semaphore);
    stamp_end(1);
}

/* The same with a timeout, which nothing ends before: a timer is armed at the block and disarmed at the wake. */
static uint64_t limit;

static void timed_waiter(void *argument)
{
    (void)argument;
    for (;;) {
        stamp_begin(0);
        effects += semaphore_take_until(&semaphore, limit);
        stamp_end(3);
    }
}

static void timed_waiter_setup(void)
{
    limit = expiry_far(0);
    semaphore_init(&semaphore);
    thread_take(timed_waiter, LEVEL_ABOVE);
}

static void timed_once(void)
{
    stamp_begin(2);
    semaphore_give(&semaphore);
    stamp_end(1);
}

/* The contender blocks, the owner inherits, unlocks, and the contender owns it. */
static void contender(void *argument)
{
    (void)argument;
    for (;;) {
        semaphore_take(&semaphore);
        stamp_begin(0);
        mutex_lock(&mutex);
        stamp_end(1);
        effects++;
        mutex_unlock(&mutex);
    }
}

static void contended_setup(void)
{
    semaphore_init(&semaphore);
    mutex_init(&mutex);
    thread_take(contender, LEVEL_ABOVE);
}

static void contended_once(void)
{
    mutex_lock(&mutex);
    semaphore_give(&semaphore);
    mutex_unlock(&mutex);
}

/* An interrupt that gives. */
static void interrupt(void)
{
    semaphore_give_interrupt(&semaphore);
}

static void interrupt_setup(void)
{
    semaphore_waiter_setup();
    interrupt_attach(interrupt);
}

static void interrupt_to_task(void)
{
    stamp_begin(0);
    target_interrupt_pend();
}

static const struct row rows[] = {
    {"semaphore_pair", semaphore_setup, semaphore_pair, 1, 0, 1, false, 0},
    {"mutex_pair", mutex_setup, mutex_pair, 1, 0, 1, false, 0},
    {"mutex_contended", contended_setup, contended_once, 1, 0, 1, false, 0},
    {"queue_8", queue_8_setup, queue_pair, 1, 0, 1, false, 0},
    {"queue_16", queue_16_setup, queue_pair, 1, 0, 1, false, 0},
    {"queue_8_to_waiter", queue_waiter_setup, queue_to_waiter, 1, 0, 1, false, 0},
    {"semaphore_to_waiter", semaphore_waiter_setup, semaphore_to_waiter, 1, 0, 1, false, 0},
    {"semaphore_take_blocks", semaphore_blocker_setup, semaphore_take_blocks, 1, 0, 1, false, 0},
    {"timed_take_blocks", timed_waiter_setup, timed_once, 1, 0, 1, false, 0},
    {"timed_to_waiter", timed_waiter_setup, timed_once, 1, 2, 3, false, 0},
    {"interrupt_to_task", interrupt_setup, interrupt_to_task, 1, 0, 1, false, 0},
};

void service_rows_measure(void)
{
    harness_measure(rows, sizeof rows / sizeof rows[0]);
}
