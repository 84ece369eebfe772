/* SPDX-License-Identifier: Apache-2.0 */
/* Start-up of a program on ibex-soc that is not Takt's. */
#include "chips/riscv/reset.h"

#define STATUS_FAULT 4

void rtm_fault(void);
void rtm_vectors(void);

void rtm_fault(void)
{
    takt_board_exit(STATUS_FAULT);
}

/* Of the program that takes interrupts: vectored, exceptions first. */
__attribute__((weak, naked, aligned(256))) void rtm_vectors(void)
{
    __asm volatile("j rtm_fault");
}

TAKTI_RESET(rtm_vectors, 1);
