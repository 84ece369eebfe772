/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel against the naive model: model_test PROFILE [SEED]. TAKT_CASES systems, the seeds of which follow from
 * TAKT_SEED; a failure prints the seed of its system, and SEED alone runs that one.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "takt/trace.h"
#include "takt_preset.h"

enum { BEFORE = 12, AFTER = 6, LISTS = 30 };

static struct plan plan;
static struct outcome kernel;
static struct outcome model;

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
    };
    const char *name = entry->event == LOG_ARRIVAL  ? "arrival"
                       : entry->event >= LOG_RESULT ? op_name(entry->event - LOG_RESULT)
                                                    : events[entry->event];
    printf("%8" PRIu64 " %s%-14s task %5u job %" PRIu32 " band %u object %u value %u\n", entry->time_ns,
           entry->event >= LOG_RESULT ? "result of " : "", name, entry->task, entry->job, entry->band, entry->object,
           entry->value);
}

static void print_around(const char *name, const struct log *log, unsigned place)
{
    unsigned from = place > BEFORE ? place - BEFORE : 0;
    printf("--- %s (%u entries)\n", name, log->count);
    for (unsigned index = from; index < place + AFTER && index < log->count; index++) {
        printf("%s", index == place ? "> " : "  ");
        print_entry(&log->entries[index]);
    }
}

/* Changes of keys along a chain belong to one step: their order is not told. */
static void sort_keys(struct log *log)
{
    for (unsigned place = 1; place < log->count; place++) {
        for (unsigned back = place; back > 0; back--) {
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

static int compare_logs(const char *what, struct log *of_kernel, struct log *of_model)
{
    unsigned shorter = of_kernel->count < of_model->count ? of_kernel->count : of_model->count;
    for (unsigned place = 0; place < shorter; place++) {
        const struct entry *a = &of_kernel->entries[place];
        const struct entry *b = &of_model->entries[place];
        if (a->time_ns != b->time_ns || a->event != b->event || a->band != b->band || a->task != b->task ||
            a->job != b->job || a->object != b->object || a->value != b->value) {
            shorter = place;
            break;
        }
    }
    if (shorter == of_kernel->count && shorter == of_model->count) {
        return 0;
    }
    printf("%s differ:\n", what);
    print_around("kernel", of_kernel, shorter);
    print_around("model", of_model, shorter);
    return 1;
}

static int compare_figures(void)
{
    const struct figures *a = &kernel.figures;
    const struct figures *b = &model.figures;
    int differ = 0;
    for (unsigned task = 0; task < plan.task_count; task++) {
        if (a->jobs[task] != b->jobs[task] || a->misses[task] != b->misses[task] ||
            a->overruns[task] != b->overruns[task] || a->lost[task] != b->lost[task] ||
            (TAKT_TRACE && (a->response_ns_max[task] != b->response_ns_max[task] ||
                            a->execution_ns_max[task] != b->execution_ns_max[task]))) {
            printf("figures of task %u, kernel and model: jobs %u %u, misses %u %u, overruns %u %u, lost %u %u, "
                   "response %" PRIu64 " %" PRIu64 ", execution %" PRIu64 " %" PRIu64 "\n",
                   task, a->jobs[task], b->jobs[task], a->misses[task], b->misses[task], a->overruns[task],
                   b->overruns[task], a->lost[task], b->lost[task], a->response_ns_max[task], b->response_ns_max[task],
                   a->execution_ns_max[task], b->execution_ns_max[task]);
            differ = 1;
        }
    }
    if (a->first_miss_deadline_ns != b->first_miss_deadline_ns || a->first_miss_task != b->first_miss_task ||
        a->first_miss_release_ns != b->first_miss_release_ns) {
        printf("first miss, kernel and model: deadline %" PRIu64 " %" PRIu64 ", task %u %u\n",
               a->first_miss_deadline_ns, b->first_miss_deadline_ns, a->first_miss_task, b->first_miss_task);
        differ = 1;
    }
    return differ;
}

static int one(const struct profile *profile, uint64_t seed)
{
    plan_generate(&plan, profile, seed, (unsigned)(seed % LISTS));
    kernel.trace.count = model.trace.count = 0;
    kernel.results.count = model.results.count = 0;
    kernel.figures = model.figures = (struct figures){.first_miss_task = 0};
    naive_run(&plan, &model);
    drive_run(&plan, &kernel);
    int differ = compare_logs("results", &kernel.results, &model.results);
    if (TAKT_TRACE) {
        sort_keys(&kernel.trace);
        sort_keys(&model.trace);
        differ |= compare_logs("traces", &kernel.trace, &model.trace);
    }
    differ |= differ ? 0 : compare_figures();
    if (differ) {
        plan_print(&plan);
        printf("replay: model_test %s %" PRIu64 "\n", profile->name, seed);
    }
    return differ;
}

static uint64_t number_of(const char *name, uint64_t fallback)
{
    const char *text = getenv(name);
    return text == NULL ? fallback : strtoull(text, NULL, 0);
}

int main(int argc, char **argv)
{
    const struct profile *profile = argc > 1 ? profile_find(argv[1]) : NULL;
    if (profile == NULL) {
        fprintf(stderr, "usage: model_test PROFILE [SEED]; profiles:");
        for (profile = profiles; profile->name != NULL; profile++) {
            fprintf(stderr, " %s", profile->name);
        }
        fputc('\n', stderr);
        return 2;
    }
    if (argc > 2) {
        return one(profile, strtoull(argv[2], NULL, 0));
    }
    uint64_t seed = number_of("TAKT_SEED", 1);
    uint64_t cases = number_of("TAKT_CASES", 12000);
    uint64_t entries = 0;
    for (uint64_t number = 0; number < cases; number++) {
        if (one(profile, seed * UINT64_C(1000000) + number) != 0) {
            return 1;
        }
        entries += kernel.trace.count + kernel.results.count;
    }
    printf("%s: %" PRIu64 " systems from seed %" PRIu64 ", %" PRIu64 " entries equal\n", profile->name, cases, seed,
           entries);
    return 0;
}
