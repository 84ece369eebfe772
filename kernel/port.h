/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PORT_H
#define TAKT_PORT_H

/*
 * What a processor must do for the kernel: 14 functions. A port may define any of them `static inline` in its own
 * takt_port_inline.h, which is included first (found through the include path of the port).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "takt_port_inline.h"

struct takt_task;

/* Prepares interrupts, the clock and the one-shot timer, which is not armed before takt_port_start. */
void takt_port_init(void);

/* Masks every interrupt that may call the kernel; nests by value. Returns what takt_port_unlock
 * restores; 0 is "unlocked". */
uint32_t takt_port_lock(void);
void takt_port_unlock(uint32_t state);

/* Whether the caller is an interrupt handler. */
bool takt_port_in_interrupt(void);

/*
 * Prepares the first context of `task` on its stack (config->stack, config->stack_size) so that the first switch to it
 * calls takti_task_main(task) in thread mode, unlocked. Sets task->stack_pointer.
 */
void takt_port_context_init(struct takt_task *task);

/* Sets the clock to 0, leaves the start-up context for good and enters `first`. Called locked. */
_Noreturn void takt_port_start(struct takt_task *first);

/*
 * Saves the caller's context in `from` and continues `to` where it left off. Called locked, in thread mode; the lock
 * is held when it returns, which is when another task switches back to `from`.
 */
void takt_port_switch(struct takt_task *from, struct takt_task *to);

/* In an interrupt: asks that takti_switch_pended() is called, locked, in thread mode, once no interrupt is active. */
void takt_port_pend_switch(void);

/* ns since takt_port_init; monotonic, 64 bits. Called locked. */
uint64_t takt_port_now_ns(void);

/*
 * Arms the one-shot: takti_timer_interrupt() is called, unlocked, in an interrupt, at or after `until_ns`; at once when
 * that has passed; never for UINT64_MAX. May come early. Called locked. Replaces what was armed.
 */
void takt_port_timer_set(uint64_t until_ns);

/* Sleeps until an interrupt is pending. Called locked, and returns locked: the interrupt is taken at the unlock. */
void takt_port_idle(uint64_t until_ns);

/* See takt_work. Called unlocked. */
void takt_port_work(uint64_t duration_ns);

/*
 * Installs `handler` for the processor's interrupt `number` and enables it; `kernel`: it may call the kernel, so the
 * lock masks it, otherwise it is never masked. The handler runs in interrupt context.
 */
void takt_port_irq_attach(unsigned number, void (*handler)(void), bool kernel);

/* Stops the machine after a fault. */
_Noreturn void takt_port_halt(void);

/* Called by the port. */
__attribute__((used)) void takti_timer_interrupt(void);                       /* kernel/src/timer.c */
__attribute__((used)) void takti_switch_pended(void);                         /* kernel/src/dispatch.c */
__attribute__((used)) _Noreturn void takti_task_main(struct takt_task *task); /* kernel/src/task.c */

#endif
