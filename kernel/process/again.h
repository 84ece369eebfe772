/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_AGAIN_H
#define TAKTI_AGAIN_H

/* A task that starts again with its process, with protection and without. Called with the kernel locked. */
#include "kernel/core/kernel.h"

/*
 * Starts a stopped task as if no release had been lost, so that the proof still holds: a periodic one at its next
 * release, a sporadic one not before its minimum distance. Does not switch.
 */
static inline void takti_task_start_again(struct takt_task *task, const struct takt_task_config *config,
                                          uint64_t now_ns)
{
    uint64_t deadline_ns = task->job_deadline_ns; /* of its last job; 0: none */
    uint64_t release_ns = deadline_ns != 0 ? deadline_ns - config->deadline_ns : task->timer.at_ns;
    (void)takti_task_start(task, config);
    if (config->arrivals != NULL) { /* pending releases are dropped, and keep no minimum distance */
        config->arrivals->last_ns = deadline_ns != 0 ? release_ns : TAKT_FOREVER;
        task->job_deadline_ns = deadline_ns;
    } else if (TAKTI_HAS_JOBS(config)) {
        (void)takt_pass(&release_ns, now_ns, config->period_ns);
        takti_timer_cancel(&task->timer);
        takti_timer_arm(&task->timer, release_ns);
    }
}

#endif
