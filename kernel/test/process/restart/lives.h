/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIVES_H
#define LIVES_H

/* First lives of a process whose calls do more than one of rows.h: most of them wait when another task faults. */
#include "kernel/test/support/notes.h"
#include "kernel/test/support/rows.h"
#include "kernel/test/support/world.h"

enum { END_MS = 110 };

/* A first life: calls that no row of rows.h makes, of a's tasks with jobs; most of them wait. */
struct life {
    unsigned number;
    const char *name;
    void (*live)(unsigned task);
};
/* What a call waits for does not come. */
static void wait_for_unit(unsigned task)
{
    (void)task;
    (void)CALL1(semaphore_wait, world_handle(WORLD_OWN_SEMAPHORE));
    (void)CALL1(semaphore_wait, world_handle(WORLD_OWN_SEMAPHORE));
    (void)CALL1(semaphore_wait, world_handle(WORLD_OWN_SEMAPHORE));
    CHECK(false);
}

static void wait_for_unit_until(unsigned task)
{
    (void)task;
    for (;;) { /* two units at once, the third when its process has begun anew */
        (void)CALL2(semaphore_wait_until, world_handle(WORLD_OWN_SEMAPHORE), TAKT_MS(50));
    }
}

static void wait_for_signal(unsigned task)
{
    (void)task;
    lock_mutex();
    (void)CALL2(condition_wait, world_handle(WORLD_CONDITION), world_handle(WORLD_MUTEX));
    CHECK(false);
}

static void wait_for_signal_until(unsigned task)
{
    (void)task;
    lock_mutex();
    (void)CALL3(condition_wait_until, world_handle(WORLD_CONDITION), world_handle(WORLD_MUTEX), TAKT_MS(50));
    CHECK(false);
}

static void wait_for_own_signal(unsigned task)
{
    if (task == A + PERIODIC) {
        (void)CALL3(signal_receive, world_handle(WORLD_QUEUE_A), NULL, world_buffer(0));
        CHECK(false);
    }
}

static void wait_for_block(unsigned task)
{
    if (task == A + PERIODIC) {
        for (;;) { /* the third does not come */
            (void)CALL2(pool_allocate, world_handle(WORLD_POOL), world_buffer(0));
        }
    }
}

static void wait_for_slot(unsigned task)
{
    if (task == A + PERIODIC) {
        open_slot();
        (void)CALL2(slot_take, world_handle(WORLD_SLOT), world_buffer(0));
        CHECK(false);
    }
}

static void wait_for_buffer(unsigned task)
{
    if (task == A + PERIODIC) {
        open_slot();
        for (;;) { /* the third does not come */
            (void)CALL3(slot_reserve, world_handle(WORLD_SLOT), 0, world_buffer(0));
        }
    }
}

/* It holds one while it waits for another. */
static void wait_and_hold_signals(unsigned task)
{
    uintptr_t *variable = world_buffer(0);
    if (task == A + PERIODIC) {
        hold_signal();
        (void)CALL3(signal_receive, world_handle(WORLD_QUEUE_A), NULL, variable);
        CHECK(false);
    }
}

static void wait_for_events(unsigned task)
{
    if (task != A + PERIODIC) {
        return;
    }
    want_events();
    (void)CALL2(events_clear, world_handle(WORLD_EVENTS), 1);
    (void)CALL3(events_wait_until, world_handle(WORLD_EVENTS), world_buffer(0), TAKT_MS(50));
    CHECK(false);
}

static void wait_for_message(unsigned task)
{
    (void)task;
    (void)CALL3(mailbox_receive_until, world_handle(WORLD_MAILBOX), world_buffer(0), TAKT_MS(50));
    CHECK(false);
}

static void wait_for_priority(unsigned task)
{
    (void)task;
    (void)CALL2(priority_mailbox_receive, world_handle(WORLD_PRIORITY_MAILBOX), world_buffer(0));
    CHECK(false);
}

/* The first bytes of a message have come. */
static void wait_for_bytes(unsigned task)
{
    if (task != A + PERIODIC) {
        return;
    }
    write_pipe();
    struct takt_pipe_count *count = pipe_count();
    *count = (struct takt_pipe_count){.size = 8, .least = 8};
    (void)CALL3(pipe_read, world_handle(WORLD_PIPE), (uint8_t *)world_buffer(0) + 128, count);
    CHECK(false);
}

static void wait_for_acceptor(unsigned task)
{
    (void)task;
    (void)CALL3(rendezvous_call, world_handle(WORLD_RENDEZVOUS), world_buffer(0), 4);
    CHECK(false);
}

static void wait_for_caller(unsigned task)
{
    (void)task;
    (void)CALL2(rendezvous_accept, world_handle(WORLD_RENDEZVOUS), world_buffer(0));
    CHECK(false);
}

/* One calls, another serves it and does not come to an end, or does. */
static void serve_call(unsigned task)
{
    if (task == A + SPORADIC) {
        (void)CALL3(rendezvous_call, world_handle(WORLD_RENDEZVOUS), world_buffer(0), 4);
        CHECK(false);
    }
    CHECK_EQUAL(CALL2(rendezvous_accept, world_handle(WORLD_RENDEZVOUS), (uint8_t *)world_buffer(0) + 128), TAKT_OK);
}

static void complete_call(unsigned task)
{
    if (task == A + SPORADIC) {
        (void)CALL3(rendezvous_call, world_handle(WORLD_RENDEZVOUS), world_buffer(0), 4);
    } else {
        serve_call(task);
        (void)CALL1(rendezvous_complete, (uint8_t *)world_buffer(0) + 128);
    }
}

/* One holds a mutex that another waits for. */
static void wait_for_lock(unsigned task)
{
    (void)CALL1(mutex_lock, world_handle(WORLD_MUTEX));
    CHECK(task == A + PERIODIC);
}

static void wait_for_lock_until(unsigned task)
{
    (void)CALL2(mutex_lock_until, world_handle(WORLD_MUTEX), TAKT_MS(50));
    CHECK(task == A + PERIODIC);
}

static void hold_all(unsigned task)
{
    if (task == A + PERIODIC) {
        lock_mutex();
        (void)CALL1(mutex_lock, world_handle(WORLD_OWN_MUTEX));
        lock_ceiling();
        sleep_to(END_MS);
    }
}

static void sleep_long(unsigned task)
{
    (void)task;
    (void)CALL1(delay_until, TAKT_FOREVER - 1);
}

static void sleep_for_long(unsigned task)
{
    (void)task;
    (void)CALL1(delay, TAKT_MS(40));
    CHECK(false);
}

/* Releases to come: of a task that nobody else could release then. */
static void release_far(unsigned task)
{
    if (task == A + PERIODIC) {
        (void)CALL2(job_release_at, world_handle(A + SPORADIC), TAKT_FOREVER - 1);
    }
}

static void release_often(unsigned task)
{
    for (unsigned ms = 10; task == A + PERIODIC && ms < 60; ms += 9) {
        (void)CALL2(job_release_at, world_handle(A + SPORADIC), TAKT_MS(ms));
    }
}

static void release_now(unsigned task)
{
    for (unsigned times = 0; task == A + PERIODIC && times < 6; times++) {
        (void)CALL1(semaphore_post, world_handle(WORLD_TRIGGER));
    }
}

static void alarm_far(unsigned task)
{
    (void)task;
    (void)CALL2(alarm_restart, world_handle(WORLD_ALARM), TAKT_FOREVER - 1);
}

static void alarm_off(unsigned task)
{
    (void)task;
    (void)CALL1(alarm_stop, world_handle(WORLD_ALARM));
}

static void alarm_again(unsigned task)
{
    alarm_off(task);
    (void)CALL2(alarm_start, world_handle(WORLD_ALARM), TAKT_MS(40));
}

static void watchdog_off(unsigned task)
{
    (void)task;
    (void)CALL1(watchdog_stop, world_handle(WORLD_WATCHDOG));
}

static void stop_own(unsigned task)
{
    if (task == A + PERIODIC) {
        (void)CALL1(task_stop, world_handle(A + SPORADIC));
    }
}

static void suspend_own(unsigned task)
{
    if (task == A + PERIODIC) {
        (void)CALL1(task_suspend, world_handle(A + SPORADIC));
        (void)CALL1(task_suspend, world_handle(A + PERIODIC));
    }
}

/* Another's tasks: each in another way. */
static void stop_others(unsigned task)
{
    if (task == A + PERIODIC) {
        (void)CALL1(task_suspend, world_handle(B + PERIODIC));
        (void)CALL1(task_suspend, world_handle(B + SPORADIC));
        (void)CALL1(task_stop, world_handle(B + SPORADIC));
        (void)CALL1(task_delete, world_handle(B + BACKGROUND));
    }
}

static void acknowledge(unsigned task)
{
    if (task == A + SPORADIC) {
        (void)CALL1(irq_ack, world_handle(WORLD_INTERRUPT));
    }
}

static void thread_waits(void *argument)
{
    (void)argument;
    (void)CALL1(delay_until, TAKT_MS(50));
    CHECK(false);
}

static void thread_exits(void *argument)
{
    (void)argument;
    (void)CALL0(thread_exit);
}

static uintptr_t thread_make(void (*body)(void *argument))
{
    uint8_t *bytes = world_buffer(0);
    start_thread();
    ((struct takt_thread_attributes *)(void *)bytes)->entry = body;
    CHECK_EQUAL(CALL2(thread_create, bytes + 64, bytes), TAKT_OK);
    return *(uintptr_t *)(void *)(bytes + 64);
}

static void join_one(unsigned task)
{
    if (task == A + PERIODIC) {
        (void)thread_make(thread_exits);
        (void)CALL1(thread_join, thread_make(thread_waits));
        CHECK(false);
    }
}

static void leave_one(unsigned task)
{
    if (task == A + PERIODIC) {
        (void)CALL1(thread_detach, thread_make(thread_waits));
    }
}

/* All that it may create and attach. */
static void take_all(unsigned task)
{
    uint8_t *bytes = world_buffer(0);
    if (task != A + PERIODIC) {
        return;
    }
    (void)CALL1(mutex_create, bytes);
    (void)CALL1(mutex_lock, *(uintptr_t *)(void *)bytes);
    (void)CALL1(condition_create, bytes);
    (void)CALL1(events_create, bytes);
    two_numbers();
    (void)CALL2(semaphore_create, bytes, bytes + 64);
    (void)CALL2(mailbox_create, bytes, bytes + 64);
    create_alarm();
    (void)CALL2(alarm_start, world_handle(WORLD_PLACES + PLACE_ALARM), 0);
    (void)CALL1(memory_alloc, QUOTA);
    (void)CALL1(shared_attach, world_handle(WORLD_SHARED));
    (void)CALL1(device_map, world_handle(WORLD_DEVICE));
    sleep_to(END_MS);
}

static void raise(unsigned task)
{
    (void)task;
    (void)CALL3(fault_raise, TAKT_FAULT_ASSERTION, 0, 7);
}

#define LIFE(call, function)                                             \
    {                                                                    \
        .number = TAKTI_CALL_##call, .name = #function, .live = function \
    }
static const struct life lives[] = {
    LIFE(semaphore_wait, wait_for_unit),
    LIFE(semaphore_wait_until, wait_for_unit_until),
    LIFE(condition_wait, wait_for_signal),
    LIFE(condition_wait_until, wait_for_signal_until),
    LIFE(events_wait_until, wait_for_events),
    LIFE(mailbox_receive_until, wait_for_message),
    LIFE(priority_mailbox_receive, wait_for_priority),
    LIFE(pipe_read, wait_for_bytes),
    LIFE(signal_receive, wait_for_own_signal),
    LIFE(pool_allocate, wait_for_block),
    LIFE(slot_take, wait_for_slot),
    LIFE(slot_reserve, wait_for_buffer),
    LIFE(signal_allocate, wait_and_hold_signals),
    LIFE(rendezvous_call, wait_for_acceptor),
    LIFE(rendezvous_accept, wait_for_caller),
    LIFE(rendezvous_accept, serve_call),
    LIFE(rendezvous_complete, complete_call),
    LIFE(mutex_lock, wait_for_lock),
    LIFE(mutex_lock_until, wait_for_lock_until),
    LIFE(mutex_lock, hold_all),
    LIFE(delay_until, sleep_long),
    LIFE(delay, sleep_for_long),
    LIFE(job_release_at, release_far),
    LIFE(job_release_at, release_often),
    LIFE(job_release, release_now),
    LIFE(alarm_restart, alarm_far),
    LIFE(alarm_stop, alarm_off),
    LIFE(alarm_start, alarm_again),
    LIFE(watchdog_stop, watchdog_off),
    LIFE(task_stop, stop_own),
    LIFE(task_suspend, suspend_own),
    LIFE(task_stop, stop_others),
    LIFE(irq_ack, acknowledge),
    LIFE(thread_join, join_one),
    LIFE(thread_exit, join_one),
    LIFE(thread_detach, leave_one),
    LIFE(memory_alloc, take_all),
    LIFE(fault_raise, raise),
};

#endif
