/* SPDX-License-Identifier: Apache-2.0 */
/* Random input of every kind to the C interface, most of it absurd: huge times, empty levels, few iterations, broken
 * rules. For the sanitizers, and for what must hold of any answer:
 *
 * - a broken rule is INVALID, and nothing else is;
 * - an answer that was found within few iterations is that of many;
 * - a task that is called feasible has no bound beyond its deadline; every bound fits into 63 bits;
 * - the same in other units: with all times multiplied by 2^k, verdicts are the same and bounds 2^k times as long.
 *
 * wild SETS SEED; prints counts as JSON. The first fault is printed with its seed, and `wild 1 SEED` replays it;
 * exit 1.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"
#include "takt/analysis.h"

#define TASKS 6
#define INTERRUPTS 2
#define HOLDS 6
#define MUTEXES 3
#define MANY 2000

struct input {
    struct takt_analysis_task tasks[TASKS];
    struct takt_analysis_interrupt interrupts[INTERRUPTS];
    struct takt_analysis_hold holds[HOLDS];
    struct takt_analysis_set set;
    size_t hold_count;
    bool broken, broken_holds;
};

struct answer {
    enum takt_analysis_status status;
    enum takt_analysis_verdict verdict, verdicts[TASKS];
    enum takt_analysis_status statuses[TASKS];
    uint64_t bounds[TASKS];
};

static struct counts {
    long sets, invalid, feasible, undecided, infeasible, bounds, limits, unbounded, overflows, scaled, shorter;
} counts;

static uint64_t seed;
static struct gen_random chance;

static bool percent(int of)
{
    return gen_between(&chance, 0, 99) < of;
}

static void fail(const char *what)
{
    fprintf(stderr, "seed %" PRIu64 ": %s\n", seed, what);
    exit(1);
}

/* A time up to 2^bits, often next to a power of two. */
static uint64_t wild_time(int bits)
{
    uint64_t limit = UINT64_C(1) << bits, power = UINT64_C(1) << gen_between(&chance, 0, bits), value;

    switch (gen_between(&chance, 0, 5)) {
    case 0:
        return (uint64_t)gen_between(&chance, 0, 20);
    case 1:
        value = power - 1;
        break;
    case 2:
        value = power;
        break;
    case 3:
        value = power + 1;
        break;
    default:
        value = gen_next(&chance) % power + 1;
        break;
    }
    return value > limit ? limit : value;
}

static uint64_t positive(int bits)
{
    uint64_t value = wild_time(bits);

    return value == 0 ? 1 : value;
}

static void wild_task(struct takt_analysis_task *task, int bits, bool recurs)
{
    *task = (struct takt_analysis_task){.wcet_ns = wild_time(bits)};
    task->release_cost_ns = percent(30) ? wild_time(bits) : 0;
    task->blocking_ns = percent(30) ? wild_time(bits) : 0;
    if (!recurs) {
        return;
    }
    task->period_ns = positive(bits);
    task->deadline_ns = percent(40) ? task->period_ns : positive(bits);
    task->jitter_ns = percent(30) ? gen_next(&chance) % task->deadline_ns : percent(2) ? task->deadline_ns : 0;
    if (percent(25)) {
        task->burst_more = (uint32_t)gen_between(&chance, 1, percent(95) ? 4 : UINT32_MAX);
        task->distance_ns = percent(50) ? 0 : gen_next(&chance) % (task->period_ns + 1);
    }
    if (percent(70)) { /* what is hopeless tests little */
        task->wcet_ns = gen_next(&chance) % (task->period_ns / 4 + 1);
        task->release_cost_ns = task->release_cost_ns % (task->period_ns / 50 + 1);
        task->blocking_ns = task->blocking_ns % (task->deadline_ns / 4 + 1);
    }
}

static void wild_input(struct input *input, int bits)
{
    int tasks = (int)gen_between(&chance, 0, TASKS),
        first = tasks - (percent(30) ? (int)gen_between(&chance, 0, 2) : 0);
    uint16_t level = 0, order = TAKT_ANALYSIS_EQUAL;

    *input = (struct input){.set = {.tasks = input->tasks, .interrupts = input->interrupts}};
    input->set.task_count = (size_t)tasks;
    input->set.interrupt_count = (size_t)(percent(30) ? gen_between(&chance, 0, INTERRUPTS) : 0);
    input->set.lock_ns = percent(30) ? wild_time(bits) >> 8 : 0;
    input->set.cooperative = percent(15);
    input->set.cycle_jobs = percent(50) ? 0 : (uint32_t)gen_between(&chance, 1, 2000);
    for (int i = 0; i < tasks; i++) {
        wild_task(&input->tasks[i], bits, i < first);
        if (i == 0 || i == first || percent(50)) {
            level = (uint16_t)(level + (i > 0 ? 1 + (percent(2) ? 30000 / TASKS : 0) : 0));
            order = percent(50) && !input->set.cooperative && i < first ? TAKT_ANALYSIS_DEADLINE : TAKT_ANALYSIS_EQUAL;
        }
        input->tasks[i].level = level;
        input->tasks[i].order = order;
    }
    for (size_t i = 0; i < input->set.interrupt_count; i++) {
        input->interrupts[i].min_interarrival_ns = positive(bits);
        input->interrupts[i].wcet_ns = gen_next(&chance) % (input->interrupts[i].min_interarrival_ns / 8 + 1);
    }
    input->hold_count = tasks > 0 ? (size_t)gen_between(&chance, 0, HOLDS) : 0;
    for (size_t i = 0; i < input->hold_count; i++) {
        uint32_t task = (uint32_t)gen_between(&chance, 0, tasks - 1);

        input->holds[i].task = task;
        input->holds[i].alone = percent(40);
        input->holds[i].nested = percent(30);
        input->holds[i].locks = (uint32_t)gen_between(&chance, 0, 3);
        input->holds[i].mutex = (uint32_t)gen_between(&chance, 0, MUTEXES - 1);
        input->holds[i].hold_ns = gen_next(&chance) % (input->tasks[task].wcet_ns + 1);
    }
}

static void break_task(struct takt_analysis_task *task, bool recurs)
{
    uint64_t much = TAKT_ANALYSIS_TIME_MAX_NS + 1 + gen_next(&chance) % (UINT64_MAX - TAKT_ANALYSIS_TIME_MAX_NS);

    switch (gen_between(&chance, 0, recurs ? 7 : 3)) {
    case 0:
        task->wcet_ns = much;
        break;
    case 1:
        task->release_cost_ns = much;
        break;
    case 2:
        task->blocking_ns = much;
        break;
    case 3:
        task->order = (uint16_t)gen_between(&chance, 2, UINT16_MAX);
        break;
    case 4:
        task->deadline_ns = much;
        break;
    case 5:
        task->period_ns = much;
        break;
    case 6:
        task->distance_ns = task->period_ns + 1;
        break;
    default:
        task->jitter_ns = much;
        break;
    }
}

/* Break one rule of the header. */
static void break_rule(struct input *input)
{
    size_t count = input->set.task_count, i = count > 0 ? gen_next(&chance) % count : 0;

    input->broken = true;
    if (input->set.interrupt_count > 0 && percent(30)) {
        input->interrupts[0].min_interarrival_ns = percent(50) ? 0 : TAKT_ANALYSIS_TIME_MAX_NS + 1;
    } else if (count == 0 || percent(10)) {
        input->set.lock_ns = UINT64_MAX - gen_next(&chance) % 5;
    } else if (i > 0 && input->tasks[i - 1].level > 0 && percent(30)) {
        input->tasks[i].level = (uint16_t)(input->tasks[i - 1].level - 1);
    } else if (i > 0 && input->tasks[i].level == input->tasks[i - 1].level && percent(30)) {
        input->tasks[i].order ^= 1;
    } else {
        break_task(&input->tasks[i], input->tasks[i].period_ns != 0);
    }
}

static struct answer ask(const struct input *input, uint32_t iterations)
{
    struct takt_analysis_set set = input->set;
    struct answer answer = {0};
    enum takt_analysis_verdict quick;
    struct takt_analysis_reason reason;

    set.tasks = input->tasks;
    set.interrupts = input->interrupts;
    set.iterations = iterations;
    answer.status = takt_analysis_feasible(&set, &answer.verdict, answer.verdicts, &reason);
    if (takt_analysis_feasible(&set, &quick, NULL, NULL) != answer.status ||
        takt_analysis_responses(&set, answer.bounds, answer.statuses) != answer.status) {
        fail("the functions differ over what is valid");
    }
    if (answer.status == TAKT_ANALYSIS_OK) {
        enum takt_analysis_verdict part = TAKT_ANALYSIS_UNDECIDED;
        size_t failing;

        if (takt_analysis_part(&set, 0, set.task_count, &part, &failing) != TAKT_ANALYSIS_OK ||
            (part == TAKT_ANALYSIS_FEASIBLE) != (answer.verdict == TAKT_ANALYSIS_FEASIBLE) ||
            (quick == TAKT_ANALYSIS_FEASIBLE) != (answer.verdict == TAKT_ANALYSIS_FEASIBLE)) {
            fail("the whole and its parts differ");
        }
    }
    return answer;
}

static void check_one(const struct input *input, const struct answer *answer)
{
    enum takt_analysis_verdict worst = TAKT_ANALYSIS_FEASIBLE;

    for (size_t i = 0; i < input->set.task_count; i++) {
        bool bounded = answer->statuses[i] == TAKT_ANALYSIS_OK;

        counts.bounds += bounded;
        counts.limits += answer->statuses[i] == TAKT_ANALYSIS_LIMIT;
        counts.unbounded += answer->statuses[i] == TAKT_ANALYSIS_UNBOUNDED;
        counts.overflows += answer->statuses[i] == TAKT_ANALYSIS_OVERFLOW;
        worst = worst < answer->verdicts[i] ? answer->verdicts[i] : worst;
        if (bounded && answer->verdicts[i] == TAKT_ANALYSIS_FEASIBLE &&
            answer->bounds[i] > input->tasks[i].deadline_ns) {
            fail("a feasible task's bound exceeds its deadline");
        }
        if (bounded && answer->bounds[i] >> 63 != 0) {
            fail("a bound does not fit into 63 bits");
        }
    }
    if (worst != answer->verdict) {
        fail("the system's verdict is not that of its worst task");
    }
}

/* Waits that are known: no bound is longer or lost for that, more waits than execution are refused. */
static void check_suspended(const struct input *input, const struct answer *plain)
{
    struct takt_analysis_set set = input->set;
    struct takt_analysis_task tasks[TASKS];
    uint64_t suspensions[TASKS], jitters[TASKS], tried[TASKS], bounds[TASKS];
    enum takt_analysis_status statuses[TASKS], others[TASKS];
    const struct takt_analysis_work work = {tasks, jitters, tried, others};

    set.tasks = input->tasks;
    set.interrupts = input->interrupts;
    set.iterations = MANY;
    for (size_t i = 0; i < set.task_count; i++) {
        suspensions[i] = percent(50) ? gen_next(&chance) % (input->tasks[i].wcet_ns + 1) : 0;
    }
    if (takt_analysis_suspended(&set, suspensions, &work, bounds, statuses) != plain->status) {
        fail("what is valid depends on waits");
    }
    for (size_t i = 0; i < set.task_count; i++) {
        if (plain->statuses[i] == TAKT_ANALYSIS_OK && statuses[i] != TAKT_ANALYSIS_LIMIT &&
            (statuses[i] != TAKT_ANALYSIS_OK || bounds[i] > plain->bounds[i])) {
            fail("known waits make a bound longer");
        }
        counts.shorter +=
            statuses[i] == TAKT_ANALYSIS_OK && (plain->statuses[i] != TAKT_ANALYSIS_OK || bounds[i] < plain->bounds[i]);
    }
    if (set.task_count > 0) {
        suspensions[0] = input->tasks[0].wcet_ns + 1;
        if (takt_analysis_suspended(&set, suspensions, &work, bounds, statuses) != TAKT_ANALYSIS_INVALID) {
            fail("more waits than time are accepted");
        }
    }
}

/* Offsets in random groups, some of which are broken. */
static void check_phased(const struct input *input, const struct answer *plain)
{
    struct takt_analysis_set set = input->set;
    struct takt_analysis_phase phases[TASKS];
    size_t candidates[TASKS];
    uint64_t bounds[TASKS];
    enum takt_analysis_status statuses[TASKS];
    bool broken = false;

    set.tasks = input->tasks;
    set.interrupts = input->interrupts;
    set.iterations = MANY;
    for (size_t i = 0; i < set.task_count; i++) {
        size_t first = i;

        for (size_t k = 0; k < i && first == i && percent(70); k++) {
            first = input->tasks[k].period_ns == input->tasks[i].period_ns ? phases[k].group : i;
        }
        first = percent(2) ? gen_next(&chance) % TASKS : first;
        phases[i] = (struct takt_analysis_phase){wild_time(62), (uint32_t)first};
        broken |=
            first > i || phases[first].group != first || input->tasks[first].period_ns != input->tasks[i].period_ns;
    }
    if ((takt_analysis_phased(&set, phases, candidates, bounds, statuses) == TAKT_ANALYSIS_INVALID) != broken) {
        fail("groups are taken that are not valid, or the reverse");
    }
    for (size_t i = 0; !broken && i < set.task_count; i++) {
        if (plain->statuses[i] == TAKT_ANALYSIS_OK &&
            (statuses[i] != TAKT_ANALYSIS_OK || bounds[i] > plain->bounds[i])) {
            fail("offsets make a bound longer");
        }
    }
}

static void check_fewer(const struct input *input, const struct answer *many)
{
    static const uint32_t numbers[] = {0, 1, 2, 5, 20, 100};
    struct answer few = ask(input, numbers[gen_between(&chance, 0, 5)]);

    for (size_t i = 0; i < input->set.task_count; i++) {
        if (few.verdicts[i] != TAKT_ANALYSIS_UNDECIDED && few.verdicts[i] != many->verdicts[i]) {
            fail("a verdict changed with more iterations");
        }
        if (few.statuses[i] == TAKT_ANALYSIS_OK &&
            (many->statuses[i] != TAKT_ANALYSIS_OK || few.bounds[i] != many->bounds[i])) {
            fail("a bound changed with more iterations");
        }
    }
}

static void scale_up(struct input *input, int k)
{
    for (int i = 0; i < TASKS; i++) {
        struct takt_analysis_task *task = &input->tasks[i];

        task->wcet_ns <<= k;
        task->period_ns <<= k;
        task->deadline_ns <<= k;
        task->jitter_ns <<= k;
        task->release_cost_ns <<= k;
        task->blocking_ns <<= k;
        task->distance_ns <<= k;
    }
    for (int i = 0; i < INTERRUPTS; i++) {
        input->interrupts[i].wcet_ns <<= k;
        input->interrupts[i].min_interarrival_ns <<= k;
    }
    input->set.lock_ns <<= k;
}

/* Not for cooperative jobs, where an arrival at the start counts: there the unit matters. */
static void check_scaled(const struct input *input, const struct answer *plain, int k)
{
    struct input other = *input;
    struct answer scaled;

    scale_up(&other, k);
    scaled = ask(&other, MANY);
    counts.scaled++;
    for (size_t i = 0; i < input->set.task_count; i++) {
        bool decided = plain->verdicts[i] != TAKT_ANALYSIS_UNDECIDED && scaled.verdicts[i] != TAKT_ANALYSIS_UNDECIDED;

        if (decided && plain->verdicts[i] != scaled.verdicts[i]) {
            fail("a verdict depends on the unit");
        }
        if (plain->statuses[i] == TAKT_ANALYSIS_OK && scaled.statuses[i] == TAKT_ANALYSIS_OK &&
            plain->bounds[i] << k != scaled.bounds[i]) {
            fail("a bound depends on the unit");
        }
    }
}

static void check_blocking(struct input *input)
{
    struct takt_analysis_mutex mutexes[MUTEXES];
    struct takt_analysis_user users[TASKS];
    uint64_t blocking[TASKS], longest = 0;
    bool wrong = input->hold_count > 0 && percent(10);
    enum takt_analysis_status status;

    if (wrong) {
        struct takt_analysis_hold *hold = &input->holds[gen_next(&chance) % input->hold_count];

        *(percent(50) ? &hold->mutex : &hold->task) = (uint32_t)gen_between(&chance, TASKS, UINT32_MAX);
    }
    input->set.tasks = input->tasks;
    input->set.interrupts = input->interrupts;
    status = takt_analysis_blocking(&input->set, input->holds, input->hold_count, mutexes, MUTEXES, users, blocking);
    if ((status == TAKT_ANALYSIS_INVALID) != (input->broken || wrong)) {
        fail("holds are taken that are not valid, or the reverse");
    }
    for (size_t i = 0; i < input->hold_count; i++) {
        longest += input->holds[i].hold_ns / HOLDS; /* at most 2^62 / HOLDS each */
    }
    for (size_t i = 0; status == TAKT_ANALYSIS_OK && i < input->set.task_count; i++) {
        if (blocking[i] / HOLDS > longest + HOLDS) {
            fail("blocking is longer than all sections together");
        }
    }
}

static void one_set(void)
{
    struct input input;
    bool moderate = percent(40);
    struct answer many;

    wild_input(&input, moderate ? 20 : 62);
    if (percent(10)) {
        break_rule(&input);
    }
    many = ask(&input, MANY);
    counts.sets++;
    counts.invalid += many.status == TAKT_ANALYSIS_INVALID;
    if ((many.status == TAKT_ANALYSIS_INVALID) != input.broken) {
        fail("a broken rule is accepted, or the reverse");
    }
    check_blocking(&input);
    if (many.status != TAKT_ANALYSIS_OK) {
        return;
    }
    counts.feasible += many.verdict == TAKT_ANALYSIS_FEASIBLE;
    counts.undecided += many.verdict == TAKT_ANALYSIS_UNDECIDED;
    counts.infeasible += many.verdict == TAKT_ANALYSIS_INFEASIBLE;
    check_one(&input, &many);
    check_fewer(&input, &many);
    check_suspended(&input, &many);
    check_phased(&input, &many);
    if (moderate && !input.set.cooperative) {
        check_scaled(&input, &many, (int)gen_between(&chance, 1, 42));
    }
}

int main(int argc, char **argv)
{
    long sets = argc == 3 ? atol(argv[1]) : 0;
    uint64_t first = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;

    for (long i = 0; i < sets; i++) {
        seed = first + (uint64_t)i;
        chance = (struct gen_random){seed};
        one_set();
    }
    printf("{\"sets\": %ld, \"invalid\": %ld, \"feasible\": %ld, \"undecided\": %ld, \"infeasible\": %ld, "
           "\"bounds\": %ld, \"limits\": %ld, \"unbounded\": %ld, \"overflows\": %ld, \"scaled\": %ld, "
           "\"shorter\": %ld}\n",
           counts.sets, counts.invalid, counts.feasible, counts.undecided, counts.infeasible, counts.bounds,
           counts.limits, counts.unbounded, counts.overflows, counts.scaled, counts.shorter);
    return 0;
}
