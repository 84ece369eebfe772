/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks: start, stop, suspension. */
#include "kernel/src/kernel.h"

#include <string.h>

/* Makes a stopped task of `config` whose first release comes offset_ns after `start_ns`. */
void takti_task_prepare(struct takt_task *task, const struct takt_task_config *config, uint64_t start_ns)
{
    TAKT_ASSERT(config->stack_size >= 64 && ((uintptr_t)config->stack & 7u) == 0 && config->level < TAKT_LEVELS);
    TAKT_ASSERT((config->release == TAKT_BACKGROUND) == (config->period_ns == 0));
    TAKT_ASSERT((config->deadline_ns == 0) == (config->period_ns == 0));
    TAKT_ASSERT(config->deadline_ns != 0 || !takti_is_edf(config->level)); /* no deadline would be the best of all */
    TAKT_ASSERT(config->release != TAKT_SPORADIC || (config->pending_max > 0 && config->pending_releases_ns != NULL));
    struct takt_task_statistics statistics = {0};
    if (task->config == config) {
        statistics = task->statistics; /* started again */
    }
    memset(task, 0, sizeof *task);
    task->config = config;
    task->statistics = statistics;
    task->job_number = UINT32_MAX; /* so that the first is 0 */
    task->last_release_ns = TAKT_FOREVER;
    task->level = config->level;
    takti_timer_attach(task, config->index);
    task->trace_identity = TAKT_TRACE ? takti_trace_identity(task) : 0;
    *(uint32_t *)config->stack = TAKT_FAULT_MAGIC; /* guard word */
    takt_port_context_init(task);
    takti_trace(TAKT_EVENT_START, task, TAKT_TRACE_NO_OBJECT, 0);
    task->state = TAKTI_WAIT_JOB;
    if (config->release == TAKT_PERIODIC) {
        takti_timer_arm(task, TAKTI_TIMER_RELEASE, takt_add(start_ns, config->offset_ns));
    } else if (config->release == TAKT_BACKGROUND) {
        task->job_number = 0;
        task->job_release_ns = start_ns;
        takti_make_ready(task, false);
    }
}

enum takt_status takt_task_start(struct takt_task *task, const struct takt_task_config *config)
{
    const struct takt_admission *admission = takti_kernel.system->admission;
    TAKT_ASSERT(!takt_port_in_interrupt());
    uint32_t state = takt_port_lock();
    enum takt_status status = task->state == TAKTI_STOPPED ? TAKT_OK : TAKT_STATE;
    if (status == TAKT_OK && admission != NULL) {
        status = admission->add(task, config, state); /* opens the lock meanwhile */
    }
    if (status == TAKT_OK) {
        takti_task_prepare(task, config, takti_clock_ns());
        takti_reschedule();
    }
    takt_port_unlock(state);
    return status;
}

/* Until when a stopped task still counts for admission: its deadline or next release, whichever is later. */
static uint64_t counts_until_ns(const struct takt_task *task)
{
    uint64_t until_ns = task->job_active ? task->job_deadline_ns : 0;
    if (task->timers_ns[TAKTI_TIMER_RELEASE] != TAKT_FOREVER && task->timers_ns[TAKTI_TIMER_RELEASE] > until_ns) {
        until_ns = task->timers_ns[TAKTI_TIMER_RELEASE];
    }
    if (task->config->release == TAKT_SPORADIC && task->last_release_ns != TAKT_FOREVER) {
        uint64_t next_ns = takt_add(task->last_release_ns, task->config->period_ns);
        until_ns = next_ns > until_ns ? next_ns : until_ns;
    }
    return until_ns;
}

/* Stops a task, or marks it when it holds mutexes or is a cooperative job that cannot be left. */
void takti_task_stop(struct takt_task *task)
{
    if (task->state == TAKTI_STOPPED) {
        return;
    }
    if (task->held != NULL || (takti_kernel.system->cooperative && task == takti_kernel.running)) {
        task->stop_pending = true;
        return;
    }
    if (takti_kernel.system->admission != NULL) {
        takti_kernel.system->admission->remove(task, counts_until_ns(task));
    }
    takti_job_abandon(task);
    takti_make_unready(task);
    enum takti_state state = (enum takti_state)task->state;
    task->state = TAKTI_STOPPED;
    task->stop_pending = false;
    if (state == TAKTI_BLOCKED) {
        takti_wait_cancel(task, TAKT_STATE);
    }
    takti_timer_detach(task);
    takti_trace(TAKT_EVENT_STOP, task, TAKT_TRACE_NO_OBJECT, 0);
}

/* After an unlock or a cooperative job: the stop that waited for it. */
void takti_task_stop_pending(struct takt_task *task)
{
    if (task->stop_pending && task->held == NULL) {
        takti_task_stop(task);
    }
}

void takt_task_stop(struct takt_task *task)
{
    uint32_t state = takt_port_lock();
    takti_task_stop(task);
    takti_reschedule();
    takt_port_unlock(state);
}

void takt_task_delete(struct takt_task *task)
{
    takt_task_stop(task);
}

bool takt_task_stopped(const struct takt_task *task)
{
    uint32_t state = takt_port_lock();
    bool stopped = task->state == TAKTI_STOPPED;
    takt_port_unlock(state);
    return stopped;
}

void takt_task_suspend(struct takt_task *task)
{
    uint32_t state = takt_port_lock();
    if (!task->suspended && task->state != TAKTI_STOPPED) {
        takti_make_unready(task);
        task->suspended = true;
        takti_trace(TAKT_EVENT_SUSPEND, task, TAKT_TRACE_NO_OBJECT, 0);
        takti_reschedule();
    }
    takt_port_unlock(state);
}

void takt_task_resume(struct takt_task *task)
{
    uint32_t state = takt_port_lock();
    if (task->suspended) {
        task->suspended = false;
        takti_trace(TAKT_EVENT_RESUME, task, TAKT_TRACE_NO_OBJECT, 0);
        if (task->state == TAKTI_READY) {
            takti_ready_insert(task, false);
            takti_reschedule();
        }
    }
    takt_port_unlock(state);
}

struct takt_task_statistics takt_task_statistics(const struct takt_task *task)
{
    uint32_t state = takt_port_lock();
    struct takt_task_statistics statistics = task->statistics;
    takt_port_unlock(state);
    return statistics;
}

/* Where every task begins. */
_Noreturn void takti_task_main(struct takt_task *task)
{
    const struct takt_task_config *config = task->config;
    do {
        config->entry(config->argument);
        if (config->style == TAKT_STYLE_ENTRY && config->release != TAKT_BACKGROUND) {
            takt_job_wait();
        } else {
            TAKT_ASSERT(task->held == NULL);
            takt_task_stop(task); /* a background or loop task that returns is done */
        }
    } while (true);
}
