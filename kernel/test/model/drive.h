/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DRIVE_H
#define DRIVE_H

/* What the files that run a plan on the kernel share. */
#include "plan.h"
#include "takt/task.h"

/* drive.c: performs an operation; what a call returned */
void drive_perform(unsigned actor, const struct op *op);
void drive_result(unsigned actor, const struct op *op, unsigned status, uint32_t message);

/* drive_message.c: operations on messages with priorities */
void drive_messages_init(const struct plan *plan, const struct takt_task *tasks, struct outcome *outcome);
void drive_message(unsigned actor, const struct op *op);

/* drive_slot.c */
void drive_slots_init(const struct plan *plan);
void drive_slot(unsigned actor, const struct op *op);

/* drive_signal.c */
void drive_signals_init(const struct takt_task *tasks);
void drive_signal(unsigned actor, const struct op *op);

/* drive_alarm.c */
void drive_alarms_init(const struct plan *plan);
struct answer drive_alarm(const struct op *op);

/* drive_pipe.c */
void drive_pipes_init(void);
void drive_pipe(unsigned actor, const struct op *op);

#endif
