/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_READY_H
#define TAKTI_READY_H

/*
 * The ready queue for every list of bands: a bitmap of levels, a circular list of tasks per fixed level, a tournament
 * per edf level. The running task stays in it, and idle is always in the last level, so that it is never empty. In a
 * header because it is on every measured path. All functions are called with the kernel locked.
 */
#include "base/bitmap.h"
#include "base/inline.h"
#include "base/tournament.h"
#include "takt/system.h"

/* Compiled for size: one general path in place of fast paths for common cases. TAKT_SINGLE_PATH (takt/engine.h): the
 * same for fast paths that depend on the layout of the queues. */
#ifdef __OPTIMIZE_SIZE__
#define TAKTI_OPTIMIZE_SIZE 1
#define TAKTI_NOINLINE_HOT
#define TAKTI_INLINE_ONE_CALLER __attribute__((always_inline)) /* it has one caller after inlining */
#define TAKTI_INLINE_ALWAYS
#define TAKTI_NOINLINE_SIZE __attribute__((noinline)) /* a call is shorter */
#define TAKTI_NOINLINE_SIZE_OR_INLINE TAKTI_NOINLINE_SIZE
#else
#define TAKTI_OPTIMIZE_SIZE 0
#define TAKTI_NOINLINE_HOT __attribute__((noinline)) /* so that its caller saves no registers */
#define TAKTI_INLINE_ONE_CALLER
#define TAKTI_INLINE_ALWAYS __attribute__((always_inline)) /* a copy for each caller */
#define TAKTI_NOINLINE_SIZE
#define TAKTI_NOINLINE_SIZE_OR_INLINE inline TAKTI_INLINE_ALWAYS
#endif

/* Keeps the compiler from early loads, for which it would have to save a register. */
#define TAKTI_COMPILER_BARRIER __asm volatile("" : : : "memory")

union takti_level {
    struct takt_task *fifo;             /* fixed: first of the circular list; undefined while the level is empty */
    struct takt_tournament *tournament; /* edf: by absolute deadline */
};

/*
 * `next` is the task that should run: the best ready one, except during a change. In thread mode the call switches from
 * `running` to it before the lock opens; an interrupt requests the switch from the port, which makes it after the last
 * handler.
 */
struct takti_ready {
#if !TAKT_SINGLE_PATH
    union takti_level levels[TAKT_LEVELS];
#endif
    struct takt_task *running; /* the task whose context is on the processor */
    struct takt_task *next;
    uint32_t occupied[TAKT_LEVEL_WORDS]; /* base/bitmap.h: levels with a ready task */
#if TAKT_EDF
    uint32_t edf[TAKT_LEVEL_WORDS]; /* takt_system.edf_levels */
    struct takt_task **tasks;       /* by leaf of the tournament, which is their index in the declaration */
#endif
#if TAKT_SINGLE_PATH
    union takti_level levels[TAKT_LEVELS]; /* after the more frequently used fields, which shorter instructions reach */
#endif
};

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
#if TAKT_EDF
    return (ready->edf[takti_level_word(ready, task->level)] & task->level_bit) != 0;
#else
    (void)ready;
    (void)task;
    return false;
#endif
}

static inline bool takti_level_edf(const struct takti_ready *ready, unsigned level)
{
#if TAKT_EDF
    return takt_bitmap_test(ready->edf, TAKT_LEVEL_WORDS, level) != 0;
#else
    (void)ready;
    (void)level;
    return false;
#endif
}

/* The absolute deadline of the effective key; 0 in a fixed level. */
static inline uint64_t takti_key_deadline_ns(const struct takt_task *task)
{
#if TAKT_EDF
    return *task->key_deadline_ns;
#else
    (void)task;
    return 0;
#endif
}

static inline void takti_key_deadline_set(struct takt_task *task, uint64_t deadline_ns)
{
#if TAKT_EDF
    *task->key_deadline_ns = deadline_ns;
#else
    (void)task;
    (void)deadline_ns;
#endif
}

/* Whether a's key is strictly better. */
static inline bool takti_before(const struct takt_task *a, const struct takt_task *b)
{
    return a->level < b->level ||
           (TAKT_EDF && a->level == b->level && takti_key_deadline_ns(a) < takti_key_deadline_ns(b));
}

#if TAKT_ENGINE_RTM
/* hardware/driver/rtm.c: as the functions below. Levels are only numbers, without a bitmap of occupied ones. */
void takti_ready_insert(struct takti_ready *ready, struct takt_task *task, bool first);
void takti_ready_remove(struct takti_ready *ready, struct takt_task *task);
struct takt_task *takti_ready_first(const struct takti_ready *ready);
bool takti_ready_add(struct takt_task *task); /* kernel.h */
#else
/* The word of the bitmap for a level. */
static inline uint32_t *takti_occupied(struct takti_ready *ready, const union takti_level *level)
{
    return &ready->occupied[takti_level_word(ready, level)];
}

#if !TAKT_EDF
/* The same for a task whose level is known to be empty. */
static inline void takti_ready_insert_alone(struct takti_ready *ready, struct takt_task *task)
{
    union takti_level *level = task->level;
    task->next = task;
    task->previous = task;
    level->fifo = task;
    TAKTI_COMPILER_BARRIER;
    *takti_occupied(ready, task->level) |= task->level_bit;
}

/* Removes a task that is alone in its level. */
static inline void takti_ready_remove_alone(struct takti_ready *ready, struct takt_task *task)
{
    *takti_occupied(ready, task->level) &= ~task->level_bit;
}
#endif

/*
 * Inserts a task, whose key is set, into the queue of its level; `first`: before its equals in a fixed level.
 * Fixed O(1), edf O(log n).
 */
static inline void takti_ready_insert(struct takti_ready *ready, struct takt_task *task, bool first)
{
    union takti_level *level = task->level;
    uint32_t bit = task->level_bit;
    uint32_t *word = takti_occupied(ready, level);
    uint32_t occupied = *word;
#if TAKT_EDF
    if (takti_in_edf(ready, task)) {
        ready->tasks[task->config->index] = task;
        takt_tournament_insert(level->tournament, task->config->index, *task->key_deadline_ns);
        *word = occupied | bit;
        return;
    }
#endif
    if ((occupied & bit) == 0) {
        task->next = task;
        task->previous = task;
        level->fifo = task;
        *word = occupied | bit;
    } else {
        struct takt_task *head = level->fifo;
        struct takt_task *last = head->previous;
        task->next = head;
        task->previous = last;
        last->next = task;
        head->previous = task;
        if (first) {
            level->fifo = task;
        }
    }
}

/* Removes a task from the queue. Fixed O(1), edf O(n / 8). */
static inline void takti_ready_remove(struct takti_ready *ready, struct takt_task *task)
{
    union takti_level *level = task->level;
    uint32_t *word = takti_occupied(ready, level);
#if TAKT_EDF
    if (takti_in_edf(ready, task)) {
        takt_tournament_remove(level->tournament, task->config->index);
        if (level->tournament->least == TAKT_TOURNAMENT_NONE) {
            *word &= ~task->level_bit;
        }
        return;
    }
#endif
    struct takt_task *next = task->next;
    if (next == task) {
        *word &= ~task->level_bit;
    } else {
        struct takt_task *previous = task->previous;
        previous->next = next;
        next->previous = previous;
        if (level->fifo == task) {
            level->fifo = next;
        }
    }
}

/* The task with the best key; idle when nothing else is ready. O(1). */
static inline TAKTI_INLINE_ONE_CALLER struct takt_task *takti_ready_first(const struct takti_ready *ready)
{
    unsigned index = takt_bitmap_first(ready->occupied, TAKT_LEVEL_WORDS);
#if TAKT_EDF
    if (takt_bitmap_test(ready->edf, TAKT_LEVEL_WORDS, index)) {
        return ready->tasks[ready->levels[index].tournament->first];
    }
#endif
    return ready->levels[index].fifo;
}

#endif

#endif
