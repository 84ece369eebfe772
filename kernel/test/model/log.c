/* SPDX-License-Identifier: Apache-2.0 */
/* Logs, and what can be rebuilt from the trace alone. */
#include <string.h>

#include "plan.h"
#include "takt/trace.h"

void log_add(struct log *log, struct entry entry)
{
    if (log->count == LOG_MAX) {
        log->full = true;
        return;
    }
    log->entries[log->count++] = entry;
}

static void add(struct spans *spans, struct span span)
{
    if (spans->count < LOG_MAX) {
        spans->items[spans->count++] = span;
    }
}

void span_run(struct spans *spans, unsigned who, uint64_t from_ns, uint64_t to_ns)
{
    if (from_ns == to_ns) {
        return;
    }
    for (unsigned place = spans->count; place > 0; place--) { /* goes on with the last execution */
        struct span *last = &spans->items[place - 1];
        if (last->mutex == NOBODY) {
            if (last->who == (uint16_t)who && last->to_ns == from_ns) {
                last->to_ns = to_ns;
                return;
            }
            break;
        }
    }
    add(spans, (struct span){.from_ns = from_ns, .to_ns = to_ns, .who = (uint16_t)who, .mutex = NOBODY});
}

void span_own(struct spans *spans, unsigned mutex, unsigned who, uint64_t from_ns, uint64_t to_ns)
{
    add(spans, (struct span){.from_ns = from_ns, .to_ns = to_ns, .who = (uint16_t)who, .mutex = (uint8_t)mutex});
}

void rebuild(const struct log *trace, struct spans *spans)
{
    unsigned running = NOBODY;
    unsigned interrupt = NOBODY; /* they do not nest on the host */
    unsigned owner[MUTEXES];
    uint64_t since_ns[MUTEXES] = {0};
    uint64_t before_ns = 0;
    memset(owner, 0xFF, sizeof owner);
    for (unsigned place = 0; place < trace->count; place++) {
        const struct entry *entry = &trace->entries[place];
        unsigned mutex = entry->object - MUTEX_ID;
        span_run(spans, interrupt == NOBODY ? running : HANDLER + interrupt, before_ns, entry->time_ns);
        before_ns = entry->time_ns;
        if (entry->event == TAKT_EVENT_RUN) {
            running = entry->task == TAKT_TRACE_IDLE ? NOBODY : entry->task;
        } else if (entry->event == TAKT_EVENT_INTERRUPT) {
            interrupt = entry->object;
        } else if (entry->event == TAKT_EVENT_INTERRUPT_END) {
            interrupt = NOBODY;
        } else if (entry->event == TAKT_EVENT_LOCK) {
            owner[mutex] = entry->task;
            since_ns[mutex] = before_ns;
        } else if (entry->event == TAKT_EVENT_UNLOCK) {
            span_own(spans, mutex, owner[mutex], since_ns[mutex], before_ns);
            owner[mutex] = NOBODY;
        }
    }
    for (unsigned mutex = 0; mutex < MUTEXES; mutex++) {
        if (owner[mutex] < TASKS_MAX) {
            span_own(spans, mutex, owner[mutex], since_ns[mutex], before_ns);
        }
    }
}
