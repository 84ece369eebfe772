/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of entries.c: semaphores, event flags, rendezvous, alarms, watchdogs. */
#include "kernel/process/check.h"

/* A semaphore that tasks wait for: without a trigger. */
static struct takt_semaphore *awaited(uintptr_t handle)
{
    struct takt_semaphore *semaphore = takti_object(handle, TAKT_OBJECT_SEMAPHORE, TAKT_RIGHT_USE);
    return semaphore != NULL && takti_required(semaphore->trigger == NULL, handle) ? semaphore : NULL;
}

TAKTI_ENTRY(semaphore_wait, uintptr_t handle)
{
    struct takt_semaphore *semaphore = awaited(handle);
    return semaphore == NULL ? 0 : takt_semaphore_wait(semaphore);
}

TAKTI_ENTRY(semaphore_wait_until, uintptr_t handle, uint64_t until_ns)
{
    struct takt_semaphore *semaphore = awaited(handle);
    return semaphore == NULL ? 0 : takt_semaphore_wait_until(semaphore, until_ns);
}

TAKTI_ENTRY(semaphore_wait_in_turn, uintptr_t handle, uint64_t until_ns)
{
    struct takt_semaphore *semaphore = awaited(handle);
    return semaphore == NULL ? 0 : takt_semaphore_wait_in_turn(semaphore, until_ns);
}

TAKTI_ENTRY(semaphore_try_wait, uintptr_t handle)
{
    struct takt_semaphore *semaphore = takti_object(handle, TAKT_OBJECT_SEMAPHORE, TAKT_RIGHT_USE);
    return semaphore == NULL ? 0 : takt_semaphore_try_wait(semaphore);
}

TAKTI_ENTRY(semaphore_post, uintptr_t handle)
{
    struct takt_semaphore *semaphore = takti_object(handle, TAKT_OBJECT_SEMAPHORE, TAKT_RIGHT_GIVE);
    return semaphore == NULL ? 0 : takt_semaphore_post(semaphore);
}

TAKTI_ENTRY(semaphore_flush, uintptr_t handle)
{
    struct takt_semaphore *semaphore = takti_object(handle, TAKT_OBJECT_SEMAPHORE, TAKT_RIGHT_GIVE);
    if (semaphore != NULL) {
        takt_semaphore_flush(semaphore);
    }
    return 0;
}

TAKTI_ENTRY(semaphore_count, uintptr_t handle)
{
    const struct takt_semaphore *semaphore = takti_object(handle, TAKT_OBJECT_SEMAPHORE, TAKT_RIGHT_USE);
    return semaphore == NULL ? 0 : takt_semaphore_count(semaphore);
}

TAKTI_ENTRY(semaphore_delete, uintptr_t handle)
{
    struct takt_semaphore *semaphore = takti_object(handle, TAKT_OBJECT_SEMAPHORE, TAKT_RIGHT_MANAGE);
    if (semaphore != NULL) {
        takt_semaphore_delete(semaphore);
    }
    return 0;
}

TAKTI_ENTRY(events_set, uintptr_t handle, uint32_t flags)
{
    struct takt_events *events = takti_object(handle, TAKT_OBJECT_EVENTS, TAKT_RIGHT_GIVE);
    if (events != NULL) {
        takt_events_set(events, flags);
    }
    return 0;
}

TAKTI_ENTRY(events_clear, uintptr_t handle, uint32_t flags)
{
    struct takt_events *events = takti_object(handle, TAKT_OBJECT_EVENTS, TAKT_RIGHT_USE);
    if (events != NULL) {
        takt_events_clear(events, flags);
    }
    return 0;
}

TAKTI_ENTRY(events_get, uintptr_t handle)
{
    const struct takt_events *events = takti_object(handle, TAKT_OBJECT_EVENTS, TAKT_RIGHT_USE);
    return events == NULL ? 0 : takt_events_get(events);
}

/* Flags that the running task may wait for. A change of `wanted` during the wait affects only its own result. */
static struct takt_events *events_wanted(uintptr_t handle, const struct takt_events_wanted *wanted)
{
    struct takt_events *events = takti_object(handle, TAKT_OBJECT_EVENTS, TAKT_RIGHT_USE);
    enum { KIND = TAKT_EVENTS_ALL | TAKT_EVENTS_ONE };
    if (events == NULL || !takti_writable(wanted, sizeof *wanted, _Alignof(struct takt_events_wanted))) {
        return NULL;
    }
    return takti_required(wanted->flags != 0 && (wanted->mode & KIND) != KIND, (uintptr_t)wanted) ? events : NULL;
}

/* The same without a trigger. */
static struct takt_events *events_awaited(uintptr_t handle, const struct takt_events_wanted *wanted)
{
    struct takt_events *events = events_wanted(handle, wanted);
    return events != NULL && takti_required(events->trigger == NULL, handle) ? events : NULL;
}

TAKTI_ENTRY(events_wait, uintptr_t handle, struct takt_events_wanted *wanted)
{
    struct takt_events *events = events_awaited(handle, wanted);
    return events == NULL ? 0 : takt_events_wait(events, wanted);
}

TAKTI_ENTRY(events_wait_until, uintptr_t handle, struct takt_events_wanted *wanted, uint64_t until_ns)
{
    struct takt_events *events = events_awaited(handle, wanted);
    return events == NULL ? 0 : takt_events_wait_until(events, wanted, until_ns);
}

TAKTI_ENTRY(events_try_wait, uintptr_t handle, struct takt_events_wanted *wanted)
{
    struct takt_events *events = events_wanted(handle, wanted);
    return events == NULL ? 0 : takt_events_try_wait(events, wanted);
}

TAKTI_ENTRY(events_delete, uintptr_t handle)
{
    struct takt_events *events = takti_object(handle, TAKT_OBJECT_EVENTS, TAKT_RIGHT_MANAGE);
    if (events != NULL) {
        takt_events_delete(events);
    }
    return 0;
}

/*
 * The running task may call with that data. If it is not copied the kernel does not access it; the acceptor can, if it
 * belongs to the same process. The data stays the process's until all its tasks have left their waits (restart.c).
 */
static struct takt_rendezvous *callable(uintptr_t handle, void *data, uint32_t size)
{
    struct takt_rendezvous *rendezvous = takti_object(handle, TAKT_OBJECT_RENDEZVOUS, TAKT_RIGHT_GIVE);
    if (rendezvous == NULL || !takti_rendezvous_copies(rendezvous)) {
        return rendezvous;
    }
    bool fits = takti_required(size <= rendezvous->request_size, size) && takti_readable(data, size, 1) &&
                (rendezvous->reply_size == 0 || takti_writable(data, rendezvous->reply_size, 1));
    return fits ? rendezvous : NULL;
}

TAKTI_ENTRY(rendezvous_call, uintptr_t handle, void *data, uint32_t size)
{
    struct takt_rendezvous *rendezvous = callable(handle, data, size);
    return rendezvous == NULL ? 0 : takt_rendezvous_call(rendezvous, data, size);
}

TAKTI_ENTRY(rendezvous_call_until, uintptr_t handle, const struct takti_multiword_rendezvous *wide)
{
    if (!takti_readable(wide, sizeof *wide, _Alignof(struct takti_multiword_rendezvous))) {
        return 0;
    }
    const struct takti_multiword_rendezvous given = *wide;
    struct takt_rendezvous *rendezvous = callable(handle, given.data, given.size);
    return rendezvous == NULL ? 0 : takt_rendezvous_call_until(rendezvous, given.data, given.size, given.until_ns);
}

/* The task may accept copied data: it has a buffer for request and reply. The kernel keeps its address. */
static bool exchange_fits(const struct takt_rendezvous *rendezvous, struct takt_task *task, void *buffer)
{
    uint32_t request = rendezvous->request_size;
    uint32_t reply = rendezvous->reply_size;
    if (takti_rendezvous_copies(rendezvous) && !takti_writable(buffer, request > reply ? request : reply, 1)) {
        return false;
    }
    task->in_process->exchange = buffer;
    return true;
}

/* The running task may accept: it serves no call yet, and can count one more. A caller waits for the completion as for
 * a mutex. */
static struct takt_rendezvous *acceptable(uintptr_t handle, struct takt_rendezvous_accepted *accepted)
{
    struct takt_rendezvous *rendezvous = takti_object(handle, TAKT_OBJECT_RENDEZVOUS, TAKT_RIGHT_USE);
    struct takt_task *task = takti_kernel.ready.running;
    if (rendezvous == NULL || !takti_writable(accepted, sizeof *accepted, _Alignof(struct takt_rendezvous_accepted))) {
        return NULL;
    }
    bool free = task->in_process->serving.owner != task && !takti_holds_most(task) && thread_may_lock(handle);
    return takti_required(free, handle) && exchange_fits(rendezvous, task, accepted->data) ? rendezvous : NULL;
}

TAKTI_ENTRY(rendezvous_accept, uintptr_t handle, struct takt_rendezvous_accepted *accepted)
{
    struct takt_rendezvous *rendezvous = acceptable(handle, accepted);
    return rendezvous == NULL ? 0 : takt_rendezvous_accept(rendezvous, accepted);
}

TAKTI_ENTRY(rendezvous_accept_until, uintptr_t handle, struct takt_rendezvous_accepted *accepted, uint64_t until_ns)
{
    struct takt_rendezvous *rendezvous = acceptable(handle, accepted);
    return rendezvous == NULL ? 0 : takt_rendezvous_accept_until(rendezvous, accepted, until_ns);
}

TAKTI_ENTRY(rendezvous_try_accept, uintptr_t handle, struct takt_rendezvous_accepted *accepted)
{
    struct takt_rendezvous *rendezvous = acceptable(handle, accepted);
    return rendezvous == NULL ? 0 : takt_rendezvous_try_accept(rendezvous, accepted);
}

TAKTI_ENTRY(rendezvous_complete, struct takt_rendezvous_accepted *accepted)
{
    const struct takt_task *task = takti_kernel.ready.running;
    if (takti_required(task->in_process->serving.owner == task, (uintptr_t)accepted)) {
        takt_rendezvous_complete(accepted); /* the one call that the task serves; the pointer is not used */
    }
    return 0;
}

TAKTI_ENTRY(rendezvous_delete, uintptr_t handle)
{
    struct takt_rendezvous *rendezvous = takti_object(handle, TAKT_OBJECT_RENDEZVOUS, TAKT_RIGHT_MANAGE);
    if (rendezvous != NULL) {
        takt_rendezvous_delete(rendezvous);
    }
    return 0;
}

static struct takt_alarm *alarm_for(uintptr_t handle, uint64_t at_ns)
{
    struct takt_alarm *alarm = takti_object(handle, TAKT_OBJECT_ALARM, TAKT_RIGHT_USE);
    return alarm != NULL && takti_required(at_ns != TAKT_FOREVER, handle) ? alarm : NULL;
}

TAKTI_ENTRY(alarm_start, uintptr_t handle, uint64_t at_ns)
{
    struct takt_alarm *alarm = alarm_for(handle, at_ns);
    if (alarm == NULL) {
        return 0;
    }
    alarm->in_process->by = alarm->started ? alarm->in_process->by : TAKTI_BY(takti_process_running());
    return takt_alarm_start(alarm, at_ns);
}

TAKTI_ENTRY(alarm_restart, uintptr_t handle, uint64_t at_ns)
{
    struct takt_alarm *alarm = alarm_for(handle, at_ns);
    if (alarm != NULL) {
        alarm->in_process->by = TAKTI_BY(takti_process_running());
        takt_alarm_restart(alarm, at_ns);
    }
    return 0;
}

TAKTI_ENTRY(alarm_stop, uintptr_t handle)
{
    struct takt_alarm *alarm = alarm_for(handle, 0);
    if (alarm == NULL) {
        return 0;
    }
    alarm->in_process->by = alarm->started ? TAKTI_BY(takti_process_running()) : alarm->in_process->by;
    return takt_alarm_stop(alarm);
}

TAKTI_ENTRY(alarm_remaining_ns, uintptr_t handle)
{
    const struct takt_alarm *alarm = alarm_for(handle, 0);
    return alarm == NULL ? 0 : takt_alarm_remaining_ns(alarm);
}

TAKTI_ENTRY(alarm_missed, uintptr_t handle)
{
    const struct takt_alarm *alarm = alarm_for(handle, 0);
    return alarm == NULL ? 0 : takt_alarm_missed(alarm);
}

TAKTI_ENTRY(watchdog_start, uintptr_t handle)
{
    struct takt_watchdog *watchdog = takti_object(handle, TAKT_OBJECT_WATCHDOG, TAKT_RIGHT_MANAGE);
    bool valid = watchdog != NULL && takti_watchdog_valid(watchdog);
    if (watchdog == NULL || !takti_required(valid, handle)) {
        return 0;
    }
    watchdog->in_process->by =
        takti_watchdog_watches(watchdog) ? watchdog->in_process->by : TAKTI_BY(takti_process_running());
    return takt_watchdog_start(watchdog);
}

TAKTI_ENTRY(watchdog_kick, uintptr_t handle)
{
    struct takt_watchdog *watchdog = takti_object(handle, TAKT_OBJECT_WATCHDOG, TAKT_RIGHT_USE);
    if (watchdog != NULL && takti_required(watchdog->task == takti_kernel.ready.running, handle)) {
        takt_watchdog_kick(watchdog);
    }
    return 0;
}

TAKTI_ENTRY(watchdog_stop, uintptr_t handle)
{
    struct takt_watchdog *watchdog = takti_object(handle, TAKT_OBJECT_WATCHDOG, TAKT_RIGHT_MANAGE);
    if (watchdog == NULL) {
        return 0;
    }
    bool stops = takti_watchdog_watches(watchdog) || watchdog->in_process->paused;
    watchdog->in_process->by = stops ? TAKTI_BY(takti_process_running()) : watchdog->in_process->by;
    return takt_watchdog_stop(watchdog);
}

TAKTI_ENTRY(watchdog_expired, uintptr_t handle)
{
    const struct takt_watchdog *watchdog = takti_object(handle, TAKT_OBJECT_WATCHDOG, TAKT_RIGHT_USE);
    return watchdog == NULL ? 0 : takt_watchdog_expired(watchdog);
}
