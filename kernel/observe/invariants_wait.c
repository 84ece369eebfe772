/* SPDX-License-Identifier: Apache-2.0 */
/* Waiters of queues, owners of mutexes, and the inheritance of owners from waiters. */
#include "kernel/core/processes.h"
#include "kernel/observe/invariants.h"
#include "kernel/sync/mutex.h"
#include "takt/ceiling.h"
#include "takt/condition.h"
#include "takt/hint.h"
#include "takt/process.h"
#include "takt/rendezvous.h"
#include "takt/slot.h"

/* The key that decides the order. */
struct walk_key {
    unsigned level;
    uint64_t deadline_ns; /* 0 in a fixed level */
    unsigned order;       /* 0 there, or where it is not inherited */
};

static struct walk_key walk_key_of(const struct takt_task *task)
{
    struct walk_key key = {.level = takti_walk_level(task->level)};
    if (TAKT_EDF) {
        key.deadline_ns = *task->key_deadline_ns;
    }
    if (TAKT_INHERITS_ORDER && takti_walk_edf(key.level)) {
        key.order = takti_key_order(task);
    }
    return key;
}

static bool walk_before(const struct walk_key *a, const struct walk_key *b)
{
    bool equal = a->level == b->level && a->deadline_ns == b->deadline_ns;
    return a->level < b->level || (a->level == b->level && a->deadline_ns < b->deadline_ns) ||
           (equal && a->order < b->order);
}

/* Whether `later` is correctly behind `earlier`: equals of an edf level in declaration order. */
static bool walk_behind(const struct takt_task *later, const struct takt_task *earlier)
{
    struct walk_key key = walk_key_of(later);
    struct walk_key other = walk_key_of(earlier);
    bool apart = walk_before(&key, &other) || walk_before(&other, &key) || !takti_walk_edf(key.level);
    return apart ? !walk_before(&key, &other) : later->config->index >= earlier->config->index;
}

/* A task that waits in turn is in order of arrival, and so may be those behind it. */
unsigned takti_walk_queue(struct takti_walk *walk, struct takt_task *const *queue, const struct takt_task *stand_in,
                          const struct takt_task *member)
{
    unsigned found = 0;
    unsigned length = 0;
    bool in_turn = false;
    const struct takt_task *before = NULL;
    for (const struct takt_task *task = *queue; task != NULL; task = task->next) {
        bool one = task == stand_in || takti_walk_is_task(walk, task);
        if (!takti_must(walk, one, "a queue of waiters consists of tasks", queue) ||
            !takti_must(walk, task->wait_queue == queue, "a task in a wait queue waits in that queue", task) ||
            !takti_must(walk, ++length <= TAKTI_LIST_MAX, "a queue of waiters is finite", queue)) {
            return found;
        }
        unsigned state = task->timer.state;
        takti_must(walk, state >= TAKTI_BLOCKED && state <= TAKTI_BLOCKED_FIFO, "a task in a wait queue is blocked",
                   task);
        in_turn = in_turn || state == TAKTI_BLOCKED_FIFO || takti_mutex_waits_fifo(task);
        takti_must(walk, before == NULL || in_turn || walk_behind(task, before), "waiters are sorted", task);
        found += task == member ? 1 : 0;
        before = task;
    }
    return found;
}

/* The ceiling of a mutex, if any: only the address is used. */
static const struct takt_task *walk_stand_in(const struct takt_mutex *mutex)
{
    return (const struct takt_task *)((uintptr_t)mutex + offsetof(struct takt_ceiling, ceiling));
}

/* Whether a contended mutex is the link of a slot's inheritance: slot.c. Its waiter is neither a task nor a ceiling. */
static bool walk_is_lent(const struct takt_mutex *mutex)
{
    uintptr_t slot = (uintptr_t)mutex - offsetof(struct takt_slot_inheritance, link);
    return (uintptr_t)mutex->waiters == slot + offsetof(struct takt_slot_inheritance, stand_in) &&
           mutex->waiters->config == NULL;
}

/* The lent position in the ready queue of wait.c and mutex.c: only with a single waiter without a timeout. */
static void walk_lent(struct takti_walk *walk, const struct takt_mutex *mutex)
{
    bool one = mutex->waiters->next == NULL && mutex->waiters->timer.armed == 0;
    takti_must(walk, !TAKTI_LENDS || !mutex->lent || one, "a position in the ready queue is lent by the only waiter",
               mutex);
}

/* Through a mutex that a process created its owner inherits if the process declares the longest section, through others
 * unless it is a thread, which is not in the table. */
static bool walk_lends(const struct takt_mutex *mutex, const struct takt_task *owner)
{
    if (takti_mutex_created(mutex)) {
        return !takti_mutex_apart(mutex);
    }
    return !(TAKT_QUOTAS && takti_is_thread(owner));
}

/* Raises `best` to the key that an owner inherits. Returns the number of its contended mutexes. */
static unsigned walk_contended(struct takti_walk *walk, const struct takt_task *task, struct walk_key *best)
{
    unsigned mutexes = 0;
    unsigned length = 0;
    for (const struct takt_mutex *mutex = task->timer.contended; mutex != NULL; mutex = mutex->next_contended) {
        if (!takti_must(walk, takti_aligned(mutex), "a task's contended mutexes are mutexes", task) ||
            !takti_must(walk, mutex->owner == task, "a contended mutex is in its owner's list", mutex) ||
            !takti_must(walk, mutex->waiters != NULL, "a contended mutex has waiters", mutex) ||
            !takti_must(walk, ++length <= TAKTI_LIST_MAX, "a task's list of contended mutexes is finite", task)) {
            return mutexes;
        }
        if (!walk_is_lent(mutex)) {
            (void)takti_walk_queue(walk, &mutex->waiters, walk_stand_in(mutex), NULL);
            mutexes++;
        }
        if (walk->found.what != NULL) {
            return mutexes;
        }
        walk_lent(walk, mutex);
        const struct takt_task *last = takti_mutex_fifo(mutex) ? NULL : mutex->waiters->next;
        for (const struct takt_task *waiter = mutex->waiters; waiter != last; waiter = waiter->next) {
            struct walk_key key = walk_key_of(waiter);
            if (walk_lends(mutex, task) && walk_before(&key, best)) {
                *best = key;
            }
        }
    }
    return mutexes;
}

/* The key without inheritance. */
static struct walk_key walk_own_key(const struct takt_task *task)
{
    struct walk_key key = {.level = task->config->level};
    const struct takt_budget *budget = takti_budget_of(task);
    if (budget != NULL && (budget->state & TAKTI_BUDGET_DEMOTED) != 0) {
        key.level = budget->level;
    }
    if (takti_walk_edf(key.level)) {
        key.deadline_ns = takti_own_deadline_ns(task);
        key.order = TAKT_INHERITS_ORDER ? task->config->index : 0;
    }
    return key;
}

/* Number of known mutexes that the task owns. A mutex is the first member of a ceiling. */
static unsigned walk_owned(const struct takti_walk *walk, const struct takt_task *task)
{
    unsigned owned = 0;
    const struct takt_object *objects = takti_objects();
    for (unsigned handle = takti_kernel.system->task_count; handle < takti_object_count(); handle++) {
        unsigned kind = objects[handle].kind & ~(unsigned)TAKT_OBJECT_FREE;
        if (kind == TAKT_OBJECT_MUTEX || kind == TAKT_OBJECT_CEILING) {
            owned += ((const struct takt_mutex *)objects[handle].object)->owner == task ? 1 : 0;
        }
    }
    if (TAKT_PROCESSES) {
        owned += task->in_process->serving.owner == task ? 1 : 0; /* walk_serving: no other task owns it */
    }
    for (unsigned number = 0; walk->objects != NULL && number < walk->objects->count; number++) {
        struct takt_known object = walk->objects->first[number];
        if (object.kind == TAKT_KNOWN_MUTEX || object.kind == TAKT_KNOWN_CEILING) {
            owned += ((const struct takt_mutex *)object.object)->owner == task ? 1 : 0;
        } else if (object.kind == TAKT_KNOWN_CALL) {
            owned += ((const struct takt_rendezvous_accepted *)object.object)->serving.owner == task ? 1 : 0;
        }
    }
    return owned;
}

static void walk_held(struct takti_walk *walk, const struct takt_task *task)
{
    unsigned held = 0;
    for (const struct takt_mutex *mutex = *task->held; mutex != NULL; mutex = *mutex->next_held) {
        if (!takti_must(walk, takti_aligned(mutex), "a task's list of mutexes consists of mutexes", task) ||
            !takti_must(walk, mutex->owner == task, "a task owns the mutexes in its list", mutex) ||
            !takti_must(walk, ++held <= TAKTI_HOLDS_COUNT, "a task's list of mutexes is finite", task)) {
            return;
        }
    }
    takti_must(walk, held == (task->holds & TAKTI_HOLDS_COUNT),
               "the count of a task's mutexes is the length of its list", task);
}

/* The mutexes of a task, whether it may be stopped, and its effective key. */
static void walk_owner(struct takti_walk *walk, const struct takt_task *task)
{
    bool hinted = (task->timer.flags & TAKTI_FLAG_HINTED) != 0 && task->hint != NULL;
    bool ends = (task->holds & TAKTI_HOLDS) == 0;
    bool job = TAKT_COOPERATIVE && task == takti_kernel.ready.running;
    unsigned holds = task->holds & TAKTI_HOLDS_COUNT;
    unsigned owned = walk_owned(walk, task);
    bool all = takti_walk_all(walk, TAKT_KNOWN_MUTEX) && takti_walk_all(walk, TAKT_KNOWN_CALL);
    struct walk_key key = walk_key_of(task);
    struct walk_key best = walk_own_key(task);
    takti_must(walk, walk_contended(walk, task, &best) <= holds, "a task holds what others wait for", task);
    takti_must(walk, all ? owned == holds : owned <= holds, "the count of a task's mutexes is the number that it owns",
               task);
    takti_must(walk, !ends || hinted || holds != 0 || job, "a stop waits for the last unlock, not longer", task);
    takti_must(walk, !hinted || ends, "the last unlock of a task that gave a hint reaches the slow path", task);
    takti_must(walk, key.level == best.level, "a task's level is the best of its own and of its waiters'", task);
    takti_must(walk, key.deadline_ns == best.deadline_ns,
               "a task's deadline is that of the best of itself and its waiters", task);
    takti_must(walk, key.order == best.order, "a task has the order of the best of itself and its waiters", task);
    if (TAKT_TRACKS_HELD_MUTEXES) {
        walk_held(walk, task);
    }
}

bool takti_walk_contends(const struct takt_task *owner, const struct takt_mutex *mutex)
{
    const struct takt_mutex *contended = owner->timer.contended;
    unsigned length = 0;
    while (takti_aligned(contended) && contended != mutex && ++length < TAKTI_LIST_MAX) {
        contended = contended->next_contended;
    }
    return contended == mutex;
}

/* A task waits for a mutex, which is in the owner's list; or for a signal. */
static void walk_wanted(struct takti_walk *walk, const struct takt_mutex *mutex)
{
    const struct takt_task *owner = mutex->owner;
    if (owner == NULL) {
        const struct takt_condition *condition = (const struct takt_condition *)mutex;
        takti_must(walk, condition->left != NULL, "only a condition has waiters and no owner", mutex);
        return;
    }
    if (!takti_must(walk, takti_walk_is_task(walk, owner), "the owner of a mutex is a task", mutex)) {
        return;
    }
    takti_must(walk, owner->timer.state != TAKTI_DORMANT, "a stopped task owns nothing", mutex);
    takti_must(walk, takti_walk_contends(owner, mutex), "an owner has what others wait for in its list", mutex);
}

/* Whether a task that waits ahead waits for the mutex of its hint. */
static void walk_ahead(struct takti_walk *walk, const struct takt_task *task)
{
    unsigned flags = TAKTI_FLAG_HINTED | TAKTI_FLAG_AHEAD;
    if ((task->timer.flags & flags) != flags) {
        return;
    }
    const struct takt_mutex *mutex = task->hint;
    if ((task->timer.flags & TAKTI_FLAG_SET) != 0 && takti_aligned(mutex)) {
        mutex = ((const struct takt_hint_set *)(const void *)mutex)->current;
    }
    bool there = task->timer.state == TAKTI_BLOCKED_MUTEX && (const void *)task->wait_queue == (const void *)mutex;
    takti_must(walk, there, "a task that waits ahead waits for the mutex of its hint", task);
}

static void walk_waiting(struct takti_walk *walk, const struct takt_task *task)
{
    const struct takt_mutex *mutex = (const struct takt_mutex *)(const void *)task->wait_queue;
    bool locks = task->timer.state == TAKTI_BLOCKED_MUTEX;
    if (mutex == NULL) {
        takti_must(walk, task->timer.state == TAKTI_BLOCKED, "a blocked task in no queue waits for an expiry", task);
    } else if (takti_must(walk, takti_aligned(mutex), "a task waits in a queue", task)) {
        unsigned found = takti_walk_queue(walk, task->wait_queue, locks ? walk_stand_in(mutex) : NULL, task);
        takti_must(walk, found == 1, "a blocked task is in the queue that it waits in", task);
        if (locks) {
            walk_wanted(walk, mutex);
        }
    }
}

void takti_walk_waits(struct takti_walk *walk)
{
    for (unsigned number = 0; number < takti_walk_count(walk); number++) {
        const struct takt_task *task = takti_walk_task(walk, number);
        unsigned state = task == NULL ? TAKTI_DORMANT : task->timer.state;
        if (state == TAKTI_DORMANT) {
            continue;
        }
        if (state >= TAKTI_BLOCKED && state <= TAKTI_BLOCKED_FIFO) {
            walk_waiting(walk, task);
        }
        walk_ahead(walk, task);
        walk_owner(walk, task);
    }
}
