/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/port.h"
#include "ports/rv32/takt_rv32.h"
#include "registers.h"
#include "takt/fault.h"
#include "takt/system.h"

/*
 * The controller's lines and the software interrupt. They do not nest with each other, and the lock masks all of them,
 * as on rv32-virt (docs/decisions/0007-rv32-virt.md), so `kernel = false` is refused (board.toml: interrupts_free).
 */
static void (*handlers[IBEX_LINES])(void); /* set before they are enabled */

static void dispatch(unsigned number)
{
    if (handlers[number] != NULL) {
        takti_interrupt_handle((uint16_t)number, handlers[number]);
    }
}

void takt_rv32_software_interrupt(void)
{
    IBEX_SOFTWARE = 0;
    dispatch(IBEX_IRQ_SOFTWARE);
}

/* One line for each trap: what else is raised traps again. */
void takt_rv32_external_interrupt(void)
{
    uint32_t line = IBEX_CLAIM;
    if (line < IBEX_LINES) {
        dispatch(line);
    }
}

void takt_port_irq_attach(unsigned number, void (*handler)(void), bool kernel)
{
    if (number >= IBEX_LINES || !kernel) {
        takt_fault_raise(TAKT_FAULT_ASSERTION, __FILE__, __LINE__, (uintptr_t)__builtin_return_address(0));
    }
    handlers[number] = handler;
    IBEX_ENABLE |= UINT32_C(1) << number;
}

#if TAKT_PROCESSES
#define MIE_SOFTWARE (UINT32_C(1) << 3)

/* A line that is raised while it is masked stays raised. */
void takt_port_irq_mask(unsigned number, bool masked)
{
    uint32_t bit = UINT32_C(1) << number;
    if (masked) {
        IBEX_ENABLE &= ~bit;
    } else {
        IBEX_ENABLE |= bit;
    }
    if (number == IBEX_IRQ_SOFTWARE && masked) {
        __asm volatile("csrc mie, %0" : : "r"(MIE_SOFTWARE));
    } else if (number == IBEX_IRQ_SOFTWARE) {
        __asm volatile("csrs mie, %0" : : "r"(MIE_SOFTWARE));
    }
}
#endif
