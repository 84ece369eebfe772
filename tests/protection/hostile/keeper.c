/* SPDX-License-Identifier: Apache-2.0 */
/* The third process: whatever the others do, each of its jobs is released when it should be; a task that waits too long
 * is let go. */
#include "takt_app.h"

#include "tally.h"

extern uint32_t untouched_keeper[32];
uint32_t untouched_keeper[32] = {9, 8, 7};

static void let_go(void)
{
    struct takt_task *const tasks[] = {TASK_periodic_a, TASK_sporadic_a,   TASK_background_a, TASK_periodic_b,
                                       TASK_sporadic_b, TASK_background_b, TASK_alarmed_b};
    takt_mutex_delete(&lock);
    takt_mutex_delete(&own_a);
    takt_mutex_delete(&own_b);
    takt_ceiling_delete(&ceiling);
    takt_semaphore_delete(&semaphore);
    takt_condition_delete(&condition);
    takt_events_delete(&events);
    takt_mailbox_delete(&mailbox);
    takt_priority_mailbox_delete(&urgent);
    takt_pipe_delete(&pipe);
    takt_rendezvous_delete(&exchange);
    takt_pool_delete(&blocks);
    for (unsigned task = 0; task < sizeof tasks / sizeof *tasks; task++) {
        (void)!takt_task_cancel(tasks[task]); /* a wait for a slot, which nobody deletes */
        takt_task_resume(tasks[task]);
        (void)!takt_task_start(tasks[task], NULL); /* unless it runs, or its process does not */
    }
}

void watch_job(void *argument)
{
    static uint32_t noticed;
    static uint32_t jobs;
    static uint8_t message[SIZE_news];
    (void)argument;
    if (takt_job_release_ns() != TAKT_MS(10) * jobs) {
        takt_fault_raise(TAKT_FAULT_ASSERTION, "watch", jobs, 0);
    }
    jobs++;
    message[0] = (uint8_t)jobs;
    takt_state_write(&news, message, SIZE_news);
    uint32_t made = tally_made(&tally);
    if (made == noticed) {
        let_go();
    }
    if (jobs % 4 == 0) {
        (void)!takt_process_start(PROCESS_a); /* unless it runs */
        (void)!takt_process_start(PROCESS_b);
    }
    noticed = made;
}
