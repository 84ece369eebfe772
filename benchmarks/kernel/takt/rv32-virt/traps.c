/* SPDX-License-Identifier: Apache-2.0 */
#include "takt_rv32.h"
#include "target.h"

/* The port's vectors, except the external interrupt, which is the sweep's. */
__attribute__((naked, aligned(256))) void target_sweep_vectors(void)
{
    __asm volatile(".option push\n\t"
                   ".option norvc\n\t"
                   "j     takt_rv32_vectors\n\t"
                   "j     takt_rv32_vectors + 4\n\t"
                   "j     takt_rv32_vectors + 8\n\t"
                   "j     takt_rv32_vectors + 12\n\t"
                   "j     takt_rv32_vectors + 16\n\t"
                   "j     takt_rv32_vectors + 20\n\t"
                   "j     takt_rv32_vectors + 24\n\t"
                   "j     takt_rv32_vectors + 28\n\t"
                   "j     takt_rv32_vectors + 32\n\t"
                   "j     takt_rv32_vectors + 36\n\t"
                   "j     takt_rv32_vectors + 40\n\t"
                   "j     target_sweep_trap\n\t"
                   ".option pop");
}
