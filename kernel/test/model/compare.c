/* SPDX-License-Identifier: Apache-2.0 */
/* Where two logs differ. */
#include <inttypes.h>
#include <stdio.h>

#include "plan.h"
#include "takt/trace.h"

enum { BEFORE = 12, AFTER = 6 };

static void print_entry(const struct entry *entry)
{
    static const char *const events[] = {
        [TAKT_EVENT_RELEASE] = "release",
        [TAKT_EVENT_RUN] = "run",
        [TAKT_EVENT_COMPLETE] = "complete",
        [TAKT_EVENT_MISS] = "miss",
        [TAKT_EVENT_OVERRUN] = "overrun",
        [TAKT_EVENT_LOST] = "lost",
        [TAKT_EVENT_BLOCK] = "block",
        [TAKT_EVENT_READY] = "ready",
        [TAKT_EVENT_LOCK] = "lock",
        [TAKT_EVENT_UNLOCK] = "unlock",
        [TAKT_EVENT_KEY] = "key",
        [TAKT_EVENT_POST] = "post",
        [TAKT_EVENT_TAKE] = "take",
        [TAKT_EVENT_SEND] = "send",
        [TAKT_EVENT_RECEIVE] = "receive",
        [TAKT_EVENT_SUSPEND] = "suspend",
        [TAKT_EVENT_RESUME] = "resume",
        [TAKT_EVENT_START] = "start",
        [TAKT_EVENT_STOP] = "stop",
        [TAKT_EVENT_INTERRUPT] = "interrupt",
        [TAKT_EVENT_INTERRUPT_END] = "interrupt_end",
        [TAKT_EVENT_FAULT] = "fault",
        [TAKT_EVENT_YIELD] = "yield",
        [TAKT_EVENT_DELETE] = "delete",
        [TAKT_EVENT_STOP_LATER] = "stop_later",
        [TAKT_EVENT_DEADLINE] = "deadline",
        [TAKT_EVENT_ALARM] = "alarm",
        [TAKT_EVENT_WATCHDOG] = "watchdog",
        [TAKT_EVENT_BUDGET] = "budget",
        [TAKT_EVENT_DEADLOCK] = "deadlock",
    };
    const char *name = entry->event == LOG_ARRIVAL           ? "arrival"
                       : entry->event >= LOG_RESULT          ? op_name(entry->event - LOG_RESULT)
                       : entry->event <= TAKT_EVENT_DEADLOCK ? events[entry->event]
                                                             : "?";
    printf("%8" PRIu64 " %s%-14s task %5u job %" PRIu32 " band %u object %u value %u\n", entry->time_ns,
           entry->event >= LOG_RESULT ? "result of " : "", name, entry->task, entry->job, entry->band, entry->object,
           entry->value);
}

static void print_around(const char *name, const struct log *log, unsigned position)
{
    unsigned from = position > BEFORE ? position - BEFORE : 0;
    printf("--- %s (%u entries)\n", name, log->count);
    for (unsigned index = from; index < position + AFTER && index < log->count; index++) {
        printf("%s", index == position ? "> " : "  ");
        print_entry(&log->entries[index]);
    }
}

/* Changes of keys along a chain belong to one step: their order is not recorded. */
void log_sort_keys(struct log *log)
{
    for (unsigned position = 1; position < log->count; position++) {
        for (unsigned back = position; back > 0; back--) {
            struct entry *left = &log->entries[back - 1];
            struct entry *right = &log->entries[back];
            if (right->event != TAKT_EVENT_KEY || left->event != TAKT_EVENT_KEY || left->task <= right->task) {
                break;
            }
            struct entry other = *left;
            *left = *right;
            *right = other;
        }
    }
}

/* The first entry in which they differ; the number of entries: none. */
static unsigned difference(const struct log *of_kernel, const struct log *of_model)
{
    unsigned shorter = of_kernel->count < of_model->count ? of_kernel->count : of_model->count;
    for (unsigned position = 0; position < shorter; position++) {
        const struct entry *a = &of_kernel->entries[position];
        const struct entry *b = &of_model->entries[position];
        if (a->time_ns != b->time_ns || a->event != b->event || a->band != b->band || a->task != b->task ||
            a->job != b->job || a->object != b->object || a->value != b->value) {
            return position;
        }
    }
    return shorter;
}

bool logs_equal(const struct log *of_kernel, const struct log *of_model)
{
    return of_kernel->count == of_model->count && difference(of_kernel, of_model) == of_kernel->count;
}

int logs_compare(const char *what, const struct log *of_kernel, const struct log *of_model)
{
    unsigned position = difference(of_kernel, of_model);
    if (position == of_kernel->count && position == of_model->count) {
        return 0;
    }
    printf("%s differ:\n", what);
    print_around("kernel", of_kernel, position);
    print_around("model", of_model, position);
    return 1;
}
