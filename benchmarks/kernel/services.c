/* SPDX-License-Identifier: Apache-2.0 */
/* Services: uncontended pairs, and one-way paths from the call to the first instruction of the task that it wakes. */
#include "benchmark.h"
#include "kernel/port.h"

static TAKT_SEMAPHORE_DEFINE(semaphore, 1, 0, 8);
static TAKT_SEMAPHORE_DEFINE(reply, 2, 0, 8);
static TAKT_MUTEX_DEFINE(mutex, 3);
static struct takt_mailbox mailbox_8;
static struct takt_mailbox mailbox_16;
static uint64_t storage_8[4];
static uint64_t storage_16[8];
static uint64_t message[2];
static uint64_t received[2];

/* The largest of REPEATS runs of `once`, which stamps 0 and 1. The first fills the queues and is left out. */
static uint32_t largest(void (*once)(void))
{
    uint32_t most = 0;
    once();
    for (unsigned i = 0; i < REPEATS; i++) {
        once();
        uint32_t count = instructions_between(stamps[0], stamps[1]);
        most = count > most ? count : most;
    }
    return most;
}

static void nothing(void)
{
    stamp(0);
    stamp(1);
}

/* The calibration: this row is ten. */
static void ten_instructions(void)
{
    stamp(0);
    __asm volatile("nop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop");
    stamp(1);
}

static void semaphore_pair(void)
{
    stamp(0);
    (void)takt_semaphore_post(&semaphore);
    (void)!takt_semaphore_wait(&semaphore);
    stamp(1);
}

static void mutex_pair(void)
{
    stamp(0);
    (void)!takt_mutex_lock(&mutex);
    takt_mutex_unlock(&mutex);
    stamp(1);
}

static void mailbox_8_pair(void)
{
    stamp(0);
    (void)!takt_mailbox_send(&mailbox_8, message);
    (void)!takt_mailbox_receive(&mailbox_8, received);
    stamp(1);
}

static void mailbox_16_pair(void)
{
    stamp(0);
    (void)!takt_mailbox_send(&mailbox_16, message);
    (void)!takt_mailbox_receive(&mailbox_16, received);
    stamp(1);
}

/* The waiter stamps 1 as the first thing that it does. */
static void semaphore_waiter(void *argument)
{
    (void)argument;
    for (;;) {
        (void)!takt_semaphore_wait(&semaphore);
        stamp(1);
    }
}

static void post_until_waiter_runs(void)
{
    stamp(0);
    (void)takt_semaphore_post(&semaphore);
}

/* From the waiter's wait to the poster's next instruction. */
static void semaphore_blocker(void *argument)
{
    (void)argument;
    for (;;) {
        stamp(0);
        (void)!takt_semaphore_wait(&reply);
    }
}

static void wait_until_lower_runs(void)
{
    (void)takt_semaphore_post(&reply);
    stamp(1);
}

static void mailbox_waiter(void *argument)
{
    (void)argument;
    for (;;) {
        (void)!takt_mailbox_receive(&mailbox_8, received);
        stamp(1);
    }
}

static void send_until_waiter_runs(void)
{
    stamp(0);
    (void)!takt_mailbox_send(&mailbox_8, message);
}

static void self_suspender(void *argument)
{
    (void)argument;
    for (;;) {
        stamp(1);
        stamp(2);
        takt_task_suspend(takt_task_running());
    }
}

static struct takt_task *suspended;

static void resume_until_higher_runs(void)
{
    stamp(0);
    takt_task_resume(suspended);
}

static void suspend_until_lower_runs(void)
{
    takt_task_resume(suspended);
    stamp(1);
    stamps[0] = stamps[2];
}

/* The contender blocks on the mutex, the owner inherits, unlocks, and the contender owns it. */
static void contender(void *argument)
{
    (void)argument;
    for (;;) {
        (void)!takt_semaphore_wait(&semaphore);
        stamp(0);
        (void)!takt_mutex_lock(&mutex);
        stamp(1);
        takt_mutex_unlock(&mutex);
    }
}

static void contended_mutex(void)
{
    (void)!takt_mutex_lock(&mutex);
    (void)takt_semaphore_post(&semaphore);
    takt_mutex_unlock(&mutex);
}

/* An interrupt that posts, pended by hand. */
enum { IRQ = 20 };
#define NVIC_ISPR (*(volatile uint32_t *)0xE000E200u)

static void interrupt(void)
{
    (void)takt_semaphore_post(&semaphore);
}

static void interrupt_until_waiter_runs(void)
{
    stamp(0);
    NVIC_ISPR = UINT32_C(1) << IRQ;
}

static void empty_interrupt(void)
{
}

static void interrupt_and_back(void)
{
    stamp(0);
    NVIC_ISPR = UINT32_C(1) << IRQ;
    stamp(1);
}

/* Yields among equals go round: one round, by how many there are. */
static void yielder(void *argument)
{
    (void)argument;
    for (;;) {
        takt_task_yield();
    }
}

static void yield_round(void)
{
    stamp(0);
    takt_task_yield();
    stamp(1);
}

/* Sleepers whose instant comes together, below the runner: the interrupt that wakes them all, and nothing else. */
static volatile uint64_t due_ns;
static TAKT_SEMAPHORE_DEFINE(go, 6, 0, TASKS_MAX);
static unsigned sleepers;

static void sleeper(void *argument)
{
    (void)argument;
    for (;;) {
        (void)!takt_semaphore_wait(&go);
        takt_delay_until(due_ns);
    }
}

/* So that the processor never sleeps. */
static void spinner(void *argument)
{
    (void)argument;
    for (;;) {
    }
}

static void due_together(void)
{
    due_ns = takt_now() + TAKT_MS(2);
    for (unsigned i = 0; i < sleepers; i++) {
        (void)takt_semaphore_post(&go);
    }
    takt_delay_until(due_ns - TAKT_US(100));
    uint32_t state = takt_port_lock();
    while (takt_port_now_ns() < due_ns) {
    }
    stamp(0);
    takt_port_unlock(state);
    stamp(1);
}

static void replace(struct takt_task *task)
{
    takt_task_stop(task);
}

void services(void *argument)
{
    (void)argument;
    takt_mailbox_init(&mailbox_8, 4, storage_8, 8, 4);
    takt_mailbox_init(&mailbox_16, 5, storage_16, 16, 4);
    benchmark_row("nothing", largest(nothing));
    benchmark_row("ten_instructions", largest(ten_instructions));
    benchmark_row("semaphore_post_wait", largest(semaphore_pair));
    benchmark_row("mutex_lock_unlock", largest(mutex_pair));
    benchmark_row("mailbox_8_send_receive", largest(mailbox_8_pair));
    benchmark_row("mailbox_16_send_receive", largest(mailbox_16_pair));

    struct takt_task *helper = benchmark_task(semaphore_waiter, LEVEL_HIGH, 0, 0);
    benchmark_row("semaphore_post_until_waiter_runs", largest(post_until_waiter_runs));
    takt_port_irq_attach(IRQ, interrupt, true);
    benchmark_row("interrupt_until_waiter_runs", largest(interrupt_until_waiter_runs));
    takt_port_irq_attach(IRQ, empty_interrupt, true);
    benchmark_row("interrupt_and_back", largest(interrupt_and_back));
    replace(helper);

    helper = benchmark_task(semaphore_blocker, LEVEL_HIGH, 0, 0);
    benchmark_row("semaphore_wait_until_lower_runs", largest(wait_until_lower_runs));
    replace(helper);

    helper = benchmark_task(mailbox_waiter, LEVEL_HIGH, 0, 0);
    benchmark_row("mailbox_8_send_until_waiter_runs", largest(send_until_waiter_runs));
    replace(helper);

    suspended = benchmark_task(self_suspender, LEVEL_HIGH, 0, 0);
    benchmark_row("resume_until_higher_runs", largest(resume_until_higher_runs));
    benchmark_row("suspend_until_lower_runs", largest(suspend_until_lower_runs));
    replace(suspended);

    helper = benchmark_task(contender, LEVEL_HIGH, 0, 0);
    benchmark_row("contended_mutex", largest(contended_mutex));
    replace(helper);

    /* Two equals: two switches a round; then sixteen. A round is divided by its yields, loops of callers included. */
    struct takt_task *equals[15];
    equals[0] = benchmark_task(yielder, LEVEL_RUNNER, 0, 0);
    benchmark_row("yield_2", (largest(yield_round) + 1) / 2);
    for (unsigned i = 1; i < 15; i++) {
        equals[i] = benchmark_task(yielder, LEVEL_RUNNER, 0, 0);
    }
    benchmark_row("yield_16", (largest(yield_round) + 15) / 16);
    for (unsigned i = 0; i < 15; i++) {
        replace(equals[i]);
    }

    (void)benchmark_task(spinner, LEVEL_SPINNER, 0, 0);
    static const struct {
        unsigned count;
        const char *name;
    } due[] = {{1, "due_1"}, {8, "due_8"}, {32, "due_32"}};
    for (unsigned i = 0; i < sizeof due / sizeof due[0]; i++) {
        for (; sleepers < due[i].count; sleepers++) {
            (void)benchmark_task(sleeper, LEVEL_LOW, 0, 0);
        }
        benchmark_row(due[i].name, largest(due_together));
    }
    benchmark_end();
}
