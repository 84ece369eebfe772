/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interrupts that may call the kernel (two) and one that may not, which the lock must not delay if the port can help;
 * and what they post. In the kernel's mode, in a protected system too.
 */
#include "conformance.h"

TAKT_SEMAPHORE_DEFINE(preempt_go, 1, 0, 1);
TAKT_SEMAPHORE_DEFINE(wake_semaphore, 2, 0, UINT16_MAX);
TAKT_SEMAPHORE_DEFINE(collide_go, 3, 0, 1);

static void check_context(void)
{
    if (!takt_port_in_interrupt() || !stack_aligned()) {
        seen.confused++;
    }
}

static void wake_handler(void)
{
    check_context();
    seen.wakes++;
    if (seen.posting) {
        seen.posted_ns = takt_now();
        seen.posts++;
        (void)takt_semaphore_post(&wake_semaphore);
    }
}

static void long_handler(void)
{
    check_context();
    seen.longs++;
    if (seen.working) {
        seen.in_long = true;
        takt_work(TAKT_MS(4));
        seen.in_long = false;
    }
}

static void free_handler(void)
{
    check_context();
    seen.frees++;
    if (seen.in_long) {
        seen.nested++;
    }
}

static bool option_given(const char *name)
{
    uint64_t value;
    return takt_board_option(name, &value) && value != 0;
}

void interrupts_init(void)
{
    uint64_t instruction_ns = 64;
    (void)takt_board_option("instruction_ns", &instruction_ns);
    seen.instruction_ns = instruction_ns;
    uint64_t stride = 1;
    (void)takt_board_option("stride", &stride);
    seen.stride = (unsigned)stride;
    seen.is_virtual = option_given("virtual");
    seen.masked = option_given("masked");
    takt_port_irq_attach(IRQ_WAKE, wake_handler, true);
    takt_port_irq_attach(IRQ_LONG, long_handler, true);
    takt_port_irq_attach(IRQ_FREE, free_handler, seen.masked);
    takt_board_interrupt_every(IRQ_WAKE, WAKE_PERIOD_NS, WAKE_PERIOD_NS);
    takt_board_interrupt_every(IRQ_LONG, LONG_PERIOD_NS, LONG_PERIOD_NS);
    takt_board_interrupt_every(IRQ_FREE, FREE_PERIOD_NS, FREE_PERIOD_NS);
}
