/* SPDX-License-Identifier: Apache-2.0 */
/* Interference of higher levels, searches for fixed points of it, and bounds of utilizations. */
#include "internal.h"

struct takta_run takta_run_init(const struct takt_analysis_set *set, size_t above)
{
    struct takta_run run = {.set = set, .above = above, .except = TAKTA_NO_TASK, .iterations = set->iterations};

    run.visited = set->task_count;
    while (run.visited > above &&
           (set->tasks[run.visited - 1].release_cost_ns == 0 || set->tasks[run.visited - 1].period_ns == 0)) {
        run.visited--;
    }
    return run;
}

/* Time by which each job of tasks[index] delays the analysed task. */
static uint64_t takta_cost(const struct takta_run *run, size_t index)
{
    const struct takt_analysis_task *task = &run->set->tasks[index];
    bool interferes = index < run->above && index != run->except;

    return interferes ? task->wcet_ns + task->release_cost_ns : task->release_cost_ns;
}

uint64_t takta_interference(const struct takta_run *run, uint64_t window_ns)
{
    const struct takt_analysis_set *set = run->set;
    size_t whole =
        run->except < run->above ? run->except : run->above; /* tasks[0 .. whole) interfere with all executions */
    uint64_t last = window_ns - 1, sum = 0;

    for (size_t i = 0; i < whole; i++) {
        const struct takt_analysis_task *task = &set->tasks[i];
        uint64_t count = takta_arrivals(task, last + task->jitter_ns);

        sum = takt_add(sum, takt_multiply(count, task->wcet_ns + task->release_cost_ns));
    }
    for (size_t i = whole; i < run->visited; i++) {
        const struct takt_analysis_task *task = &set->tasks[i];
        uint64_t cost = takta_cost(run, i);

        if (cost != 0) {
            sum = takt_add(sum, takt_multiply(takta_arrivals(task, last + task->jitter_ns), cost));
        }
    }
    for (size_t i = 0; i < set->interrupt_count; i++) {
        uint64_t count = takta_quotient(last, set->interrupts[i].min_interarrival_ns) + 1;

        sum = takt_add(sum, takt_multiply(count, set->interrupts[i].wcet_ns));
    }
    return sum;
}

enum takta_answer takta_settle(struct takta_run *run, uint64_t own_ns, uint64_t ceiling_ns, uint64_t *time_ns)
{
    uint64_t time = *time_ns, next = time;

    do {
        time = next;
        if (time > ceiling_ns) {
            return TAKTA_BEYOND;
        }
        if (time > TAKTA_HORIZON_NS) {
            return TAKTA_OVERFLOW;
        }
        if (run->iterations == 0 || !takta_spend(run->set, run->visited + 1)) {
            return TAKTA_LIMIT;
        }
        run->iterations--;
        next = takt_add(own_ns, takta_interference(run, time));
    } while (next > time);
    *time_ns = next; /* below `time` only if that was 1 and nothing interferes */
    return TAKTA_FOUND;
}

uint64_t takta_utilization_add(struct takta_utilization *sum, uint64_t cost_ns, uint64_t period_ns)
{
    bool exact = true;
    uint64_t low, high;

    if (cost_ns < TAKT_RATIO_ONE) { /* the same with one division */
        low = (cost_ns << 32) / period_ns;
        exact = low * period_ns == cost_ns << 32;
    } else {
        low = takt_ratio_down(cost_ns, period_ns, &exact);
    }
    high = takt_add(low, exact ? 0 : 1);

    sum->low = takt_add(sum->low, low);
    sum->high = takt_add(sum->high, high);
    return high;
}

bool takta_utilization_exceeds_one(const struct takta_utilization *sum)
{
    return sum->low > TAKT_RATIO_ONE || (sum->low == TAKT_RATIO_ONE && sum->high > TAKT_RATIO_ONE);
}

static uint64_t takta_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) { /* at most 92 times */
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* The least common multiple, saturating. */
static uint64_t takta_multiple(uint64_t a, uint64_t b)
{
    return takt_multiply(a / takta_divisor(a, b), b);
}

bool takta_cycle_of(const struct takta_run *run, struct takta_cycle *cycle)
{
    const struct takt_analysis_set *set = run->set;
    uint64_t length = 1, jobs = 0, load = 0;

    for (size_t i = 0; i < run->visited && set->cycle_jobs > 0 && length < TAKT_ANALYSIS_TIME_MAX_NS; i++) {
        length = takta_cost(run, i) == 0 ? length : takta_multiple(length, set->tasks[i].period_ns);
    }
    for (size_t i = 0; i < set->interrupt_count && set->cycle_jobs > 0 && length < TAKT_ANALYSIS_TIME_MAX_NS; i++) {
        length = takta_multiple(length, set->interrupts[i].min_interarrival_ns);
    }
    if (set->cycle_jobs == 0 || length > TAKT_ANALYSIS_TIME_MAX_NS / 4) {
        return false;
    }
    for (size_t i = 0; i < run->visited; i++) {
        uint64_t cost = takta_cost(run, i), count = cost == 0 ? 0 : length / set->tasks[i].period_ns;

        if (cost > 0 && set->tasks[i].burst_more > 0 && set->tasks[i].distance_ns > 0) {
            return false; /* the first cycle has fewer arrivals */
        }
        jobs = takt_add(jobs, count);
        load = takt_add(load, takt_multiply(count, cost));
    }
    for (size_t i = 0; i < set->interrupt_count; i++) {
        uint64_t count = length / set->interrupts[i].min_interarrival_ns;

        jobs = takt_add(jobs, count);
        load = takt_add(load, takt_multiply(count, set->interrupts[i].wcet_ns));
    }
    *cycle = (struct takta_cycle){length, load > length};
    return jobs <= set->cycle_jobs;
}

uint64_t takta_arrivals_end(const struct takt_analysis_set *set, size_t end)
{
    struct takta_run run = takta_run_init(set, end);
    struct takta_cycle cycle;

    if (!takta_cycle_of(&run, &cycle) || cycle.overloaded) {
        return TAKT_SATURATED;
    }
    return cycle.length_ns;
}

struct takt_analysis_set takta_patient(const struct takt_analysis_set *set)
{
    struct takt_analysis_set patient = *set;
    uint64_t iterations = takt_add(set->iterations, takt_multiply(8, set->cycle_jobs));

    patient.iterations = iterations > UINT32_MAX ? UINT32_MAX : (uint32_t)iterations;
    return patient;
}

bool takta_overloaded(const struct takta_run *run)
{
    const struct takt_analysis_set *set = run->set;
    struct takta_utilization sum = {0, 0};

    for (size_t i = 0; i < set->interrupt_count; i++) {
        takta_utilization_add(&sum, set->interrupts[i].wcet_ns, set->interrupts[i].min_interarrival_ns);
    }
    for (size_t i = 0; i < run->visited; i++) {
        takta_utilization_add(&sum, takta_cost(run, i), set->tasks[i].period_ns);
    }
    return takta_utilization_exceeds_one(&sum);
}

/* Add cost / period to `sum`, and what is below its 32 bits after the point, times 2^32, to `rest`. */
static void takta_add_finely(struct takta_utilization *sum, struct takta_utilization *rest, uint64_t cost_ns,
                             uint64_t period_ns)
{
    uint64_t before = sum->low;

    takta_utilization_add(sum, cost_ns, period_ns);
    /* What is left of the division is less than the period; the terms wrap. */
    takta_utilization_add(rest, (cost_ns << 32) - (sum->low - before) * period_ns, period_ns);
}

int takta_load_compare(const struct takta_run *run)
{
    const struct takt_analysis_set *set = run->set;
    struct takta_utilization sum = {0, 0}, rest = {0, 0};
    uint64_t room;

    for (size_t i = 0; i < set->interrupt_count; i++) {
        takta_add_finely(&sum, &rest, set->interrupts[i].wcet_ns, set->interrupts[i].min_interarrival_ns);
    }
    for (size_t i = 0; i < run->visited; i++) {
        takta_add_finely(&sum, &rest, takta_cost(run, i), set->tasks[i].period_ns);
    }
    if (sum.low > TAKT_RATIO_ONE) {
        return 1;
    }
    room = takt_multiply(TAKT_RATIO_ONE - sum.low, TAKT_RATIO_ONE);
    return rest.low > room ? 1 : rest.high <= room ? -1 : 0;
}
