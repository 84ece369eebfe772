/* SPDX-License-Identifier: Apache-2.0 */
/* Hold the analysis against the simulator over random systems.
 *
 * campaign MODE SETS SEED [FEATURES]; prints counts as JSON. The first disagreement is printed with its seed; exit 1.
 * The system of a seed depends on nothing else, so `campaign MODE 1 SEED [FEATURES]` replays it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"

#define PATTERNS 8

struct counts {
    long sets, accepted, refused, undecided, near, runs, bounds, reached, tighter, served, shapes[GEN_SHAPES];
};

/* A system with what the analysis says of it. */
struct judged {
    struct gen_recipe recipe;
    struct gen_system system;
    enum takt_analysis_verdict verdict, verdicts[GEN_TASKS];
    bool bounded[GEN_TASKS];
    uint64_t bound[GEN_TASKS];
    long observed[GEN_TASKS]; /* over all runs */
    long tighter;             /* bounds that knowing the waits made better */
    long served;              /* bounds of served tasks */
};

static uint64_t seed;

static void print_system(const struct judged *j)
{
    fprintf(stderr, "features %d, lock %ld, verdict %d\n", j->recipe.features, j->recipe.lock, (int)j->verdict);
    for (int i = 0; i < j->recipe.task_count; i++) {
        const struct takt_analysis_task *t = &j->system.tasks[i];

        fprintf(stderr,
                "  task %d: level %d order %d C %" PRIu64 " T %" PRIu64 " D %" PRIu64 " J %" PRIu64 " release %" PRIu64
                " B %" PRIu64 " verdict %d bound %" PRId64 " observed %ld burst %u distance %" PRIu64 "\n",
                i, t->level, t->order, t->wcet_ns, t->period_ns, t->deadline_ns, t->jitter_ns, t->release_cost_ns,
                t->blocking_ns, (int)j->verdicts[i], j->bounded[i] ? (int64_t)j->bound[i] : -1, j->observed[i],
                t->burst_more + 1, t->distance_ns);
        if (j->system.wait_count[i] > 0) {
            fprintf(stderr, "    executes %ld, waits %d times for %" PRIu64 "\n", j->system.executes[i],
                    j->system.wait_count[i], j->system.suspensions[i]);
        }
        for (int k = 0; k < j->system.section_count[i]; k++) {
            const struct sim_section *s = &j->system.sections[i][k];

            fprintf(stderr, "    mutex %d from %ld to %ld\n", s->mutex, s->start, s->end);
        }
    }
    for (int i = 0; i < j->recipe.server_count; i++) {
        const struct gen_server *of = &j->recipe.servers[i];

        fprintf(stderr, "  server: task %d, kind %d, budget %ld, serves %d to %d\n", of->task, of->kind,
                j->system.servers[i].budget, of->first, of->end - 1);
        for (int k = of->first; k < of->end; k++) {
            const struct takt_analysis_task *t = &j->system.served[k];

            fprintf(stderr, "    task %d: C %" PRIu64 " T %" PRIu64 " J %" PRIu64 " burst %u distance %" PRIu64 "\n", k,
                    t->wcet_ns, t->period_ns, t->jitter_ns, t->burst_more + 1, t->distance_ns);
        }
    }
    for (int i = 0; i < j->recipe.interrupt_count; i++) {
        fprintf(stderr, "  interrupt: C %" PRIu64 " T %" PRIu64 "\n", j->system.interrupts[i].wcet_ns,
                j->system.interrupts[i].min_interarrival_ns);
    }
}

static void fail(const struct judged *j, int task, const char *what)
{
    fprintf(stderr, "seed %" PRIu64 ", task %d: %s\n", seed, task, what);
    print_system(j);
    exit(1);
}

static bool feasible_at(const struct gen_recipe *recipe, long permille)
{
    struct gen_system system;
    enum takt_analysis_verdict verdict;

    gen_system(&system, recipe, permille);
    takt_analysis_feasible(&system.set, &verdict, NULL, NULL);
    return verdict == TAKT_ANALYSIS_FEASIBLE;
}

/* A scale of the execution times: often within 5 % of the greatest feasible one. */
static long choose_scale(const struct gen_recipe *recipe, struct gen_random *random, bool *near)
{
    long low = 0, high = 8000, kind = gen_between(random, 0, 99), scale;

    while (high - low > 1) {
        long middle = (low + high) / 2;

        *(feasible_at(recipe, middle) ? &low : &high) = middle;
    }
    scale = kind < 45   ? low * gen_between(random, 955, 1045) / 1000
            : kind < 75 ? low * gen_between(random, 500, 950) / 1000
                        : low * gen_between(random, 1050, 1500) / 1000;
    *near = feasible_at(recipe, scale * 95 / 100) && !feasible_at(recipe, scale * 105 / 100);
    return scale;
}

/* Bounds by what is known of the tasks beside what `plain` ones need: none may be worse, and the least of all counts.
 */
static void take_better(struct judged *j, const struct judged *plain, const uint64_t *found,
                        const enum takt_analysis_status *better)
{
    for (int i = 0; i < j->recipe.task_count; i++) {
        bool bounded = better[i] == TAKT_ANALYSIS_OK;

        if (plain->bounded[i] && (!bounded || found[i] > plain->bound[i])) {
            fail(j, i, "what is known of it makes its bound worse");
        }
        if (bounded && (!j->bounded[i] || found[i] < j->bound[i])) {
            j->tighter++;
            j->bounded[i] = true;
            j->bound[i] = found[i];
        }
        if (j->bounded[i] && j->bound[i] <= j->system.tasks[i].deadline_ns) {
            j->verdicts[i] = TAKT_ANALYSIS_FEASIBLE;
        }
    }
}

static void judge_offsets(struct judged *j, const struct judged *plain)
{
    size_t candidates[GEN_TASKS];
    uint64_t found[GEN_TASKS];
    enum takt_analysis_status better[GEN_TASKS];

    if (takt_analysis_phased(&j->system.set, j->system.phases, candidates, found, better) != TAKT_ANALYSIS_OK) {
        fail(j, -1, "the offsets were called invalid");
    }
    take_better(j, plain, found, better);
}

static void judge_waits(struct judged *j, const struct judged *plain)
{
    struct takt_analysis_task tasks[GEN_TASKS];
    uint64_t jitters[GEN_TASKS], bounds[GEN_TASKS], found[GEN_TASKS];
    enum takt_analysis_status tried[GEN_TASKS], better[GEN_TASKS];
    const struct takt_analysis_work work = {tasks, jitters, bounds, tried};

    if (takt_analysis_suspended(&j->system.set, j->system.suspensions, &work, found, better) != TAKT_ANALYSIS_OK) {
        fail(j, -1, "the suspensions were called invalid");
    }
    take_better(j, plain, found, better);
}

static void judge(struct judged *j)
{
    const struct takt_analysis_set *set = &j->system.set;
    enum takt_analysis_status statuses[GEN_TASKS];
    enum takt_analysis_verdict quick;
    struct takt_analysis_reason reason;

    if (takt_analysis_feasible(set, &j->verdict, j->verdicts, &reason) != TAKT_ANALYSIS_OK ||
        takt_analysis_feasible(set, &quick, NULL, NULL) != TAKT_ANALYSIS_OK) {
        fail(j, -1, "the input was called invalid");
    }
    if ((quick == TAKT_ANALYSIS_FEASIBLE) != (j->verdict == TAKT_ANALYSIS_FEASIBLE)) {
        fail(j, -1, "the verdict depends on how many are asked for");
    }
    takt_analysis_responses(set, j->bound, statuses);
    for (int i = 0; i < j->recipe.task_count; i++) {
        enum takt_analysis_status status = statuses[i];

        j->bounded[i] = status == TAKT_ANALYSIS_OK;
        j->observed[i] = 0;
        if (j->bounded[i] && j->verdicts[i] == TAKT_ANALYSIS_FEASIBLE && j->bound[i] > set->tasks[i].deadline_ns) {
            fail(j, i, "feasible, but its bound exceeds its deadline");
        }
        if (!j->bounded[i] && set->tasks[i].period_ns && j->verdicts[i] == TAKT_ANALYSIS_FEASIBLE &&
            status != TAKT_ANALYSIS_LIMIT && set->tasks[i].deadline_ns <= set->tasks[i].period_ns &&
            set->tasks[i].burst_more == 0 && !set->cooperative && set->tasks[i].jitter_ns == 0 &&
            status != TAKT_ANALYSIS_UNBOUNDED) {
            fail(j, i, "feasible, but without a bound");
        }
    }
}

/* Bounds of what servers serve, where nothing of it waits or always has work. */
static void judge_served(struct judged *j)
{
    for (int i = 0; i < j->recipe.server_count; i++) {
        const struct gen_server *of = &j->recipe.servers[i];
        const struct takt_analysis_server server = {(uint64_t)j->system.servers[i].budget, j->bound[of->task],
                                                    (uint32_t)of->kind, (uint32_t)of->task, SIM_CHUNKS};
        bool known = j->bounded[of->task] && !of->greedy;
        enum takt_analysis_status status;
        uint64_t response = 0;

        for (int k = of->first; k < of->end; k++) {
            known &= j->system.section_count[k] == 0 && j->system.wait_count[k] == 0;
        }
        if (!known) {
            continue;
        }
        status = takt_analysis_served(&j->system.set, &server, &j->system.served[of->first],
                                      (size_t)(of->end - of->first), &response);
        if (status == TAKT_ANALYSIS_INVALID) {
            fail(j, of->task, "what it serves was called invalid");
        }
        for (int k = of->first; k < of->end && status == TAKT_ANALYSIS_OK; k++) {
            j->bounded[k] = true;
            j->bound[k] = response + j->system.served[k].jitter_ns;
            j->served++;
        }
    }
}

/* The same with what is known of waits and offsets. */
static void judge_known(struct judged *j)
{
    static struct judged plain;

    plain = *j;
    j->tighter = j->served = 0;
    if (j->recipe.features & GEN_WAIT) {
        judge_waits(j, &plain);
    }
    if (j->recipe.features & GEN_OFFSET) {
        judge_offsets(j, &plain);
    }
    for (int i = 0, all = 1; i < j->recipe.task_count; i++) {
        all &= j->verdicts[i] == TAKT_ANALYSIS_FEASIBLE;
        if (all && i + 1 == j->recipe.task_count) {
            j->verdict = TAKT_ANALYSIS_FEASIBLE;
        }
    }
}

/* What must hold of every run. */
static void observe(struct judged *j, const struct sim *sim, struct sim_result *result, struct counts *counts)
{
    sim_run(sim, result);
    counts->runs++;
    for (int i = 0; i < j->recipe.task_count; i++) {
        if (j->observed[i] < result->response_max[i]) {
            j->observed[i] = result->response_max[i];
        }
        if (j->verdicts[i] == TAKT_ANALYSIS_FEASIBLE && result->missed[i]) {
            fail(j, i, "accepted, but it misses");
        }
        if (j->bounded[i] && (uint64_t)j->observed[i] > j->bound[i]) {
            fail(j, i, "it responds later than its bound");
        }
    }
}

/* What must hold besides when the analysis is exact. `together`: the run of a synchronous busy period. */
static void check_exact(const struct judged *j, const struct sim_result *together)
{
    const struct takt_analysis_task *tasks = j->system.tasks;

    for (int i = 0; i < j->recipe.task_count; i++) {
        bool fixed = tasks[i].order == TAKT_ANALYSIS_EQUAL, missed = false, late = false;

        if (j->verdicts[i] == TAKT_ANALYSIS_UNDECIDED) {
            fail(j, i, "undecided");
        }
        for (int k = 0; k < j->recipe.task_count; k++) {
            if (tasks[k].level == tasks[i].level) {
                missed |= together->missed[k];
                late |= !j->bounded[k] || j->bound[k] > tasks[k].deadline_ns;
            }
        }
        if ((j->verdicts[i] == TAKT_ANALYSIS_INFEASIBLE) != missed) {
            fail(j, i, "refused, but no task of its level misses in a synchronous busy period, or the reverse");
        }
        if ((j->verdicts[i] == TAKT_ANALYSIS_INFEASIBLE) != late) {
            fail(j, i, "verdict and bounds of its level disagree");
        }
        if (fixed && j->bounded[i] && (uint64_t)together->response_max[i] != j->bound[i]) {
            fail(j, i, "the bound is not reached at the synchronous release");
        }
    }
}

/* Every combination of offsets, each task losing its ties once: all bounds must be reached. */
static void check_all_offsets(struct judged *j, struct sim *sim, struct counts *counts)
{
    long offsets[GEN_TASKS] = {0}, span = j->recipe.features & GEN_OFFSET ? 12 + 5 * 6 : 12 + 2 * 6;
    int digit = 0, n = j->recipe.task_count;
    struct sim_result result;

    while (digit < n) {
        for (int loser = 0; loser < n; loser++) {
            sim->tie_loser = loser;
            gen_pattern(sim, &j->recipe, &j->system, span, NULL, 0, offsets);
            observe(j, sim, &result, counts);
        }
        for (digit = 0; digit < n && ++offsets[digit] == (long)j->system.tasks[digit].period_ns; digit++) {
            offsets[digit] = 0;
        }
    }
    for (int i = 0; i < n; i++) {
        bool exact = !(j->recipe.features & GEN_OFFSET) || j->system.tasks[i].order == TAKT_ANALYSIS_EQUAL;

        if (exact && j->bounded[i] && (uint64_t)j->observed[i] != j->bound[i]) {
            fail(j, i, "no pattern of arrivals reaches the bound");
        }
    }
}

static void one_set(int shape, int features, bool exact, struct counts *counts)
{
    static struct judged j;
    static struct sim sim;
    struct gen_random random = {seed};
    struct sim_result result;
    bool near;
    long horizon;

    gen_recipe(&j.recipe, &random, shape, features);
    gen_system(&j.system, &j.recipe, choose_scale(&j.recipe, &random, &near));
    judge(&j);
    judge_known(&j);
    judge_served(&j);
    counts->tighter += j.tighter;
    counts->served += j.served;
    counts->sets++;
    counts->shapes[shape]++;
    counts->near += near;
    counts->accepted += j.verdict == TAKT_ANALYSIS_FEASIBLE;
    counts->refused += j.verdict == TAKT_ANALYSIS_INFEASIBLE;
    counts->undecided += j.verdict == TAKT_ANALYSIS_UNDECIDED;

    horizon = j.recipe.hyperperiod * (features & GEN_BURST ? 3 : 1); /* with bursts a busy period may be longer */
    sim = (struct sim){.tie_loser = -1, .uninterrupted = -1, .stop_at_idle = exact};
    gen_pattern(&sim, &j.recipe, &j.system, horizon, NULL, 0, NULL);
    observe(&j, &sim, &result, counts);
    if (exact) {
        check_exact(&j, &result);
    }
    sim.stop_at_idle = false;
    for (int i = 0; i < PATTERNS; i++) {
        sim.tie_loser = (int)gen_between(&random, -1, j.recipe.task_count - 1);
        gen_pattern(&sim, &j.recipe, &j.system, horizon / 2, &random, i % 2 ? 60 : horizon / 10, NULL);
        for (int k = 0; i % 4 > 1 && k < j.recipe.task_count; k++) {
            sim.tasks[k].arrival = sim.tasks[k].release; /* deadlines and responses may count from there too */
        }
        observe(&j, &sim, &result, counts);
    }
    if (features & GEN_TINY) {
        check_all_offsets(&j, &sim, counts);
    }
    for (int i = 0; i < j.recipe.task_count; i++) {
        counts->bounds += j.bounded[i];
        counts->reached += j.bounded[i] && (uint64_t)j.observed[i] == j.bound[i];
    }
}

/* Any one to three of the features that leave the analysis sound but not exact. */
static int some_features(uint64_t number)
{
    static const int all[] = {GEN_JITTER, GEN_INTERRUPT, GEN_RELEASE_COST,  GEN_LOCK,
                              GEN_MUTEX,  GEN_EQUALS,    GEN_LONG_DEADLINE, GEN_MUTEX | GEN_BACKGROUND};
    struct gen_random random = {number};

    return all[gen_next(&random) % 8] | all[gen_next(&random) % 8] | (gen_next(&random) % 2 ? GEN_MUTEX : 0);
}

/* The same with one or two of the features that came later, of all of them. */
static int any_features(uint64_t number)
{
    static const int all[] = {GEN_WAIT, GEN_CEILING, GEN_OFFSET, GEN_BURST};
    struct gen_random random = {~number};

    return some_features(number) | all[gen_next(&random) % 4] | all[gen_next(&random) % 4] |
           (number / GEN_SHAPES % 3 == 0 ? GEN_SERVER : 0) | (number / GEN_SHAPES % 4 == 2 ? GEN_FIFO : 0) |
           (number / GEN_SHAPES % 4 == 3 ? GEN_MIXED : 0);
}

int main(int argc, char **argv)
{
    struct counts counts = {0};
    const char *mode = argc > 3 ? argv[1] : "";
    long sets = argc > 3 ? atol(argv[2]) : 0, shape_min;
    uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;

    for (long i = 0; i < sets; i++) {
        int features = argc > 4 ? atoi(argv[4]) : 0, shape;

        seed = first + (uint64_t)i;
        shape = (int)(seed % GEN_SHAPES);
        if (!strcmp(mode, "exact")) {
            one_set(shape, features, true, &counts);
        } else if (!strcmp(mode, "tiny")) {
            one_set(shape % 14, GEN_TINY, true, &counts); /* lists of one to three bands */
        } else if (!strcmp(mode, "phases")) {
            one_set(shape % 14, GEN_TINY | GEN_OFFSET, false, &counts);
        } else if (!strcmp(mode, "sound")) {
            one_set(shape, features ? features : some_features(seed), false, &counts);
        } else if (!strcmp(mode, "every")) {
            one_set(shape, any_features(seed), false, &counts);
        } else if (!strcmp(mode, "cooperative")) {
            one_set(0, GEN_COOPERATIVE | features | (some_features(seed) & ~GEN_MUTEX), false, &counts);
        } else {
            return 2;
        }
    }
    shape_min = counts.shapes[0];
    for (int i = 0; i < GEN_SHAPES; i++) {
        shape_min = counts.shapes[i] < shape_min ? counts.shapes[i] : shape_min;
    }
    printf("{\"sets\": %ld, \"accepted\": %ld, \"refused\": %ld, \"undecided\": %ld, \"near\": %ld, \"runs\": %ld, "
           "\"bounds\": %ld, \"reached\": %ld, \"tighter\": %ld, \"served\": %ld, \"shape_min\": %ld}\n",
           counts.sets, counts.accepted, counts.refused, counts.undecided, counts.near, counts.runs, counts.bounds,
           counts.reached, counts.tighter, counts.served, shape_min);
    return 0;
}
