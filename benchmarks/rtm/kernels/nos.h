/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RTM_NOS_H
#define RTM_NOS_H

#include <stdbool.h>

#include "kernel.h"

/* Between NOS (nos.c) and what it keeps tasks in: nos_software.c or nos_manager.c. */
struct nos_task {
    struct nos_task *next; /* in the ready or the delay queue */
    uint32_t delay;        /* ticks after the one before it in the delay queue */
    void (*step)(unsigned argument);
    unsigned argument;
    uint32_t period;
    uint32_t release; /* tick of the next step */
    uint8_t number;
    bool queued; /* is in the ready queue; or the task manager knows it */
};

struct nos_kernel {
    uint32_t time;             /* ticks that were processed */
    volatile uint32_t elapsed; /* and those that were not: the timer's, and nos_loop's with interrupts masked */
    struct nos_task *ready;    /* with interrupts masked */
    struct nos_task *delayed;
    struct nos_task tasks[KERNEL_TASKS];
};
extern struct nos_kernel nos;

/* A task is ready. Interrupts are masked. */
void nos_schedule(struct nos_task *task);
/* The best ready task is taken, NULL: there is none. Interrupts are masked. */
struct nos_task *nos_take(void);
/* So many ticks have passed: whose delay is over is ready. */
void nos_tick(uint32_t ticks);
/* A task that was taken is ready again in so many ticks, 0: at once. */
void nos_release(struct nos_task *task, uint32_t ticks);

#endif
