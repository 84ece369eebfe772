/* SPDX-License-Identifier: Apache-2.0 */
/* The same in hardware: chapter 3 of seed 001. */
#include "classic.h"
#include "manager.h"

void classic_ready(struct classic_task *task)
{
    MANAGER_RECORD(task->number, RTM_RECORD_KEY) = MANAGER_LEVEL(task->number);
    MANAGER_RECORD(task->number, RTM_RECORD_STATUS) = RTM_STATUS_VALID;
}

__attribute__((noinline)) unsigned classic_first(void)
{
    return MANAGER(RTM_NEXT) & RTM_INDEX;
}

__attribute__((noinline)) void classic_tick(void)
{
    MANAGER(RTM_TICK) = 1;
}

__attribute__((noinline)) void classic_sleep(uint32_t ticks)
{
    MANAGER_RECORD(classic.current->number, RTM_RECORD_SLEEP) = ticks;
}

__attribute__((noinline)) void classic_wait(unsigned semaphore)
{
    MANAGER_RECORD(classic.current->number, RTM_RECORD_WAIT) = semaphore;
}

__attribute__((noinline)) bool classic_release(unsigned semaphore)
{
    return (MANAGER_RELEASE(semaphore) & RTM_SOME) != 0;
}
