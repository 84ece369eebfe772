/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/time.h"

/*
 * Executes duration / 64 ns instructions (-icount shift=6), less one for the rounding of the clock's stamps, however
 * often it is interrupted. With n = instructions - 18: 6 before the loop, 4 for each of n / 4 + 1 rounds, 3 for the
 * jump into the no-operations, n % 4 of those and the return make n + 14; the caller is taken to need 3 (two arguments
 * and the call). Fewer than 18 instructions cannot be had: it returns at once.
 */
__attribute__((naked)) void takt_work(uint64_t duration_ns)
{
    (void)duration_ns;
    __asm volatile("lsrs  r0, r0, #6\n\t"
                   "orr.w r0, r0, r1, lsl #26\n\t"
                   "lsrs  r1, r1, #6\n\t"
                   "subs  r0, #18\n\t"
                   "sbcs  r1, r1, #0\n\t"
                   "blo   2f\n"
                   "1:\n\t"
                   "subs  r0, #4\n\t"
                   "sbcs  r1, r1, #0\n\t"
                   "nop\n\t"
                   "bhs   1b\n\t"
                   "mvns  r0, r0\n\t" /* n % 4 - 4 is left: this makes it 3 - n % 4 */
                   "lsls  r0, r0, #1\n\t"
                   "add   pc, r0\n\t"
                   "nop\n\t" /* never: pc reads four bytes ahead */
                   "nop\n\t"
                   "nop\n\t"
                   "nop\n"
                   "2:\n\t"
                   "bx    lr");
}
