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
        IBEX_CONSOLE = (uint8_t)text[i];
    }
}

/* No serial port. */
bool takt_board_serial_send(const uint8_t *data, size_t length)
{
    (void)data;
    (void)length;
    return false;
}

_Noreturn void takt_board_exit(int status)
{
    for (;;) {
        IBEX_EXIT = (uint32_t)status;
    }
}

/* The fault record on the console, then the end of the run. The caller holds the lock, which masks all. */
_Noreturn void takt_port_halt(void)
{
    takt_board_fault_end();
}
