/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_TIMER_H
#define TAKTI_TIMER_H

/*
 * What is expected of the clock: absolute instants in one sorted queue, and one one-shot armed for the first. No tick.
 * Timers for the same instant hang in a chain behind one place of the row, in the order in which they were armed. So
 * the first goes without any search, and arming finds its place, or its chain, by bisection (docs/decisions/0009).
 */
#include <stddef.h>

#include "kernel/core/ready.h"
#include "takt/system.h"

/* The structure that has a timer as its `member`. */
#define TAKTI_TIMER_OWNER(timer, type, member) ((type *)(void *)((char *)(timer)-offsetof(type, member)))

#if TAKT_ENGINE_RTM
/* hardware/driver/rtm.c: by record of the task manager. */
#define TAKTI_RECORDS (TAKT_RECORDS + 0u)
#define TAKTI_RECORD 0xFFu /* takt_timer.record: one more than the number */
#define TAKTI_RECORD_WORDS ((TAKTI_RECORDS + 31u) / 32u)
struct takti_timers {
    struct takt_timer *of[TAKTI_RECORDS]; /* whose it is, or was last */
    uint32_t armed_as[TAKTI_RECORDS];     /* timers are armed one after the other */
    uint8_t level_of[TAKTI_RECORDS];      /* of a task that is ready, or waits quietly: its level there; or 0 */
    uint8_t quietly[TAKTI_RECORDS];       /* whether its task may wait so: rtm.c */
    uint32_t free[TAKTI_RECORD_WORDS];    /* base/bitmap.h: nobody's */
    uint32_t armings;                     /* so far */
    uint64_t seen_ns;                     /* an instant that has passed */
    struct takt_timer *due;               /* their time has come: by instant, then in the order of arming ... */
    struct takt_timer *due_last;          /* ... to this one, if there are any */
    bool running;                         /* the system has started: the unit waits for what is armed ... */
    bool told;                            /* ... and for what was before */
};

struct takt_timer *takti_timers_take(void);

/*
 * A task that waits for its own instant, and for nothing else, does so quietly: with its own key, so that the unit
 * takes it for ready when the instant has come, and interrupts if it is the best. What the kernel does at a release or
 * a wake-up it makes up when the task is to run, or when somebody asks about it. Not where that would be seen: by a
 * trace, by a budget that is full again, by a process that ends.
 */
#define TAKTI_QUIET (!TAKT_TRACE && !TAKT_PROCESSES && !TAKT_BUDGETS && !TAKT_COOPERATIVE)
#elif TAKTI_OPTIMIZE_SIZE
struct takti_timers {
    struct takt_timer *first;
    bool running;
};
#else
struct takti_timers {
    struct takt_timer **first; /* the first of each chain, from the earliest instant on */
    struct takt_timer **last;  /* the last, if there is one; behind it stands one for TAKT_FOREVER */
    struct takt_timer *due;    /* the chain that is being served, what is left of it */
    bool running;              /* the system has started: the one-shot follows `first` */
};
#endif

#ifndef TAKTI_QUIET
#define TAKTI_QUIET 0
#endif
#if TAKTI_QUIET
/* The instant of a task that stands in the ready queue has come, of which the kernel does not know yet; returns it. */
struct takt_task *takti_came(struct takt_task *task);
/* It waits quietly no more, but as other tasks do, or is ready. */
void takti_settle(struct takt_task *task);
#else
#define takti_settle(task) ((void)(task))
#endif

void takti_timers_init(void);
void takti_timer_arm(struct takt_timer *timer, uint64_t at_ns);
void takti_timer_remove(struct takt_timer *timer);
void takti_timers_program(void);
void takti_timers_serve(uint64_t now_ns, uint32_t lock);
uint64_t takti_timers_first_ns(void); /* TAKT_FOREVER: none is armed */

/* Storage of `call`: the caller's, zero before the first time; armed again it forgets the instant before. */
void takti_call_at(struct takti_call *call, uint64_t at_ns, void (*function)(struct takti_call *call));

static inline bool takti_timer_armed(const struct takt_timer *timer)
{
    return timer->armed != 0;
}

static inline void takti_timer_cancel(struct takt_timer *timer)
{
    if (takti_timer_armed(timer)) {
        takti_timer_remove(timer);
    }
}

#endif
