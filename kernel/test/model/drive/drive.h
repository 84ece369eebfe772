/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DRIVE_H
#define DRIVE_H

/* What the files that run a plan on the kernel share. */
#include "kernel/test/model/plan.h"
#include "takt/takt.h"

/* drive.c: performs an operation; what a call returned */
void drive_perform(unsigned actor, const struct op *op);
bool drive_in_hook(void); /* whether one performs now that a timer's interrupt calls */
void drive_result(unsigned actor, const struct op *op, unsigned status, uint32_t message);

struct drive_objects {
    const struct takt_task *tasks;
    const struct takt_mutex *mutexes;
};
struct drive_objects drive_objects(void);

/* For takt_kernel_broken: all that there is. Each file gives its objects when they begin. */
const struct takt_known_objects *drive_given(void);
void drive_give(const void *object, enum takt_known_kind kind);

/* Sets the order of the waiters of an object. `mask`: of those of its kind with FIFO order */
static inline void drive_fifo(bool *member, unsigned mask, unsigned index)
{
    if (TAKT_FIFO_WAITERS) {
        *member = (mask >> index & 1u) != 0;
    }
}

/* interrupt.c */
void drive_interrupts_init(const struct plan *plan, struct outcome *outcome);
void drive_intrude(bool timer); /* as an intrusion of the plan; the plan says elsewhere which one it was */

/* trace.c: the trace and the figures of the kernel */
void drive_read(struct outcome *outcome);

/* mutex.c; and drive_last_held, drive_lost_last in plan.h. `begin`: a script, which holds none */
void drive_mutexes_init(const struct plan *plan);
const struct takt_mutex *drive_mutexes(void);
void drive_mutex_begin(unsigned actor);
void drive_mutex(unsigned actor, const struct op *op);

/* message.c: operations on messages with priorities */
void drive_messages_init(const struct plan *plan, struct takt_task *tasks, struct outcome *outcome);
void drive_message(unsigned actor, const struct op *op);

/* slot.c */
void drive_slots_init(const struct plan *plan, struct takt_task *tasks, const struct outcome *outcome);
void drive_slot(unsigned actor, const struct op *op);

/* signal.c */
void drive_signals_init(const struct plan *plan, struct takt_task *tasks, const struct outcome *outcome);
void drive_signal(unsigned actor, const struct op *op);

/* alarm.c */
void drive_alarms_init(const struct plan *plan);
struct answer drive_alarm(const struct op *op);

/* watchdog.c */
void drive_watchdogs_init(const struct plan *plan, struct takt_task *tasks);
struct answer drive_watchdog(unsigned actor, const struct op *op);

/* pipe.c */
void drive_pipes_init(const struct plan *plan, struct takt_task *tasks, const struct outcome *outcome);
void drive_pipe(unsigned actor, const struct op *op);

#endif
