/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PORT_INLINE_H
#define TAKT_PORT_INLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "takt/protection.h"

/*
 * The priority line (BASEPRI): the lock masks priorities from here down. Above it are the interrupts that may not call
 * the kernel, which nothing masks, and SVC. Only the top three bits are used: every ARMv7-M has those.
 */
#define TAKT_ARMV7M_LINE 0x40u

/*
 * Between two stamps of a task's execution lies kernel time: the way into an interrupt, or from its end to the switch.
 * Measured on mps2-an385, preset standard: 8.3 us for an interrupt without a switch, 14 us for a preemption, which has
 * two such stretches. The longest counts, so that a job is never charged for what is not its own.
 */
#define TAKT_PORT_CHARGE_NS 8500u

/* The board's clock: where its count is, a symbol that has this address, and the ns of a tick. */
extern const volatile uint32_t takt_armv7m_counter;
extern const uint32_t takt_armv7m_tick_ns;
#define TAKT_PORT_TICK_NS takt_armv7m_tick_ns
#define TAKT_PORT_NO_ERA 1
static inline uint32_t takt_port_ticks(uint32_t *era)
{
    *era = 0;
    return takt_armv7m_counter;
}

/* Raising BASEPRI takes effect before the next instruction without a barrier (ARMv7-M ARM, B5.2.3). */
static inline uint32_t takt_port_lock(void)
{
    uint32_t state;
    __asm volatile("mrs %0, basepri" : "=r"(state));
    __asm volatile("msr basepri, %0" : : "r"(TAKT_ARMV7M_LINE) : "memory");
    return state;
}

static inline void takt_port_unlock(uint32_t state)
{
    __asm volatile("msr basepri, %0" : : "r"(state) : "memory");
}

/*
 * Where the lock is open there is nothing to remember. Before the start it is, and PRIMASK keeps interrupts away.
 * Compiled for size these are calls of context.c, which touch no register but r12: shorter by 2 bytes.
 */
static inline uint32_t takt_port_enter(void)
{
#ifdef __OPTIMIZE_SIZE__
    __asm volatile("bl takt_armv7m_enter" : : : "ip", "lr", "memory");
#else
    __asm volatile("msr basepri, %0" : : "r"(TAKT_ARMV7M_LINE) : "memory");
#endif
    return 0;
}

static inline void takt_port_leave(uint32_t entered)
{
#ifdef __OPTIMIZE_SIZE__
    (void)entered;
    __asm volatile("bl takt_armv7m_leave" : : : "ip", "lr", "memory");
#else
    takt_port_unlock(entered);
#endif
}

/* The number of the exception, 0 in thread mode: the same wherever in a function it is asked for. */
static inline uint32_t takt_armv7m_exception(void)
{
    uint32_t exception;
    __asm("mrs %0, ipsr" : "=r"(exception));
    return exception;
}

#if TAKT_PROCESSES
#include "takt_port_process.h"
#endif

/* With processes a task calls in an exception, too: SVC, or a fault. Those have lower numbers than all interrupts. */
static inline uint32_t takt_port_caller(uint32_t entered)
{
    (void)entered;
#if TAKT_PROCESSES
    return (takt_armv7m_exception() + 1u) >> 4;
#else
    return takt_armv7m_exception();
#endif
}

/* kernel/messages/mailbox.c; `pairs` > 0. The compiler spends 3 instructions more a pair on pointers that it keeps
 * apart. */
#define TAKT_PORT_COPY_PAIRS(to, from, pairs)                                       \
    do {                                                                            \
        uint32_t low;                                                               \
        uint32_t high;                                                              \
        __asm volatile("1: ldrd %0, %1, [%2], #8\n\t"                               \
                       "strd %0, %1, [%3], #8\n\t"                                  \
                       "subs %4, #1\n\t"                                            \
                       "bne  1b"                                                    \
                       : "=&r"(low), "=&r"(high), "+r"(from), "+r"(to), "+r"(pairs) \
                       :                                                            \
                       : "cc", "memory");                                           \
    } while (0)

/*
 * kernel/engine/queues/search.h: words are moved, sixteen a round: down until `to` is `stop`, up until `from` is there
 * or below.
 */
#define TAKT_PORT_MOVED 16u
#define TAKT_PORT_MOVE_DOWN(to, from, stop)                                \
    __asm volatile("1: ldmia %1!, {r4, r5, r6, r8, r9, r10, r11, r12}\n\t" \
                   "stmia %0!, {r4, r5, r6, r8, r9, r10, r11, r12}\n\t"    \
                   "ldmia %1!, {r4, r5, r6, r8, r9, r10, r11, r12}\n\t"    \
                   "stmia %0!, {r4, r5, r6, r8, r9, r10, r11, r12}\n\t"    \
                   "cmp   %0, %2\n\t"                                      \
                   "bne   1b"                                              \
                   : "+r"(to), "+r"(from)                                  \
                   : "r"(stop)                                             \
                   : "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "cc", "memory")
#define TAKT_PORT_MOVE_UP(to, from, stop)                                  \
    __asm volatile("1: ldmdb %1!, {r4, r5, r6, r8, r9, r10, r11, r12}\n\t" \
                   "stmdb %0!, {r4, r5, r6, r8, r9, r10, r11, r12}\n\t"    \
                   "ldmdb %1!, {r4, r5, r6, r8, r9, r10, r11, r12}\n\t"    \
                   "stmdb %0!, {r4, r5, r6, r8, r9, r10, r11, r12}\n\t"    \
                   "cmp   %1, %2\n\t"                                      \
                   "bhi   1b"                                              \
                   : "+r"(to), "+r"(from)                                  \
                   : "r"(stop)                                             \
                   : "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "cc", "memory")

/*
 * kernel/messages/pool.c: loads a word, and stores it unless an exception came since, which clears the monitor (ARMv7-M
 * ARM, A3.4.4). Between the two the lock can stay open, which saves the four instructions that it takes.
 */
#define TAKT_PORT_EXCLUSIVE 1
static inline void *takt_port_load_exclusive(void **word)
{
    void *value;
    __asm volatile("ldrex %0, [%1]" : "=r"(value) : "r"(word) : "memory");
    return value;
}

static inline bool takt_port_store_exclusive(void **word, void *value)
{
    uint32_t failed;
    __asm volatile("strex %0, %1, [%2]" : "=&r"(failed) : "r"(value), "r"(word) : "memory");
    return failed == 0;
}

/* kernel/core/dispatch.c: of the running task; without processes only where it calls. */
#define TAKT_PORT_STACK_POINTER(task) takt_port_stack_pointer()
static inline uintptr_t takt_port_stack_pointer(void)
{
    uintptr_t here;
#if TAKT_PROCESSES
    __asm volatile("mrs %0, psp" : "=r"(here));
#else
    __asm volatile("mov %0, sp" : "=r"(here));
#endif
    return here;
}

/* With processes idle is left by PendSV, and an interrupt may come first: idle requests the switch, as an interrupt
 * does, so that it is the running task until then. */
#define TAKT_PORT_IDLE_PENDS 1
static inline void takt_port_pend_switch(void)
{
    *(volatile uint32_t *)0xE000ED04u = UINT32_C(1) << 28; /* ICSR.PENDSVSET */
}

/*
 * Under PRIMASK an interrupt wakes WFI without being taken, so none can slip in between the decision to sleep and the
 * sleep. BASEPRI must be open meanwhile: WFI ignores PRIMASK only. The price: an interrupt above the line that comes in
 * these few instructions is taken after them.
 *
 * The clock is read last, for QEMU (icount, sleep=off; seen with 7.2): its main loop may find the processor asleep
 * before the instructions since its last look at the clock are counted, and lets time jump to the next event from
 * there, so that the processor wakes late by these instructions. So it is one or two.
 */
static inline void takt_port_idle(uint64_t until_ns)
{
    (void)until_ns; /* the one-shot is armed */
    __asm volatile("cpsid i\n\t"
                   "msr   basepri, %0\n\t"
                   "dsb"
                   :
                   : "r"(0)
                   : "memory");
#ifdef __OPTIMIZE_SIZE__ /* eight bytes, of no use on a chip */
    __asm volatile("wfi" : : : "memory");
#else
    __asm volatile("ldr   r3, [%0]\n\t"
                   "wfi"
                   :
                   : "r"(&takt_armv7m_counter)
                   : "r3", "memory");
#endif
    __asm volatile("msr   basepri, %0\n\t"
                   "cpsie i"
                   :
                   : "r"(TAKT_ARMV7M_LINE)
                   : "memory");
}

#endif
