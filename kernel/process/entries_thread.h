/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of entries.c: threads that a process starts at run time. */
#include "kernel/process/check.h"
#include "kernel/process/thread.h"

/* A free place of the process's quota for one of `kind`, or NULL. At most the places that it has. */
static struct takt_object *place_find(const struct takt_process *process, unsigned kind)
{
    struct takt_object *place = &takti_kernel.system->objects[process->config->place_first];
    const struct takt_object *end = place + process->config->place_count;
    while (place < end && place->kind != (TAKT_OBJECT_FREE | kind)) {
        place++;
    }
    return place < end ? place : NULL;
}

/* Sees to it that a place has a stack of that size. */
static bool thread_stack(struct takt_thread *thread, uint32_t size)
{
    if (thread->config.stack == NULL || thread->config.stack_size < size) {
        uintptr_t stack = (uintptr_t)takti_entry_memory_alloc(size);
        if (stack == 0) {
            return false;
        }
        thread->config.stack = (void *)stack;
        thread->config.stack_size = (size + TAKT_GRANULE - 1) / TAKT_GRANULE * TAKT_GRANULE;
    }
    return true;
}

TAKTI_ENTRY(thread_create, uintptr_t *handle, const struct takt_thread_attributes *attributes)
{
    struct takt_process *process = takti_process_running();
    if (!takti_writable(handle, sizeof *handle, _Alignof(uintptr_t)) ||
        !takti_readable(attributes, sizeof *attributes, _Alignof(struct takt_thread_attributes))) {
        return 0;
    }
    const struct takt_thread_attributes given = *attributes;
    bool level = given.level >= process->config->thread_level && given.level < TAKT_LEVELS - 1u &&
                 !takti_level_edf(&takti_kernel.ready, given.level);
    if (!takti_required(level && given.stack_size >= 256, (uintptr_t)attributes)) {
        return 0;
    }
    struct takt_object *place = place_find(process, TAKT_OBJECT_TASK);
    struct takt_thread *thread = place == NULL ? NULL : place->object;
    if (thread == NULL || !thread_stack(thread, given.stack_size)) {
        return TAKT_LIMIT;
    }
    thread->object = (uint16_t)(place - takti_kernel.system->objects);
    thread->state = TAKTI_THREAD_JOINABLE;
    thread->joiners = NULL;
    thread->config.release = TAKT_BACKGROUND;
    thread->config.style = TAKT_STYLE_LOOP;
    thread->config.level = (uint8_t)given.level;
    thread->config.index = thread->index;
    thread->config.name = "thread";
    thread->config.entry = given.entry;
    thread->config.argument = given.argument;
    thread->config.process = process;
    place->kind = TAKT_OBJECT_TASK;
    *handle = thread->object | (uintptr_t)place->generation << 16;
    return takt_task_start(&thread->task, &thread->config);
}

/* A thread that somebody may join. */
static struct takt_thread *joinable(uintptr_t handle)
{
    struct takt_task *task = takti_object(handle, TAKT_OBJECT_TASK, TAKT_RIGHT_USE);
    if (task == NULL) {
        return NULL;
    }
    struct takt_thread *thread = (struct takt_thread *)task;
    bool may = (handle & UINT16_MAX) >= takti_kernel.system->task_count && task != takti_kernel.ready.running &&
               thread->state == TAKTI_THREAD_JOINABLE;
    return takti_required(may, handle) ? thread : NULL;
}

TAKTI_ENTRY(thread_join_until, uintptr_t handle, uint64_t until_ns)
{
    struct takt_thread *thread = joinable(handle);
    if (thread == NULL) {
        return 0;
    }
    if (thread->task.timer.state != TAKTI_STOPPED) {
        return takti_wait_until(&thread->joiners, TAKT_TRACE_NO_OBJECT, until_ns);
    }
    takti_place_free(&takti_kernel.system->objects[thread->object]);
    return TAKT_OK;
}

TAKTI_ENTRY(thread_join, uintptr_t handle)
{
    return takti_entry_thread_join_until(handle, TAKT_FOREVER);
}

/* Whoever waits for its end is told that it was detached: TAKT_DELETED. */
TAKTI_ENTRY(thread_detach, uintptr_t handle)
{
    struct takt_thread *thread = joinable(handle);
    if (thread != NULL) {
        thread->state = TAKTI_THREAD_DETACHED;
        if (thread->task.timer.state == TAKTI_STOPPED) {
            takti_place_free(&takti_kernel.system->objects[thread->object]);
        }
        takti_wake_all(&thread->joiners, TAKT_DELETED);
        (void)takti_reschedule(TAKT_PORT_ENTERED);
    }
    return 0;
}

TAKTI_ENTRY(thread_exit, void)
{
    struct takt_task *task = takti_kernel.ready.running;
    if (takti_required((task->holds & TAKTI_HOLDS_COUNT) == 0, (uintptr_t)task->held)) {
        takti_task_stop(task);
        (void)takti_reschedule(TAKT_PORT_ENTERED);
    }
    return 0;
}
