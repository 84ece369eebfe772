/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_RISCV_RESET_H
#define TAKT_RISCV_RESET_H

/* The reset of a program on a board of ports/rv32, Takt's or another's. */
#include "chips/start.h"
#include "takt/board.h"

int main(void);
void takt_board_reset(void);

/* Defines it: `traps`, a symbol, and `mode` go into mtvec; then main runs. Interrupts are masked at reset. */
#define TAKTI_RESET(traps, mode)                                                     \
    static __attribute__((used)) _Noreturn void reset_continue(void)                 \
    {                                                                                \
        takti_memory_start();                                                        \
        takt_board_exit(main());                                                     \
    }                                                                                \
                                                                                     \
    __attribute__((naked, section(".reset"))) void takt_board_reset(void)            \
    {                                                                                \
        __asm volatile(".option push\n\t"                                            \
                       ".option norelax\n\t" /* or it is found relative to itself */ \
                       "la    gp, __global_pointer$\n\t"                             \
                       ".option pop\n\t"                                             \
                       "la    sp, takti_interrupt_stack_top\n\t"                     \
                       "la    tp, takti_tls_start\n\t"                               \
                       "la    t0, " #traps "\n\t"                                    \
                       "addi  t0, t0, %[vectored]\n\t"                               \
                       "csrw  mtvec, t0\n\t"                                         \
                       "csrw  mscratch, zero\n\t"                                    \
                       "csrw  mie, zero\n\t"                                         \
                       "tail  %[next]"                                               \
                       :                                                             \
                       : [vectored] "i"(mode), [next] "i"(reset_continue));          \
    }                                                                                \
    _Static_assert((mode) <= 1, "all traps to one address, or each kind to its own")

#endif
