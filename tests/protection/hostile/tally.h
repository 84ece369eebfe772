/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TALLY_H
#define TALLY_H

#include "kernel/process/calls.h"

#include <stdint.h>

/* The callers: of each process its tasks, the task of its interrupt, and its threads together. */
enum { PROCESSES = 2, PAST = 16 };
enum maker { PERIODIC, SPORADIC, BACKGROUND, ALARMED, LINE, THREADS, MAKERS };

/* Outlives restarts. What a maker counts is written by it alone: nothing is lost when tasks preempt each other. */
struct tally {
    uint32_t calls_max;           /* of the kernel's side: how many all make together; then they stop */
    uint32_t aims[PROCESSES][32]; /* of the kernel's side: what each process may not name */
    uint32_t aims_count;
    uint32_t slot_first[PROCESSES]; /* of the kernel's side: handles of what each process creates begin here ... */
    uint32_t slot_count[PROCESSES]; /* ... so many */
    uint32_t made[PROCESSES][MAKERS];
    uint32_t past[PROCESSES][PAST];     /* handles that it was given, in other lives too, ... */
    uint8_t past_kind[PROCESSES][PAST]; /* ... of which kind, as in takes.h */
    uint32_t past_count[PROCESSES];
    uint32_t believed_last[3]; /* the last of these: its number, first and second word */
    uint32_t believed[PROCESSES]
                     [MAKERS]; /* calls that came back though they named an aim as memory, or what was deleted */
    uint32_t stale[PROCESSES][MAKERS];  /* calls that named an object which had been deleted */
    uint32_t leaves[PROCESSES][MAKERS]; /* it is about to call takt_thread_exit */
    uint32_t passed[PROCESSES][MAKERS]; /* calls that came back, with anything but TAKT_STATE */
    uint32_t succeeded[PROCESSES][MAKERS][TAKTI_CALL_COUNT];
    uint32_t slot_opened;               /* the slot that was opened last */
    uint8_t succeeds[TAKTI_CALL_COUNT]; /* of each call: it has succeeded, or is not expected to */
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
