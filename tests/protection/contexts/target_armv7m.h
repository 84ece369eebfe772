/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TARGET_ARMV7M_H
#define TARGET_ARMV7M_H

#include <stdbool.h>
#include <stdint.h>

#define TARGET_DEVICE 0x40001008u /* TIMER1's reload value, of mps2-an385 */
#define TARGET_STORM_NS 163300u
#define TARGET_CODE(address) ((uintptr_t)(address) | 1u)
#define TARGET_PRIVILEGED 8u
#define TARGET_PRIVILEGED_FAULT TAKT_PROCESS_STRAY /* of the system control space; the instructions do nothing */

#include "special_armv7m.h"

/* A serial port raises it while its empty FIFO may: at 0x40020014; and the counter of 25 MHz lies at 0x40028018. */
#define TARGET_IRQ 11u
#define TARGET_INTERRUPT                                                 \
    {                                                                    \
        0x40020000u, 0x10000, TAKT_ACCESS_READ | TAKT_ACCESS_WRITE, true \
    }
#define TARGET_ACKNOWLEDGE (*(volatile uint32_t *)0x40020014u = 0)

static inline void target_interrupt(void)
{
    *(volatile uint32_t *)0x40020014u = 8;
}

/* An instruction takes 64 ns, a tick 40: to one instruction. */
static inline __attribute__((always_inline)) uint32_t target_stamp(void)
{
    return *(volatile uint32_t *)0x40028018u * 5u;
}

#define TARGET_STAMP_UNITS 8u

static inline void target_kernel_init(void)
{
}

/* r4 to r11 of `seed`, in r0; and whether they are, of the seed at sp: r0. */
#define TARGET_PATTERN                                                                     \
    "add r4, r0, #4\n add r5, r0, #5\n add r6, r0, #6\n add r7, r0, #7\n add r8, r0, #8\n" \
    "add r9, r0, #9\n add r10, r0, #10\n add r11, r0, #11\n"
/* Whether the words from sp on are r0 + their number from `first` to `last`: r3, which becomes 0 if one is not. */
#define TARGET_COMPARE(first, last)                                                          \
    "movs r1, #0\n 2: ldr r2, [sp, r1, lsl #2]\n add r4, r0, r1\n add r4, r4, #" #first "\n" \
    "cmp r2, r4\n it ne\n movne r3, #0\n adds r1, #1\n cmp r1, #" #last " - " #first "\n bls 2b\n"

TARGET_ONE __attribute__((naked)) bool target_spin(uint32_t seed, uint32_t loops)
{
    (void)seed;
    (void)loops;
    __asm volatile("push {r4-r11, lr}\n push {r0}\n mov r12, r1\n" TARGET_PATTERN
                   "add r1, r0, #1\n add r2, r0, #2\n add r3, r0, #3\n add lr, r0, #12\n"
                   "1: subs r12, #1\n bgt 1b\n"
                   "push {r0-r11, lr}\n ldr r0, [sp, #52]\n movs r3, #1\n" TARGET_COMPARE(
                       0, 12) "add sp, #56\n mov r0, r3\n pop {r4-r11, pc}");
}

TARGET_ONE __attribute__((naked)) bool target_call(uint32_t seed, uint32_t number, uint32_t a, uint32_t b)
{
    (void)seed;
    (void)number;
    (void)a;
    (void)b;
    __asm volatile("push {r4-r11, lr}\n push {r0}\n" TARGET_PATTERN "mov r12, r1\n mov r0, r2\n mov r1, r3\n svc 0\n"
                   "push {r4-r11}\n ldr r0, [sp, #32]\n movs r3, #1\n" TARGET_COMPARE(
                       4, 11) "add sp, #36\n mov r0, r3\n pop {r4-r11, pc}");
}

TARGET_ONE void target_privileged(uint32_t which)
{
    static const uint32_t addresses[TARGET_PRIVILEGED] = {
        0xE000ED00u, /* CPUID */
        0xE000ED04u, /* ICSR */
        0xE000ED08u, /* VTOR */
        0xE000ED94u, /* MPU_CTRL */
        0xE000EDA0u, /* MPU_RASR */
        0xE000E100u, /* NVIC_ISER */
        0xE000EF00u, /* STIR */
        0xE000E010u, /* SYST_CSR */
    };
    volatile uint32_t *address = (volatile uint32_t *)(uintptr_t)addresses[which];
    if (which < 2) {
        (void)*address;
    } else {
        *address = 0;
    }
}

TARGET_ONE void target_undefined(void)
{
    __asm volatile("udf #0");
}

/* As semihosting's: a character to the console. */
TARGET_ONE __attribute__((naked)) void target_break(void)
{
    __asm volatile("movs r0, #3\n mov r1, sp\n bkpt 0xab\n bx lr");
}

TARGET_ONE __attribute__((naked)) void target_stack(uint32_t sp, uint32_t loops)
{
    (void)sp;
    (void)loops;
    __asm volatile("mov r3, sp\n mov sp, r0\n cbnz r1, 1f\n movs r0, #0\n mov r12, r0\n svc 0\n b 2f\n"
                   "1: subs r1, #1\n bne 1b\n"
                   "2: push {lr}\n mov sp, r3\n bx lr");
}

TARGET_ONE __attribute__((naked)) bool target_pointers(uint32_t value, uint32_t loops)
{
    (void)value;
    (void)loops;
    __asm volatile("push {r4, r9, lr}\n mov r4, r1\n mov r9, r0\n push {r0}\n movs r0, #0\n mov r12, r0\n"
                   "svc 0\n"                   /* a call */
                   "1: subs r4, #1\n bgt 1b\n" /* interrupts */
                   "pop {r1}\n movs r0, #1\n cmp r1, r9\n it ne\n movne r0, #0\n pop {r4, r9, pc}");
}

#endif
