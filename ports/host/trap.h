/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_HOST_TRAP_H
#define TAKT_HOST_TRAP_H

/* Between port.c, which knows whose stack is in use, and trap.c, which knows calls. */
#include <stdbool.h>
#include <stdint.h>

struct takt_task;

/* From a task: goes on with the kernel's context, locked, which begins in `serve`; returns what the call does. */
uint64_t takt_host_trap_enter(void (*serve)(void *argument));
/* From the kernel's: goes on with `running`, or the task that runs after an interrupt asked for a switch; returns in
 * the next trap. */
void takt_host_trap_leave(struct takt_task *running);
/* Whether a call is under way. */
bool takt_host_in_trap(void);
/* A task of a process begins. Does not return. */
void takt_host_task_begin(const struct takt_task *task);
uint64_t takt_host_call(uintptr_t first, uintptr_t second, uintptr_t third, uintptr_t fourth, uint32_t number);

#endif
