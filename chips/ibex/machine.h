/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_IBEX_MACHINE_H
#define TAKT_IBEX_MACHINE_H

#include <stddef.h>

#include "registers.h"

/* Writes to the console of the simulation (soc_host). */
static inline void takt_chip_console_write(const void *data, size_t length)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < length; i++) {
        IBEX_CONSOLE = bytes[i];
    }
}

/* Ends the simulation. */
static inline _Noreturn void takt_chip_exit(int status)
{
    for (;;) {
        IBEX_EXIT = (uint32_t)status;
    }
}

#endif
