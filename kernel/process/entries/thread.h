/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of entries.c: threads that a process starts at run time. */
#include "kernel/process/check.h"
#include "takt/admission.h"

/* One with a period. */
static uint64_t admit(uintptr_t *handle, const struct takt_thread_attributes *given, uintptr_t address)
{
    const struct takt_admission *admission = takti_admission();
    bool times = given->deadline_ns > 0 && given->deadline_ns <= given->period_ns && given->wcet_ns > 0 &&
                 given->period_ns <= TAKT_FOREVER / 4 && given->wcet_ns <= given->deadline_ns;
    bool above =
        given->level < takti_process_running()->config->thread_level; /* what has no deadline is not in a proof */
    if (!takti_required(times && above && given->stack_size >= 256, address)) {
        return 0;
    }
    return admission == NULL ? TAKT_REFUSED : admission->threads->create(handle, given);
}

TAKTI_ENTRY(thread_create, uintptr_t *handle, const struct takt_thread_attributes *attributes)
{
    struct takt_process *process = takti_process_running();
    if (!takti_writable(handle, sizeof *handle, _Alignof(uintptr_t)) ||
        !takti_readable(attributes, sizeof *attributes, _Alignof(struct takt_thread_attributes))) {
        return 0;
    }
    const struct takt_thread_attributes given = *attributes;
    if (given.period_ns != 0) {
        return admit(handle, &given, (uintptr_t)attributes);
    }
    bool level = given.level >= process->config->thread_level && given.level < TAKT_LEVELS - 1u &&
                 !takti_level_edf(&takti_kernel.ready, given.level);
    if (!takti_required(level && given.stack_size >= 256, (uintptr_t)attributes)) {
        return 0;
    }
    struct takt_thread *thread = takti_create_thread(&process->quota, &given);
    if (thread == NULL) {
        return TAKT_LIMIT;
    }
    thread->config.entry = given.entry;
    thread->config.argument = given.argument;
    thread->config.process = process;
    *handle = handle_of(thread->slot);
    (void)takti_task_start(&thread->task, &thread->config); /* without admission: it has no deadline */
    (void)takti_reschedule(TAKT_PORT_ENTERED);
    return TAKT_OK;
}

/* A joinable thread. */
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
    return takti_thread_join(thread, until_ns, TAKT_PORT_ENTERED);
}

TAKTI_ENTRY(thread_join, uintptr_t handle)
{
    return takti_entry_thread_join_until(handle, TAKT_FOREVER);
}

TAKTI_ENTRY(thread_detach, uintptr_t handle)
{
    struct takt_thread *thread = joinable(handle);
    if (thread != NULL) {
        takti_thread_detach(thread, TAKT_PORT_ENTERED);
    }
    return 0;
}

TAKTI_ENTRY(thread_exit, void)
{
    struct takt_task *task = takti_kernel.ready.running;
    if (takti_required((task->holds & TAKTI_HOLDS_COUNT) == 0, (uintptr_t)*task->held)) {
        (void)takti_task_stop(task);
        (void)takti_reschedule(TAKT_PORT_ENTERED);
    }
    return 0;
}
