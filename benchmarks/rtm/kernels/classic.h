/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RTM_CLASSIC_H
#define RTM_CLASSIC_H

#include <stdbool.h>

#include "kernel.h"

/*
 * Between the classical kernel (classic.c) and what it finds tasks with: classic_software.c or classic_manager.c.
 * The caller has masked interrupts.
 */
#define CLASSIC_SIGNAL KERNEL_SEMAPHORES /* the semaphore of task 0 */
#define CLASSIC_GROUPS 8u

struct classic_task {
    void *stack; /* first: assembly */
    struct classic_task *next;
    uint32_t delay; /* ticks */
    bool delayed;
    uint8_t number;
    void (*step)(unsigned argument);
    unsigned argument;
    uint32_t period;
};

struct classic_semaphore {
    uint32_t count;
    uint8_t groups;
    uint8_t waits[CLASSIC_GROUPS];
};

struct classic_kernel {
    struct classic_task *current; /* first: assembly */
    struct classic_task *best;
    struct classic_task *list;
    uint32_t time; /* ticks */
    uint8_t groups;
    uint8_t ready[CLASSIC_GROUPS];
    struct classic_semaphore semaphores[KERNEL_SEMAPHORES + 1];
    struct classic_task tasks[KERNEL_TASKS + 1];
};
extern struct classic_kernel classic;

/* A task that was never ready. */
void classic_ready(struct classic_task *task);
unsigned classic_first(void);
void classic_tick(void);
/* The running task is not ready any more, for so many ticks or until the semaphore is released. */
void classic_sleep(uint32_t ticks);
void classic_wait(unsigned semaphore);
/* The best that waits is ready; false: nobody waits. */
bool classic_release(unsigned semaphore);

void classic_schedule(void);
void classic_switch(void);
void classic_interrupt_exit(void);
void classic_delay(uint32_t ticks);
void classic_timer(void);
void classic_external(void);

#endif
