/* SPDX-License-Identifier: Apache-2.0 */
#include "semihosting_call.h"

/*
 * RISC-V semihosting 0.2: an EBREAK between these two, none of them compressed and all in one page: the alignment. In
 * a0 the call, in a1 its parameters.
 */
__attribute__((naked, aligned(16))) int32_t takt_chip_semihosting(uint32_t call, const void *parameters)
{
    (void)call;
    (void)parameters;
    __asm volatile(".option push\n\t"
                   ".option norvc\n\t"
                   "slli zero, zero, 0x1f\n\t"
                   "ebreak\n\t"
                   "srai zero, zero, 7\n\t"
                   ".option pop\n\t"
                   "ret");
}
