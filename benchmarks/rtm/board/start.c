/* SPDX-License-Identifier: Apache-2.0 */
/* Start-up of a program on ibex-soc that is not Takt's. */
#include <stdint.h>

#include "registers.h"
#include "takt/board.h"

#define STATUS_FAULT 4

int main(void);
void takti_board_reset(void);
void rtm_fault(void);
void rtm_vectors(void);

/* The linker script's. */
extern uint32_t takti_data_load[], takti_data_start[], takti_data_end[], takti_bss_start[], takti_bss_end[];

void rtm_fault(void)
{
    takt_board_exit(STATUS_FAULT);
}

/* Of whoever takes interrupts: vectored, exceptions first. */
__attribute__((weak, naked, aligned(256))) void rtm_vectors(void)
{
    __asm volatile("j rtm_fault");
}

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
                   "la    t0, rtm_vectors\n\t"
                   "ori   t0, t0, 1\n\t"
                   "csrw  mtvec, t0\n\t"
                   "csrw  mie, zero\n\t"
                   "tail  %[next]"
                   :
                   : [next] "i"(reset_continue));
}
