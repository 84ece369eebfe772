/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long an interrupt that may call the kernel waits in a row: a one-shot timer comes once at every instruction from
 * the row's first to its last, and its handler looks where the processor is. Taken off is what the same handler finds
 * in code that locks nothing. What is left is the wait for a locked section or, where they do not nest, for another
 * handler.
 */
#include "harness.h"

#define NEVER_BEGINS STAMPS
#define ARMED 4u
#define HANDLED 5u

static unsigned begins = NEVER_BEGINS; /* the stamp that begins the row */
static uint32_t ticks;                 /* from there to the interrupt */
static volatile bool handled;
static uint32_t unlocked[TARGET_TIMER_PERIOD]; /* instructions from stamp to stamp where nothing is locked, by ticks */
static uint32_t entry;                         /* what the kernel does before a handler */

void sweep_begin(unsigned which)
{
    if (which == begins) {
        stamp_take(ARMED);
        target_timer_arm(ticks);
    }
}

static void handler(void)
{
    stamp_end(HANDLED);
    target_timer_clear();
    handled = true;
}

/* Instructions until the handler runs, in code without kernel. */
static uint32_t unlocked_wait(uint32_t after)
{
    begins = 0;
    ticks = after;
    handled = false;
    sweep_begin(0);
    while (!handled) {
    }
    begins = NEVER_BEGINS;
    return stamp_difference(stamps[ARMED], stamps[HANDLED]);
}

static void pended_handler(void)
{
    stamp_end(1);
}

/* From pending an interrupt to the handler that it is attached to, less the pending itself. */
static uint32_t entry_measure(void)
{
    interrupt_attach(pended_handler);
    interrupts_lock();
    stamp_take(0);
    target_interrupt_pend();
    stamp_end(1);
    uint32_t pending = stamp_difference(stamps[0], stamps[1]);
    interrupts_unlock();
    stamp_take(0);
    target_interrupt_pend();
    return stamp_difference(stamps[0], stamps[1]) - pending;
}

void sweep_prepare(void)
{
    entry = entry_measure();
    target_timer_init(handler);
    for (uint32_t i = 0; i < TARGET_TIMER_PERIOD; i++) {
        unlocked[i] = unlocked_wait(TARGET_TIMER_FIRST + i);
    }
}

/* Ends when the row is over before the interrupt has come. */
void sweep_row(const struct row *row)
{
    uint32_t total = 0;
    uint32_t most = 0;
    uint32_t count = 0;
    row->once();
    effects = 0;
    begins = row->from;
    for (ticks = TARGET_TIMER_FIRST;; ticks++) {
        handled = false;
        row->once();
        target_timer_disarm();
        if (!handled) {
            break;
        }
        uint32_t periods = (ticks - TARGET_TIMER_FIRST) / TARGET_TIMER_PERIOD;
        uint32_t free =
            unlocked[(ticks - TARGET_TIMER_FIRST) % TARGET_TIMER_PERIOD] + periods * TARGET_TIMER_PERIOD_INSTRUCTIONS;
        uint32_t wait = stamp_difference(stamps[ARMED], stamps[HANDLED]) - free;
        total += wait;
        most = wait > most ? wait : most;
        count++;
    }
    begins = NEVER_BEGINS;
    if (effects != (count + 1u) * row->effects) {
        harness_fail("not what should have happened", row->name);
    }
    print_number("{\"total\": ", total);
    print_number(", \"max\": ", most);
    print_number(", \"count\": ", count);
    print_number(", \"entry\": ", entry);
}
