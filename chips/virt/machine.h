/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_VIRT_MACHINE_H
#define TAKT_VIRT_MACHINE_H

#include <stddef.h>

#include "registers.h"

/* The console is the serial port (16550). Waits until the receiver has taken each byte. */
static inline void takt_chip_console_write(const void *data, size_t length)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < length; i++) {
        while ((VIRT_UART_STATUS & VIRT_UART_EMPTY) == 0) {
        }
        VIRT_UART_DATA = bytes[i];
    }
}

/* Ends the emulation. */
static inline _Noreturn void takt_chip_exit(int status)
{
    for (;;) {
        VIRT_TEST = status == 0 ? VIRT_TEST_PASS : VIRT_TEST_FAIL | (uint32_t)status << 16;
    }
}

#endif
