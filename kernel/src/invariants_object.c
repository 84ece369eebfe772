/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that the caller of the walk gives: what they count, and who waits for them. */
#include "kernel/src/invariants.h"
#include "takt/alarm.h"
#include "takt/mailbox.h"
#include "takt/semaphore.h"
#include "takt/watchdog.h"

/* One that nobody waits for; walk_contended has seen the others. */
static void walk_mutex(struct takti_walk *walk, const struct takt_mutex *mutex)
{
    const struct takt_task *owner = mutex->owner;
    bool waited_for = mutex->waiters != NULL;
    if (owner == NULL || owner == &takti_kernel.idle) {
        takti_must(walk, owner == NULL || TAKT_HELD, "only who ends in a section breaks a mutex", mutex);
        takti_must(walk, !waited_for, "nobody waits for a mutex that nobody owns", mutex);
        return;
    }
    if (takti_walk_is_known(walk, owner)) {
        takti_must(walk, owner->timer.state != TAKTI_STOPPED, "a stopped task owns nothing", mutex);
        takti_must(walk, takti_walk_contends(owner, mutex) == waited_for,
                   "an owner has what others wait for in its list", mutex);
        return;
    }
#if TAKTI_HINTS
    bool nobody = takti_kernel.hints != NULL && takti_aligned(owner) && owner->timer.state == TAKTI_NOBODY;
    if (takti_must(walk, nobody || !takti_walk_all(walk, TAKT_KNOWN_TASK), "a mutex is a task's, or nobody's", mutex)) {
        takti_must(walk, !nobody || !waited_for, "nobody waits for a mutex that nobody owns", mutex);
    }
#else
    takti_must(walk, !takti_walk_all(walk, TAKT_KNOWN_TASK), "a mutex is a task's, or nobody's", mutex);
#endif
}

static void walk_semaphore(struct takti_walk *walk, const struct takt_semaphore *semaphore)
{
    bool waits = semaphore->waiters != NULL;
    (void)takti_walk_queue(walk, &semaphore->waiters, NULL, NULL);
    takti_must(walk, semaphore->count <= semaphore->maximum, "a semaphore counts to its maximum", semaphore);
    takti_must(walk, !waits || semaphore->count == 0, "nobody waits for a semaphore that counts", semaphore);
    takti_must(walk, !waits || semaphore->room == 0, "a post for a waiter does not only count", semaphore);
    takti_must(walk, semaphore->room == 0 || semaphore->room + semaphore->count == semaphore->maximum,
               "a semaphore's room is what it may count on", semaphore);
}

/* Where its messages begin and end says how many they are, but for none and all. */
static void walk_mailbox(struct takti_walk *walk, const struct takt_mailbox *mailbox)
{
    uint32_t messages = TAKTI_SMALL ? mailbox->hidden : mailbox->count + mailbox->hidden;
    uint32_t room = mailbox->capacity;
    uint32_t size = mailbox->message_size;
    uint32_t used = (uint32_t)(mailbox->in - mailbox->out + (ptrdiff_t)(size * room)) / size % room;
    (void)takti_walk_queue(walk, &mailbox->receivers, NULL, NULL);
    (void)takti_walk_queue(walk, &mailbox->senders, NULL, NULL);
    takti_must(walk, messages <= room, "a mailbox has no more messages than room", mailbox);
    takti_must(walk, messages % room == used, "a mailbox has the messages that lie in it", mailbox);
    takti_must(walk, mailbox->receivers == NULL || messages == 0, "nobody waits for a message that is there", mailbox);
    takti_must(walk, mailbox->senders == NULL || messages == room, "nobody waits for room that there is", mailbox);
    if (!TAKTI_SMALL) {
        bool waits = mailbox->receivers != NULL || mailbox->senders != NULL;
        takti_must(walk, mailbox->count == 0 || mailbox->hidden == 0, "a mailbox counts its messages once", mailbox);
        takti_must(walk, mailbox->room == 0 || mailbox->room + mailbox->count == room,
                   "a mailbox's room is what its messages leave", mailbox);
        takti_must(walk, !waits || mailbox->room == 0, "a send to a waiter does not only copy", mailbox);
        takti_must(walk, mailbox->senders == NULL || mailbox->count == 0, "nor does a receive from one", mailbox);
    }
}

static void walk_alarm(struct takti_walk *walk, const struct takt_alarm *alarm)
{
    takti_must(walk, alarm->started || alarm->call.timer.armed == 0, "an alarm that comes was started", alarm);
    if (!alarm->queued) {
        return;
    }
    const struct takt_alarm *other = alarm->queue->first;
    unsigned place = 0;
    while (other != NULL && other != alarm && place < alarm->queue->count) {
        other = other->next;
        place++;
    }
    takti_must(walk, other == alarm && place < alarm->queue->count, "an alarm that waits for its task is in its queue",
               alarm);
}

static void walk_watchdog(struct takti_walk *walk, const struct takt_watchdog *watchdog)
{
    bool looks = watchdog->call.timer.armed != 0;
    takti_must(walk, watchdog->state != 0 || !looks, "a stopped watchdog expects nothing", watchdog);
}

void takti_walk_objects(struct takti_walk *walk)
{
    unsigned count = walk->objects == NULL ? 0 : walk->objects->count;
    for (unsigned index = 0; index < count; index++) {
        const struct takt_known *object = &walk->objects->first[index];
        switch (object->kind) {
        case TAKT_KNOWN_MUTEX:
            walk_mutex(walk, object->object);
            break;
        case TAKT_KNOWN_SEMAPHORE:
            walk_semaphore(walk, object->object);
            break;
        case TAKT_KNOWN_MAILBOX:
            walk_mailbox(walk, object->object);
            break;
        case TAKT_KNOWN_ALARM:
            walk_alarm(walk, object->object);
            break;
        case TAKT_KNOWN_WATCHDOG:
            walk_watchdog(walk, object->object);
            break;
        default: /* a task, an instant or a call is seen elsewhere */
            break;
        }
    }
}
