/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/time.h"

/*
 * Executes for the duration in cycles of 20 ns, less a few for what the caller needs, however often it is interrupted.
 * In cycles: an instruction takes 1, a branch that is taken and a jump 3, the multiplication 3. So a round of the loop
 * makes 6, 120 ns, and what is left of a round is waited for in no-operations, one for 20 ns: 205 in 4096 is that
 * as far as it goes. What remains is the same for every duration. A shorter one cannot be had: it returns at once.
 * All instructions are of four bytes and aligned, for fetching those that are not may take longer.
 */
#define ROUND_NS "120"
#define REST_NS "560"
__attribute__((naked, aligned(16))) void takt_work(uint64_t duration_ns)
{
    (void)duration_ns;
    __asm volatile(".option push\n\t"
                   ".option norvc\n\t"
                   "sltiu t0, a0, " REST_NS "\n\t"
                   "addi  a0, a0, -" REST_NS "\n\t"
                   "sub   a1, a1, t0\n\t"
                   "bltz  a1, 2f\n"
                   "1:\n\t"
                   "sltiu t0, a0, " ROUND_NS "\n\t"
                   "addi  a0, a0, -" ROUND_NS "\n\t"
                   "sub   a1, a1, t0\n\t"
                   "bgez  a1, 1b\n\t"
                   "addi  a0, a0, " ROUND_NS "\n\t"
                   "li    t0, 205\n\t"
                   "mul   a0, a0, t0\n\t"
                   "srli  a0, a0, 12\n\t"
                   "slli  a0, a0, 2\n\t"
                   "auipc t0, 0\n\t"
                   "sub   t0, t0, a0\n\t"
                   "jr    32(t0)\n\t"
                   "nop\n\t"
                   "nop\n\t"
                   "nop\n\t"
                   "nop\n\t"
                   "nop\n"
                   "2:\n\t"
                   "ret\n\t"
                   ".option pop");
}
