/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_ENGINE_TYPES_H
#define TAKTI_ENGINE_TYPES_H

/* Arguments of the engine's operations (kernel/engine/engine.h). */
#include "takt/system.h"

/* Where a task is inserted among the ready tasks of its fixed level; UNKEY, REKEY: its key in its edf level will
 * change, has changed. */
enum takti_position { TAKTI_LAST, TAKTI_FIRST, TAKTI_BEST, TAKTI_REPLACE, TAKTI_UNKEY, TAKTI_REKEY };

/* What is the matter with a task that waits quietly, or is to. */
enum takti_settle { TAKTI_ASKED, TAKTI_JOB_ENDS };

/* Which expired timer is taken. */
enum takti_take { TAKTI_TAKE_START, TAKTI_TAKE_DUE, TAKTI_TAKE_NEXT };

/* What a level is to the software queues; to other engines, an address. */
union takti_level {
    struct takt_task *fifo;             /* fixed: first of the circular list; undefined while the level is empty */
    struct takt_tournament *tournament; /* edf: by absolute deadline */
};

#endif
