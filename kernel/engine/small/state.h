/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_SMALL_STATE_H
#define TAKTI_SMALL_STATE_H

#include "kernel/engine/types.h"

#define TAKTI_QUIET 0

/* As kernel/engine/queues/state.h, with the levels after the more frequently used fields, which shorter instructions
 * reach. */
struct takti_ready {
    struct takt_task *running;
    struct takt_task *next;
    uint32_t occupied[TAKT_LEVEL_WORDS];
    uint32_t edf[TAKT_EDF * TAKT_LEVEL_WORDS];
    struct takt_task **tasks[TAKT_EDF];
    union takti_level levels[TAKT_LEVELS];
};

struct takti_timers {
    struct takt_timer *first; /* in order of expiry, then of arming */
    bool running;
};

#endif
