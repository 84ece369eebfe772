/* SPDX-License-Identifier: Apache-2.0 */
/* Response times in fixed levels with known offsets: Tindell 1994; Palencia and Gonzalez Harbour, RTSS 1998.
 *
 * Tasks of a group have one period, and arrive at fixed distances from each other. The longest busy period of a level
 * begins, for some task of each group (its candidate), with the release of a job of that task after its greatest
 * jitter. All combinations of candidates are tried. If they are too many, only those of the task's own group are, and
 * every other group claims the most that any of its candidates would: a sound bound.
 */
#include "internal.h"

#define TAKTA_COMBINATIONS_MAX 4096

struct takta_phased {
    const struct takt_analysis_set *set;
    const struct takt_analysis_phase *phases;
    size_t *candidates; /* of each group, at the index of its first task */
    size_t task;        /* under analysis */
    size_t above;       /* tasks[0 .. above) go before it */
    bool each;          /* groups other than its own claim by their candidates; if not, the most of all candidates */
    uint32_t iterations;
};

/* The first task of the group of tasks[index]. */
static size_t takta_group(const struct takta_phased *p, size_t index)
{
    return p->phases[index].group;
}

static bool takta_in_group(const struct takta_phased *p, size_t index, size_t first)
{
    return p->set->tasks[index].period_ns != 0 && p->phases[index].group == first;
}

/* Execution of each job of tasks[index] that delays the task under analysis, whose own is not counted here. */
static uint64_t takta_delays(const struct takta_phased *p, size_t index)
{
    const struct takt_analysis_task *task = &p->set->tasks[index];

    return task->release_cost_ns + (index < p->above && index != p->task ? task->wcet_ns : 0);
}

/* True if a busy period of the level can begin with a job of tasks[index]. */
static bool takta_begins(const struct takta_phased *p, size_t index)
{
    return index == p->task || takta_delays(p, index) != 0;
}

/* First arrival of tasks[index] at or after the start of the busy period, at which its group's candidate is released
 * after its greatest jitter. */
static uint64_t takta_first_arrival(const struct takta_phased *p, size_t index, size_t candidate)
{
    uint64_t period = p->set->tasks[index].period_ns;
    uint64_t before = p->set->tasks[candidate].jitter_ns % period + p->phases[candidate].offset_ns % period;

    return (p->phases[index].offset_ns % period + 2 * period - before) % period;
}

/* Jobs of tasks[index] that arrived before the start and are released in the busy period. */
static uint64_t takta_late_jobs(const struct takta_phased *p, size_t index, uint64_t first_ns)
{
    const struct takt_analysis_task *task = &p->set->tasks[index];

    return (task->jitter_ns + first_ns) / task->period_ns;
}

/* What a group claims of the first window_ns > 0 of the busy period. */
static uint64_t takta_group_claim(const struct takta_phased *p, size_t group, size_t candidate, uint64_t window_ns)
{
    uint64_t sum = 0;

    for (size_t i = group; i < p->set->task_count; i++) {
        if (takta_in_group(p, i, group)) {
            uint64_t first = takta_first_arrival(p, i, candidate), jobs = takta_late_jobs(p, i, first);

            jobs += window_ns > first ? (window_ns - 1 - first) / p->set->tasks[i].period_ns + 1 : 0;
            jobs += p->set->tasks[i].burst_more;
            sum = takt_add(sum, takt_multiply(jobs, takta_delays(p, i)));
        }
    }
    return sum;
}

/* The most that a group claims, whichever task is its candidate. */
static uint64_t takta_group_most(const struct takta_phased *p, size_t group, uint64_t window_ns)
{
    uint64_t most = 0;

    for (size_t i = group; i < p->set->task_count; i++) {
        if (takta_in_group(p, i, group) && takta_begins(p, i)) {
            uint64_t claim = takta_group_claim(p, group, i, window_ns);

            most = most < claim ? claim : most;
        }
    }
    return most;
}

static uint64_t takta_phased_interference(const struct takta_phased *p, uint64_t window_ns)
{
    const struct takta_run interrupts = {.set = p->set, .except = TAKTA_NO_TASK};
    uint64_t sum = takta_interference(&interrupts, window_ns);
    size_t own = takta_group(p, p->task);

    for (size_t i = 0; i < p->set->task_count && p->set->tasks[i].period_ns != 0; i++) {
        if (takta_group(p, i) == i) {
            sum = takt_add(sum, p->each || i == own ? takta_group_claim(p, i, p->candidates[i], window_ns)
                                                    : takta_group_most(p, i, window_ns));
        }
    }
    return sum;
}

/* Least time = own_ns + interference(time), searched from *time_ns > 0. */
static enum takta_answer takta_phased_settle(struct takta_phased *p, uint64_t own_ns, uint64_t *time_ns)
{
    uint64_t next = *time_ns;

    do {
        *time_ns = next;
        if (*time_ns > TAKTA_HORIZON_NS) {
            return TAKTA_OVERFLOW;
        }
        if (p->iterations == 0 || !takta_spend(p->set, p->set->task_count)) {
            return TAKTA_LIMIT;
        }
        p->iterations--;
        next = takt_add(own_ns, takta_phased_interference(p, *time_ns));
    } while (next > *time_ns);
    *time_ns = next;
    return TAKTA_FOUND;
}

/* Longest response of the task's jobs in the busy period of the candidates, if it is longer than *worst_ns. */
static enum takta_answer takta_phased_worst(struct takta_phased *p, uint64_t *worst_ns)
{
    const struct takt_analysis_task *self = &p->set->tasks[p->task];
    uint64_t first = takta_first_arrival(p, p->task, p->candidates[takta_group(p, p->task)]);
    uint64_t late = takta_late_jobs(p, p->task, first), own = takta_blocking(p->set, self), done = 1;

    enum takta_answer answer = late == 0 ? takta_phased_settle(p, own, &done) : TAKTA_FOUND;

    for (uint64_t job = 0; answer == TAKTA_FOUND; job++) { /* it arrives at first + (job - late) periods */
        uint64_t ahead = job < late ? takt_multiply(late - job, self->period_ns) : 0;
        uint64_t after = job < late ? 0 : takt_multiply(job - late, self->period_ns);
        uint64_t arrival = takt_add(first, after), response; /* if not `ahead` */

        if (job >= late && arrival > 0 && done <= arrival) {
            return TAKTA_FOUND; /* the busy period is over */
        }
        own = takt_add(own, self->wcet_ns);
        done = done == 0 ? 1 : done;
        answer = takta_phased_settle(p, own, &done);
        response = takt_subtract(takt_add(done, ahead), arrival);
        if (answer == TAKTA_FOUND && *worst_ns < response) {
            *worst_ns = response;
        }
    }
    return answer;
}

/* The next candidate of a group, in a circle. True if the circle is closed. */
static bool takta_next_candidate(const struct takta_phased *p, size_t group)
{
    size_t *candidate = &p->candidates[group];

    do {
        (*candidate)++;
        if (*candidate == p->set->task_count) {
            *candidate = group;
        }
    } while (!takta_in_group(p, *candidate, group) || !(takta_begins(p, *candidate) || *candidate == group));
    return *candidate == group;
}

/* The next combination of candidates. False: all were tried. */
static bool takta_next_combination(const struct takta_phased *p)
{
    size_t own = takta_group(p, p->task);

    for (size_t i = 0; i < p->set->task_count && p->set->tasks[i].period_ns != 0; i++) {
        if (takta_group(p, i) == i && (p->each || i == own) && !takta_next_candidate(p, i)) {
            return true;
        }
    }
    return false;
}

/* How many combinations there are, if not too many. */
static uint64_t takta_combinations(const struct takta_phased *p)
{
    uint64_t product = 1;

    for (size_t i = 0; i < p->set->task_count && p->set->tasks[i].period_ns != 0; i++) {
        uint64_t count = 0;

        for (size_t k = i; takta_group(p, i) == i && k < p->set->task_count; k++) {
            count += takta_in_group(p, k, i) && (takta_begins(p, k) || k == i);
        }
        product = count == 0 ? product : takt_multiply(product, count);
    }
    return product;
}

static enum takt_analysis_status takta_phased_bound(struct takta_phased *p, uint64_t *response_ns)
{
    enum takta_answer answer;

    p->each = takta_combinations(p) <= TAKTA_COMBINATIONS_MAX;
    for (size_t i = 0; i < p->set->task_count; i++) {
        p->candidates[i] = i;
    }
    *response_ns = 0;
    do {
        answer = takta_phased_worst(p, response_ns);
    } while (answer == TAKTA_FOUND && takta_next_combination(p));
    if (answer != TAKTA_FOUND) {
        return answer == TAKTA_LIMIT ? TAKT_ANALYSIS_LIMIT : TAKT_ANALYSIS_OVERFLOW;
    }
    return *response_ns < TAKTA_HORIZON_NS ? TAKT_ANALYSIS_OK : TAKT_ANALYSIS_OVERFLOW;
}

static bool takta_phases_valid(const struct takt_analysis_set *set, const struct takt_analysis_phase *phases)
{
    for (size_t i = 0; i < set->task_count; i++) {
        size_t first = phases[i].group;

        if (first > i || phases[first].group != first || set->tasks[i].period_ns != set->tasks[first].period_ns) {
            return false;
        }
    }
    return true;
}

enum takt_analysis_status takt_analysis_phased(const struct takt_analysis_set *set,
                                               const struct takt_analysis_phase *phases, size_t *candidates,
                                               uint64_t *responses_ns, enum takt_analysis_status *statuses)
{
    struct takta_level level = {0, 0};
    size_t recurring;

    if (!takta_phases_valid(set, phases) || takt_analysis_responses(set, responses_ns, statuses) != TAKT_ANALYSIS_OK) {
        return TAKT_ANALYSIS_INVALID;
    }
    recurring = takta_recurring(set);
    for (size_t i = 0; i < recurring; i++) {
        level = i < level.end ? level : takta_level_at(set, i);
        bool periodic = set->tasks[i].burst_more == 0 && !set->cooperative;

        if (!periodic || set->tasks[i].order != TAKT_ANALYSIS_EQUAL || takta_crowded(set, level.end)) {
            continue;
        }
        struct takta_phased p = {set, phases, candidates, i, level.end, false, set->iterations};
        uint64_t response;

        if (takta_phased_bound(&p, &response) == TAKT_ANALYSIS_OK &&
            (statuses[i] != TAKT_ANALYSIS_OK || response < responses_ns[i])) {
            statuses[i] = TAKT_ANALYSIS_OK;
            responses_ns[i] = response;
        }
    }
    return TAKT_ANALYSIS_OK;
}
