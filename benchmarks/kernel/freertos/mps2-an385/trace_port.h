/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FREERTOS_TRACE_PORT_H
#define FREERTOS_TRACE_PORT_H

#include <stdint.h>

#define TRACE_RAM UINT32_C(0x20000000)
#define TRACE_HANDLERS_NEST 1 /* by their priorities */

/* FreeRTOS masks by BASEPRI, so that PRIMASK is open: it takes half of the instructions, and needs no old state. */
static inline __attribute__((always_inline)) uint32_t trace_lock(void)
{
    __asm volatile("cpsid i" : : : "memory");
    return 0;
}

static inline __attribute__((always_inline)) void trace_unlock(uint32_t state)
{
    (void)state;
    __asm volatile("cpsie i" : : : "memory");
}

/* One instruction, which the compiler finds in some places only. Nobody reads the ring meanwhile. */
static inline __attribute__((always_inline)) uint32_t *trace_store(uint32_t *record, uint32_t time, uint32_t what)
{
    __asm volatile("strd %1, %2, [%0], #8" : "+r"(record) : "r"(time), "r"(what));
    return record;
}

#endif
