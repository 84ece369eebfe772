/* SPDX-License-Identifier: Apache-2.0 */
/* The naive model: keys, by definition. */
#include "naive.h"

/* Strictly better by level and deadline. */
bool naive_better(unsigned level_a, uint64_t deadline_a, unsigned level_b, uint64_t deadline_b)
{
    return level_a != level_b ? level_a < level_b : deadline_a < deadline_b;
}

static uint64_t own_deadline_ns(const struct naive_task *task)
{
    return naive_served(task) ? task->served_deadline_ns : task->job_deadline_ns;
}

/* The task's own, with what messages in its slots lend, and ceilings that it owns. */
void naive_own_key(const struct naive_task *task, unsigned *level, uint64_t *deadline_ns)
{
    *level = naive_own_level(task);
    *deadline_ns = naive.plan->level_edf[*level] ? own_deadline_ns(task) : 0;
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        bool owns = naive.slots[slot].allocated && &naive.tasks[naive.plan->slot_owner[slot]] == task;
        if (owns && naive.slots[slot].level < *level) {
            *level = naive.slots[slot].level;
            *deadline_ns = 0;
        }
    }
    for (unsigned mutex = 0; mutex < MUTEXES; mutex++) {
        bool counts = plan_ceiling(naive.plan, mutex) && naive.owner[mutex] == (unsigned)(task - naive.tasks);
        if (counts && naive_better(naive.plan->ceiling[mutex], naive.floor_ns[mutex], *level, *deadline_ns)) {
            *level = naive.plan->ceiling[mutex];
            *deadline_ns = naive.floor_ns[mutex];
        }
    }
}

/* The task that must go on before a waiting task can; NOBODY: that is not one task. */
unsigned naive_awaited(const struct naive_task *waiter)
{
    if (waiter->where != WAITS) {
        return NOBODY;
    }
    return waiter->wait_for == FOR_MUTEX || waiter->wait_for == FOR_TURN_OF_MUTEX ? naive.owner[waiter->object]
           : waiter->wait_for == FOR_COMPLETION                                   ? waiter->server
                                                                                  : NOBODY;
}

/* By definition: the best own key among the task and all that wait, directly or through others, for what it holds. */
static void effective_key(unsigned task, unsigned *level, uint64_t *deadline_ns, unsigned *order)
{
    bool in[TASKS_MAX] = {false};
    bool grown = true;
    in[task] = true;
    *order = task;
    naive_own_key(&naive.tasks[task], level, deadline_ns);
    while (grown) {
        grown = false;
        for (unsigned other = 0; other < naive.plan->task_count; other++) {
            const struct naive_task *waiter = &naive.tasks[other];
            unsigned whom = naive_awaited(waiter);
            if (in[other] || whom == NOBODY || !in[whom]) {
                continue;
            }
            unsigned own_level;
            uint64_t own_deadline_ns;
            in[other] = true;
            grown = true;
            naive_own_key(waiter, &own_level, &own_deadline_ns);
            bool equal = own_level == *level && own_deadline_ns == *deadline_ns && naive.plan->level_edf[own_level];
            if (naive_better(own_level, own_deadline_ns, *level, *deadline_ns) || (equal && other < *order)) {
                *level = own_level;
                *deadline_ns = own_deadline_ns;
                *order = other;
            }
        }
    }
    if (!TAKT_INHERITS_ORDER || !naive.plan->level_edf[*level]) {
        *order = task;
    }
}

void naive_key_now(unsigned index)
{
    struct naive_task *task = &naive.tasks[index];
    unsigned before = task->level;
    effective_key(index, &task->level, &task->deadline_ns, &task->order);
    if (task->level != before) {
        naive_event(TAKT_EVENT_KEY, index, TAKT_TRACE_NO_OBJECT, task->level);
    }
}

/* Recomputes every key. A better key: behind its new equals; a worse one: before them when it can run. */
static void settle_keys(void)
{
    for (unsigned index = 0; index < naive.plan->task_count; index++) {
        struct naive_task *task = &naive.tasks[index];
        unsigned level;
        uint64_t deadline_ns;
        unsigned order;
        if (task->where == OUT) {
            continue;
        }
        effective_key(index, &level, &deadline_ns, &order); /* between jobs there is no deadline */
        naive_server_look(index, false);
        bool same = deadline_ns == task->deadline_ns && order == task->order;
        if (level == task->level && (same || task->where == AWAITS_RELEASE)) {
            continue;
        }
        if (naive_can_run(task) && naive_better(task->level, task->deadline_ns, level, deadline_ns)) {
            task->position = --naive.first_position;
        } else {
            naive_to_tail(task);
        }
        task->level = level;
        task->deadline_ns = deadline_ns;
        task->order = order;
        naive_event(TAKT_EVENT_KEY, index, TAKT_TRACE_NO_OBJECT, level);
    }
}

void naive_settle(void)
{
    do {
        settle_keys();
    } while (naive_hint_rest());
}
