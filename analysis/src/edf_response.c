/* SPDX-License-Identifier: Apache-2.0 */
/* Response times in an edf level below others: Spuri 1996, with the interference of the levels above added.
 *
 * All tasks arrive together at 0, except the analysed one, which is shifted so that one of its jobs has its deadline at
 * d. d takes the values of all deadlines in the synchronous busy period. The completion of that job does not depend on
 * its task: with the shift the task has as many jobs with deadlines up to d as without, and if some of those had not
 * arrived by the completion, the processor was idle before the shifted job arrived. So one run over d serves all tasks
 * of the level.
 *
 * Only some deadlines need a look. Let f(d) be the time at which the work with deadlines up to d is complete. f is
 * constant up to the next deadline of a job that arrives before f(d), and a later deadline with the same f means a
 * shorter response. No f exceeds the busy period, so the run ends at the deadline from which on even that would give no
 * longer response than the longest so far.
 */
#include "internal.h"

/* One step of the run: the work with deadlines up to due_ns. */
struct takta_edf_look {
    uint64_t due_ns;
    uint64_t time_ns; /* > 0: jobs that arrive before it are included */
    uint64_t next_ns; /* out: the first deadline after due_ns of a job that arrives before time_ns, or TAKT_SATURATED */
    uint64_t waits_ns; /* out: execution of the jobs due at next_ns, one of each task */
};

/* Execution of the level's jobs with deadlines up to due_ns that arrive before time_ns. Of the two last jobs of a task,
 * by deadline and by arrival, the earlier limits the count: one division for both. */
static uint64_t takta_edf_work(const struct takt_analysis_set *set, struct takta_level level,
                               struct takta_edf_look *look)
{
    uint64_t sum = 0;

    look->next_ns = TAKT_SATURATED;
    look->waits_ns = 0;
    for (size_t i = level.first; i < level.end; i++) {
        const struct takt_analysis_task *task = &set->tasks[i];
        uint64_t first = takta_edf_first(task), next = first;
        bool waits = true;

        if (first <= look->due_ns) {
            uint64_t due = look->due_ns - first, arrived = look->time_ns - 1 + task->jitter_ns;
            uint64_t count = takta_arrivals(task, due < arrived ? due : arrived), after = takta_arrival(task, count);

            sum = takt_add(sum, takt_multiply(count, task->wcet_ns));
            waits = arrived >= after;
            next = takt_add(first, after);
        }
        if (waits && next <= look->next_ns) {
            look->waits_ns = takt_add(next < look->next_ns ? 0 : look->waits_ns, task->wcet_ns);
            look->next_ns = next;
        }
    }
    return sum;
}

/* Least time at which blocking_ns and all arrived work with deadlines up to look->due_ns is complete, searched from
 * look->time_ns. */
static enum takta_answer takta_edf_finish(struct takta_run *run, struct takta_level level, uint64_t blocking_ns,
                                          struct takta_edf_look *look, uint64_t *finish_ns)
{
    *finish_ns = look->time_ns;
    do {
        look->time_ns = *finish_ns;
        if (run->iterations == 0 || !takta_spend(run->set, run->visited + level.end - level.first)) {
            return TAKTA_LIMIT;
        }
        run->iterations--;
        *finish_ns = takt_add(blocking_ns, takta_edf_work(run->set, level, look));
        *finish_ns = takt_add(*finish_ns, takta_interference(run, look->time_ns));
    } while (*finish_ns > look->time_ns);
    return TAKTA_FOUND;
}

/* Longest deadline of the level. */
static uint64_t takta_edf_longest(const struct takt_analysis_set *set, struct takta_level level)
{
    uint64_t longest = 0;

    for (size_t i = level.first; i < level.end; i++) {
        longest = longest < set->tasks[i].deadline_ns ? set->tasks[i].deadline_ns : longest;
    }
    return longest;
}

/* Update the responses of the tasks that have jobs with deadlines before due_ns. late_ns: the largest lateness so far,
 * plus the level's longest relative deadline. Returns the next deadline of another task's first job, or TAKT_SATURATED.
 */
static uint64_t takta_edf_record(const struct takt_analysis_set *set, struct takta_level level, uint64_t due_ns,
                                 uint64_t longest_ns, uint64_t late_ns, uint64_t *worst_ns)
{
    uint64_t next = TAKT_SATURATED;

    for (size_t i = level.first; i < level.end; i++) {
        uint64_t first = takta_edf_first(&set->tasks[i]);

        if (first < due_ns) {
            uint64_t response = takt_subtract(late_ns, longest_ns - set->tasks[i].deadline_ns);

            worst_ns[i] = worst_ns[i] < response ? response : worst_ns[i];
        } else if (due_ns < first && first < next) {
            next = first;
        }
    }
    return next;
}

enum takta_answer takta_edf_worst(const struct takt_analysis_set *set, struct takta_level level, uint64_t *worst_ns)
{
    struct takta_run all = takta_run_init(set, level.end), run = takta_run_init(set, level.first);
    struct takta_edf_look look = {.due_ns = 0, .time_ns = 1};
    uint64_t longest = takta_edf_longest(set, level), first, busy = 1, finish = 0, late = 0, blocking = 0, since;
    enum takta_answer answer = takta_settle(&all, takta_edf_blocking_max(set, level), TAKT_SATURATED, &busy);

    run.iterations = all.iterations;
    for (size_t i = level.first; i < level.end; i++) {
        worst_ns[i] = 0;
    }
    first = takta_edf_record(set, level, 0, longest, 0, worst_ns);
    takta_edf_work(set, level, &look);
    while (answer == TAKTA_FOUND && (first != TAKT_SATURATED || takt_subtract(busy + longest, look.next_ns) > late)) {
        look.due_ns = look.next_ns;
        look.time_ns = takt_add(finish, look.waits_ns);
        if (look.due_ns == first) {
            uint64_t last_blocking = blocking;

            first = takta_edf_record(set, level, first, longest, late, worst_ns);
            late = 0;
            blocking = takta_edf_blocking(set, level, look.due_ns, &since);
            look.time_ns = blocking < last_blocking ? 1 : look.time_ns; /* with less blocking it may end earlier */
        }
        look.time_ns = look.time_ns == 0 ? 1 : look.time_ns;
        answer = takta_edf_finish(&run, level, blocking, &look, &finish);
        late = takt_subtract(finish + longest, look.due_ns) > late ? finish + longest - look.due_ns : late;
    }
    takta_edf_record(set, level, TAKT_SATURATED, longest, late, worst_ns);
    return answer;
}
