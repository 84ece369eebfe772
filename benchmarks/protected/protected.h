/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BENCHMARK_PROTECTED_H
#define TAKT_BENCHMARK_PROTECTED_H

/*
 * Two processes for measurements, so that a switch may be one across. The regions of both are as many as the processor
 * has, the most expensive switch, and together all memory and the board's counter: what is measured is what the kernel
 * does, and user mode may look at all of it. Objects get handles as they are made. in_kernel is no part of what is
 * measured.
 */
#include <stdint.h>

#include "kernel/process/process.h"
#include "takt/system.h"

enum { PROTECTED_PROCESSES = 2, PROTECTED_OBJECTS = 512 };

extern struct takt_process protected_processes[PROTECTED_PROCESSES];

/* Adds the processes and an empty table of objects to `system`, before it is started. In the kernel. */
void protected_declare(struct takt_system *system);

/* The handle of an object, which every process may use in every way; the same again for one that has one. In the
 * kernel. */
uintptr_t protected_handle(void *object, enum takt_object_kind kind);

/* In user mode: `function(argument)` in the kernel's mode, in a call, locked. */
void in_kernel(void (*function)(void *argument), void *argument);

#endif
