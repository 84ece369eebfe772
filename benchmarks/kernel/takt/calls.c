/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls by themselves, nobody waits; the same rows for a kernel with processes, where each is a trap, and without. What
 * takes no trap there either: a state message. An interrupt until its handler, which is a task if it is a process's.
 */
#include "rows.h"

#include "harness.h"
#include "takt/process.h"

static struct semaphore semaphore;
static struct mutex mutex;
static struct queue queue;
static uint32_t message[2];
static uint32_t received[2];

static void nothing_setup(void)
{
}

static __attribute__((noipa)) void nothing(void)
{
    __asm volatile("");
}

static void function_once(void)
{
    stamp_begin(0);
    nothing();
    stamp_end(1);
    effects++;
}

static void null_once(void)
{
    stamp_begin(0);
#if TAKT_PROCESSES
    takt_process_null();
#else
    nothing();
#endif
    stamp_end(1);
    effects++;
}

static volatile uint64_t now_ns;

static void now_once(void)
{
    uint64_t before_ns = now_ns;
    stamp_begin(0);
    uint64_t got_ns = takt_now();
    stamp_end(1);
    now_ns = got_ns;
    effects += now_ns > before_ns;
}

static void semaphore_setup(void)
{
    semaphore_init(&semaphore);
}

static void semaphore_once(void)
{
    stamp_begin(0);
    semaphore_give(&semaphore);
    stamp_end(1);
    stamp_begin(2);
    semaphore_take(&semaphore);
    stamp_end(3);
    effects += !semaphore_try_take(&semaphore);
}

static void mutex_setup(void)
{
    mutex_init(&mutex);
}

static void mutex_once(void)
{
    stamp_begin(0);
    mutex_lock(&mutex);
    stamp_end(1);
    stamp_begin(2);
    mutex_unlock(&mutex);
    stamp_end(3);
    effects += mutex_try_lock(&mutex);
    mutex_unlock(&mutex);
}

static void queue_setup(void)
{
    queue_init(&queue, sizeof message);
}

static void queue_once(void)
{
    message[0]++;
    stamp_begin(0);
    queue_send(&queue, message);
    stamp_end(1);
    stamp_begin(2);
    queue_receive(&queue, received);
    stamp_end(3);
    effects += received[0] == message[0];
}

TAKT_STATE_DEFINE(state, sizeof message, 3);

static void state_once(void)
{
    message[0]++;
    stamp_begin(0);
    takt_state_write(&state, message, sizeof message);
    stamp_end(1);
    stamp_begin(2);
    bool got = takt_state_read(&state, received, sizeof received) == TAKT_OK;
    stamp_end(3);
    effects += got && received[0] == message[0];
}

/* Handler: from the interrupt's request to its first instruction, and from there to what was interrupted. */
static struct thread handler_thread;

#if TAKT_PROCESSES
static uint64_t releases_ns[1];
static struct takt_arrivals arrivals = {.releases_ns = releases_ns, .capacity = 1};

static void handler_job(void *argument)
{
    (void)argument;
    stamp_end(1);
    effects++;
    stamp_begin(2);
    handler_served();
}

static void handler_setup(void)
{
    job_prepare(&handler_thread, handler_job, LEVEL_ABOVE, 64, 0);
    handler_thread.config.release = TAKT_SPORADIC;
    handler_thread.config.arrivals = &arrivals;
    thread_create_prepared(&handler_thread, handler_job, LEVEL_ABOVE);
    handler_attach(&handler_thread);
}
#else
static void handler(void)
{
    stamp_end(1);
    effects++;
    stamp_begin(2);
}

static void handler_setup(void)
{
    (void)handler_thread;
    interrupt_attach(handler);
}
#endif

static void handler_once(void)
{
    stamp_begin(0);
    target_interrupt_pend();
    stamp_end(3);
}

static const struct row rows[] = {
    {"function", nothing_setup, function_once, 1, 0, 1, false, 0},
    {"null", nothing_setup, null_once, 1, 0, 1, false, 0},
    {"now", nothing_setup, now_once, 1, 0, 1, false, 0},
    {"semaphore_post", semaphore_setup, semaphore_once, 1, 0, 1, false, 0},
    {"semaphore_wait", semaphore_setup, semaphore_once, 1, 2, 3, false, 0},
    {"mutex_lock", mutex_setup, mutex_once, 1, 0, 1, false, 0},
    {"mutex_unlock", mutex_setup, mutex_once, 1, 2, 3, false, 0},
    {"mailbox_send", queue_setup, queue_once, 1, 0, 1, false, 0},
    {"mailbox_receive", queue_setup, queue_once, 1, 2, 3, false, 0},
    {"state_write", nothing_setup, state_once, 1, 0, 1, false, 0},
    {"state_read", nothing_setup, state_once, 1, 2, 3, false, 0},
    {"interrupt_to_handler", handler_setup, handler_once, 1, 0, 1, false, 0},
    {"handler_returns", handler_setup, handler_once, 1, 2, 3, false, 0},
};

void call_rows_measure(void)
{
    harness_measure(rows, sizeof rows / sizeof rows[0]);
    print_number(", \"task_bytes\": ", sizeof(struct takt_task));
    print_number(", \"task_constant_bytes\": ", sizeof(struct takt_task_config));
#if TAKT_PROCESSES
    print_number(", \"process_bytes\": ", process_bytes());
    print_number(", \"process_constant_bytes\": ", sizeof(struct takt_process_config));
    print_number(", \"object_bytes\": ", sizeof(struct takt_object));
#endif
}
