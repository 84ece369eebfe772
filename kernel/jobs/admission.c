/* SPDX-License-Identifier: Apache-2.0 */
/* Proof before a task starts on a running system: the analysis room over a snapshot, in the caller's context. */
#include "takt/admission.h"

#include "kernel/core/kernel.h"

enum { ATTEMPTS = 3 }; /* proofs begun before the result is undecided, because the set changes */

/* Frees the entries of stopped tasks that no longer count. */
static void drop_expired(const struct takt_admission *admission)
{
    uint64_t now_ns = takt_port_now_ns();
    for (uint16_t index = 0; index < admission->capacity; index++) {
        if (admission->entries[index].until_ns <= now_ns) {
            admission->entries[index].task = NULL;
        }
    }
}

/* The entry of `task`, which is started, or a free one for NULL; NULL: none. */
static struct takt_admission_entry *find(const struct takt_admission *admission, const struct takt_task *task)
{
    for (uint16_t index = 0; index < admission->capacity; index++) {
        struct takt_admission_entry *entry = &admission->entries[index];
        if (entry->task == task && (task == NULL || entry->until_ns == TAKT_FOREVER)) {
            return entry;
        }
    }
    return NULL;
}

static struct takt_analysis_task analysed(const struct takt_admission *admission,
                                          const struct takt_admission_entry *entry)
{
    unsigned edf = takti_level_edf(&takti_kernel.ready, entry->level) ? 1 : 0;
    return (struct takt_analysis_task){.wcet_ns = entry->wcet_ns + admission->complete_ns[edf],
                                       .period_ns = entry->period_ns,
                                       .deadline_ns = entry->deadline_ns,
                                       .release_cost_ns = admission->release_ns[edf] + admission->timer_ns,
                                       .blocking_ns = admission->blocking_ns,
                                       .level = entry->level,
                                       .order = edf ? TAKT_ANALYSIS_DEADLINE : TAKT_ANALYSIS_EQUAL};
}

/* Inserts into the snapshot, highest level first. Returns the new count. O(count). */
static size_t insert(struct takt_analysis_task *snapshot, size_t count, struct takt_analysis_task task)
{
    size_t index = count;
    while (index > 0 && snapshot[index - 1].level > task.level) {
        snapshot[index] = snapshot[index - 1];
        index--;
    }
    snapshot[index] = task;
    return count + 1;
}

#if TAKT_PROCESSES
/*
 * With processes, unlocked but for each entry: others can change the set meanwhile, and then the proof is discarded.
 * Not longer locked than other calls, since the proof of the system counts those.
 */
static size_t take_snapshot(const struct takt_admission *admission, const struct takt_admission_entry *candidate)
{
    size_t count = insert(admission->snapshot, 0, analysed(admission, candidate));
    for (uint16_t index = 0; index < admission->capacity; index++) {
        uint32_t lock = takt_port_lock();
        const struct takt_admission_entry entry = admission->entries[index];
        takt_port_unlock(lock);
        if (entry.task != NULL && entry.period_ns != 0) {
            count = insert(admission->snapshot, count, analysed(admission, &entry));
        }
    }
    return count;
}
#else
/* Copies the set with `candidate`. Locked: O(capacity^2), bounded by the declaration. Background tasks do not count. */
static size_t take_snapshot(const struct takt_admission *admission, const struct takt_admission_entry *candidate)
{
    size_t count = insert(admission->snapshot, 0, analysed(admission, candidate));
    for (uint16_t index = 0; index < admission->capacity; index++) {
        const struct takt_admission_entry *entry = &admission->entries[index];
        if (entry->task != NULL && entry->period_ns != 0) {
            count = insert(admission->snapshot, count, analysed(admission, entry));
        }
    }
    return count;
}
#endif

static enum takt_status prove(const struct takt_admission *admission, size_t count)
{
    const struct takt_analysis_set set = {.tasks = admission->snapshot,
                                          .task_count = count,
                                          .interrupts = admission->interrupts,
                                          .interrupt_count = admission->interrupt_count,
                                          .lock_ns = admission->lock_ns,
                                          .iterations = admission->iterations,
                                          .cooperative = TAKT_COOPERATIVE};
    enum takt_analysis_verdict verdict = TAKT_ANALYSIS_UNDECIDED;
    enum takt_analysis_status status = takt_analysis_feasible(&set, &verdict, NULL, NULL);
    if (status != TAKT_ANALYSIS_OK || verdict == TAKT_ANALYSIS_INFEASIBLE) {
        return TAKT_REFUSED;
    }
    return verdict == TAKT_ANALYSIS_FEASIBLE ? TAKT_OK : TAKT_UNDECIDED;
}

/* One attempt: snapshot locked, proof unlocked, entry added locked if the set is still the one that was proved. */
static enum takt_status attempt(const struct takt_admission *admission, const struct takt_admission_entry *candidate,
                                uint32_t lock)
{
    uint32_t changes = admission->state->changes;
    drop_expired(admission);
    if (find(admission, NULL) == NULL) {
        return TAKT_LIMIT;
    }
    size_t count = TAKT_PROCESSES ? 0 : take_snapshot(admission, candidate);
    takt_port_leave(lock);
    count = TAKT_PROCESSES ? take_snapshot(admission, candidate) : count;
    enum takt_status status = prove(admission, count);
    (void)takt_port_lock();
    if (candidate->task->timer.state != TAKTI_DORMANT) {
        return TAKT_STATE; /* another task started it meanwhile */
    }
    if (status != TAKT_OK) {
        return status;
    }
    if (changes == admission->state->changes) {
        *find(admission, NULL) = *candidate;
        admission->state->changes++;
    } else {
        status = TAKT_BUSY;
    }
    return status;
}

/* Without a proof: before the start the tool has made it; a background task needs none. */
static enum takt_status add_unproved(const struct takt_admission *admission,
                                     const struct takt_admission_entry *candidate)
{
    drop_expired(admission);
    struct takt_admission_entry *entry = find(admission, NULL);
    if (entry != NULL) {
        *entry = *candidate;
        admission->state->changes++;
    }
    return entry == NULL ? TAKT_LIMIT : TAKT_OK;
}

/* What a job executes at most: with processes an enforced budget may be more than the wcet. */
static uint64_t execution_ns(const struct takt_task_config *config)
{
#if TAKT_PROCESSES && TAKT_BUDGETS
    const struct takt_budget *budget = config->budget;
    bool enforced = budget != NULL && budget->policy != TAKT_BUDGET_NOTIFY && budget->full_ns != TAKT_FOREVER;
    if (enforced && budget->full_ns > config->wcet_ns) {
        return budget->full_ns;
    }
#endif
    return config->wcet_ns;
}

/*
 * Adds a stopped task to the set if the set stays feasible. Locked; `lock` is what opens the lock, for each proof. The
 * caller starts the task before it opens the lock again: a task that is stopped meanwhile leaves no entry.
 */
enum takt_status takti_admission_add(const struct takt_task *task, const struct takt_task_config *config, uint32_t lock)
{
    const struct takt_admission *admission = takti_kernel.system->admission;
    const struct takt_admission_entry candidate = {.task = task,
                                                   .wcet_ns = execution_ns(config),
                                                   .period_ns = config->period_ns,
                                                   .deadline_ns = config->deadline_ns,
                                                   .until_ns = TAKT_FOREVER,
                                                   .level = config->level};
    if (TAKT_PROCESSES && find(admission, task) != NULL) {
        return TAKT_OK; /* a declared task, which stays in the set */
    }
    if (!takti_kernel.timers.running || config->period_ns == 0) {
        return add_unproved(admission, &candidate);
    }
    if (admission->state->prover != NULL) {
        return TAKT_UNDECIDED;
    }
    admission->state->prover = takti_kernel.ready.running;
    enum takt_status status = TAKT_BUSY;
    for (unsigned tries = 0; tries < ATTEMPTS && status == TAKT_BUSY; tries++) {
        status = attempt(admission, &candidate, lock);
    }
    admission->state->prover = NULL;
    return status == TAKT_BUSY ? TAKT_UNDECIDED : status;
}

/* The time until which a stopped task counts for admission: its deadline or next release, whichever is later. */
static uint64_t counts_until_ns(const struct takt_task *task)
{
    const struct takt_task_config *config = task->config;
    bool active = (task->timer.flags & TAKTI_FLAG_ACTIVE) != 0;
    uint64_t until_ns = active ? task->job_deadline_ns : 0;
    uint64_t next_ns = 0;
    if (config->arrivals != NULL && config->arrivals->last_ns != TAKT_FOREVER) {
        next_ns = takt_add(config->arrivals->last_ns, config->period_ns);
    } else if (config->release == TAKT_PERIODIC) {
        next_ns = active ? takt_add(task->job_deadline_ns - config->deadline_ns, config->period_ns) : task->timer.at_ns;
    }
    return next_ns > until_ns ? next_ns : until_ns;
}

/* Whether it stays in the set, as it stops and starts with its process and is released as if it always ran. */
static bool stays(const struct takt_task *task)
{
    return TAKT_PROCESSES && task->config->index < takti_kernel.system->task_count;
}

/* Of a stopped task: it continues to count until then, and a proof that it was making is abandoned. Locked. */
void takti_admission_remove(const struct takt_task *task)
{
    const struct takt_admission *admission = takti_kernel.system->admission;
    struct takt_admission_entry *entry = stays(task) ? NULL : find(admission, task);
    if (entry != NULL) {
        entry->until_ns = counts_until_ns(task);
        admission->state->changes++;
    }
    if (admission->state->prover == task) {
        admission->state->prover = NULL;
    }
}
