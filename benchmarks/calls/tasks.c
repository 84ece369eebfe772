/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks, jobs and time. */
#include "calls.h"

/* The others suspend themselves. */
static uint32_t suspended(unsigned number)
{
    takt_task_suspend(&other[number].task);
    return TAKT_OK;
}

/* Or wait in one queue, the last of them with the last expiry. */
static struct takt_semaphore semaphore;

static void queue_setup(void)
{
    takt_semaphore_init(&semaphore, 1, NULL, 0, 1);
    ascending = true;
}

static uint32_t queued(unsigned number)
{
    return takt_semaphore_wait_until(&semaphore, expiry(number));
}

/* Or each for a mutex of the next one, the last for one of the runner's; and the blocker, above all, for the first. */
static struct takt_mutex mutexes[OTHERS_MAX + 1];
static enum takt_status chain_locked[OTHERS_MAX];

static void chain_unlock(unsigned number)
{
    if (number < others) {
        if (chain_locked[number] == TAKT_OK) {
            takt_mutex_unlock(&mutexes[number + 1u]);
        }
        takt_mutex_unlock(&mutexes[number]);
    }
}

static void chain_setup(void)
{
    for (unsigned i = 0; i <= others; i++) {
        takt_mutex_init(&mutexes[i], (uint16_t)i);
    }
    (void)!takt_mutex_lock(&mutexes[others]);
    last_first = true;
    after = chain_unlock;
}

static uint32_t chained(unsigned number)
{
    (void)!takt_mutex_lock(&mutexes[number]);
    chain_locked[number] = takt_mutex_lock_until(&mutexes[number + 1u], expiry(number));
    return chain_locked[number];
}

static void wait_for_chain(void *argument)
{
    (void)argument;
    (void)!takt_mutex_lock_until(&mutexes[0], worst_ns);
}

static void chain_arm(void)
{
    thread_prepare(&blocker, wait_for_chain, 0);
    (void)!takt_task_start(&blocker.task, &blocker.config);
}

static void chain_undo(void)
{
    takt_mutex_unlock(&mutexes[others]);
}

CALL(task_start, takt_task_start(&fresh.task, &fresh.config))
DO(stop_self, takt_task_stop(&blocker.task))
DO(delete_self, takt_task_delete(&blocker.task))
DO(stop_last, takt_task_stop(&other[others - 1u].task))
DO(delete_last, takt_task_delete(&other[others - 1u].task))
DO(stop_blocker, takt_task_stop(&blocker.task))
DO(delete_blocker, takt_task_delete(&blocker.task))
CALL(task_stopped, takt_task_stopped(&other[0].task))
DO(suspend_self, takt_task_suspend(&blocker.task))
DO(suspend_fresh, takt_task_suspend(&fresh.task))
DO(suspend_other, takt_task_suspend(&other[others - 1u].task))
DO(resume, takt_task_resume(&other[0].task))
CALL(cancel_last, takt_task_cancel(&other[others - 1u].task))
CALL(cancel_first, takt_task_cancel(&other[0].task))
CALL(running, takt_task_running() == &runner.task)
DO(yield, takt_task_yield())
CALL(statistics, takt_task_statistics(&fresh.task).misses)
DO(job_wait, takt_job_wait())
DO(job_release_ns, (void)takt_job_release_ns())
DO(job_deadline_ns, (void)takt_job_deadline_ns())
DO(job_release, takt_job_release(&fresh.task))
DO(release_at_once, takt_job_release_at(&fresh.task, 1))
DO(release_at, takt_job_release_at(&fresh.task, worst_ns))
DO(release_first, takt_job_release_at(&fresh.task, earliest_ns))
CALL(now, takt_now() == 0)
DO(delay_until, takt_delay_until(worst_ns))
DO(delay_first, takt_delay_until(earliest_ns))

static uint64_t duration_ns;
DO(delay, takt_delay(duration_ns))

static void delay_arm(void)
{
    duration_ns = worst_ns - takt_now();
}

static void delay_first_arm(void)
{
    duration_ns = earliest_ns - takt_now();
}

static void suspend_last(void)
{
    takt_task_suspend(&other[others - 1u].task);
}

static void fresh_better(void)
{
    fresh_prepare(0);
}

static void fresh_equal(void)
{
    fresh_prepare(LEVEL_RUNNER);
    (void)!takt_task_start(&fresh.task, &fresh.config);
}

static void fresh_later(void)
{
    fresh_prepare(0);
    fresh.config.release = TAKT_PERIODIC;
    fresh.config.period_ns = fresh.config.deadline_ns = TAKT_S(1);
    fresh.config.offset_ns = worst_ns - takt_now();
}

static struct takt_task_statistics counted;

static void fresh_counts(void)
{
    fresh_better();
    fresh.config.statistics = &counted;
    (void)!takt_task_start(&fresh.task, &fresh.config);
}

static struct takt_arrivals arrivals;
static uint64_t releases_ns[2];

static void fresh_sporadic(void)
{
    fresh_prepare(0);
    arrivals = (struct takt_arrivals){.releases_ns = releases_ns, .capacity = 2};
    fresh.config.release = TAKT_SPORADIC;
    fresh.config.arrivals = &arrivals;
    fresh.config.period_ns = fresh.config.deadline_ns = worst_ns - takt_now();
    (void)!takt_task_start(&fresh.task, &fresh.config);
}

static void job_ends(void *argument)
{
    (void)argument;
}

/* Its first job has ended: the next waits for its distance. */
static void fresh_released(void)
{
    fresh_sporadic();
    takt_task_delete(&fresh.task);
    fresh.config.entry = job_ends;
    (void)!takt_task_start(&fresh.task, &fresh.config);
    takt_job_release(&fresh.task);
}

static void jobs_setup(void)
{
    blocker_has_jobs = true;
}

static const struct scenario scenarios[] = {
    {"takt_task_start", "a better one runs", WAKES, TAKT_OK, 1, task_start, .arm = fresh_better},
    {"takt_task_start", "its first release is last", RETURNS, TAKT_OK, 0, task_start, .arm = fresh_later},
    {"takt_task_stop", "itself", BLOCKS, 0, 0, stop_self},
    {"takt_task_stop", "the last of a queue", RETURNS, 0, 0, stop_last, queue_setup, queued},
    {"takt_task_stop", "the best of a chain of mutexes", RETURNS, 0, 0, stop_blocker, chain_setup, chained, chain_arm,
     chain_undo},
    {"takt_task_delete", "itself", BLOCKS, 0, 0, delete_self},
    {"takt_task_delete", "the last of a queue", RETURNS, 0, 0, delete_last, queue_setup, queued},
    {"takt_task_delete", "the best of a chain of mutexes", RETURNS, 0, 0, delete_blocker, chain_setup, chained,
     chain_arm, chain_undo},
    {"takt_task_stopped", "", RETURNS, false, 0, task_stopped},
    {"takt_task_suspend", "itself", BLOCKS, 0, 0, suspend_self},
    {"takt_task_suspend", "a ready one", RETURNS, 0, 0, suspend_fresh, .arm = fresh_equal},
    {"takt_task_suspend", "one that sleeps", RETURNS, 0, 0, suspend_other},
    {"takt_task_resume", "a better one runs", WAKES, 0, 1, resume, NULL, suspended},
    {"takt_task_cancel", "the first of a queue", WAKES, TAKT_OK, 1, cancel_first, queue_setup, queued},
    {"takt_task_cancel", "the last of a queue, suspended", RETURNS, TAKT_OK, 0, cancel_last, queue_setup, queued,
     suspend_last},
    {"takt_task_cancel", "the best of a chain of mutexes", WAKES, TAKT_OK, 1, cancel_first, chain_setup, chained,
     .undo = chain_undo},
    {"takt_task_running", "", RETURNS, true, 0, running},
    {"takt_task_yield", "an equal runs", WAKES, 0, 1, yield, .arm = fresh_equal},
    {"takt_task_statistics", "", RETURNS, 0, 0, statistics, .arm = fresh_counts},
    {"takt_job_wait", "the next release is last", BLOCKS, 0, 0, job_wait, jobs_setup},
    {"takt_job_release_ns", "", RETURNS, 0, 0, job_release_ns},
    {"takt_job_deadline_ns", "", RETURNS, 0, 0, job_deadline_ns},
    {"takt_job_release", "a better one runs", WAKES, 0, 1, job_release, .arm = fresh_sporadic},
    {"takt_job_release", "the release is last", RETURNS, 0, 0, job_release, .arm = fresh_released},
    {"takt_job_release_at", "a better one runs", WAKES, 0, 1, release_at_once, .arm = fresh_sporadic},
    {"takt_job_release_at", "worst position", RETURNS, 0, 0, release_at, .arm = fresh_sporadic},
    {"takt_job_release_at", "before all", RETURNS, 0, 0, release_first, .arm = fresh_sporadic},
    {"takt_now", "", RETURNS, false, 0, now},
    {"takt_delay_until", "worst position", BLOCKS, 0, 0, delay_until},
    {"takt_delay_until", "before all", BLOCKS, 0, 0, delay_first},
    {"takt_delay", "worst position", BLOCKS, 0, 0, delay, .arm = delay_arm},
    {"takt_delay", "before all", BLOCKS, 0, 0, delay, .arm = delay_first_arm},
};

void measure_tasks(void)
{
    MEASURE(scenarios);
}
