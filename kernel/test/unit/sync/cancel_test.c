/* SPDX-License-Identifier: Apache-2.0 */
/* takt_task_cancel: of each kind of wait, what it leaves behind, and the waits that go on. */
#include "kernel/test/support/misuse.h"

static struct takt_semaphore semaphore;
static struct takt_mailbox mailbox;
static struct takt_mutex mutex;
static struct takt_condition condition;
static struct takt_events events;
static struct takt_pipe pipe;
static struct takt_pool pool;
static struct takt_rendezvous rendezvous;
static uint8_t bytes[4];
static uint64_t storage[1];
static uint64_t blocks[4];

static void new_scenario(void)
{
    scenario_new();
    takt_semaphore_init(&semaphore, 1, NULL, 0, 1);
    takt_mailbox_init(&mailbox, 2, storage, 8, 1, NULL);
    takt_mutex_init(&mutex, 3);
    takt_condition_init(&condition, 4);
    takt_events_init(&events, 5);
    takt_pipe_init(&pipe, 6, bytes, sizeof bytes);
    takt_pool_init(&pool, 7, blocks, 8, 1);
    takt_rendezvous_init(&rendezvous, 8);
}

/* In kernels with a trace. Else the tasks' own checks count, and that "a" ended. */
static void check_text(const char *found, const char *expected)
{
    if (TAKT_TRACE) {
        CHECK_TEXT(found, expected);
    }
}

static void waits_for_unit(void *argument)
{
    (void)argument;
    CHECK(takt_semaphore_wait(&semaphore) == TAKT_CANCELLED);
}

static void waits_in_turn(void *argument)
{
    (void)argument;
    CHECK(takt_semaphore_wait_in_turn(&semaphore, TAKT_MS(3)) == TAKT_CANCELLED);
}

static void waits_for_message(void *argument)
{
    uint64_t message = 7;
    (void)argument;
    CHECK(takt_mailbox_receive_until(&mailbox, &message, TAKT_MS(3)) == TAKT_CANCELLED && message == 7);
}

static void waits_for_room(void *argument)
{
    uint64_t message = 1;
    (void)argument;
    CHECK(takt_mailbox_send(&mailbox, &message) == TAKT_OK);
    message = 2;
    CHECK(takt_mailbox_count(&mailbox) == 1);
    CHECK(takt_mailbox_send(&mailbox, &message) == TAKT_CANCELLED);
    CHECK(takt_mailbox_count(&mailbox) == 1);
    CHECK(takt_mailbox_try_receive(&mailbox, &message) == TAKT_OK && message == 1);
    CHECK(takt_mailbox_count(&mailbox) == 0);
}

static void waits_for_flags(void *argument)
{
    struct takt_events_wanted wanted = {3, 0};
    (void)argument;
    CHECK(takt_events_wait(&events, &wanted) == TAKT_CANCELLED);
}

static void waits_for_block(void *argument)
{
    void *first = NULL;
    void *none = &none;
    (void)argument;
    CHECK(takt_pool_allocate(&pool, &first) == TAKT_OK);
    CHECK(takt_pool_allocate(&pool, &none) == TAKT_CANCELLED && none == (void *)&none);
    takt_pool_free(&pool, first);
}

/* Some of the bytes were written. */
static void waits_for_bytes(void *argument)
{
    struct takt_pipe_count count = {.size = 6, .least = 6};
    (void)argument;
    CHECK(takt_pipe_write(&pipe, "abcdef", &count) == TAKT_CANCELLED && count.done == 4);
}

static void calls(void *argument)
{
    uint32_t value = 1;
    (void)argument;
    CHECK(takt_rendezvous_call(&rendezvous, &value, sizeof value) == TAKT_CANCELLED);
}

static void accepts(void *argument)
{
    struct takt_rendezvous_accepted accepted;
    (void)argument;
    CHECK(takt_rendezvous_accept(&rendezvous, &accepted) == TAKT_CANCELLED);
}

/* The mutex is locked again. */
static void waits_for_signal(void *argument)
{
    (void)argument;
    scenario_lock(&mutex);
    CHECK(takt_condition_wait(&condition, &mutex) == TAKT_CANCELLED);
    takt_mutex_unlock(&mutex);
}

static void sleeps(void *argument)
{
    (void)argument;
    scenario_sleep_to(5);
    CHECK(scenario_now() == 1);
}

static void cancels_at_1(void *argument)
{
    (void)argument;
    scenario_work(1);
    CHECK(takt_task_cancel(scenario_find("a")) == TAKT_OK);
    CHECK(takt_task_cancel(scenario_find("a")) == TAKT_STATE); /* it runs first, and ends */
}

static void each_wait(void)
{
    static void (*const waits[])(void *) = {
        waits_for_unit,  waits_in_turn, waits_for_message, waits_for_room, waits_for_flags,  waits_for_block,
        waits_for_bytes, calls,         accepts,           sleeps,         waits_for_signal,
    };
    for (unsigned each = 0; each < sizeof waits / sizeof waits[0]; each++) {
        new_scenario();
        (void)scenario_task("a", 1, waits[each]);
        (void)scenario_task("c", 2, cancels_at_1);
        scenario_run(10);
        CHECK(takt_task_stopped(scenario_find("a")));
        check_text(scenario_events(TAKT_EVENT_READY, 1), "a1=16");
        check_text(scenario_events(TAKT_EVENT_STOP, 0), "a1 c1");
    }
}

static void waits_and_sleeps(void *argument)
{
    (void)argument;
    CHECK(takt_semaphore_wait(&semaphore) == TAKT_OK);
    scenario_sleep_to(5);
    CHECK(scenario_now() == 1);
}

static void posts_and_cancels(void *argument)
{
    CHECK(takt_semaphore_post(&semaphore) == TAKT_OK);
    cancels_at_1(argument);
    CHECK(takt_semaphore_post(&semaphore) == TAKT_OK);
}

static void waits_longer(void *argument)
{
    (void)argument;
    CHECK(takt_semaphore_wait(&semaphore) == TAKT_OK);
}

/* A task that sleeps is in no queue, whatever it waited for before: another that waits there stays. */
static void sleeper(void)
{
    new_scenario();
    (void)scenario_task("a", 1, waits_and_sleeps);
    (void)scenario_task("c", 2, posts_and_cancels);
    (void)scenario_task("d", 3, waits_longer);
    scenario_run(10);
    CHECK(takt_task_stopped(scenario_find("a")) && takt_task_stopped(scenario_find("c")));
    CHECK(takt_task_stopped(scenario_find("d")));
}

static void locks(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    CHECK(takt_mutex_lock(&mutex) == TAKT_CANCELLED);
    scenario_sleep_to(5);
    scenario_lock(&mutex); /* as ever */
    takt_mutex_unlock(&mutex);
}

static void holds(void *argument)
{
    (void)argument;
    scenario_lock(&mutex);
    scenario_work(3);
    takt_mutex_unlock(&mutex);
}

static void cancels_at_2(void *argument)
{
    (void)argument;
    scenario_sleep_to(2);
    CHECK(takt_task_cancel(scenario_find("a")) == TAKT_OK);
}

static void works_at_1(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    scenario_work(2);
}

/* The owner has inherited from 1 to 2, and then no more: m, in between, runs. */
static void waiter_of_mutex(void)
{
    new_scenario();
    (void)scenario_task("c", 0, cancels_at_2);
    (void)scenario_task("a", 1, locks);
    (void)scenario_task("m", 2, works_at_1);
    (void)scenario_task("o", 3, holds);
    scenario_run(10);
    check_text(scenario_runs(), "c0 a0 m0 o0 a1 o1 c2 a2 m2 o4 -5 a5 -5");
}

static void accepts_and_works(void *argument)
{
    struct takt_rendezvous_accepted accepted;
    (void)argument;
    CHECK(takt_rendezvous_accept(&rendezvous, &accepted) == TAKT_OK);
    scenario_work(3);
    takt_rendezvous_complete(&accepted);
}

static void is_served(void *argument)
{
    uint32_t value = 1;
    (void)argument;
    CHECK(takt_rendezvous_call(&rendezvous, &value, sizeof value) == TAKT_OK);
}

static void is_signalled(void *argument)
{
    (void)argument;
    scenario_lock(&mutex);
    CHECK(takt_condition_wait(&condition, &mutex) == TAKT_OK);
    takt_mutex_unlock(&mutex);
}

static void signals_and_holds(void *argument)
{
    (void)argument;
    scenario_lock(&mutex);
    takt_condition_broadcast(&condition);
    scenario_work(3);
    takt_mutex_unlock(&mutex);
}

static void tries_at_1(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    CHECK(takt_task_cancel(scenario_find("a")) == TAKT_STATE);
    CHECK(takt_task_cancel(scenario_find("o")) == TAKT_STATE); /* ready */
    CHECK(takt_task_cancel(takt_task_running()) == TAKT_STATE);
}

/* What was decided goes on: a call that is served, and a signalled task that waits for its mutex. */
static void goes_on(void)
{
    new_scenario();
    (void)scenario_task("c", 0, tries_at_1);
    (void)scenario_task("a", 1, is_served);
    (void)scenario_task("o", 2, accepts_and_works);
    scenario_run(10);
    CHECK(takt_task_stopped(scenario_find("a")) && takt_task_stopped(scenario_find("o")));
    check_text(scenario_events(TAKT_EVENT_STOP, 0), "c1 a3 o3");
    new_scenario();
    (void)scenario_task("c", 0, tries_at_1);
    (void)scenario_task("a", 1, is_signalled);
    (void)scenario_task("o", 2, signals_and_holds);
    scenario_run(10);
    CHECK(takt_task_stopped(scenario_find("a")) && takt_task_stopped(scenario_find("o")));
    check_text(scenario_events(TAKT_EVENT_STOP, 0), "c1 a3 o3");
}

static void suspends_and_cancels(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    takt_task_suspend(scenario_find("a"));
    CHECK(takt_task_cancel(scenario_find("a")) == TAKT_OK);
    scenario_sleep_to(3);
    takt_task_resume(scenario_find("a"));
}

/* A suspended task stays suspended. */
static void suspended(void)
{
    static void (*const waits[])(void *) = {waits_for_unit, waits_in_turn, waits_for_signal};
    for (unsigned each = 0; each < sizeof waits / sizeof waits[0]; each++) {
        new_scenario();
        (void)scenario_task("c", 0, suspends_and_cancels);
        (void)scenario_task("a", 1, waits[each]);
        scenario_run(10);
        CHECK(takt_task_stopped(scenario_find("a")));
        check_text(scenario_events(TAKT_EVENT_STOP, 0), "c3 a3");
    }
}

#if TAKT_JOBS
static void nothing(void *argument)
{
    (void)argument;
}

/* A wait for the next release is none. */
static void jobs(void)
{
    new_scenario();
    (void)scenario_task("c", 0, tries_at_1);
    (void)scenario_periodic("a", 1, nothing, 4);
    (void)scenario_sporadic("o", 2, nothing, 4);
    scenario_run(10);
    check_text(scenario_events(TAKT_EVENT_RELEASE, 0), "a0 a4 a8");
}
#endif

static void cancel(void)
{
    CHECK(takt_task_cancel(scenario_find("a")) == TAKT_STATE);
}

static void prepare(const struct misuse *next)
{
    (void)next;
}

static const struct misuse misuses[] = {
    {cancel, FREE_INTERRUPT, "kernel/core/task.c", BANDS},
};

int main(void)
{
    each_wait();
    sleeper();
    waiter_of_mutex();
    goes_on();
    suspended();
#if TAKT_JOBS
    jobs();
#endif
    return TAKT_ASSERTIONS ? misuse_run(misuses, sizeof misuses / sizeof *misuses, prepare) : 0;
}
