/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/time.h"

/*
 * Executes duration / 32 ns instructions (board.toml), less one for the rounding of the clock's stamps, however
 * often it is interrupted. With n = instructions - 23: 8 before the loop, 4 for each of n / 4 + 1 rounds, 5 for the
 * jump into the no-operations, n % 4 of those and the return make n + 18; the caller is taken to need 4 (two arguments
 * and the call). Fewer than 23 instructions cannot be had: it returns at once.
 */
__attribute__((naked)) void takt_work(uint64_t duration_ns)
{
    (void)duration_ns;
    __asm volatile("srli  a0, a0, 5\n\t"
                   "slli  t0, a1, 27\n\t"
                   "or    a0, a0, t0\n\t"
                   "srli  a1, a1, 5\n\t"
                   "sltiu t0, a0, 23\n\t"
                   "addi  a0, a0, -23\n\t"
                   "sub   a1, a1, t0\n\t"
                   "bltz  a1, 2f\n"
                   "1:\n\t"
                   "sltiu t0, a0, 4\n\t"
                   "addi  a0, a0, -4\n\t"
                   "sub   a1, a1, t0\n\t"
                   "bgez  a1, 1b\n\t"
                   "not   a0, a0\n\t" /* n % 4 - 4 is left: this makes it 3 - n % 4 */
                   "slli  a0, a0, 2\n\t"
                   ".option push\n\t"
                   ".option norvc\n\t" /* each is four bytes */
                   "auipc t0, 0\n\t"
                   "add   t0, t0, a0\n\t"
                   "jr    12(t0)\n\t"
                   "nop\n\t"
                   "nop\n\t"
                   "nop\n"
                   ".option pop\n"
                   "2:\n\t"
                   "ret");
}
