/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of both ports: planted and found. */
#include "registers.h"

struct registers registers_first;

#pragma GCC diagnostic ignored "-Wunused-parameter" /* a naked function finds them in registers */

#ifdef __riscv
#define ALL_BUT_A1(op, base, offset)                                                                                   \
    op " ra, 4+" offset "(" base ")\n" op " t1, 24+" offset "(" base ")\n" op " t2, 28+" offset "(" base ")\n" op      \
       " s0, 32+" offset "(" base ")\n" op " s1, 36+" offset "(" base ")\n" op " a0, 40+" offset "(" base ")\n" op     \
       " a2, 48+" offset "(" base ")\n" op " a3, 52+" offset "(" base ")\n" op " a4, 56+" offset "(" base ")\n" op     \
       " a5, 60+" offset "(" base ")\n" op " a6, 64+" offset "(" base ")\n" op " a7, 68+" offset "(" base ")\n" op     \
       " s2, 72+" offset "(" base ")\n" op " s3, 76+" offset "(" base ")\n" op " s4, 80+" offset "(" base ")\n" op     \
       " s5, 84+" offset "(" base ")\n" op " s6, 88+" offset "(" base ")\n" op " s7, 92+" offset "(" base ")\n" op     \
       " s8, 96+" offset "(" base ")\n" op " s9, 100+" offset "(" base ")\n" op " s10, 104+" offset "(" base ")\n" op  \
       " s11, 108+" offset "(" base ")\n" op " t3, 112+" offset "(" base ")\n" op " t4, 116+" offset "(" base ")\n" op \
       " t5, 120+" offset "(" base ")\n" op " t6, 124+" offset "(" base ")\n"
/* The caller's are kept at sp + 128, and `registers` at sp + 184. */
#define BEGIN                                                                                                  \
    "addi sp, sp, -192\n sw ra, 128(sp)\n sw s0, 132(sp)\n sw s1, 136(sp)\n sw s2, 140(sp)\n sw s3, 144(sp)\n" \
    "sw s4, 148(sp)\n sw s5, 152(sp)\n sw s6, 156(sp)\n sw s7, 160(sp)\n sw s8, 164(sp)\n sw s9, 168(sp)\n"    \
    "sw s10, 172(sp)\n sw s11, 176(sp)\n"
#define LOOK                    \
    ALL_BUT_A1("sw", "sp", "0") \
    "sw x0, 0(sp)\n sw a1, 44(sp)\n sw sp, 8(sp)\n sw gp, 12(sp)\n sw tp, 16(sp)\n sw t0, 20(sp)\n"
#define COPY /* to `registers`, which is in a0 */   \
    "addi a0, a0, %[out]\n mv a1, sp\n li a2, 32\n" \
    "2: lw a3, 0(a1)\n sw a3, 0(a0)\n addi a0, a0, 4\n addi a1, a1, 4\n addi a2, a2, -1\n bnez a2, 2b\n"
#define END                                                                                                  \
    "lw a0, 184(sp)\n" COPY                                                                                  \
    "lw ra, 128(sp)\n lw s0, 132(sp)\n lw s1, 136(sp)\n lw s2, 140(sp)\n lw s3, 144(sp)\n lw s4, 148(sp)\n"  \
    "lw s5, 152(sp)\n lw s6, 156(sp)\n lw s7, 160(sp)\n lw s8, 164(sp)\n lw s9, 168(sp)\n lw s10, 172(sp)\n" \
    "lw s11, 176(sp)\n addi sp, sp, 192\n ret\n"

__attribute__((naked)) void registers_call(void (*stub)(void), struct registers *registers)
{
    __asm volatile(
        BEGIN "sw a1, 184(sp)\n mv t0, a0\n" ALL_BUT_A1("lw", "a1", "0") "lw a1, 44(a1)\n jalr ra, 0(t0)\n" LOOK END
        :
        : [out] "i"(ARRAY_OFFSET));
}

__attribute__((naked)) void registers_spin(struct registers *registers)
{
    __asm volatile(
        BEGIN "sw a0, 184(sp)\n mv a1, a0\n" ALL_BUT_A1("lw", "a1", "0") "lw t0, 20(a1)\n lw a1, 44(a1)\n"
                                                                         "1: addi t6, t6, -1\n bnez t6, 1b\n" LOOK END
        :
        : [out] "i"(ARRAY_OFFSET));
}

__attribute__((naked)) void spy_entry(void *argument)
{
    __asm volatile("addi sp, sp, -128\n" LOOK "la a0, registers_first\n" COPY
                   "lw a0, 40(sp)\n addi sp, sp, 128\n j spy_main\n"
                   :
                   : [out] "i"(ARRAY_OFFSET));
}
#else
#define COPY /* what was pushed to `registers`, which is in r0; the flags are in r1 */                \
    "add r0, %[out]\n str r1, [r0, #128]\n add r1, sp, #56\n str r1, [r0, #52]\n ldr r1, [sp, #52]\n" \
    "str r1, [r0, #56]\n movs r2, #12\n"                                                              \
    "2: ldr r3, [sp, r2, lsl #2]\n str r3, [r0, r2, lsl #2]\n subs r2, #1\n bpl 2b\n"
#define BEGIN "push {r4-r11, lr}\n sub sp, #4\n"
#define LOOK "push {r0-r12, lr}\n mrs r1, apsr\n"
#define END "ldr r0, [sp, #56]\n" COPY "add sp, #60\n pop {r4-r11, pc}\n"
#define PLANT "mov r2, #0xA8000000\n msr apsr_nzcvq, r2\n ldmia r1, {r0-r11}\n"

__attribute__((naked)) void registers_call(void (*stub)(void), struct registers *registers)
{
    __asm volatile(BEGIN "str r1, [sp]\n mov r12, r0\n" PLANT "blx r12\n" LOOK END : : [out] "i"(ARRAY_OFFSET));
}

__attribute__((naked)) void registers_spin(struct registers *registers)
{
    __asm volatile(BEGIN "str r0, [sp]\n mov r1, r0\n ldr r12, [r1, #48]\n ldr lr, [r1, #56]\n" PLANT
                         "1: subs r0, #1\n bne 1b\n" LOOK END
                   :
                   : [out] "i"(ARRAY_OFFSET));
}

__attribute__((naked)) void spy_entry(void *argument)
{
    __asm volatile(LOOK "ldr r0, =registers_first\n" COPY "pop {r0-r12, lr}\n b spy_main\n .ltorg"
                   :
                   : [out] "i"(ARRAY_OFFSET));
}
#endif
