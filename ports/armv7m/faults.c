/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>

#include "frame.h"
#include "kernel/port.h"
#include "takt/fault.h"
#include "takt_armv7m.h"

#define SCB_CFSR (*(volatile uint32_t *)0xE000ED28u)
#define SCB_MMFAR (*(volatile uint32_t *)0xE000ED34u)
#define SCB_BFAR (*(volatile uint32_t *)0xE000ED38u)
#define CFSR_STACKING ((UINT32_C(1) << 4) | (UINT32_C(1) << 12)) /* MSTKERR, STKERR: there is no frame */

static __attribute__((used)) void fault_taken(const struct frame *frame)
{
    uint32_t cfsr = SCB_CFSR;
    if ((cfsr & CFSR_STACKING) != 0) {
        const uint32_t registers[] = {(uint32_t)(uintptr_t)frame, cfsr, SCB_MMFAR, SCB_BFAR};
        takt_fault_raise_exception(0, "sp cfsr mmfar bfar", registers);
    }
    const uint32_t registers[] = {
        frame->r0_to_r3[0], frame->r0_to_r3[1], frame->r0_to_r3[2],
        frame->r0_to_r3[3], frame->r12,         frame->lr,
        frame->pc,          frame->xpsr,        cfsr,
        SCB_MMFAR,          SCB_BFAR,           (uint32_t)(uintptr_t)(frame + 1),
    };
    takt_fault_raise_exception(frame->pc, "r0 r1 r2 r3 r12 lr pc xpsr cfsr mmfar bfar sp", registers);
}

/* NMI, HardFault, MemManage, BusFault, UsageFault. Bit 2 of EXC_RETURN: the frame is on PSP. */
__attribute__((naked)) void takt_armv7m_machine_fault(void)
{
    __asm volatile("tst   lr, #4\n\t"
                   "ite   eq\n\t"
                   "mrseq r0, msp\n\t"
                   "mrsne r0, psp\n\t"
                   "b     %c[taken]"
                   :
                   : [taken] "i"(fault_taken));
}

/* What the C library's assert calls: an application's assertion leaves a fault record as the kernel's do. */
_Noreturn void __assert_func(const char *file, int line, const char *function, const char *expression)
{
    (void)function;
    (void)expression;
    takt_fault_raise(TAKT_FAULT_ASSERTION, file, (unsigned)line, (uintptr_t)__builtin_return_address(0));
}

__attribute__((naked)) void takt_armv7m_unexpected(void)
{
    __asm volatile("b takt_armv7m_fault");
}
