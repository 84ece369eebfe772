/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_RTM_STATE_H
#define TAKT_RTM_STATE_H

/* The task manager's part of takti_kernel (kernel/engine/engine.h): by record of the unit. */
#include "kernel/engine/types.h"

#define TAKTI_RECORDS (TAKT_RECORDS + 0u)
#define TAKTI_RECORD 0xFFu /* takt_timer.record: the number plus one */
#define TAKTI_RECORD_WORDS ((TAKTI_RECORDS + 31u) / 32u)

/*
 * A task that waits only for its own expiry waits quietly: its record has its own key, so that the unit makes it ready
 * at the expiry and interrupts if it is the best. The kernel does the work of the release or wake-up later, when the
 * task is to run or its state is read. Not where that would be observable: with a trace, with budgets, which are
 * refilled then, or with processes, which may end.
 */
#define TAKTI_QUIET (!TAKT_TRACE && !TAKT_PROCESSES && !TAKT_BUDGETS && !TAKT_COOPERATIVE)

/* As kernel/engine/queues/state.h. Levels are only addresses, in order, without a bitmap of occupied ones. */
struct takti_ready {
    struct takt_task *running;
    struct takt_task *next;
    uint32_t edf[TAKT_EDF * TAKT_LEVEL_WORDS];
    union takti_level levels[TAKT_LEVELS];
};

struct takti_timers {
    struct takt_timer *of[TAKTI_RECORDS];                /* its timer, now or last */
    uint32_t armed_as[TAKTI_RECORDS];                    /* sequence number of its arming */
    uint8_t quietly[TAKTI_RECORDS];                      /* whether its task may wait so: rtm.c */
    const struct takt_task_config *plain[TAKTI_RECORDS]; /* that it may wait so between its jobs: quiet.h; or NULL */
    uint32_t free[TAKTI_RECORD_WORDS];                   /* base/bitmap.h: free records */
    uint32_t armings;                                    /* so far */
    uint64_t seen_ns;                                    /* a time that has passed */
    struct takt_timer *due;      /* expired timers: by expiry, then in the order of arming ... */
    struct takt_timer *due_last; /* ... to this one, if any */
    bool running;                /* the system has started: the unit holds the armed timers ... */
    bool programmed;             /* ... including those armed before */
};

#endif
