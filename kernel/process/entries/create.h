/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of entries.c: objects that a process creates at run time. */
#include "kernel/process/check.h"

static uintptr_t handle_of(const struct takt_object *slot)
{
    return (uintptr_t)(slot - takti_kernel.system->objects) | (uintptr_t)slot->generation << 16;
}

/* Whether a handle may be written there for the running process. */
static bool handle_fits(const uintptr_t *handle)
{
    return takti_writable(handle, sizeof *handle, _Alignof(uintptr_t));
}

static uint64_t handle_give(uintptr_t *handle, const struct takt_object *slot)
{
    if (slot == NULL) {
        return TAKT_LIMIT;
    }
    *handle = handle_of(slot);
    return TAKT_OK;
}

TAKTI_ENTRY(mutex_create, uintptr_t *handle)
{
    return handle_fits(handle) ? handle_give(handle, takti_create_mutex(takti_quota_running())) : 0;
}

TAKTI_ENTRY(condition_create, uintptr_t *handle)
{
    return handle_fits(handle) ? handle_give(handle, takti_create_condition(takti_quota_running())) : 0;
}

TAKTI_ENTRY(events_create, uintptr_t *handle)
{
    return handle_fits(handle) ? handle_give(handle, takti_create_events(takti_quota_running())) : 0;
}

TAKTI_ENTRY(semaphore_create, uintptr_t *handle, const struct takt_semaphore_attributes *attributes)
{
    if (!handle_fits(handle) ||
        !takti_readable(attributes, sizeof *attributes, _Alignof(struct takt_semaphore_attributes))) {
        return 0;
    }
    const struct takt_semaphore_attributes given = *attributes;
    bool valid = given.initial <= given.maximum && given.maximum > 0;
    return takti_required(valid, (uintptr_t)attributes)
               ? handle_give(handle, takti_create_semaphore(takti_quota_running(), &given))
               : 0;
}

/* The attributes of a mailbox that a process passed. False: it was a fault. */
static bool mailbox_given(struct takt_mailbox_attributes *given, const uintptr_t *handle,
                          const struct takt_mailbox_attributes *attributes)
{
    if (!handle_fits(handle) ||
        !takti_readable(attributes, sizeof *attributes, _Alignof(struct takt_mailbox_attributes))) {
        return false;
    }
    *given = *attributes;
    bool valid = given->message_size > 0 && given->message_size <= TAKT_PROCESS_MESSAGE_MAX && given->capacity > 0;
    return takti_required(valid, (uintptr_t)attributes);
}

TAKTI_ENTRY(mailbox_create, uintptr_t *handle, const struct takt_mailbox_attributes *attributes)
{
    struct takt_mailbox_attributes given;
    return mailbox_given(&given, handle, attributes)
               ? handle_give(handle, takti_create_mailbox(takti_quota_running(), &given))
               : 0;
}

TAKTI_ENTRY(priority_mailbox_create, uintptr_t *handle, const struct takt_mailbox_attributes *attributes)
{
    struct takt_mailbox_attributes given;
    return mailbox_given(&given, handle, attributes)
               ? handle_give(handle, takti_create_priority_mailbox(takti_quota_running(), &given))
               : 0;
}

TAKTI_ENTRY(pipe_create, uintptr_t *handle, uint32_t capacity)
{
    return handle_fits(handle) && takti_required(capacity >= TAKT_PIPE_CAPACITY_MIN, capacity)
               ? handle_give(handle, takti_create_pipe(takti_quota_running(), capacity))
               : 0;
}

#if TAKT_PROCESS_ALARMS
TAKTI_ENTRY(alarm_create, uintptr_t *handle, const struct takt_alarm_attributes *attributes)
{
    struct takt_quota *quota = takti_quota_running();
    if (!handle_fits(handle) ||
        !takti_readable(attributes, sizeof *attributes, _Alignof(struct takt_alarm_attributes))) {
        return 0;
    }
    struct takt_alarm_attributes given = *attributes;
    given.task = takti_releasable((uintptr_t)given.task);
    bool valid = given.task != NULL && takti_required(takti_alarm_valid(quota, given.period_ns), (uintptr_t)attributes);
    return valid ? handle_give(handle, takti_create_alarm(quota, &given)) : 0;
}

/* Of those that the process created: a declared one has no slot. */
TAKTI_ENTRY(alarm_delete, uintptr_t handle)
{
    const struct takt_process *process = takti_process_running();
    struct takt_alarm *alarm = takti_object(handle, TAKT_OBJECT_ALARM, TAKT_RIGHT_MANAGE);
    unsigned slot = (unsigned)(handle & UINT16_MAX) - process->config->slot_first;
    if (alarm != NULL && takti_required(slot < process->quota.slot_count, handle)) {
        takti_alarm_end(alarm);
        takti_handle_free(&process->quota.slots[slot]);
    }
    return 0;
}
#endif
