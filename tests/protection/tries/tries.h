/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRIES_H
#define TRIES_H

#include <stdint.h>

/* What a task of each process tries in user mode, when the kernel's side tells it to: tests/support/tries.py. */
enum { TRY_READ, TRY_WRITE, TRY_REWRITE /* what it reads there */, TRY_EXECUTE };

struct tries_order {
    uint32_t address; /* of a word */
    uint8_t access;
    uint8_t attach;  /* before it, the memory or device of that number of the process's; 0: none */
    uint8_t process; /* of the kernel's side */
    uint8_t plant;   /* of the kernel's side: puts an instruction there that returns, while it is tried */
};

#endif
