/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/src/timer.h"

#include "kernel/src/kernel.h"

enum { ARITY = 4 }; /* of the heap: an insertion climbs log4(n) rounds, a removal looks at four on each */

/* Places count from 1: below s are 4 s - 2 to 4 s + 1. */
static inline unsigned above(unsigned slot)
{
    return (slot + 2) / ARITY;
}

static inline unsigned below(unsigned slot)
{
    return ARITY * slot - 2;
}

void takti_timers_init(void)
{
    const struct takt_timer_space *space = takti_kernel.system->timers;
    TAKT_ASSERT(space != NULL && space->capacity >= takti_kernel.system->task_count);
    takti_kernel.timers = (struct takti_timers){.heap = space->heap, .capacity = space->capacity};
}

uint64_t takti_timers_first_ns(void)
{
    return takti_kernel.timers.count == 0 ? TAKT_FOREVER : takti_kernel.timers.heap[TAKTI_SLOT_FIRST]->at_ns;
}

void takti_timers_program(void)
{
    takt_port_timer_set(takti_timers_first_ns());
}

/* The first instant changed. The end of the service, and of the start, programs it by itself. */
static void first_changed(const struct takti_timers *timers)
{
    if (timers->running && !timers->serving) {
        takti_timers_program();
    }
}

/* The place of an instant in the table: multiplication spreads the low bits, which round periods leave alike. */
static unsigned hash(uint64_t at_ns)
{
    return ((uint32_t)at_ns * UINT32_C(0x9E3779B1)) >> (32 - TAKTI_RECENT_BITS);
}

static void put(struct takti_timers *timers, unsigned slot, struct takt_timer *timer)
{
    timers->heap[slot] = timer;
    timer->slot = (uint16_t)slot;
}

/* Moves the hole at `slot` up to where `timer` belongs, and puts it there. Among equals the new one is the last. */
static unsigned sift_up(struct takti_timers *timers, unsigned slot, struct takt_timer *timer)
{
    uint64_t at_ns = timer->at_ns;
    while (slot > TAKTI_SLOT_FIRST) {
        unsigned up = above(slot);
        struct takt_timer *other = timers->heap[up];
        if (other->at_ns <= at_ns) {
            break;
        }
        put(timers, slot, other);
        slot = up;
    }
    put(timers, slot, timer);
    return slot;
}

/* Whether a comes before b; between chains for the same instant the older. */
static bool before(const struct takt_timer *a, const struct takt_timer *b)
{
    return a->at_ns < b->at_ns || (a->at_ns == b->at_ns && (int32_t)(a->sequence - b->sequence) < 0);
}

/* Moves the hole at `slot` down to where `timer` belongs, and puts it there. */
static void sift_down(struct takti_timers *timers, unsigned slot, struct takt_timer *timer)
{
    for (;;) { /* log4(count) rounds */
        unsigned child = below(slot);
        if (child > timers->count) {
            break;
        }
        unsigned end = child + ARITY <= timers->count ? child + ARITY : timers->count + 1u;
        struct takt_timer *best = timers->heap[child];
        for (unsigned other = child + 1; other < end; other++) {
            if (before(timers->heap[other], best)) {
                child = other;
                best = timers->heap[other];
            }
        }
        if (!before(best, timer)) {
            break;
        }
        put(timers, slot, best);
        slot = child;
    }
    put(timers, slot, timer);
}

/* Takes the entry at `slot` out of the heap: the last one fills the hole. */
static void heap_remove(struct takti_timers *timers, unsigned slot)
{
    struct takt_timer *last = timers->heap[timers->count--];
    if (slot > timers->count) {
        return;
    }
    while (slot > TAKTI_SLOT_FIRST && before(last, timers->heap[above(slot)])) { /* log4(count) rounds */
        put(timers, slot, timers->heap[above(slot)]);
        slot = above(slot);
    }
    sift_down(timers, slot, last);
}

void takti_timer_arm(struct takt_timer *timer, uint64_t at_ns)
{
    struct takti_timers *timers = &takti_kernel.timers;
    struct takt_timer **recent = &timers->recent[hash(at_ns)];
    struct takt_timer *last = *recent;
    TAKT_ASSERT(!takti_timer_armed(timer));
    *recent = timer;
    timer->at_ns = at_ns;
    timer->sequence = timers->sequence++;
    timer->next = NULL;
    if (last != NULL && last->at_ns == at_ns) {
        last->next = timer;
        timer->previous = last;
        timer->slot = TAKTI_SLOT_CHAINED;
        return;
    }
    TAKT_ASSERT(timers->count < timers->capacity);
    if (sift_up(timers, ++timers->count, timer) == TAKTI_SLOT_FIRST) {
        first_changed(timers);
    }
}

/* The last of a chain goes: the one before it is the last then. */
static void forget(struct takti_timers *timers, const struct takt_timer *timer, struct takt_timer *previous)
{
    struct takt_timer **recent = &timers->recent[hash(timer->at_ns)];
    if (*recent == timer) {
        *recent = previous;
    }
}

/* Cancels a timer that is armed. */
void takti_timer_remove(struct takt_timer *timer)
{
    struct takti_timers *timers = &takti_kernel.timers;
    struct takt_timer *next = timer->next;
    struct takt_timer *previous = NULL;
    unsigned slot = timer->slot;
    timer->slot = TAKTI_SLOT_NONE;
    if (timer == timers->due) { /* the first of what is being served: no entry of the heap */
        timers->due = next;
    } else if (slot == TAKTI_SLOT_CHAINED) {
        previous = timer->previous;
        previous->next = next;
        if (next != NULL) {
            next->previous = previous;
        }
    } else if (next != NULL) {
        put(timers, slot, next);
    } else {
        heap_remove(timers, slot);
        if (slot == TAKTI_SLOT_FIRST) {
            first_changed(timers);
        }
    }
    if (next == NULL) {
        forget(timers, timer, previous);
    }
}

void takti_call_at(struct takti_call *call, uint64_t at_ns, void (*function)(void))
{
    uint32_t lock = takt_port_lock();
    if (call->function == NULL) {
        call->timer.slot = TAKTI_SLOT_NONE;
        call->timer.state = TAKTI_TIMER_CALL;
    }
    takti_timer_cancel(&call->timer);
    call->function = function;
    takti_timer_arm(&call->timer, at_ns);
    takt_port_unlock(lock);
}

/* Serves a timer that is not that of a sleeper, who is waiting for it and nothing else. */
static void serve(struct takt_timer *timer, uint32_t lock)
{
    switch ((enum takti_state)timer->state) {
    case TAKTI_WAIT_JOB:
        takti_job_release_due(takti_timer_task(timer));
        break;
    case TAKTI_TIMER_DEADLINE:
        takti_job_deadline_due(TAKTI_TIMER_OWNER(timer, struct takt_deadline_timer, timer)->task, lock);
        takti_kernel.ready.next = takti_select(); /* a stop, or what it took from a holder; and the lock opens */
        break;
    case TAKTI_TIMER_CALL:
        takt_port_leave(lock);
        TAKTI_TIMER_OWNER(timer, struct takti_call, timer)->function();
        (void)takt_port_lock();
        break;
#if TAKT_SLICES
    case TAKTI_TIMER_SLICE:
        takti_slice_due();
        break;
#endif
    default:
        takti_wait_cancel(takti_timer_task(timer), TAKT_TIMEOUT);
        takti_kernel.ready.next = takti_select(); /* a holder may have fallen below others, and the lock opens */
        break;
    }
}

/* Serves the chain `timers->due`; the lock opens between two, so that any of it may be cancelled, or grow. */
static void serve_chain(struct takti_timers *timers, uint32_t lock)
{
    struct takt_timer *timer;
    while ((timer = timers->due) != NULL) { /* at most one round per timer that there is */
        struct takt_timer *next = timer->next;
        timers->due = next;
        timer->slot = TAKTI_SLOT_NONE;
        if (next == NULL) {
            forget(timers, timer, NULL);
        }
        if (!TAKT_TRACE && timer->state == TAKTI_SLEEPING) { /* the usual one, without a call */
            timer->state = TAKTI_READY;
            (void)takti_ready_add(takti_timer_task(timer));
        } else {
            serve(timer, lock);
        }
        takt_port_leave(lock);
        (void)takt_port_enter();
    }
}

/* Serves everything due by `now_ns`, in the order of the instants, equal ones in the order of their arming. */
void takti_timers_serve(uint64_t now_ns, uint32_t lock)
{
    struct takti_timers *timers = &takti_kernel.timers;
    while (timers->count > 0 && timers->heap[TAKTI_SLOT_FIRST]->at_ns <= now_ns) {
        timers->serving = true;
        timers->due = timers->heap[TAKTI_SLOT_FIRST];
        if (timers->count == 1) {
            timers->count = 0;
        } else {
            heap_remove(timers, TAKTI_SLOT_FIRST);
        }
        serve_chain(timers, lock);
    }
    timers->serving = false;
}

/* What is armed here for an instant that has come meanwhile waits for the next interrupt, which is immediate. */
void takti_timer_interrupt(void)
{
    uint32_t lock = takt_port_enter();
    uint64_t now_ns = takt_port_now_ns();
    if (TAKT_TRACE) {
        takti_interrupt_enter(now_ns, TAKT_TRACE_TIMER);
    }
    takti_timers_serve(now_ns, lock);
    takti_timers_program();
    takti_pend();
    if (TAKT_TRACE) {
        takti_interrupt_exit(TAKT_TRACE_TIMER);
    }
    takt_port_leave(lock);
}

uint64_t takt_now(void)
{
    uint32_t lock = takt_port_lock();
    uint64_t now_ns = takti_clock_ns();
    takt_port_unlock(lock);
    return now_ns;
}
