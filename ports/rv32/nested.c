/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/port.h"
#if TAKT_PORT_NESTS
#include "takt_rv32.h"
#include "takt_rv32_frame.h"

/*
 * Interrupts of the timer's interrupt, when it has more to do than one timer. It masks itself in mie, keeps what a trap
 * changes (mepc, mstatus.MPP), and has mtvec point at the second half of the vectors; from then on it may open MIE.
 * Those vectors save what a call may change where the stack pointer is, on the interrupts' stack, call the handler and
 * return: mscratch stays that of the interrupted task, so what asks for the caller, the registers of the task or its
 * stack finds the same as without nesting. A switch that the handler asks for is taken at the end of the timer's trap.
 * The handler itself runs masked, so there are two levels and no more; each takes the other half of the vectors' code,
 * and an interrupt that interrupts nothing pays for none of this.
 */
struct takt_rv32_interrupted takt_rv32_interrupted;

#define SAVE TAKT_RV32_FRAME_RA(TAKT_RV32_FRAME_SAVE) TAKT_RV32_FRAME_OTHERS(TAKT_RV32_FRAME_SAVE)
#define LOAD TAKT_RV32_FRAME_RA(TAKT_RV32_FRAME_LOAD) TAKT_RV32_FRAME_OTHERS(TAKT_RV32_FRAME_LOAD)
#define NESTED(handler)                                                                                 \
    __asm volatile("addi  sp, sp, -%0\n\t" SAVE "call  " handler "\n\t" LOAD "addi  sp, sp, %0\n\tmret" \
                   :                                                                                    \
                   : "i"(sizeof(struct takt_rv32_frame)))

/* In the second half of the vectors. */
void takt_rv32_nested_software(void);
void takt_rv32_nested_external(void);

__attribute__((naked)) void takt_rv32_nested_software(void)
{
    NESTED("takt_rv32_software_interrupt");
}

__attribute__((naked)) void takt_rv32_nested_external(void)
{
    NESTED("takt_rv32_external_interrupt");
}
#endif
