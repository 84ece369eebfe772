/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The six of Rhealstone, as their authors define them: R. Kar and K. Porter, "Rhealstone: a real-time benchmarking
 * proposal", Dr. Dobb's Journal, February 1989; the last as R. Kar changed it in April 1990.
 */
#include "harness.h"

static struct thread high;
static struct thread medium;
static struct semaphore semaphore;
static struct mutex mutex;
static struct queue queue;

/* Task switch: between two independent equals that are both active, from the one's yield to the other. */
static volatile unsigned turn;

static void equal(void *argument)
{
    (void)argument;
    for (;;) {
        effects += turn == 0;
        turn = 1;
        stamp_begin(0);
        thread_yield();
    }
}

static void equal_setup(void)
{
    turn = 0;
    thread_take(equal, LEVEL_RUNNER);
}

static void switch_once(void)
{
    thread_yield();
    stamp_end(1);
    effects += turn == 1;
    turn = 0;
}

/* Preemption: from the event that makes the higher one ready, in an interrupt's handler, until it runs. */
static volatile bool in_handler;

static void preempter(void *argument)
{
    (void)argument;
    for (;;) {
        thread_suspend_self(&high);
        stamp_end(1);
        effects += !in_handler;
    }
}

static void preemption_interrupt(void)
{
    in_handler = true;
    effects++;
    stamp_begin(0);
    thread_resume_interrupt(&high);
    in_handler = false;
}

static void preemption_setup(void)
{
    thread_start(&high, preempter, LEVEL_ABOVE);
    interrupt_attach(preemption_interrupt);
}

static void interrupt_once(void)
{
    stamp_begin(2);
    target_interrupt_pend();
}

/* Interrupt latency: from the request to the handler's first instruction. The request, a store, is in it. */
static void latency_interrupt(void)
{
    stamp_end(1);
    effects++;
}

static void latency_setup(void)
{
    interrupt_attach(latency_interrupt);
}

/* Semaphore shuffle: from the release by an equal, which then gives way, until the one that waits goes on. */
static volatile bool owned;

static void shuffler(void *argument)
{
    (void)argument;
    for (;;) {
        effects += owned;
        semaphore_take(&semaphore);
        stamp_end(1);
        effects += !owned;
        thread_yield();
    }
}

static void shuffle_setup(void)
{
    semaphore_init(&semaphore);
    thread_take(shuffler, LEVEL_RUNNER);
}

static void shuffle_once(void)
{
    owned = true;
    thread_yield(); /* the other one asks, and waits */
    owned = false;
    stamp_begin(0);
    semaphore_give(&semaphore);
    thread_yield();
}

/*
 * Deadlock breaking: the low one owns what the high one asks for, and the medium one would keep it from going on. From
 * the high one's request until it owns it: the low one inherits and releases at once.
 */
static volatile bool medium_went_on;

static void asker(void *argument)
{
    (void)argument;
    for (;;) {
        thread_suspend_self(&high);
        stamp_begin(0);
        mutex_lock(&mutex);
        stamp_end(1);
        effects += !medium_went_on;
        mutex_unlock(&mutex);
    }
}

static void starver(void *argument)
{
    (void)argument;
    for (;;) {
        thread_suspend_self(&medium);
        medium_went_on = false;
        thread_resume(&high);
        medium_went_on = true;
        effects++;
    }
}

static void deadlock_setup(void)
{
    mutex_init(&mutex);
    thread_start(&high, asker, LEVEL_HIGH);
    thread_start(&medium, starver, LEVEL_ABOVE);
}

static void deadlock_once(void)
{
    mutex_lock(&mutex);
    thread_resume(&medium);
    effects += !medium_went_on; /* here by inheritance */
    mutex_unlock(&mutex);
}

/* Message latency: eight bytes, from the send until the receiver, which waits, has them. */
static uint32_t message[2];
static uint32_t received[2];

static void receiver(void *argument)
{
    (void)argument;
    for (;;) {
        queue_receive(&queue, received);
        stamp_end(1);
        effects += received[0] == message[0] && received[1] == message[1];
    }
}

static void message_setup(void)
{
    queue_init(&queue, sizeof message);
    thread_take(receiver, LEVEL_ABOVE);
}

static void message_once(void)
{
    message[0]++;
    message[1] = ~message[0];
    stamp_begin(0);
    queue_send(&queue, message);
}

static const struct row rows[] = {
    {"task_switch", equal_setup, switch_once, 2, 0, 1, true, 0},
    {"preemption", preemption_setup, interrupt_once, 2, 0, 1, false, 0},
    {"interrupt_latency", latency_setup, interrupt_once, 1, 2, 1, false, 0},
    {"semaphore_shuffle", shuffle_setup, shuffle_once, 2, 0, 1, true, 0},
    {"deadlock_breaking", deadlock_setup, deadlock_once, 3, 0, 1, false, 0},
    {"message_latency", message_setup, message_once, 1, 0, 1, false, 0},
};

void rhealstone_rows_measure(void)
{
    harness_measure(rows, sizeof rows / sizeof rows[0]);
}
