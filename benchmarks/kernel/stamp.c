/* SPDX-License-Identifier: Apache-2.0 */
#include "stamp.h"

uint32_t stamps[4];

/* From read to read: address, store, return; the caller's argument and call; address, read. */
__attribute__((naked)) void stamp_take(unsigned which)
{
    (void)which;
    __asm volatile("ldr  r1, =0x40028018\n\t"
                   "ldr  r1, [r1]\n\t"
                   "ldr  r2, =stamps\n\t"
                   "str  r1, [r2, r0, lsl #2]\n\t"
                   "bx   lr\n\t"
                   ".ltorg");
}
