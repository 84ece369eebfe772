/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_MPS2_UART_H
#define TAKT_MPS2_UART_H

#include <stddef.h>

#include "registers.h"

/* A serial port of the family (CMSDK UART) that only sends. A board says which one is for what. */
static inline void takt_chip_uart_start(volatile struct mps2_uart *uart)
{
    uart->divider = 16; /* the least it takes; QEMU sends at once */
    uart->ctrl = MPS2_UART_TRANSMIT;
}

/* Waits until the receiver has taken each byte. */
static inline void takt_chip_uart_write(volatile struct mps2_uart *uart, const void *data, size_t length)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < length; i++) {
        while ((uart->state & MPS2_UART_FULL) != 0) {
        }
        uart->data = bytes[i];
    }
}

#endif
