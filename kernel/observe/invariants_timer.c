/* SPDX-License-Identifier: Apache-2.0 */
/* The armed timers, and their owners. */
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
#if TAKT_BUDGETS
    bool has = TAKT_PROCESSES && task->timer.state != TAKTI_DORMANT && task->config->budget != NULL;
    return has ? &task->config->budget->in_process->section_end.timer : NULL;
#else
    (void)task;
    return NULL;
#endif
}

/* The kernel's own timers; NULL: none. */
static const struct takt_timer *walk_slice_timer(void)
{
    return TAKT_SLICES ? takti_kernel.slice : NULL;
}

static const struct takt_timer *walk_budget_timer(void)
{
    return TAKT_BUDGETS ? &takti_kernel.budgets->timer : NULL;
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
bool takti_walk_timer_known(const struct takti_walk *walk, const struct takt_timer *timer)
{
    uintptr_t task = (uintptr_t)timer - offsetof(struct takt_task, timer);
    if (timer == NULL) {
        return false;
    }
    return takti_walk_is_known(walk, (const struct takt_task *)task) || timer == walk_slice_timer() ||
           timer == walk_budget_timer() || takti_walk_has(walk, WALK_CALLS, timer) || walk_is_of_task(walk, timer) ||
           (TAKT_SERVERS && takti_walk_servers_timers(timer) != 0);
}

static unsigned walk_is_armed(const struct takt_timer *timer)
{
    return timer != NULL && timer->armed != 0 ? 1 : 0;
}

/* Number of the known timers that are armed. */
static unsigned walk_expected(const struct takti_walk *walk)
{
    unsigned expected = walk_is_armed(walk_slice_timer()) + walk_is_armed(walk_budget_timer());
    if (TAKT_SERVERS) {
        expected += takti_walk_servers_timers(NULL);
    }
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

bool takti_walk_is_timer(const struct takti_walk *walk, const struct takt_timer *timer)
{
    return takti_walk_timer_known(walk, timer) || (!walk_timers_all(walk) && takti_aligned(timer));
}

void takti_walk_armed(struct takti_walk *walk, const struct takt_timer *timer, unsigned armed)
{
    unsigned state = timer->state;
    bool tasks = state >= TAKTI_BLOCKED_DELAY && state <= TAKTI_BLOCKED_FIFO;
    bool others = state >= TAKTI_TIMER_DEADLINE && state <= TAKTI_TIMER_BUDGET;
    takti_must(walk, tasks || others, "a task with an armed timer is in a state that allows it", timer);
    takti_must(walk, timer->armed == armed, "an armed timer has the purpose that is expected", timer);
    if (state == TAKTI_TIMER_CALL) {
        const struct takti_call *call = TAKTI_TIMER_OWNER(timer, const struct takti_call, timer);
        takti_must(walk, call->function != NULL, "an armed timer call has a function", call);
    }
}

void takti_walk_timers(struct takti_walk *walk)
{
    unsigned known = takti_walk_armed_timers(walk);
    takti_must(walk, known == walk_expected(walk), "every timer that is armed is expected", NULL);
    bool sliced = takti_kernel.system->level_quanta_ns != NULL && takti_kernel.ready.running != &takti_kernel.idle;
    takti_must(walk, !TAKT_SLICES || takti_kernel.slice->armed == 0 || sliced,
               "a time slice is armed only while a task with one runs", takti_kernel.slice);
}
