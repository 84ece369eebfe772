/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs: the state of a task against its job, its next release, its deadline and its budget. */
#include "kernel/observe/invariants.h"

/* Releases are before this time: sums beyond it may saturate at TAKT_FOREVER, for which no timer is armed. */
#define WALK_FAR (TAKT_FOREVER / 2)

static uint64_t walk_arrival(const struct takt_arrivals *arrivals, unsigned index)
{
    return arrivals->releases_ns[(arrivals->first + index) % arrivals->capacity];
}

/* Pending sporadic releases: at least the minimum inter-arrival time apart, in bursts their distance, and the last
 * equals last_ns. */
static bool walk_arrivals(struct takti_walk *walk, const struct takt_task *task)
{
    const struct takt_arrivals *arrivals = task->config->arrivals;
    if (!takti_must(walk, arrivals->count <= arrivals->capacity, "no more releases are pending than their queue holds",
                    task) ||
        !takti_must(walk, arrivals->first < arrivals->capacity, "the first release that waits is one", task)) {
        return false;
    }
    bool bursts = TAKT_BURSTS && *arrivals->burst_ns != 0;
    for (unsigned index = 1; index < arrivals->count; index++) {
        uint64_t apart_ns = bursts ? *arrivals->distance_ns : task->config->period_ns;
        uint64_t earliest_ns = takt_add(walk_arrival(arrivals, index - 1), apart_ns);
        takti_must(walk, walk_arrival(arrivals, index) >= earliest_ns,
                   "releases are at least their declared distance apart", task);
    }
    bool last = arrivals->count == 0 || walk_arrival(arrivals, arrivals->count - 1u) == arrivals->last_ns;
    takti_must(walk, last, "the last release is the last that waits", task);
    return true;
}

/* A task waits for its next release. */
static void walk_release(struct takti_walk *walk, const struct takt_task *task)
{
    const struct takt_task_config *config = task->config;
    bool armed = task->timer.armed != 0;
    if (config->release == TAKT_PERIODIC) {
        bool far = config->offset_ns > WALK_FAR || config->period_ns > WALK_FAR || task->job_deadline_ns > WALK_FAR;
        uint64_t last_ns = task->job_deadline_ns - config->deadline_ns;
        takti_must(walk, armed || far, "a task that waits for its release has its timer armed", task);
        bool later = !armed || task->job_deadline_ns == 0 || task->timer.at_ns >= takt_add(last_ns, config->period_ns);
        takti_must(walk, later, "the next release is a period after the last", task);
    } else if (walk_arrivals(walk, task)) {
        const struct takt_arrivals *arrivals = config->arrivals;
        takti_must(walk, armed == (arrivals->count != 0), "a task with queued releases has its timer armed", task);
        bool first = !armed || task->timer.at_ns == walk_arrival(arrivals, 0);
        takti_must(walk, first, "the release that is expected is the first that waits", task);
    }
}

static void walk_deadline(struct takti_walk *walk, const struct takt_task *task)
{
    const struct takt_deadline_timer *deadline = task->config->deadline_timer;
    unsigned flags = task->timer.flags & (TAKTI_FLAG_ACTIVE | TAKTI_FLAG_MISSED);
    bool armed = deadline->timer.armed != 0;
    takti_must(walk, deadline->task == task, "a deadline timer belongs to its task", task);
    takti_must(walk, armed == (flags == TAKTI_FLAG_ACTIVE),
               "the deadline timer of a job is armed until the deadline is missed", task);
    takti_must(walk, !armed || deadline->timer.at_ns == task->job_deadline_ns,
               "an armed deadline timer expires at the job's deadline", task);
}

static void walk_budget(struct takti_walk *walk, const struct takt_task *task)
{
    const struct takt_budget *budget = takti_budget_of(task);
    bool holds = (task->holds & TAKTI_HOLDS_COUNT) != 0;
    bool section = budget->section_ns != TAKT_FOREVER;
    bool enforced = budget->policy != TAKT_BUDGET_NOTIFY;
    bool left = budget->left_ns == TAKT_FOREVER || budget->left_ns <= budget->full_ns;
    takti_must(walk, left, "the remaining budget is at most the budget", task);
    takti_must(walk, !section || budget->section_ns <= budget->hold_ns,
               "the remaining time of a section is at most its hold", task);
    bool ends = (task->timer.flags & TAKTI_FLAG_ENDING) != 0; /* it is no longer watched */
    takti_must(walk, section == (holds && enforced && budget->hold_ns != TAKT_FOREVER && !ends),
               "a section lasts as long as something is held", task);
    takti_must(walk, holds || (budget->state & TAKTI_BUDGET_PENDING) == 0, "a demotion waits for the last unlock",
               task);
    bool served = takti_server_of(task) != NULL;
    takti_must(walk, served || budget->policy == TAKT_BUDGET_DEMOTE || (budget->state & TAKTI_BUDGET_DEMOTED) == 0,
               "only a task with the policy demote is demoted", task);
    if (TAKT_SERVERS && served) {
        takti_walk_served(walk, task);
    }
}

/* The budget timer watches the running task. */
static void walk_watched(struct takti_walk *walk)
{
    const struct takt_task *running = takti_kernel.ready.running;
    bool watched =
        takti_kernel.budgets->spent != NULL || (takti_walk_is_known(walk, running) && takti_budget_of(running) != NULL);
    takti_must(walk, takti_kernel.budgets->timer.armed == 0 || watched || !takti_walk_all(walk, TAKT_KNOWN_TASK),
               "the budget that is watched is that of the running task", running);
}

static void walk_task(struct takti_walk *walk, const struct takt_task *task)
{
    unsigned state = task->timer.state;
    bool expects = task->timer.armed != 0;
    bool could_run = state == TAKTI_READY || state == TAKTI_SUSPENDED;
    takti_must(walk, !(could_run && expects), "a ready or suspended task has no timer armed", task);
    bool jobs = TAKTI_HAS_JOBS(task->config);
    bool active = (task->timer.flags & TAKTI_FLAG_ACTIVE) != 0;
    takti_must(walk, active == (jobs && state != TAKTI_BLOCKED_JOB), "a job is under way unless its release is awaited",
               task);
    if (TAKT_JOBS && state == TAKTI_BLOCKED_JOB &&
        takti_must(walk, jobs, "only a task with jobs waits for a release", task)) {
        walk_release(walk, task);
    } else if (TAKT_JOBS && task->config->arrivals != NULL) {
        (void)walk_arrivals(walk, task);
    }
    if (TAKT_JOBS && task->config->deadline_timer != NULL) {
        walk_deadline(walk, task);
    }
    if (takti_budget_of(task) != NULL) {
        walk_budget(walk, task);
    }
}

void takti_walk_jobs(struct takti_walk *walk)
{
    for (unsigned number = 0; number < takti_walk_count(walk); number++) {
        const struct takt_task *task = takti_walk_task(walk, number);
        if (task != NULL && task->timer.state != TAKTI_DORMANT) {
            walk_task(walk, task);
        } else if (task != NULL) {
            takti_must(walk, task->timer.armed == 0, "a dormant task has no timer armed", task);
        }
    }
    if (TAKT_BUDGETS) {
        walk_watched(walk);
    }
}
