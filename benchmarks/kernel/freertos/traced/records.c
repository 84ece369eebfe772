/* SPDX-License-Identifier: Apache-2.0 */
/* What a row writes into the ring, read back: when BENCHMARK_RECORDS is defined (stamp.h). */
#include "harness.h"

#define WORDS_MASK (TRACE_RING_BYTES / sizeof(uint32_t) - 1u)

static const char *const names[TRACE_EVENTS] = {
    [TRACE_RUN] = "run",
    [TRACE_READY] = "ready",
    [TRACE_CREATE] = "create",
    [TRACE_DELETE] = "delete",
    [TRACE_SUSPEND] = "suspend",
    [TRACE_RESUME] = "resume",
    [TRACE_DELAY] = "delay",
    [TRACE_SEND] = "send",
    [TRACE_RECEIVE] = "receive",
    [TRACE_SEND_BLOCK] = "send_block",
    [TRACE_RECEIVE_BLOCK] = "receive_block",
    [TRACE_SEND_FAILED] = "send_failed",
    [TRACE_RECEIVE_FAILED] = "receive_failed",
    [TRACE_INHERIT] = "inherit",
    [TRACE_DISINHERIT] = "disinherit",
    [TRACE_FLAGS_SET] = "flags_set",
    [TRACE_FLAGS_CLEAR] = "flags_clear",
    [TRACE_FLAGS_BLOCK] = "flags_block",
    [TRACE_FLAGS_TAKE] = "flags_take",
    [TRACE_ALLOCATE] = "allocate",
    [TRACE_FREE] = "free",
    [TRACE_INTERRUPT] = "interrupt",
    [TRACE_INTERRUPT_END] = "interrupt_end",
    [TRACE_TICK] = "tick",
    [TRACE_TICK_END] = "tick_end",
};

static const uint32_t *stamped[STAMPS]; /* the next record when a stamp was taken */

void records_stamp(unsigned which)
{
    stamped[which] = trace_next.record;
}

static void record_print(uint32_t time, uint32_t what)
{
    uint32_t event = what / TRACE_EVENT_UNIT;
    print("[\"");
    print(event < TRACE_EVENTS ? names[event] : "none");
    print_number("\", ", what % TRACE_EVENT_UNIT);
    print_number(", ", time);
    print("]");
}

/* From the stamp that begins the row to the one that ends it: event, object and time of each. */
void records_print(const struct row *row)
{
    const uint32_t *ring = (const uint32_t *)((uintptr_t)trace_next.record & ~(uintptr_t)(TRACE_RING_BYTES - 1));
    uint32_t begin = (uint32_t)(stamped[row->from] - ring);
    uint32_t words = (uint32_t)(stamped[row->to] - stamped[row->from]) & WORDS_MASK;
    print(", \"records\": [");
    for (uint32_t i = 0; i < words; i += TRACE_RECORD_WORDS) {
        uint32_t at = (begin + i) & WORDS_MASK;
        print(i == 0 ? "" : ", ");
        record_print(ring[at], ring[at + 1] - TRACE_RAM);
    }
    print("]");
}
