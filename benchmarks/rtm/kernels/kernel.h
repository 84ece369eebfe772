/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RTM_KERNEL_H
#define RTM_KERNEL_H

#include <stdint.h>

/*
 * What the workload asks of a kernel. A task is a step that a kernel makes once in each period, or, of a period of 0,
 * once for each signal. Numbers of tasks are their priorities: 0 goes first, and is the one that is signalled.
 * Names of functions are the categories that cycles are counted by (tools/takt/bench/studies/rtm.py).
 */
#define KERNEL_TASKS 63u
#define KERNEL_SEMAPHORES 31u

void kernel_create(unsigned task, void (*step)(unsigned argument), unsigned argument, uint32_t period_ticks);

/* The workload begins; ticks do, `tick_ns` apart, in a kernel that has ticks; and tasks run. */
_Noreturn void kernel_start(uint32_t tick_ns);

/* From the handler of the aperiodic interrupt: task 0 makes a step. */
void kernel_signal(void);

/* Counting, from 0. A kernel that does not preempt has none: every wait succeeds. Context: a task. */
void kernel_semaphore_wait(unsigned semaphore);
void kernel_semaphore_post(unsigned semaphore);

/* The workload's: it begins at this time, of the clock as it stays, which is now or has just been. */
void workload_begin(uint64_t start_ns);

/* The workload's: what the aperiodic interrupt does, and its line of the controller. */
#define WORKLOAD_LINE 1u
void workload_interrupt(void);

#endif
