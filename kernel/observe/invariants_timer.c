/* SPDX-License-Identifier: Apache-2.0 */
/* The sorted timer queue, and the owners of the timers. */
#include "kernel/observe/invariants.h"
#include "takt/alarm.h"
#include "takt/watchdog.h"

#define WALK_CALLS (1u << TAKT_KNOWN_ALARM | 1u << TAKT_KNOWN_WATCHDOG | 1u << TAKT_KNOWN_TIMER_CALL)

static const struct takt_timer *walk_deadline_timer(const struct takt_task *task)
{
    bool has = TAKT_JOBS && task->timer.state != TAKTI_DORMANT && task->config->deadline_timer != NULL;
    return has ? &task->config->deadline_timer->timer : NULL;
}

/* The timer of a section during a wait (budget.c). NULL: none. */
static const struct takt_timer *walk_section_timer(const struct takt_task *task)
{
#if TAKT_BUDGETS && TAKT_PROCESSES
    bool has = task->timer.state != TAKTI_DORMANT && task->config->budget != NULL;
    return has ? &task->config->budget->in_process->section_end.timer : NULL;
#else
    (void)task;
    return NULL;
#endif
}

/* The kernel's own timers; NULL: none. */
static const struct takt_timer *walk_slice_timer(void)
{
#if TAKT_SLICES
    return &takti_kernel.slice;
#else
    return NULL;
#endif
}

static const struct takt_timer *walk_budget_timer(void)
{
#if TAKT_BUDGETS
    return &takti_kernel.budgets.timer;
#else
    return NULL;
#endif
}

static bool walk_is_of_task(const struct takti_walk *walk, const struct takt_timer *timer)
{
    for (unsigned number = 0; number < takti_walk_count(walk); number++) {
        const struct takt_task *task = takti_walk_task(walk, number);
        if (task != NULL && (walk_deadline_timer(task) == timer || walk_section_timer(task) == timer)) {
            return true;
        }
    }
    return false;
}

/* A call is the first member of its object, and the timer the first member of the call. */
static bool walk_timer_known(const struct takti_walk *walk, const struct takt_timer *timer)
{
    uintptr_t task = (uintptr_t)timer - offsetof(struct takt_task, timer);
    if (timer == NULL) {
        return false;
    }
    return takti_walk_is_known(walk, (const struct takt_task *)task) || timer == walk_slice_timer() ||
           timer == walk_budget_timer() || takti_walk_has(walk, WALK_CALLS, timer) || walk_is_of_task(walk, timer);
}

static unsigned walk_is_armed(const struct takt_timer *timer)
{
    return timer != NULL && timer->armed != 0 ? 1 : 0;
}

/* Number of the known timers that are armed. */
static unsigned walk_expected(const struct takti_walk *walk)
{
    unsigned expected = walk_is_armed(walk_slice_timer()) + walk_is_armed(walk_budget_timer());
    for (unsigned number = 0; number < takti_walk_count(walk); number++) {
        const struct takt_task *task = takti_walk_task(walk, number);
        if (task != NULL) {
            expected += walk_is_armed(&task->timer) + walk_is_armed(walk_deadline_timer(task)) +
                        walk_is_armed(walk_section_timer(task));
        }
    }
    for (unsigned number = 0; number < walk->known; number++) {
        struct takt_known object = takti_walk_known(walk, number);
        if ((WALK_CALLS >> object.kind & 1u) != 0) {
            expected += walk_is_armed(&((const struct takti_call *)object.object)->timer);
        }
    }
    return expected;
}

/* Calls usually belong to the application: the timers are complete only if all these kinds are. */
static bool walk_timers_all(const struct takti_walk *walk)
{
    unsigned kinds = 1u << TAKT_KNOWN_TASK | WALK_CALLS;
    return walk->objects != NULL && (walk->objects->all & kinds) == kinds;
}

static bool walk_is_timer(const struct takti_walk *walk, const struct takt_timer *timer)
{
    return walk_timer_known(walk, timer) || (!walk_timers_all(walk) && takti_aligned(timer));
}

/* An armed timer by itself. Compiled for size `armed` is 0 or 1. */
static void walk_armed(struct takti_walk *walk, const struct takt_timer *timer)
{
    unsigned state = timer->state;
    bool tasks = state >= TAKTI_BLOCKED_DELAY && state <= TAKTI_BLOCKED_FIFO;
    bool others = state >= TAKTI_TIMER_DEADLINE && state <= TAKTI_TIMER_BUDGET;
    unsigned armed = TAKT_ENGINE_RTM ? timer->armed : TAKTI_OPTIMIZE_SIZE ? 1 : tasks ? timer->armed : state;
    takti_must(walk, tasks || others, "a task with an armed timer is in a state that allows it", timer);
    takti_must(walk, timer->armed == armed, "an armed timer says for what", timer);
    if (state == TAKTI_TIMER_CALL) {
        const struct takti_call *call = TAKTI_TIMER_OWNER(timer, const struct takti_call, timer);
        takti_must(walk, call->function != NULL, "an armed timer call has a function", call);
    }
}

#if TAKT_ENGINE_RTM
/* Follows the records of armed timers. Returns the number of known ones. */
static unsigned walk_list(struct takti_walk *walk)
{
    unsigned known = 0;
    for (unsigned record = 0; record < TAKTI_RECORDS; record++) {
        const struct takt_timer *timer = takti_kernel.timers.of[record];
        if (timer == NULL || !walk_is_timer(walk, timer) || (timer->record & TAKTI_RECORD) != record + 1u ||
            timer->armed == 0) {
            continue; /* its former record */
        }
        takti_must(walk, takti_kernel.timers.level_of[record] == 0, "a task with an armed timer is not ready", timer);
        walk_armed(walk, timer);
        known += walk_timer_known(walk, timer) ? 1 : 0;
    }
    return known;
}
#elif TAKTI_OPTIMIZE_SIZE
/* Follows the list, sorted by expiry. Returns the number of known timers. */
static unsigned walk_list(struct takti_walk *walk)
{
    unsigned known = 0;
    unsigned length = 0;
    const struct takt_timer *before = NULL;
    for (const struct takt_timer *timer = takti_kernel.timers.first; timer != NULL; timer = timer->next) {
        if (!takti_must(walk, walk_is_timer(walk, timer), "the list of expiries consists of timers", timer) ||
            !takti_must(walk, ++length <= takti_kernel.system->timers->capacity,
                        "no more timers are armed than the queue has room for", timer)) {
            break;
        }
        takti_must(walk, timer->armed != 0, "a timer that is expected is armed", timer);
        takti_must(walk, before == NULL || before->at_ns <= timer->at_ns, "expiries are sorted", timer);
        walk_armed(walk, timer);
        known += walk_timer_known(walk, timer) ? 1 : 0;
        before = timer;
    }
    return known;
}
#else
/* Follows a chain of timers with one expiry, each once. Returns the last one; NULL: the chain is broken. */
static const struct takt_timer *walk_chain(struct takti_walk *walk, const struct takt_timer *first, unsigned *known)
{
    const struct takt_timer *timer = first;
    if (!takti_must(walk, walk_is_timer(walk, first), "the sorted timer queue consists of timers", first)) {
        return NULL;
    }
    for (;;) {
        takti_must(walk, timer->armed != 0, "a timer that is expected is armed", timer);
        takti_must(walk, timer->at_ns == first->at_ns, "a chain holds timers of one expiry", timer);
        walk_armed(walk, timer);
        *known += walk_timer_known(walk, timer) ? 1 : 0;
        const struct takt_timer *next = timer->next;
        if (next == NULL) {
            return timer;
        }
        if (!takti_must(walk, walk_is_timer(walk, next), "a chain of expiries consists of timers", timer) ||
            !takti_must(walk, next != first && next->previous == timer, "a chain is linked both ways", timer)) {
            return NULL;
        }
        timer = next;
    }
}

/* Follows the queue, and the chain that is being served. Returns the number of known timers. */
static unsigned walk_list(struct takti_walk *walk)
{
    const struct takti_timers *timers = &takti_kernel.timers;
    const struct takt_timer_space *space = takti_kernel.system->timers;
    struct takt_timer **places = space->places + TAKT_TIMERS_MARGIN;
    unsigned known = 0;
    uintptr_t from = (uintptr_t)timers->first - (uintptr_t)places;
    unsigned wrong = (timers->last != places + space->capacity - 1) + (from % sizeof *places != 0) +
                     (from > space->capacity * sizeof *places);
    if (!takti_must(walk, wrong == 0, "the sorted timer queue is in its storage", timers) ||
        !takti_must(walk, takti_aligned(timers->last[1]) && timers->last[1]->at_ns == TAKT_FOREVER,
                    "the sorted timer queue ends with forever", timers)) {
        return known;
    }
    for (struct takt_timer **place = timers->first; place <= timers->last; place++) {
        const struct takt_timer *last = walk_chain(walk, *place, &known);
        if (last == NULL || !takti_must(walk, walk_is_timer(walk, place[1]) || place == timers->last,
                                        "chains of the sorted timer queue consist of timers", place)) {
            return known;
        }
        takti_must(walk, (*place)->previous == last, "the first of a chain knows the last", *place);
        takti_must(walk, (*place)->at_ns < place[1]->at_ns, "expiries are sorted", *place);
    }
    if (timers->due != NULL) {
        (void)walk_chain(walk, timers->due, &known);
        takti_must(walk, walk->interrupt || !timers->running, "only an interrupt serves expiries", timers->due);
    }
    return known;
}
#endif

void takti_walk_timers(struct takti_walk *walk)
{
    unsigned known = walk_list(walk);
    takti_must(walk, known == walk_expected(walk), "every timer that is armed is expected", NULL);
#if TAKT_SLICES
    bool sliced = takti_kernel.system->level_quanta_ns != NULL && takti_kernel.ready.running != &takti_kernel.idle;
    takti_must(walk, takti_kernel.slice.armed == 0 || sliced, "a slice is a task's", &takti_kernel.slice);
#endif
}
