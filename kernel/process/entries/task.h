/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of entries.c: tasks, jobs, time. */
#include "kernel/process/check.h"

TAKTI_ENTRY(process_null, void)
{
    return 0;
}

TAKTI_ENTRY(now, void)
{
    return takt_now();
}

TAKTI_ENTRY(delay_until, uint64_t until_ns)
{
    takt_delay_until(until_ns);
    return 0;
}

TAKTI_ENTRY(delay, uint64_t duration_ns)
{
    if (takti_required(duration_ns <= TAKT_FOREVER / 2, (uintptr_t)duration_ns)) { /* no clock: it reads it again */
        takt_delay(duration_ns);
    }
    return 0;
}

/* Notes the process that stopped or suspended a task of another one: the end of that process undoes it. `was`: it was
 * so before. */
static void manage(struct takt_task *task, bool was)
{
    const struct takt_process *process = takti_process_running();
    if (!was) {
        task->in_process->managed_by = task->config->process != process ? TAKTI_BY(process) : 0;
    }
}

/*
 * Ignores `config`: the task starts as declared. Not for a task of a stopped process. A task that has run keeps its
 * release times: a stop and a start give it no second budget in a period.
 */
TAKTI_ENTRY(task_start, uintptr_t handle)
{
    struct takt_task *task = takti_object(handle, TAKT_OBJECT_TASK, TAKT_RIGHT_MANAGE);
    if (task == NULL) {
        return 0;
    }
    uintptr_t index = handle & UINT16_MAX;
    if (index >= takti_kernel.system->task_count || !takti_process_runs(task)) {
        return TAKT_STATE; /* a thread is not started again */
    }
    if (task->timer.state != TAKTI_DORMANT) {
        return TAKT_STATE;
    }
    takti_task_restart(task, &takti_kernel.system->configs[index], takti_clock_ns());
    (void)takti_reschedule(TAKT_PORT_ENTERED);
    return TAKT_OK;
}

TAKTI_ENTRY(task_stop, uintptr_t handle)
{
    struct takt_task *task = takti_object(handle, TAKT_OBJECT_TASK, TAKT_RIGHT_MANAGE);
    if (task != NULL) { /* as takt_task_stop, but a joiner of the task may be the best one then */
        manage(task, task->timer.state == TAKTI_DORMANT);
        (void)takti_task_stop(task);
        (void)takti_reschedule(TAKT_PORT_ENTERED);
    }
    return 0;
}

TAKTI_ENTRY(task_delete, uintptr_t handle)
{
    return takti_entry_task_stop(handle);
}

TAKTI_ENTRY(task_stopped, uintptr_t handle)
{
    const struct takt_task *task = takti_object(handle, TAKT_OBJECT_TASK, TAKT_RIGHT_USE);
    return task != NULL && takt_task_stopped(task);
}

TAKTI_ENTRY(task_suspend, uintptr_t handle)
{
    struct takt_task *task = takti_object(handle, TAKT_OBJECT_TASK, TAKT_RIGHT_MANAGE);
    if (task != NULL) {
        if (task != takti_kernel.ready.running) {
            manage(task, task->timer.state == TAKTI_SUSPENDED || (task->timer.flags & TAKTI_FLAG_SUSPENDED) != 0);
        }
        takt_task_suspend(task);
    }
    return 0;
}

TAKTI_ENTRY(task_resume, uintptr_t handle)
{
    struct takt_task *task = takti_object(handle, TAKT_OBJECT_TASK, TAKT_RIGHT_MANAGE);
    if (task != NULL) {
        task->in_process->managed_by = 0;
        takt_task_resume(task);
    }
    return 0;
}

TAKTI_ENTRY(task_cancel, uintptr_t handle)
{
    struct takt_task *task = takti_object(handle, TAKT_OBJECT_TASK, TAKT_RIGHT_MANAGE);
    return task == NULL ? 0 : takt_task_cancel(task);
}

TAKTI_ENTRY(task_running, void)
{
    const struct takt_task *task = takti_kernel.ready.running;
    uint32_t index = task->config->index;
    if (index >= takti_kernel.system->task_count) {
        index = (uint32_t)(((const struct takt_thread *)task)->slot - takti_kernel.system->objects);
    }
    return index | (uint32_t)takti_kernel.system->objects[index].generation << 16;
}

TAKTI_ENTRY(task_yield, void)
{
    takt_task_yield();
    return 0;
}

TAKTI_ENTRY(task_statistics, uintptr_t handle, struct takt_task_statistics *statistics)
{
    const struct takt_task *task = takti_object(handle, TAKT_OBJECT_TASK, TAKT_RIGHT_USE);
    if (task != NULL && takti_writable(statistics, sizeof *statistics, _Alignof(struct takt_task_statistics))) {
        *statistics = takt_task_statistics(task);
    }
    return 0;
}

#if TAKT_JOBS
/* Whether the running task has a job, at whose end it must hold no mutex. */
static bool has_job(void)
{
    const struct takt_task *task = takti_kernel.ready.running;
    return takti_required(TAKTI_HAS_JOBS(task->config), task->config->index); /* a running task with jobs is in one */
}

TAKTI_ENTRY(job_wait, void)
{
    const struct takt_task *task = takti_kernel.ready.running;
    if (has_job() && takti_required((task->holds & TAKTI_HOLDS_COUNT) == 0, (uintptr_t)*task->held)) {
        interrupts_open();
        takt_job_wait();
    }
    return 0;
}

TAKTI_ENTRY(job_release_ns, void)
{
    return has_job() ? takt_job_release_ns() : 0;
}

TAKTI_ENTRY(job_deadline_ns, void)
{
    return has_job() ? takt_job_deadline_ns() : 0;
}

TAKTI_ENTRY(job_release, uintptr_t handle)
{
    struct takt_task *task = takti_releasable(handle);
    if (task != NULL) {
        takt_job_release(task);
    }
    return 0;
}

/*
 * Whether a release at that time does not block other processes that may release the task: for a task of another
 * process, it is not later than with a full queue of releases at their minimum distance.
 */
static bool soon(const struct takt_task *task, uint64_t at_ns)
{
    const struct takt_task_config *config = task->config;
    uint64_t now_ns = takti_clock_ns();
    return config->process == takti_process_running() || at_ns <= now_ns ||
           (at_ns - now_ns) / config->period_ns <= config->arrivals->capacity;
}

TAKTI_ENTRY(job_release_at, uintptr_t handle, uint64_t at_ns)
{
    struct takt_task *task = takti_releasable(handle);
    if (task != NULL && takti_required(soon(task, at_ns), (uintptr_t)at_ns)) {
        takt_job_release_at(task, at_ns);
    }
    return 0;
}
#endif

#if TAKT_BUDGETS
TAKTI_ENTRY(task_budget_ns, uintptr_t handle)
{
    const struct takt_task *task = takti_object(handle, TAKT_OBJECT_TASK, TAKT_RIGHT_USE);
    return task == NULL ? 0 : takt_task_budget_ns(task);
}

TAKTI_ENTRY(task_exhausted, uintptr_t handle)
{
    const struct takt_task *task = takti_object(handle, TAKT_OBJECT_TASK, TAKT_RIGHT_USE);
    return task == NULL ? 0 : takt_task_exhausted(task);
}
#endif
