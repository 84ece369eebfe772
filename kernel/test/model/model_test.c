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

enum { LISTS = 30 };

static struct plan plan;
static struct outcome kernel;
static struct outcome model;

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
    outcome_reset(&kernel);
    outcome_reset(&model);
    naive_run(&plan, &model);
    drive_run(&plan, &kernel);
    int differ = logs_compare("results", &kernel.results, &model.results);
    if (TAKT_TRACE) {
        log_sort_keys(&kernel.trace);
        log_sort_keys(&model.trace);
        differ |= logs_compare("traces", &kernel.trace, &model.trace);
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
    uint64_t cases = number_of("TAKT_CASES", number_of("TAKT_TEST_FULL", 0) != 0 ? 12000 : 1000);
    uint64_t entries = 0;
    uint64_t operations = 0;
    for (uint64_t number = 0; number < cases; number++) {
        if (one(profile, seed * UINT64_C(1000000) + number) != 0) {
            return 1;
        }
        entries += kernel.trace.count + kernel.results.count;
        operations += kernel.results.count;
    }
    printf("%s: %" PRIu64 " systems from seed %" PRIu64 ", %" PRIu64 " operations, %" PRIu64 " entries equal\n",
           profile->name, cases, seed, operations, entries);
    return 0;
}
