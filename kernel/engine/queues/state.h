/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_QUEUES_STATE_H
#define TAKTI_QUEUES_STATE_H

#include "kernel/engine/types.h"

/* A task that waits only for its own expiry waits as others do. */
#define TAKTI_QUIET 0

/*
 * `next` is the task that should run: the best ready one, except during a change. In thread mode the call switches from
 * `running` to it before the lock opens; an interrupt requests the switch from the port, which makes it after the last
 * handler.
 */
struct takti_ready {
    union takti_level levels[TAKT_LEVELS];
    struct takt_task *running; /* the task whose context is on the processor */
    struct takt_task *next;
    uint32_t occupied[TAKT_LEVEL_WORDS];       /* base/bitmap.h: levels with a ready task */
    uint32_t edf[TAKT_EDF * TAKT_LEVEL_WORDS]; /* takt_system.edf_levels */
    struct takt_task **tasks[TAKT_EDF];        /* by leaf of the tournament, which is their index in the declaration */
};

struct takti_timers {
    struct takt_timer **first; /* first timer of each chain, from the earliest expiry on */
    struct takt_timer **last;  /* last entry, if any; followed by one for TAKT_FOREVER */
    struct takt_timer *due;    /* rest of the chain that is being served */
    bool running;              /* the system has started: the one-shot follows `first` */
};

#endif
