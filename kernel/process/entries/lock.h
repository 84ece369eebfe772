/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of entries.c: mutexes, ceilings, conditions, hints. */
#include "kernel/process/check.h"

/*
 * A thread, which has no budget that ends a section, may lock only objects that its process alone uses: other processes
 * could wait forever.
 */
static bool thread_may_lock(uintptr_t handle)
{
    const struct takt_system *system = takti_kernel.system;
    return takti_kernel.ready.running->config->index < system->task_count ||
           system->objects[handle & UINT16_MAX].owner == takti_process_running()->config->index;
}

/* A mutex that the running task may lock: it is not the owner, and can count one more. */
static struct takt_mutex *lockable(uintptr_t handle)
{
    struct takt_mutex *mutex = takti_object(handle, TAKT_OBJECT_MUTEX, TAKT_RIGHT_USE);
    const struct takt_task *task = takti_kernel.ready.running;
    bool may = mutex != NULL && mutex->owner != task && !takti_holds_most(task) && thread_may_lock(handle);
    return mutex != NULL && takti_required(may, handle) ? mutex : NULL;
}

/* A mutex that the running task owns. */
static struct takt_mutex *owned(uintptr_t handle)
{
    struct takt_mutex *mutex = takti_object(handle, TAKT_OBJECT_MUTEX, TAKT_RIGHT_USE);
    return mutex != NULL && takti_required(mutex->owner == takti_kernel.ready.running, handle) ? mutex : NULL;
}

TAKTI_ENTRY(mutex_lock, uintptr_t handle)
{
    struct takt_mutex *mutex = lockable(handle);
    return mutex == NULL ? 0 : takt_mutex_lock(mutex);
}

TAKTI_ENTRY(mutex_lock_until, uintptr_t handle, uint64_t until_ns)
{
    struct takt_mutex *mutex = lockable(handle);
    return mutex == NULL ? 0 : takt_mutex_lock_until(mutex, until_ns);
}

TAKTI_ENTRY(mutex_try_lock, uintptr_t handle)
{
    struct takt_mutex *mutex = lockable(handle);
    return mutex == NULL ? 0 : takt_mutex_try_lock(mutex);
}

TAKTI_ENTRY(mutex_unlock, uintptr_t handle)
{
    struct takt_mutex *mutex = owned(handle);
    if (mutex != NULL) {
        takt_mutex_unlock(mutex);
    }
    return 0;
}

TAKTI_ENTRY(mutex_delete, uintptr_t handle)
{
    struct takt_mutex *mutex = takti_object(handle, TAKT_OBJECT_MUTEX, TAKT_RIGHT_MANAGE);
    if (mutex != NULL) {
        takt_mutex_delete(mutex);
    }
    return 0;
}

/* A ceiling that the running task may lock. */
static struct takt_ceiling *reachable(uintptr_t handle)
{
    struct takt_ceiling *ceiling = takti_object(handle, TAKT_OBJECT_CEILING, TAKT_RIGHT_USE);
    bool may = ceiling != NULL && takti_ceiling_for_caller(ceiling, TAKT_PORT_ENTERED) &&
               !takti_holds_most(takti_kernel.ready.running) && thread_may_lock(handle);
    return ceiling != NULL && takti_required(may, handle) ? ceiling : NULL;
}

TAKTI_ENTRY(ceiling_lock, uintptr_t handle)
{
    struct takt_ceiling *ceiling = reachable(handle);
    return ceiling == NULL ? 0 : takt_ceiling_lock(ceiling);
}

TAKTI_ENTRY(ceiling_lock_until, uintptr_t handle, uint64_t until_ns)
{
    struct takt_ceiling *ceiling = reachable(handle);
    return ceiling == NULL ? 0 : takt_ceiling_lock_until(ceiling, until_ns);
}

TAKTI_ENTRY(ceiling_try_lock, uintptr_t handle)
{
    struct takt_ceiling *ceiling = reachable(handle);
    return ceiling == NULL ? 0 : takt_ceiling_try_lock(ceiling);
}

TAKTI_ENTRY(ceiling_unlock, uintptr_t handle)
{
    struct takt_ceiling *ceiling = takti_object(handle, TAKT_OBJECT_CEILING, TAKT_RIGHT_USE);
    if (ceiling != NULL && takti_required(ceiling->mutex.owner == takti_kernel.ready.running, handle)) {
        takt_ceiling_unlock(ceiling);
    }
    return 0;
}

TAKTI_ENTRY(ceiling_delete, uintptr_t handle)
{
    struct takt_ceiling *ceiling = takti_object(handle, TAKT_OBJECT_CEILING, TAKT_RIGHT_MANAGE);
    if (ceiling != NULL) {
        takt_ceiling_delete(ceiling);
    }
    return 0;
}

TAKTI_ENTRY(condition_wait_until, uintptr_t handle, uintptr_t mutex_handle, uint64_t until_ns)
{
    struct takt_condition *condition = takti_object(handle, TAKT_OBJECT_CONDITION, TAKT_RIGHT_USE);
    struct takt_mutex *mutex = condition == NULL ? NULL : owned(mutex_handle);
    return mutex == NULL ? 0 : takt_condition_wait_until(condition, mutex, until_ns);
}

TAKTI_ENTRY(condition_wait, uintptr_t handle, uintptr_t mutex_handle)
{
    return takti_entry_condition_wait_until(handle, mutex_handle, TAKT_FOREVER);
}

TAKTI_ENTRY(condition_signal, uintptr_t handle)
{
    struct takt_condition *condition = takti_object(handle, TAKT_OBJECT_CONDITION, TAKT_RIGHT_GIVE);
    if (condition != NULL) {
        takt_condition_signal(condition);
    }
    return 0;
}

TAKTI_ENTRY(condition_broadcast, uintptr_t handle)
{
    struct takt_condition *condition = takti_object(handle, TAKT_OBJECT_CONDITION, TAKT_RIGHT_GIVE);
    if (condition != NULL) {
        takt_condition_broadcast(condition);
    }
    return 0;
}

TAKTI_ENTRY(condition_delete, uintptr_t handle)
{
    struct takt_condition *condition = takti_object(handle, TAKT_OBJECT_CONDITION, TAKT_RIGHT_MANAGE);
    if (condition != NULL) {
        takt_condition_delete(condition);
    }
    return 0;
}

/* 0: none. */
TAKTI_ENTRY(hint_next, uintptr_t handle)
{
    struct takt_mutex *mutex = handle == 0 ? NULL : takti_object(handle, TAKT_OBJECT_MUTEX, TAKT_RIGHT_USE);
    if (handle == 0 || (mutex != NULL && takti_required(thread_may_lock(handle), handle))) {
        takt_hint_next(mutex);
    }
    return 0;
}

/* The mutexes of a set that a process passed. False: it was a fault. O(TAKT_HINT_SET_MAX). */
static bool set_taken(struct takt_mutex **mutexes, const struct takt_hint_set *set)
{
    const uintptr_t *handles = (const uintptr_t *)(const void *)set->mutexes;
    unsigned count = set->count;
    if (!takti_required(count > 0 && count <= TAKT_HINT_SET_MAX, count) ||
        !takti_readable(handles, count * sizeof *handles, _Alignof(uintptr_t))) {
        return false;
    }
    for (unsigned index = 0; index < count; index++) {
        mutexes[index] = takti_object(handles[index], TAKT_OBJECT_MUTEX, TAKT_RIGHT_USE);
        if (mutexes[index] == NULL || !takti_required(thread_may_lock(handles[index]), handles[index])) {
            return false;
        }
    }
    return true;
}

/* The running task has no hint that is in use: the copy of an earlier one may be overwritten. */
TAKTI_ENTRY(hint_next_set, const struct takt_hint_set *set)
{
    struct takti_hint_copy *copy = &takti_hint_copies[takti_kernel.ready.running->config->index];
    if (takti_readable(set, sizeof *set, _Alignof(struct takt_hint_set)) && set_taken(copy->mutexes, set)) {
        copy->set = (struct takt_hint_set){.mutexes = copy->mutexes, .count = set->count};
        takt_hint_next_set(&copy->set);
    }
    return 0;
}
