/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CONFORMANCE_H
#define TAKT_CONFORMANCE_H

/*
 * The suite that every port passes. One system of background tasks: `runner` goes through the cases and starts, at run
 * time, the tasks that a case needs. Only kernel/port.h, the kernel's public interface and takt/board.h are used; and
 * calls of kernel/core/state.h.
 *
 * Every file but system.c and port.c is also part of a protected system (protected/): there the tasks are a process,
 * in user mode, and handlers.c is the kernel's. port.c has the cases that are none there, as what they call is no call
 * of a process.
 *
 * On a port with virtual time nothing happens between two instructions, so every case also passes time by takt_work.
 * Options of a run: virtual=1 for such a port (it has no nesting, and work passes no time while locked); masked=1 for
 * one whose lock masks every interrupt, and whose handlers do not nest; instruction_ns=N: what an instruction takes, 64
 * otherwise; stride=N: of the distances of two interrupts only each Nth, where simulating takes long; fault=1 runs into
 * a bad address instead of the cases, fault=2 into a failed assertion.
 */
#include "kernel/port.h"
#include "takt/board.h"
#include "takt/takt.h"

enum level { LEVEL_TOP, LEVEL_HIGH, LEVEL_EQUAL, LEVEL_RUNNER, LEVEL_LOW };

#if TAKT_IN_PROCESS
#define CONFORMANCE_HANDLE(name) __asm__("takt_handle_" #name)
#else
#define CONFORMANCE_HANDLE(name)
#endif
extern struct takt_semaphore preempt_go CONFORMANCE_HANDLE(preempt_go);
extern struct takt_semaphore wake_semaphore CONFORMANCE_HANDLE(wake_semaphore);
extern struct takt_semaphore collide_go CONFORMANCE_HANDLE(collide_go);

/* What tasks and handlers tell each other: in the tasks' memory. */
struct conformance_seen {
    uint64_t instruction_ns; /* options of the run, as init found them */
    unsigned stride;         /* likewise */
    bool is_virtual;         /* the port has virtual time */
    bool masked;             /* the lock masks every interrupt */
    bool posting;            /* of the tasks: the wake handler posts */
    bool working;            /* of the tasks: the long handler is long */
    bool in_long;
    unsigned wakes, longs, frees; /* calls of each handler */
    unsigned posts;               /* of the wake handler */
    unsigned nested;              /* calls of the free handler inside the long one */
    unsigned confused;            /* handlers for which takt_port_in_interrupt was false, or with a misaligned stack */
    uint64_t posted_ns;
};
extern volatile struct conformance_seen seen;

#define INSTRUCTION_NS seen.instruction_ns

/* What kernel work and one interrupt of each kind may add to an expiry at most, on any board: 2000 instructions. */
#define SLACK_NS (2000 * INSTRUCTION_NS)

/* Fails the running case unless low <= found <= high. Its first failure is printed, `what` in it. */
void conformance_check(const char *what, uint64_t found, uint64_t low, uint64_t high);

#define CHECK(condition) conformance_check(#condition, (condition) ? 1 : 0, 1, 1)
#define CHECK_EQUAL(found, wanted) conformance_check(#found " == " #wanted, (found), (wanted), (wanted))
#define CHECK_WITHIN(found, low, high) conformance_check(#found " within " #low ", " #high, (found), (low), (high))

/* The tasks that are there whatever the case, and what they print: the system's. */
void runner(void *argument);
void conformance_print(const char *text);
_Noreturn void conformance_end(unsigned failures);

/* Two tasks that a case may start with an entry of its own, and their stacks' sizes. Stopped when a case begins. */
#define HELPERS 2
void helper_start(unsigned which, void (*entry)(void *argument), enum level level);
bool helper_stopped(unsigned which);
void helper_stop(unsigned which);

/* A computation over many live values, in registers and on the stack; calls `between`, if any, in every round. */
uint32_t churn(uint32_t seed, unsigned rounds, void (*between)(void));

/* Whether the stack is aligned as the compiler expects, for 8-byte values. */
static __attribute__((noinline, unused)) bool stack_aligned(void)
{
    volatile uint64_t local = 1;
    uintptr_t address = (uintptr_t)&local;
    __asm volatile("" : "+r"(address)); /* or the compiler knows the answer */
    return (address & 7u) == 0 && local == 1;
}

/* The cases. */
void case_start_order(void);
void case_switch_preserves(void);
void case_preempt_every_instruction(void);
void case_restart_fresh(void);
void case_stack_alignment(void);

void case_clock_monotonic(void);
void case_clock_wraps(void);
void case_delay_exact(void);
void case_timer_past(void);
void case_timer_long_past(void);
void case_timer_early(void);
void case_timer_order(void);
void case_idle_never_misses(void);
void case_idle_wakes(void);
void case_work_exact(void);
void case_work_preempted(void);

void case_lock_by_value(void);
void case_lock_masks(void);
void case_interrupt_wakes(void);
void case_interrupts_nest(void);
void case_interrupts_collide(void);
void case_idle_returns_locked(void);
void case_interrupts_counted(void);
void case_context_kind(void);

/* handlers.c: before the start; the distances of the interrupts. */
void interrupts_init(void);
enum { IRQ_WAKE = 20, IRQ_LONG = 21, IRQ_FREE = 22 };
#define WAKE_PERIOD_NS                                                                            \
    (7300000u + 7 * 64) /* without a common divisor that matters: they meet at ever new distances \
                         */
#define LONG_PERIOD_NS (9100000u + 11 * 64)
#define FREE_PERIOD_NS (5600000u + 13 * 64)

/* port.c: what takt_port_lock found open. */
bool port_was_open(void);

/* tasks.c: entries of the three tasks that run before the runner, in declaration order. */
void first_low(void *argument);
void first_equal(void *argument);
void first_high(void *argument);

#endif
