/* SPDX-License-Identifier: Apache-2.0 */
/* Processor time of an analysis, over the task sets of a file; what `takt bench analysis` runs.
 *
 *     measure ANALYSIS FILE PASSES SECONDS
 *
 * A set is how many tasks it has, and for each its wcet, period and deadline. All sets are read first. They are
 * analysed PASSES times (0: not at all) and on until SECONDS of the processor's time have passed. Printed are the
 * seconds of a pass, as the mean, and of each set the answers, in a line. Exit code 1: an analysis has no answer; 2:
 * misuse.
 */
#include "analysis.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SETS_MAX 1000

struct set {
    struct task tasks[TASKS_MAX];
    size_t task_count;
    uint64_t answers[TASKS_MAX];
    size_t answer_count;
};

static const struct {
    const char *name;
    analyse *analyse;
} analyses[] = {
    {"takt-fixed", takt_fixed}, {"takt-edf", takt_edf}, {"takt-test", takt_test},
#ifdef PEER
    {"peer-fixed", peer_fixed}, {"peer-edf", peer_edf},
#endif
};

static struct set sets[SETS_MAX];
static size_t set_count;

static void fail(int code, const char *what)
{
    fprintf(stderr, "measure: %s\n", what);
    exit(code);
}

static double processor_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void read_sets(const char *name)
{
    FILE *file = fopen(name, "r");

    if (file == NULL) {
        fail(2, "the file cannot be read");
    }
    for (; set_count < SETS_MAX && fscanf(file, "%zu", &sets[set_count].task_count) == 1; set_count++) {
        struct set *set = &sets[set_count];

        if (set->task_count > TASKS_MAX) {
            fail(2, "too many tasks");
        }
        for (size_t i = 0; i < set->task_count; i++) {
            struct task *task = &set->tasks[i];

            if (fscanf(file, "%" SCNu64 " %" SCNu64 " %" SCNu64, &task->wcet_ns, &task->period_ns,
                       &task->deadline_ns) != 3) {
                fail(2, "a task is not whole");
            }
        }
    }
    fclose(file);
}

static void pass(analyse *analyse)
{
    for (size_t i = 0; i < set_count; i++) {
        sets[i].answer_count = analyse(sets[i].tasks, sets[i].task_count, sets[i].answers);
        if (sets[i].answer_count == 0) {
            fail(1, "a set has no answer");
        }
    }
}

static analyse *find(const char *name)
{
    for (size_t i = 0; i < sizeof analyses / sizeof analyses[0]; i++) {
        if (strcmp(analyses[i].name, name) == 0) {
            return analyses[i].analyse;
        }
    }
    fail(2, "no such analysis");
    return NULL;
}

int main(int count, char **words)
{
    double begun, used = 0, least;
    long passes = 0, passes_min;
    analyse *analyse;

    if (count != 5) {
        fail(2, "measure ANALYSIS FILE PASSES SECONDS");
    }
    analyse = find(words[1]);
    read_sets(words[2]);
    passes_min = atol(words[3]);
    least = atof(words[4]);
    begun = processor_s();
    while (passes < passes_min || (passes > 0 && used < least)) {
        pass(analyse);
        passes++;
        used = processor_s() - begun;
    }
    printf("%.9f\n", passes == 0 ? 0 : used / (double)passes);
    for (size_t i = 0; i < set_count; i++) {
        for (size_t k = 0; k < sets[i].answer_count; k++) {
            printf("%" PRIu64 "%c", sets[i].answers[k], k + 1 < sets[i].answer_count ? ' ' : '\n');
        }
    }
    return 0;
}
