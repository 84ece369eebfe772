/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/board.h"
#include "chips/emulated/emulated.h"
#include "chips/ibex/machine.h"
#include "kernel/port.h"

void takt_board_init(void)
{
    static bool initialized;
    if (initialized) {
        return;
    }
    initialized = true;
    takt_chip_options_read();
    takt_chip_stream_open();
    takt_chip_link_open();
}

void takt_board_console_write(const char *text, size_t length)
{
    takt_chip_console_write(text, length);
}

/* No serial port for the plant. */
bool takt_board_serial_send(const uint8_t *data, size_t length)
{
    (void)data;
    (void)length;
    return false;
}

_Noreturn void takt_board_exit(int status)
{
    takt_chip_exit(status);
}

/* The fault record on the console, then the end of the run. The caller holds the lock, which masks all. */
_Noreturn void takt_port_halt(void)
{
    takt_chip_fault_end();
}
