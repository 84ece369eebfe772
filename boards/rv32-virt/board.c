/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/board.h"
#include "boards/emulated/emulated.h"
#include "kernel/port.h"
#include "registers.h"

void takt_board_init(void)
{
    takt_board_options_read();
    takt_board_stream_open();
    takt_board_link_open();
}

void takt_board_console_write(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        while ((VIRT_UART_STATUS & VIRT_UART_EMPTY) == 0) { /* until the host has taken the last one */
        }
        VIRT_UART_DATA = (uint8_t)text[i];
    }
}

/* The only serial port is the console. */
bool takt_board_serial_send(const uint8_t *data, size_t length)
{
    (void)data;
    (void)length;
    return false;
}

_Noreturn void takt_board_exit(int status)
{
    for (;;) {
        VIRT_TEST = status == 0 ? VIRT_TEST_PASS : VIRT_TEST_FAIL | (uint32_t)status << 16;
    }
}

/* The fault record on the console, then the end of the run. The caller holds the lock, which masks all. */
_Noreturn void takt_port_halt(void)
{
    takt_board_fault_end();
}
