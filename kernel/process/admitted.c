/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads with a period, with processes: admitted before they start. No task is switched during a trap, so a trap does
 * not make the proof: idle does, which delays no task, while the caller waits. The budget of such a thread is its
 * declared wcet, whatever the process said: that is what the proof has, and more ends the process.
 */
#include "kernel/process/quota.h"

#include "kernel/core/processes.h"
#include "kernel/process/process.h"
#include "takt/admission.h"
#include "takt/budget.h"

#if TAKT_BUDGETS && TAKT_JOBS
/* Whether the process may have one more. O(capacity of admission). */
static bool quota_left(const struct takt_process *process, const struct takt_admission *admission)
{
    uint64_t now_ns = takti_clock_ns();
    unsigned count = 0;
    for (uint16_t index = 0; index < admission->capacity; index++) {
        const struct takt_admission_entry *entry = &admission->entries[index];
        bool counts = entry->task != NULL && entry->until_ns > now_ns && entry->period_ns != 0;
        count += counts && takti_is_thread(entry->task) && entry->task->config->process == process ? 1 : 0;
    }
    return count < process->config->deadline_threads;
}

/* The configuration of a thread that was created for these attributes, in its slot. */
static void configure(struct takt_thread *thread, const struct takt_thread_attributes *attributes,
                      const struct takt_admission *admission)
{
    *thread->budget = (struct takt_budget){.full_ns = attributes->wcet_ns, /* no hold_ns: it locks nothing */
                                           .wait_ns = admission->threads->wait_ns,
                                           .yield_ns = admission->threads->yield_ns,
                                           .policy = TAKT_BUDGET_STOP};
    thread->config.entry = attributes->entry;
    thread->config.argument = attributes->argument;
    thread->config.process = takti_kernel.ready.running->config->process;
    thread->config.budget = thread->budget;
}

enum takt_status takti_thread_admit(uintptr_t *handle, const struct takt_thread_attributes *attributes)
{
    const struct takt_admission *admission = takti_kernel.system->admission;
    struct takt_process *process = takti_kernel.ready.running->config->process;
    if (*admission->state->asked) {
        return TAKT_UNDECIDED;
    }
    struct takt_thread *thread =
        quota_left(process, admission) ? takti_create_thread(&process->quota, attributes) : NULL;
    if (thread == NULL) {
        return TAKT_LIMIT;
    }
    configure(thread, attributes, admission);
    *handle = (uintptr_t)(thread->slot - takti_kernel.system->objects) | (uintptr_t)thread->slot->generation << 16;
    *admission->state->thread = thread;
    *admission->state->generation = thread->slot->generation;
    *admission->state->asked = true;
    return takti_wait_until(admission->state->callers, TAKT_TRACE_NO_OBJECT, TAKT_FOREVER);
}

/* Ends the proof for a thread with `status`: starts the thread, or frees its slot. Locked. */
static void conclude(struct takt_thread *thread, enum takt_status status)
{
    const struct takt_admission *admission = takti_kernel.system->admission;
    struct takt_admission_state *state = admission->state;
    bool there = *state->thread == thread && thread->slot->generation == *state->generation; /* not joined before */
    bool wanted = there && *state->callers != NULL && !takti_is_ending(*state->callers);
    if (status == TAKT_OK && wanted) {
        (void)takti_task_start(&thread->task, &thread->config);
    } else if (status == TAKT_OK) { /* its process ends, or its caller waits no longer */
        status = TAKT_STATE;
        thread->task.config = &thread->config;
        thread->task.timer.at_ns = 0;
        thread->task.timer.flags = 0;
        admission->remove(&thread->task);
    }
    if (there && status != TAKT_OK) {
        takti_handle_free(thread->slot);
    }
    *state->thread = NULL;
    *state->asked = false;
    takti_wake_all(state->callers, status);
}

/* Goes on with the best task. In idle, locked. */
static void idle_leave(uint32_t lock)
{
#ifdef TAKT_PORT_IDLE_PENDS
    takti_kernel.ready.next = takti_select();
    takt_port_pend_switch();
    takt_port_leave(lock);
#else
    (void)takti_reschedule(lock);
#endif
}

void takti_thread_prove(void)
{
    const struct takt_admission *admission = takti_kernel.system->admission;
    struct takt_admission_state *state = admission->state;
    uint32_t lock = takt_port_enter();
    struct takt_thread *thread = *state->thread;
    if (thread == NULL) {
        *state->asked = false; /* it was given up before the proof */
        takt_port_leave(lock);
        return;
    }
    enum takt_status status = admission->add(&thread->task, &thread->config, lock); /* opens the lock in between */
    conclude(thread, status);
    idle_leave(lock);
}

void takti_thread_give_up(const struct takt_thread *thread)
{
    struct takt_admission_state *state = takti_kernel.system->admission->state;
    if (*state->thread == thread) {
        *state->thread = NULL;
    }
}
#endif
