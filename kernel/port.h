/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PORT_H
#define TAKT_PORT_H

/*
 * What a processor must do for the kernel: 15 functions. A port may define any of them `static inline` in its own
 * takt_port_inline.h, which is included first (found through the include path of the port).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "takt/engine.h"
#include "takt/protection.h"
#include "takt_port_inline.h"
#include "takt_preset.h"
#include "takt_sched.h"

struct takt_task;

/* Prepares interrupts, the clock and the one-shot timer, which is not armed before takt_port_start. */
void takt_port_init(void);

/* Masks every interrupt that may call the kernel; nests by value. Returns what takt_port_unlock
 * restores; 0 is "unlocked". */
uint32_t takt_port_lock(void);
void takt_port_unlock(uint32_t state);

/*
 * The same at the beginning and the end of a call to the kernel, where the lock is known to be open (or nothing can
 * come: before the start). What enter returned is for leave and, like what lock returned, for caller, which says who
 * called: 0 a task, otherwise an interrupt. Most calls need to know neither how the lock was nor who called, and pay
 * for neither.
 */
uint32_t takt_port_enter(void);
void takt_port_leave(uint32_t entered);
uint32_t takt_port_caller(uint32_t entered);

/* What leave may be given in an interrupt in place of what enter returned; a port may define it. */
#ifndef TAKT_PORT_ENTERED
#define TAKT_PORT_ENTERED 0u
#endif

/* A port may define TAKT_PORT_EXCLUSIVE and two functions with it: ports/armv7m, for kernel/messages/pool.c. */

/*
 * Prepares the first context of `task` on its stack (config->stack, config->stack_size) so that the first switch to it
 * calls takti_task_main(task) in thread mode, unlocked. Sets task->stack_pointer, which is
 * the port's; the word that it points at is what the switch will return.
 */
void takt_port_context_init(struct takt_task *task);

/* Sets the clock to 0, leaves the start-up context for good and enters `first`. Called locked. */
_Noreturn void takt_port_start(struct takt_task *first);

/*
 * Continues `to` where it left off and saves the caller's context in `from`. Called locked, in thread mode; `task` is
 * what takt_port_caller returned, 0. Returns unlocked, when somebody switches back to `from`: what the word at
 * from->stack_pointer says then, which is TAKT_OK unless it was changed meanwhile. The order of the arguments is that
 * in which callers have them.
 */
enum takt_status takt_port_switch(struct takt_task *to, struct takt_task *from, uint32_t task);

/*
 * In an interrupt: asks for a switch from takti_kernel.ready.running to takti_kernel.ready.next, with the lock closed,
 * once no interrupt is active. It may find nothing left to do. Where TAKTI_SWITCH_HOOK is set the port calls
 * takti_switch_pended(), locked, with the context of `running` saved, and continues the task that it returns;
 * otherwise it may do by itself what that does: running = next, and next->wait_queue = NULL (kernel/core/handed.h).
 */
void takt_port_pend_switch(void);

/* Where `running`, a pointer, lies in takti_kernel; `next` comes right after it. */
#if TAKT_SINGLE_PATH
#define TAKTI_RUNNING 0u
#else
#define TAKTI_RUNNING (TAKT_LEVELS * sizeof(void *))
#endif
extern struct takti_kernel takti_kernel;

/* Whether takt_interrupt_enter and takt_interrupt_exit do something. */
#define TAKTI_TELLS_INTERRUPTS (TAKT_TRACE || TAKT_BUDGETS)

#define TAKTI_SWITCH_HOOK (TAKT_TRACE || TAKT_STACK_CHECKS || TAKT_SLICES)

/* ns since takt_port_start; monotonic, 64 bits. Called locked. */
uint64_t takt_port_now_ns(void);

/*
 * Arms the one-shot: takti_timer_interrupt() is called in an interrupt at `until_ns`, or after it, but never before: of
 * what was armed last, it makes sure with the lock closed, which that call opens. At once when it has passed; never for
 * UINT64_MAX. Returns whether it is still to come; if not, takti_timer_interrupt() itself asks again, and no interrupt
 * has to come. Called locked. Replaces what was armed.
 */
bool takt_port_timer_set(uint64_t until_ns);

/* Sleeps until an interrupt is pending. Called locked, and returns locked: the interrupt is taken at the unlock. */
void takt_port_idle(uint64_t until_ns);

/*
 * Installs `handler` for the processor's interrupt `number` and enables it; `kernel`: it may call the kernel, so the
 * lock masks it, otherwise it is never masked. The handler runs in interrupt context.
 */
void takt_port_irq_attach(unsigned number, void (*handler)(void), bool kernel);

/* Stops the machine after a fault. */
_Noreturn void takt_port_halt(void);

#if TAKT_PROCESSES
/*
 * With processes a task runs in user mode and a call is a trap (kernel/process/process.h: takti_call_table). Then:
 * - The port calls the entry with the lock closed. takt_port_caller is 0 in a trap from user mode, before the start,
 * and in idle.
 * - takt_port_switch, and so every call that a task leaves the processor in, returns TAKT_OK at once and stays locked.
 *   The end of the trap, locked, writes what the entry returned into the saved registers of the task that trapped,
 *   continues takti_kernel.ready.running and opens the lock. task->stack_pointer points at the word of them that a call
 *   returns: takt_port_switch sees to that.
 * - takt_port_context_init prepares a user context that calls takt_user_main(entry, argument, takti_process_repeats) on
 *   the task's stack, with the thread pointer of its process; idle's stays privileged.
 * - takt_port_inline.h defines `struct takt_port_context`, which every takt_task has, `struct takt_port_map`, and
 *   TAKT_PORT_STUB(symbol, number): a function that traps with that number, as assembly outside of functions.
 */
struct takt_region;
/*
 * Makes what the processor is told of `count` regions, in order, and of the guard of a stack, which the switch adds.
 * Returns whether they can be said; if not, `map` is as before.
 */
bool takt_port_map_make(struct takt_port_map *map, const struct takt_region *regions, unsigned count);
/* The next switch, perhaps to the task that runs, tells the processor the map of its process anew. Called locked. */
void takt_port_map_changed(void);
/* Masks or unmasks the interrupt `number`, which is attached: while masked it stays pending. Called locked. */
void takt_port_irq_mask(unsigned number, bool masked);
/* In a trap: where the running task made its call; 0: nobody knows. */
uintptr_t takt_port_call_pc(void);
/*
 * In an interrupt, locked: what is known of the registers in user mode of the task that runs. Returns their names, as
 * for takt_fault_raise_exception, and writes as many, at most TAKT_PROCESS_FAULT_REGISTERS; NULL: nothing is known, and
 * no word of memory was read that the task does not own. `pc`: where it was, or made the call that it is in; 0
 * likewise.
 */
const char *takt_port_user_registers(const struct takt_task *task, uint32_t *registers, uintptr_t *pc);
#endif

/* Called by the port. */
__attribute__((used)) void takti_timer_interrupt(void); /* kernel/time/timer.c */
void takti_reset(void); /* kernel/core/start.c: a port that starts systems one after the other, before each */
void takti_timers_program(
    void); /* kernel/time/timer.c: sets the timer anew, locked, for an interrupt that came early */
__attribute__((used)) struct takt_task *takti_switch_pended(void);            /* kernel/core/dispatch.c */
__attribute__((used)) _Noreturn void takti_task_main(struct takt_task *task); /* kernel/core/task.c */

/* Whether the caller is an interrupt handler. */
static inline bool takt_port_in_interrupt(void)
{
    uint32_t state = takt_port_lock();
    uint32_t caller = takt_port_caller(state);
    takt_port_unlock(state);
    return caller != 0;
}

#endif
