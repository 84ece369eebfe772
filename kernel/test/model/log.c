/* SPDX-License-Identifier: Apache-2.0 */
/* Logs of what happened. */
#include <string.h>

#include "plan.h"

void log_add(struct log *log, struct entry entry)
{
    if (log->count == LOG_MAX) {
        log->full = true;
        return;
    }
    log->entries[log->count++] = entry;
}

/* Tasks, interrupts, hooks, alarms, watchdogs. */
static unsigned actor_index(unsigned actor)
{
    return actor < HANDLER    ? actor
           : actor < HOOK     ? TASKS_MAX + actor - HANDLER
           : actor < ALARM    ? TASKS_MAX + SOURCES + actor - HOOK
           : actor < WATCHDOG ? 2 * TASKS_MAX + SOURCES + actor - ALARM
                              : 2 * TASKS_MAX + SOURCES + ALARMS + actor - WATCHDOG;
}

void log_result(struct outcome *outcome, struct entry entry)
{
    outcome->done[actor_index(entry.task)]++;
    log_add(&outcome->results, entry);
}

/* Of what the actor did before, and of nothing else: so the order of actors does not matter. */
uint32_t log_message(const struct outcome *outcome, unsigned actor)
{
    unsigned index = actor_index(actor);
    return (index + 1) << 16 | outcome->done[index];
}

void outcome_reset(struct outcome *outcome)
{
    outcome->trace.count = outcome->results.count = 0;
    outcome->trace.full = outcome->results.full = false;
    outcome->figures = (struct figures){.first_miss_task = 0};
    memset(outcome->done, 0, sizeof outcome->done);
}
