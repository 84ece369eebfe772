/* SPDX-License-Identifier: Apache-2.0 */
/* Figures 4.4 and 4.5 of seed 001. */
#include "nos.h"

#include <stddef.h>

#include "benchmarks/rtm/board/interrupts.h"

__attribute__((noinline)) void nos_schedule(struct nos_task *task)
{
    if (task->queued) {
        return;
    }
    struct nos_task **link = &nos.ready;
    while (*link != NULL && (*link)->number <= task->number) {
        link = &(*link)->next;
    }
    task->next = *link;
    *link = task;
    task->queued = true;
}

__attribute__((noinline)) struct nos_task *nos_take(void)
{
    struct nos_task *task = nos.ready;
    if (task != NULL) {
        nos.ready = task->next;
        task->queued = false;
    }
    return task;
}

static void schedule(struct nos_task *task)
{
    uint32_t before = interrupts_off();
    nos_schedule(task);
    interrupts_restore(before);
}

__attribute__((noinline)) void nos_tick(uint32_t ticks)
{
    while (nos.delayed != NULL && nos.delayed->delay <= ticks) {
        struct nos_task *task = nos.delayed;
        ticks -= task->delay;
        nos.delayed = task->next;
        schedule(task);
    }
    if (nos.delayed != NULL) {
        nos.delayed->delay -= ticks;
    }
}

__attribute__((noinline)) void nos_release(struct nos_task *task, uint32_t ticks)
{
    if (ticks == 0) {
        schedule(task);
        return;
    }
    struct nos_task **link = &nos.delayed;
    while (*link != NULL && (*link)->delay <= ticks) {
        ticks -= (*link)->delay;
        link = &(*link)->next;
    }
    if (*link != NULL) {
        (*link)->delay -= ticks;
    }
    task->delay = ticks;
    task->next = *link;
    *link = task;
}
