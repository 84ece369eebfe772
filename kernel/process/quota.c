/* SPDX-License-Identifier: Apache-2.0 */
/* Memory and objects that processes allocate at run time. */
#include "kernel/process/quota.h"

#include "kernel/core/processes.h"
#include "kernel/sync/mutex.h"

void *takti_quota_memory(struct takt_quota *quota, uint32_t size)
{
    uint32_t room = quota->memory_size - quota->memory_used;
    uint32_t granules = size > room ? 0 : (size + TAKT_GRANULE - 1) / TAKT_GRANULE * TAKT_GRANULE;
    if (granules == 0 || granules > room) {
        return NULL;
    }
    uintptr_t address = quota->memory + quota->memory_used;
    quota->memory_used += granules;
    return (void *)address;
}

bool takti_shared_make(struct takt_shared *shared)
{
    uint32_t rest = shared->region.size - shared->made;
    bool last = rest <= TAKTI_SHARED_PIECE;
    memset((uint8_t *)shared->region.base + shared->made, 0, last ? rest : TAKTI_SHARED_PIECE);
    shared->made = last ? 0 : shared->made + TAKTI_SHARED_PIECE;
    return last;
}

/* Also true if a hint reserves it for a task, or if it is broken. */
static bool nobody_owns(const struct takt_mutex *mutex)
{
    return takti_mutex_free(mutex) || takti_mutex_broken(mutex);
}

/*
 * A free slot for `kind`, or NULL. A mutex that was deleted while a task waited for a signal with it has been handed
 * over to that task since, which must unlock it first.
 */
static struct takt_object *slot_find(const struct takt_quota *quota, unsigned kind)
{
    struct takt_object *slot = quota == NULL ? NULL : quota->slots;
    const struct takt_object *end = quota == NULL ? NULL : slot + quota->slot_count;
    for (; slot < end; slot++) {
        if (slot->kind == (TAKT_OBJECT_FREE | kind) && (kind != TAKT_OBJECT_MUTEX || nobody_owns(slot->object))) {
            return slot;
        }
    }
    return NULL;
}

static struct takt_object *slot_take(struct takt_object *slot)
{
    slot->kind &= (uint8_t)~TAKT_OBJECT_FREE;
    return slot;
}

/* Ensures that a slot has a buffer of that size. */
static bool buffer_fits(struct takt_quota *quota, struct takt_buffer *buffer, uint32_t size)
{
    uint32_t room = quota->buffers_size - quota->buffers_used;
    if (size <= buffer->size) {
        return true;
    }
    uint32_t taken =
        size > room ? 0 : (size + TAKTI_BUFFER_ALIGNMENT - 1) / TAKTI_BUFFER_ALIGNMENT * TAKTI_BUFFER_ALIGNMENT;
    if (taken == 0 || taken > room) {
        return false;
    }
    buffer->bytes = quota->buffers + quota->buffers_used;
    buffer->size = taken;
    quota->buffers_used += taken;
    return true;
}

struct takt_object *takti_create_mutex(struct takt_quota *quota)
{
    struct takt_object *slot = slot_find(quota, TAKT_OBJECT_MUTEX);
    if (slot == NULL) {
        return NULL;
    }
    struct takt_mutex *mutex = slot->object;
    takt_mutex_init(mutex, mutex->id);
    takti_mutex_created_set(mutex, true, !quota->mutexes_inherit);
    return slot_take(slot);
}

struct takt_object *takti_create_condition(struct takt_quota *quota)
{
    struct takt_object *slot = slot_find(quota, TAKT_OBJECT_CONDITION);
    if (slot == NULL) {
        return NULL;
    }
    struct takt_condition *condition = slot->object;
    takt_condition_init(condition, condition->waiting.id);
    return slot_take(slot);
}

struct takt_object *takti_create_events(struct takt_quota *quota)
{
    struct takt_object *slot = slot_find(quota, TAKT_OBJECT_EVENTS);
    if (slot == NULL) {
        return NULL;
    }
    struct takt_events *events = slot->object;
    takt_events_init(events, events->id);
    return slot_take(slot);
}

struct takt_object *takti_create_semaphore(struct takt_quota *quota, const struct takt_semaphore_attributes *attributes)
{
    struct takt_object *slot = slot_find(quota, TAKT_OBJECT_SEMAPHORE);
    if (slot == NULL) {
        return NULL;
    }
    struct takt_semaphore *semaphore = slot->object;
    takt_semaphore_init(semaphore, semaphore->id, NULL, attributes->initial, attributes->maximum);
    return slot_take(slot);
}

struct takt_object *takti_create_mailbox(struct takt_quota *quota, const struct takt_mailbox_attributes *attributes)
{
    struct takt_object *slot = slot_find(quota, TAKT_OBJECT_MAILBOX);
    struct takt_created_mailbox *created = slot == NULL ? NULL : slot->object;
    uint32_t size = (uint32_t)attributes->message_size * attributes->capacity;
    if (slot == NULL || !buffer_fits(quota, &created->buffer, size)) {
        return NULL;
    }
    takt_mailbox_init(&created->mailbox, created->mailbox.id, created->buffer.bytes, attributes->message_size,
                      attributes->capacity, NULL);
    return slot_take(slot);
}

struct takt_object *takti_create_priority_mailbox(struct takt_quota *quota,
                                                  const struct takt_mailbox_attributes *attributes)
{
    struct takt_object *slot = slot_find(quota, TAKT_OBJECT_PRIORITY_MAILBOX);
    struct takt_created_priority_mailbox *created = slot == NULL ? NULL : slot->object;
    uint32_t size = (uint32_t)TAKT_PRIORITY_MAILBOX_BYTES(attributes->message_size, attributes->capacity);
    if (slot == NULL || !buffer_fits(quota, &created->buffer, size)) {
        return NULL;
    }
    takt_priority_mailbox_init(&created->mailbox, created->mailbox.id, created->buffer.bytes, attributes->message_size,
                               attributes->capacity, NULL);
    return slot_take(slot);
}

struct takt_object *takti_create_pipe(struct takt_quota *quota, uint32_t capacity)
{
    struct takt_object *slot = slot_find(quota, TAKT_OBJECT_PIPE);
    struct takt_created_pipe *created = slot == NULL ? NULL : slot->object;
    if (slot == NULL || !buffer_fits(quota, &created->buffer, capacity)) {
        return NULL;
    }
    takt_pipe_init(&created->pipe, created->pipe.id, created->buffer.bytes, capacity);
    return slot_take(slot);
}

#if TAKT_PROCESS_ALARMS
/* At an expiry: in the timer interrupt, unlocked. */
static void alarm_release(struct takt_alarm *alarm)
{
    if (TAKT_JOBS) {
        takt_job_release(((const struct takt_created_alarm *)alarm)->task);
    }
}

/* The next expiry keeps its distance from the last one of the alarm that was in the slot before. */
struct takt_object *takti_create_alarm(struct takt_quota *quota, const struct takt_alarm_attributes *attributes)
{
    struct takt_object *slot = slot_find(quota, TAKT_OBJECT_ALARM);
    if (slot == NULL) {
        return NULL;
    }
    struct takt_created_alarm *created = slot->object;
    uint64_t earliest_ns = created->alarm.in_process->earliest_ns;
    takt_alarm_init(&created->alarm, created->alarm.id, alarm_release, attributes->period_ns);
    *created->alarm.in_process = (struct takt_alarm_in_process){
        .distance_ns = **quota->alarms_apart_ns, .earliest_ns = earliest_ns, .declared_ns = TAKT_FOREVER};
    created->task = attributes->task;
    return slot_take(slot);
}
#endif

/* Ensures that a slot has a stack of that size. */
static bool thread_stack(struct takt_quota *quota, struct takt_thread *thread, uint32_t size)
{
    if (thread->config.stack == NULL || thread->config.stack_size < size) {
        void *stack = takti_quota_memory(quota, size);
        if (stack == NULL) {
            return false;
        }
        thread->config.stack = stack;
        thread->config.stack_size = (size + TAKT_GRANULE - 1) / TAKT_GRANULE * TAKT_GRANULE;
    }
    return true;
}

struct takt_thread *takti_create_thread(struct takt_quota *quota, const struct takt_thread_attributes *attributes)
{
    struct takt_object *slot = slot_find(quota, TAKT_OBJECT_TASK);
    struct takt_thread *thread = slot == NULL ? NULL : slot->object;
    if (thread == NULL || !thread_stack(quota, thread, attributes->stack_size)) {
        return NULL;
    }
    thread->slot = slot_take(slot);
    thread->state = TAKTI_THREAD_JOINABLE;
    thread->joiners = NULL;
    bool periodic = attributes->period_ns != 0;
    thread->config.release = periodic ? TAKT_PERIODIC : TAKT_BACKGROUND;
    thread->config.style = periodic ? TAKT_STYLE_ENTRY : TAKT_STYLE_LOOP;
    thread->config.period_ns = attributes->period_ns;
    thread->config.deadline_ns = periodic ? attributes->deadline_ns : 0; /* else it says nothing */
    thread->config.wcet_ns = attributes->wcet_ns;
    thread->config.level = (uint8_t)attributes->level;
    thread->config.index = thread->index;
    thread->config.name = "thread";
#if TAKT_BUDGETS
    const struct takt_budget *budget = *quota->thread_budget;
    thread->config.budget = budget == NULL ? NULL : thread->budget;
    if (budget != NULL) {
        *thread->budget = *budget;
    }
#endif
    return thread;
}

void takti_quota_handle_end(struct takt_object *slot)
{
    if ((slot->kind & TAKT_OBJECT_FREE) == 0) {
        takti_handle_free(slot);
    }
    switch (slot->kind & ~(unsigned)TAKT_OBJECT_FREE) {
    case TAKT_OBJECT_TASK:
        ((struct takt_thread *)slot->object)->config.stack = NULL;
#if TAKT_PROCESSES
        if (takti_admission() != NULL) {
            takti_admission()->threads->give_up(slot->object);
        }
#endif
        break;
#if TAKT_PROCESS_ALARMS
    case TAKT_OBJECT_ALARM:
        takti_alarm_end(slot->object);
        break;
#endif
    case TAKT_OBJECT_MUTEX: /* broken, or without an owner */
        ((struct takt_mutex *)slot->object)->owner = NULL;
        break;
    case TAKT_OBJECT_MAILBOX:
        ((struct takt_created_mailbox *)slot->object)->buffer = (struct takt_buffer){NULL, 0};
        break;
    case TAKT_OBJECT_PRIORITY_MAILBOX:
        ((struct takt_created_priority_mailbox *)slot->object)->buffer = (struct takt_buffer){NULL, 0};
        break;
    case TAKT_OBJECT_PIPE:
        ((struct takt_created_pipe *)slot->object)->buffer = (struct takt_buffer){NULL, 0};
        break;
    default:
        break;
    }
}

#if TAKT_QUOTAS
void takti_object_deleted(const void *object)
{
    const struct takt_quota *quota = takti_quota_running();
    if (quota == NULL) {
        return;
    }
    for (struct takt_object *slot = quota->slots; slot < quota->slots + quota->slot_count; slot++) {
        if (slot->object == object && (slot->kind & TAKT_OBJECT_FREE) == 0) {
            takti_handle_free(slot);
            return;
        }
    }
}

enum takt_status takti_thread_join(struct takt_thread *thread, uint64_t until_ns, uint32_t lock)
{
    if (thread->task.timer.state != TAKTI_DORMANT) {
        return takti_wait_until(&thread->joiners, TAKT_TRACE_NO_OBJECT, until_ns);
    }
    takti_handle_free(thread->slot);
    takt_port_leave(lock);
    return TAKT_OK;
}

/* Tasks that wait for its end return TAKT_DELETED. */
void takti_thread_detach(struct takt_thread *thread, uint32_t lock)
{
    thread->state = TAKTI_THREAD_DETACHED;
    if (thread->task.timer.state == TAKTI_DORMANT) {
        takti_handle_free(thread->slot);
    }
    takti_wake_all(&thread->joiners, TAKT_DELETED);
    (void)takti_reschedule(lock);
}

/* At the stop of a thread: its joiners continue. The first one frees the slot. */
void takti_task_ended(struct takt_task *task)
{
    if (!takti_is_thread(task)) {
        return;
    }
    struct takt_thread *thread = (struct takt_thread *)task;
    bool joined = thread->joiners != NULL;
    if (joined) {
        (void)takti_wake_first(&thread->joiners);
        takti_wake_all(&thread->joiners, TAKT_DELETED);
    }
    if (joined || thread->state == TAKTI_THREAD_DETACHED) {
        takti_handle_free(thread->slot);
    }
}
#endif
