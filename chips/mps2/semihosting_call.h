/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_MPS2_SEMIHOSTING_CALL_H
#define TAKT_MPS2_SEMIHOSTING_CALL_H

#include <stdint.h>

/* A processor of the M profile: one instruction. */
static inline int32_t takt_chip_semihosting(uint32_t call, const void *parameters)
{
    register uint32_t r0 __asm("r0") = call;
    register const void *r1 __asm("r1") = parameters;
    __asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return (int32_t)r0;
}

#endif
