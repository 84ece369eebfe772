/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of `objects`. What is read is one word, or is read in one locked section, so a row shows a state that was. */
#include "library/shell/src/objects.h"

#include "kernel/core/state.h"
#include "library/shell/src/say.h"
#include "takt/shell.h"
#include "takt/system.h"

extern const struct takt_system takt_system; /* generated */

/* One word, which an interrupt or another task may change. */
static uint32_t now(const uint32_t *word)
{
    return *(const volatile uint32_t *)word;
}

/* A word and the name of a task; of one that the declaration does not have, and of none, nothing. */
static bool say_task(const char *word, const struct takt_task *task)
{
    bool declared = task >= takt_system.tasks && task < takt_system.tasks + takt_system.task_count;
    if (declared) {
        takt_shell_say(word);
        takt_shell_say(takt_system.configs[task - takt_system.tasks].name);
    }
    return declared;
}

static void say_flags(uint32_t flags)
{
    char text[sizeof "0x" + 2 * sizeof flags] = "0x";
    for (unsigned digit = 0; digit < 2 * sizeof flags; digit++) {
        text[2 + digit] = "0123456789abcdef"[flags >> (4 * (2 * sizeof flags - 1 - digit)) & 0xF];
    }
    takt_shell_say(text);
}

static void say_us(uint64_t time_ns)
{
    takt_shell_say_number(time_ns / 1000);
    takt_shell_say(" us");
}

void takti_shell_say_mutex(const void *object)
{
    const struct takt_mutex *mutex = object;
    takt_shell_say("mutex, ");
    if (!say_task("owned by ", *(struct takt_task *const volatile *)&mutex->owner)) {
        takt_shell_say("free");
    }
}

void takti_shell_say_ceiling(const void *object)
{
    const struct takt_ceiling *ceiling = object;
    takti_shell_say_mutex(&ceiling->mutex);
}

void takti_shell_say_semaphore(const void *object)
{
    const struct takt_semaphore *semaphore = object;
    takt_shell_say("semaphore, ");
    if (!say_task("releases ", semaphore->trigger)) {
        takti_shell_say_pair(takt_semaphore_count(semaphore), semaphore->maximum, "");
    }
}

void takti_shell_say_mailbox(const void *object)
{
    const struct takt_mailbox *mailbox = object;
    takt_shell_say("mailbox, ");
    takti_shell_say_pair(takt_mailbox_count(mailbox), mailbox->capacity, " messages");
}

void takti_shell_say_priority_mailbox(const void *object)
{
    const struct takt_priority_mailbox *mailbox = object;
    uint32_t left = *(const volatile uint16_t *)&mailbox->buffers.left;
    takt_shell_say("priority mailbox, ");
    takti_shell_say_pair(mailbox->capacity - left, mailbox->capacity, " messages");
}

void takti_shell_say_pipe(const void *object)
{
    const struct takt_pipe *pipe = object;
    takt_shell_say("pipe, ");
    takti_shell_say_pair(now(&pipe->possible[0]), pipe->capacity, " bytes");
}

void takti_shell_say_events(const void *object)
{
    takt_shell_say("events, flags ");
    say_flags(takt_events_get(object));
}

/* Which blocks are free is a list, as long as the pool; its end in use is a word. */
void takti_shell_say_pool(const void *object)
{
    const struct takt_pool *pool = object;
    const uint8_t *fresh = *(uint8_t *const volatile *)&pool->fresh;
    takt_shell_say("pool, ");
    takti_shell_say_pair((size_t)(fresh - pool->storage) / pool->block_size,
                         (size_t)(pool->end - pool->storage) / pool->block_size, " blocks used at once, at most");
}

void takti_shell_say_slot(const void *object)
{
    static const char *const states[] = {"free", "closed", "open"};
    const struct takt_slot *slot = object;
    uint32_t lock = takt_port_lock();
    unsigned state = slot->state;
    const struct takt_task *owner = slot->owner;
    uint32_t left = slot->buffers.left;
    takt_port_unlock(lock);
    takt_shell_say("slot, ");
    takt_shell_say(states[state]);
    if (state != TAKT_SLOT_FREE) { /* a free one has no buffers yet */
        (void)say_task(", owned by ", owner);
        takt_shell_say(", ");
        takti_shell_say_pair(slot->config->capacity - left, slot->config->capacity, " buffers in use");
    }
}

void takti_shell_say_ring(const void *object)
{
    const struct takt_ring *ring = object;
    ptrdiff_t stride = (ptrdiff_t)(TAKTI_RING_STRIDE(ring->size) / sizeof(struct takt_ring_slot));
    ptrdiff_t capacity = (ring->end - ring->first) / stride;
    uint32_t lock = takt_port_lock();
    ptrdiff_t items = (ring->in - ring->out) / stride;
    bool full = items == 0 && ring->in->state >= TAKTI_RING_FULL;
    takt_port_unlock(lock);
    takt_shell_say("ring, ");
    takti_shell_say_pair((uint64_t)(full || items < 0 ? items + capacity : items), (uint64_t)capacity, " items");
}

void takti_shell_say_alarm(const void *object)
{
    uint64_t left_ns = takt_alarm_remaining_ns(object);
    takt_shell_say(left_ns == TAKT_FOREVER ? "alarm, stopped" : "alarm, in ");
    if (left_ns != TAKT_FOREVER) {
        say_us(left_ns);
    }
    takt_shell_say(", missed ");
    takt_shell_say_number(takt_alarm_missed(object));
}

void takti_shell_say_alarm_queue(const void *object)
{
    const struct takt_alarm_queue *queue = object;
    takt_shell_say("alarm queue, ");
    takt_shell_say_number(now(&queue->count));
    takt_shell_say(" alarms");
}

void takti_shell_say_watchdog(const void *object)
{
    const struct takt_watchdog *watchdog = object;
    takt_shell_say("watchdog");
    (void)say_task(" of ", watchdog->task);
    takt_shell_say(", expired ");
    takt_shell_say_number(takt_watchdog_expired(watchdog));
}

void takti_shell_say_signal_pool(const void *object)
{
    const struct takt_signal_pool *pool = object;
    takt_shell_say("signal pool, ");
    takt_shell_say_number(*(const volatile uint16_t *)&pool->left);
    takt_shell_say(" signals free");
}

void takti_shell_say_signal_queue(const void *object)
{
    const struct takt_signal_queue *queue = object;
    takt_shell_say("signal queue");
    (void)say_task(" of ", queue->owner);
    takt_shell_say(*(struct takt_signal *const volatile *)&queue->first == NULL ? ", empty" : ", signals wait");
}

void takti_shell_say_state(const void *object)
{
    const struct takt_state *state = object;
    takt_shell_say("state message of ");
    takt_shell_say_number(state->size);
    takt_shell_say(" bytes");
}

void takti_shell_say_condition(const void *object)
{
    const struct takt_condition *condition = object;
    bool waited = *(struct takt_task *const volatile *)&condition->waiting.waiters != NULL;
    takt_shell_say(waited ? "condition, tasks wait" : "condition, no task waits");
}

void takti_shell_say_rendezvous(const void *object)
{
    const struct takt_rendezvous *rendezvous = object;
    bool called = *(struct takt_task *const volatile *)&rendezvous->callers != NULL;
    takt_shell_say(called ? "rendezvous, calls wait" : "rendezvous, no call waits");
}
