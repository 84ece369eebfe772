/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HINTS_EARLY_ORACLE_H
#define HINTS_EARLY_ORACLE_H

/* For random programs, which run without a kernel: at each unlock other tasks change what tasks share. */
#include "takt/takt.h"

struct world {
    unsigned one, several[3];
    volatile unsigned sensor;
    unsigned *to;
};

extern struct world world;
extern struct takt_mutex a, b, each[3];
extern void (*const jobs[])(unsigned);
extern const unsigned job_count;

#endif
