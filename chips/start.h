/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CHIPS_START_H
#define TAKT_CHIPS_START_H

/* What every program on a board begins with, Takt's or another's. */
#include <stdint.h>

/* The linker script's. */
extern uint32_t takti_data_load[], takti_data_start[], takti_data_end[], takti_bss_start[], takti_bss_end[];

/* Variables have the values that they begin with. */
static inline __attribute__((always_inline)) void takti_memory_start(void)
{
    for (uint32_t *to = takti_data_start, *from = takti_data_load; to < takti_data_end; to++, from++) {
        *to = *from;
    }
    for (uint32_t *to = takti_bss_start; to < takti_bss_end; to++) {
        *to = 0;
    }
}

#endif
