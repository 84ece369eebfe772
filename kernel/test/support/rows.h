/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ROWS_H
#define ROWS_H

/* Every call that comes back, once: what has to be true before, what it takes, what it returns. */
#include "world.h"

enum { UNTIL = 1 }; /* ns: has passed */

static uint8_t *buffer(unsigned process)
{
    return world_buffer(process);
}

/* What must be true before a call can succeed. In a task of process a. */
static void lock_mutex(void)
{
    CHECK_EQUAL(CALL1(mutex_lock, world_handle(WORLD_MUTEX)), TAKT_OK);
}

static void lock_ceiling(void)
{
    CHECK_EQUAL(CALL1(ceiling_lock, world_handle(WORLD_CEILING)), TAKT_OK);
}

static void send_message(void)
{
    CHECK_EQUAL(CALL2(mailbox_try_send, world_handle(WORLD_MAILBOX), buffer(0)), TAKT_OK);
}

static void send_priority(void)
{
    CHECK_EQUAL(CALL3(priority_mailbox_try_send, world_handle(WORLD_PRIORITY_MAILBOX), buffer(0), 3), TAKT_OK);
}

static struct takt_pipe_count *pipe_count(void)
{
    struct takt_pipe_count *count = (void *)(buffer(0) + 64);
    *count = (struct takt_pipe_count){.size = 4, .least = 4};
    return count;
}

static void write_pipe(void)
{
    CHECK_EQUAL(CALL3(pipe_try_write, world_handle(WORLD_PIPE), buffer(0), pipe_count()), TAKT_OK);
    (void)pipe_count();
}

static void count_pipe(void)
{
    (void)pipe_count();
}

static void want_events(void)
{
    struct takt_events_wanted *wanted = (void *)buffer(0);
    *wanted = (struct takt_events_wanted){3, TAKT_EVENTS_CLEAR};
    (void)CALL2(events_set, world_handle(WORLD_EVENTS), 1);
}

static void wide_pipe(void)
{
    struct takti_wide {
        void *bytes;
        struct takt_pipe_count *count;
        uint64_t until_ns;
    } *wide = (void *)(buffer(0) + 128);
    wide->bytes = buffer(0);
    wide->count = pipe_count();
    wide->until_ns = UNTIL;
}

static void wide_pipe_read(void)
{
    write_pipe();
    wide_pipe();
}

static void wide_priority(void)
{
    struct {
        const void *message;
        uint64_t until_ns;
        uint32_t priority;
    } *wide = (void *)(buffer(0) + 128);
    wide->message = buffer(0);
    wide->until_ns = UNTIL;
    wide->priority = 1;
}

static void wide_rendezvous(void)
{
    struct {
        void *data;
        uint64_t until_ns;
        uint32_t size;
    } *wide = (void *)(buffer(0) + 128);
    wide->data = buffer(0);
    wide->until_ns = UNTIL;
    wide->size = 4;
}

static void hold_signal(void)
{
    uintptr_t *variable = (void *)buffer(0);
    *variable = (uintptr_t)CALL2(signal_allocate, world_handle(WORLD_SIGNALS), 7);
    CHECK(*variable != 0);
}

static void send_signal(void)
{
    hold_signal();
    (void)CALL2(signal_send, buffer(0), world_handle(WORLD_QUEUE_A));
}

static void allocate_heap_block(void)
{
    CHECK_EQUAL(CALL2(heap_allocate, 40, 8), (uintptr_t)world_heap(0) + HEAP_FIRST);
}

static void allocate_block(void)
{
    CHECK(CALL1(pool_try_allocate, world_handle(WORLD_POOL)) == (uintptr_t)world_blocks(0));
}

static void wide_signal(void)
{
    struct {
        const struct takt_signal_filter *filter;
        struct takt_signal **signal;
        uint64_t until_ns;
    } *wide = (void *)(buffer(0) + 128);
    wide->filter = NULL;
    wide->signal = (void *)buffer(0);
    wide->until_ns = UNTIL;
}

static void allocate_slot(void)
{
    CHECK_EQUAL(CALL1(slot_allocate, world_handle(WORLD_SLOT)), TAKT_OK);
}

static void open_slot(void)
{
    allocate_slot();
    (void)CALL1(slot_open, world_handle(WORLD_SLOT));
}

static void wide_slot(void)
{
    struct {
        void **buffer;
        uint64_t until_ns;
        uint32_t priority;
    } *wide = (void *)(buffer(0) + 128);
    open_slot();
    wide->buffer = (void *)buffer(0);
    wide->until_ns = UNTIL;
    wide->priority = 1;
}

/* A buffer reserved; its address is that of the first copy. */
static void reserve_buffer(void)
{
    open_slot();
    CHECK_EQUAL(CALL3(slot_try_reserve, world_handle(WORLD_SLOT), 0, buffer(0)), TAKT_OK);
}

static void commit_buffer(void)
{
    reserve_buffer();
    (void)CALL2(slot_commit, world_handle(WORLD_SLOT), *(uintptr_t *)(void *)buffer(0));
}

static void take_buffer(void)
{
    commit_buffer();
    CHECK_EQUAL(CALL2(slot_try_take, world_handle(WORLD_SLOT), buffer(0)), TAKT_OK);
}

static void hinted_set(void)
{
    struct takt_hint_set *set = (void *)buffer(0);
    uintptr_t *handles = (void *)(buffer(0) + 64);
    handles[0] = world_handle(WORLD_MUTEX);
    handles[1] = world_handle(WORLD_OWN_MUTEX);
    *set = (struct takt_hint_set){.mutexes = (void *)handles, .count = 2};
}

static void thread_body(void *argument)
{
    (void)argument;
}

static void two_numbers(void)
{
    *(struct takt_mailbox_attributes *)(void *)(buffer(0) + 64) = (struct takt_mailbox_attributes){4, 8};
}

static void few_letters(void)
{
    *(struct takt_mailbox_attributes *)(void *)(buffer(0) + 64) = (struct takt_mailbox_attributes){4, 2};
}

static void alarm_for_sporadic(void)
{
    *(struct takt_alarm_attributes *)(void *)(buffer(0) + 64) =
        (struct takt_alarm_attributes){(void *)world_handle(SPORADIC), TAKT_MS(ALARMS_APART_MS)};
}

static void create_alarm(void)
{
    alarm_for_sporadic();
    CHECK_EQUAL(CALL2(alarm_create, buffer(0), buffer(0) + 64), TAKT_OK);
    CHECK_EQUAL(*(uintptr_t *)(void *)buffer(0), world_handle(WORLD_PLACES + PLACE_ALARM));
}

static void start_thread(void)
{
    struct takt_thread_attributes *attributes = (void *)buffer(0);
    *attributes = (struct takt_thread_attributes){.stack_size = 256, .level = 3 + TASKS};
    attributes->entry = thread_body;
}

static void end_thread(void)
{
    start_thread();
    CHECK_EQUAL(CALL2(thread_create, buffer(0) + 64, buffer(0)), TAKT_OK);
    CHECK_EQUAL(CALL1(task_stop, world_handle(WORLD_PLACES)), 0);
}

static void stop_periodic(void)
{
    (void)CALL1(task_stop, world_handle(PROCESS_TASKS)); /* b's */
}

static void serve_interrupt(void)
{
    world.interrupt.task = &world.tasks[PERIODIC];
}

static void attach_shared(void)
{
    CHECK_EQUAL(CALL1(shared_attach, world_handle(WORLD_SHARED)), (uintptr_t)world_shared);
}

/* What an argument stands for that is no number. */
enum { HANDLES = 1000, AT_BUFFER = 2000, AT_COUNT = AT_BUFFER + 64, AT_WIDE = AT_BUFFER + 128 };
enum { AT_BLOCK = AT_BUFFER + MEMORY - GUARD - QUOTA - COPIES - BLOCK * BLOCKS }; /* world_blocks */
enum { AT_HEAP = AT_BUFFER + HEAP_AT - GUARD + HEAP_FIRST };
enum { AT_SLOT = AT_BLOCK - TAKT_SLOT_BYTES(MESSAGE, SLOT_MESSAGES) + sizeof(struct takt_message_buffer) };
#define HANDLE(object) (HANDLES + (object))
#define ANY_RESULT UINT64_MAX

struct row {
    unsigned number;
    const char *name;
    void (*before)(void);
    unsigned arguments[3];
    uint64_t result;
    unsigned task; /* of a */
};

#define ROW(call, ...)                                          \
    {                                                           \
        .number = TAKTI_CALL_##call, .name = #call, __VA_ARGS__ \
    }
static const struct row rows[] = {
    ROW(process_null, .result = 0),
    ROW(task_start, .before = stop_periodic, .arguments = {HANDLE(PROCESS_TASKS)}, .result = TAKT_OK),
    ROW(task_stop, .arguments = {HANDLE(PROCESS_TASKS)}),
    ROW(task_delete, .arguments = {HANDLE(PROCESS_TASKS)}),
    ROW(task_stopped, .before = stop_periodic, .arguments = {HANDLE(PROCESS_TASKS)}, .result = 1),
    ROW(task_suspend, .arguments = {HANDLE(PROCESS_TASKS)}),
    ROW(task_resume, .arguments = {HANDLE(PROCESS_TASKS)}),
    ROW(task_cancel, .arguments = {HANDLE(PROCESS_TASKS)}, .result = TAKT_STATE),
    ROW(task_running, .result = PERIODIC | 1 << 16),
    ROW(task_yield, .result = 0),
    ROW(task_statistics, .arguments = {HANDLE(0), AT_BUFFER}),
    ROW(job_wait, .result = 0),
    ROW(job_release_ns, .result = 0),
    ROW(job_deadline_ns, .result = 10000000),
    ROW(job_release, .arguments = {HANDLE(SPORADIC)}),
    ROW(job_release_at, .arguments = {HANDLE(SPORADIC), 600}),
    ROW(now, .result = 0),
    ROW(delay_until, .arguments = {500}, .result = ANY_RESULT),
    ROW(delay, .arguments = {500}, .result = ANY_RESULT),
    ROW(mutex_lock, .arguments = {HANDLE(WORLD_MUTEX)}),
    ROW(mutex_lock_until, .arguments = {HANDLE(WORLD_MUTEX), UNTIL}),
    ROW(mutex_try_lock, .arguments = {HANDLE(WORLD_MUTEX)}),
    ROW(mutex_unlock, .before = lock_mutex, .arguments = {HANDLE(WORLD_MUTEX)}),
    ROW(mutex_delete, .arguments = {HANDLE(WORLD_MUTEX)}),
    ROW(ceiling_lock, .arguments = {HANDLE(WORLD_CEILING)}),
    ROW(ceiling_lock_until, .arguments = {HANDLE(WORLD_CEILING), UNTIL}),
    ROW(ceiling_try_lock, .arguments = {HANDLE(WORLD_CEILING)}),
    ROW(ceiling_unlock, .before = lock_ceiling, .arguments = {HANDLE(WORLD_CEILING)}),
    ROW(ceiling_delete, .arguments = {HANDLE(WORLD_CEILING)}),
    ROW(condition_wait_until, .before = lock_mutex, .arguments = {HANDLE(WORLD_CONDITION), HANDLE(WORLD_MUTEX), UNTIL},
        .result = TAKT_TIMEOUT),
    ROW(condition_signal, .arguments = {HANDLE(WORLD_CONDITION)}),
    ROW(condition_broadcast, .arguments = {HANDLE(WORLD_CONDITION)}),
    ROW(condition_delete, .arguments = {HANDLE(WORLD_CONDITION)}),
    ROW(semaphore_wait, .arguments = {HANDLE(WORLD_SEMAPHORE)}),
    ROW(semaphore_wait_until, .arguments = {HANDLE(WORLD_SEMAPHORE), UNTIL}),
    ROW(semaphore_wait_in_turn, .arguments = {HANDLE(WORLD_SEMAPHORE), UNTIL}),
    ROW(semaphore_try_wait, .arguments = {HANDLE(WORLD_SEMAPHORE)}),
    ROW(semaphore_post, .arguments = {HANDLE(WORLD_SEMAPHORE)}),
    ROW(semaphore_flush, .arguments = {HANDLE(WORLD_SEMAPHORE)}),
    ROW(semaphore_count, .arguments = {HANDLE(WORLD_SEMAPHORE)}, .result = 1),
    ROW(semaphore_delete, .arguments = {HANDLE(WORLD_SEMAPHORE)}),
    ROW(events_set, .arguments = {HANDLE(WORLD_EVENTS), 4}),
    ROW(events_clear, .arguments = {HANDLE(WORLD_EVENTS), 4}),
    ROW(events_get, .before = want_events, .arguments = {HANDLE(WORLD_EVENTS)}, .result = 1),
    ROW(events_wait, .before = want_events, .arguments = {HANDLE(WORLD_EVENTS), AT_BUFFER}),
    ROW(events_wait_until, .before = want_events, .arguments = {HANDLE(WORLD_EVENTS), AT_BUFFER, UNTIL}),
    ROW(events_try_wait, .before = want_events, .arguments = {HANDLE(WORLD_EVENTS), AT_BUFFER}),
    ROW(events_delete, .arguments = {HANDLE(WORLD_EVENTS)}),
    ROW(mailbox_send, .arguments = {HANDLE(WORLD_MAILBOX), AT_BUFFER}),
    ROW(mailbox_send_until, .arguments = {HANDLE(WORLD_MAILBOX), AT_BUFFER, UNTIL}),
    ROW(mailbox_try_send, .arguments = {HANDLE(WORLD_MAILBOX), AT_BUFFER}),
    ROW(mailbox_receive, .before = send_message, .arguments = {HANDLE(WORLD_MAILBOX), AT_BUFFER}),
    ROW(mailbox_receive_until, .arguments = {HANDLE(WORLD_MAILBOX), AT_BUFFER, UNTIL}, .result = TAKT_TIMEOUT),
    ROW(mailbox_try_receive, .arguments = {HANDLE(WORLD_MAILBOX), AT_BUFFER}, .result = TAKT_BUSY),
    ROW(mailbox_count, .before = send_message, .arguments = {HANDLE(WORLD_MAILBOX)}, .result = 1),
    ROW(mailbox_delete, .arguments = {HANDLE(WORLD_MAILBOX)}),
    ROW(priority_mailbox_send, .arguments = {HANDLE(WORLD_PRIORITY_MAILBOX), AT_BUFFER, 5}),
    ROW(priority_mailbox_send_until, .before = wide_priority, .arguments = {HANDLE(WORLD_PRIORITY_MAILBOX), AT_WIDE}),
    ROW(priority_mailbox_try_send, .arguments = {HANDLE(WORLD_PRIORITY_MAILBOX), AT_BUFFER, 5}),
    ROW(priority_mailbox_send_urgent, .arguments = {HANDLE(WORLD_PRIORITY_MAILBOX), AT_BUFFER}),
    ROW(priority_mailbox_send_urgent_until, .arguments = {HANDLE(WORLD_PRIORITY_MAILBOX), AT_BUFFER, UNTIL}),
    ROW(priority_mailbox_try_send_urgent, .arguments = {HANDLE(WORLD_PRIORITY_MAILBOX), AT_BUFFER}),
    ROW(priority_mailbox_broadcast, .arguments = {HANDLE(WORLD_PRIORITY_MAILBOX), AT_BUFFER}),
    ROW(priority_mailbox_receive, .before = send_priority, .arguments = {HANDLE(WORLD_PRIORITY_MAILBOX), AT_BUFFER}),
    ROW(priority_mailbox_receive_until, .arguments = {HANDLE(WORLD_PRIORITY_MAILBOX), AT_BUFFER, UNTIL},
        .result = TAKT_TIMEOUT),
    ROW(priority_mailbox_try_receive, .arguments = {HANDLE(WORLD_PRIORITY_MAILBOX), AT_BUFFER}, .result = TAKT_BUSY),
    ROW(priority_mailbox_delete, .arguments = {HANDLE(WORLD_PRIORITY_MAILBOX)}),
    ROW(pipe_write, .before = count_pipe, .arguments = {HANDLE(WORLD_PIPE), AT_BUFFER, AT_COUNT}),
    ROW(pipe_write_until, .before = wide_pipe, .arguments = {HANDLE(WORLD_PIPE), AT_WIDE}),
    ROW(pipe_try_write, .before = count_pipe, .arguments = {HANDLE(WORLD_PIPE), AT_BUFFER, AT_COUNT}),
    ROW(pipe_read, .before = write_pipe, .arguments = {HANDLE(WORLD_PIPE), AT_BUFFER, AT_COUNT}),
    ROW(pipe_read_until, .before = wide_pipe_read, .arguments = {HANDLE(WORLD_PIPE), AT_WIDE}),
    ROW(pipe_try_read, .before = count_pipe, .arguments = {HANDLE(WORLD_PIPE), AT_BUFFER, AT_COUNT},
        .result = TAKT_BUSY),
    ROW(pipe_delete, .arguments = {HANDLE(WORLD_PIPE)}),
    ROW(rendezvous_call_until, .before = wide_rendezvous, .arguments = {HANDLE(WORLD_RENDEZVOUS), AT_WIDE},
        .result = TAKT_TIMEOUT),
    ROW(rendezvous_accept_until, .arguments = {HANDLE(WORLD_RENDEZVOUS), AT_BUFFER, UNTIL}, .result = TAKT_TIMEOUT),
    ROW(rendezvous_try_accept, .arguments = {HANDLE(WORLD_RENDEZVOUS), AT_BUFFER}, .result = TAKT_BUSY),
    ROW(rendezvous_delete, .arguments = {HANDLE(WORLD_RENDEZVOUS)}),
    ROW(alarm_start, .arguments = {HANDLE(WORLD_ALARM), 500}),
    ROW(alarm_restart, .arguments = {HANDLE(WORLD_ALARM), 500}),
    ROW(alarm_stop, .arguments = {HANDLE(WORLD_ALARM)}, .result = TAKT_STATE),
    ROW(alarm_remaining_ns, .arguments = {HANDLE(WORLD_ALARM)}, .result = ANY_RESULT),
    ROW(alarm_missed, .arguments = {HANDLE(WORLD_ALARM)}),
    ROW(watchdog_start, .arguments = {HANDLE(WORLD_WATCHDOG)}),
    ROW(watchdog_kick, .arguments = {HANDLE(WORLD_WATCHDOG)}),
    ROW(watchdog_stop, .arguments = {HANDLE(WORLD_WATCHDOG)}, .result = TAKT_STATE),
    ROW(watchdog_expired, .arguments = {HANDLE(WORLD_WATCHDOG)}),
    ROW(state_read_locked, .arguments = {HANDLE(WORLD_STATE), AT_BUFFER, 16}),
    ROW(hint_next, .arguments = {HANDLE(WORLD_MUTEX)}),
#if TAKT_BUDGETS
    ROW(task_budget_ns, .arguments = {HANDLE(0)}, .result = ANY_RESULT),
    ROW(task_exhausted, .arguments = {HANDLE(0)}),
#endif
    ROW(memory_alloc, .arguments = {32}, .result = ANY_RESULT),
    ROW(shared_attach, .arguments = {HANDLE(WORLD_SHARED)}, .result = ANY_RESULT),
    ROW(shared_detach, .before = attach_shared, .arguments = {HANDLE(WORLD_SHARED)}),
    ROW(device_map, .arguments = {HANDLE(WORLD_DEVICE)}, .result = ANY_RESULT),
    ROW(irq_attach, .arguments = {HANDLE(WORLD_INTERRUPT)}),
    ROW(irq_ack, .before = serve_interrupt, .arguments = {HANDLE(WORLD_INTERRUPT)}),
    ROW(thread_create, .before = start_thread, .arguments = {AT_COUNT, AT_BUFFER}),
    ROW(thread_join, .before = end_thread, .arguments = {HANDLE(WORLD_PLACES)}),
    ROW(thread_join_until, .before = end_thread, .arguments = {HANDLE(WORLD_PLACES), UNTIL}),
    ROW(thread_detach, .before = end_thread, .arguments = {HANDLE(WORLD_PLACES)}),
    ROW(mutex_create, .arguments = {AT_BUFFER}),
    ROW(condition_create, .arguments = {AT_BUFFER}),
    ROW(events_create, .arguments = {AT_BUFFER}),
    ROW(semaphore_create, .before = two_numbers, .arguments = {AT_BUFFER, AT_COUNT}),
    ROW(mailbox_create, .before = two_numbers, .arguments = {AT_BUFFER, AT_COUNT}),
    ROW(priority_mailbox_create, .before = few_letters, .arguments = {AT_BUFFER, AT_COUNT}),
    ROW(pipe_create, .arguments = {AT_BUFFER, BUFFERS}),
    ROW(alarm_create, .before = alarm_for_sporadic, .arguments = {AT_BUFFER, AT_COUNT}),
    ROW(alarm_delete, .before = create_alarm, .arguments = {HANDLE(WORLD_PLACES + PLACE_ALARM)}),
    ROW(signal_allocate, .arguments = {HANDLE(WORLD_SIGNALS), 3}, .result = ANY_RESULT),
    ROW(signal_send, .before = hold_signal, .arguments = {AT_BUFFER, HANDLE(WORLD_QUEUE_A)}),
    ROW(signal_receive, .before = send_signal, .arguments = {HANDLE(WORLD_QUEUE_A), 0, AT_BUFFER}),
    ROW(signal_receive_until, .before = wide_signal, .arguments = {HANDLE(WORLD_QUEUE_A), AT_WIDE},
        .result = TAKT_TIMEOUT),
    ROW(signal_try_receive, .arguments = {HANDLE(WORLD_QUEUE_A), 0, AT_BUFFER}, .result = TAKT_BUSY),
    ROW(signal_free, .before = hold_signal, .arguments = {AT_BUFFER}),
    ROW(pool_allocate, .arguments = {HANDLE(WORLD_POOL), AT_BUFFER}),
    ROW(pool_allocate_until, .arguments = {HANDLE(WORLD_POOL), AT_BUFFER, UNTIL}),
    ROW(pool_try_allocate, .arguments = {HANDLE(WORLD_POOL)}, .result = ANY_RESULT),
    ROW(pool_free, .before = allocate_block, .arguments = {HANDLE(WORLD_POOL), AT_BLOCK}),
    ROW(pool_delete, .arguments = {HANDLE(WORLD_POOL)}),
    ROW(slot_allocate, .arguments = {HANDLE(WORLD_SLOT)}, .result = TAKT_OK),
    ROW(slot_open, .before = allocate_slot, .arguments = {HANDLE(WORLD_SLOT)}),
    ROW(slot_close, .before = commit_buffer, .arguments = {HANDLE(WORLD_SLOT)}, .result = 1),
    ROW(slot_deallocate, .before = allocate_slot, .arguments = {HANDLE(WORLD_SLOT)}, .result = TAKT_OK),
    ROW(slot_reserve, .before = open_slot, .arguments = {HANDLE(WORLD_SLOT), 0, AT_BUFFER}, .result = TAKT_OK),
    ROW(slot_reserve_until, .before = wide_slot, .arguments = {HANDLE(WORLD_SLOT), AT_WIDE}, .result = TAKT_OK),
    ROW(slot_try_reserve, .before = open_slot, .arguments = {HANDLE(WORLD_SLOT), 0, AT_BUFFER}, .result = TAKT_OK),
    ROW(slot_commit, .before = reserve_buffer, .arguments = {HANDLE(WORLD_SLOT), AT_SLOT}),
    ROW(slot_take, .before = commit_buffer, .arguments = {HANDLE(WORLD_SLOT), AT_BUFFER}, .result = TAKT_OK),
    ROW(slot_take_until, .before = open_slot, .arguments = {HANDLE(WORLD_SLOT), AT_BUFFER, UNTIL},
        .result = TAKT_TIMEOUT),
    ROW(slot_try_take, .before = open_slot, .arguments = {HANDLE(WORLD_SLOT), AT_BUFFER}, .result = TAKT_BUSY),
    ROW(slot_release, .before = take_buffer, .arguments = {HANDLE(WORLD_SLOT), AT_SLOT}),
    ROW(slot_flush, .before = commit_buffer, .arguments = {HANDLE(WORLD_SLOT)}),
    ROW(slot_info, .arguments = {HANDLE(WORLD_SLOT), AT_BUFFER}),
    ROW(heap_allocate, .arguments = {40, 8}, .result = ANY_RESULT),
    ROW(heap_free, .before = allocate_heap_block, .arguments = {AT_HEAP}),
    ROW(heap_resize, .before = allocate_heap_block, .arguments = {AT_HEAP, 80}, .result = 1),
    ROW(log_put, .arguments = {4, 1, 2}),
    ROW(log_put_words, .arguments = {4, AT_BUFFER, 4}),
    ROW(hint_next_set, .before = hinted_set, .arguments = {AT_BUFFER}),
#if TAKT_PROCESS_START
    ROW(process_start, .arguments = {HANDLE(WORLD_PROCESS_B)}, .result = TAKT_STATE),
    ROW(process_stop, .arguments = {HANDLE(WORLD_PROCESS_B)}, .result = TAKT_OK),
    ROW(process_stopped, .arguments = {HANDLE(WORLD_PROCESS_B)}, .result = 0),
#endif
    ROW(board_console_write, .arguments = {AT_BUFFER, 4}),
    ROW(board_link_exchange, .arguments = {AT_BUFFER, 4, AT_COUNT}, .result = 0),
};

static uintptr_t argument_of(const struct row *row, unsigned process, unsigned place)
{
    unsigned given = row->arguments[place];
    if (given >= AT_BUFFER) {
        return (uintptr_t)(buffer(process) + given - AT_BUFFER);
    }
    return given >= HANDLES ? world_handle(given - HANDLES) : given;
}

static uint64_t row_call(const struct row *row, unsigned process)
{
    return world_call(row->number, argument_of(row, process, 0), argument_of(row, process, 1),
                      argument_of(row, process, 2), 0);
}

#endif
