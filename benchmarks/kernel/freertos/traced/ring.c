/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

static uint32_t ring[TRACE_RING_BYTES / sizeof(uint32_t)] __attribute__((aligned(TRACE_RING_BYTES)));
union trace_position trace_next = {.record = ring};

_Noreturn void assertion_failed(unsigned line)
{
    print_number("\nFreeRTOS: assertion in line ", line);
    harness_fail("failed", "configASSERT");
}
