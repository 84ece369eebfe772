/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/port.h"
#include "takt_rv32.h"
#include "target.h"

/* The port's vectors, both halves, except the external interrupt, which is the sweep's. */
__attribute__((naked, aligned(TAKT_RV32_VECTORS_SIZE))) void target_sweep_vectors(void)
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
                   ".balign %0\n\t"
                   "j     takt_rv32_vectors + %0\n\t"
                   "j     takt_rv32_vectors + %0 + 4\n\t"
                   "j     takt_rv32_vectors + %0 + 8\n\t"
                   "j     takt_rv32_vectors + %0 + 12\n\t"
                   "j     takt_rv32_vectors + %0 + 16\n\t"
                   "j     takt_rv32_vectors + %0 + 20\n\t"
                   "j     takt_rv32_vectors + %0 + 24\n\t"
                   "j     takt_rv32_vectors + %0 + 28\n\t"
                   "j     takt_rv32_vectors + %0 + 32\n\t"
                   "j     takt_rv32_vectors + %0 + 36\n\t"
                   "j     takt_rv32_vectors + %0 + 40\n\t"
                   "j     target_sweep_trap\n\t"
                   ".option pop"
                   :
                   : "i"(TAKT_RV32_NESTED));
}
