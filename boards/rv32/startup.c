/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/board.h"
#include "takt_rv32.h"

int main(void);

/* The linker script's. */
extern uint32_t takti_interrupt_stack_top[];
extern uint32_t takti_data_load[], takti_data_start[], takti_data_end[], takti_bss_start[], takti_bss_end[];

uint32_t *const takt_rv32_interrupt_stack_top = takti_interrupt_stack_top;

/* Interrupts are masked at reset, and until the first task runs. */
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

void takti_board_reset(void);

__attribute__((naked, section(".reset"))) void takti_board_reset(void)
{
    __asm volatile(".option push\n\t"
                   ".option norelax\n\t" /* or it is found relative to itself */
                   "la    gp, __global_pointer$\n\t"
                   ".option pop\n\t"
                   "la    sp, takti_interrupt_stack_top\n\t"
                   "la    tp, takti_tls_start\n\t"
                   "la    t0, takt_rv32_vectors\n\t"
                   "addi  t0, t0, %[vectored]\n\t"
                   "csrw  mtvec, t0\n\t"
                   "csrw  mscratch, zero\n\t"
                   "csrw  mie, zero\n\t"
                   "tail  %[next]"
                   :
                   : [vectored] "i"(TAKT_RV32_VECTORED), [next] "i"(reset_continue));
}
