/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TARGET_RV32_H
#define TARGET_RV32_H

#include <stdbool.h>
#include <stdint.h>

#define TARGET_DEVICE 0x02004000u /* mtimecmp of rv32-virt */
#define TARGET_STORM_NS 197300u
#define TARGET_CODE(address) ((uintptr_t)(address))
#define TARGET_PRIVILEGED 8u
#define TARGET_PRIVILEGED_FAULT TAKT_PROCESS_ILLEGAL

#define TARGET_IRQ 0u
#define TARGET_INTERRUPT                                           \
    {                                                              \
        0x02000000u, 4, TAKT_ACCESS_READ | TAKT_ACCESS_WRITE, true \
    } /* MSIP of rv32-virt */

static inline void target_interrupt(void)
{
    *(volatile uint32_t *)0x02000000u = 1;
}

/* With -icount in ns of QEMU, of which an instruction takes 128. */
static inline __attribute__((always_inline)) uint32_t target_stamp(void)
{
    uint32_t stamp;
    __asm volatile("rdinstret %0" : "=r"(stamp) : : "memory");
    return stamp;
}

#define TARGET_STAMP_UNITS 128u

static inline void target_kernel_init(void)
{
    __asm volatile("csrwi mcounteren, 7\n csrwi scounteren, 7"); /* of a supervisor mode, which is not used */
}

#define TARGET_ONE static __attribute__((unused, noinline))

/* Registers 1 and 5 to 31: 0 is none, 2 is sp, 3 and 4 are the system's. */
#define TARGET_STORE                                                                                       \
    "sw ra, 4(sp)\n sw t0, 20(sp)\n sw t1, 24(sp)\n sw t2, 28(sp)\n sw s0, 32(sp)\n sw s1, 36(sp)\n"       \
    "sw a0, 40(sp)\n sw a1, 44(sp)\n sw a2, 48(sp)\n sw a3, 52(sp)\n sw a4, 56(sp)\n sw a5, 60(sp)\n"      \
    "sw a6, 64(sp)\n sw a7, 68(sp)\n sw s2, 72(sp)\n sw s3, 76(sp)\n sw s4, 80(sp)\n sw s5, 84(sp)\n"      \
    "sw s6, 88(sp)\n sw s7, 92(sp)\n sw s8, 96(sp)\n sw s9, 100(sp)\n sw s10, 104(sp)\n sw s11, 108(sp)\n" \
    "sw t3, 112(sp)\n sw t4, 116(sp)\n sw t5, 120(sp)\n sw t6, 124(sp)\n"
#define TARGET_PATTERN                                                                                      \
    "addi ra, t6, 1\n addi t0, t6, 5\n addi t1, t6, 6\n addi t2, t6, 7\n addi s0, t6, 8\n addi s1, t6, 9\n" \
    "addi a0, t6, 10\n addi a1, t6, 11\n addi a2, t6, 12\n addi a3, t6, 13\n addi a4, t6, 14\n"             \
    "addi a5, t6, 15\n addi a6, t6, 16\n addi a7, t6, 17\n addi s2, t6, 18\n addi s3, t6, 19\n"             \
    "addi s4, t6, 20\n addi s5, t6, 21\n addi s6, t6, 22\n addi s7, t6, 23\n addi s8, t6, 24\n"             \
    "addi s9, t6, 25\n addi s10, t6, 26\n addi s11, t6, 27\n addi t3, t6, 28\n addi t4, t6, 29\n"           \
    "addi t5, t6, 30\n"
/* The caller's: kept at sp + 128. */
#define TARGET_BEGIN                                                                                           \
    "addi sp, sp, -192\n sw ra, 128(sp)\n sw s0, 132(sp)\n sw s1, 136(sp)\n sw s2, 140(sp)\n sw s3, 144(sp)\n" \
    "sw s4, 148(sp)\n sw s5, 152(sp)\n sw s6, 156(sp)\n sw s7, 160(sp)\n sw s8, 164(sp)\n sw s9, 168(sp)\n"    \
    "sw s10, 172(sp)\n sw s11, 176(sp)\n sw a0, 180(sp)\n"
#define TARGET_END                                                                                           \
    "lw ra, 128(sp)\n lw s0, 132(sp)\n lw s1, 136(sp)\n lw s2, 140(sp)\n lw s3, 144(sp)\n lw s4, 148(sp)\n"  \
    "lw s5, 152(sp)\n lw s6, 156(sp)\n lw s7, 160(sp)\n lw s8, 164(sp)\n lw s9, 168(sp)\n lw s10, 172(sp)\n" \
    "lw s11, 176(sp)\n addi sp, sp, 192\n ret\n"

/*
 * Whether the registers first to last, stored at sp, are seed, which is at 180(sp), + their number: a0.
 */
#define TARGET_COMPARE(first, last)                                                                    \
    "lw a1, 180(sp)\n li a2, " #first "\n li a0, 1\n"                                                  \
    "2: slli a3, a2, 2\n add a3, a3, sp\n lw a3, 0(a3)\n add a4, a1, a2\n beq a3, a4, 3f\n li a0, 0\n" \
    "3: addi a2, a2, 1\n li a3, " #last "\n bleu a2, a3, 2b\n"

TARGET_ONE __attribute__((naked)) bool target_spin(uint32_t seed, uint32_t loops)
{
    (void)seed;
    (void)loops;
    __asm volatile(TARGET_BEGIN "sw a1, 124(sp)\n mv t6, a0\n" TARGET_PATTERN "lw t6, 124(sp)\n"
                                "1: addi t6, t6, -1\n bgtz t6, 1b\n" TARGET_STORE
                                "lw a0, 180(sp)\n addi a0, a0, 4\n sw a0, 16(sp)\n" /* not compared: tp, ... */
                   TARGET_COMPARE(4, 30) "lw a1, 4(sp)\n lw a2, 180(sp)\n addi a2, a2, 1\n"
                                         "beq a1, a2, 4f\n li a0, 0\n 4:\n" TARGET_END);
}

TARGET_ONE __attribute__((naked)) bool target_call(uint32_t seed, uint32_t number, uint32_t a, uint32_t b)
{
    (void)seed;
    (void)number;
    (void)a;
    (void)b;
    __asm volatile(
        TARGET_BEGIN
        "sw a1, 20(sp)\n sw a2, 40(sp)\n sw a3, 44(sp)\n mv t6, a0\n" TARGET_PATTERN
        "lw t0, 20(sp)\n lw a0, 40(sp)\n lw a1, 44(sp)\n la ra, 7f\n ecall\n"
        "7:\n" TARGET_STORE "lw a0, 180(sp)\n addi a0, a0, 8\n lw a1, 32(sp)\n bne a0, a1, 5f\n"
        "addi a0, a0, 1\n lw a1, 36(sp)\n bne a0, a1, 5f\n la a0, 7b\n lw a1, 4(sp)\n bne a0, a1, 5f\n" TARGET_COMPARE(
            18, 27) "j 6f\n"
                    "5: li a0, 0\n 6:\n" TARGET_END);
}

TARGET_ONE void target_privileged(uint32_t which)
{
    uint32_t value = 0;
    if (which == 0) {
        __asm volatile("csrr %0, mstatus" : "=r"(value));
    } else if (which == 1) {
        __asm volatile("csrsi mstatus, 8");
    } else if (which == 2) {
        __asm volatile("csrw mtvec, %0" : : "r"(value));
    } else if (which == 3) {
        __asm volatile("csrw pmpcfg0, %0" : : "r"(value));
    } else if (which == 4) {
        __asm volatile("csrw mscratch, %0" : : "r"(value));
    } else if (which == 5) {
        __asm volatile("mret");
    } else if (which == 6) {
        __asm volatile("wfi");
    } else {
        __asm volatile("csrw mie, %0" : : "r"(value));
    }
}

TARGET_ONE void target_undefined(void)
{
    __asm volatile(".word 0");
}

/* As semihosting's: a character to the console. */
TARGET_ONE __attribute__((naked, aligned(16))) void target_break(void)
{
    __asm volatile(".option push\n .option norvc\n li a0, 3\n mv a1, sp\n"
                   "slli zero, zero, 0x1f\n ebreak\n srai zero, zero, 7\n ret\n .option pop");
}

TARGET_ONE __attribute__((naked)) void target_stack(uint32_t sp, uint32_t loops)
{
    (void)sp;
    (void)loops;
    __asm volatile("mv s0, sp\n mv sp, a0\n bnez a1, 1f\n li t0, 0\n mv s1, ra\n la ra, 3f\n ecall\n"
                   "3: mv ra, s1\n j 2f\n"
                   "1: addi a1, a1, -1\n bnez a1, 1b\n"
                   "2: addi sp, sp, -16\n sw ra, 12(sp)\n mv sp, s0\n ret");
}

TARGET_ONE __attribute__((naked)) bool target_pointers(uint32_t value, uint32_t loops)
{
    (void)value;
    (void)loops;
    __asm volatile("addi sp, sp, -32\n sw ra, 16(sp)\n sw gp, 0(sp)\n sw tp, 4(sp)\n sw a0, 8(sp)\n sw a1, 12(sp)\n"
                   "mv gp, a0\n mv tp, a0\n li t0, 0\n la ra, 2f\n ecall\n" /* a call */
                   "2: lw a0, 8(sp)\n lw a1, 12(sp)\n mv gp, a0\n mv tp, a0\n"
                   "1: addi a1, a1, -1\n bnez a1, 1b\n" /* interrupts */
                   "lw a4, 0(sp)\n lw a5, 4(sp)\n lw ra, 16(sp)\n addi sp, sp, 32\n"
                   "xor a4, a4, gp\n xor a5, a5, tp\n or a4, a4, a5\n seqz a0, a4\n ret");
}

#endif
