/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_HOST_H
#define TAKT_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * The host port's own interface, for boards/host and tests. Virtual time advances only where a task or handler executes
 * (takt_work) and where the processor idles; interrupts arrive at exact times of it. Kernel operations take none.
 */

#define TAKT_HOST_INTERRUPTS 64 /* interrupt numbers 0 .. 63 */

/* Raises interrupt `number` at `first_ns` and, when period_ns > 0, every period_ns after it. Context: any. */
void takt_host_interrupt_every(unsigned number, uint64_t first_ns, uint64_t period_ns);

/*
 * Asks for the distance to the next raise of `number` each time it was raised, instead of a constant period: seeded
 * interrupts. `gap_ns` returns ns > 0, UINT64_MAX for never again.
 */
void takt_host_interrupt_gaps(unsigned number, uint64_t first_ns, uint64_t (*gap_ns)(unsigned number));

/* Takes what is due now, as takt_work would while time passes. Context: a task, unlocked. */
void takt_host_interrupts_take(void);

/* Whether one is, and none is being taken. Context: any. */
bool takt_host_interrupts_due(void);

/* Called when nothing will ever happen again: no timer, no interrupt, nothing ready. Default: exits with status 3. */
void takt_host_on_deadlock(void (*handler)(void));

/*
 * Lets time pass outside too: called before virtual time advances from `now_ns` to `to_ns`, UINT64_MAX if nothing will
 * happen by itself, and returns when it may advance, and to what time, at most that. It may raise interrupts. NULL, the
 * default: time jumps.
 */
void takt_host_on_wait(uint64_t (*wait)(uint64_t now_ns, uint64_t to_ns));

/* boards/host: from now on time passes as outside, and `number` is raised while a descriptor can be read, at most every
 * gap_ns > 0. For two descriptors. Context: init. */
void takt_board_watch(int descriptor, unsigned number, uint64_t gap_ns);

/* Forgets everything: time 0, no interrupts. Between two systems in one process; from outside any task. */
void takt_host_reset(void);

/*
 * Runs the system that `start` starts (it calls takt_start) until takt_host_leave, then returns: for tests that run
 * many systems in one process. Not nested.
 */
void takt_host_enter(void (*start)(void *argument), void *argument);
_Noreturn void takt_host_leave(void);

/* Exits the process from wherever it is, on the stack that called takt_start: the sanitizers look at it. */
_Noreturn void takt_host_exit(int status);

/* boards/host: opens the file that an option of the run names; NULL: there is no such option. One that cannot be opened
 * ends the run. Context: init. */
FILE *takt_board_open_option(const char *name, const char *mode);

/* context.c: a stack and where execution on it left off. */
struct takt_host_context;
struct takt_host_context *takt_host_context_new(void);
void takt_host_context_init(struct takt_host_context *context, void (*entry)(void *argument), void *argument);
uint32_t takt_host_context_switch(struct takt_host_context *from, struct takt_host_context *to);

/* Only the thread-local variables change: those of `from` are kept, and those of `to` taken. */
void takt_host_context_variables(struct takt_host_context *from, struct takt_host_context *to);

/* What a call with two words returns in a context: the first of them is what its switch returns. */
void takt_host_context_result_set(struct takt_host_context *context, uint64_t result);
uint64_t takt_host_context_result(const struct takt_host_context *context);

/* Whether these bytes lie on its stack. */
bool takt_host_context_owns(const struct takt_host_context *context, uintptr_t address, uintptr_t size);

#endif
