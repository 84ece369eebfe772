/* SPDX-License-Identifier: Apache-2.0 */
/* Every call, by a process that may make it and by one that may not; handles and pointers at their edges. */
#include "world.h"

#include "kernel/src/kernel.h"

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

static void thread_body(void *argument)
{
    (void)argument;
}

static void two_numbers(void)
{
    *(struct takt_mailbox_attributes *)(void *)(buffer(0) + 64) = (struct takt_mailbox_attributes){4, 8};
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
    ROW(pipe_create, .arguments = {AT_BUFFER, BUFFERS}),
    ROW(board_console_write, .arguments = {AT_BUFFER, 4}),
    ROW(board_link_exchange, .arguments = {AT_BUFFER, 4, AT_COUNT}, .result = 0),
};

static const struct row *row;
static bool returned;
static uint64_t result;

static uintptr_t argument_of(unsigned process, unsigned place)
{
    unsigned given = row->arguments[place];
    if (given >= AT_BUFFER) {
        return (uintptr_t)(buffer(process) + given - AT_BUFFER);
    }
    return given >= HANDLES ? world_handle(given - HANDLES) : given;
}

static void make_call(unsigned task)
{
    unsigned process = task / PROCESS_TASKS;
    if (process == 0 && row->before != NULL) {
        row->before();
    }
    result = world_call(row->number, argument_of(process, 0), argument_of(process, 1), argument_of(process, 2), 0);
    returned = true;
    (void)CALL1(delay_until, TAKT_MS(1));
    for (;;) {
        (void)CALL1(delay_until, TAKT_FOREVER);
    }
}

static void check_allowed(void)
{
    world_new(0);
    returned = false;
    world.work[PERIODIC] = make_call;
    world_run(5);
    if (takt_process_faults.count != 0 || (!returned && row->number != TAKTI_CALL_job_wait)) {
        printf("%s: %u faults, returned %d\n", row->name, takt_process_faults.count, returned);
        check_failed();
    }
    if (row->result != ANY_RESULT && result != row->result) {
        printf("%s returned %llu, not %llu\n", row->name, (unsigned long long)result, (unsigned long long)row->result);
        check_failed();
    }
}

/* Process c has no rights: a call with a handle is its fault, of that cause and handle, and nobody else's. */
static void check_refused(void)
{
    if (row->arguments[0] < HANDLES || row->arguments[0] >= AT_BUFFER) {
        return;
    }
    world_new(0);
    returned = false;
    world.work[2 * PROCESS_TASKS] = make_call;
    world_run(25);
    bool refused = !returned && takt_process_faults.count == 1;
    const struct takt_process_fault_record *fault = &takt_process_faults.records[0];
    if (!refused || fault->cause != TAKT_PROCESS_CALL || fault->process != 2 ||
        fault->address != world_handle(row->arguments[0] - HANDLES) || fault->pc == 0) {
        if (row->number != TAKTI_CALL_priority_mailbox_send_until) { /* looks at its message first */
            printf("%s by a process without the right\n", row->name);
            check_failed();
        }
    }
    CHECK_EQUAL(world.processes[2].state, TAKTI_PROCESS_STOPPED);
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_RUNS);
}

/* One call that is a fault, by process a. */
static struct {
    unsigned number;
    uintptr_t words[3];
} one;

static void make_one(unsigned task)
{
    (void)task;
    if (row != NULL && row->before != NULL) {
        row->before();
    }
    (void)world_call(one.number, one.words[0], one.words[1], one.words[2], 0);
    returned = true;
    (void)CALL1(delay_until, TAKT_FOREVER);
}

static void check_one(bool allowed, unsigned number, uintptr_t first, uintptr_t second, uintptr_t third)
{
    one.number = number;
    one.words[0] = first;
    one.words[1] = second;
    one.words[2] = third;
    returned = false;
    world_new(0);
    world.work[PERIODIC] = make_one;
    world_run(5);
    if (returned != allowed || takt_process_faults.count != (allowed ? 0 : 1)) {
        printf("call %u(%#lx, %#lx, %#lx): returned %d, %u faults\n", number, (unsigned long)first,
               (unsigned long)second, (unsigned long)third, returned, takt_process_faults.count);
        check_failed();
    }
}

static void test_handles(void)
{
    row = NULL;
    uintptr_t good = WORLD_SEMAPHORE | 1u << 16;
    check_one(true, TAKTI_CALL_semaphore_post, good, 0, 0);
    check_one(false, TAKTI_CALL_semaphore_post, WORLD_SEMAPHORE, 0, 0);            /* no generation */
    check_one(false, TAKTI_CALL_semaphore_post, WORLD_SEMAPHORE | 2u << 16, 0, 0); /* of another */
    check_one(false, TAKTI_CALL_semaphore_post, WORLD_MUTEX | 1u << 16, 0, 0);     /* kind */
    check_one(false, TAKTI_CALL_semaphore_post, good | (uintptr_t)1 << 32, 0, 0);
    check_one(false, TAKTI_CALL_semaphore_post, UINTPTR_MAX, 0, 0);
    check_one(false, TAKTI_CALL_semaphore_post, 64 | 1u << 16, 0, 0);
    check_one(false, TAKTI_CALL_semaphore_post, (WORLD_PLACES + PROCESSES * PROCESS_PLACES) | 1u << 16, 0, 0);
    check_one(false, TAKTI_CALL_task_suspend, (WORLD_PLACES) | 1u << 16, 0, 0); /* a place that is free */
    check_one(false, TAKTI_CALL_semaphore_wait, WORLD_TRIGGER | 1u << 16, 0, 0);
    check_one(false, TAKTI_CALL_COUNT, 0, 0, 0);
    check_one(false, UINT32_MAX, 0, 0, 0);
}

static void test_pointers(void)
{
    uintptr_t mailbox = WORLD_MAILBOX | 1u << 16;
    uintptr_t base = (uintptr_t)world_memory[0];
    const struct row send = {.before = send_message};
    row = &send;
    const struct {
        uintptr_t address;
        bool write;
        bool read;
    } edges[] = {{base, true, true},
                 {base - 1, false, false},
                 {base + MEMORY - MESSAGE, true, true},
                 {base + MEMORY - MESSAGE + 1, false, false},
                 {base + MEMORY, false, false},
                 {base + MEMORY + 1, false, false},
                 {0, false, false},
                 {UINTPTR_MAX, false, false},
                 {UINTPTR_MAX - MESSAGE + 1, false, false},
                 {(uintptr_t)world_memory[1], false, false},
                 {(uintptr_t)&takti_kernel, false, false},
                 {(uintptr_t)world_text, false, true},
                 {(uintptr_t)world_text + sizeof world_text - MESSAGE, false, true},
                 {(uintptr_t)world_text + sizeof world_text - MESSAGE + 1, false, false},
                 {world.process_configs[0].regions[1].base, false, true},
                 {world.process_configs[1].regions[1].base, false, false}};
    for (unsigned edge = 0; edge < sizeof edges / sizeof *edges; edge++) {
        check_one(edges[edge].read, TAKTI_CALL_mailbox_try_send, mailbox, edges[edge].address, 0);
        check_one(edges[edge].write, TAKTI_CALL_mailbox_try_receive, mailbox, edges[edge].address, 0);
    }
    uintptr_t events = WORLD_EVENTS | 1u << 16;
    const struct row wanted = {.before = want_events};
    row = &wanted;
    check_one(true, TAKTI_CALL_events_try_wait, events, (uintptr_t)buffer(0), 0);
    check_one(false, TAKTI_CALL_events_try_wait, events, (uintptr_t)buffer(0) + 2, 0); /* not aligned */
    check_one(true, TAKTI_CALL_board_console_write, base + MEMORY - 64, 64, 0);
    check_one(false, TAKTI_CALL_board_console_write, base + MEMORY - 63, 64, 0);
    check_one(false, TAKTI_CALL_board_console_write, base, 65, 0); /* more than a trap's */
    check_one(false, TAKTI_CALL_board_console_write, base, UINTPTR_MAX, 0);
    check_one(false, TAKTI_CALL_board_console_write, base + 8, UINTPTR_MAX - 7, 0);
}

/* What unprotected kernels assert of their callers is a fault here. */
static void test_preconditions(void)
{
    const struct row nothing = {0};
    const struct row locked = {.before = lock_mutex};
    const struct row ceiling = {.before = lock_ceiling};
    const struct row count = {.before = count_pipe};
    const struct row thread = {.before = start_thread};
    uintptr_t mutex = WORLD_MUTEX | 1u << 16;
    row = &nothing;
    check_one(false, TAKTI_CALL_mutex_unlock, mutex, 0, 0);
    check_one(false, TAKTI_CALL_ceiling_unlock, WORLD_CEILING | 1u << 16, 0, 0);
    check_one(false, TAKTI_CALL_condition_wait, WORLD_CONDITION | 1u << 16, mutex, 0);
    check_one(false, TAKTI_CALL_delay, UINTPTR_MAX, 0, 0);
    check_one(false, TAKTI_CALL_rendezvous_complete, (uintptr_t)buffer(0), 0, 0);
    check_one(false, TAKTI_CALL_alarm_start, WORLD_ALARM | 1u << 16, (uintptr_t)TAKT_FOREVER, 0);
    check_one(false, TAKTI_CALL_job_release, PERIODIC | 1u << 16, 0, 0);
    check_one(false, TAKTI_CALL_thread_join, PERIODIC | 1u << 16, 0, 0);
    check_one(false, TAKTI_CALL_events_try_wait, WORLD_EVENTS | 1u << 16, (uintptr_t)buffer(0), 0); /* no flags */
    check_one(false, TAKTI_CALL_state_read_locked, WORLD_STATE | 1u << 16, (uintptr_t)buffer(0), 15);
    row = &locked;
    check_one(false, TAKTI_CALL_mutex_lock, mutex, 0, 0);
    check_one(false, TAKTI_CALL_mutex_try_lock, mutex, 0, 0);
    check_one(false, TAKTI_CALL_job_wait, 0, 0, 0);
    check_one(false, TAKTI_CALL_thread_exit, 0, 0, 0);
    row = &ceiling;
    check_one(false, TAKTI_CALL_ceiling_lock, WORLD_CEILING | 1u << 16, 0, 0);
    row = &count;
    check_one(false, TAKTI_CALL_pipe_try_write, WORLD_PIPE | 1u << 16, (uintptr_t)world_memory[1],
              (uintptr_t)buffer(0) + 64);
    row = &thread;
    check_one(true, TAKTI_CALL_thread_create, (uintptr_t)buffer(0) + 64, (uintptr_t)buffer(0), 0);
    check_one(false, TAKTI_CALL_fault_raise, TAKT_FAULT_ASSERTION, 0, 7);
    CHECK_EQUAL(takt_process_faults.records[0].cause, TAKT_PROCESS_ASSERTION);
    CHECK_EQUAL(takt_process_faults.records[0].address, 7);
}

/* Those that no row can make with one call alone: they block, or do not return. */
static const unsigned elsewhere[] = {TAKTI_CALL_fault_raise,         TAKTI_CALL_condition_wait,
                                     TAKTI_CALL_rendezvous_call,     TAKTI_CALL_rendezvous_accept,
                                     TAKTI_CALL_rendezvous_complete, TAKTI_CALL_thread_exit};

int main(void)
{
    bool seen[TAKTI_CALL_COUNT] = {false};
    for (row = rows; row < rows + sizeof rows / sizeof *rows; row++) {
        check_allowed();
        check_refused();
        seen[row->number] = true;
    }
    for (unsigned place = 0; place < sizeof elsewhere / sizeof *elsewhere; place++) {
        seen[elsewhere[place]] = true;
    }
    for (unsigned number = 0; number < TAKTI_CALL_COUNT; number++) {
        CHECK(seen[number] || takti_call_table[number] == NULL);
    }
    test_handles();
    test_pointers();
    test_preconditions();
    return 0;
}
