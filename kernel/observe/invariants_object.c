/* SPDX-License-Identifier: Apache-2.0 */
/* Known objects: their counters and their waiters. */
#include "kernel/observe/invariants.h"
#include "kernel/sync/mutex.h"
#include "takt/alarm.h"
#include "takt/ceiling.h"
#include "takt/condition.h"
#include "takt/create.h"
#include "takt/events.h"
#include "takt/rendezvous.h"
#include "takt/semaphore.h"
#include "takt/signal.h"
#include "takt/slot.h"
#include "takt/watchdog.h"

/* A mutex without waiters; walk_contended has checked the others. */
static void walk_mutex(struct takti_walk *walk, const struct takt_mutex *mutex)
{
    const struct takt_task *owner = mutex->owner;
    bool waited_for = mutex->waiters != NULL;
    if (owner == NULL || owner == &takti_kernel.idle) {
        takti_must(walk, owner == NULL || TAKT_TRACKS_HELD_MUTEXES, "only a task that ends in a section breaks a mutex",
                   mutex);
        takti_must(walk, !waited_for, "no task waits for a free mutex", mutex);
        return;
    }
    if (takti_walk_is_known(walk, owner)) {
        takti_must(walk, owner->timer.state != TAKTI_DORMANT, "a stopped task owns nothing", mutex);
        takti_must(walk, takti_walk_contends(owner, mutex) == waited_for,
                   "an owner has what others wait for in its list", mutex);
        return;
    }
    bool nobody = takti_hints() != NULL && takti_aligned(owner) && owner->timer.state == TAKTI_RESERVED_OWNER;
    if (takti_must(walk, nobody || !takti_walk_all(walk, TAKT_KNOWN_TASK), "the owner of a mutex is a task or NULL",
                   mutex)) {
        takti_must(walk, !nobody || !waited_for, "no task waits for a free mutex", mutex);
    }
}

static void walk_semaphore(struct takti_walk *walk, const struct takt_semaphore *semaphore)
{
    bool waits = semaphore->waiters != NULL;
    (void)takti_walk_queue(walk, &semaphore->waiters, NULL, NULL);
    takti_must(walk, semaphore->count <= semaphore->maximum, "a semaphore counts to its maximum", semaphore);
    takti_must(walk, !waits || semaphore->count == 0, "no task waits while the count is above 0", semaphore);
    takti_must(walk, !waits || semaphore->room == 0, "a post with waiters takes the slow path", semaphore);
    takti_must(walk, semaphore->room == 0 || semaphore->room + semaphore->count == semaphore->maximum,
               "the room of a semaphore is its maximum less its count", semaphore);
}

/* The key of a ceiling is among the waiters of its mutex while that is owned. */
static void walk_ceiling(struct takti_walk *walk, const struct takt_ceiling *ceiling)
{
    const struct takt_mutex *mutex = &ceiling->mutex;
    const struct takt_task *key = &ceiling->ceiling;
    bool owned = mutex->owner != NULL && mutex->owner != &takti_kernel.idle && !TAKT_COOPERATIVE;
    walk_mutex(walk, mutex);
    unsigned found = takti_walk_queue(walk, &mutex->waiters, key, key);
    takti_must(walk, found == (owned ? 1u : 0u), "the key of a ceiling mutex is in its queue while it is owned",
               ceiling);
    takti_must(walk, !owned || key->level == &takti_kernel.ready.levels[ceiling->level],
               "the key of a ceiling mutex has its declared level", ceiling);
}

/* A task that waits for a signal is in the queue, and has named its mutex. */
static void walk_condition(struct takti_walk *walk, const struct takt_condition *condition)
{
    const struct takt_mutex *waiting = &condition->waiting;
    unsigned waits = 0;
    takti_must(walk, waiting->owner == NULL, "the mutex of a condition's waiters has no owner", condition);
    (void)takti_walk_queue(walk, &waiting->waiters, NULL, NULL);
    for (const struct takti_condition_wait *wait = condition->waits; wait != NULL; wait = wait->next) {
        if (!takti_must(walk, takti_aligned(wait) && takti_walk_is_task(walk, wait->task),
                        "a waiter for a signal is a task", condition) ||
            !takti_must(walk, wait->task->wait_buffer == wait && wait->task->wait_queue == &waiting->waiters,
                        "a wait for a signal is its task's", wait->task) ||
            !takti_must(walk, ++waits <= TAKTI_LIST_MAX, "the list of waits for a signal is finite", condition)) {
            return;
        }
        takti_must(walk, wait->task->timer.state == TAKTI_BLOCKED_MUTEX && takti_aligned(wait->mutex),
                   "a task that waits for a signal waits for its mutex", wait->task);
    }
    for (const struct takt_task *task = walk->found.what == NULL ? waiting->waiters : NULL; task != NULL;
         task = task->next) {
        waits--;
    }
    takti_must(walk, waits == 0, "every wait for a signal is in the kernel's list", condition);
}

static void walk_events(struct takti_walk *walk, const struct takt_events *events)
{
    (void)takti_walk_queue(walk, &events->waiters, NULL, NULL);
    if (TAKT_PROCESSES) { /* the request of a task of a process is in memory that the process can write */
        return;
    }
    for (const struct takt_task *task = walk->found.what == NULL ? events->waiters : NULL; task != NULL;
         task = task->next) {
        const struct takt_events_wanted *wanted = task->wait_buffer;
        uint32_t there = events->flags & wanted->flags;
        bool all = (wanted->mode & TAKT_EVENTS_ALL) != 0;
        takti_must(walk, all ? there != wanted->flags : there == 0, "no task waits for flags that are set", task);
    }
}

static void walk_rendezvous(struct takti_walk *walk, const struct takt_rendezvous *rendezvous)
{
    (void)takti_walk_queue(walk, &rendezvous->callers, NULL, NULL);
    (void)takti_walk_queue(walk, &rendezvous->acceptors, NULL, NULL);
    takti_must(walk, rendezvous->callers == NULL || rendezvous->acceptors == NULL,
               "no acceptor waits while a call is pending", rendezvous);
}

static void walk_signal_queue(struct takti_walk *walk, const struct takt_signal_queue *queue)
{
    takti_must(walk, queue->waiter == NULL || queue->waiter == queue->owner, "only its owner waits for signals", queue);
    takti_must(walk, *queue->end == NULL, "the last signal in a queue is followed by none", queue);
    if (TAKT_PROCESSES) {
        const struct takt_signal *signal = queue->first;
        unsigned left = *queue->stored;
        for (; signal != NULL && left > 0; left--) {
            signal = signal->next;
        }
        takti_must(walk, signal == NULL && left == 0, "a queue counts its signals", queue);
    }
    (void)takti_walk_queue(walk, &queue->waiter, NULL, NULL);
}

static void walk_slot(struct takti_walk *walk, const struct takt_slot *slot)
{
    bool owned = slot->receivers == NULL || slot->receivers == slot->owner;
    takti_must(walk, owned, "only its owner waits for messages in a slot", slot);
    if (TAKT_PROCESSES) {
        const struct takt_message_buffer *entry = slot->buffers.first;
        unsigned left = slot->in_process->stored;
        for (; entry != NULL && left > 0; left--) {
            entry = entry->next;
        }
        takti_must(walk, entry == NULL && left == 0, "a slot counts its messages", slot);
    }
    (void)takti_walk_queue(walk, &slot->receivers, NULL, NULL);
    (void)takti_walk_queue(walk, &slot->senders, NULL, NULL);
}

static void walk_alarm(struct takti_walk *walk, const struct takt_alarm *alarm)
{
    const struct takt_timer *timer = &alarm->call.timer;
    takti_must(walk, alarm->started || timer->armed == 0, "an alarm that expires was started", alarm);
    if (TAKT_ALARM_DISTANCE) {
        takti_must(walk, timer->armed == 0 || timer->at_ns >= alarm->in_process->earliest_ns,
                   "an alarm expires no sooner than it may", alarm);
    }
    if (!alarm->queued) {
        return;
    }
    const struct takt_alarm *other = alarm->queue->first;
    unsigned position = 0;
    while (other != NULL && other != alarm && position < alarm->queue->count) {
        other = other->next;
        position++;
    }
    takti_must(walk, other == alarm && position < alarm->queue->count,
               "an alarm that waits for its task is in its queue", alarm);
}

#if TAKT_PROCESSES
void takti_walk_alarm_slot(struct takti_walk *walk, const struct takt_object *slot, const struct takt_quota *quota)
{
#if TAKT_PROCESS_ALARMS
    const struct takt_created_alarm *created = slot->object;
    const struct takt_alarm *alarm = &created->alarm;
    if (slot->kind != TAKT_OBJECT_ALARM) {
        takti_must(walk, !alarm->started && alarm->call.timer.armed == 0, "a deleted alarm is stopped", alarm);
        return;
    }
    uint64_t apart_ns = **quota->alarms_apart_ns;
    bool apart = alarm->in_process->distance_ns == apart_ns && (alarm->period_ns == 0 || alarm->period_ns >= apart_ns);
    takti_must(walk, apart, "an alarm of a process expires no more often than is declared", alarm);
    takti_must(walk, takti_walk_is_task(walk, created->task) && created->task->config->release == TAKT_SPORADIC,
               "an alarm of a process releases a sporadic task", alarm);
#else
    (void)walk;
    (void)slot;
    (void)quota;
#endif
}
#endif

static void walk_watchdog(struct takti_walk *walk, const struct takt_watchdog *watchdog)
{
    bool looks = watchdog->call.timer.armed != 0;
    takti_must(walk, watchdog->state != 0 || !looks, "a stopped watchdog has no timer armed", watchdog);
}

/* The call of a rendezvous that a task serves is a mutex of its own; broken until the next call, if the task ended
 * meanwhile. */
static void walk_serving(struct takti_walk *walk, const struct takt_task *task)
{
    const struct takt_task *owner = task->in_process->serving.owner;
    bool own = owner == NULL || owner == task || owner == &takti_kernel.idle;
    if (takti_must(walk, own, "a task serves its calls itself", task)) {
        walk_mutex(walk, &task->in_process->serving);
    }
}

static void walk_object(struct takti_walk *walk, struct takt_known known)
{
    switch (known.kind) {
    case TAKT_KNOWN_MUTEX:
        walk_mutex(walk, known.object);
        break;
    case TAKT_KNOWN_CEILING:
        walk_ceiling(walk, known.object);
        break;
    case TAKT_KNOWN_CONDITION:
        walk_condition(walk, known.object);
        break;
    case TAKT_KNOWN_SEMAPHORE:
        walk_semaphore(walk, known.object);
        break;
    case TAKT_KNOWN_EVENTS:
        walk_events(walk, known.object);
        break;
    case TAKT_KNOWN_MAILBOX:
        takti_walk_mailbox(walk, known.object);
        break;
    case TAKT_KNOWN_PRIORITY_MAILBOX:
        takti_walk_priority_mailbox(walk, known.object);
        break;
    case TAKT_KNOWN_PIPE:
        takti_walk_pipe(walk, known.object);
        break;
    case TAKT_KNOWN_RENDEZVOUS:
        walk_rendezvous(walk, known.object);
        break;
    case TAKT_KNOWN_SIGNAL_QUEUE:
        walk_signal_queue(walk, known.object);
        break;
    case TAKT_KNOWN_SLOT:
        walk_slot(walk, known.object);
        break;
    case TAKT_KNOWN_ALARM:
        walk_alarm(walk, known.object);
        break;
    case TAKT_KNOWN_WATCHDOG:
        walk_watchdog(walk, known.object);
        break;
    default: /* tasks, timers and calls are checked elsewhere */
        break;
    }
}

void takti_walk_objects(struct takti_walk *walk)
{
    for (unsigned number = 0; number < walk->known; number++) {
        walk_object(walk, takti_walk_known(walk, number));
    }
    for (unsigned number = 0; TAKT_PROCESSES && number < takti_walk_count(walk); number++) {
        const struct takt_task *task = takti_walk_task(walk, number);
        if (task != NULL) {
            walk_serving(walk, task);
        }
    }
}
