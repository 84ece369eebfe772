/* SPDX-License-Identifier: Apache-2.0 */
/* Blocking under priority inheritance: time in which a job that should run later executes while one that should run
 * earlier waits.
 *
 * Such a job owns a mutex when the busy period begins, or waits for one and receives it. It executes only while an
 * urgent job (one that should run earlier) waits for it, directly or through a chain of owners, and loses the inherited
 * priority at the end of its outermost section. It locks no mutex outside that section, so each such job delays by one
 * section. Several such jobs may delay through the same mutex: those that waited for it own it one after the other,
 * with urgent jobs in between. But the kernel hands a mutex to its best waiter, so each lock of an urgent job waits for
 * one of them at most: they are no more than the locks of urgent jobs in the busy period, unless less urgent ones wait
 * for the mutex in a section of their own for which urgent ones wait, or the mutex goes to its waiters in FIFO order:
 * then one lock may wait for all of them. What urgent jobs ahead in such a queue execute is interference, as anything
 * else that they do (docs/decisions/0031-fifo-waiters.md). While a section under a ceiling is open, no other
 * such job can open one, unless the owner waits.
 */
#include "internal.h"

struct takta_blocking {
    const struct takt_analysis_set *set;
    const struct takt_analysis_hold *holds;
    size_t hold_count;
    struct takt_analysis_mutex *mutexes;
    size_t mutex_count;
};

/* True if jobs of tasks[other] can run before those of tasks[task]: in an edf level, if one that arrives in the busy
 * period has its deadline no later than the earliest deadline of tasks[task]. If not, tasks[other] delays only by
 * blocking. */
static bool takta_urgent(const struct takt_analysis_set *set, size_t other, size_t task)
{
    const struct takt_analysis_task *a = &set->tasks[other], *b = &set->tasks[task];

    if (a->level != b->level || b->order == TAKT_ANALYSIS_EQUAL) {
        return a->level <= b->level;
    }
    return takt_subtract(a->deadline_ns, a->jitter_ns) <= takt_subtract(b->deadline_ns, b->jitter_ns);
}

/* True if `user` may hold an urgent mutex. */
static bool takta_holds_urgent(const struct takta_blocking *all, uint32_t user)
{
    for (size_t i = 0; i < all->hold_count; i++) {
        if (all->holds[i].task == user && all->mutexes[all->holds[i].mutex].urgent) {
            return true;
        }
    }
    return false;
}

/* True if an urgent job may wait for the user of this hold while that waits for its mutex. */
static bool takta_chains(const struct takta_blocking *all, const struct takt_analysis_hold *hold)
{
    return hold->nested && takta_holds_urgent(all, hold->task);
}

/* Mark the mutexes for which an urgent job can wait while `holder` has them. */
static void takta_mark_urgent(const struct takta_blocking *all, size_t task, size_t holder)
{
    bool changed = true;

    for (size_t m = 0; m < all->mutex_count; m++) {
        all->mutexes[m].urgent = false;
    }
    while (changed) { /* every round except the last marks a mutex */
        changed = false;
        for (size_t i = 0; i < all->hold_count; i++) {
            const struct takt_analysis_hold *hold = &all->holds[i];
            struct takt_analysis_mutex *mutex = &all->mutexes[hold->mutex];

            if (!mutex->urgent && hold->task != holder &&
                (takta_urgent(all->set, hold->task, task) || takta_chains(all, hold))) {
                mutex->urgent = true;
                changed = true;
            }
        }
    }
}

/* Longest urgent section of `holder` that is not counted by its mutex, of those that are `alone`, or of the others. */
static uint64_t takta_longest_section(const struct takta_blocking *all, size_t holder, bool alone)
{
    uint64_t longest = 0;

    for (size_t i = 0; i < all->hold_count; i++) {
        const struct takt_analysis_hold *hold = &all->holds[i];

        if (hold->task == holder && hold->alone == alone && all->mutexes[hold->mutex].urgent &&
            !all->mutexes[hold->mutex].counted && longest < hold->hold_ns) {
            longest = hold->hold_ns;
        }
    }
    return longest;
}

/* True if deadlines in the level of tasks[task], or in one below, can lie before those of locks that came earlier:
 * there a job may begin a section while one is open, and one for which an urgent job waits may wait for the other. */
static bool takta_late_deadlines(const struct takt_analysis_set *set, size_t task)
{
    for (size_t i = 0; i < set->task_count; i++) {
        const struct takt_analysis_task *other = &set->tasks[i];

        if (other->level >= set->tasks[task].level && other->order == TAKT_ANALYSIS_DEADLINE && other->jitter_ns > 0) {
            return true;
        }
    }
    return false;
}

/* True if some sections are under a ceiling, others are not, and some are in others: then a job may begin a section
 * under a ceiling while one is open whose owner waits. */
static bool takta_mixed(const struct takta_blocking *all)
{
    bool alone = false, shared = false, nested = false;

    for (size_t i = 0; i < all->hold_count; i++) {
        alone |= all->holds[i].alone;
        shared |= !all->holds[i].alone;
        nested |= all->holds[i].nested;
    }
    return alone && shared && nested;
}

static bool takta_holds_any(const struct takta_blocking *all, size_t task)
{
    bool any = false;

    for (size_t i = 0; i < all->hold_count; i++) {
        any |= all->holds[i].task == task;
    }
    return any;
}

/* Jobs of an urgent user in the first window_ns > 0 of a busy period. */
static uint64_t takta_jobs(const struct takt_analysis_task *user, uint64_t window_ns)
{
    return user->period_ns == 0 ? TAKT_SATURATED : takta_arrivals(user, takt_add(window_ns - 1, user->jitter_ns));
}

/* How often at most an urgent job waits for sections of less urgent ones on the mutex, in the first window_ns of a busy
 * period: each of its locks waits for one, and for none of those that come after it in the queue. Saturated if one lock
 * may wait for several, in FIFO order, or if a chain of owners may wait for the mutex, which the mutexes' marks tell.
 */
static uint64_t takta_urgent_locks(const struct takta_blocking *all, size_t task, uint32_t mutex, uint64_t window_ns)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < all->hold_count; i++) {
        const struct takt_analysis_hold *hold = &all->holds[i];

        if (hold->mutex != mutex) {
            continue;
        }
        if (takta_urgent(all->set, hold->task, task)) {
            uint64_t jobs = takta_jobs(&all->set->tasks[hold->task], window_ns);

            sum = takt_add(sum, hold->locks == 0 || hold->fifo ? TAKT_SATURATED : takt_multiply(jobs, hold->locks));
        } else if (takta_chains(all, hold)) {
            return TAKT_SATURATED;
        }
    }
    return sum;
}

/* A section of a job that should run later, on this mutex. */
static bool takta_blocks_on(const struct takta_blocking *all, size_t index, size_t task, uint32_t mutex, bool alone)
{
    const struct takt_analysis_hold *hold = &all->holds[index];

    return hold->mutex == mutex && hold->alone == alone && !takta_urgent(all->set, hold->task, task);
}

/* The index of the longest section that blocks and comes after `last` in the order of their lengths; hold_count: none.
 */
static size_t takta_next_longest(const struct takta_blocking *all, size_t task, uint32_t mutex, bool alone, size_t last)
{
    const struct takt_analysis_hold *holds = all->holds;
    size_t found = all->hold_count;

    for (size_t i = 0; i < all->hold_count; i++) {
        bool after = last == all->hold_count || holds[i].hold_ns < holds[last].hold_ns ||
                     (holds[i].hold_ns == holds[last].hold_ns && i > last);

        if (after && takta_blocks_on(all, i, task, mutex, alone) &&
            (found == all->hold_count || holds[found].hold_ns < holds[i].hold_ns)) {
            found = i;
        }
    }
    return found;
}

/* The longest sections that block on the mutex, no more of them than `count`. */
static uint64_t takta_longest_on(const struct takta_blocking *all, size_t task, uint32_t mutex, bool alone,
                                 uint64_t count)
{
    size_t last = all->hold_count;
    uint64_t sum = 0;

    for (uint64_t i = 0; i < count; i++) { /* at most hold_count */
        last = takta_next_longest(all, task, mutex, alone, last);
        if (last == all->hold_count) {
            break;
        }
        sum = takt_add(sum, all->holds[last].hold_ns);
    }
    return sum;
}

/* Choose the mutexes whose sections are counted by the urgent locks of a window; window_ns = 0: none. */
static void takta_choose_counted(const struct takta_blocking *all, size_t task, uint64_t window_ns)
{
    takta_mark_urgent(all, task, TAKTA_NO_TASK);
    for (uint32_t m = 0; m < all->mutex_count; m++) {
        struct takt_analysis_mutex *mutex = &all->mutexes[m];

        mutex->locks = window_ns == 0 ? TAKT_SATURATED : takta_urgent_locks(all, task, m, window_ns);
        mutex->counted = mutex->locks != TAKT_SATURATED;
    }
}

/* Of every job that should run later the longest section, or of some mutexes as many as are waited for. */
static uint64_t takta_section_sum(const struct takta_blocking *all, size_t task, uint64_t window_ns)
{
    bool all_count = takta_late_deadlines(all->set, task) || takta_mixed(all);
    uint64_t sum = 0, more = 0; /* what the job whose section is alone adds */

    takta_choose_counted(all, task, window_ns);
    for (size_t holder = 0; holder < all->set->task_count; holder++) {
        uint64_t shared, alone;

        if (takta_urgent(all->set, holder, task) || !takta_holds_any(all, holder)) {
            continue;
        }
        takta_mark_urgent(all, task, holder);
        shared = takta_longest_section(all, holder, false);
        alone = takt_subtract(takta_longest_section(all, holder, true), shared);
        sum = takt_add(sum, shared);
        more = all_count ? takt_add(more, alone) : more < alone ? alone : more;
    }
    for (uint32_t m = 0; m < all->mutex_count; m++) {
        uint64_t locks = all->mutexes[m].locks, alone;

        if (all->mutexes[m].counted) {
            sum = takt_add(sum, takta_longest_on(all, task, m, false, locks));
            alone = takta_longest_on(all, task, m, true, all_count || locks == 0 ? locks : 1);
            more = all_count ? takt_add(more, alone) : more < alone ? alone : more;
        }
    }
    return takt_add(sum, more);
}

/* The time in which a busy period of the task's level ends at the latest, searched from *window_ns, if known. */
static bool takta_busy(const struct takt_analysis_set *set, size_t end, uint64_t blocking_ns, uint64_t *window_ns)
{
    struct takta_run run = takta_run_init(set, end);
    enum takta_answer answer = takta_settle(&run, takt_add(blocking_ns, set->lock_ns), TAKT_SATURATED, window_ns);

    *window_ns = *window_ns == 0 ? 1 : *window_ns;
    return answer == TAKTA_FOUND;
}

/* Greatest blocking of a level, as known so far. */
static uint64_t takta_level_blocking(struct takta_level level, const uint64_t *blocking_ns)
{
    uint64_t most = 0;

    for (size_t i = level.first; i < level.end; i++) {
        most = most < blocking_ns[i] ? blocking_ns[i] : most;
    }
    return most;
}

/* The least of both bounds. blocking_ns: of all tasks by their longest sections, or what is known to be less. In a
 * fixed level the window grows from nothing with what blocks in it, up to the first that is a whole busy period. */
static uint64_t takta_least_blocking(const struct takta_blocking *all, size_t task, const uint64_t *blocking_ns)
{
    struct takta_level level = {task, task};
    uint64_t window = 1, last, found;

    while (level.first > 0 && all->set->tasks[level.first - 1].level == all->set->tasks[task].level) {
        level.first--;
    }
    level = takta_level_at(all->set, level.first);
    if (all->set->tasks[task].period_ns == 0 || takta_section_sum(all, task, 1) >= blocking_ns[task] ||
        takta_crowded(all->set, level.end)) {
        return blocking_ns[task];
    }
    if (all->set->tasks[task].order == TAKT_ANALYSIS_DEADLINE &&
        !takta_busy(all->set, level.end, takta_level_blocking(level, blocking_ns), &window)) {
        return blocking_ns[task];
    }
    do { /* every round except the last counts one more section */
        last = window;
        found = takta_section_sum(all, task, window);
        if (found >= blocking_ns[task]) {
            return blocking_ns[task];
        }
        if (all->set->tasks[task].order == TAKT_ANALYSIS_EQUAL && !takta_busy(all->set, level.end, found, &window)) {
            return blocking_ns[task];
        }
    } while (window != last);
    return found;
}

static bool takta_hold_valid(const struct takta_blocking *all, const struct takt_analysis_hold *hold)
{
    const struct takt_analysis_task *tasks = all->set->tasks;

    return hold->task < all->set->task_count && hold->mutex < all->mutex_count &&
           (tasks[hold->task].period_ns == 0 || hold->hold_ns <= tasks[hold->task].wcet_ns);
}

enum takt_analysis_status takt_analysis_blocking(const struct takt_analysis_set *set,
                                                 const struct takt_analysis_hold *holds, size_t hold_count,
                                                 struct takt_analysis_mutex *mutexes, size_t mutex_count,
                                                 uint64_t *blocking_ns)
{
    const struct takta_blocking all = {set, holds, hold_count, mutexes, mutex_count};

    if (!takta_set_valid(set)) {
        return TAKT_ANALYSIS_INVALID;
    }
    for (size_t i = 0; i < hold_count; i++) {
        if (!takta_hold_valid(&all, &holds[i])) {
            return TAKT_ANALYSIS_INVALID;
        }
    }
    for (size_t task = 0; task < set->task_count; task++) {
        blocking_ns[task] = set->cooperative ? 0 : takta_section_sum(&all, task, 0);
    }
    for (size_t task = 0; task < set->task_count; task++) {
        blocking_ns[task] = blocking_ns[task] == 0 ? 0 : takta_least_blocking(&all, task, blocking_ns);
        if (blocking_ns[task] > TAKT_ANALYSIS_TIME_MAX_NS) {
            return TAKT_ANALYSIS_OVERFLOW;
        }
    }
    return TAKT_ANALYSIS_OK;
}
