/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_TIMER_H
#define TAKTI_TIMER_H

/*
 * What is expected of the clock: absolute instants in a 4-ary heap, and one one-shot armed for the first. No tick.
 * Timers for the same instant hang in a chain behind one entry of the heap, so that many at once cost one removal. A
 * chain is found through a small table by a hash of its instant; two instants may fall on the same place, and then an
 * instant may get a second chain: right, only dearer. `sequence` keeps the order of arming over both.
 */
#include <stddef.h>

#include "takt/system.h"

/* The structure that has a timer as its `member`. */
#define TAKTI_TIMER_OWNER(timer, type, member) ((type *)(void *)((char *)(timer)-offsetof(type, member)))

enum { TAKTI_RECENT_BITS = 3, TAKTI_RECENT = 1 << TAKTI_RECENT_BITS };

/* Values of takt_timer.slot besides a place in the heap. */
enum {
    TAKTI_SLOT_NONE = 0,        /* not armed */
    TAKTI_SLOT_FIRST = 1,       /* the root of the heap: its places count from 1 */
    TAKTI_SLOT_CHAINED = 0xFFFF /* behind another */
};

struct takti_timers {
    struct takt_timer **heap;
    struct takt_timer *due; /* the chain that is being served, what is left of it */
    uint32_t sequence;
    uint16_t count; /* entries of the heap */
    uint16_t capacity;
    bool serving;                            /* the end of the service programs the one-shot */
    bool running;                            /* the system has started: the one-shot may be programmed */
    struct takt_timer *recent[TAKTI_RECENT]; /* last of a chain, by the hash of its instant; NULL: none */
};

/* A call of the kernel's at an instant, for boards and tests. Context of `function`: the timer interrupt, unlocked. */
struct takti_call {
    struct takt_timer timer;
    void (*function)(void);
};

void takti_timers_init(void);
void takti_timer_arm(struct takt_timer *timer, uint64_t at_ns);
void takti_timer_remove(struct takt_timer *timer);
void takti_timers_program(void);
void takti_timers_serve(uint64_t now_ns, uint32_t lock);
uint64_t takti_timers_first_ns(void); /* TAKT_FOREVER: none is armed */

/* Storage of `call`: the caller's, zero before the first time; armed again it forgets the instant before. */
void takti_call_at(struct takti_call *call, uint64_t at_ns, void (*function)(void));

static inline bool takti_timer_armed(const struct takt_timer *timer)
{
    return timer->slot != TAKTI_SLOT_NONE;
}

static inline void takti_timer_cancel(struct takt_timer *timer)
{
    if (takti_timer_armed(timer)) {
        takti_timer_remove(timer);
    }
}

#endif
