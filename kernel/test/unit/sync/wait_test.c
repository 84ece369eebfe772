/* SPDX-License-Identifier: Apache-2.0 */
/* Semaphores and sleep: order of waiters, limits, timeouts, suspension; what is defined; calls in interrupts. */
#include "kernel/port.h"
#include "kernel/test/support/scenario.h"
#include "ports/host/host.h"

static struct takt_semaphore semaphore;
static struct takt_mailbox mailbox;
static struct takt_mutex mutex;
static uint64_t storage[2];

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

static void fill_at_3(void *argument)
{
    (void)argument;
    scenario_sleep_to(3);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned post = 0; post < 4; post++) {
            CHECK(takt_semaphore_post(&semaphore) == (post < 2 ? TAKT_OK : TAKT_LIMIT));
        }
        CHECK(takt_semaphore_wait_until(&semaphore, 0) == TAKT_OK);
        CHECK(takt_semaphore_wait(&semaphore) == TAKT_OK);
        CHECK(takt_semaphore_try_wait(&semaphore) == TAKT_BUSY);
    }
    takt_semaphore_delete(&semaphore); /* nobody waits: it may be used on */
    CHECK(takt_semaphore_post(&semaphore) == TAKT_OK);
}

static void wait_until_2(void *argument)
{
    (void)argument;
    CHECK(takt_semaphore_wait_until(&semaphore, TAKT_MS(2)) == TAKT_TIMEOUT);
}

static void wait_for_ever(void *argument)
{
    (void)argument;
    CHECK(takt_semaphore_wait(&semaphore) == TAKT_OK);
    CHECK(0);
}

static void stop_w_at_2(void *argument)
{
    (void)argument;
    scenario_sleep_to(2);
    takt_task_stop(scenario_find("w"));
}

/* The last waiter goes without having got anything, by its timeout or because it is stopped: posts count again. */
static void last_waiter_leaves(void)
{
    for (unsigned stops = 0; stops < 2; stops++) {
        scenario_new();
        takt_semaphore_init(&semaphore, 1, NULL, 0, 2);
        (void)scenario_task("w", 1, stops != 0 ? wait_for_ever : wait_until_2);
        (void)scenario_task("p", 2, fill_at_3);
        if (stops != 0) {
            (void)scenario_task("s", 3, stop_w_at_2);
        }
        scenario_run(10);
        CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), stops != 0 ? "w2 s2 p3" : "w2 p3");
    }
}

static void post_two_at_3(void *argument)
{
    (void)argument;
    scenario_sleep_to(3);
    CHECK(takt_semaphore_post(&semaphore) == TAKT_OK);
    CHECK(takt_semaphore_post(&semaphore) == TAKT_OK); /* counts */
    CHECK(takt_semaphore_post(&semaphore) == TAKT_LIMIT);
}

/* One of two waiters gives up; the other still gets what is posted. */
static void one_waiter_leaves(void)
{
    scenario_new();
    takt_semaphore_init(&semaphore, 1, NULL, 0, 1);
    (void)scenario_task("w", 1, wait_until_2);
    (void)scenario_task("x", 2, wait_once);
    (void)scenario_task("p", 3, post_two_at_3);
    scenario_run(10);
    CHECK_TEXT(scenario_events(TAKT_EVENT_TAKE, 0), "x3");
}

static void nothing(void *argument)
{
    (void)argument;
}

/* Defined, not initialized: the same. */
static TAKT_SEMAPHORE_DEFINE(two_of_three, 5, 2, 3);
static TAKT_MAILBOX_DEFINE(of_two, 6, (uint8_t *)storage, sizeof *storage, 2);
static uint8_t odd_storage[6] __attribute__((aligned(4)));
static TAKT_MAILBOX_DEFINE(of_odd, 10, odd_storage, 3, 2);
static TAKT_SEMAPHORE_TRIGGER_DEFINE(triggers_a, 7, &scenario.tasks[0]);
static TAKT_MAILBOX_TRIGGER_DEFINE(stored_for_a, 8, (uint8_t *)storage, sizeof *storage, 2, &scenario.tasks[0]);
static TAKT_MUTEX_DEFINE(defined_mutex, 9);

static void use_defined(void *argument)
{
    (void)argument;
    uint64_t message = 4;
    CHECK(takt_semaphore_post(&two_of_three) == TAKT_OK);
    CHECK(takt_semaphore_post(&two_of_three) == TAKT_LIMIT);
    for (unsigned wait = 0; wait < 3; wait++) {
        CHECK(takt_semaphore_wait(&two_of_three) == TAKT_OK);
    }
    CHECK(takt_semaphore_try_wait(&two_of_three) == TAKT_BUSY);
    CHECK(takt_mailbox_try_receive(&of_two, &message) == TAKT_BUSY);
    CHECK(takt_mailbox_try_send(&of_two, &message) == TAKT_OK);
    message = 5;
    CHECK(takt_mailbox_try_send(&of_two, &message) == TAKT_OK);
    CHECK(takt_mailbox_try_send(&of_two, &message) == TAKT_BUSY);
    CHECK(takt_mailbox_try_receive(&of_two, &message) == TAKT_OK);
    CHECK_EQUAL(message, 4);
    CHECK(takt_mailbox_receive(&of_two, &message) == TAKT_OK);
    CHECK_EQUAL(message, 5);
    const char odd[] = "takt";
    char got[4] = "";
    for (unsigned from = 0; from < 2; from++) {
        CHECK(takt_mailbox_try_send(&of_odd, odd + from) == TAKT_OK);
    }
    CHECK(takt_mailbox_try_receive(&of_odd, got) == TAKT_OK);
    CHECK_TEXT(got, "tak");
    CHECK(takt_mailbox_receive(&of_odd, got) == TAKT_OK);
    CHECK_TEXT(got, "akt");
    CHECK(takt_semaphore_post(&triggers_a) == TAKT_OK); /* a's job of 0, and at 1 */
    CHECK(takt_semaphore_try_wait(&triggers_a) == TAKT_BUSY);
    CHECK(takt_mailbox_send(&stored_for_a, &message) == TAKT_OK);
    CHECK(takt_mailbox_try_receive(&stored_for_a, &message) == TAKT_OK);
    scenario_lock(&defined_mutex);
    takt_mutex_unlock(&defined_mutex);
}

static void defined(void)
{
    scenario_new();
    (void)scenario_sporadic("a", 1, nothing, 1);
    (void)scenario_task("t", 2, use_defined);
    scenario_run(10);
    CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), "a0 a1");
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "t0");
}

static void sleeps_to_3(void *argument)
{
    (void)argument;
    scenario_sleep_to(3);
    CHECK_EQUAL(scenario_now(), (unsigned)(uintptr_t)argument);
}

static void suspend_a_from_1_to_5(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    takt_task_suspend(scenario_find("a"));
    takt_task_suspend(scenario_find("b"));
    takt_task_suspend(scenario_find("c"));
    scenario_sleep_to(2);
    takt_task_resume(scenario_find("b"));
    takt_task_stop(scenario_find("c"));
    scenario_sleep_to(5);
    takt_task_resume(scenario_find("a"));
}

/* The expiries of sleepers come while they are suspended (a), after that (b), or never because they are stopped (c). */
static void sleepers_suspended(void)
{
    scenario_new();
    (void)scenario_task("s", 0, suspend_a_from_1_to_5);
    scenario_task("a", 1, sleeps_to_3)->argument = (void *)5;
    scenario_task("b", 2, sleeps_to_3)->argument = (void *)3;
    scenario_task("c", 3, sleeps_to_3)->argument = (void *)0;
    scenario_run(10);
    CHECK_TEXT(scenario_events(TAKT_EVENT_READY, 1), "s1=1 s2=1 a3=1 b3=1 s5=1");
    CHECK_TEXT(scenario_runs(), "s0 a0 b0 c0 -0 s1 -1 s2 -2 b3 -3 s5 a5 -5");
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "c2 b3 s5 a5");
}

static void sleep_for_ever(void *argument)
{
    (void)argument;
    takt_delay_until(TAKT_FOREVER);
    CHECK(0);
}

static void stop_a_at_1(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    takt_task_stop(scenario_find("a"));
    takt_task_stop(scenario_find("b"));
    CHECK(takt_task_stopped(scenario_find("a")) && takt_task_stopped(scenario_find("b")));
}

/* A task that sleeps, with or without an expiry, can be stopped. */
static void sleepers_stopped(void)
{
    scenario_new();
    (void)scenario_task("s", 0, stop_a_at_1);
    (void)scenario_task("a", 1, sleep_for_ever);
    scenario_task("b", 2, sleeps_to_3)->argument = (void *)0;
    scenario_run(10);
    CHECK_TEXT(scenario_events(TAKT_EVENT_READY, 0), "s1");
}

static void suspend_waiters(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    takt_task_suspend(scenario_find("a"));
    takt_task_suspend(scenario_find("b"));
    scenario_sleep_to(3);
    CHECK(takt_semaphore_post(&semaphore) == TAKT_OK); /* a's, though it cannot run */
    scenario_sleep_to(4);
    takt_task_resume(scenario_find("b"));
    takt_task_resume(scenario_find("a"));
}

/* Suspended waiters keep their order, and what they wait for, or their timeout, comes to them. */
static void waiters_suspended(void)
{
    scenario_new();
    takt_semaphore_init(&semaphore, 1, NULL, 0, 1);
    (void)scenario_task("s", 0, suspend_waiters);
    (void)scenario_task("b", 1, wait_until_2);
    (void)scenario_task("a", 2, wait_once);
    (void)scenario_task("c", 3, wait_for_ever);
    scenario_run(10);
    CHECK_TEXT(scenario_events(TAKT_EVENT_READY, 1), "s1=1 b2=1 s3=1 a3=0 s4=1");
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "s4 b4 a4");
}

static void handler(void)
{
    uint64_t message = 7;
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
    takt_mailbox_init(&mailbox, 1, storage, sizeof *storage, 2, NULL);
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
    last_waiter_leaves();
    one_waiter_leaves();
    defined();
    sleepers_suspended();
    sleepers_stopped();
    waiters_suspended();
    in_interrupts();
    return 0;
}
