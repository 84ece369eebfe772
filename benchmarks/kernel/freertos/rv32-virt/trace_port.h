/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FREERTOS_TRACE_PORT_H
#define FREERTOS_TRACE_PORT_H

#include <stdint.h>

#define TRACE_RAM UINT32_C(0x80000000)
#define TRACE_HANDLERS_NEST 0 /* mstatus.MIE stays closed in them */

static inline __attribute__((always_inline)) uint32_t trace_lock(void)
{
    uint32_t state;
    __asm volatile("csrrci %0, mstatus, 8" : "=r"(state) : : "memory");
    return state;
}

/* What mstatus had, MIE among it, it has. */
static inline __attribute__((always_inline)) void trace_unlock(uint32_t state)
{
    __asm volatile("csrs mstatus, %0" : : "r"(state) : "memory");
}

static inline __attribute__((always_inline)) uint32_t *trace_store(uint32_t *record, uint32_t time, uint32_t what)
{
    record[0] = time;
    record[1] = what;
    return record + 2;
}

/* The port's trap handler has no hooks: its tick is the call of this function, which also counts those that came late.
 */
#define traceTASK_INCREMENT_TICK(count) trace_write(TRACE_TICK, TRACE_RAM)
#define traceRETURN_xTaskIncrementTick(switches) trace_write(TRACE_TICK_END, TRACE_RAM)

#endif
