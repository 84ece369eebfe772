/* SPDX-License-Identifier: Apache-2.0 */
/* The walk over the kernel's state finds each kind of damage to objects: as invariants_test.c. */
#include "invariants_damage.h"

static void break_objects(void)
{
    struct takt_task *waiter = scenario_find("w");
    BREAKS(signalled.owner, &takti_kernel.idle,
           TAKT_TRACKS_HELD_MUTEXES ? "nothing" : "only a task that ends in a section breaks a mutex");
    BREAKS(signalled.owner, &unknown, "the owner of a mutex is a task or NULL");
    BREAKS(signalled.owner, wild(), "the owner of a mutex is a task or NULL");
    BREAKS(signalled.waiters, waiter, "no task waits for a free mutex");
    BREAKS(signalled.owner, scenario_find("z"), "a stopped task owns nothing");
    BREAKS(other.waiters, waiter, "an owner has what others wait for in its list");
    BREAKS(counts.count, 3, "a semaphore counts to its maximum");
    BREAKS(counts.room, 2, "the room of a semaphore is its maximum less its count");
    BREAKS(waited.count, 1, "no task waits while the count is above 0");
    BREAKS(waited.room, 1, "a post with waiters takes the slow path");
    BREAKS(counts.waiters, waiter, "a task in a wait queue waits in that queue");
    BREAKS(holding.hidden, 3, "a mailbox has no more messages than room");
    BREAKS(holding.in, (uint8_t *)storage[0], "the count of a mailbox is the number of its messages");
    BREAKS(full.hidden, 0, "no sender waits while there is room");
    BREAKS(empty.hidden, 2, "no receiver waits while there is a message");
    BREAKS(empty.capacity, 0, "a mailbox has buffers");
    BREAKS(empty.message_size, 0, "a mailbox has buffers");
    full.count = full.hidden; /* as if it could be received from without a look at the waiters */
    full.hidden = 0;
    expect(TAKTI_OPTIMIZE_SIZE ? "no sender waits while there is room"
                               : "a receive with waiting senders takes the slow path");
    full.hidden = (uint16_t)full.count;
    full.count = 0;
    if (!TAKTI_OPTIMIZE_SIZE) {
        BREAKS(holding.room, 2, "the room of a mailbox is its capacity less its messages");
        BREAKS(empty.room, 2, "a send with waiting receivers takes the slow path");
    }
    BREAKS(alarms[0].started, false, "an alarm that expires was started");
    BREAKS(alarm_queue.first, NULL, "an alarm that waits for its task is in its queue");
    BREAKS(alarm_queue.count, 0, "an alarm that waits for its task is in its queue");
    struct takt_alarm *next = alarms[0].next;
    struct takt_alarm *first = alarm_queue.first;
    alarm_queue.first = alarms[0].next = &alarms[0]; /* a queue without an end, which does not have it */
    expect("an alarm that waits for its task is in its queue");
    alarms[0].next = next;
    alarm_queue.first = first;
    BREAKS(watchdog.state, 0, "a stopped watchdog has no timer armed");
}

/* An owner that is no task of the table. */
static void break_owners(void)
{
    struct takt_known_objects some = objects;
    some.all = 0;
    signalled.owner = &unknown;
    CHECK(takti_kernel_broken(&some).what == NULL);
#if TAKTI_HINTS
    unknown.timer.state = TAKTI_RESERVED_OWNER; /* it stands for nobody: hint.c */
    expect("nothing");
    BREAKS(signalled.waiters, scenario_find("w"), "no task waits for a free mutex");
    unknown.timer.state = TAKTI_DORMANT;
#endif
    signalled.owner = NULL;
}

static void break_waited(void)
{
    struct takt_task *waiter = scenario_find("w");
    struct takt_task *signal = scenario_find("c");
    struct takti_condition_wait *wait = condition.waits;
    BREAKS(condition.waiting.waiters, NULL, "a blocked task is in the queue that it waits in");
    BREAKS(condition.waiting.owner, scenario_find("z"), "a stopped task owns nothing");
    BREAKS(condition.waits, NULL, "every wait for a signal is in the kernel's list");
    BREAKS(condition.waits, wild(), "a waiter for a signal is a task");
    BREAKS(wait->task, &unknown, "a waiter for a signal is a task");
    BREAKS(wait->task, waiter, "a wait for a signal is its task's");
    BREAKS(signal->wait_buffer, NULL, "a wait for a signal is its task's");
    BREAKS(wait->next, wait, "the list of waits for a signal is finite");
    struct takt_condition elsewhere = condition; /* it waits there */
    condition.waiting.waiters = NULL;
    BREAKS(signal->wait_queue, &elsewhere.waiting.waiters, "a wait for a signal is its task's");
    condition.waiting.waiters = signal;
    BREAKS(wait->mutex, NULL, "a task that waits for a signal waits for its mutex");
    BREAKS(signal->timer.state, TAKTI_BLOCKED, "a task that waits for a signal waits for its mutex");
    BREAKS(flags.flags, 3, "no task waits for flags that are set");
    BREAKS(flags.waiters, waiter, "a task in a wait queue waits in that queue");
    BREAKS(((struct takt_events_wanted *)scenario_find("k")->wait_buffer)->mode, 0,
           "no task waits for flags that are set");
    BREAKS(meet.acceptors, waiter, "a task in a wait queue waits in that queue");
    BREAKS(meet.callers, NULL, "a blocked task is in the queue that it waits in");
}

/* Another task, at the level of the ceiling, waits in its place. */
static void break_ceiling(void)
{
    struct takt_task *task = scenario_find("v");
    struct takt_task saved = *task;
    uint8_t *own = &scenario.configs[task->config->index].level;
    uint8_t level = *own;
    BREAKS(ceiling.level, CEILING + 1, "the key of a ceiling mutex has its declared level");
    empty.receivers = NULL;
    ceiling.mutex.waiters = task;
    task->wait_queue = &ceiling.mutex.waiters;
    task->level = ceiling.ceiling.level;
    task->level_bit = ceiling.ceiling.level_bit;
    *own = CEILING;
#if TAKT_TRACE
    task->trace->identity = (uint32_t)scenario.system.level_bands[CEILING] << 8 | (uint32_t)task->config->index << 16;
#endif
    expect("the key of a ceiling mutex is in its queue while it is owned");
    *task = saved;
    *own = level;
    ceiling.mutex.waiters = &ceiling.ceiling;
    empty.receivers = task;
}

static void break_pipes(void)
{
    BREAKS(dry.capacity, 0, "a pipe has room");
    BREAKS(dry.offsets[false], 9, "a pipe's offsets are within it");
    BREAKS(dry.offsets[true], 9, "a pipe's offsets are within it");
    BREAKS(wet.possible[true], 4, "the room of a pipe is its capacity less its bytes");
    BREAKS(wet.possible[false], 9, "the room of a pipe is its capacity less its bytes");
    BREAKS(wet.offsets[true], 4, "the count of a pipe is the number of its bytes");
    dry.possible[false] = dry.capacity;
    dry.possible[true] = 0;
    expect("no reader waits while there are bytes");
    dry.possible[false] = 0;
    dry.possible[true] = dry.capacity;
    dry.waiters[true] = dry.waiters[false]; /* as if it had come to write */
    dry.waiters[false] = NULL;
    dry.waiters[true]->wait_queue = &dry.waiters[true];
    expect("no sender waits while there is room");
    dry.waiters[false] = dry.waiters[true];
    dry.waiters[true] = NULL;
    dry.waiters[false]->wait_queue = &dry.waiters[false];
}

static void break_letters(void)
{
    struct takt_message_buffers *buffers = &letters.buffers;
    struct takt_message_buffer *last = buffers->last;
    BREAKS(buffers->bytes, 8, "a buffer has the size of one message");
    BREAKS(buffers->bytes, 0, "a buffer has the size of one message");
    BREAKS(buffers->fresh, buffers->fresh + 1, "the unused buffers are at the end of the storage");
    BREAKS(buffers->fresh, buffers->fresh + buffers->bytes, "the unused buffers are at the end of the storage");
    BREAKS(buffers->first, wild(), "messages are in buffers that were used");
    BREAKS(buffers->fresh, letters.storage, "messages are in buffers that were used");
    BREAKS(buffers->free, (struct takt_message_buffer *)(void *)((uint8_t *)buffers->free + 1),
           "messages are in buffers that were used");
    BREAKS(last->next, last, "a list of buffers is finite");
    BREAKS(last->priority, 1, "messages are sorted");
    BREAKS(buffers->last, buffers->first, "the pointer to the last message is right");
    BREAKS(buffers->free, NULL, "the remaining buffers are free");
    BREAKS(buffers->left, 0, "the remaining buffers are free");
    BREAKS(buffers->first, last, "a buffer has a message or is free");
    struct takt_task *receiver = scenario_find("v"); /* as if it waited here */
    struct takt_task **queue = receiver->wait_queue;
    empty.receivers = NULL;
    letters.receivers = receiver;
    receiver->wait_queue = &letters.receivers;
    expect("no receiver waits while there is a message");
    letters.receivers = NULL;
    letters.senders = receiver;
    receiver->wait_queue = &letters.senders;
    expect("no sender waits while there is room");
    letters.senders = NULL;
    empty.receivers = receiver;
    receiver->wait_queue = queue;
}

static void probe(void)
{
    expect("nothing");
    break_objects();
    break_owners();
    break_waited();
    break_ceiling();
    break_pipes();
    break_letters();
    expect("nothing");
}

static void look(void)
{
    expect("nothing"); /* nor has anybody given a hint */
    BREAKS(signalled.owner, &unknown, "the owner of a mutex is a task or NULL");
}

static void call_comes(struct takti_call *call)
{
    (void)call;
}

int main(void)
{
    (void)alarm(HANGS_S); /* a damaged list is not followed for ever */
    begin();
    scenario_run(10);
    printf("%u kinds of damage\n", found);
    CHECK(found > 50 && wrong == 0);
    return 0;
}
