/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_ARMV7M_FRAME_H
#define TAKT_ARMV7M_FRAME_H

#include <stdint.h>

/* What the processor stores on the stack when it takes an exception. */
struct frame {
    uint32_t r0_to_r3[4];
    uint32_t r12;
    uint32_t lr;
    uint32_t pc;
    uint32_t xpsr;
};

#endif
