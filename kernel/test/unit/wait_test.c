/* SPDX-License-Identifier: Apache-2.0 */
/* Semaphores and mailboxes: order of waiters, contents, limits, deletion, triggers, suspension; calls in interrupts. */
#include "kernel/port.h"
#include "ports/host/host.h"
#include "scenario.h"

static struct takt_semaphore semaphore;
static struct takt_mailbox mailbox;
static struct takt_mutex mutex;
static uint32_t storage[2];

static void wait_once(void *argument)
{
    (void)argument;
    CHECK(takt_semaphore_wait(&semaphore) == TAKT_OK);
}

static void post_thrice(void *argument)
{
    (void)argument;
    for (unsigned post = 0; post < 3; post++) {
        scenario_work(1);
        CHECK(takt_semaphore_post(&semaphore) == TAKT_OK);
    }
    CHECK(takt_semaphore_post(&semaphore) == TAKT_OK); /* counts */
    CHECK(takt_semaphore_post(&semaphore) == TAKT_LIMIT);
    CHECK(takt_semaphore_try_wait(&semaphore) == TAKT_OK);
    CHECK(takt_semaphore_try_wait(&semaphore) == TAKT_BUSY);
}

/* The best waiter first, equals in the order in which they came. */
static void order(void)
{
    scenario_new();
    takt_semaphore_init(&semaphore, 1, NULL, 0, 1);
    (void)scenario_task("p", 5, post_thrice);
    (void)scenario_task("b", 3, wait_once);
    (void)scenario_task("c", 3, wait_once);
    (void)scenario_task("a", 4, wait_once);
    scenario_run(10);
    CHECK_TEXT(scenario_events(TAKT_EVENT_TAKE, 0), "b1 c2 a3 p3");
}

static void wait_with_mutex(void *argument)
{
    (void)argument;
    scenario_lock(&mutex);
    CHECK(takt_semaphore_wait(&semaphore) == TAKT_OK);
    takt_mutex_unlock(&mutex);
}

static void lock_at_1(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    scenario_lock(&mutex);
}

static void post_at_2(void *argument)
{
    (void)argument;
    scenario_sleep_to(2);
    CHECK(takt_semaphore_post(&semaphore) == TAKT_OK);
    CHECK(takt_semaphore_post(&semaphore) == TAKT_OK);
}

static void lock_release(void *argument)
{
    lock_at_1(argument);
    takt_mutex_unlock(&mutex);
}

/* A waiter that inherits moves up in its queue. */
static void inherits_in_queue(void)
{
    scenario_new();
    takt_semaphore_init(&semaphore, 1, NULL, 0, 1);
    takt_mutex_init(&mutex, 2);
    (void)scenario_task("p", 0, post_at_2);
    (void)scenario_task("a", 1, lock_release);
    (void)scenario_task("b", 3, wait_once);
    (void)scenario_task("c", 4, wait_with_mutex);
    scenario_run(10);
    CHECK_TEXT(scenario_events(TAKT_EVENT_TAKE, 0), "c2 b2");
}

static uint32_t receive(void)
{
    uint32_t message;
    CHECK(takt_mailbox_receive(&mailbox, &message) == TAKT_OK);
    return message;
}

static void send(uint32_t message)
{
    CHECK(takt_mailbox_send(&mailbox, &message) == TAKT_OK);
}

static void send_five(void *argument)
{
    (void)argument;
    for (uint32_t message = 1; message <= 5; message++) {
        send(message); /* the third waits for room */
    }
    scenario_sleep_to(5);
    send(6); /* a receiver waits */
}

static void receive_six(void *argument)
{
    (void)argument;
    uint32_t message;
    scenario_sleep_to(1);
    CHECK(takt_mailbox_try_receive(&mailbox, &message) == TAKT_OK);
    CHECK_EQUAL(message, 1);
    for (uint32_t expected = 2; expected <= 6; expected++) {
        CHECK_EQUAL(receive(), expected);
    }
    CHECK(takt_mailbox_try_receive(&mailbox, &message) == TAKT_BUSY);
    CHECK(takt_mailbox_receive_until(&mailbox, &message, TAKT_MS(7)) == TAKT_TIMEOUT);
}

static void contents(void)
{
    for (unsigned receiver_first = 0; receiver_first < 2; receiver_first++) {
        scenario_new();
        takt_mailbox_init(&mailbox, 1, storage, sizeof *storage, 2);
        (void)scenario_task("s", 2, send_five);
        (void)scenario_task("r", receiver_first != 0 ? 1 : 3, receive_six);
        scenario_run(10);
        CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "s5 r7");
    }
}

static void told_deleted(void *argument)
{
    uint32_t message = 0;
    if (argument == NULL) {
        CHECK(takt_mailbox_receive(&mailbox, &message) == TAKT_DELETED);
    } else {
        CHECK(takt_semaphore_wait(&semaphore) == TAKT_DELETED);
    }
}

static void full_then_deleted(void *argument)
{
    (void)argument;
    uint32_t message = 0;
    send(1);
    send(2);
    CHECK(takt_mailbox_try_send(&mailbox, &message) == TAKT_BUSY);
    CHECK(takt_mailbox_send_until(&mailbox, &message, TAKT_MS(3)) == TAKT_TIMEOUT);
    CHECK(takt_mailbox_send(&mailbox, &message) == TAKT_DELETED);
    CHECK(takt_mailbox_try_receive(&mailbox, &message) == TAKT_BUSY); /* what was in it is gone */
}

static void delete_at_4(void *argument)
{
    (void)argument;
    scenario_sleep_to(4);
    takt_mailbox_delete(&mailbox);
    takt_semaphore_delete(&semaphore);
}

static void deletion(void)
{
    scenario_new();
    takt_mailbox_init(&mailbox, 1, storage, sizeof *storage, 2);
    takt_semaphore_init(&semaphore, 2, NULL, 0, 1);
    (void)scenario_task("d", 0, delete_at_4);
    (void)scenario_task("s", 1, full_then_deleted);
    scenario_task("w", 1, told_deleted)->argument = &semaphore;
    scenario_run(10);
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "d4 s4 w4");
    scenario_new();
    takt_mailbox_init(&mailbox, 1, storage, sizeof *storage, 2);
    (void)scenario_task("d", 0, delete_at_4);
    (void)scenario_task("r", 1, told_deleted);
    scenario_run(10);
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "d4 r4");
}

static unsigned done;

static void take_message(void *argument)
{
    (void)argument;
    uint32_t message;
    CHECK(takt_mailbox_try_receive(&mailbox, &message) == TAKT_OK);
    CHECK_EQUAL(message, ++done);
}

static void trigger_all(void *argument)
{
    (void)argument;
    for (uint32_t message = 1; message <= 3; message++) {
        send(message);
        scenario_sleep_to(message);
    }
    CHECK(takt_semaphore_post(&semaphore) == TAKT_OK);
    CHECK(takt_semaphore_try_wait(&semaphore) == TAKT_BUSY); /* a trigger does not count */
}

static void nothing(void *argument)
{
    (void)argument;
}

/* Each message, and each post, releases a job. */
static void triggers(void)
{
    scenario_new();
    takt_mailbox_init(&mailbox, 1, storage, sizeof *storage, 2);
    takt_semaphore_init(&semaphore, 2, &scenario.tasks[1], 0, 1);
    mailbox.trigger = &scenario.tasks[0];
    done = 0;
    (void)scenario_sporadic("m", 1, take_message, 1);
    (void)scenario_sporadic("p", 1, nothing, 1);
    (void)scenario_task("t", 2, trigger_all);
    scenario_run(10);
    CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), "m0 m1 m2 p3");
    CHECK_EQUAL(done, 3);
}

static void handler(void)
{
    uint32_t message = 7;
    CHECK(takt_port_in_interrupt());
    CHECK(takt_mailbox_try_send(&mailbox, &message) == TAKT_OK);
    CHECK(takt_semaphore_post(&semaphore) == TAKT_OK);
    CHECK(takt_semaphore_try_wait(&semaphore) == TAKT_OK);
    CHECK(takt_mailbox_try_receive(&mailbox, &message) == TAKT_OK);
    CHECK_EQUAL(message, 7);
    CHECK(takt_task_running() == (scenario_now() == 1 ? scenario_find("w") : NULL));
    takt_work(TAKT_MS(1));
    takt_interrupt_enter(9); /* as a port with nested interrupts would */
    takt_work(TAKT_MS(1));
    takt_interrupt_exit(9);
}

static void work_2(void *argument)
{
    (void)argument;
    scenario_work(2);
}

static void attach(void)
{
    CHECK(takt_task_running() == NULL);
    takt_port_irq_attach(1, handler, true);
    takt_host_interrupt_every(1, TAKT_MS(1), TAKT_MS(3));
}

/* Everything that never blocks, in an interrupt: the trace names nobody. */
static void in_interrupts(void)
{
    scenario_new();
    takt_mailbox_init(&mailbox, 1, storage, sizeof *storage, 2);
    takt_semaphore_init(&semaphore, 2, NULL, 0, 1);
    (void)scenario_periodic("w", 1, work_2, 20);
    scenario.before = attach;
    scenario_run(7);
    CHECK_TEXT(scenario_events(TAKT_EVENT_SEND, 0), "!1 !4");
    CHECK_TEXT(scenario_events(TAKT_EVENT_TAKE, 0), "!1 !4");
    CHECK_TEXT(scenario_events(TAKT_EVENT_INTERRUPT_END, 0), "!3 !3 !6 !6");
    CHECK_EQUAL(scenario_figure("w", TAKT_EVENT_STAT_EXECUTION_MAX), TAKT_MS(2));
}

int main(void)
{
    order();
    inherits_in_queue();
    contents();
    deletion();
    triggers();
    in_interrupts();
    return 0;
}
