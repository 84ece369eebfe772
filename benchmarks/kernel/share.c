/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a kernel takes from the processor, as figure 3.5 of seed 000 asks: 250 times a second a periodic task runs, and
 * option rate interrupts come a second; option wakes: each of them wakes another task. The background counts its turns
 * for option seconds, and again with every interrupt masked: what is missing went to the kernel, and to a handler, a
 * task and a job of which each only counts.
 */
#include "harness.h"

#define PERIOD_NS UINT64_C(4000000)
#define JOBS_PER_SECOND 250u

static struct thread periodic;
static struct thread woken;
static struct semaphore semaphore;
static volatile uint32_t jobs;
static volatile uint32_t interrupts;
static volatile uint32_t wakes;

static void job(void *argument)
{
    (void)argument;
    jobs++;
}

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        semaphore_take(&semaphore);
        wakes++;
    }
}

static void counting_interrupt(void)
{
    interrupts++;
}

static void waking_interrupt(void)
{
    interrupts++;
    semaphore_give_interrupt(&semaphore);
}

/* Turns of the background in so many ticks of the clock. It pends the interrupts itself: one turn is like another. */
static __attribute__((noinline)) uint32_t turns_in(uint32_t ticks, uint32_t interrupt_ticks)
{
    uint32_t begin = target_clock();
    uint32_t next = interrupt_ticks;
    uint32_t turns = 0;
    for (;; turns++) { /* bounded by the clock */
        uint32_t passed = target_clock() - begin;
        if (passed >= ticks) {
            return turns;
        }
        if (passed >= next) {
            next += interrupt_ticks;
            target_interrupt_pend();
        }
    }
}

static bool about(uint32_t count, uint32_t wanted)
{
    return count + 1u >= wanted && count <= wanted + 1u;
}

void share_measure(void)
{
    uint32_t seconds = harness_option("seconds", 1);
    uint32_t rate = harness_option("rate", 0);
    bool waking = harness_option("wakes", 0) != 0;
    uint32_t ticks = seconds * TARGET_CLOCK_HZ;
    uint32_t interrupt_ticks = rate == 0 ? UINT32_MAX : TARGET_CLOCK_HZ / rate;
    semaphore_init(&semaphore);
    thread_start(&woken, waiter, LEVEL_HIGH);
    interrupt_attach(waking ? waking_interrupt : counting_interrupt);

    interrupts_lock();
    uint32_t undisturbed = turns_in(ticks, interrupt_ticks);
    interrupts_unlock(); /* what came meanwhile comes now */

    job_start(&periodic, job, LEVEL_ABOVE, PERIOD_NS);
    interrupts = jobs = wakes = 0;
    uint32_t turns = turns_in(ticks, interrupt_ticks);
    if (!about(jobs, seconds * JOBS_PER_SECOND) || !about(interrupts, seconds * rate) ||
        wakes != (waking ? interrupts : 0)) {
        harness_fail("not what should have happened", "share");
    }
    print_number(", \"undisturbed\": ", undisturbed);
    print_number(", \"turns\": ", turns);
    print_number(", \"jobs\": ", jobs);
    print_number(", \"interrupts\": ", interrupts);
    print_number(", \"wakes\": ", wakes);
}
