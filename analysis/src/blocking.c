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
    struct takt_analysis_hold *holds; /* by mutex, of one mutex the longest first */
    size_t hold_count;
    struct takt_analysis_mutex *mutexes;
    size_t mutex_count;
    struct takt_analysis_user *users;
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

/* True if an urgent job may wait for the user of this hold while that waits for its mutex. */
static bool takta_chains(const struct takta_blocking *all, const struct takt_analysis_hold *hold)
{
    return hold->nested && all->users[hold->task].holds_urgent;
}

/* Mark a mutex as urgent, and put it before the others whose users are to be looked at. */
static void takta_mark(const struct takta_blocking *all, uint32_t mutex, size_t *marked)
{
    if (!all->mutexes[mutex].urgent) {
        all->mutexes[mutex].urgent = true;
        all->mutexes[mutex].next = *marked;
        *marked = mutex;
    }
}

/* The users of an urgent mutex hold an urgent one, so those that lock others then make these urgent, too. */
static void takta_mark_users(const struct takta_blocking *all, uint32_t mutex, size_t holder, size_t *marked)
{
    for (size_t i = all->mutexes[mutex].first; i < all->mutexes[mutex].end; i++) {
        size_t user = all->holds[i].task;
        bool known = all->users[user].holds_urgent;

        all->users[user].holds_urgent = true;
        for (size_t k = all->users[user].first; k < all->hold_count && !known; k = all->holds[k].next) {
            if (user != holder && takta_chains(all, &all->holds[k])) {
                takta_mark(all, all->holds[k].mutex, marked);
            }
        }
    }
}

/* Mark the mutexes for which an urgent job can wait while `holder` has them. */
static void takta_mark_urgent(const struct takta_blocking *all, size_t task, size_t holder)
{
    size_t marked = all->mutex_count; /* the first of a list; mutex_count: its end */

    for (size_t m = 0; m < all->mutex_count; m++) {
        all->mutexes[m].urgent = false;
    }
    for (size_t i = 0; i < all->set->task_count; i++) {
        all->users[i].holds_urgent = false;
    }
    for (size_t i = 0; i < all->hold_count; i++) {
        if (all->holds[i].task != holder && takta_urgent(all->set, all->holds[i].task, task)) {
            takta_mark(all, all->holds[i].mutex, &marked);
        }
    }
    while (marked < all->mutex_count) { /* each mutex once */
        uint32_t mutex = (uint32_t)marked;

        marked = all->mutexes[mutex].next;
        takta_mark_users(all, mutex, holder, &marked);
    }
}

/* True if an urgent job locks the mutex itself. */
static bool takta_urgent_lock(const struct takta_blocking *all, size_t task, uint32_t mutex)
{
    bool any = false;

    for (size_t i = all->mutexes[mutex].first; i < all->mutexes[mutex].end; i++) {
        any |= takta_urgent(all->set, all->holds[i].task, task);
    }
    return any;
}

/* Find mutexes that are urgent for every holder: an urgent job locks them, or two do that may have such a mutex
 * meanwhile. If only one does, it is the `locker`. */
static void takta_mark_sure(const struct takta_blocking *all, size_t task)
{
    for (uint32_t m = 0; m < all->mutex_count; m++) {
        all->mutexes[m].sure = takta_urgent_lock(all, task, m);
        all->mutexes[m].locker = TAKTA_NO_TASK;
    }
    for (size_t user = 0; user < all->set->task_count; user++) {
        bool waited_for = false;

        for (size_t k = all->users[user].first; k < all->hold_count; k = all->holds[k].next) {
            waited_for |= all->mutexes[all->holds[k].mutex].sure;
        }
        for (size_t k = all->users[user].first; k < all->hold_count && waited_for; k = all->holds[k].next) {
            struct takt_analysis_mutex *mutex = &all->mutexes[all->holds[k].mutex];

            if (all->holds[k].nested) {
                mutex->sure |= mutex->locker != TAKTA_NO_TASK && mutex->locker != user;
                mutex->locker = user;
            }
        }
    }
}

/* True if some mutex of `holder` may be urgent only because of what it locks itself: marks of no holder do not do. */
static bool takta_marks_itself(const struct takta_blocking *all, size_t holder)
{
    bool may = false;

    for (size_t k = all->users[holder].first; k < all->hold_count; k = all->holds[k].next) {
        const struct takt_analysis_mutex *mutex = &all->mutexes[all->holds[k].mutex];
        bool otherwise = mutex->sure || (mutex->locker != TAKTA_NO_TASK && mutex->locker != holder);

        may |= mutex->urgent && !otherwise;
    }
    return may;
}

/* Longest urgent section of `holder` that is not counted by its mutex, of those that are `alone`, or of the others. */
static uint64_t takta_longest_section(const struct takta_blocking *all, size_t holder, bool alone)
{
    uint64_t longest = 0;

    for (size_t i = all->users[holder].first; i < all->hold_count; i = all->holds[i].next) {
        const struct takt_analysis_hold *hold = &all->holds[i];

        if (hold->alone == alone && all->mutexes[hold->mutex].urgent && !all->mutexes[hold->mutex].counted &&
            longest < hold->hold_ns) {
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

    for (size_t i = all->mutexes[mutex].first; i < all->mutexes[mutex].end; i++) {
        const struct takt_analysis_hold *hold = &all->holds[i];

        if (takta_urgent(all->set, hold->task, task)) {
            uint64_t jobs = takta_jobs(&all->set->tasks[hold->task], window_ns);

            sum = takt_add(sum, hold->locks == 0 || hold->fifo ? TAKT_SATURATED : takt_multiply(jobs, hold->locks));
        } else if (takta_chains(all, hold)) {
            return TAKT_SATURATED;
        }
    }
    return sum;
}

/* The longest sections that block on the mutex, no more of them than `count`. */
static uint64_t takta_longest_on(const struct takta_blocking *all, size_t task, uint32_t mutex, bool alone,
                                 uint64_t count)
{
    uint64_t sum = 0;

    for (size_t i = all->mutexes[mutex].first; i < all->mutexes[mutex].end && count > 0; i++) {
        const struct takt_analysis_hold *hold = &all->holds[i];

        if (hold->alone == alone && !takta_urgent(all->set, hold->task, task)) {
            sum = takt_add(sum, hold->hold_ns);
            count--;
        }
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

/* Sections that block. `more`: what the job whose section is alone adds. */
struct takta_sections {
    uint64_t sum_ns;
    uint64_t more_ns;
    bool all_count; /* more than one section that is alone may be open */
};

static void takta_count_alone(struct takta_sections *sections, uint64_t alone_ns)
{
    if (sections->all_count) {
        sections->more_ns = takt_add(sections->more_ns, alone_ns);
    } else if (sections->more_ns < alone_ns) {
        sections->more_ns = alone_ns;
    }
}

/* The longest section of each job that should run later, as far as it is not counted by its mutex, of those with marks
 * of their own or of the others. */
static void takta_count_holders(const struct takta_blocking *all, size_t task, bool apart,
                                struct takta_sections *sections)
{
    for (size_t holder = 0; holder < all->set->task_count; holder++) {
        uint64_t shared;

        if (takta_urgent(all->set, holder, task) || all->users[holder].apart != apart) {
            continue;
        }
        if (apart) {
            takta_spend(all->set, all->hold_count + all->mutex_count + all->set->task_count);
            takta_mark_urgent(all, task, holder);
        }
        shared = takta_longest_section(all, holder, false);
        sections->sum_ns = takt_add(sections->sum_ns, shared);
        takta_count_alone(sections, takt_subtract(takta_longest_section(all, holder, true), shared));
    }
}

/* Of every job that should run later the longest section, or of some mutexes as many as are waited for. */
static uint64_t takta_section_sum(const struct takta_blocking *all, size_t task, uint64_t window_ns)
{
    struct takta_sections sections = {.all_count = takta_late_deadlines(all->set, task) || takta_mixed(all)};

    takta_spend(all->set, all->hold_count + all->mutex_count + all->set->task_count);
    takta_choose_counted(all, task, window_ns);
    takta_mark_sure(all, task);
    for (size_t holder = 0; holder < all->set->task_count; holder++) {
        all->users[holder].apart = all->users[holder].nests && takta_marks_itself(all, holder);
    }
    takta_count_holders(all, task, false, &sections);
    takta_count_holders(all, task, true, &sections);
    for (uint32_t m = 0; m < all->mutex_count; m++) {
        uint64_t locks = all->mutexes[m].locks;

        if (all->mutexes[m].counted) {
            uint64_t most = sections.all_count || locks == 0 ? locks : 1;

            sections.sum_ns = takt_add(sections.sum_ns, takta_longest_on(all, task, m, false, locks));
            takta_count_alone(&sections, takta_longest_on(all, task, m, true, most));
        }
    }
    return takt_add(sections.sum_ns, sections.more_ns);
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

/* True if sections may be counted by locks. If not, the bounds are the same. */
static bool takta_locks_known(const struct takta_blocking *all)
{
    bool known = false;

    for (size_t i = 0; i < all->hold_count; i++) {
        known |= all->holds[i].locks > 0;
    }
    return known;
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

/* True if `a` comes before `b` in the order of takta_blocking. */
static bool takta_before(const struct takt_analysis_hold *a, const struct takt_analysis_hold *b)
{
    return a->mutex != b->mutex ? a->mutex < b->mutex : a->hold_ns > b->hold_ns;
}

/* Order the holds by insertion: a caller has them by mutex, mostly. */
static void takta_order_holds(const struct takta_blocking *all)
{
    struct takt_analysis_hold *holds = all->holds;

    for (size_t i = 1; i < all->hold_count; i++) {
        struct takt_analysis_hold hold = holds[i];
        size_t at = i;

        for (; at > 0 && takta_before(&hold, &holds[at - 1]); at--) {
            holds[at] = holds[at - 1];
        }
        holds[at] = hold;
    }
}

/* Where the holds of each mutex and of each task are. */
static void takta_link_holds(const struct takta_blocking *all)
{
    for (size_t i = 0; i < all->set->task_count; i++) {
        all->users[i] = (struct takt_analysis_user){.first = all->hold_count};
    }
    for (size_t m = 0; m < all->mutex_count; m++) {
        all->mutexes[m] = (struct takt_analysis_mutex){.first = 0};
    }
    for (size_t left = all->hold_count; left > 0; left--) {
        struct takt_analysis_hold *hold = &all->holds[left - 1];
        struct takt_analysis_mutex *mutex = &all->mutexes[hold->mutex];
        struct takt_analysis_user *user = &all->users[hold->task];

        mutex->end = mutex->end == 0 ? left : mutex->end;
        mutex->first = left - 1;
        hold->next = user->first;
        user->first = left - 1;
        user->nests |= hold->nested;
    }
}

enum takt_analysis_status takt_analysis_blocking(const struct takt_analysis_set *set, struct takt_analysis_hold *holds,
                                                 size_t hold_count, struct takt_analysis_mutex *mutexes,
                                                 size_t mutex_count, struct takt_analysis_user *users,
                                                 uint64_t *blocking_ns)
{
    const struct takta_blocking all = {set, holds, hold_count, mutexes, mutex_count, users};
    bool counts;

    if (!takta_set_valid(set)) {
        return TAKT_ANALYSIS_INVALID;
    }
    for (size_t i = 0; i < hold_count; i++) {
        if (!takta_hold_valid(&all, &holds[i])) {
            return TAKT_ANALYSIS_INVALID;
        }
    }
    counts = takta_locks_known(&all);
    takta_order_holds(&all);
    takta_link_holds(&all);
    for (size_t task = 0; task < set->task_count; task++) {
        blocking_ns[task] = set->cooperative ? 0 : takta_section_sum(&all, task, 0);
    }
    for (size_t task = 0; task < set->task_count; task++) {
        if (blocking_ns[task] > 0 && counts) {
            blocking_ns[task] = takta_least_blocking(&all, task, blocking_ns);
        }
        if (blocking_ns[task] > TAKT_ANALYSIS_TIME_MAX_NS) {
            return TAKT_ANALYSIS_OVERFLOW;
        }
    }
    return TAKT_ANALYSIS_OK;
}
