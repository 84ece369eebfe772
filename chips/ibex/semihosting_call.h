/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_IBEX_SEMIHOSTING_CALL_H
#define TAKT_IBEX_SEMIHOSTING_CALL_H

#include <stdint.h>

#include "registers.h"

/* One store makes the call, so an interrupt can make another one before or after it. */
static inline int32_t takt_chip_semihosting(uint32_t call, const void *parameters)
{
    volatile uint32_t words[3] = {call, (uint32_t)(uintptr_t)parameters, 0};
    __asm volatile("" : : : "memory"); /* what the call reads is in memory ... */
    IBEX_CALL = (uint32_t)(uintptr_t)words;
    __asm volatile("" : : : "memory"); /* ... and so is what it wrote */
    return (int32_t)words[2];
}

#endif
