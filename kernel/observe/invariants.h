/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_INVARIANTS_H
#define TAKTI_INVARIANTS_H

/* The parts of takt_kernel_broken. They read what other files write, and share no code with these: a walk that used
 * their functions would agree with their faults. Called with the kernel locked. */
#include "kernel/core/kernel.h"
#include "takt/invariants.h"
#include "takt/mailbox.h"
#include "takt/pipe.h"
#include "takt/priority_mailbox.h"

struct takti_walk {
    const struct takt_known_objects *objects;
    unsigned known;           /* objects: those given, and with protection those of the tables */
    struct takt_broken found; /* the first */
    bool interrupt;           /* who called */
};

/* takt_kernel_broken without the lock and its opening. */
struct takt_broken takti_kernel_broken(const struct takt_known_objects *objects);

/* The parts. Only the first two are relied on by the others; each stops where it cannot go on. */
void takti_walk_handles(struct takti_walk *walk); /* the table of objects, if there is one: it can be followed */
void takti_walk_tasks(struct takti_walk *walk);   /* each task by itself: its pointers can be followed from here on */
void takti_walk_ready(struct takti_walk *walk);   /* the ready queue, and who runs */
void takti_walk_timers(struct takti_walk *walk);  /* what is expected of the clock */
void takti_walk_waits(struct takti_walk *walk);   /* who waits, for what, and what owners inherit */
void takti_walk_jobs(struct takti_walk *walk);    /* releases, deadlines, budgets */
void takti_walk_objects(struct takti_walk *walk); /* what they count, and who waits for them */
void takti_walk_processes(struct takti_walk *walk);

/* Parts of the last but one. */
void takti_walk_mailbox(struct takti_walk *walk, const struct takt_mailbox *mailbox);
void takti_walk_priority_mailbox(struct takti_walk *walk, const struct takt_priority_mailbox *mailbox);
void takti_walk_pipe(struct takti_walk *walk, const struct takt_pipe *pipe);

/* Notes that `what` is broken unless `holds`, if nothing is noted yet. Returns `holds`. */
bool takti_must(struct takti_walk *walk, bool holds, const char *what, const void *where);

/* The objects that are known, `known` of them, by number from 0; kind TAKT_KNOWN_KINDS: this number is none. */
struct takt_known takti_walk_known(const struct takti_walk *walk, unsigned number);

/* Whether an object is one of these, of one of the kinds in a bit set. */
bool takti_walk_has(const struct takti_walk *walk, unsigned kinds, const void *object);

/* The tasks of the table and those among these, by number from 0; NULL: this number is none. */
unsigned takti_walk_count(const struct takti_walk *walk);
const struct takt_task *takti_walk_task(const struct takti_walk *walk, unsigned number);

/* Whether a pointer to a task may be followed. Idle is none. */
bool takti_walk_is_task(const struct takti_walk *walk, const struct takt_task *task);
bool takti_walk_is_known(const struct takti_walk *walk, const struct takt_task *task);

/*
 * Follows a queue of waiters. `stand_in`: who may wait in it and is no task, the ceiling of a mutex; or NULL. Returns
 * how often `member` stands in it.
 */
unsigned takti_walk_queue(struct takti_walk *walk, struct takt_task *const *queue, const struct takt_task *stand_in,
                          const struct takt_task *member);

/* Whether a mutex is in the owner's list of those that others wait for. */
bool takti_walk_contends(const struct takt_task *owner, const struct takt_mutex *mutex);

/* The number of the level that a pointer points at; TAKT_LEVELS: it points at none. */
unsigned takti_walk_level(const union takti_level *level);

/* Whether a level is an edf band, by the table; not that which takti_walk_level has for none. */
static inline bool takti_walk_edf(unsigned level)
{
    return TAKT_EDF && level < TAKT_LEVELS &&
           takt_bitmap_test(takti_kernel.system->edf_levels, TAKT_LEVEL_WORDS, level) != 0;
}

static inline bool takti_walk_all(const struct takti_walk *walk, unsigned kind)
{
    return walk->objects != NULL && (walk->objects->all >> kind & 1u) != 0;
}

/* Whether a pointer may be one to a structure of the kernel's. */
static inline bool takti_aligned(const void *pointer)
{
    return ((uintptr_t)pointer & (sizeof(void *) - 1)) == 0 && pointer != NULL;
}

/* The longest list that is followed where nothing else says how long it may be. */
enum { TAKTI_LIST_MAX = UINT16_MAX };

#endif
