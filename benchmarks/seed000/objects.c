/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that a process creates, and state messages and shared memory. */
#include "measure.h"

#include <string.h>

static struct takt_mutex *mutex; /* of the condition that better waits for */
static struct takt_condition *condition;
static uint32_t written[2], received[2];

void objects_prepare(void)
{
    expect(takt_mutex_create(&mutex) == TAKT_OK && takt_condition_create(&condition) == TAKT_OK, CONDITION_WAIT);
    takt_task_resume(TASK_better);
}

static void mutexes_once(void)
{
    struct takt_mutex *created;
    stamp(0);
    enum takt_status status = takt_mutex_create(&created);
    stamp(1);
    expect(status == TAKT_OK, MUTEX_CREATE);
    count(MUTEX_CREATE, 0);
    stamp(0);
    status = takt_mutex_lock(created);
    stamp(1);
    expect(status == TAKT_OK, MUTEX_LOCK);
    count(MUTEX_LOCK, 0);
    stamp(0);
    takt_mutex_unlock(created);
    stamp(1);
    count(MUTEX_UNLOCK, 0);
    expect(takt_mutex_try_lock(created) == TAKT_OK, MUTEX_UNLOCK);
    takt_mutex_unlock(created);
    stamp(0);
    takt_mutex_delete(created);
    stamp(1);
    count(MUTEX_DELETE, 0);
}

static void mailboxes_once(void)
{
    static const struct takt_mailbox_attributes attributes = {.message_size = sizeof written, .capacity = 4};
    struct takt_mailbox *created;
    stamp(0);
    enum takt_status status = takt_mailbox_create(&created, &attributes);
    stamp(1);
    expect(status == TAKT_OK, MAILBOX_CREATE);
    count(MAILBOX_CREATE, 0);
    written[0]++;
    stamp(0);
    status = takt_mailbox_send(created, written);
    stamp(1);
    expect(status == TAKT_OK, MAILBOX_SEND);
    count(MAILBOX_SEND, 0);
    stamp(0);
    status = takt_mailbox_receive(created, received);
    stamp(1);
    expect(status == TAKT_OK && received[0] == written[0], MAILBOX_RECEIVE);
    count(MAILBOX_RECEIVE, 0);
    stamp(0);
    takt_mailbox_delete(created);
    stamp(1);
    count(MAILBOX_DELETE, 0);
}

void states_once(void)
{
    written[0]++;
    stamp(0);
    latest_write(written);
    stamp(1);
    count(STATE_WRITE, 0);
    memset(received, 0, sizeof received);
    stamp(0);
    enum takt_status status = latest_read(received);
    stamp(1);
    expect(status == TAKT_OK && received[0] == written[0], STATE_READ);
    count(STATE_READ, 0);
    memset(received, 0, sizeof received);
    stamp(0);
    status = latest_read_locked(received);
    stamp(1);
    expect(status == TAKT_OK && received[0] == written[0], STATE_READ_LOCKED);
    count(STATE_READ_LOCKED, 0);
}

static void shared_once(struct takt_shared *shared, enum operation attach, enum operation detach)
{
    stamp(0);
    uint32_t *memory = takt_shared_attach(shared);
    stamp(1);
    expect(memory != NULL && (attach == SHARED_ATTACH || *memory == 0), attach);
    count(attach, 0);
    *memory = 1; /* the next that attaches what nobody has finds zeros */
    stamp(0);
    takt_shared_detach(shared);
    stamp(1);
    count(detach, 0);
}

void objects_once(void)
{
    mutexes_once();
    mailboxes_once();
    shared_once(&fresh, SHARED_ATTACH_FIRST, SHARED_DETACH_LAST);
    shared_once(&kept, SHARED_ATTACH, SHARED_DETACH);
}

static volatile uint32_t signals;

/* Above the measuring task: what wakes it switches to it, and its wait switches back. */
void better_run(void *argument)
{
    (void)argument;
    takt_task_suspend(TASK_better); /* until objects_prepare */
    expect(takt_mutex_lock(mutex) == TAKT_OK, CONDITION_WAIT);
    for (;;) {
        stamp(2);
        enum takt_status status = takt_condition_wait(condition, mutex);
        stamp(1);
        expect(status == TAKT_OK, CONDITION_WAIT);
        signals++;
    }
}

void conditions_once(void)
{
    struct takt_condition *created;
    uint32_t before = signals;
    stamp(0);
    takt_condition_signal(condition);
    stamp(3);
    expect(signals == before + 1, CONDITION_SIGNAL_RUNS);
    count(CONDITION_SIGNAL_RUNS, 0);
    count(CONDITION_WAIT, 2);
    stamp(0);
    enum takt_status status = takt_condition_create(&created);
    stamp(1);
    expect(status == TAKT_OK, CONDITION_CREATE);
    count(CONDITION_CREATE, 0);
    stamp(0);
    takt_condition_signal(created);
    stamp(1);
    expect(signals == before + 1, CONDITION_SIGNAL);
    count(CONDITION_SIGNAL, 0);
    stamp(0);
    takt_condition_delete(created);
    stamp(1);
    count(CONDITION_DELETE, 0);
}
