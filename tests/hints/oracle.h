/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HINTS_ORACLE_H
#define HINTS_ORACLE_H

/* For random programs, which run without a kernel: a waiting task goes on at once, and each hint is held against the
 * lock.
 */
#include "takt/takt.h"

extern struct takt_mutex a, b, locks[4];
extern struct takt_semaphore go;
extern unsigned random_state;
extern const struct takt_task_config tasks[];
extern const unsigned task_count;

static inline unsigned choice(void)
{
    takt_work(1); /* ends a run that does not end */
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 16;
}

#endif
