/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TALLY_H
#define TALLY_H

#include "kernel/process/calls.h"

#include <stdint.h>

/* Who makes calls: of each process its tasks, the task of its interrupt, and its threads together. */
enum { PROCESSES = 2 };
enum maker { PERIODIC, SPORADIC, BACKGROUND, ALARMED, LINE, THREADS, MAKERS };

/* Outlives restarts. What a maker counts is written by it alone: nothing is lost when tasks preempt each other. */
struct tally {
    uint32_t calls_max;           /* of the kernel's side: how many all make together; then they stop */
    uint32_t aims[PROCESSES][32]; /* of the kernel's side: what each process may not name */
    uint32_t aims_count;
    uint32_t made[PROCESSES][MAKERS];
    uint32_t believed_last[3];            /* the last of these: its number, first and second word */
    uint32_t believed[PROCESSES][MAKERS]; /* calls that came back although they named one of the aims as memory */
    uint32_t returned[PROCESSES][MAKERS][TAKTI_CALL_COUNT];
};

static inline uint32_t tally_made(const struct tally *from)
{
    uint32_t sum = 0;
    for (unsigned maker = 0; maker < PROCESSES * MAKERS; maker++) {
        sum += from->made[maker / MAKERS][maker % MAKERS];
    }
    return sum;
}

#endif
