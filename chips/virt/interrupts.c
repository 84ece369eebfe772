/* SPDX-License-Identifier: Apache-2.0 */
#include "devices.h"
#include "kernel/port.h"
#include "ports/rv32/takt_rv32.h"
#include "registers.h"
#include "takt/fault.h"
#include "takt/system.h"

/*
 * The PLIC's interrupts, all of one priority, and the software interrupt, which is raised by writing 1 to VIRT_MSIP.
 * They do not nest, except in that of the timer (ports/rv32/nested.c): the processor masks all of them in a handler.
 * Nesting by priority could be had by raising the PLIC's threshold to that of the claimed source and opening
 * mstatus.MIE in the handler; the lock would mask all of them all the same. For an interrupt that the lock does not
 * mask the lock would have to be that threshold, two accesses to a device in place of one instruction, so
 * `kernel = false` is refused (board.toml: interrupts_free).
 */
static void (*handlers[VIRT_IRQ_COUNT])(void); /* set before they are enabled */

void takt_chip_dispatch(unsigned number)
{
    if (handlers[number] != NULL) {
        takti_interrupt_handle((uint16_t)number, handlers[number]);
    }
}

void takt_rv32_software_interrupt(void)
{
    VIRT_MSIP = 0;
    takt_chip_dispatch(VIRT_IRQ_SOFTWARE);
}

/* One source for each trap: what else is pending traps again. */
void takt_rv32_external_interrupt(void)
{
    uint32_t source = VIRT_PLIC_CLAIM;
    if (source == VIRT_IRQ_RTC) {
        takt_chip_devices_interrupt();
    } else if (source != 0) { /* else it went away again */
        takt_chip_dispatch(source);
    }
    VIRT_PLIC_CLAIM = source;
}

static void enable(unsigned number)
{
    if (number != VIRT_IRQ_SOFTWARE) {
        VIRT_PLIC_PRIORITY(number) = 1; /* above the threshold, which is 0 at reset */
        VIRT_PLIC_ENABLE(number / 32u) |= UINT32_C(1) << (number % 32u);
    }
}

void takt_port_irq_attach(unsigned number, void (*handler)(void), bool kernel)
{
    if (number >= VIRT_IRQ_COUNT || number == VIRT_IRQ_RTC || !kernel) {
        takt_fault_raise(TAKT_FAULT_ASSERTION, __FILE__, __LINE__, (uintptr_t)__builtin_return_address(0));
    }
    handlers[number] = handler;
    enable(number);
}

#if TAKT_PROCESSES
#define MIE_SOFTWARE (UINT32_C(1) << 3)

/* Kernel lock. */
static uint32_t masked_numbers[VIRT_IRQ_COUNT / 32u];

bool takt_chip_masked(unsigned number)
{
    return (masked_numbers[number / 32u] >> (number % 32u) & 1u) != 0;
}

/*
 * By its priority: the PLIC ignores the end of a source that is not enabled, and the handler that masks it has not
 * ended it yet. A device that the alarm represents stays due meanwhile.
 */
void takt_port_irq_mask(unsigned number, bool masked)
{
    uint32_t bit = UINT32_C(1) << (number % 32u);
    uint32_t others = masked_numbers[number / 32u] & ~bit;
    masked_numbers[number / 32u] = others | (masked ? bit : 0);
    if (number == VIRT_IRQ_SOFTWARE) {
        if (masked) {
            __asm volatile("csrc mie, %0" : : "r"(MIE_SOFTWARE));
        } else {
            __asm volatile("csrs mie, %0" : : "r"(MIE_SOFTWARE));
        }
        return;
    }
    VIRT_PLIC_PRIORITY(number) = masked ? 0 : 1;
    if (!masked) {
        takt_chip_devices_look();
    }
}
#endif
