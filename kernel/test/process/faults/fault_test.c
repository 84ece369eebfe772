/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of a process that faults, of what it held, and of others; and that it starts again as it began. */
#include "kernel/test/support/notes.h"
#include "kernel/test/support/world.h"

#include "kernel/core/kernel.h"

/* a's: holds the mutex, and leaves all that it can, at 3 ms. */
static void hold_and_fault(unsigned task)
{
    if (takt_process_faults.count > 0) {
        sleep_to(1000);
        return;
    }
    uint8_t *buffer = world_buffer(0);
    struct takt_thread_attributes *attributes = (void *)(buffer + 64);
    CHECK_EQUAL(CALL1(mutex_lock, world_handle(WORLD_MUTEX)), TAKT_OK);
    CHECK_EQUAL(CALL1(mutex_lock, world_handle(WORLD_OWN_MUTEX)), TAKT_OK);
    CHECK_EQUAL(CALL1(ceiling_lock, world_handle(WORLD_CEILING)), TAKT_OK);
    CHECK_EQUAL(CALL1(semaphore_wait, world_handle(WORLD_OWN_SEMAPHORE)), TAKT_OK);
    CHECK_EQUAL(CALL1(shared_attach, world_handle(WORLD_SHARED)), (uintptr_t)world_shared);
    CHECK(CALL1(memory_alloc, QUOTA / 2) != 0);
    *attributes = (struct takt_thread_attributes){.stack_size = 256, .level = 3 + TASKS};
    attributes->entry = (void (*)(void *))(uintptr_t)attributes; /* it is never reached */
    CHECK_EQUAL(CALL2(thread_create, buffer, attributes), TAKT_OK);
    (void)CALL1(ceiling_unlock, world_handle(WORLD_CEILING));
    CHECK_EQUAL(CALL1(ceiling_lock, world_handle(WORLD_CEILING)), TAKT_OK);
    buffer[100] = 77;
    world_memory[0][3] = 99;
    (void)task;
    takt_work(TAKT_MS(3));
    fault();
}

static void wait_for_mutex(unsigned task)
{
    (void)task;
    if (result_count > 0) {
        return;
    }
    sleep_to(1);
    note(CALL1(mutex_lock, world_handle(WORLD_MUTEX))); /* at 3 */
    note(CALL1(mutex_lock, world_handle(WORLD_MUTEX)));
    note(CALL1(ceiling_try_lock, world_handle(WORLD_CEILING)));
    note(CALL1(task_start, world_handle(A + PERIODIC)));
    sleep_to(60);
    note(CALL1(mutex_lock, world_handle(WORLD_MUTEX)));
    note(CALL1(ceiling_try_lock, world_handle(WORLD_CEILING)));
    sleep_to(1000);
}

static void note_time(unsigned task)
{
    (void)task;
    if (time_count < 64) {
        times_ns[time_count++] = CALL0(now);
    }
}

static void test_restart(void)
{
    fresh(UINT8_MAX);
    world.work[A + BACKGROUND] = hold_and_fault;
    world.work[A + PERIODIC] = note_time;
    world.work[B + SPORADIC] = NULL;
    world.work[B + BACKGROUND] = wait_for_mutex;
    world_run(80);
    CHECK_REFUSED();
    CHECK_EQUAL(takt_process_faults.records[0].task, A + BACKGROUND);
    CHECK_EQUAL(takt_process_faults.records[0].restarted, 1);
    CHECK_EQUAL(takt_process_faults.records[0].time_ns, TAKT_MS(3));
    const uint64_t expected[] = {TAKT_OWNER_DIED, TAKT_OWNER_DIED, TAKT_OWNER_DIED, TAKT_STATE, TAKT_OK, TAKT_OK};
    CHECK_EQUAL(result_count, 6);
    for (unsigned place = 0; place < 6; place++) {
        CHECK_EQUAL(results[place], expected[place]);
    }
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_RUNS);
    CHECK_EQUAL(world.processes[0].restarts, 1);
    CHECK_EQUAL(world.processes[0].quota.memory_used, 0);
    CHECK_EQUAL(world.processes[0].region_count, 3);
    CHECK_EQUAL(world.shared.users, 0);
    CHECK_EQUAL(world.own_semaphore.count, 2);
    CHECK(world.own_mutex.owner == NULL);
    CHECK_EQUAL(world.objects[WORLD_PLACES].kind, TAKT_OBJECT_FREE | TAKT_OBJECT_TASK);
    CHECK_EQUAL(world.objects[WORLD_PLACES].generation, 2);
    CHECK_EQUAL(world_memory[0][3], 3 * 7 + 1);
    CHECK_EQUAL(((uint8_t *)world_buffer(0))[100], 0);
#if TAKT_JOBS
    /* It came at 0; then, ended and made again by some 17 pieces, at its next release: as if it had never been away. */
    CHECK_EQUAL(time_count, 6);
    CHECK_EQUAL(times_ns[0], 0);
    for (unsigned place = 1; place < time_count; place++) {
        CHECK_EQUAL(times_ns[place], TAKT_MS(10 * (place + 2)));
    }
#endif
}

static void fault_always(unsigned task)
{
    (void)task;
    sleep_to(1);
    fault();
}

/* No more than declared: then it stays stopped, and so do its tasks. */
static void test_restarts_end(void)
{
    fresh(2);
    world.work[A + BACKGROUND] = fault_always;
    world.work[B + PERIODIC] = note_time;
    world_run(195);
    CHECK_EQUAL(takt_process_faults.count, 3);
    CHECK_EQUAL(takt_process_faults.records[2].restarted, 0);
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_STOPPED);
    for (unsigned kind = 0; kind < PROCESS_TASKS; kind++) {
        CHECK_EQUAL(world.tasks[kind].timer.state, TAKTI_DORMANT);
    }
#if TAKT_JOBS
    CHECK_EQUAL(time_count, 20); /* b noticed nothing */
#endif
}

static void share(unsigned task)
{
    unsigned process = task / PROCESS_TASKS;
    uint8_t *shared = (uint8_t *)(uintptr_t)CALL1(shared_attach, world_handle(WORLD_SHARED));
    CHECK(shared == world_shared);
    CHECK_EQUAL(CALL1(shared_attach, world_handle(WORLD_SHARED)), (uintptr_t)world_shared); /* counts once */
    note(shared[5]);
    shared[5] = (uint8_t)(process + 1);
    sleep_to(process == 0 ? 2 : 4);
    (void)CALL1(shared_detach, world_handle(WORLD_SHARED));
    (void)CALL1(shared_detach, world_handle(WORLD_SHARED));
    sleep_to(6);
    if (process == 0) {
        CHECK_EQUAL(CALL1(shared_attach, world_handle(WORLD_SHARED)), (uintptr_t)world_shared);
        note(shared[5]);
    }
    sleep_to(1000);
}

static void allocate(unsigned task)
{
    (void)task;
    uintptr_t first = (uintptr_t)CALL1(memory_alloc, 33);
    CHECK_EQUAL(first, (uintptr_t)world_memory[0] + MEMORY - QUOTA);
    CHECK_EQUAL(CALL1(memory_alloc, 1), first + 64);
    CHECK_EQUAL(CALL1(memory_alloc, 0), 0);
    CHECK_EQUAL(CALL1(memory_alloc, UINT32_MAX), 0);
    CHECK_EQUAL(CALL1(memory_alloc, QUOTA - 128 + 1), 0); /* the last 16 are no granule */
    CHECK_EQUAL(CALL1(memory_alloc, QUOTA - 128), first + 96);
    CHECK_EQUAL(CALL1(memory_alloc, 1), 0);
    note(1);
    sleep_to(1000);
}

static void test_memory(void)
{
    fresh(0);
    world.work[A + BACKGROUND] = allocate;
    world_odd_quota(0);
    world_run(10);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_EQUAL(result_count, 1);
}

/* The first attach creates, the last detach frees. */
static void test_shared(void)
{
    fresh(0);
    world_shared[5] = 50;
    world.work[A + BACKGROUND] = share;
    world.work[B + BACKGROUND] = share;
    world_run(10);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_NOTES(0, 1, 0);
    CHECK_EQUAL(world.shared.users, 1);
    CHECK_EQUAL(world.processes[0].map.regions, 4);
    CHECK_EQUAL(world.processes[1].map.regions, 3);
}

static void thread_entry(void *argument)
{
    takt_work(TAKT_MS(1));
    note((uintptr_t)argument);
}

static void join_detached(unsigned task)
{
    uint8_t *buffer = world_buffer(0);
    struct takt_thread_attributes *attributes = (void *)(buffer + 64);
    uintptr_t *handle = (void *)buffer;
    (void)task;
    *attributes = (struct takt_thread_attributes){
        .entry = thread_entry, .argument = (void *)41, .stack_size = 256, .level = 3 + TASKS};
    CHECK_EQUAL(CALL2(thread_create, handle, attributes), TAKT_OK);
    (void)CALL1(thread_detach, *handle);
    (void)CALL1(thread_join, *handle);
    CHECK(false); /* a detached thread is not joined */
}

static void start_threads(unsigned task)
{
    (void)task;
    uint8_t *buffer = world_buffer(0);
    struct takt_thread_attributes *attributes = (void *)(buffer + 64);
    uintptr_t *handles = (void *)buffer;
    *attributes = (struct takt_thread_attributes){
        .entry = thread_entry, .argument = (void *)41, .stack_size = 256, .level = 3 + TASKS};
    CHECK_EQUAL(CALL2(thread_create, &handles[0], attributes), TAKT_OK);
    attributes->argument = (void *)42;
    CHECK_EQUAL(CALL2(thread_create, &handles[1], attributes), TAKT_OK);
    CHECK_EQUAL(CALL2(thread_create, &handles[2], attributes), TAKT_LIMIT);
    CHECK_EQUAL(CALL2(thread_join_until, handles[0], 1), TAKT_TIMEOUT);
    CHECK_EQUAL(CALL1(thread_join, handles[0]), TAKT_OK); /* it waits */
    (void)CALL1(thread_detach, handles[1]);               /* and it ends by itself */
    sleep_to(4);
    note(handles[0]);
    CHECK_EQUAL(CALL2(thread_create, &handles[2], attributes), TAKT_OK); /* in the place of the first */
    CHECK_EQUAL(handles[2], handles[0] + 0x10000);
    sleep_to(6);
    CHECK_EQUAL(CALL1(thread_join, handles[2]), TAKT_OK); /* it has ended */
    (void)CALL1(task_stopped, handles[0]);
    CHECK(false); /* a stale handle is a fault */
}

static void test_threads(void)
{
    fresh(0);
    world.work[A + BACKGROUND] = start_threads;
    world_run(10);
    CHECK_NOTES(41, 42, world_handle(WORLD_PLACES) - 0x20000, 42);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(takt_process_faults.records[0].address, results[2]);
    fresh(0);
    world.work[A + BACKGROUND] = join_detached;
    world_run(10);
    CHECK_REFUSED();
}

/* A waiting task keeps nothing on the kernel's stack: several wait at once, and others use that stack meanwhile. */
static void read_pipe(unsigned task)
{
    uint8_t *buffer = world_buffer(task / PROCESS_TASKS);
    struct takt_pipe_count *count = (void *)(buffer + 32);
    *count = (struct takt_pipe_count){.size = 6, .least = 6};
    CHECK_EQUAL(CALL3(pipe_read, world_handle(WORLD_PIPE), buffer, count), TAKT_OK);
    CHECK_EQUAL(count->done, 6);
    note(buffer[5]);
    sleep_to(1000);
}

static void write_pipe(unsigned task)
{
    uint8_t *buffer = world_buffer(task / PROCESS_TASKS);
    struct takt_pipe_count *count = (void *)(buffer + 32);
    sleep_to(1);
    for (unsigned byte = 0; byte < 12; byte++) {
        buffer[byte] = (uint8_t)(byte + 60);
    }
    *count = (struct takt_pipe_count){.size = 12, .least = 12};
    CHECK_EQUAL(CALL3(pipe_write, world_handle(WORLD_PIPE), buffer, count), TAKT_OK);
    sleep_to(1000);
}

static void send_letters(unsigned task)
{
    uint8_t *buffer = world_buffer(task / PROCESS_TASKS);
    for (unsigned letter = 0; letter < 6; letter++) { /* two more than there is room for */
        buffer[0] = (uint8_t)(letter + 1);
        CHECK_EQUAL(CALL3(priority_mailbox_send, world_handle(WORLD_PRIORITY_MAILBOX), buffer, 9 - letter), TAKT_OK);
    }
    sleep_to(1000);
}

static void receive_letters(unsigned task)
{
    uint8_t *buffer = world_buffer(task / PROCESS_TASKS);
    sleep_to(2);
    for (unsigned letter = 0; letter < 6; letter++) {
        CHECK_EQUAL(CALL2(priority_mailbox_receive, world_handle(WORLD_PRIORITY_MAILBOX), buffer), TAKT_OK);
        note(buffer[0]);
    }
    sleep_to(1000);
}

/* What it wrote into its count while it waited is not believed. */
static void read_with_lies(unsigned task)
{
    uint8_t *buffer = world_buffer(task / PROCESS_TASKS);
    struct takt_pipe_count *count = (void *)(buffer + 32);
    memset(buffer, 1, 16);
    *count = (struct takt_pipe_count){.size = 6, .least = 6};
    CHECK_EQUAL(CALL3(pipe_read, world_handle(WORLD_PIPE), buffer, count), TAKT_OK);
    CHECK_EQUAL(count->done, 6);
    note(buffer[5]);
    note(buffer[6]);
    sleep_to(1000);
}

static void lie(unsigned task)
{
    (void)task;
    struct takt_pipe_count *count = (void *)((uint8_t *)world_buffer(0) + 32);
    count->size = 1000;
    count->least = 12;
    sleep_to(1000);
}

static void test_lies(void)
{
    fresh(0);
    world.work[A + PERIODIC] = read_with_lies;
    world.work[A + BACKGROUND] = lie;
    world.work[B + BACKGROUND] = write_pipe;
    world_run(10);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_NOTES(65, 1);
}

static void test_kept(void)
{
    fresh(0);
    world.work[A + PERIODIC] = read_pipe;
    world.work[B + PERIODIC] = read_pipe;
    world.work[B + BACKGROUND] = write_pipe;
    world_run(10);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_NOTES(65, 71);
    fresh(0);
    world.work[A + BACKGROUND] = send_letters;
    world.work[B + BACKGROUND] = receive_letters;
    world_run(10);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_EQUAL(result_count, 6);
    uint64_t sum = 0;
    for (unsigned letter = 0; letter < 6; letter++) {
        sum += results[letter];
    }
    CHECK_EQUAL(sum, 21);
}

/* The caller of an acceptor that ends in the middle, and of one that does not. */
static void accept_calls(unsigned task)
{
    (void)task;
    struct takt_rendezvous_accepted *accepted = world_buffer(0);
    CHECK_EQUAL(CALL2(rendezvous_accept, world_handle(WORLD_RENDEZVOUS), accepted), TAKT_OK);
    CHECK_EQUAL(accepted->size, 24);
    CHECK_EQUAL(*(uint8_t *)accepted->data, 5); /* the test's processes see one another's memory */
    accepted->serving.owner = NULL;             /* whatever stands there */
    (void)CALL1(rendezvous_complete, accepted);
    CHECK_EQUAL(CALL2(rendezvous_accept, world_handle(WORLD_RENDEZVOUS), accepted), TAKT_OK);
    fault();
}

static void call_twice(unsigned task)
{
    (void)task;
    uint8_t *buffer = world_buffer(1);
    buffer[0] = 5;
    sleep_to(1);
    note(CALL3(rendezvous_call, world_handle(WORLD_RENDEZVOUS), buffer, 24));
    note(CALL3(rendezvous_call, world_handle(WORLD_RENDEZVOUS), buffer, 24));
    sleep_to(1000);
}

static void wait_on_condition(unsigned task)
{
    (void)task;
    sleep_to(3);
    CHECK_EQUAL(CALL1(mutex_lock, world_handle(WORLD_MUTEX)), TAKT_OK);
    note(CALL2(condition_wait, world_handle(WORLD_CONDITION), world_handle(WORLD_MUTEX)));
    (void)CALL1(mutex_unlock, world_handle(WORLD_MUTEX));
    sleep_to(1000);
}

static void signal_condition(unsigned task)
{
    (void)task;
    sleep_to(4);
    CHECK_EQUAL(CALL1(mutex_lock, world_handle(WORLD_MUTEX)), TAKT_OK);
    (void)CALL1(condition_signal, world_handle(WORLD_CONDITION));
    (void)CALL1(mutex_unlock, world_handle(WORLD_MUTEX));
    sleep_to(1000);
}

static void test_served(void)
{
    fresh(0);
    world.work[A + BACKGROUND] = accept_calls;
    world.work[B + BACKGROUND] = call_twice;
    world_run(10);
    CHECK_NOTES(TAKT_OK, TAKT_OWNER_DIED);
    CHECK_EQUAL(takt_process_faults.count, 1);
    fresh(0);
    world.work[A + BACKGROUND] = wait_on_condition;
    world.work[B + BACKGROUND] = signal_condition;
    world_run(10);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_NOTES(TAKT_OK);
}

#if TAKT_JOBS
static void serve_interrupt(unsigned task)
{
    (void)task;
    note(CALL0(now));
    takt_work(TAKT_MS(5));
    (void)CALL1(irq_ack, world_handle(WORLD_INTERRUPT));
}

static void attach_interrupt(unsigned task)
{
    (void)task;
    CHECK_EQUAL(CALL1(irq_attach, world_handle(WORLD_INTERRUPT)), TAKT_OK);
    CHECK_EQUAL(CALL1(irq_attach, world_handle(WORLD_INTERRUPT)), TAKT_STATE);
    sleep_to(1000);
}

/* It comes every 2 ms, and is served for 5: masked meanwhile, it comes again at once when it is acknowledged. */
static void test_interrupt(void)
{
    fresh(0);
    world.work[A + SPORADIC] = serve_interrupt;
    world.work[A + BACKGROUND] = attach_interrupt;
    world_run(20);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_EQUAL(result_count, 4);
    CHECK_EQUAL(results[0], TAKT_MS(2));
    CHECK_EQUAL(results[1], TAKT_MS(7));
    CHECK_EQUAL(results[2], TAKT_MS(12));
    CHECK_EQUAL(world.tasks[A + SPORADIC].config->arrivals->count,
                0); /* what came while it was masked was no release */
}
#endif

#if TAKT_BUDGETS
static struct takt_budget budget;

static void work_10(unsigned task)
{
    (void)task;
    takt_work(TAKT_MS(10));
}

static void test_budget(void)
{
    fresh(0);
    budget = (struct takt_budget){.full_ns = TAKT_MS(2), .policy = TAKT_BUDGET_STOP};
    world.work[A + PERIODIC] = work_10;
    world.work[B + PERIODIC] = note_time;
    world_limit(A + PERIODIC, &budget);
    world_run(25);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(takt_process_faults.records[0].cause, TAKT_PROCESS_BUDGET);
    CHECK_EQUAL(takt_process_faults.records[0].time_ns, TAKT_MS(2));
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_STOPPED);
    CHECK_EQUAL(time_count, 3);
    CHECK_EQUAL(times_ns[0], TAKT_MS(2));
}
#endif

int main(void)
{
    test_restart();
    test_restarts_end();
    test_memory();
    test_shared();
    test_threads();
    test_kept();
    test_lies();
    test_served();
#if TAKT_JOBS
    test_interrupt();
#endif
#if TAKT_BUDGETS
    test_budget();
#endif
    return 0;
}
