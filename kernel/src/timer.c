/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/src/timer.h"

#include "kernel/src/kernel.h"

#if TAKTI_SMALL
/*
 * Compiled for size: a list in the order of the instants, in place of the row. To arm or cancel a timer passes over
 * those before it, at most every one that there is.
 */
void takti_timers_init(void)
{
}

static uint64_t first_ns(void)
{
    const struct takt_timer *first = takti_kernel.timers.first;
    return first == NULL ? TAKT_FOREVER : first->at_ns;
}

uint64_t takti_timers_first_ns(void)
{
    return first_ns();
}

void takti_timers_program(void)
{
    (void)takt_port_timer_set(first_ns());
}

/* What `link` points at changed: perhaps the first of all. */
static __attribute__((noinline)) void changed(struct takt_timer *const *link)
{
    if (link == &takti_kernel.timers.first && takti_kernel.timers.running) {
        takti_timers_program();
    }
}

/* Among equals the new one is the last. */
void takti_timer_arm(struct takt_timer *timer, uint64_t at_ns)
{
    struct takt_timer **link = &takti_kernel.timers.first;
    TAKT_ASSERT(!takti_timer_armed(timer));
    while (*link != NULL && (*link)->at_ns <= at_ns) {
        link = &(*link)->next;
    }
    timer->at_ns = at_ns;
    timer->next = *link;
    timer->armed = 1;
    *link = timer;
    changed(link);
}

/* Cancels a timer that is armed. */
void takti_timer_remove(struct takt_timer *timer)
{
    struct takt_timer **link = &takti_kernel.timers.first;
    while (*link != timer) {
        link = &(*link)->next;
    }
    *link = timer->next;
    timer->armed = 0;
    changed(link);
}
#else
/* Behind the last of the row, so that there is always a first. */
static const struct takt_timer forever = {.at_ns = TAKT_FOREVER};

void takti_timers_init(void)
{
    const struct takt_timer_space *space = takti_kernel.system->timers;
    TAKT_ASSERT(space != NULL && space->capacity >= takti_kernel.system->task_count);
    takti_kernel.timers.first = space->places;
    takti_kernel.timers.end = space->places;
    *space->places = (struct takt_timer *)&forever; /* never written to */
}

static inline uint64_t first_ns(void)
{
    return (*takti_kernel.timers.first)->at_ns;
}

uint64_t takti_timers_first_ns(void)
{
    return (*takti_kernel.timers.first)->at_ns;
}

void takti_timers_program(void)
{
    (void)takt_port_timer_set(takti_timers_first_ns());
}

/* The first instant changed. The end of the start programs it by itself. */
static void first_changed(const struct takti_timers *timers)
{
    if (timers->running) {
        takti_timers_program();
    }
}

/* The last place whose instant is not after `at_ns`; the first if there is none, or no place at all. O(log n). */
static struct takt_timer **find(const struct takti_timers *timers, uint64_t at_ns)
{
    struct takt_timer **place = timers->first;
    uint32_t count = (uint32_t)(timers->end - place);
    if (count != 0 && at_ns >= timers->end[-1]->at_ns) {
        return timers->end - 1;
    }
    while (count > 1) { /* it is one of so many */
        uint32_t half = count / 2;
        if (at_ns >= place[half]->at_ns) {
            place += half;
        }
        count -= half;
    }
    return place;
}

static inline void move_pair(struct takt_timer *const *from, struct takt_timer **to)
{
    struct takt_timer *a = from[0];
    struct takt_timer *b = from[1];
    TAKTI_TOGETHER(a, b);
    to[0] = a;
    to[1] = b;
}

/* Moves what stands from `from` to before `to` one place down, eight at once: this is most of what a full row costs. */
static void move_down(struct takt_timer **from, struct takt_timer *const *to)
{
    for (; to - from >= 8; from += 8) {
        move_pair(from, from - 1);
        move_pair(from + 2, from + 1);
        move_pair(from + 4, from + 3);
        move_pair(from + 6, from + 5);
    }
    for (; to - from >= 2; from += 2) {
        move_pair(from, from - 1);
    }
    if (from != to) {
        from[-1] = from[0];
    }
}

/* The same one place up. */
static void move_up(struct takt_timer *const *from, struct takt_timer **to)
{
    for (; to - from >= 8; to -= 8) {
        move_pair(to - 2, to - 1);
        move_pair(to - 4, to - 3);
        move_pair(to - 6, to - 5);
        move_pair(to - 8, to - 7);
    }
    for (; to - from >= 2; to -= 2) {
        move_pair(to - 2, to - 1);
    }
    if (to != from) {
        to[0] = to[-1];
    }
}

/* Whether less stands from `place` on than before it. */
static inline bool behind_middle(const struct takti_timers *timers, struct takt_timer *const *place)
{
    return (uintptr_t)timers->end - (uintptr_t)place <= (uintptr_t)place - (uintptr_t)timers->first;
}

/* Opens a place before `place`, on the side where less has to move if there is room. O(n). */
static inline struct takt_timer **open_place(struct takti_timers *timers, struct takt_timer **place)
{
    const struct takt_timer_space *space = takti_kernel.system->timers;
    struct takt_timer **first = timers->first;
    struct takt_timer **end = timers->end;
    if (end < space->places + space->capacity && (behind_middle(timers, place) || first == space->places)) {
        timers->end = end + 1;
        move_up(place, end + 1);
        return place;
    }
    TAKT_ASSERT(first > space->places);
    timers->first = first - 1;
    move_down(first, place);
    return place - 1;
}

/* Closes the place of one that is gone, from the side where less has to move. O(n). */
static inline void close_place(struct takti_timers *timers, struct takt_timer **place)
{
    struct takt_timer **first = timers->first;
    struct takt_timer **end = timers->end;
    if (behind_middle(timers, place)) {
        timers->end = end - 1;
        move_down(place + 1, end + 1);
    } else {
        timers->first = first + 1;
        move_up(first, place);
    }
}

void takti_timer_arm(struct takt_timer *timer, uint64_t at_ns)
{
    struct takti_timers *timers = &takti_kernel.timers;
    struct takt_timer **place = timers->first;
    TAKT_ASSERT(!takti_timer_armed(timer));
    if (at_ns == TAKT_FOREVER) {
        return; /* never comes */
    }
    timer->at_ns = at_ns;
    timer->next = NULL;
    timer->armed = 1;
    if (at_ns >= (*place)->at_ns) {
        place = find(timers, at_ns);
        struct takt_timer *head = *place++;
        if (head->at_ns == at_ns) {
            struct takt_timer *last = head->previous;
            timer->previous = last;
            last->next = timer;
            head->previous = timer;
            return;
        }
    }
    timer->previous = timer;
    place = open_place(timers, place);
    *place = timer;
    if (place == timers->first) {
        first_changed(timers);
    }
}

/*
 * Cancels a timer that is armed. One whose chain is being served is in no chain of the row, though there may be one for
 * the same instant by now; there is nothing to be kept of the last of such a chain.
 */
void takti_timer_remove(struct takt_timer *timer)
{
    struct takti_timers *timers = &takti_kernel.timers;
    struct takt_timer *next = timer->next;
    struct takt_timer *previous = timer->previous;
    timer->armed = 0;
    if (timer == timers->due) {
        timers->due = next;
        return;
    }
    struct takt_timer **place = find(timers, timer->at_ns);
    struct takt_timer *head = *place;
    if (head != timer) {
        previous->next = next;
        if (next != NULL) {
            next->previous = previous;
        } else if (head->previous == timer) {
            head->previous = previous;
        }
    } else if (next != NULL) {
        next->previous = previous;
        *place = next;
    } else {
        bool first = place == timers->first;
        close_place(timers, place);
        if (first) {
            first_changed(timers);
        }
    }
}

#endif

void takti_call_at(struct takti_call *call, uint64_t at_ns, void (*function)(void))
{
    uint32_t lock = takt_port_lock();
    takti_timer_cancel(&call->timer);
    call->timer.state = TAKTI_TIMER_CALL;
    call->function = function;
    takti_timer_arm(&call->timer, at_ns);
    takt_port_unlock(lock);
}

/* A wait that did not get its object. */
static void wait_ends(struct takt_task *task)
{
    struct takt_mutex *mutex = takti_wait_leave(task);
    (void)takti_wake(task, TAKT_TIMEOUT);
    takti_given_up(mutex);
}

/* Serves a timer that is neither a release nor that of a sleeper, who is waiting for it and nothing else. */
static TAKTI_APART void serve(struct takt_timer *timer, uint32_t lock)
{
    switch ((enum takti_state)timer->state) {
#if TAKT_JOBS
    case TAKTI_TIMER_DEADLINE:
        takti_job_deadline_due(TAKTI_TIMER_OWNER(timer, struct takt_deadline_timer, timer)->task, lock);
        takti_kernel.ready.next = takti_select(); /* a stop, or what it took from a holder; and the lock opens */
        break;
#endif
    case TAKTI_TIMER_CALL:
        takt_port_leave(lock);
        TAKTI_TIMER_OWNER(timer, struct takti_call, timer)->function();
        (void)takt_port_lock();
        break;
#if TAKT_SLICES
    case TAKTI_TIMER_SLICE:
        takti_slice_due();
        takti_kernel.ready.next = takti_select();
        break;
#endif
    default:
        wait_ends(takti_timer_task(timer));
        if (!TAKTI_SMALL) {
            takti_kernel.ready.next = takti_select(); /* a holder may have fallen below others, and the lock opens */
        }
        break;
    }
}

#if TAKTI_SMALL
/* Serves the first; the lock opens after it, so that any may be cancelled. */
static void serve_first(struct takti_timers *timers, uint32_t lock)
{
    struct takt_timer *timer = timers->first;
    timers->first = timer->next;
    timer->armed = 0;
    if (TAKT_JOBS && timer->state == TAKTI_WAIT_JOB) {
        takti_job_release_due(takti_timer_task(timer));
    } else {
        serve(timer, lock);
    }
    takt_port_leave(lock);
    (void)takt_port_enter();
}
#else
/* The task of a timer that is due sleeps no more. One that has ready equals is behind them, and so behind `next`. */
static inline void awake(struct takt_task *task)
{
    task->timer.state = TAKTI_READY;
#if !TAKT_EDF
    if ((*takti_occupied(&takti_kernel.ready, task->level) & task->level_bit) != 0) {
        takti_ready_insert(&takti_kernel.ready, task, false);
        return;
    }
#endif
    (void)takti_ready_add(task);
}

/* Serves the first chain; the lock opens between two of it, so that any may be cancelled. */
static inline __attribute__((always_inline)) void serve_first(struct takti_timers *timers, uint32_t lock)
{
    struct takt_timer **first = timers->first;
    struct takt_timer *timer = *first;
    TAKTI_IN_ORDER; /* one instruction less: load and step on */
    timers->first = first + 1;
    do { /* at most one round per timer that there is */
        timers->due = timer->next;
        timer->armed = 0;
        if (!TAKT_TRACE && !TAKTI_RARE(timer->state != TAKTI_SLEEPING)) {
            awake(takti_timer_task(timer));
        } else if (TAKT_JOBS && timer->state == TAKTI_WAIT_JOB) {
            takti_job_release_due(takti_timer_task(timer));
        } else {
            serve(timer, lock);
        }
        takt_port_leave(lock);
        (void)takt_port_enter();
        timer = timers->due;
    } while (timer != NULL);
}

#endif

/* The synchronous first release. */
void takti_timers_serve(uint64_t now_ns, uint32_t lock)
{
    while (takti_timers_first_ns() <= now_ns) {
        serve_first(&takti_kernel.timers, lock);
    }
}

/* Serves what the one-shot was armed for, and what is due when it is armed again. */
void takti_timer_interrupt(void)
{
    struct takti_timers *timers = &takti_kernel.timers;
    uint32_t lock = TAKT_PORT_ENTERED;
    if (TAKT_TRACE) {
        takti_interrupt_enter(takt_port_now_ns(), TAKT_TRACE_TIMER);
    }
    TAKT_ASSERT(takti_timers_first_ns() <= takt_port_now_ns());
    do { /* at most one round per instant that there is */
        serve_first(timers, lock);
    } while (TAKTI_RARE(!takt_port_timer_set(first_ns())));
    if (TAKTI_SMALL && !TAKT_TRACE) {
        (void)takti_reschedule(lock);
        return;
    }
    if (TAKTI_SMALL) {
        takti_pend();
    } else if (!TAKT_COOPERATIVE && (takti_kernel.ready.next != takti_kernel.ready.running || takti_slice_over())) {
        takt_port_pend_switch();
    }
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
