/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_SCHED_H
#define TAKT_SCHED_H

/*
 * The ready queue behind every list of bands: what a scheduler must offer. One file of kernel/sched/ implements it and
 * is chosen when linking. Everything is called with the kernel locked.
 */
#include "takt/system.h"

union takti_level {
    struct takt_node *fifo;      /* fixed: a circular list, first to run first */
    struct takt_heap_node *heap; /* edf: by absolute deadline */
};

struct takti_ready {
    uint32_t occupied[TAKT_LEVEL_WORDS]; /* base/bitmap.h: levels with a ready task */
    uint32_t edf[TAKT_LEVEL_WORDS];      /* takt_system.edf_levels */
    union takti_level levels[TAKT_LEVELS];
};

/*
 * Puts a task, whose key is set, into the queue of its level; `first`: before its equals in a fixed level.
 * Fixed O(1), edf O(log n).
 */
void takti_ready_insert(struct takt_task *task, bool first);

/* Takes out a task that is in. Fixed O(1), edf O(log n). */
void takti_ready_remove(struct takt_task *task);

/* The task with the best key; NULL when none is ready. O(1). */
struct takt_task *takti_ready_first(void);

#endif
