/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk over the kernel's state finds each kind of damage: a system in which tasks are in every state, and one field
 * after the other changed, looked at, and put back. What it says of a system that is whole the model's tests check.
 */
#include "invariants_damage.h"
#include "kernel/core/kernel.h"

static void break_tasks(void)
{
    struct takt_task *ready = scenario_find("r");
    struct takt_task *stopped = scenario_find("z");
    BREAKS(ready->timer.state, TAKTI_TIMER_CALL, "a task has a valid state");
    BREAKS(stopped->timer.flags, TAKTI_FLAG_SUSPENDED, "a stopped task has no flags");
    BREAKS(stopped->holds, TAKTI_HOLDS + 1, "a stopped task holds nothing");
    BREAKS(stopped->timer.armed, 1, "every timer that is armed is expected");
    BREAKS(ready->config, wild(), "a started task has a configuration");
    BREAKS(ready->config, NULL, "a started task has a configuration");
    BREAKS(ready->level, takti_kernel.ready.levels + TAKT_LEVELS, "a task is in one of its system's levels");
    BREAKS(ready->level, wild(), "a task is in one of its system's levels");
    BREAKS(ready->level, (void *)((char *)ready->level + 1), "a task is in one of its system's levels");
    BREAKS(ready->level_bit, ready->level_bit << 1 | ready->level_bit >> 1,
           "the bit of a task's level is that of its level");
    BREAKS(scenario.configs[ready->config->index].level, TAKT_LEVELS - 1, "a task's own level is one of its system's");
    BREAKS(ready->holds, 0x200, "a task's count of held mutexes has no other bits");
    BREAKS(ready->timer.flags, TAKTI_FLAG_SUSPENDED,
           "a task that is ready, held or only sleeps is not about to be held");
    struct takt_task *sleeper = scenario_find("s");
    if (sleeper->timer.state == TAKTI_BLOCKED_DELAY) {
        BREAKS(sleeper->wait_queue, &ready, "a task that sleeps is in no queue");
    }
#if TAKT_STACK_CHECKS
    BREAKS(*(uint32_t *)ready->config->stack, 0, "a stack ends with its guard word");
#endif
#if TAKT_TRACE
    BREAKS(ready->trace->identity, 0xFFFFFF, "the trace calls a task by its band and number");
#endif
}

static void break_ready(void)
{
    struct takti_ready *queue = &takti_kernel.ready;
    struct takt_task *ready = scenario_find("r");
    struct takt_task *equal = scenario_find("i");
    struct takt_task *sleeper = scenario_find("s");
    struct takt_task *probe = scenario_find("p");
    uint32_t *word = &queue->occupied[0];
    union takti_level *level = ready->level;
    BREAKS(*word, *word & ~ready->level_bit, "every ready task is in the ready queue");
    BREAKS(*word, *word | sleeper->level_bit, "a task in the ready queue is ready");
    BREAKS(*word, *word & ~TAKT_BITMAP_BIT(TAKT_LEVELS - 1u), "idle is always ready");
    if (!TAKT_EDF) {
        BREAKS(*word, 0, "idle is always ready"); /* nobody is */
    }
    BREAKS(level->fifo, sleeper, "a task in the ready queue is ready");
    BREAKS(level->fifo, probe, "a task in the ready queue is at its level");
    BREAKS(level->fifo, &unknown, "a level's list starts with a task");
    BREAKS(ready->next, wild(), "a level's list consists of tasks");
    BREAKS(ready->next, ready, "a level's list is linked both ways");
    BREAKS(equal->previous, equal, "a level's list is linked both ways");
    BREAKS(equal->timer.state, TAKTI_SUSPENDED, "a task in the ready queue is ready");
    BREAKS(scenario_find("h")->timer.state, TAKTI_READY, "every ready task is in the ready queue");
    struct takt_task *next = ready->next; /* alone in its circle */
    ready->next = ready->previous = ready;
    expect("every ready task is in the ready queue");
    ready->next = ready->previous = next;
    BREAKS(queue->levels[TAKT_LEVELS - 1].fifo, ready, "a level's list starts with a task");
    BREAKS(queue->next, ready, "next is the best ready task");
    BREAKS(queue->running, &unknown, "the running task is a task or idle");
    BREAKS(queue->running, ready, "the running task is next");
    BREAKS(queue->next, &takti_kernel.idle, "next is the best ready task");
    BREAKS(takti_kernel.timers.running, false,
           TAKTI_OPTIMIZE_SIZE ? "before the start idle runs" : "a task in the ready queue is at its level");
}

#if TAKT_EDF
static void break_tournament(void)
{
    struct takt_task *first = scenario_find("e");
    struct takt_task *second = scenario_find("f");
    struct takt_tournament *tournament = first->level->tournament;
    unsigned leaf = first->config->index;
    BREAKS(first->level->tournament, wild(), "an edf level has the tournament of the table");
    BREAKS(tournament->keys, tournament->keys + 8, "the tournament has the groups of the table");
    BREAKS(tournament->end, tournament->end + 1, "the tournament has the groups of the table");
    BREAKS(tournament->groups, NULL, "the tournament has the groups of the table");
    BREAKS(*takti_kernel.ready.tasks, NULL, "the tournament has the groups of the table");
    BREAKS(tournament->keys[leaf], TAKT_TOURNAMENT_NONE, "a group's first is the first of its leaves");
    BREAKS(tournament->keys[leaf], 1, "a leaf's key is its task's deadline");
    BREAKS(tournament->keys[0], 1, "a leaf of an edf level is a task's");
    struct takt_edf_space space = *scenario.system.edf; /* as if there were none for it */
    space.leaves = (uint16_t)leaf;
    BREAKS(scenario.system.edf, &space, "a leaf of an edf level is a task's");
    BREAKS(first->timer.state, TAKTI_SUSPENDED, "a task in the ready queue is ready");
    BREAKS((*takti_kernel.ready.tasks)[leaf], second, "a task is at the leaf of its key");
    BREAKS((*takti_kernel.ready.tasks)[leaf], wild(), "a leaf of an edf level is a task's");
    BREAKS(tournament->groups[leaf / 8].first, 0, "a group's first is the first of its leaves");
    BREAKS(tournament->groups[leaf / 8].least, 0, "a group's first is the first of its leaves");
    BREAKS(tournament->groups[leaf / 8].second, 0, "a group's second is the first without its first");
    BREAKS(tournament->second, 0, "the root's second is the first without its first");
    BREAKS(tournament->first, second->config->index, "the root is the first of the groups");
    BREAKS(tournament->least, 0, "the root is the first of the groups");
    BREAKS(takti_kernel.ready.occupied[0], takti_kernel.ready.occupied[0] & ~first->level_bit,
           "the bitmap says of an edf level whether it is occupied");
    BREAKS(takti_kernel.ready.edf[0], 0, "the edf levels are those of the table");
    BREAKS(*first->key_deadline_ns, 7, "a leaf's key is its task's deadline");
}
#endif

static void break_timers(void)
{
    struct takti_timers *timers = &takti_kernel.timers;
    struct takt_task *sleeper = scenario_find("s");
    struct takt_task *equal = scenario_find("t");
    struct takt_task *waiter = scenario_find("w");
    struct takt_timer *timer = &sleeper->timer;
#if TAKT_SLICES
    BREAKS(scenario.system.level_quanta_ns, NULL, "a time slice is armed only while a task with one runs");
#endif
    BREAKS(timer->armed, 0, "a timer that is expected is armed");
    BREAKS(timer->state, TAKTI_TIMER_SLICE, "a task has a valid state");
    BREAKS(calls[0].timer.state, TAKTI_DORMANT, "a task with an armed timer is in a state that allows it");
    BREAKS(calls[0].timer.state, TAKTI_READY, "a task with an armed timer is in a state that allows it");
    BREAKS(calls[0].timer.state, TAKTI_RESERVED_OWNER, "a task with an armed timer is in a state that allows it");
    BREAKS(calls[0].timer.armed, TAKTI_OPTIMIZE_SIZE ? 2 : 1, "an armed timer has the purpose that is expected");
    BREAKS(calls[0].function, NULL, "an armed timer call has a function");
    BREAKS(waiter->timer.state, TAKTI_READY, "every ready task is in the ready queue");
    BREAKS(scenario_find("h")->timer.armed, 1, "every timer that is armed is expected");
#if TAKTI_OPTIMIZE_SIZE
    BREAKS(timers->first, NULL, "every timer that is armed is expected");
    BREAKS(timers->first, wild(), "the list of expiries consists of timers");
    struct takt_timer *head = timers->first;
    timers->first = (struct takt_timer *)(void *)((char *)head + 1); /* no timer, whatever is known */
    CHECK_TEXT(takt_kernel_broken(NULL).what, "the list of expiries consists of timers");
    timers->first = head;
    BREAKS(timer->at_ns, TAKT_S(500), "expiries are sorted");
    BREAKS(equal->timer.next, timers->first, "expiries are sorted");
    BREAKS(timer->next, timer, "no more timers are armed than the queue has room for");
    (void)waiter;
#else
    struct takt_timer **row = timers->first;
    BREAKS(timers->first, row + 1, "every timer that is armed is expected");
    BREAKS(timers->first, timers->last + 2, "the sorted timer queue is in its storage");
    BREAKS(timers->first, (void *)((char *)row + 1), "the sorted timer queue is in its storage");
    BREAKS(timers->last, timers->last - 1, "the sorted timer queue is in its storage");
    BREAKS(timers->last[1], timer, "the sorted timer queue ends with forever");
    BREAKS(timers->last[1], NULL, "the sorted timer queue ends with forever");
    BREAKS(row[0], wild(), "the sorted timer queue consists of timers");
    BREAKS(row[0], NULL, "the sorted timer queue consists of timers");
    BREAKS(row[1], wild(), "chains of the sorted timer queue consist of timers");
    BREAKS(timer->at_ns, timer->at_ns + 1, "a chain holds timers of one expiry");
    BREAKS(timer->next, NULL, "the first of a chain knows the last");
    BREAKS(timer->next, timer, "a chain is linked both ways");
    BREAKS(timer->next, wild(), "a chain of expiries consists of timers");
    BREAKS(equal->timer.previous, wild(), "a chain is linked both ways");
    BREAKS(equal->timer.next, timer, "a chain is linked both ways");
    BREAKS(timer->previous, timer, "the first of a chain knows the last");
    BREAKS(timers->due, &calls[0].timer, "only an interrupt serves expiries");
    struct takt_timer *first = row[0];
    row[0] = (struct takt_timer *)(void *)((char *)first + 1); /* no timer, whatever is known */
    CHECK_TEXT(takt_kernel_broken(NULL).what, "the sorted timer queue consists of timers");
    row[0] = row[1];
    row[1] = first;
    expect("expiries are sorted");
    row[1] = row[0];
    row[0] = first;
#endif
}

static void break_waits(void)
{
    struct takt_task *first = scenario_find("w");
    struct takt_task *second = scenario_find("x");
    struct takt_task *turn = scenario_find("q");
    BREAKS(waited.waiters, second, "a blocked task is in the queue that it waits in");
    BREAKS(waited.waiters, NULL, "a blocked task is in the queue that it waits in");
    BREAKS(waited.waiters, &unknown, "a queue of waiters consists of tasks");
    BREAKS(second->next, wild(), "a queue of waiters consists of tasks");
    BREAKS(second->next, first, "waiters are sorted");
    BREAKS(first->next, first, "a queue of waiters is finite");
    BREAKS(first->wait_queue, &alarm_came.waiters, "a blocked task is in the queue that it waits in");
    BREAKS(second->wait_queue, &alarm_came.waiters, "a task in a wait queue waits in that queue");
    BREAKS(first->wait_queue, wild(), "a task waits in a queue");
    BREAKS(turn->wait_queue, NULL, "a blocked task in no queue waits for an expiry");
    BREAKS(second->timer.state, TAKTI_SUSPENDED,
           TAKTI_OPTIMIZE_SIZE ? "a task with an armed timer is in a state that allows it"
                               : "a task in a wait queue is blocked");
    waited.waiters = second; /* the other way round */
    second->next = first;
    first->next = NULL;
    expect("waiters are sorted");
    waited.waiters = first;
    first->next = second;
    second->next = NULL;
}

static void break_mutexes(void)
{
    struct takt_task *owner = scenario_find("o");
    struct takt_task *first = scenario_find("l");
    struct takt_task *signal = scenario_find("c");
    BREAKS(owner->timer.contended, NULL, "an owner has what others wait for in its list");
    BREAKS(owner->timer.contended, wild(), "an owner has what others wait for in its list");
    BREAKS(owner->timer.contended, &other, "an owner has what others wait for in its list");
    other.next_contended = &other; /* a list without an end, which does not have it */
    BREAKS(owner->timer.contended, &other, "an owner has what others wait for in its list");
    other.next_contended = NULL;
    BREAKS(mutex.next_contended, wild(), "a task's contended mutexes are mutexes");
    BREAKS(mutex.next_contended, &mutex, "a task's list of contended mutexes is finite");
    BREAKS(mutex.next_contended, &other, "a contended mutex has waiters");
    BREAKS(mutex.next_contended, &signalled, "a contended mutex is in its owner's list");
    BREAKS(mutex.owner, first, "an owner has what others wait for in its list");
    BREAKS(mutex.owner, &unknown, "the owner of a mutex is a task");
    BREAKS(mutex.owner, scenario_find("z"), "a stopped task owns nothing");
    BREAKS(mutex.waiters, first->next, "a blocked task is in the queue that it waits in");
    BREAKS(mutex.lent, true, TAKTI_LENDS ? "a position in the ready queue is lent by the only waiter" : "nothing");
    BREAKS(other.owner, first, "the count of a task's mutexes is the number that it owns");
    BREAKS(other.owner, NULL, "the count of a task's mutexes is the number that it owns");
    BREAKS(owner->holds, owner->holds + 1, "the count of a task's mutexes is the number that it owns");
    BREAKS(owner->holds, TAKTI_HOLDS, "a task holds what others wait for");
    BREAKS(first->holds, 0, "a stop waits for the last unlock, not longer");
    BREAKS(owner->level, owner->level + 1, "the bit of a task's level is that of its level");
    owner->level++;
    owner->level_bit = TAKT_BITMAP_BIT(takti_walk_level(owner->level));
    if (!TAKT_TRACE) {
        expect("a task's level is the best of its own and of its waiters'");
    }
    owner->level--;
    owner->level_bit = TAKT_BITMAP_BIT(takti_walk_level(owner->level));
    BREAKS(scenario.configs[owner->config->index].level, 1,
           "a task's level is the best of its own and of its waiters'");
    BREAKS(scenario.configs[scenario_find("s")->config->index].level, 9,
           "a task's level is the best of its own and of its waiters'");
    BREAKS(ceiling.mutex.waiters, NULL, "a contended mutex has waiters");
    BREAKS(ceiling.ceiling.level, ceiling.ceiling.level - 1,
           "a task's level is the best of its own and of its waiters'");
    BREAKS(ceiling.ceiling.wait_queue, NULL, "a task in a wait queue waits in that queue");
    BREAKS(condition.left, NULL, "only a condition has waiters and no owner");
    BREAKS(signal->timer.state, TAKTI_BLOCKED, "a task that waits for a signal waits for its mutex");
#if TAKT_EDF
    struct takt_task *edf = scenario_find("e");
    BREAKS(edf->job_deadline_ns, 1, "a task's deadline is that of the best of itself and its waiters");
#endif
#if TAKTI_HINTS
    struct takt_task *ahead = scenario_find("g");
    CHECK((ahead->timer.flags & TAKTI_FLAG_AHEAD) != 0);
    BREAKS(ahead->hint, &other, "a task that waits ahead waits for the mutex of its hint");
    BREAKS(ahead->hint, NULL, "a task that waits ahead waits for the mutex of its hint");
    BREAKS(ahead->holds, TAKTI_HOLDS, "the last unlock of a task that gave a hint reaches the slow path");
    BREAKS(ahead->timer.state, TAKTI_BLOCKED, "a task that waits ahead waits for the mutex of its hint");
    struct takt_hint_set set = {.current = &mutex};
    struct takt_mutex *hint = ahead->hint;
    ahead->timer.flags |= TAKTI_FLAG_SET;
    ahead->hint = (struct takt_mutex *)(void *)&set;
    expect("nothing");
    BREAKS(set.current, &other, "a task that waits ahead waits for the mutex of its hint");
    BREAKS(ahead->hint, NULL, "a task that waits ahead waits for the mutex of its hint");
    ahead->hint = hint;
    ahead->timer.flags &= (uint8_t)~TAKTI_FLAG_SET;
#endif
}

static void break_jobs(void)
{
    struct takt_task *next = scenario_find("n");
    struct takt_task *job = scenario_find("d");
    struct takt_task *sporadic = scenario_find("a");
    struct takt_arrivals *arrivals = sporadic->config->arrivals;
    struct takt_deadline_timer *deadline = job->config->deadline_timer;
    BREAKS(next->timer.flags, TAKTI_FLAG_ACTIVE, "a job is under way unless its release is awaited");
    BREAKS(job->timer.flags, 0, "a job is under way unless its release is awaited");
    BREAKS(job->timer.flags, TAKTI_FLAG_ACTIVE | TAKTI_FLAG_MISSED,
           "the deadline timer of a job is armed until the deadline is missed");
    BREAKS(next->job_deadline_ns, next->job_deadline_ns + 1, "the next release is a period after the last");
    BREAKS(job->job_deadline_ns, 1, "an armed deadline timer expires at the job's deadline");
    BREAKS(deadline->task, next, "a deadline timer belongs to its task");
    BREAKS(scenario_find("q")->timer.state, TAKTI_BLOCKED_JOB, "only a task with jobs waits for a release");
    BREAKS(arrivals->count, arrivals->capacity + 1, "no more releases are pending than their queue holds");
    BREAKS(arrivals->first, arrivals->capacity, "the first release that waits is one");
    BREAKS(arrivals->count, 1, "the last release is the last that waits");
    BREAKS(arrivals->last_ns, 5, "the last release is the last that waits");
    BREAKS(arrivals->releases_ns[arrivals->first], arrivals->releases_ns[arrivals->first] + 1,
           "releases are at least their declared distance apart");
    BREAKS(arrivals->releases_ns[arrivals->first], 0, "the release that is expected is the first that waits");
    arrivals->count = 0;
    expect("a task with queued releases has its timer armed");
    arrivals->count = 2;
    /* No timer is armed for a time that never comes. */
    struct takt_task_config *config = &scenario.configs[next->config->index];
    uint64_t at_ns = next->timer.at_ns;
    takti_timer_cancel(&next->timer);
    expect("a task that waits for its release has its timer armed");
    BREAKS(config->offset_ns, TAKT_FOREVER, "nothing");
    BREAKS(config->period_ns, TAKT_FOREVER, "nothing");
    BREAKS(next->job_deadline_ns, TAKT_FOREVER, "nothing");
    takti_timer_arm(&next->timer, at_ns);
}

#if TAKT_BUDGETS
static void break_budgets(void)
{
    struct takt_task *owner = scenario_find("o");
    struct takt_task *probe = scenario_find("p");
    BREAKS(watched.left_ns, TAKT_S(2), "the remaining budget is at most the budget");
    BREAKS(watched.left_ns, TAKT_FOREVER, "nothing"); /* it was reported once, and is not watched any more */
    BREAKS(watched.policy, TAKT_BUDGET_DEMOTE, "nothing");
    BREAKS(enforced.section_ns, TAKT_S(2), "the remaining time of a section is at most its hold");
    BREAKS(enforced.section_ns, TAKT_FOREVER, "a section lasts as long as something is held");
    BREAKS(enforced.policy, TAKT_BUDGET_NOTIFY, "a section lasts as long as something is held");
    BREAKS(enforced.hold_ns, TAKT_FOREVER, "a section lasts as long as something is held");
    BREAKS(owner->timer.flags, TAKTI_FLAG_ENDING, "a section lasts as long as something is held");
    BREAKS(watched.section_ns, 0, "a section lasts as long as something is held");
    BREAKS(watched.state, TAKTI_BUDGET_PENDING, "a demotion waits for the last unlock");
    BREAKS(watched.state, TAKTI_BUDGET_DEMOTED, "a task's level is the best of its own and of its waiters'");
    watched.level = PROBE;
    BREAKS(watched.state, TAKTI_BUDGET_DEMOTED, "only a task with the policy demote is demoted");
    BREAKS(scenario.configs[probe->config->index].budget, NULL,
           "the budget that is watched is that of the running task");
    BREAKS(*owner->held, NULL, "the count of a task's mutexes is the length of its list");
    BREAKS(*owner->held, wild(), "a task's list of mutexes consists of mutexes");
    BREAKS(*other.next_held, &signalled, "a task owns the mutexes in its list");
    BREAKS(*other.next_held, &other, "a task's list of mutexes is finite");
    struct takt_known_objects some = objects; /* whose budget is watched may be of a task that is not known */
    some.all = 0;
    uint16_t count = scenario.system.task_count;
    scenario.system.task_count = probe->config->index;
    CHECK(takt_kernel_broken(&some).what == NULL);
    scenario.system.task_count = count;
}
#endif

#if TAKT_TRACE
static void break_trace(void)
{
    struct takti_trace *trace = takti_kernel.trace;
    BREAKS(trace->records, trace->records + 1, "the trace ring is that of the table");
    BREAKS(trace->mask, 1, "the trace ring is that of the table");
    BREAKS(trace->lost, 1, "lost records are reported at once");
    struct takt_trace_record *first = trace->end - TAKTI_TRACE_SECTION;
    BREAKS(first->job, (uint32_t)TAKT_S(1), "no record has a time in the future");
    BREAKS(first->event, TAKT_EVENT_RUN, "every section begins with the full time");
    BREAKS(trace->begun, trace->begun + 1, "the next record is in the section that was begun");
    BREAKS(trace->next, first - 1, "the next record is in the section that was begun");
    BREAKS(trace->next, trace->stop + 1, "the next record is in the section that was begun");
    BREAKS(trace->end, trace->end + TAKTI_TRACE_SECTION, "the next record is in the section that was begun");
    BREAKS(trace->stop, trace->end + 1, "the next record is in the section that was begun");
    BREAKS(*takti_kernel.interrupts, 1, "no interrupt is active while a task runs");
    BREAKS(trace->records, NULL, "nothing");
    BREAKS(trace->stop, trace->next, "nothing");
}
#endif

/* Of what is not known to be all that there is, what can be is believed. */
static void believe(void)
{
    struct takt_task *ready = scenario_find("r");
    CHECK(takt_kernel_broken(NULL).what == NULL && takt_kernel_broken(&objects).what == NULL);
    uint16_t count = scenario.system.task_count;
    scenario.system.task_count =
        (uint16_t)(count - 3); /* the last ones, in a circle and in tournament, are in no table */
    CHECK(takt_kernel_broken(NULL).what == NULL);
    scenario.system.task_count = count;
    ready->next = wild();
    CHECK_TEXT(takt_kernel_broken(NULL).what, "a level's list consists of tasks");
    CHECK(takt_kernel_broken(NULL).where == ready);
    ready->next = scenario_find("i");
    struct takt_task *first = waited.waiters;
    waited.waiters = &takti_kernel.idle; /* which waits for nothing */
    CHECK_TEXT(takt_kernel_broken(NULL).what, "a queue of waiters consists of tasks");
    waited.waiters = first;
    struct takt_known_objects some = objects; /* of some kinds there are others */
    some.all = 0;
    CHECK(takt_kernel_broken(&some).what == NULL);
    some.all = 1u << TAKT_KNOWN_MUTEX;
    CHECK(takt_kernel_broken(&some).what == NULL);
    static struct takt_task strangers[2]; /* of no level that there is */
    struct takt_task *last = scenario_find("x");
    last->next = &strangers[0];
    strangers[0].next = &strangers[1];
    for (unsigned number = 0; number < 2; number++) {
        strangers[number].timer.state = TAKTI_BLOCKED;
        strangers[number].wait_queue = &waited.waiters;
    }
    CHECK(takt_kernel_broken(&some).what == NULL);
    last->next = NULL;
}

static void probe(void)
{
    expect("nothing");
    believe();
    break_tasks();
    break_ready();
#if TAKT_EDF
    break_tournament();
#endif
    break_timers();
    break_waits();
    break_mutexes();
    break_jobs();
#if TAKT_BUDGETS
    break_budgets();
#endif
#if TAKT_TRACE
    break_trace();
#endif
    expect("nothing");
}

/* Expiries that have passed already are served before the system runs. */
static void see_early(void)
{
#if !TAKTI_OPTIMIZE_SIZE
    struct takti_timers *timers = &takti_kernel.timers;
    timers->due = *timers->first++;
    expect("nothing");
    timers->first--;
    timers->due = NULL;
#endif
}

static void look(void)
{
    expect("nothing");
    BREAKS(takti_kernel.ready.running, scenario_find("r"), "before the start idle runs");
    see_early();
}

/* In the timer's interrupt: the other call is due as well. */
static void call_comes(struct takti_call *call)
{
    if (call != &calls[0]) {
        return;
    }
    expect("nothing");
#if !TAKTI_OPTIMIZE_SIZE
    struct takti_timers *timers = &takti_kernel.timers;
    CHECK(timers->due == &calls[1].timer);
    BREAKS(timers->due, NULL, "every timer that is armed is expected");
    BREAKS(timers->due, wild(), "the sorted timer queue consists of timers");
    BREAKS(takti_kernel.ready.next, scenario_find("i"), "next is the best ready task");
#endif
    takti_call_at(&calls[0], TAKT_MS(80), call_comes);
}

int main(void)
{
    (void)alarm(HANGS_S); /* a damaged list is not followed for ever */
    CHECK(takt_kernel_broken(NULL).what == NULL);
    begin();
    scenario_run(10);
    printf("%u kinds of damage\n", found);
    CHECK(found > 90 && wrong == 0);
    return 0;
}
