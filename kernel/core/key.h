/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_KEY_H
#define TAKTI_KEY_H

/*
 * Effective keys of tasks: (level, absolute deadline, order). A level is known by its address in takti_kernel.ready:
 * addresses are compared, and only the engine reads what is there. Called with the kernel locked.
 */
#include "kernel/core/state.h"

static inline unsigned takti_level_index(const struct takti_ready *ready, const union takti_level *level)
{
    return (unsigned)(level - ready->levels);
}

static inline unsigned takti_level_word(const struct takti_ready *ready, const union takti_level *level)
{
    return takt_bitmap_word(TAKT_LEVEL_WORDS, takti_level_index(ready, level));
}

/* Whether a task's effective level is an edf band. */
static inline bool takti_in_edf(const struct takti_ready *ready, const struct takt_task *task)
{
    return TAKT_EDF && (ready->edf[takti_level_word(ready, task->level)] & task->level_bit) != 0;
}

static inline bool takti_level_edf(const struct takti_ready *ready, unsigned level)
{
    return TAKT_EDF && takt_bitmap_test(ready->edf, TAKT_LEVEL_WORDS, level) != 0;
}

/* The absolute deadline of the effective key; 0 in a fixed level. */
static inline uint64_t takti_key_deadline_ns(const struct takt_task *task)
{
    return TAKT_EDF ? *task->key_deadline_ns : 0;
}

static inline void takti_key_deadline_set(struct takt_task *task, uint64_t deadline_ns)
{
    if (TAKT_EDF) {
        *task->key_deadline_ns = deadline_ns;
    }
}

/* The order of the effective key among equal deadlines of an edf level: the less, the better. */
static inline unsigned takti_key_order(const struct takt_task *task)
{
    return TAKT_INHERITS_ORDER ? *task->order : task->config->index;
}

static inline void takti_key_order_set(struct takt_task *task, unsigned order)
{
    if (TAKT_INHERITS_ORDER) {
        *task->order = (uint16_t)order;
    }
}

/* Whether a's key is better by level or deadline. */
static inline bool takti_before(const struct takt_task *a, const struct takt_task *b)
{
    return a->level < b->level ||
           (TAKT_EDF && a->level == b->level && takti_key_deadline_ns(a) < takti_key_deadline_ns(b));
}

/* The same, or equal, in an edf level, and better by the order, where that is inherited. */
static inline bool takti_key_better(const struct takt_task *a, const struct takt_task *b)
{
    return takti_before(a, b) ||
           (TAKT_INHERITS_ORDER && a->level == b->level && takti_key_deadline_ns(a) == takti_key_deadline_ns(b) &&
            takti_key_order(a) < takti_key_order(b) && takti_in_edf(&takti_kernel.ready, a));
}

/* Whether a task that has become ready, with this deadline, should run instead of `next`. Among equal deadlines the
 * running one stays. */
static inline bool takti_preempts(const struct takt_task *task, uint64_t deadline_ns, const struct takt_task *next)
{
    if (TAKT_COOPERATIVE) {
        return false;
    }
    if (!TAKT_EDF || TAKTI_UNLIKELY(task->level != next->level)) {
        return task->level < next->level;
    }
    uint64_t other_ns = takti_key_deadline_ns(next);
    if (next != takti_kernel.ready.running && deadline_ns == other_ns && takti_in_edf(&takti_kernel.ready, task)) {
        if (TAKT_SERVERS && task == takti_kernel.ready.running) { /* it was suspended, and is resumed */
            return true;
        }
        return takti_key_order(task) < takti_key_order(next);
    }
    return deadline_ns < other_ns;
}

#endif
