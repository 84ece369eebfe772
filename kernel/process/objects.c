/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Treatment of each object at the end and restart of a process; listed in docs/processes.md, What a restart does.
 * Objects that only the process uses are reset. Its effects on objects of others end: an alarm or a watchdog that it
 * was the last to start or stop, a task that it suspended or stopped. Items that it handed over remain.
 */
#include "kernel/process/restart.h"

#include "kernel/core/processes.h"
#include "kernel/process/quota.h"
#include "kernel/sync/mutex.h"

/* Its own interrupts are attached as soon as its tasks run: takt_irq_attach is for those that several may serve. */
void takti_process_attach(const struct takt_process *process, struct takt_process_interrupt *interrupt)
{
    interrupt->attached = process->config->index;
    takt_port_irq_attach(interrupt->number, interrupt->handler, true);
    takt_port_irq_mask(interrupt->number, false);
}

bool takti_process_owns(const struct takt_process *process, const struct takt_object *object,
                        enum takt_object_kind kind)
{
    return object->kind == kind && object->owner == process->config->index;
}

/* The order of an object's waiters, which is not part of its state. */
static inline void fifo_set(bool *member, bool in_turn)
{
    if (TAKT_FIFO_WAITERS) {
        *member = in_turn;
    }
}

/* Resets an object that only the process uses: all its tasks are stopped, so it has no waiters. */
static void object_renew(const struct takt_object *slot)
{
    void *object = slot->object;
    switch ((enum takt_object_kind)slot->kind) {
    case TAKT_OBJECT_MUTEX: {
        struct takt_mutex *mutex = object;
        bool in_turn = takti_mutex_fifo(mutex);
        takt_mutex_init(mutex, mutex->id);
        fifo_set(mutex->in_turn, in_turn);
        break;
    }
    case TAKT_OBJECT_CEILING:
        takt_mutex_init(object, ((struct takt_ceiling *)object)->mutex.id);
        ((struct takt_ceiling *)object)->mutex.hands = TAKTI_HANDS_CEILING;
        break;
    case TAKT_OBJECT_SEMAPHORE: {
        struct takt_semaphore *semaphore = object;
        bool in_turn = TAKT_FIFO_WAITERS && *semaphore->in_turn;
        takt_semaphore_init(semaphore, semaphore->id, semaphore->trigger, semaphore->initial, semaphore->maximum);
        fifo_set(semaphore->in_turn, in_turn);
        break;
    }
    case TAKT_OBJECT_CONDITION:
        takt_condition_init(object, ((struct takt_condition *)object)->waiting.id);
        break;
    case TAKT_OBJECT_EVENTS:
        ((struct takt_events *)object)->flags = 0;
        break;
    case TAKT_OBJECT_MAILBOX: {
        struct takt_mailbox *mailbox = object;
        bool in_turn = TAKT_FIFO_WAITERS && *mailbox->in_turn;
        takt_mailbox_init(mailbox, mailbox->id, mailbox->storage, mailbox->message_size, mailbox->capacity,
                          mailbox->trigger);
        fifo_set(mailbox->in_turn, in_turn);
        break;
    }
    case TAKT_OBJECT_PRIORITY_MAILBOX: {
        struct takt_priority_mailbox *mailbox = object;
        bool in_turn = TAKT_FIFO_WAITERS && *mailbox->in_turn;
        *mailbox = (struct takt_priority_mailbox){TAKTI_PRIORITY_MAILBOX(mailbox->id, mailbox->storage,
                                                                         mailbox->message_size, mailbox->capacity,
                                                                         mailbox->arrival, mailbox->trigger)};
        fifo_set(mailbox->in_turn, in_turn);
        break;
    }
    case TAKT_OBJECT_PIPE: {
        struct takt_pipe *pipe = object;
        *pipe =
            (struct takt_pipe)TAKTI_PIPE(pipe->id, pipe->storage, pipe->capacity, pipe->trigger_bytes, pipe->trigger);
        break;
    }
    default: /* tasks are stopped one by one; a rendezvous has no state besides its waiters */
        break;
    }
}

/* Resets an alarm to its declaration, if only the process uses it or was the last to start or stop it. */
static unsigned alarm_free(const struct takt_process *process, const struct takt_object *slot)
{
    struct takt_alarm *alarm = slot->object;
    if (slot->owner != process->config->index && alarm->in_process->by != TAKTI_BY(process)) {
        return TAKTI_WORK_LOOK;
    }
    takti_alarm_renew(alarm);
    return TAKTI_WORK_TIMER;
}

/* The same for a watchdog; any watchdog of a task of the process is paused meanwhile. */
static unsigned watchdog_free(const struct takt_process *process, const struct takt_object *slot)
{
    struct takt_watchdog *watchdog = slot->object;
    bool ends = watchdog->task->config->process == process;
    if (slot->owner == process->config->index || watchdog->in_process->by == TAKTI_BY(process)) {
        takti_watchdog_renew(watchdog, ends);
    } else if (ends) {
        takti_watchdog_pause(watchdog);
    } else {
        return TAKTI_WORK_LOOK;
    }
    return TAKTI_WORK_TIMER;
}

/* Continues a task of another process that the process suspended or stopped. Needs a step of its own; postponed if
 * there is no room. */
static unsigned task_free(struct takt_process *process, struct takt_task *task, unsigned room)
{
    bool stopped = task->timer.state == TAKTI_DORMANT;
    if (task->in_process->managed_by != TAKTI_BY(process)) {
        return TAKTI_WORK_LOOK;
    }
    if (room < TAKTI_WORK ||
        (stopped && task == takti_kernel.ready.running)) { /* otherwise its context must still be saved */
        process->at--;
        return TAKTI_WORK;
    }
    task->in_process->managed_by = 0;
    if (!stopped) {
        takti_task_resume(task);
    } else if (takti_process_runs(task)) {
        takti_task_restart(task, &takti_kernel.system->configs[task->config->index], takti_clock_ns());
    }
    return TAKTI_WORK;
}

/* Masks a line and detaches it, so that another process may attach it. */
static void interrupt_detach(struct takt_process_interrupt *interrupt)
{
    takt_port_irq_mask(interrupt->number, true);
    interrupt->attached = UINT8_MAX;
    interrupt->acknowledged = false;
}

static void shared_leave(const struct takt_process *process, struct takt_shared *shared)
{
    for (unsigned region = process->config->region_count; region < process->region_count; region++) {
        shared->users -= process->regions[region].base == shared->region.base ? 1 : 0;
    }
}

/* Returns the next signal of the pool that a task of the process held. */
static unsigned signal_pool_free(struct takt_process *process, const struct takt_signal_pool *pool)
{
    struct takt_signal *signal = takti_signal_at(pool, process->within);
    if (signal == NULL) {
        process->within = 0;
        return TAKTI_WORK_LOOK;
    }
    process->within++;
    process->at--; /* the same again */
    if (takti_signal_held_by(signal, process->config->index)) {
        takti_signal_put(signal);
    }
    return TAKTI_WORK_OBJECT;
}

/* Returns the next block of the pool that the process has. A waiter may get it, so that needs a step of its own. */
static unsigned pool_blocks_free(struct takt_process *process, struct takt_pool *pool, unsigned room)
{
    struct takti_pool_token *token = takti_pool_token_at(pool, process->within);
    if (token == NULL) {
        process->within = 0;
        return TAKTI_WORK_LOOK;
    }
    process->at--; /* the same again */
    if (token->holder == process->config->index + 1u) {
        if (room < TAKTI_WORK) {
            return TAKTI_WORK;
        }
        takti_pool_return(pool, token);
    }
    process->within++;
    return TAKTI_WORK_OBJECT;
}

/*
 * Returns the next buffer that the process has reserved, then, if its task owns the slot, those that this has taken,
 * and all if only it uses the slot; then the slot has no owner. A waiter may get a buffer, so each needs a step of its
 * own.
 */
static unsigned slot_free(struct takt_process *process, const struct takt_object *object, unsigned room)
{
    struct takt_slot *slot = object->object;
    unsigned index = process->config->index;
    struct takt_message_buffer *entry = takti_slot_buffer_at(slot, process->within);
    bool reserved = entry != NULL && takti_slot_reserved_by(slot, entry, index);
    bool owned = entry == NULL && takti_slot_owned_by(slot, index);
    process->at--; /* the same again */
    if ((reserved || owned) && room < TAKTI_WORK) {
        return TAKTI_WORK;
    }
    if (reserved) {
        takti_slot_return(slot, entry);
    }
    if (entry != NULL) {
        process->within++;
        return TAKTI_WORK_OBJECT;
    }
    if (owned && takti_slot_drop(slot, object->owner == index)) {
        return TAKTI_WORK;
    }
    if (owned) {
        takti_slot_end(slot, object->owner != index);
    }
    process->at++;
    process->within = 0;
    return owned ? TAKTI_WORK : TAKTI_WORK_LOOK;
}

/* Returns the next signal in a queue of the process, if only its tasks send there. */
static unsigned signal_queue_free(struct takt_process *process, const struct takt_object *slot)
{
    if (slot->owner != process->config->index || !takti_signal_drop(slot->object)) {
        return TAKTI_WORK_LOOK;
    }
    process->at--; /* the same again */
    return TAKTI_WORK_OBJECT;
}

/* Ends the use of an object by the process. */
static unsigned object_free(struct takt_process *process, const struct takt_object *object, unsigned room)
{
    const struct takt_process_interrupt *interrupt = object->object;
    if (object->kind == TAKT_OBJECT_TASK) {
        return task_free(process, object->object, room);
    }
    if (object->kind == TAKT_OBJECT_ALARM) {
        return alarm_free(process, object);
    }
    if (object->kind == TAKT_OBJECT_WATCHDOG) {
        return watchdog_free(process, object);
    }
    if (object->kind == TAKT_OBJECT_SIGNAL_POOL) {
        return signal_pool_free(process, object->object);
    }
    if (object->kind == TAKT_OBJECT_POOL) {
        return pool_blocks_free(process, object->object, room);
    }
    if (object->kind == TAKT_OBJECT_SIGNAL_QUEUE) {
        return signal_queue_free(process, object);
    }
    if (TAKT_PROCESS_SLOTS && object->kind == TAKT_OBJECT_SLOT) {
        return slot_free(process, object, room);
    }
    if (object->kind == TAKT_OBJECT_SHARED) {
        shared_leave(process, object->object);
    } else if (object->kind == TAKT_OBJECT_INTERRUPT) {
        if (interrupt->attached != process->config->index) {
            return TAKTI_WORK_LOOK;
        }
        interrupt_detach(object->object);
    } else if (object->owner == process->config->index && (object->kind & TAKT_OBJECT_FREE) == 0) {
        object_renew(object);
    } else {
        return TAKTI_WORK_LOOK;
    }
    return TAKTI_WORK_OBJECT;
}

/* Makes mutexes that the process left broken lockable again. */
static unsigned mutex_mend(const struct takt_process *process, const struct takt_object *object)
{
    if (object->kind == TAKT_OBJECT_MUTEX || object->kind == TAKT_OBJECT_CEILING) { /* a ceiling begins with one */
        struct takt_mutex *mutex = object->object;
        if (mutex->owner == &takti_kernel.idle && *mutex->broken_by == process->config->index) {
            mutex->owner = NULL;
        }
    }
    return TAKTI_WORK_LOOK;
}

/* The task that is released by what is stored in an object, and how many releases that is worth; NULL: none. */
static struct takt_task *trigger_of(const struct takt_object *object, unsigned *stored)
{
    switch ((enum takt_object_kind)object->kind) {
    case TAKT_OBJECT_MAILBOX:
        *stored = takti_mailbox_stored(object->object);
        return ((const struct takt_mailbox *)object->object)->trigger;
    case TAKT_OBJECT_PRIORITY_MAILBOX:
        *stored = takti_priority_mailbox_stored(object->object);
        return ((const struct takt_priority_mailbox *)object->object)->trigger;
    case TAKT_OBJECT_EVENTS:
        *stored = takti_events_due(object->object);
        return ((const struct takt_events *)object->object)->trigger;
    case TAKT_OBJECT_PIPE:
        *stored = takti_pipe_due(object->object);
        return ((const struct takt_pipe *)object->object)->trigger;
    case TAKT_OBJECT_RENDEZVOUS:
        *stored = takti_rendezvous_calls(object->object);
        return ((const struct takt_rendezvous *)object->object)->trigger;
    case TAKT_OBJECT_SIGNAL_QUEUE:
        *stored = takti_signals_stored(object->object);
        return ((const struct takt_signal_queue *)object->object)->trigger;
    case TAKT_OBJECT_SLOT:
        if (!TAKT_PROCESS_SLOTS) {
            return NULL;
        }
        *stored = takti_slot_stored(object->object);
        return takti_slot_trigger(object->object);
    default:
        return NULL;
    }
}

/* Messages that arrived before a task started release it: without a job for each they would fill the mailbox. */
static unsigned messages_arrive(struct takt_process *process, struct takt_task *trigger, unsigned stored)
{
    bool mine = trigger != NULL && trigger->config->process == process;
    if (process->within == 0) { /* the first time: those that came since the task started have a job */
        unsigned most = mine ? trigger->config->arrivals->capacity + 1u : 0; /* one of them at once */
        process->within = (uint16_t)(1 + (stored < most ? stored : most));
    }
    if (--process->within == 0) {
        return TAKTI_WORK_LOOK;
    }
    process->at--; /* the same again */
    (void)takti_job_arrive(trigger);
    return TAKTI_WORK_TIMER;
}

/* Attaches the interrupts of the process, and makes the releases pending for its sporadic tasks. */
static unsigned line_open(struct takt_process *process, const struct takt_object *object)
{
    if (takti_process_owns(process, object, TAKT_OBJECT_INTERRUPT)) {
        takti_process_attach(process, object->object);
        return TAKTI_WORK_OBJECT;
    }
    if (TAKT_JOBS) {
        unsigned stored = 0;
        struct takt_task *trigger = trigger_of(object, &stored);
        return messages_arrive(process, trigger, stored);
    }
    return TAKTI_WORK_LOOK;
}

/* Processes an object in the phases that go through all of them. */
unsigned takti_process_object(struct takt_process *process, const struct takt_object *object, unsigned room)
{
    switch (process->phase) {
    case TAKTI_PHASE_OBJECTS:
        return object_free(process, object, room);
    case TAKTI_PHASE_BROKEN:
        return mutex_mend(process, object);
    case TAKTI_PHASE_LINES:
        return line_open(process, object);
    default: /* TAKTI_PHASE_WATCHDOGS */
        if (object->kind == TAKT_OBJECT_WATCHDOG &&
            ((struct takt_watchdog *)object->object)->task->config->process == process) {
            takti_watchdog_continue(object->object);
            return TAKTI_WORK_TIMER;
        }
        return TAKTI_WORK_LOOK;
    }
}
