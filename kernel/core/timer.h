/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_TIMER_H
#define TAKTI_TIMER_H

/*
 * The timer queue: absolute expiries in one sorted queue, and a one-shot timer armed for the first. No tick. Timers
 * with the same expiry form a chain at one entry of the queue, in the order in which they were armed. So removing the
 * first needs no search, and arming finds its entry, or its chain, by bisection (docs/decisions/0009).
 */
#include <stddef.h>

#include "kernel/core/ready.h"
#include "takt/system.h"

/* The structure that has a timer as its `member`. */
#define TAKTI_TIMER_OWNER(timer, type, member) ((type *)(void *)((char *)(timer)-offsetof(type, member)))

#if TAKT_ENGINE_RTM
/* hardware/driver/rtm.c: by record of the task manager. */
#define TAKTI_RECORDS (TAKT_RECORDS + 0u)
#define TAKTI_RECORD 0xFFu /* takt_timer.record: the number plus one */
#define TAKTI_RECORD_WORDS ((TAKTI_RECORDS + 31u) / 32u)
struct takti_timers {
    struct takt_timer *of[TAKTI_RECORDS]; /* its timer, now or last */
    uint32_t armed_as[TAKTI_RECORDS];     /* sequence number of its arming */
    uint8_t level_of[TAKTI_RECORDS];      /* level of a task that is ready or waits quietly; otherwise 0 */
    uint8_t quietly[TAKTI_RECORDS];       /* whether its task may wait so: rtm.c */
    uint32_t free[TAKTI_RECORD_WORDS];    /* base/bitmap.h: free records */
    uint32_t armings;                     /* so far */
    uint64_t seen_ns;                     /* a time that has passed */
    struct takt_timer *due;               /* expired timers: by expiry, then in the order of arming ... */
    struct takt_timer *due_last;          /* ... to this one, if any */
    bool running;                         /* the system has started: the unit holds the armed timers ... */
    bool programmed;                      /* ... including those armed before */
};

struct takt_timer *takti_timers_take(void);

/*
 * A task that waits only for its own expiry waits quietly: its record has its own key, so that the unit makes it ready
 * at the expiry and interrupts if it is the best. The kernel does the work of the release or wake-up later, when the
 * task is to run or its state is read. Not where that would be observable: with a trace, with budgets, which are
 * refilled then, or with processes, which may end.
 */
#define TAKTI_QUIET (!TAKT_TRACE && !TAKT_PROCESSES && !TAKT_BUDGETS && !TAKT_COOPERATIVE)
#elif TAKTI_OPTIMIZE_SIZE
struct takti_timers {
    struct takt_timer *first;
    bool running;
};
#else
struct takti_timers {
    struct takt_timer **first; /* first timer of each chain, from the earliest expiry on */
    struct takt_timer **last;  /* last entry, if any; followed by one for TAKT_FOREVER */
    struct takt_timer *due;    /* rest of the chain that is being served */
    bool running;              /* the system has started: the one-shot follows `first` */
};
#endif

#ifndef TAKTI_QUIET
#define TAKTI_QUIET 0
#endif
#if TAKTI_QUIET
/* Processes the expiry of a task that the unit has put into its ready queue; returns the task. */
struct takt_task *takti_came(struct takt_task *task);
/* Ends a quiet wait: the task waits as others do, or is ready. */
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

/* Arms `call`, replacing an earlier expiry. Its storage is caller-owned, and zero before the first use. */
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
