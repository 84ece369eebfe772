/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_INVARIANTS_H
#define TAKTI_INVARIANTS_H

/* The parts of takt_kernel_broken. They read the state that other files write, and share no code with them: a check
 * that used their functions would repeat their errors. Called with the kernel locked. */
#include "kernel/core/kernel.h"
#include "takt/invariants.h"
#include "takt/mailbox.h"
#include "takt/pipe.h"
#include "takt/priority_mailbox.h"

struct takt_object; /* takt/process.h */
struct takt_quota;

struct takti_walk {
    const struct takt_known_objects *objects;
    unsigned known;           /* number of objects: those passed, and with protection those of the tables */
    struct takt_broken found; /* the first */
    bool interrupt;           /* called from an interrupt */
};

/* takt_kernel_broken without the lock and its opening. */
struct takt_broken takti_kernel_broken(const struct takt_known_objects *objects);

/* The parts. The others rely only on the first two; each stops where it cannot continue. */
void takti_walk_tasks(struct takti_walk *walk);   /* each task by itself: its pointers can be followed afterwards */
void takti_walk_ready(struct takti_walk *walk);   /* the ready queue, and the running task: of the engine */
void takti_walk_timers(struct takti_walk *walk);  /* the armed timers */
void takti_walk_waits(struct takti_walk *walk);   /* waits, queues of waiters, inheritance of owners */
void takti_walk_jobs(struct takti_walk *walk);    /* releases, deadlines, budgets */
void takti_walk_objects(struct takti_walk *walk); /* counters and waiters of objects */
void takti_walk_processes(struct takti_walk *walk);
void takti_walk_servers(struct takti_walk *walk); /* with servers, in invariants_server.c, as the next two */
void takti_walk_served(struct takti_walk *walk, const struct takt_task *task); /* a served task */
unsigned takti_walk_servers_timers(const struct takt_timer *timer); /* whether it is of a server; NULL: armed ones */

/* With processes, in invariants_process.c. The table of objects, which can be followed afterwards; returns the number
 * of its objects and processes. */
unsigned takti_walk_handles(struct takti_walk *walk);
/* The object or restart call of a number below that. */
struct takt_known takti_walk_handle(unsigned number);
/* Whether an object is in the tables, with one of the kinds in a bit set. */
bool takti_walk_has_handle(unsigned kinds, const void *object);
/* A task and its process. */
void takti_walk_process_of(struct takti_walk *walk, const struct takt_task *task);

/* Parts of takti_walk_objects. */
void takti_walk_mailbox(struct takti_walk *walk, const struct takt_mailbox *mailbox);
void takti_walk_priority_mailbox(struct takti_walk *walk, const struct takt_priority_mailbox *mailbox);
void takti_walk_pipe(struct takti_walk *walk, const struct takt_pipe *pipe);

/* For takti_walk_ready: whether the best ready task, or an equal one, runs. */
void takti_walk_running(struct takti_walk *walk, const struct takt_task *best);

/* Part of takti_walk_timers, of the engine: follows the armed timers. Returns the number of known ones. */
unsigned takti_walk_armed_timers(struct takti_walk *walk);

/* For that: whether a pointer is a known timer; whether it may be followed; and an armed timer by itself, of which
 * takt_timer.armed must be `armed`. */
bool takti_walk_timer_known(const struct takti_walk *walk, const struct takt_timer *timer);
bool takti_walk_is_timer(const struct takti_walk *walk, const struct takt_timer *timer);
void takti_walk_armed(struct takti_walk *walk, const struct takt_timer *timer, unsigned armed);

/* Records that invariant `what` is violated unless `holds`, if none is recorded yet. Returns `holds`. */
bool takti_must(struct takti_walk *walk, bool holds, const char *what, const void *where);

/* The known object of this number, 0 to `known` - 1; kind TAKT_KNOWN_KINDS: there is none. */
struct takt_known takti_walk_known(const struct takti_walk *walk, unsigned number);

/* Whether an object is known, with one of the kinds in a bit set. */
bool takti_walk_has(const struct takti_walk *walk, unsigned kinds, const void *object);

/* The tasks of the table and those among these, by number from 0; NULL: this number is none. */
unsigned takti_walk_count(const struct takti_walk *walk);
const struct takt_task *takti_walk_task(const struct takti_walk *walk, unsigned number);

/* Whether a pointer to a task may be followed; false for idle. */
bool takti_walk_is_task(const struct takti_walk *walk, const struct takt_task *task);
bool takti_walk_is_known(const struct takti_walk *walk, const struct takt_task *task);

/*
 * Follows a queue of waiters. `stand_in`: a waiter that is not a task, the ceiling of a mutex; or NULL. Returns how
 * often `member` is in it.
 */
unsigned takti_walk_queue(struct takti_walk *walk, struct takt_task *const *queue, const struct takt_task *stand_in,
                          const struct takt_task *member);

/* A slot of a process for an alarm. An alarm in it is checked as a known object, too. */
void takti_walk_alarm_slot(struct takti_walk *walk, const struct takt_object *slot, const struct takt_quota *quota);

/* Whether a mutex is in the owner's list of contended mutexes. */
bool takti_walk_contends(const struct takt_task *owner, const struct takt_mutex *mutex);

/* The number of the level that a pointer points at; TAKT_LEVELS: none. */
unsigned takti_walk_level(const union takti_level *level);

/* Whether a level is an edf band, by the table; false for TAKT_LEVELS. */
static inline bool takti_walk_edf(unsigned level)
{
    return TAKT_EDF && level < TAKT_LEVELS &&
           takt_bitmap_test(takti_kernel.system->edf_levels, TAKT_LEVEL_WORDS, level) != 0;
}

static inline bool takti_walk_all(const struct takti_walk *walk, unsigned kind)
{
    return walk->objects != NULL && (walk->objects->all >> kind & 1u) != 0;
}

/* Whether a pointer is aligned for a structure of the kernel. */
static inline bool takti_aligned(const void *pointer)
{
    return ((uintptr_t)pointer & (sizeof(void *) - 1)) == 0 && pointer != NULL;
}

/* Largest length of a list that has no other bound. */
enum { TAKTI_LIST_MAX = UINT16_MAX };

#endif
