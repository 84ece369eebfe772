/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BENCHMARK_TAKT_ROWS_H
#define TAKT_BENCHMARK_TAKT_ROWS_H

#include <stdbool.h>

#include "harness.h"

/* The rows that other kernels have no counterpart of: jobs, and instants that are apart. */
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

/*
 * Releases of `count` jobs at one instant, or each at its own: in a run of their own, since what is released together
 * is started together, before time 0 begins (releases_init).
 */
void releases_init(unsigned count, bool distinct);
void releases_measure(void);

#endif
