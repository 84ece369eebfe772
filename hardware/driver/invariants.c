/* SPDX-License-Identifier: Apache-2.0 */
/* The records. Only what a read does not change is read in the unit. */
#include "kernel/observe/invariants.h"
#include "hardware/driver/rtm_unit.h"

void takti_walk_ready(struct takti_walk *walk)
{
    const struct takt_task *best = &takti_kernel.idle;
    for (unsigned number = 0; number < takti_walk_count(walk); number++) {
        const struct takt_task *task = takti_walk_task(walk, number);
        if (task == NULL) {
            continue;
        }
        unsigned record = (task->timer.record & TAKTI_RECORD) - 1u;
        bool has = record < TAKTI_RECORDS && takti_kernel.timers.of[record] == &task->timer;
        unsigned level = has ? level_of(record) : 0;
        bool ready = task->timer.state == TAKTI_READY;
        takti_must(walk, ready == (level != 0), "every ready task is in the ready queue", task);
        takti_must(walk, !ready || level == takti_walk_level(task->level) + 1u,
                   "a task in the ready queue is at its level", task);
        if (ready && (best == &takti_kernel.idle || takti_before(task, best))) {
            best = task;
        }
    }
    const struct takt_task *next = takti_kernel.ready.next; /* any of several equals may be the first */
    bool equal = next != &takti_kernel.idle && best != &takti_kernel.idle && next->timer.state == TAKTI_READY &&
                 !takti_before(best, next);
    takti_walk_running(walk, equal ? next : best);
}

/* Follows the records of armed timers. Returns the number of known ones. */
unsigned takti_walk_armed_timers(struct takti_walk *walk)
{
    unsigned known = 0;
    for (unsigned record = 0; record < TAKTI_RECORDS; record++) {
        const struct takt_timer *timer = takti_kernel.timers.of[record];
        if (timer == NULL || !takti_walk_is_timer(walk, timer) || (timer->record & TAKTI_RECORD) != record + 1u ||
            timer->armed == 0) {
            continue; /* its former record */
        }
        takti_must(walk, level_of(record) == 0, "a task with an armed timer is not ready", timer);
        takti_walk_armed(walk, timer, timer->armed);
        known += takti_walk_timer_known(walk, timer) ? 1 : 0;
    }
    return known;
}
