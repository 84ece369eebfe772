/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NOTES_H
#define NOTES_H

/* What tasks of a test note, and short words for what they do. */
#include "world.h"

enum { A = 0, B = PROCESS_TASKS, C = 2 * PROCESS_TASKS };

static uint64_t results[8];
static unsigned result_count;
static uint64_t times_ns[64];
static unsigned time_count;

static inline void note(uint64_t result)
{
    if (result_count < 8) {
        results[result_count++] = result;
    }
}

/* Checks that exactly these values were noted, in this order. */
#define CHECK_NOTES(...)                                                         \
    do {                                                                         \
        const uint64_t check_notes[] = {__VA_ARGS__};                            \
        CHECK_EQUAL(result_count, sizeof check_notes / sizeof *check_notes);     \
        for (unsigned check_note = 0; check_note < result_count; check_note++) { \
            CHECK_EQUAL(results[check_note], check_notes[check_note]);           \
        }                                                                        \
    } while (0)

/* Checks that the only fault is that of a call with arguments that its process may not give. */
#define CHECK_REFUSED()                                                       \
    do {                                                                      \
        CHECK_EQUAL(takt_process_faults.count, 1);                            \
        CHECK_EQUAL(takt_process_faults.records[0].cause, TAKT_PROCESS_CALL); \
    } while (0)

static void sleep_to(unsigned ms)
{
    (void)CALL1(delay_until, TAKT_MS(ms));
}

static inline void fault(void)
{
    (void)CALL1(semaphore_post, 0);
    CHECK(false); /* it does not come back */
}

static void fresh(unsigned restarts_max)
{
    world_new(restarts_max);
    result_count = 0;
    time_count = 0;
    times_ns[0] = 0;
}

#endif
