/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BENCHMARK_TAKT_ROWS_H
#define TAKT_BENCHMARK_TAKT_ROWS_H

#include <stdbool.h>

#include "harness.h"

/* The rows that other kernels have no counterpart of: jobs, and distinct expiries. */
void own_rows_measure(void);

/* One that tasks of `level` use, and those below. system.c */
void ceiling_for(struct takt_ceiling *ceiling, enum level level);

/* Ring, state message and mailbox (messages.c). */
void message_rows_measure(void);

/* Messages with priorities, slots and signals (buffers.c). */
void buffer_rows_measure(void);

/* Alarms (alarms.c). */
void alarm_rows_measure(void);

/* A mutex with a ceiling; one that another owns, with and without a hint (locks.c). */
void lock_rows_measure(void);
/* With option locks, instead of all rows: what figures 5.9 to 5.11 of seed 000 need. Returns whether it was given. */
bool locks_measure(void);

/* SET_CALLS: calls by themselves, as a process makes them and as everybody else does (calls.c). */
void call_rows_measure(void);

#if TAKT_PROCESSES /* processes.c */
/* Of the runner, or of all others: the same with option within, else another. */
struct takt_process *process_of(bool runs_rows);
void processes_declare(struct takt_system *system);
/* The end of init: from now on in user mode. */
void processes_begin(void);
/* TARGET_IRQ belongs to a process from now on: `thread`, prepared as a job's, is its handler. */
void handler_attach(struct thread *thread);
/* At the end of the handler: the line may interrupt again when the job ends. */
void handler_served(void);
uint32_t process_bytes(void); /* sizeof(struct takt_process) */
#endif

/*
 * Releases of `count` jobs at one time, or each at its own: in a run of their own, since what is released together
 * is started together, before time 0 begins (releases_init).
 */
void releases_init(unsigned count, bool distinct);
void releases_measure(void);

#endif
