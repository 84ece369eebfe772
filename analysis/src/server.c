/* SPDX-License-Identifier: Apache-2.0 */
/* Servers of aperiodic work: the task that stands for one, and the responses of what it serves. C is the budget, T the
 * period. docs/decisions/0029-servers.md has the proofs.
 *
 * Load. A busy period of a task begins when no job that goes before it is ready. A polling server has no budget then,
 * and a sporadic one none whose time has come, or their work would be ready: each is at most a task (C, T). What a
 * deferrable one has left it may use at once, and all of it again at the next multiple of T: in a fixed level the
 * second is at least C after the beginning, as the first C take that long, which is a jitter of T - C (Strosnider,
 * Lehoczky and Sha 1995). By deadline that is not enough: work x < C before the multiple has a deadline of its own, and
 * is followed by C, so a window of T + x + D has x + 2 C with deadlines in it, where that jitter has 2 C. A burst of
 * two has 3 C. (Ghazalie and Baker 1995 give servers under EDF and their deadlines.)
 *
 * Responses. Let work arrive when there was none. It has C at once or, at the latest, T later (polling: it has just
 * missed the multiple; sporadic: of all that was used before, the last part comes back then), in a fixed level a
 * deferrable server T - C later: to use C it took at least C of the current period. From there on it has C in every T,
 * and executes each within the response R of the server's task, the last part x of the work within r(x), that of x
 * instead of C. So W is done after the start, (ceil(W / C) - 1) T and r. A busy period of the served jobs ends when all
 * that arrived in it is done; jobs of one task are done in the order of their releases. A sporadic server has the
 * budget of a job at its release if all jobs released within T have C together, each is done before the next comes, and
 * their parts have room in the queue: what earlier ones used is back T after their releases.
 */
#include "internal.h"

enum takt_analysis_status takt_analysis_server_load(uint32_t kind, struct takt_analysis_task *task)
{
    if (kind > TAKT_ANALYSIS_SPORADIC || !takta_task_valid(task) || task->period_ns == 0 ||
        task->wcet_ns > task->period_ns || task->deadline_ns > task->period_ns || task->jitter_ns > 0 ||
        task->burst_more > 0) {
        return TAKT_ANALYSIS_INVALID;
    }
    if (kind == TAKT_ANALYSIS_DEFERRABLE && task->order == TAKT_ANALYSIS_DEADLINE) {
        task->burst_more = 1;
        task->distance_ns = 0;
    } else if (kind == TAKT_ANALYSIS_DEFERRABLE) {
        task->jitter_ns = task->period_ns - task->wcet_ns;
        task->deadline_ns += task->jitter_ns;
    }
    return TAKT_ANALYSIS_OK;
}

/* A server whose served jobs are looked at. */
struct takta_service {
    const struct takt_analysis_server *server;
    const struct takt_analysis_task *task;
    struct takta_run run;
    uint64_t budget_response_ns; /* R */
    uint64_t start_ns;           /* until C is there, from a time without work on */
};

static struct takta_service takta_service_init(const struct takt_analysis_set *set,
                                               const struct takt_analysis_server *server)
{
    const struct takt_analysis_task *task = &set->tasks[server->task];
    bool deferrable = server->kind == TAKT_ANALYSIS_DEFERRABLE && task->order == TAKT_ANALYSIS_EQUAL;
    struct takta_service service = {.server = server, .task = task};
    size_t end = server->task;

    while (end < set->task_count && set->tasks[end].level == task->level) {
        end++;
    }
    service.run = takta_run_init(set, end);
    service.run.except = server->task;
    service.budget_response_ns = takt_subtract(server->response_ns, task->jitter_ns);
    service.start_ns = task->period_ns - (deferrable ? server->budget_ns : 0);
    return service;
}

/* r(work_ns), for 0 < work_ns <= C. */
static enum takta_answer takta_part(struct takta_service *service, uint64_t work_ns, uint64_t *response_ns)
{
    uint64_t beside = service->task->wcet_ns - service->server->budget_ns;
    uint64_t own = takt_add(takta_blocking(service->run.set, service->task), takt_add(beside, work_ns));
    enum takta_answer answer;

    *response_ns = service->budget_response_ns;
    if (service->task->order == TAKT_ANALYSIS_DEADLINE || work_ns == service->server->budget_ns) {
        return TAKTA_FOUND;
    }
    *response_ns = own;
    answer = takta_settle(&service->run, own, service->budget_response_ns, response_ns);
    if (answer == TAKTA_BEYOND || (answer == TAKTA_FOUND && *response_ns > service->budget_response_ns)) {
        *response_ns = service->budget_response_ns; /* another bound is less */
        return TAKTA_FOUND;
    }
    return answer;
}

/* The time in which work_ns > 0 is done, from a time without work on. */
static enum takta_answer takta_done(struct takta_service *service, uint64_t work_ns, uint64_t *done_ns)
{
    uint64_t before = (work_ns - 1) / service->server->budget_ns, last;
    enum takta_answer answer = takta_part(service, work_ns - before * service->server->budget_ns, &last);

    *done_ns = takt_add(takt_add(service->start_ns, takt_multiply(before, service->task->period_ns)), last);
    return answer;
}

static bool takta_service_valid(const struct takt_analysis_set *set, const struct takt_analysis_server *server,
                                const struct takt_analysis_task *served, size_t served_count)
{
    const struct takt_analysis_task *task = server->task < set->task_count ? &set->tasks[server->task] : NULL;

    if (task == NULL || task->period_ns == 0 || server->budget_ns == 0 || server->budget_ns > task->wcet_ns ||
        task->wcet_ns > task->period_ns || server->kind > TAKT_ANALYSIS_SPORADIC || set->cooperative) {
        return false;
    }
    for (size_t i = 0; i < served_count; i++) {
        if (!takta_task_valid(&served[i]) || served[i].period_ns == 0) {
            return false;
        }
    }
    return served_count > 0;
}

/* Work of the served jobs that are released in a window. */
static uint64_t takta_served_work(const struct takt_analysis_task *served, size_t served_count, uint64_t window_ns)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < served_count; i++) {
        uint64_t count = takta_arrivals(&served[i], window_ns - 1 + served[i].jitter_ns);

        sum = takt_add(sum, takt_multiply(count, served[i].wcet_ns));
    }
    return sum;
}

/* True if the served jobs take more than the budget in the long run. */
static bool takta_overcharged(const struct takt_analysis_server *server, const struct takt_analysis_task *task,
                              const struct takt_analysis_task *served, size_t served_count)
{
    struct takta_utilization given = {0, 0}, taken = {0, 0};

    takta_utilization_add(&given, server->budget_ns, task->period_ns);
    for (size_t i = 0; i < served_count; i++) {
        takta_utilization_add(&taken, served[i].wcet_ns, served[i].period_ns);
    }
    return taken.low > given.high;
}

/* takta_done(), for a caller of the library. */
static enum takt_analysis_status takta_served_by(struct takta_service *service, uint64_t work_ns, uint64_t *done_ns)
{
    enum takta_answer answer;

    if (service->run.iterations == 0) {
        return TAKT_ANALYSIS_LIMIT;
    }
    service->run.iterations--;
    answer = takta_done(service, work_ns, done_ns);
    if (answer == TAKTA_LIMIT) {
        return TAKT_ANALYSIS_LIMIT;
    }
    return answer != TAKTA_FOUND || *done_ns > TAKTA_HORIZON_NS ? TAKT_ANALYSIS_OVERFLOW : TAKT_ANALYSIS_OK;
}

/* The longest busy period of all served jobs: none of them takes longer, in whichever order they are done. */
static enum takt_analysis_status takta_served_period(struct takta_service *service,
                                                     const struct takt_analysis_task *served, size_t served_count,
                                                     uint64_t *response_ns)
{
    enum takt_analysis_status status;
    uint64_t window, done = 1;

    do {
        window = done;
        status = takta_served_by(service, takta_served_work(served, served_count, window), &done);
    } while (status == TAKT_ANALYSIS_OK && done > window);
    *response_ns = done;
    return status;
}

/* True if a job of a task that is served alone finds its budget at its release, and is done before the next release. */
static bool takta_finds_budget(struct takta_service *service, const struct takt_analysis_task *job,
                               uint64_t *response_ns)
{
    const struct takt_analysis_server *server = service->server;
    uint64_t jobs = takta_arrivals(job, service->task->period_ns - 1 + job->jitter_ns);

    return server->kind == TAKT_ANALYSIS_SPORADIC && jobs < server->parts &&
           takt_multiply(jobs, job->wcet_ns) <= server->budget_ns &&
           takta_part(service, job->wcet_ns, response_ns) == TAKTA_FOUND &&
           *response_ns <= takt_subtract(takta_arrival(job, 1), job->jitter_ns);
}

/* The longest response of the jobs of a task that is served alone: of each in a busy period from its earliest release,
 * up to the last. Or up to one that ends whole budgets after another, in at least as many periods: from there on each
 * job has as much time as those after the other, or more. */
static enum takt_analysis_status takta_served_alone(struct takta_service *service, const struct takt_analysis_task *job,
                                                    uint64_t *response_ns)
{
    uint64_t work = 0, next = 0, other_work = 0, other_next = 0, done;

    if (takta_finds_budget(service, job, response_ns)) {
        return TAKT_ANALYSIS_OK;
    }
    *response_ns = 0;
    for (uint64_t number = 1;; number++) { /* at most `iterations` rounds */
        uint64_t budget = service->server->budget_ns, released = next;
        enum takt_analysis_status status;

        work = takt_add(work, job->wcet_ns);
        status = takta_served_by(service, work, &done);
        if (status != TAKT_ANALYSIS_OK) {
            return status;
        }
        *response_ns = *response_ns < done - released ? done - released : *response_ns;
        next = takt_subtract(takta_arrival(job, number), job->jitter_ns);
        if (done <= next || ((work - other_work) % budget == 0 &&
                             (work - other_work) / budget * service->task->period_ns <= next - other_next)) {
            return TAKT_ANALYSIS_OK;
        }
        if ((number & (number - 1)) == 0) { /* the other is further on each time: it finds any cycle */
            other_work = work;
            other_next = next;
        }
    }
}

enum takt_analysis_status takt_analysis_served(const struct takt_analysis_set *set,
                                               const struct takt_analysis_server *server,
                                               const struct takt_analysis_task *served, size_t served_count,
                                               uint64_t *response_ns)
{
    struct takta_service service;

    if (!takta_set_valid(set) || !takta_service_valid(set, server, served, served_count)) {
        return TAKT_ANALYSIS_INVALID;
    }
    service = takta_service_init(set, server);
    if (service.budget_response_ns > service.task->period_ns ||
        takta_overcharged(server, service.task, served, served_count)) {
        return TAKT_ANALYSIS_UNBOUNDED;
    }
    return served_count == 1 ? takta_served_alone(&service, served, response_ns)
                             : takta_served_period(&service, served, served_count, response_ns);
}
