/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CONFORMANCE_H
#define TAKT_CONFORMANCE_H

/*
 * The suite that every port passes. One system of background tasks: `runner` goes through the cases and starts, at run
 * time, the tasks that a case needs. Only kernel/port.h, the kernel's public interface and takt/board.h are used; and
 * calls of kernel/src/timer.h.
 *
 * On a port with virtual time nothing happens between two instructions, so every case also passes time by takt_work.
 * Options of a run: virtual=1 for such a port (it has no nesting, and work passes no time while locked); masked=1 for
 * one whose lock masks every interrupt, and whose handlers do not nest; instruction_ns=N: what an instruction takes, 64
 * otherwise; fault=1 runs into a bad address instead of the cases, fault=2 into a failed assertion.
 */
#include "kernel/port.h"
#include "takt/board.h"
#include "takt/takt.h"

enum level { LEVEL_TOP, LEVEL_HIGH, LEVEL_EQUAL, LEVEL_RUNNER, LEVEL_LOW };

uint64_t conformance_instruction_ns(void);
#define INSTRUCTION_NS conformance_instruction_ns()

/* What kernel work and one interrupt of each kind may add to an instant at most, on any board: 2000 instructions. */
#define SLACK_NS (2000 * INSTRUCTION_NS)

/* Fails the running case unless low <= found <= high. Its first failure is printed, `what` in it. */
void conformance_check(const char *what, uint64_t found, uint64_t low, uint64_t high);

#define CHECK(condition) conformance_check(#condition, (condition) ? 1 : 0, 1, 1)
#define CHECK_EQUAL(found, wanted) conformance_check(#found " == " #wanted, (found), (wanted), (wanted))
#define CHECK_WITHIN(found, low, high) conformance_check(#found " within " #low ", " #high, (found), (low), (high))

/* Whether the port has virtual time. */
bool conformance_virtual(void);

/* Whether the lock masks every interrupt. */
bool conformance_masked(void);

/* Two tasks that a case may start with an entry of its own, and their stacks' sizes. Stopped when a case begins. */
#define HELPERS 2
void helper_start(unsigned which, void (*entry)(void *argument), enum level level);
bool helper_stopped(unsigned which);
void helper_stop(unsigned which);

/* A computation over many live values, in registers and on the stack; calls `between`, if any, in every round. */
uint32_t churn(uint32_t seed, unsigned rounds, void (*between)(void));

/* Whether the stack is aligned as the compiler expects, for 8-byte values. */
bool stack_aligned(void);

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
void case_context_told(void);

/* interrupts.c: before the start. */
void interrupts_init(void);

/* tasks.c: entries of the three tasks that run before the runner, in declaration order. */
void first_low(void *argument);
void first_equal(void *argument);
void first_high(void *argument);

#endif
