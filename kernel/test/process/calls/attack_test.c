/* SPDX-License-Identifier: Apache-2.0 */
/* What a process may ask for, but not to take the processor, a lock or a task from others. */
#include "kernel/test/support/notes.h"
#include "kernel/test/support/world.h"

#include "kernel/core/kernel.h"

static uint64_t duration_ns;

static void delay(unsigned task)
{
    (void)task;
    (void)CALL1(delay, duration_ns);
    CHECK(false); /* its end does not come */
}

/* A time that fits when it is asked about fits when the kernel reads the clock. */
static void test_delay(void)
{
    static const uint64_t most_ns = TAKT_FOREVER / 2;
    const uint64_t durations_ns[] = {most_ns, most_ns + 1, TAKT_FOREVER - 2, TAKT_FOREVER - 1, TAKT_FOREVER};
    for (unsigned place = 0; place < sizeof durations_ns / sizeof *durations_ns; place++) {
        fresh(0);
        duration_ns = durations_ns[place];
        world.work[A + PERIODIC] = delay;
        world_run(5);
        CHECK_EQUAL(takt_process_faults.count, duration_ns > most_ns ? 1 : 0);
    }
}

static uint8_t *thread_buffer(void)
{
    return world_buffer(0);
}

static void lock_as_thread(void *argument)
{
    uintptr_t object = (uintptr_t)argument;
    struct takt_rendezvous_accepted *accepted = world_buffer(0);
    accepted->data = thread_buffer() + 128;
    note(object == WORLD_EXCHANGE  ? CALL2(rendezvous_try_accept, world_handle(WORLD_EXCHANGE), accepted)
         : object == WORLD_CEILING ? CALL1(ceiling_lock, world_handle(WORLD_CEILING))
                                   : CALL1(mutex_lock, world_handle((unsigned)object)));
    (void)CALL1(delay_until, TAKT_FOREVER);
}

static void hint_as_thread(void *argument)
{
    note(CALL1(hint_next, world_handle((unsigned)(uintptr_t)argument)));
    (void)CALL1(delay_until, TAKT_FOREVER);
}

static struct takt_thread_attributes thread;

static void start_thread(unsigned task)
{
    (void)task;
    struct takt_thread_attributes *attributes = (void *)(thread_buffer() + 64);
    *attributes = thread;
    CHECK_EQUAL(CALL2(thread_create, thread_buffer(), attributes), TAKT_OK);
    CHECK_EQUAL(CALL1(task_start, *(uintptr_t *)(void *)thread_buffer()), TAKT_STATE); /* it starts once */
    sleep_to(1000);
}

static void check_thread(void (*entry)(void *argument), unsigned object, bool allowed)
{
    fresh(0);
    thread = (struct takt_thread_attributes){
        .entry = entry, .argument = (void *)(uintptr_t)object, .stack_size = 256, .level = 3 + TASKS};
    world.work[A + BACKGROUND] = start_thread;
    world_run(5);
    CHECK_EQUAL(takt_process_faults.count, allowed ? 0 : 1);
    CHECK_EQUAL(result_count, allowed ? 1 : 0);
}

/* A thread has no budget: what it holds it may hold for ever. */
static void test_threads(void)
{
    check_thread(lock_as_thread, WORLD_OWN_MUTEX, true);
    check_thread(lock_as_thread, WORLD_MUTEX, false);
    check_thread(lock_as_thread, WORLD_CEILING, false);
    check_thread(lock_as_thread, WORLD_EXCHANGE, false); /* a caller would wait for it */
    check_thread(hint_as_thread, WORLD_OWN_MUTEX, true);
    check_thread(hint_as_thread, WORLD_MUTEX, false);
#if TAKT_EDF
    fresh(0); /* nor has it a deadline */
    world_edf(3 + TASKS);
    thread = (struct takt_thread_attributes){.entry = lock_as_thread, .stack_size = 256, .level = 3 + TASKS};
    world.work[A + BACKGROUND] = start_thread;
    world_run(5);
    CHECK_EQUAL(takt_process_faults.count, 1);
#endif
}

static struct {
    enum takti_call_number number;
    uintptr_t first, second, third;
} beyond;

static void call_beyond(unsigned task)
{
    world.tasks[task].holds = TAKTI_HOLDS | TAKTI_HOLDS_COUNT; /* as if it held as many mutexes as a task can */
    world.watchdog.time_ns = 0;
    *(struct takt_pipe_count *)world_buffer(0) = (struct takt_pipe_count){.size = 2 * sizeof world_text};
    (void)world_call(beyond.number, beyond.first, beyond.second, beyond.third, 0);
    CHECK(false);
}

static void check_beyond(enum takti_call_number number, uintptr_t object, uintptr_t second)
{
    fresh(0);
    beyond.number = number;
    beyond.first = world_handle((unsigned)object);
    beyond.second = second;
    world.work[A + BACKGROUND] = call_beyond;
    world_run(5);
    CHECK_EQUAL(takt_process_faults.count, 1);
    bool text = number == TAKTI_CALL_pipe_try_write || number == TAKTI_CALL_priority_mailbox_send_until;
    CHECK_EQUAL(takt_process_faults.records[0].address, text ? second : beyond.first);
}

/*
 * No task locks more than it can count, nor is a watchdog started that has no time. Of a text no more is read than
 * there is, and where it is not aligned nothing that has to be.
 */
static void test_beyond(void)
{
    check_beyond(TAKTI_CALL_mutex_lock, WORLD_MUTEX, 0);
    check_beyond(TAKTI_CALL_ceiling_lock, WORLD_CEILING, 0);
    check_beyond(TAKTI_CALL_rendezvous_accept, WORLD_RENDEZVOUS, (uintptr_t)world_buffer(0));
    check_beyond(TAKTI_CALL_watchdog_start, WORLD_WATCHDOG, 0);
    beyond.third = (uintptr_t)world_buffer(0);
    check_beyond(TAKTI_CALL_pipe_try_write, WORLD_PIPE, (uintptr_t)world_text);
    check_beyond(TAKTI_CALL_priority_mailbox_send_until, WORLD_PRIORITY_MAILBOX, (uintptr_t)world_text + 1);
}

static void acknowledge(unsigned task)
{
    (void)task;
    (void)CALL1(irq_attach, world_handle(WORLD_INTERRUPT));
    sleep_to(3);
    (void)CALL1(irq_ack, world_handle(WORLD_INTERRUPT));
    CHECK(false);
}

static void test_acknowledge_by_others(void)
{
    fresh(0);
    world.work[A + BACKGROUND] = acknowledge;
    world_run(5);
    CHECK_EQUAL(takt_process_faults.count, 1);
}

#if TAKT_JOBS
static void wait_for_job(unsigned task)
{
    (void)task;
    (void)CALL0(job_wait);
    CHECK(false);
}

static void test_wait_without_jobs(void)
{
    fresh(0);
    world.work[A + BACKGROUND] = wait_for_job;
    world_run(5);
    CHECK_EQUAL(takt_process_faults.count, 1);
}

static void note_time(unsigned task)
{
    (void)task;
    times_ns[time_count++] = CALL0(now);
}

static void start_again(unsigned task)
{
    (void)task;
    sleep_to(2);
    for (unsigned time = 0; time < 3; time++) {
        (void)CALL1(task_stop, world_handle(A + PERIODIC));
        CHECK_EQUAL(CALL1(task_start, world_handle(A + PERIODIC)), TAKT_OK);
        CHECK_EQUAL(CALL1(task_start, world_handle(A + PERIODIC)), TAKT_STATE);
        sleep_to(3 + time);
    }
    sleep_to(1000);
}

static void start_and_release_again(unsigned task)
{
    (void)task;
    for (unsigned ms = 1; ms < 4; ms++) {
        sleep_to(ms);
        (void)CALL1(task_stop, world_handle(A + SPORADIC));
        CHECK_EQUAL(CALL1(task_start, world_handle(A + SPORADIC)), TAKT_OK);
        (void)CALL1(job_release, world_handle(A + SPORADIC));
    }
    sleep_to(1000);
}

/* A stop and a start are no second job, so no second budget, in one period. */
static void test_start(void)
{
    fresh(0);
    world.work[A + PERIODIC] = note_time;
    world.work[A + BACKGROUND] = start_again;
    world_run(25);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_EQUAL(time_count, 3);
    for (unsigned place = 0; place < time_count; place++) {
        CHECK_EQUAL(times_ns[place], TAKT_MS(10 * place));
    }
    fresh(0);
    world.work[A + SPORADIC] = note_time;
    world.work[A + BACKGROUND] = start_and_release_again;
    world_run(25);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK(time_count >= 2);
    for (unsigned place = 1; place < time_count; place++) {
        CHECK(times_ns[place] - times_ns[place - 1] >= TAKT_MS(5));
    }
}

static void acknowledge_often(unsigned task)
{
    for (unsigned time = 0; time < 4; time++) {
        takt_work(TAKT_MS(1));
        (void)CALL1(irq_ack, world_handle(WORLD_INTERRUPT));
    }
    takt_work(TAKT_MS(3));
    note(world.tasks[task].config->arrivals->count);
}

static void attach(unsigned task)
{
    (void)task;
    CHECK_EQUAL(CALL1(irq_attach, world_handle(WORLD_INTERRUPT)), TAKT_OK);
    sleep_to(1000);
}

/* A line that comes every 2 ms comes once a job, however often the job acknowledges it. */
static void test_acknowledge(void)
{
    fresh(0);
    world.work[A + SPORADIC] = acknowledge_often;
    world.work[A + BACKGROUND] = attach;
    world_run(30);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_EQUAL(result_count, 4); /* 2 ... 9, 9 ... 16, 16 ... 23, 23 ... 30 less the last */
    for (unsigned place = 0; place < result_count; place++) {
        CHECK_EQUAL(results[place], 0);
    }
}

static void acknowledge_and_fault(unsigned task)
{
    (void)task;
    (void)CALL1(irq_ack, world_handle(WORLD_INTERRUPT));
    note(1);
    if (takt_process_faults.count == 0) {
        fault();
    }
}

/* What it had acknowledged when it ended it acknowledges anew when it has started again. */
static void test_acknowledge_again(void)
{
    fresh(UINT8_MAX);
    world.work[A + SPORADIC] = acknowledge_and_fault;
    world.work[A + BACKGROUND] = attach;
    world_run(80);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK(result_count >= 4);
}

static uint64_t release_ns;

static void release(unsigned task)
{
    (void)task;
    (void)CALL2(job_release_at, world_handle(A + SPORADIC), release_ns);
    note(1);
    sleep_to(1000);
}

static void check_release(unsigned by, uint64_t at_ns, bool allowed)
{
    fresh(0);
    release_ns = at_ns;
    world.work[by + BACKGROUND] = release;
    world_run(5);
    CHECK_EQUAL(takt_process_faults.count, allowed ? 0 : 1);
    CHECK_EQUAL(result_count, allowed ? 1 : 0);
}

/* Only its own process puts a task's releases so far ahead that nobody else can release it. */
static void test_release(void)
{
    check_release(A, TAKT_FOREVER - 2, true);
    check_release(B, TAKT_FOREVER - 2, false);
    check_release(B, TAKT_MS(5) * 5, false);
    check_release(B, TAKT_MS(5) * 5 - 1, true);
    check_release(B, 0, true);
}
#endif

static struct {
    enum takti_call_number call;
    size_t length, capacity;
} board;

static void use_board(unsigned task)
{
    uint8_t *bytes = world_memory[task / PROCESS_TASKS];
    (void)world_call(board.call, (uintptr_t)bytes, board.length, (uintptr_t)world_buffer(task / PROCESS_TASKS),
                     board.capacity);
    note(true);
    sleep_to(1000);
}

static void check_board(bool allowed, uint8_t rights, enum takti_call_number call, size_t length, size_t capacity)
{
    fresh(0);
    board.call = call;
    board.length = length;
    board.capacity = capacity;
    world.process_configs[2].board = rights;
    world.work[C] = use_board;
    world_run(5);
    CHECK_EQUAL(result_count, allowed ? 1 : 0);
    CHECK_EQUAL(takt_process_faults.count, allowed ? 0 : 1);
    CHECK(allowed || takt_process_faults.records[0].cause == TAKT_PROCESS_CALL);
}

/* The board's console and line are for those that have them, each by itself; and no trap takes more than so much. */
static void test_board(void)
{
    for (uint8_t rights = 0; rights <= (TAKT_BOARD_CONSOLE | TAKT_BOARD_SERIAL); rights++) {
        check_board((rights & TAKT_BOARD_CONSOLE) != 0, rights, TAKTI_CALL_board_console_write, 4, 0);
        check_board((rights & TAKT_BOARD_SERIAL) != 0, rights, TAKTI_CALL_board_link_exchange, 4, 4);
    }
    for (size_t more = 0; more < 2; more++) {
        check_board(more == 0, TAKT_BOARD_CONSOLE, TAKTI_CALL_board_console_write, 64 + more, 0);
        check_board(more == 0, TAKT_BOARD_SERIAL, TAKTI_CALL_board_link_exchange, 256 + more, 0);
        check_board(more == 0, TAKT_BOARD_SERIAL, TAKTI_CALL_board_link_exchange, 0, 256 + more);
    }
}

enum { RESUMED_MS = 5, WOKEN_MS = 20 };

static void sleep_on(unsigned task)
{
    (void)task;
    sleep_to(WOKEN_MS);
    times_ns[time_count++] = CALL0(now);
    sleep_to(1000);
}

static void wait_on(unsigned task)
{
    (void)task;
    note(CALL2(semaphore_wait_until, world_handle(WORLD_SEMAPHORE), TAKT_MS(WOKEN_MS))); /* the one that there is */
    note(CALL2(semaphore_wait_until, world_handle(WORLD_SEMAPHORE), TAKT_MS(WOKEN_MS)));
    times_ns[time_count++] = CALL0(now);
    sleep_to(1000);
}

static bool suspends;

/* Resumes tasks of `a` that wait, which it suspended before or not. */
static void resume_waiting(unsigned task)
{
    (void)task;
    static const unsigned waiting[] = {A + PERIODIC, A + BACKGROUND};
    sleep_to(RESUMED_MS);
    for (unsigned number = 0; number < 2; number++) {
        if (suspends) {
            (void)CALL1(task_suspend, world_handle(waiting[number]));
        }
        (void)CALL1(task_resume, world_handle(waiting[number]));
    }
    sleep_to(1000);
}

/* A task that waits, for a time or an object, does so on, and one that others may not manage is no one to resume. */
static void test_resume(void)
{
    for (unsigned way = 0; way < 3; way++) {
        bool may = way < 2;
        fresh(0);
        suspends = way == 0;
        world.rights[2][A + PERIODIC] = may ? TAKT_RIGHT_MANAGE : TAKT_RIGHT_USE | TAKT_RIGHT_GIVE;
        world.rights[2][A + BACKGROUND] = world.rights[2][A + PERIODIC];
        world.work[A + PERIODIC] = sleep_on;
        world.work[A + BACKGROUND] = wait_on;
        world.work[C + BACKGROUND] = resume_waiting;
        world_run(30);
        CHECK_EQUAL(takt_process_faults.count, may ? 0 : 1);
        CHECK_EQUAL(may ? 2 : takt_process_faults.records[0].process, 2);
        CHECK_EQUAL(results[0], TAKT_OK);
        CHECK_EQUAL(results[1], TAKT_TIMEOUT);
        CHECK(times_ns[0] == TAKT_MS(WOKEN_MS) && times_ns[1] == TAKT_MS(WOKEN_MS));
        CHECK(world.semaphore.waiters == NULL);
    }
}

/* Ends waits of tasks of `a`. */
static void cancel_waiting(unsigned task)
{
    (void)task;
    sleep_to(RESUMED_MS);
    CHECK_EQUAL(CALL1(task_cancel, world_handle(A + PERIODIC)), TAKT_OK);
    CHECK_EQUAL(CALL1(task_cancel, world_handle(A + BACKGROUND)), TAKT_OK);
    sleep_to(1000);
}

/* Who may manage a task may end its wait; others may not. */
static void test_cancel(void)
{
    for (unsigned may = 0; may < 2; may++) {
        fresh(0);
        world.rights[2][A + PERIODIC] = may ? TAKT_RIGHT_MANAGE : TAKT_RIGHT_USE | TAKT_RIGHT_GIVE;
        world.rights[2][A + BACKGROUND] = world.rights[2][A + PERIODIC];
        world.work[A + PERIODIC] = sleep_on;
        world.work[A + BACKGROUND] = wait_on;
        world.work[C + BACKGROUND] = cancel_waiting;
        world_run(30);
        CHECK_EQUAL(takt_process_faults.count, may ? 0 : 1);
        CHECK_EQUAL(results[1], may ? TAKT_CANCELLED : TAKT_TIMEOUT);
        unsigned ended_ms = may ? RESUMED_MS : WOKEN_MS;
        CHECK(times_ns[0] == TAKT_MS(ended_ms) && times_ns[1] == TAKT_MS(ended_ms));
        CHECK(world.semaphore.waiters == NULL);
    }
}

int main(void)
{
    test_resume();
    test_cancel();
    test_board();
    test_delay();
    test_threads();
    test_beyond();
    test_acknowledge_by_others();
#if TAKT_JOBS
    test_wait_without_jobs();
    test_start();
    test_acknowledge();
    test_acknowledge_again();
    test_release();
#endif
    return 0;
}
