/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BENCHMARK_COUNTS_H
#define TAKT_BENCHMARK_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What counts.c counts on the host port, between the kernel and the port. A locked section is counted when the lock
 * was open before: the "scheduler lock" of seed 003.
 */
extern struct counts {
    uint32_t switches; /* the processor went to another task */
    uint32_t locks;    /* locked sections */
    uint32_t calls;    /* those that a call of the channel entered */
} counts;

/* Whether the running task is in a call of the channel. */
bool counts_in_call(void);

#endif
