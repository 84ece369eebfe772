/* SPDX-License-Identifier: Apache-2.0 */
/* A call that is being served is represented by a mutex: the acceptor owns it and the caller waits for it, so the code
 * for inheritance and stops applies. */
#include "kernel/core/processes.h"
#include "kernel/sync/mutex.h"

/* TAKTI_KEPT by a task that waits to be accepted; its `wait_buffer`. */
struct takti_rendezvous_call {
    void *data;
    uint32_t size;
    uint64_t until_ns;
};

void takt_rendezvous_init(struct takt_rendezvous *rendezvous, uint16_t trace_id)
{
    *rendezvous = (struct takt_rendezvous){.id = trace_id, .hands = TAKTI_HANDS_CALL};
}

/* The mutex that the acceptor owns and the caller waits for. A process could overwrite one in its own memory. */
static inline struct takt_mutex *serving_of(struct takt_rendezvous_accepted *accepted, struct takt_task *acceptor)
{
    return TAKT_PROCESSES ? &acceptor->in_process->serving : &accepted->serving;
}

/* `task` begins to serve a call, without a waiting caller yet. */
static void rendezvous_serve(struct takt_rendezvous_accepted *accepted, struct takt_task *task, void *data,
                             uint32_t size, uint16_t id)
{
    TAKT_ASSERT((task->holds & TAKTI_HOLDS_COUNT) != TAKTI_HOLDS_COUNT);
    if (TAKT_PROCESSES) {
        accepted->data = data;
        accepted->size = size;
        task->in_process->serving = (struct takt_mutex){.owner = task, .id = id, .hands = TAKTI_HANDS_CALL};
    } else {
        *accepted = (struct takt_rendezvous_accepted){
            .data = data, .size = size, .serving = {.owner = task, .id = id, .hands = TAKTI_HANDS_CALL}};
    }
    task->holds++;
    takti_held_locked(task, serving_of(accepted, task));
    takti_trace(TAKT_EVENT_RECEIVE, task, id, 1);
}

/* Copies the request to the acceptor's buffer, if the data is copied. The caller's process passed a size that fits. */
static void request_copy(const struct takt_rendezvous *rendezvous, struct takt_rendezvous_accepted *accepted,
                         struct takt_task *acceptor, const struct takti_rendezvous_call *call)
{
    acceptor->in_process->reply_size = rendezvous->reply_size;
    if (takti_rendezvous_copies(rendezvous)) {
        accepted->data = acceptor->in_process->exchange;
        takti_copy_message(acceptor->in_process->exchange, call->data, call->size);
    }
}

/* Copies the reply to the caller, which waits for it: its process may be ending, but has all its memory until then. */
static void reply_copy(const struct takt_task *acceptor, const struct takt_task *caller)
{
    const struct takti_rendezvous_call *call = caller->wait_buffer;
    if (acceptor->in_process->reply_size > 0) {
        takti_copy_message(call->data, acceptor->in_process->exchange, acceptor->in_process->reply_size);
    }
}

/* Hands a call over to the best waiting acceptor, which must exist. Returns the mutex that the caller waits for. */
static struct takt_mutex *rendezvous_hand(struct takt_rendezvous *rendezvous, const struct takti_rendezvous_call *call)
{
    struct takt_task *acceptor = rendezvous->acceptors;
    struct takt_rendezvous_accepted *accepted = acceptor->wait_buffer;
    rendezvous_serve(accepted, acceptor, call->data, call->size, rendezvous->id);
    if (TAKT_PROCESSES) {
        request_copy(rendezvous, accepted, acceptor, call);
    }
    (void)takti_hand_first(&rendezvous->acceptors);
    return serving_of(accepted, acceptor);
}

enum takt_status takt_rendezvous_call_until(struct takt_rendezvous *rendezvous, void *data, uint32_t size,
                                            uint64_t until_ns)
{
    uint32_t lock = takt_port_enter();
    if (TAKT_PROCESSES) {
        (void)takti_ending_leave(&rendezvous->acceptors);
    }
    TAKTI_KEPT(struct takti_rendezvous_call, call);
    *call = (struct takti_rendezvous_call){data, size, until_ns};
    TAKT_ASSERT(takt_port_caller(lock) == 0);
    takti_trace(TAKT_EVENT_SEND, takti_kernel.ready.running, rendezvous->id, 0);
    if (rendezvous->acceptors == NULL) {
        (void)takti_trigger(rendezvous->trigger);
        takti_kernel.ready.running->wait_buffer = call;
        return takti_wait_until(&rendezvous->callers, TAKT_TRACE ? rendezvous->id : 0, until_ns);
    }
    return takti_wait_for_served(rendezvous_hand(rendezvous, call), call);
}

enum takt_status takt_rendezvous_call(struct takt_rendezvous *rendezvous, void *data, uint32_t size)
{
    return takt_rendezvous_call_until(rendezvous, data, size, TAKT_FOREVER);
}

/* Makes the caller, which is in no queue, wait for the completion. */
static void rendezvous_await(struct takt_task *caller, struct takt_mutex *serving)
{
    caller->timer.state = TAKTI_BLOCKED_MUTEX;
    caller->wait_queue = &serving->waiters;
    takti_wait_insert(caller);
    takti_mutex_left_link();
    takti_contend(serving);
    takti_key_raise(serving->owner, caller);
}

/* The running task accepts the best call, whose caller then waits for the completion. */
static void rendezvous_take(struct takt_rendezvous *rendezvous, struct takt_rendezvous_accepted *accepted)
{
    struct takt_task *caller = rendezvous->callers;
    struct takt_task *task = takti_kernel.ready.running;
    const struct takti_rendezvous_call *call = caller->wait_buffer;
    rendezvous->callers = caller->next;
    rendezvous_serve(accepted, task, call->data, call->size, rendezvous->id);
    if (TAKT_PROCESSES) {
        request_copy(rendezvous, accepted, task, call);
    }
    takti_timer_cancel(&caller->timer);
    rendezvous_await(caller, serving_of(accepted, task));
}

/* Makes the caller, which is in no queue, wait for another acceptor. */
static void rendezvous_call_again(struct takt_rendezvous *rendezvous, struct takt_task *caller)
{
    const struct takti_rendezvous_call *call = caller->wait_buffer;
    if (takti_ending_leave(&rendezvous->acceptors)) {
        rendezvous_await(caller, rendezvous_hand(rendezvous, call));
        return;
    }
    takti_timer_cancel(&caller->timer);
    caller->timer.state = TAKTI_BLOCKED;
    caller->wait_queue = &rendezvous->callers;
    takti_wait_insert_first(caller);
    takti_timer_arm(&caller->timer, call->until_ns);
    (void)takti_trigger(rendezvous->trigger);
}

void takti_rendezvous_give_back(struct takt_task **queue, struct takt_task *task)
{
    struct takt_rendezvous *rendezvous = (struct takt_rendezvous *)(void *)queue;
    struct takt_mutex *serving = serving_of(task->wait_buffer, task);
    struct takt_task *caller = serving->waiters; /* NULL: it was stopped */
    task->holds--;
    takti_held_unlocked(task, serving);
    if (caller != NULL) {
        takti_uncontend(serving);
        serving->waiters = NULL;
        takti_key_update(task);
        rendezvous_call_again(rendezvous, caller);
    }
    serving->owner = NULL;
}

enum takt_status takt_rendezvous_accept_until(struct takt_rendezvous *rendezvous,
                                              struct takt_rendezvous_accepted *accepted, uint64_t until_ns)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takt_port_caller(lock) == 0);
    if (rendezvous->callers == NULL) {
        takti_kernel.ready.running->wait_buffer = accepted;
        return takti_wait_until(&rendezvous->acceptors, TAKT_TRACE ? rendezvous->id : 0, until_ns);
    }
    rendezvous_take(rendezvous, accepted);
    return takti_reschedule(lock);
}

enum takt_status takt_rendezvous_accept(struct takt_rendezvous *rendezvous, struct takt_rendezvous_accepted *accepted)
{
    return takt_rendezvous_accept_until(rendezvous, accepted, TAKT_FOREVER);
}

enum takt_status takt_rendezvous_try_accept(struct takt_rendezvous *rendezvous,
                                            struct takt_rendezvous_accepted *accepted)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takt_port_caller(lock) == 0);
    if (rendezvous->callers == NULL) {
        takt_port_leave(lock);
        return TAKT_BUSY;
    }
    rendezvous_take(rendezvous, accepted);
    return takti_reschedule(lock);
}

void takt_rendezvous_complete(struct takt_rendezvous_accepted *accepted)
{
    uint32_t lock = takt_port_enter();
    struct takt_task *task = takti_kernel.ready.running;
    struct takt_mutex *serving = serving_of(accepted, task);
    TAKT_ASSERT(takt_port_caller(lock) == 0 && serving->owner == task);
    takti_trace(TAKT_EVENT_POST, task, serving->id, 0);
    task->holds--;
    takti_held_unlocked(task, serving);
    if (serving->waiters != NULL) { /* otherwise the caller was stopped */
        if (TAKT_PROCESSES) {
            reply_copy(task, serving->waiters);
        }
        takti_uncontend(serving);
        (void)takti_wake_first(&serving->waiters);
        takti_key_update(task);
    }
    serving->owner = NULL;
    takti_mutex_given_back(task);
    (void)takti_reschedule(lock);
}

unsigned takti_rendezvous_calls(const struct takt_rendezvous *rendezvous)
{
    unsigned calls = 0;
    for (const struct takt_task *caller = rendezvous->callers; caller != NULL; caller = caller->next) {
        calls++;
    }
    return calls;
}

void takt_rendezvous_delete(struct takt_rendezvous *rendezvous)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takt_port_caller(lock) == 0);
    takti_delete(&rendezvous->callers, &rendezvous->acceptors, rendezvous->id, lock);
}
