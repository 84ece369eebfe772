/* SPDX-License-Identifier: Apache-2.0 */
/* The naive model: next-lock hints, as takt/hint.h has them. */
#include "kernel/test/model/naive/naive.h"

/*
 * A free mutex that hinted tasks were made ready for: a task that locks it looks for them, unless it is the only one.
 */
static struct {
    bool expects[MUTEXES];
    unsigned only[MUTEXES];
} state;

void naive_hint_reset(void)
{
    for (unsigned mutex = 0; mutex < MUTEXES; mutex++) {
        state.expects[mutex] = false;
    }
}

void naive_hint_give(unsigned index, unsigned mutex)
{
#if defined(__OPTIMIZE_SIZE__) || !TAKT_EDF || !(TAKT_BUDGETS || TAKT_HEEDS_HINTS)
    mutex = MUTEXES; /* such a kernel heeds none */
#endif
    if (!naive_holds(index)) {
        naive.tasks[index].hint = mutex == MUTEXES ? NO_HINT : HINT_GIVEN;
        naive.tasks[index].hint_mutex = mutex;
        naive.tasks[index].hint_first = MUTEXES;
    }
}

/* Those that are deleted are in no set. */
void naive_hint_give_set(unsigned index, unsigned mask)
{
    for (unsigned mutex = 0; mutex < MUTEXES; mutex++) {
        mask &= naive.dead_mutex[mutex] ? ~(1u << mutex) : ~0u;
    }
    if (mask != 0 && !naive_holds(index)) {
        naive_hint_give(index, (unsigned)__builtin_ctz(mask));
        naive.tasks[index].hint_first = naive.tasks[index].hint_mutex;
        naive.tasks[index].hint_left = mask;
    }
}

static void expect(unsigned index, unsigned mutex)
{
    state.only[mutex] = !state.expects[mutex] || state.only[mutex] == index ? index : NOBODY;
    state.expects[mutex] = true;
    naive.tasks[index].hint = HINT_EXPECTED;
    naive.tasks[index].hint_mutex = mutex;
    naive.tasks[index].hint_first = MUTEXES;
}

static void wait_ahead(unsigned index, unsigned mutex)
{
    struct naive_task *task = &naive.tasks[index];
    task->hint = HINT_AHEAD;
    task->where = WAITS;
    task->wait_for = FOR_TURN_OF_MUTEX;
    naive_budget_ready(task);
    task->object = mutex;
    task->timeout.at_ns = TAKT_FOREVER;
    naive_to_tail(task);
    naive_server_look(index, false);
    naive_event(TAKT_EVENT_BLOCK, index, MUTEX_ID + mutex, 0);
    naive_settle();
}

/* Whether a task, or one that it waits for, directly or through others, sleeps or is suspended. */
static bool rests(unsigned task)
{
    bool asleep = naive.tasks[task].where == WAITS && naive.tasks[task].wait_for == FOR_TIME;
    unsigned next = naive_awaited(&naive.tasks[task]);
    return asleep || naive.tasks[task].suspended || (next != NOBODY && rests(next));
}

static bool overtakes(unsigned index, unsigned mutex)
{
    for (unsigned other = 0; other < naive.plan->task_count; other++) {
        const struct naive_task *task = &naive.tasks[other];
        if (task->where == WAITS && task->wait_for == FOR_MUTEX && task->object == mutex &&
            naive_goes_before(index, other)) {
            return true;
        }
    }
    return false;
}

void naive_hint_ready(unsigned index, bool locked)
{
    struct naive_task *task = &naive.tasks[index];
    bool counts = task->hint == HINT_GIVEN && !locked && !task->suspended && !naive_holds(index);
    bool set = task->hint_first != MUTEXES;
    unsigned left = set ? task->hint_left : 1u << task->hint_mutex;
    unsigned first = set ? task->hint_first : task->hint_mutex;
    task->hint = NO_HINT;
    if (!counts) {
        return;
    }
    for (unsigned mutex = 0; mutex < MUTEXES; mutex++) {
        bool heeded = (left >> mutex & 1u) != 0 && !naive_fifo(FOR_TURN_OF_MUTEX, mutex);
        bool may = heeded && naive.owner[mutex] != NOBODY && !naive.broken[mutex];
        if (may && !rests(naive.owner[mutex]) && !overtakes(index, mutex)) {
            task->hint_left = left & ~((2u << mutex) - 1);
            task->hint_mutex = mutex;
            wait_ahead(index, mutex);
            return;
        }
    }
    if (naive.owner[first] == NOBODY && !naive.broken[first] && !naive_fifo(FOR_TURN_OF_MUTEX, first)) {
        expect(index, first);
    }
}

bool naive_hint_others(unsigned mutex, unsigned task)
{
    return state.expects[mutex] && state.only[mutex] != task;
}

/* By level; in it by position, in an edf level by number. */
void naive_hint_hold_back(unsigned mutex)
{
    for (;;) {
        unsigned first = NOBODY;
        for (unsigned index = 0; index < naive.plan->task_count; index++) {
            const struct naive_task *task = &naive.tasks[index];
            const struct naive_task *other = &naive.tasks[first == NOBODY ? index : first];
            bool better = task->level != other->level          ? task->level < other->level
                          : naive.plan->level_edf[task->level] ? false
                                                               : task->position < other->position;
            if (naive_can_run(task) && task->hint == HINT_EXPECTED && task->hint_mutex == mutex &&
                (first == NOBODY || better)) {
                first = index;
            }
        }
        if (first == NOBODY) {
            return;
        }
        wait_ahead(first, mutex);
    }
}

void naive_hint_owned(unsigned mutex, unsigned task)
{
    state.expects[mutex] = false;
    naive.tasks[task].hint = NO_HINT;
}

/* It waits ahead no more; its call returns what it would have. */
static void wake(unsigned index)
{
    struct naive_task *task = &naive.tasks[index];
    unsigned status = task->status;
    task->hint = NO_HINT;
    naive_wake(index, TAKT_OK);
    task->status = status;
}

/* Nobody waits ahead because of one that rests. */
bool naive_hint_rest(void)
{
    for (unsigned index = 0; index < naive.plan->task_count; index++) {
        const struct naive_task *task = &naive.tasks[index];
        if (task->where == WAITS && task->wait_for == FOR_TURN_OF_MUTEX && naive.owner[task->object] != NOBODY &&
            rests(naive.owner[task->object])) {
            wake(index);
            return true;
        }
    }
    return false;
}

void naive_hint_free(unsigned mutex)
{
    for (unsigned task; (task = naive_best_waiter(FOR_TURN_OF_MUTEX, mutex)) != NOBODY;) {
        if (naive.tasks[task].hint_first != MUTEXES) {
            unsigned status = naive.tasks[task].status;
            naive.tasks[task].hint = HINT_GIVEN; /* and goes on with the rest of the set */
            naive_wake(task, TAKT_OK);
            naive.tasks[task].status = status;
            continue;
        }
        wake(task);
        if (!naive.tasks[task].suspended) {
            expect(task, mutex);
        }
    }
}

void naive_hint_overtaken(unsigned mutex, unsigned by)
{
    for (unsigned task; (task = naive_best_waiter(FOR_TURN_OF_MUTEX, mutex)) != NOBODY;) {
        if (by != NOBODY && !naive_goes_before(task, by)) {
            break;
        }
        wake(task);
    }
    if (by == NOBODY) {
        state.expects[mutex] = false;
    }
}
