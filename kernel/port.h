/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PORT_H
#define TAKT_PORT_H

/*
 * Interface of a processor to the kernel: 15 functions. A port may define any of them `static inline` in its own
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

/* Initializes interrupts, the clock and the one-shot timer, which is not armed before takt_port_start. */
void takt_port_init(void);

/* Masks every interrupt that may call the kernel. Nests: returns the previous state, which takt_port_unlock restores; 0
 * is "unlocked". */
uint32_t takt_port_lock(void);
void takt_port_unlock(uint32_t state);

/*
 * Lock and unlock at the beginning and the end of a kernel call, where the lock is known to be open (or no interrupt
 * can come: before the start). The value that enter returned is passed to leave. takt_port_caller, given it or the
 * value that lock returned, tells whether a task (0) or an interrupt called. Most calls need neither the previous state
 * nor the kind of the caller, and do not pay for them.
 */
uint32_t takt_port_enter(void);
void takt_port_leave(uint32_t entered);
uint32_t takt_port_caller(uint32_t entered);

/* A value that leave accepts in an interrupt in place of the one that enter returned; a port may define it. */
#ifndef TAKT_PORT_ENTERED
#define TAKT_PORT_ENTERED 0u
#endif

/* Optional: TAKT_PORT_EXCLUSIVE with two functions (ports/armv7m, for kernel/messages/pool.c). */

/*
 * Optional, of a port whose interrupts are masked in every handler: TAKT_PORT_NESTS, with two functions that
 * takti_timer_interrupt calls, locked, in a pair that has no other within it. Between the two leave opens the lock,
 * given the value that nest_begin returns, to all interrupts but the timer's. Their requests of a switch stay pending.
 * Both also open the lock for a moment. Other ports open it in the timer's interrupt with TAKT_PORT_ENTERED.
 */
#ifndef TAKT_PORT_NESTS
#define TAKT_PORT_NESTS 0
static inline uint32_t takt_port_nest_begin(void)
{
    return TAKT_PORT_ENTERED;
}

static inline void takt_port_nest_end(void)
{
}
#endif

/*
 * Prepares the first context of `task` on its stack (config->stack, config->stack_size) so that the first switch to it
 * calls takti_task_main(task) in thread mode, unlocked. Sets task->stack_pointer, which the port owns; it points at the
 * word that the switch returns.
 */
void takt_port_context_init(struct takt_task *task);

/* Sets the clock to 0, abandons the start-up context and runs `first`. Called locked. */
_Noreturn void takt_port_start(struct takt_task *first);

/*
 * Saves the caller's context in `from` and continues `to`. Called locked, in thread mode; `task` is the value that
 * takt_port_caller returned, 0. Returns unlocked, after a switch back to `from`, the word at from->stack_pointer, which
 * is TAKT_OK unless it was changed meanwhile. The arguments are in the order in which callers have them in registers.
 */
enum takt_status takt_port_switch(struct takt_task *to, struct takt_task *from, uint32_t task);

/*
 * In an interrupt: requests a switch from takti_kernel.ready.running to takti_kernel.ready.next, with the lock closed,
 * once no interrupt is active. By then the two may be equal. Where TAKTI_SWITCH_HOOK is set the port calls
 * takti_switch_pended(), locked, with the context of `running` saved, and continues the task that it returns; otherwise
 * the port may do the work of that function: running = next, and next->wait_queue = NULL (kernel/core/handed.h).
 */
void takt_port_pend_switch(void);

/* Offset of `running`, a pointer, in takti_kernel; `next` follows it. */
#define TAKTI_RUNNING (TAKT_SINGLE_PATH ? 0u : TAKT_LEVELS * sizeof(void *))
extern struct takti_kernel takti_kernel;

/* Whether takt_interrupt_enter and takt_interrupt_exit have an effect. */
#define TAKTI_TELLS_INTERRUPTS (TAKT_TRACE || TAKT_BUDGETS)

#define TAKTI_SWITCH_HOOK (TAKT_TRACE || TAKT_STACK_CHECKS || TAKT_SLICES)

/* ns since takt_port_start; monotonic, 64 bits. Called locked. */
uint64_t takt_port_now_ns(void);

/*
 * The clock's own count, 32 bits, of TAKT_PORT_TICK_NS each, and its era: how often the count has wrapped, or any
 * number that changes when it wraps. It may be read after the count. A port whose clock does not know it defines
 * TAKT_PORT_NO_ERA, sets it to 0 and calls takti_clock_far, locked, in an interrupt, so often that the count never
 * wraps between two interrupts. takt_port_ticks_ns is the time since takt_port_start at `ticks`, which were read with
 * the lock closed as it still is. Called locked, also before the start. Without them a tick is a ns of
 * takt_port_now_ns.
 */
#ifndef TAKT_PORT_TICK_NS
#define TAKT_PORT_TICK_NS 1u
static inline uint32_t takt_port_ticks(uint32_t *era)
{
    uint64_t now_ns = takt_port_now_ns();
    *era = (uint32_t)(now_ns >> 32);
    return (uint32_t)now_ns;
}

static inline uint64_t takt_port_ticks_ns(uint32_t ticks)
{
    uint64_t now_ns = takt_port_now_ns();
    return now_ns - ((uint32_t)now_ns - ticks);
}
#else
uint64_t takt_port_ticks_ns(uint32_t ticks);
#endif
#ifndef TAKT_PORT_NO_ERA
#define TAKT_PORT_NO_ERA 0
#endif

/*
 * Arms the one-shot timer, replacing the earlier expiry: takti_timer_interrupt() is called in an interrupt at
 * `until_ns` or later, never before; the port verifies that for the latest expiry with the lock closed, which that call
 * opens. That interrupt does not interrupt another one that may call the kernel. At once if `until_ns` has passed;
 * never for UINT64_MAX. Called locked. Returns whether `until_ns` is in the future; if not, takti_timer_interrupt()
 * itself checks again, and no interrupt is required.
 */
bool takt_port_timer_set(uint64_t until_ns);

/* Sleeps until an interrupt is pending. Called and returns locked: the interrupt is taken at the unlock. */
void takt_port_idle(uint64_t until_ns);

/*
 * Optional: TAKT_PORT_SERVES_IDLE with takt_port_serve_idle, which serves a pending interrupt, if any, as the trap
 * would that takes it at the unlock; but idle needs no register of its own, so none is saved. Called by idle, locked.
 * May return unlocked.
 */
#ifndef TAKT_PORT_SERVES_IDLE
#define TAKT_PORT_SERVES_IDLE 0
static inline void takt_port_serve_idle(void)
{
}
#endif

/*
 * Installs `handler` for interrupt `number` and enables it. `kernel`: the handler may call the kernel, so the lock
 * masks it; otherwise it is never masked. The handler runs in interrupt context.
 */
void takt_port_irq_attach(unsigned number, void (*handler)(void), bool kernel);

/* Stops the machine after a fault. */
_Noreturn void takt_port_halt(void);

/*
 * With processes tasks run in user mode and a call is a trap (kernel/process/process.h: takti_call_table):
 * - The port calls the entry with the lock closed. takt_port_caller is 0 in a trap from user mode, before the start,
 * and in idle.
 * - takt_port_switch, and so every call that blocks or is preempted, returns TAKT_OK at once and stays locked. The end
 *   of the trap, locked, writes the entry's result into the saved registers of the task that trapped, continues
 *   takti_kernel.ready.running and opens the lock. takt_port_switch makes task->stack_pointer point at the saved
 *   register with the result of the call.
 * - takt_port_context_init prepares a user context that calls takt_user_main(entry, argument, takti_process_repeats) on
 *   the task's stack, with the thread pointer of its process; idle's stays privileged.
 * - takt_port_inline.h defines `struct takt_port_context`, which every takt_task has, `struct takt_port_map`, and
 *   TAKT_PORT_STUB(symbol, number): a function that traps with that number, as assembly outside of functions.
 */
struct takt_region;
struct takt_port_map;
/*
 * Encodes `count` regions, in order, for the protection unit, with an entry for the stack guard, which the switch adds.
 * Returns false if it cannot describe them; `map` is then unchanged.
 */
bool takt_port_map_make(struct takt_port_map *map, const struct takt_region *regions, unsigned count);
/* Makes the next switch, even to the running task, reload the map of the process. Called locked. */
void takt_port_map_changed(void);
/* Masks or unmasks an attached interrupt `number`, which stays pending while masked. Called locked. */
void takt_port_irq_mask(unsigned number, bool masked);
/* In a trap: program counter of the running task's call; 0: unknown. */
uintptr_t takt_port_call_pc(void);
/*
 * In an interrupt, locked: the known user-mode registers of the running task. Returns their names, as for
 * takt_fault_raise_exception, and writes one value for each, at most TAKT_PROCESS_FAULT_REGISTERS; NULL: unknown. Reads
 * no memory that the task does not own. `pc`: the program counter of the task, or of its current call; 0: unknown.
 */
const char *takt_port_user_registers(const struct takt_task *task, uint32_t *registers, uintptr_t *pc);

/*
 * With TAKT_THREAD_LOCAL: lays a task's block of thread-local storage out below `top` of its stack, of which it returns
 * the rest, aligned as `top`; writes task->tls. Idle gets the block of start-up and interrupts. The thread pointer of
 * a task is made from it; in interrupts, and before the start, from takti_tls_start of the linker script.
 * O(takti_tls_size). Called by takt_port_context_init.
 */
uintptr_t takti_thread_local_begin(struct takt_task *task, uintptr_t top);

/* Called by the port. */
__attribute__((used)) void takti_timer_interrupt(void); /* kernel/time/timer.c */
/* kernel/core/interrupt.c: takt_interrupt_enter, the handler, takt_interrupt_exit; where no other interrupt that calls
 * the kernel can come before the first and after the handler. Unlocked. */
void takti_interrupt_traced(uint16_t number, void (*handler)(void));
static inline void takti_interrupt_handle(uint16_t number, void (*handler)(void))
{
    if (TAKTI_TELLS_INTERRUPTS) {
        takti_interrupt_traced(number, handler);
    } else {
        handler();
    }
}

void takti_clock_far(void);      /* kernel/core/interrupt.c: has an effect with TAKT_TRACE */
void takti_reset(void);          /* kernel/core/start.c: a port that starts several systems calls it before each */
void takti_timers_program(void); /* kernel/engine/engine.h: arms the timer again, locked, after an early interrupt */
__attribute__((used)) struct takt_task *takti_switch_pended(void);            /* kernel/core/dispatch.c */
__attribute__((used)) _Noreturn void takti_task_main(struct takt_task *task); /* kernel/core/task.c */

/* Whether the caller is in an interrupt. */
static inline bool takt_port_in_interrupt(void)
{
    uint32_t state = takt_port_lock();
    uint32_t caller = takt_port_caller(state);
    takt_port_unlock(state);
    return caller != 0;
}

#endif
