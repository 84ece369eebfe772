/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_READY_H
#define TAKTI_READY_H

/*
 * The ready queue of the software engines, for every list of bands: a bitmap of levels, a circular list of tasks per
 * fixed level, a tournament per edf level. The running task stays in it, and idle is always in the last level, so that
 * it is never empty. In a header because it is on every measured path. kernel/engine/engine.h says what each does.
 */
#include "base/bitmap.h"
#include "base/tournament.h"
#include "kernel/core/key.h"

/* The word of the bitmap for a level. */
static inline uint32_t *takti_occupied(struct takti_ready *ready, const union takti_level *level)
{
    return &ready->occupied[takti_level_word(ready, level)];
}

/* ready_init.c: part of takti_engine_init. */
void takti_ready_init(void);

static inline bool takti_ready_alone(const struct takt_task *task)
{
    return task->next == task;
}

/* Puts a task before another in the circular list: behind all, if that is the first. */
static inline void takti_ready_link(struct takt_task *task, struct takt_task *head)
{
    struct takt_task *last = head->previous;
    task->next = head;
    task->previous = last;
    last->next = task;
    head->previous = task;
}

/*
 * A task that inherits from another of an edf level is at that one's leaf (TAKT_INHERITS_ORDER), which is free: who
 * waits is not ready. It may also be at its own leaf still, there or in its own level, with a key that is no better; so
 * it need not come back. If the waiter becomes ready first, it has its leaf back, and the other is to leave it.
 */
static inline void takti_ready_leave_own(const struct takt_task *task)
{
    struct takti_ready *ready = &takti_kernel.ready;
    unsigned own = task->config->level;
    union takti_level *level = &ready->levels[own];
    if (level != task->level && takti_level_edf(ready, own)) {
        takt_tournament_remove(level->tournament, task->config->index);
        if (TAKTI_UNLIKELY(level->tournament->least == TAKT_TOURNAMENT_NONE)) {
            *takti_occupied(ready, level) &= ~takt_bitmap_bit(TAKT_LEVEL_WORDS, own);
        }
    }
}

/* TAKTI_UNKEY: a task leaves the leaf of another, unless that has it back, and its own level, if it is not in that; its
 * own leaf here, if it is not there by its own key. It is in this level again before the lock opens, or leaves it. */
static TAKTI_NOINLINE_HOT void takti_ready_leave_leaf(const struct takt_task *task)
{
    unsigned leaf = takti_key_order(task);
    bool own = leaf == task->config->index;
    if (own ? takti_key_deadline_ns(task) != takti_own_deadline_ns(task) : (*takti_kernel.ready.tasks)[leaf] == task) {
        takt_tournament_remove(task->level->tournament, leaf);
    }
    if (!own) {
        takti_ready_leave_own(task);
    }
}

/* TAKTI_REKEY. Not in line, so that a compiler still takes insertions in line. */
static __attribute__((noinline, unused)) void takti_ready_rekey(struct takt_task *task)
{
    struct takt_tournament *tournament = task->level->tournament;
    unsigned leaf = takti_key_order(task);
    uint64_t deadline_ns = takti_key_deadline_ns(task);
    if (TAKT_INHERITS_ORDER) {
        (*takti_kernel.ready.tasks)[leaf] = task;
    }
    if (tournament->keys[leaf] < deadline_ns) {
        takt_tournament_increase(tournament, leaf, deadline_ns);
    } else {
        takt_tournament_decrease(tournament, leaf, deadline_ns);
    }
}

static inline bool takti_ready_insert(struct takt_task *task, enum takti_position position)
{
    struct takti_ready *ready = &takti_kernel.ready;
    union takti_level *level = task->level;
    uint32_t bit = task->level_bit;
    if (TAKT_EDF && position == TAKTI_REKEY) {
        takti_ready_rekey(task);
        return true;
    }
    if (TAKT_INHERITS_ORDER && position == TAKTI_UNKEY) {
        takti_ready_leave_leaf(task);
        return true;
    }
    if (TAKT_INHERITS_ORDER && position == TAKTI_REPLACE && takti_in_edf(ready, task)) {
        unsigned leaf = takti_key_order(task);
        (*ready->tasks)[leaf] = task;
        return level->tournament->first == leaf;
    }
    if (position == TAKTI_REPLACE) {
        task->next = task;
        task->previous = task;
        level->fifo = task;
        return true;
    }
    if (position == TAKTI_BEST) {
        task->next = task;
        task->previous = task;
        level->fifo = task;
        TAKTI_COMPILER_BARRIER;
        *takti_occupied(ready, task->level) |= task->level_bit;
        return true;
    }
    uint32_t *word = takti_occupied(ready, level);
    uint32_t occupied = *word;
    if (TAKT_EDF && takti_in_edf(ready, task)) {
        unsigned leaf = takti_key_order(task);
        (*ready->tasks)[leaf] = task;
        *word = occupied | bit;
        return takt_tournament_insert(level->tournament, leaf, takti_key_deadline_ns(task));
    }
    bool first = position == TAKTI_FIRST;
    if (!TAKTI_OPTIMIZE_SIZE && first && TAKTI_UNLIKELY((occupied & bit) != 0)) { /* a level regained is mostly empty */
        takti_ready_link(task, level->fifo);
        level->fifo = task;
        return false;
    }
    if ((occupied & bit) == 0) {
        task->next = task;
        task->previous = task;
        level->fifo = task;
        *word = occupied | bit;
        return true;
    }
    takti_ready_link(task, level->fifo);
    if (first) {
        level->fifo = task;
    }
    return false;
}

static inline void takti_ready_remove(struct takt_task *task)
{
    struct takti_ready *ready = &takti_kernel.ready;
    if (TAKT_EDF && takti_in_edf(ready, task)) {
        union takti_level *level = task->level;
        if (TAKT_INHERITS_ORDER && TAKTI_UNLIKELY(*task->order != task->config->index)) {
            takti_ready_leave_leaf(task);
        }
        takt_tournament_remove(level->tournament, task->config->index);
        if (TAKTI_UNLIKELY(level->tournament->least == TAKT_TOURNAMENT_NONE)) {
            *takti_occupied(ready, level) &= ~task->level_bit;
        }
        return;
    }
    struct takt_task *next = task->next;
    if (TAKTI_UNLIKELY(next != task)) {
        union takti_level *level = task->level;
        struct takt_task *previous = task->previous;
        previous->next = next;
        next->previous = previous;
        if (level->fifo == task) {
            level->fifo = next;
        }
    } else {
        *takti_occupied(ready, task->level) &= ~task->level_bit;
    }
}

static inline TAKTI_INLINE_ONE_CALLER struct takt_task *takti_ready_first(void)
{
    const struct takti_ready *ready = &takti_kernel.ready;
    unsigned index = takt_bitmap_first(ready->occupied, TAKT_LEVEL_WORDS);
    if (TAKT_EDF && takt_bitmap_test(ready->edf, TAKT_LEVEL_WORDS, index)) {
        return (*ready->tasks)[ready->levels[index].tournament->first];
    }
    return ready->levels[index].fifo;
}

static inline bool takti_ready_add(struct takt_task *task)
{
    uint64_t deadline_ns = takti_key_deadline_ns(task); /* one load for both */
    bool first = takti_ready_insert(task, TAKTI_LAST);
    if (TAKTI_OPTIMIZE_SIZE) {
        return true; /* perhaps: takti_reschedule decides */
    }
    if ((!TAKT_SERVERS && !first) || !takti_preempts(task, deadline_ns, takti_kernel.ready.next)) {
        return false;
    }
    takti_kernel.ready.next = task;
    return true;
}

static inline void takti_ready_each_of(union takti_level *level, unsigned index,
                                       void (*visit)(struct takt_task *task, void *context), void *context)
{
    if (TAKT_EDF && takti_level_edf(&takti_kernel.ready, index)) {
        for (unsigned leaf = 0; leaf < takti_kernel.system->edf->leaves; leaf++) {
            struct takt_task *task = (*takti_kernel.ready.tasks)[leaf];
            if (level->tournament->keys[leaf] != TAKT_TOURNAMENT_NONE && takti_key_order(task) == leaf) {
                visit(task, context);
            }
        }
        return;
    }
    struct takt_task *task = level->fifo;
    unsigned tasks = 1;
    for (const struct takt_task *other = task->next; other != task; other = other->next) {
        tasks++;
    }
    for (; tasks > 0; tasks--) {
        struct takt_task *next = task->next;
        visit(task, context);
        task = next;
    }
}

static inline void takti_ready_each(void (*visit)(struct takt_task *task, void *context), void *context)
{
    for (unsigned index = 0; index < TAKT_LEVELS; index++) {
        if (takt_bitmap_test(takti_kernel.ready.occupied, TAKT_LEVEL_WORDS, index) != 0) {
            takti_ready_each_of(&takti_kernel.ready.levels[index], index, visit, context);
        }
    }
}

static inline struct takt_task *takti_ready_rotate(struct takt_task *task)
{
    struct takt_task *next = task->next; /* the others move up */
    task->level->fifo = next;
    return next;
}

static inline struct takt_task *takti_settle(struct takt_task *task, enum takti_settle what)
{
    (void)task;
    (void)what;
    return NULL;
}

#endif
