/* SPDX-License-Identifier: Apache-2.0 */
/* The same with the task manager: a task without a period is suspended as long as it is not signalled. */
#include "nos.h"

#include <stddef.h>

#include "manager.h"

/* A task that the task manager knows was signalled. */
__attribute__((noinline)) void nos_schedule(struct nos_task *task)
{
    if (task->queued) {
        MANAGER_RECORD(task->number, RTM_RECORD_CLEAR) = RTM_STATUS_SUSPENDED;
        return;
    }
    MANAGER_RECORD(task->number, RTM_RECORD_KEY) = MANAGER_LEVEL(task->number);
    MANAGER_RECORD(task->number, RTM_RECORD_STATUS) = RTM_STATUS_VALID;
    task->queued = true;
}

__attribute__((noinline)) struct nos_task *nos_take(void)
{
    uint32_t next = MANAGER(RTM_NEXT);
    if ((next & RTM_SOME) == 0) {
        return NULL;
    }
    struct nos_task *task = &nos.tasks[next & RTM_INDEX];
    if (task->period == 0) {
        MANAGER_RECORD(task->number, RTM_RECORD_SET) = RTM_STATUS_SUSPENDED;
    }
    return task;
}

__attribute__((noinline)) void nos_tick(uint32_t ticks)
{
    MANAGER(RTM_TICK) = ticks;
}

/* It is ready as long as nothing is written. */
__attribute__((noinline)) void nos_release(struct nos_task *task, uint32_t ticks)
{
    if (ticks != 0) {
        MANAGER_RECORD(task->number, RTM_RECORD_SLEEP) = ticks;
    }
}
