/* SPDX-License-Identifier: Apache-2.0 */
/* Blocking under priority inheritance: time in which a job that should run later executes while one that should run
 * earlier waits.
 *
 * Such a job owns a mutex when the busy period begins, or waits for one and receives it. It executes only while an
 * urgent job (one that should run earlier) waits for it, directly or through a chain of owners, and loses the inherited
 * priority at the end of its outermost section. It locks no mutex outside that section, so each such job delays by one
 * section. Several such jobs may delay through the same mutex: those that waited for it own it one after the other,
 * with urgent jobs in between. While a section under a ceiling is open, no other such job can open one, unless the
 * owner waits.
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

/* True if `user` may hold an urgent mutex while it waits for another. */
static bool takta_holds_urgent(const struct takta_blocking *all, uint32_t user)
{
    for (size_t i = 0; i < all->hold_count; i++) {
        if (all->holds[i].task == user && all->mutexes[all->holds[i].mutex].urgent) {
            return true;
        }
    }
    return false;
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
                (takta_urgent(all->set, hold->task, task) || takta_holds_urgent(all, hold->task))) {
                mutex->urgent = true;
                changed = true;
            }
        }
    }
}

/* Longest urgent section of `holder`, of those that are `alone`, or of the others. */
static uint64_t takta_longest_section(const struct takta_blocking *all, size_t holder, bool alone)
{
    uint64_t longest = 0;

    for (size_t i = 0; i < all->hold_count; i++) {
        const struct takt_analysis_hold *hold = &all->holds[i];

        if (hold->task == holder && hold->alone == alone && all->mutexes[hold->mutex].urgent &&
            longest < hold->hold_ns) {
            longest = hold->hold_ns;
        }
    }
    return longest;
}

/* True if deadlines in the level of tasks[task] can lie before those of locks that came earlier. */
static bool takta_late_deadlines(const struct takt_analysis_set *set, size_t task)
{
    for (size_t i = 0; i < set->task_count; i++) {
        const struct takt_analysis_task *other = &set->tasks[i];

        if (other->level == set->tasks[task].level && other->order == TAKT_ANALYSIS_DEADLINE && other->jitter_ns > 0) {
            return true;
        }
    }
    return false;
}

static uint64_t takta_blocking_of(const struct takta_blocking *all, size_t task)
{
    bool all_count = takta_late_deadlines(all->set, task);
    uint64_t sum = 0, more = 0; /* what the job whose section is alone adds */

    for (size_t holder = 0; holder < all->set->task_count; holder++) {
        uint64_t shared, alone;

        if (takta_urgent(all->set, holder, task)) {
            continue;
        }
        takta_mark_urgent(all, task, holder);
        shared = takta_longest_section(all, holder, false);
        alone = takt_subtract(takta_longest_section(all, holder, true), shared);
        sum = takt_add(sum, shared);
        more = all_count ? takt_add(more, alone) : more < alone ? alone : more;
    }
    return takt_add(sum, more);
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
        blocking_ns[task] = set->cooperative ? 0 : takta_blocking_of(&all, task);
        if (blocking_ns[task] > TAKT_ANALYSIS_TIME_MAX_NS) {
            return TAKT_ANALYSIS_OVERFLOW;
        }
    }
    return TAKT_ANALYSIS_OK;
}
