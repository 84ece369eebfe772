/* SPDX-License-Identifier: Apache-2.0 */
/* Every call, by a process that may make it and by one that may not; handles and pointers at their edges. */
#include "kernel/test/support/rows.h"
#include "kernel/test/support/world.h"

#include "kernel/core/kernel.h"
#include "kernel/process/check.h"

static const struct row *row;
static bool returned;
static uint64_t result;

static void make_call(unsigned task)
{
    unsigned process = task / PROCESS_TASKS;
    if (process == 0 && row->before != NULL) {
        row->before();
    }
    result = row_call(row, process);
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
    result = world_call(one.number, one.words[0], one.words[1], one.words[2], 0);
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
    check_one(true, TAKTI_CALL_log_put_words, 4, base + MEMORY - 64, 16);
    check_one(false, TAKTI_CALL_log_put_words, 4, base + MEMORY - 60, 16);
    check_one(false, TAKTI_CALL_log_put_words, 4, base + 2, 2);
    check_one(false, TAKTI_CALL_log_put_words, 4, base, 17);
    check_one(false, TAKTI_CALL_log_put_words, 4, base, 1);
    check_one(false, TAKTI_CALL_log_put_words, 4, base, UINTPTR_MAX / 2);
    check_one(true, TAKTI_CALL_log_put, UINTPTR_MAX, 1, 2);
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

static void check_damaged(unsigned number, uintptr_t first, uintptr_t second)
{
    check_one(false, number, first, second, 0);
    CHECK_EQUAL(takt_process_faults.records[0].cause, TAKT_PROCESS_HEAP_DAMAGED);
    CHECK_EQUAL(takt_process_faults.records[0].address,
                number == TAKTI_CALL_heap_allocate ? (uintptr_t)world_heap(0) : first);
    CHECK(takt_process_faults.records[0].pc != 0);
}

static void overwrite(void)
{
    allocate_heap_block();
    memset(world_heap(0) + HEAP_FIRST + 40, 0xFF, 1); /* one byte behind it */
}

static void free_twice(void)
{
    allocate_heap_block();
    (void)CALL1(heap_free, world_heap(0) + HEAP_FIRST);
}

static void by_process_c(unsigned task)
{
    (void)task;
    (void)world_call(one.number, one.words[0], one.words[1], one.words[2], 0);
    returned = true;
}

static void test_heap(void)
{
    const struct row allocated = {.before = allocate_heap_block}, overwritten = {.before = overwrite};
    const struct row freed = {.before = free_twice};
    uintptr_t block = (uintptr_t)world_heap(0) + HEAP_FIRST;
    row = &allocated;
    check_one(true, TAKTI_CALL_heap_free, block, 0, 0);
    check_one(true, TAKTI_CALL_heap_resize, block, 8, 0);
    CHECK_EQUAL(result, 1);
    check_one(true, TAKTI_CALL_heap_resize, block, HEAP, 0);
    CHECK_EQUAL(result, 0);
    check_one(true, TAKTI_CALL_heap_resize, block, UINTPTR_MAX, 0);
    CHECK_EQUAL(result, 0);
    const uintptr_t none[] = {0,
                              8,
                              block - 8,
                              block + 1,
                              block + 8,
                              block + HEAP,
                              UINTPTR_MAX,
                              UINTPTR_MAX - 7,
                              (uintptr_t)world_heap(1) + HEAP_FIRST,
                              (uintptr_t)world_heap(0),
                              (uintptr_t)world_heap(0) + 8,
                              (uintptr_t)world_heap(0) - 8,
                              (uintptr_t)&takti_kernel,
                              (uintptr_t)world_outside,
                              block + ((uintptr_t)1 << 32)};
    for (unsigned number = 0; number < sizeof none / sizeof *none; number++) {
        check_damaged(TAKTI_CALL_heap_free, none[number], 0);
        check_damaged(TAKTI_CALL_heap_resize, none[number], 8);
    }
    const uintptr_t full[][2] = {{HEAP, 8}, {UINTPTR_MAX, 8},        {UINTPTR_MAX - 15, 8},  {(uintptr_t)1 << 32, 8},
                                 {8, HEAP}, {8, (uintptr_t)1 << 63}, {8, (uintptr_t)1 << 32}};
    for (unsigned number = 0; number < sizeof full / sizeof *full; number++) {
        check_one(true, TAKTI_CALL_heap_allocate, full[number][0], full[number][1], 0);
        CHECK_EQUAL(result, 0);
    }
    check_one(false, TAKTI_CALL_heap_allocate, 8, 0, 0);
    check_one(false, TAKTI_CALL_heap_allocate, 8, 24, 0);
    CHECK_EQUAL(takt_process_faults.records[0].cause, TAKT_PROCESS_CALL);
    row = &freed;
    check_damaged(TAKTI_CALL_heap_free, block, 0);
    row = &overwritten;
    check_damaged(TAKTI_CALL_heap_free, block, 0);
    check_damaged(TAKTI_CALL_heap_allocate, 100, 8);
    const unsigned calls[] = {TAKTI_CALL_heap_allocate, TAKTI_CALL_heap_free, TAKTI_CALL_heap_resize};
    for (unsigned number = 0; number < sizeof calls / sizeof *calls; number++) { /* a process without a heap */
        one.number = calls[number];
        one.words[0] = number == 0 ? 8 : block;
        one.words[1] = 8;
        returned = false;
        world_new(0);
        world.work[2 * PROCESS_TASKS] = by_process_c;
        world_run(25);
        CHECK(!returned && takt_process_faults.count == 1);
        CHECK_EQUAL(takt_process_faults.records[0].cause, TAKT_PROCESS_CALL);
        CHECK_EQUAL(takt_process_faults.records[0].process, 2);
    }
}

/* Those that no row can make with one call alone: they block, or do not return. */
static const unsigned elsewhere[] = {TAKTI_CALL_fault_raise,         TAKTI_CALL_condition_wait,
                                     TAKTI_CALL_rendezvous_call,     TAKTI_CALL_rendezvous_accept,
                                     TAKTI_CALL_rendezvous_complete, TAKTI_CALL_thread_exit};

static void test_ranges(void)
{
    CHECK(takti_within(100, 10, 100, 10));
    CHECK(takti_within(100, 10, 110, 0));
    CHECK(!takti_within(100, 10, 101, 10));
    CHECK(!takti_within(100, 10, 99, 1));
    CHECK(!takti_within(100, 10, 100, 11));
    CHECK(!takti_within(100, 10, 105, UINTPTR_MAX));
}

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
    test_heap();
    test_ranges();
    return 0;
}
