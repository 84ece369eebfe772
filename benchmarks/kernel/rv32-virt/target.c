/* SPDX-License-Identifier: Apache-2.0 */
#include "target.h"
#include "stamp.h"

uint32_t stamps[STAMPS];

/* With -icount instret counts exactly, whether the processor has slept or not, in ns of QEMU. */
__attribute__((naked)) void stamp_take(unsigned which)
{
    (void)which;
    __asm volatile("csrr a1, instret\n\t"
                   "la   a2, stamps\n\t"
                   "slli a0, a0, 2\n\t"
                   "add  a2, a2, a0\n\t"
                   "sw   a1, 0(a2)\n\t"
                   "ret");
}

uint32_t stamp_difference(uint32_t first, uint32_t second)
{
    return (second - first) / TARGET_INSTRUCTION_NS;
}

static __attribute__((used)) void (*sweep_handler)(void);

static __attribute__((used)) void sweep_taken(void)
{
    sweep_handler();
    VIRT_PLIC_CLAIM = VIRT_PLIC_CLAIM;
}

/* What a call may change is saved where the stack pointer is. The handler calls no kernel. */
__attribute__((naked)) void target_sweep_trap(void)
{
    __asm volatile("addi sp, sp, -64\n\t"
                   "sw   ra, 0(sp)\n\t"
                   "sw   t0, 4(sp)\n\t"
                   "sw   t1, 8(sp)\n\t"
                   "sw   t2, 12(sp)\n\t"
                   "sw   a0, 16(sp)\n\t"
                   "sw   a1, 20(sp)\n\t"
                   "sw   a2, 24(sp)\n\t"
                   "sw   a3, 28(sp)\n\t"
                   "sw   a4, 32(sp)\n\t"
                   "sw   a5, 36(sp)\n\t"
                   "sw   a6, 40(sp)\n\t"
                   "sw   a7, 44(sp)\n\t"
                   "sw   t3, 48(sp)\n\t"
                   "sw   t4, 52(sp)\n\t"
                   "sw   t5, 56(sp)\n\t"
                   "sw   t6, 60(sp)\n\t"
                   "call sweep_taken\n\t"
                   "lw   ra, 0(sp)\n\t"
                   "lw   t0, 4(sp)\n\t"
                   "lw   t1, 8(sp)\n\t"
                   "lw   t2, 12(sp)\n\t"
                   "lw   a0, 16(sp)\n\t"
                   "lw   a1, 20(sp)\n\t"
                   "lw   a2, 24(sp)\n\t"
                   "lw   a3, 28(sp)\n\t"
                   "lw   a4, 32(sp)\n\t"
                   "lw   a5, 36(sp)\n\t"
                   "lw   a6, 40(sp)\n\t"
                   "lw   a7, 44(sp)\n\t"
                   "lw   t3, 48(sp)\n\t"
                   "lw   t4, 52(sp)\n\t"
                   "lw   t5, 56(sp)\n\t"
                   "lw   t6, 60(sp)\n\t"
                   "addi sp, sp, 64\n\t"
                   "mret");
}

void target_timer_init(void (*handler)(void))
{
    sweep_handler = handler;
    VIRT_PLIC_PRIORITY(VIRT_IRQ_RTC) = 1;
    VIRT_PLIC_ENABLE(VIRT_IRQ_RTC / 32u) |= UINT32_C(1) << (VIRT_IRQ_RTC % 32u);
    target_timer_disarm();
    VIRT_RTC_ENABLE = 1;
    __asm volatile("csrw mtvec, %0\n\t"
                   "csrs mie, %1"
                   :
                   : "r"((uintptr_t)target_sweep_vectors | 1u), "r"(UINT32_C(1) << 11));
}
