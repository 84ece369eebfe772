/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_SELECTION_H
#define TAKT_SELECTION_H

/*
 * One queue of ready tasks by (key, order), smallest first: what an edf level needs. One file implements it, another
 * structure each, and is linked with measure.c and one target. Nothing allocates, recurses or uses floating point.
 */
#include <stddef.h>
#include <stdint.h>

#include "leftist_heap.h"
#include "list.h"

enum { TASKS_MAX = 64 };

/* The queue's part of a task; key and order are set before it is inserted. */
struct task {
    uint64_t key;
    uint16_t order; /* of its own: its index in `tasks` */
    uint16_t slot;  /* where it is, for the structures that move it */
    union {
        struct takt_node link;
        struct takt_heap_node heap;
    } links;
};

extern struct task tasks[TASKS_MAX];

/* By order, where a structure works with indices: the kernel has its tasks wherever they were declared. */
extern struct task *const task_table[TASKS_MAX];

/* What the structure keeps beside key and order: bytes per task, and for all when there are room for `tasks`. */
struct storage {
    unsigned per_task;
    unsigned per_level;
};
struct storage selection_storage(unsigned tasks);

/* Empties it, with room for tasks whose order is below `tasks`. */
void selection_init(unsigned tasks);

void selection_insert(struct task *task);

/* Takes out a task that is in. */
void selection_remove(struct task *task);

/* NULL when it is empty. */
struct task *selection_first(void);

static inline int before(const struct task *a, const struct task *b)
{
    return a->key < b->key || (a->key == b->key && a->order < b->order);
}

#endif
