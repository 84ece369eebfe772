/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_ENGINE_H
#define TAKTI_ENGINE_H

/*
 * The engine: which ready task is the best, and which armed timer expires next. All that the kernel asks of it are the
 * operations below; a build chooses the folder that implements them (takt/engine.h):
 *   kernel/engine/queues/ : lists and tournaments of ready tasks, a sorted array of timers
 *   kernel/engine/small/  : the same, compiled for size, with a sorted list of timers
 *   hardware/driver/      : the task manager, docs/decisions/0019-rtm-engine.md
 * state.h of each has its part of takti_kernel: `struct takti_ready` with `running`, `next`, `levels` and `edf`, which
 * kernel/core/ reads and writes, and `struct takti_timers` with `running`, which kernel/core/start.c sets when the
 * clock of the system runs. operations.h of each has the operations; its files invariants*.c
 * implement takti_walk_ready and takti_walk_armed_timers of kernel/observe/invariants.h.
 *
 * All operations are called with the kernel locked, in any context, and none blocks. Bounds: n ready tasks in a level,
 * t armed timers. While the engine has a task, its key (kernel/core/key.h) does not change, except as
 * TAKTI_REKEY and TAKTI_REPLACE say.
 */
#include "kernel/engine/types.h"

#include TAKTI_ENGINE(operations.h)

/* Whether an implementation has the operation as it is written here. */
#define TAKTI_OPERATION(result, name, arguments) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(name), __typeof__(result) arguments), #name)

/* Prepares takti_kernel.ready and .timers, which are zero, for takti_kernel.system. Once, before all others. */
TAKTI_OPERATION(void, takti_engine_init, (void));

/*
 * Adds a task that the engine does not have; in an edf level by its deadline, among equal deadlines by takti_key_order.
 * LAST: behind its equals in a fixed level. FIRST: before them. BEST: in a fixed level, better than all that the engine
 * has, as far as is known, and it is to run next; false: nothing was done, so that takti_ready_add decides. REPLACE: in
 * place of the only task of its fixed level, which leaves, of which takti_ready_alone was true; in an edf level in
 * place of a task with the same key, which leaves; the engine may have the added one with a worse key, too; then it
 * returns whether it is the best of its level. REKEY: the
 * engine has it, in the same edf level, with another key; to a better one as an insertion, else mostly a removal.
 * UNKEY: before its key gets another order. Returns whether it may be the best of its level; `next` is unchanged. Fixed
 * O(1), edf O(log n), task manager O(1) or, FIRST, O(records).
 */
TAKTI_OPERATION(bool, takti_ready_insert, (struct takt_task * task, enum takti_position position));

/* Removes a task that the engine has; `next` is unchanged. Fixed O(1), edf O(n / 8), task manager O(1). */
TAKTI_OPERATION(void, takti_ready_remove, (struct takt_task * task));

/* Whether the engine knows that a ready task of a fixed level has no equals there. False if it does not know. O(1). */
TAKTI_OPERATION(bool, takti_ready_alone, (const struct takt_task *task));

/* The task with the best key, idle if no other is ready. An expiry that has come is no task. O(1). */
TAKTI_OPERATION(struct takt_task *, takti_ready_first, (void));

/* takti_ready_insert LAST; if the task should run instead of `next`, makes it `next` and returns true. May also return
 * true where takti_reschedule decides. Bound: as that. */
TAKTI_OPERATION(bool, takti_ready_add, (struct takt_task * task));

/* Calls `visit` for every ready task, better levels first, idle last; the queues in the order of the level, edf by
 * index. It may remove the task that it is called with. O(levels + ready tasks), task manager O(levels * records). */
TAKTI_OPERATION(void, takti_ready_each, (void (*visit)(struct takt_task *task, void *context), void *context));

/* Queues the best task, of a fixed level, behind its equals. Returns the best task then. O(1). */
TAKTI_OPERATION(struct takt_task *, takti_ready_rotate, (struct takt_task * task));

/*
 * Of a task that waits quietly (TAKTI_QUIET), or is to. ASKED, before its state is read, if it may not be the caller:
 * does what its expiry makes the kernel do, or ends the quiet wait. JOB_ENDS: ends the running job of the task, which
 * calls, if there is nothing to do but to count it and to wait so; returns the best task then, or the caller where
 * takti_reschedule decides; NULL: nothing was done. O(1).
 */
TAKTI_OPERATION(struct takt_task *, takti_settle, (struct takt_task * task, enum takti_settle what));

/* Arms a timer that is not armed. For TAKT_FOREVER it never expires, and need not be armed. Among equal expiries the
 * order is that of the calls. The one-shot, or the unit, interrupts in time. O(t), task manager O(1). */
TAKTI_OPERATION(void, takti_timer_arm, (struct takt_timer * timer, uint64_t at_ns));

/* The same in line where that pays. `state`: timer->state. */
TAKTI_OPERATION(void, takti_timer_arm_inline, (struct takt_timer * timer, uint64_t at_ns, uint32_t state));

/* Disarms a timer that is armed. O(t), task manager O(timers that have expired). */
TAKTI_OPERATION(void, takti_timer_remove, (struct takt_timer * timer));

/* The earliest expiry that the one-shot is for, those aside that expire with the last timer that was taken;
 * TAKT_FOREVER: none. O(1). */
TAKTI_OPERATION(uint64_t, takti_timers_first_ns, (void));

/* Arms the one-shot again, after an interrupt that came early; and at the start, once .running is set, all that was
 * armed before. O(1), task manager at the start O(records). Ports call it: kernel/port.h. */
TAKTI_OPERATION(void, takti_timers_program, (void));

/*
 * The next timer that has expired, no longer armed, in the order of expiry, then of arming (one that was armed
 * meanwhile for an earlier expiry than the last may come later); NULL: none, and the next expiry will interrupt. DUE:
 * in the timer's interrupt, the first. NEXT: a further one. START: before .running is set, one of time 0. O(1), task
 * manager O(expired) and a round of the unit.
 */
TAKTI_OPERATION(struct takt_timer *, takti_timers_take, (enum takti_take which));

#endif
