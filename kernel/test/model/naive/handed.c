/* SPDX-License-Identifier: Apache-2.0 */
/* The naive model: what a task was handed, and has not run to get, when it is stopped. */
#include "naive.h"

bool naive_handed_lock(unsigned index)
{
    const struct naive_handed *handed = &naive.tasks[index].handed;
    return handed->any && (handed->what == FOR_MUTEX || handed->what == FOR_CALL) && naive_sync_locks(index) == 1;
}

static void unit(unsigned index, const struct naive_handed *handed)
{
    unsigned semaphore = handed->object;
    unsigned waiter = naive_best_waiter(FOR_SEMAPHORE, semaphore);
    waiter = waiter != NOBODY ? waiter : naive_best_waiter(FOR_TURN, semaphore);
    naive_event(TAKT_EVENT_POST, index, SEMAPHORE_ID + semaphore, 0);
    if (waiter != NOBODY) {
        naive_event(TAKT_EVENT_TAKE, waiter, SEMAPHORE_ID + semaphore, 0);
        naive_wake(waiter, TAKT_OK);
    } else if (naive.count[semaphore] < naive.plan->semaphore_maximum[semaphore]) {
        naive.count[semaphore]++;
    }
}

static void message(unsigned index, unsigned mailbox)
{
    uint32_t content = naive.tasks[index].returned;
    unsigned receiver = naive_best_waiter(FOR_MESSAGE, mailbox);
    if (receiver == NOBODY && naive.messages[mailbox] == MAILBOX_ROOM) {
        return;
    }
    naive_event(TAKT_EVENT_SEND, index, MAILBOX_ID + mailbox, 0);
    if (receiver != NOBODY) {
        naive_event(TAKT_EVENT_RECEIVE, receiver, MAILBOX_ID + mailbox, 0);
        naive_wake(receiver, TAKT_OK);
        naive.tasks[receiver].returned = content;
        return;
    }
    for (unsigned position = naive.messages[mailbox]++; position > 0; position--) {
        naive.content[mailbox][position] = naive.content[mailbox][position - 1];
    }
    naive.content[mailbox][0] = content;
    if (naive.plan->mailbox_trigger[mailbox] != NOBODY) {
        naive_arrive(naive.plan->mailbox_trigger[mailbox], 0);
    }
}

void naive_take_back(unsigned index)
{
    struct naive_task *task = &naive.tasks[index];
    const struct naive_handed handed = task->handed;
    unsigned signalled = task->signalled;
    if (task->where == WAITS && task->wait_for == FOR_BYTES) {
        task->where = OUT;
        naive_pipe_take_back(index, task->object);
        return;
    }
    task->handed.any = false;
    task->signalled = 0;
    if (handed.any) {
        switch (handed.what) {
        case FOR_SEMAPHORE:
        case FOR_TURN:
            unit(index, &handed);
            break;
        case FOR_MESSAGE:
            message(index, handed.object);
            break;
        case FOR_LETTER:
            naive_letter_take_back(index, handed.object);
            break;
        case FOR_SLOT:
        case FOR_SLOT_ROOM:
            naive_slot_take_back(index, &handed);
            break;
        case FOR_SIGNAL:
            naive_signal_take_back(index, handed.signal);
            break;
        case FOR_BYTES:
            naive_pipe_take_back(index, handed.object);
            break;
        default:
            naive_sync_take_back(index, &handed);
            break;
        }
    }
    bool locks = task->where == WAITS && task->wait_for == FOR_MUTEX;
    if (signalled != 0 && (locks || (handed.any && handed.what == FOR_MUTEX))) {
        naive_sync_signal(signalled - 1, index);
    }
}

void naive_handed_forget(enum wait_for wait_for, unsigned object)
{
    for (unsigned index = 0; index < TASKS_MAX; index++) {
        struct naive_task *task = &naive.tasks[index];
        if (task->handed.what == wait_for && task->handed.object == object) {
            task->handed.any = false;
        }
        if (wait_for == FOR_CONDITION && task->signalled == object + 1) {
            task->signalled = 0;
        }
    }
}
