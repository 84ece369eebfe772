/* SPDX-License-Identifier: Apache-2.0 */
/* Interference of everything above, the fixed points it leads to, and exact enough utilizations. */
#include "internal.h"

struct takti_run takti_run_init(const struct takt_analysis_set *set, size_t above)
{
    struct takti_run run = {.set = set, .above = above, .except = TAKTI_NO_TASK, .iterations = set->iterations};

    run.visited = set->task_count;
    while (run.visited > above &&
           (set->tasks[run.visited - 1].release_cost_ns == 0 || set->tasks[run.visited - 1].period_ns == 0)) {
        run.visited--;
    }
    return run;
}

/* What each job of tasks[index] takes from the task under judgement. */
static uint64_t takti_cost(const struct takti_run *run, size_t index)
{
    const struct takt_analysis_task *task = &run->set->tasks[index];
    bool interferes = index < run->above && index != run->except;

    return interferes ? task->wcet_ns + task->release_cost_ns : task->release_cost_ns;
}

uint64_t takti_interference(const struct takti_run *run, uint64_t window_ns)
{
    const struct takt_analysis_set *set = run->set;
    size_t whole =
        run->except < run->above ? run->except : run->above; /* tasks[0 .. whole) interfere with all they do */
    uint64_t last = window_ns - 1, sum = 0;

    for (size_t i = 0; i < whole; i++) {
        const struct takt_analysis_task *task = &set->tasks[i];
        uint64_t count = takti_quotient(last + task->jitter_ns, task->period_ns) + 1;

        sum = takt_add(sum, takt_multiply(count, task->wcet_ns + task->release_cost_ns));
    }
    for (size_t i = whole; i < run->visited; i++) {
        const struct takt_analysis_task *task = &set->tasks[i];
        uint64_t cost = takti_cost(run, i);

        if (cost != 0) {
            sum = takt_add(sum, takt_multiply(takti_quotient(last + task->jitter_ns, task->period_ns) + 1, cost));
        }
    }
    for (size_t i = 0; i < set->interrupt_count; i++) {
        uint64_t count = takti_quotient(last, set->interrupts[i].min_interarrival_ns) + 1;

        sum = takt_add(sum, takt_multiply(count, set->interrupts[i].wcet_ns));
    }
    return sum;
}

enum takti_answer takti_settle(struct takti_run *run, uint64_t own_ns, uint64_t ceiling_ns, uint64_t *time_ns)
{
    uint64_t time = *time_ns, next = time;

    do {
        time = next;
        if (time > ceiling_ns) {
            return TAKTI_BEYOND;
        }
        if (time > TAKTI_HORIZON_NS) {
            return TAKTI_OVERFLOW;
        }
        if (run->iterations == 0) {
            return TAKTI_LIMIT;
        }
        run->iterations--;
        next = takt_add(own_ns, takti_interference(run, time));
    } while (next > time);
    *time_ns = next; /* below `time` only if that was 1 and nothing claims any of it */
    return TAKTI_FOUND;
}

uint64_t takti_utilization_add(struct takti_utilization *sum, uint64_t cost_ns, uint64_t period_ns)
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

bool takti_utilization_exceeds_one(const struct takti_utilization *sum)
{
    return sum->low > TAKT_RATIO_ONE || (sum->low == TAKT_RATIO_ONE && sum->high > TAKT_RATIO_ONE);
}

bool takti_overloaded(const struct takti_run *run)
{
    const struct takt_analysis_set *set = run->set;
    struct takti_utilization sum = {0, 0};

    for (size_t i = 0; i < set->interrupt_count; i++) {
        takti_utilization_add(&sum, set->interrupts[i].wcet_ns, set->interrupts[i].min_interarrival_ns);
    }
    for (size_t i = 0; i < run->visited; i++) {
        takti_utilization_add(&sum, takti_cost(run, i), set->tasks[i].period_ns);
    }
    return takti_utilization_exceeds_one(&sum);
}
