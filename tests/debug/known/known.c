/* SPDX-License-Identifier: Apache-2.0 */
/* Each task does one thing, and is in that when `probe` observes. Then probe does what the system does not survive. */
#include "takt_app.h"

#include "takt/create.h"

#define STEP_NS UINT64_C(50000000)

void observe(unsigned question);
__attribute__((noinline)) void dig(unsigned depth);

struct takt_mutex unused; /* which the linker leaves out, and gdb therefore too */

/* Where the test stops. */
__attribute__((noinline)) void observe(unsigned question)
{
    __asm volatile("" : : "r"(question) : "memory");
}

void limited_job(void *argument)
{
    struct takt_alarm *late;
    const struct takt_alarm_attributes attributes = {.task = TASK_triggered};
    (void)argument;
    if (takt_alarm_create(&late, &attributes) == TAKT_OK) {
        takt_alarm_restart(late, 600 * STEP_NS);
    }
    (void)!takt_semaphore_wait_until(&go, 50 * STEP_NS);
    takt_job_release(TASK_triggered); /* not before the end of the test */
}

void owner_job(void *argument)
{
    (void)argument;
    (void)!takt_mutex_lock(&bus);
    takt_delay_until(100 * STEP_NS);
    takt_mutex_unlock(&bus);
}

void waiter_job(void *argument)
{
    volatile unsigned attempts = 41;
    (void)argument;
    attempts++;
    (void)!takt_mutex_lock(&bus);
    takt_mutex_unlock(&bus);
    attempts = 0;
}

void held_job(void *argument)
{
    (void)argument;
    takt_task_suspend(TASK_held);
    observe(0);
}

void receiver_job(void *argument)
{
    uint64_t letter;
    (void)argument;
    (void)!takt_mailbox_receive(&letters, &letter);
    observe((unsigned)letter);
}

void sender_job(void *argument)
{
    uint64_t parcel = 1;
    (void)argument;
    (void)!takt_mailbox_send(&parcels, &parcel);
    (void)!takt_mailbox_send(&parcels, &parcel); /* for which there is no room */
    observe(0);
}

/* Two calls deep, and preempted there. */
__attribute__((noinline)) void dig(unsigned depth)
{
    volatile unsigned here = depth;
    if (depth > 0) {
        dig(depth - 1);
    } else {
        takt_work(30 * STEP_NS);
    }
    here = 0;
    (void)here;
}

void worker_job(void *argument)
{
    (void)argument;
    dig(1);
    observe(0);
}

void probe_job(void *argument)
{
    (void)argument;
    (void)takt_slot_info(&tray); /* without a use it is not linked */
    observe(7);
#if TAKT_STACK_CHECKS
    *(uint32_t *)takt_task_running()->config->stack = 0; /* as a stack does that grows too far */
    takt_delay(STEP_NS);
#elif defined(__arm__) || defined(__riscv)
    observe(*(volatile uint32_t *)0xF0000000u); /* where nothing is */
#else
    takt_mutex_unlock(&bus); /* which it does not own */
#endif
    observe(1);
}

void triggered_job(void *argument)
{
    (void)argument;
    uint64_t letter;
    (void)!takt_priority_mailbox_try_receive(&never, &letter);
}

void later_job(void *argument)
{
    (void)argument;
}
