/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_HOST_SAVED_H
#define TAKT_HOST_SAVED_H

#include <stdint.h>

/*
 * x86-64: what a context that does not run has on its stack, the registers that a call preserves. This list is their
 * only description: the structure, the instructions that push and pop, and the offsets that gdb uses
 * (tools/takt/support/c/ports.py) are made from it. Each register encloses what is pushed after it, down to `switches`.
 */
#define TAKT_HOST_X86_64_SAVED(AROUND, switches) \
    AROUND(rbp, AROUND(rbx, AROUND(r12, AROUND(r13, AROUND(r14, AROUND(r15, switches))))))

#define TAKT_HOST_SAVED_FIELD(name, before) before uint64_t name;
struct takt_host_x86_64_saved {
    TAKT_HOST_X86_64_SAVED(TAKT_HOST_SAVED_FIELD, )
    uint64_t pc; /* pushed by the call */
};

#endif
