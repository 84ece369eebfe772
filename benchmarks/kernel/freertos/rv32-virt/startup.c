/* SPDX-License-Identifier: Apache-2.0 */
/* Start-up of FreeRTOS on this board: the board's linker script and console, and FreeRTOS' one trap handler. */
#include "harness.h"
#include "takt/board.h"

int main(void);
void freertos_risc_v_trap_handler(void);
void freertos_risc_v_application_interrupt_handler(uint32_t cause);
void freertos_risc_v_application_exception_handler(uint32_t cause);
void takti_board_reset(void);

/* The linker script's. */
extern uint32_t takti_data_load[], takti_data_start[], takti_data_end[], takti_bss_start[], takti_bss_end[];

#define CAUSE_SOFTWARE 0x80000003u
#define MIE_SOFTWARE 8u

static void (*software_handler)(void);

static __attribute__((used)) _Noreturn void reset_continue(void)
{
    for (uint32_t *to = takti_data_start, *from = takti_data_load; to < takti_data_end; to++, from++) {
        *to = *from;
    }
    for (uint32_t *to = takti_bss_start; to < takti_bss_end; to++) {
        *to = 0;
    }
    takt_board_exit(main());
}

__attribute__((naked, section(".reset"))) void takti_board_reset(void)
{
    __asm volatile(".option push\n\t"
                   ".option norelax\n\t"
                   "la    gp, __global_pointer$\n\t"
                   ".option pop\n\t"
                   "la    sp, takti_interrupt_stack_top\n\t"
                   "la    tp, takti_tls_start\n\t"
                   "la    t0, freertos_risc_v_trap_handler\n\t"
                   "csrw  mtvec, t0\n\t"
                   "csrw  mie, zero\n\t"
                   "tail  %[next]"
                   :
                   : [next] "i"(reset_continue));
}

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

/* FreeRTOS' handler takes every trap, but for the external interrupt, which is the sweep's. */
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
