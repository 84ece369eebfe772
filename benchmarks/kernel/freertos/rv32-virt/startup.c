/* SPDX-License-Identifier: Apache-2.0 */
/* Start-up of FreeRTOS on this board: the board's linker script and console, and FreeRTOS' one trap handler. */
#include "chips/riscv/reset.h"
#include "harness.h"

void freertos_risc_v_trap_handler(void);
void freertos_risc_v_application_interrupt_handler(uint32_t cause);
void freertos_risc_v_application_exception_handler(uint32_t cause);

#define CAUSE_SOFTWARE 0x80000003u
#define MIE_SOFTWARE 8u

static void (*software_handler)(void);

TAKTI_RESET(freertos_risc_v_trap_handler, 0);

void freertos_risc_v_application_interrupt_handler(uint32_t cause)
{
    if (cause != CAUSE_SOFTWARE) {
        harness_fail("unexpected", "interrupt");
    }
    VIRT_MSIP = 0;
    software_handler();
}

void freertos_risc_v_application_exception_handler(uint32_t cause)
{
    (void)cause;
    harness_fail("fault", "exception");
}

/* FreeRTOS' handler takes every trap, except the external interrupt, which is the sweep's. */
__attribute__((naked, aligned(256))) void target_sweep_vectors(void)
{
    __asm volatile(".option push\n\t"
                   ".option norvc\n\t"
                   ".rept 11\n\t"
                   "j     freertos_risc_v_trap_handler\n\t"
                   ".endr\n\t"
                   "j     target_sweep_trap\n\t"
                   ".option pop");
}

void interrupt_attach(void (*handler)(void))
{
    software_handler = handler;
    __asm volatile("csrs mie, %0" : : "r"(MIE_SOFTWARE));
}
