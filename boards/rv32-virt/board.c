/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/board.h"
#include "chips/emulated/emulated.h"
#include "chips/virt/machine.h"
#include "kernel/port.h"

/* The serial port is the console, and the plant has none. */
void takt_board_init(void)
{
    takt_chip_run_init();
}

void takt_board_console_write(const char *text, size_t length)
{
    takt_chip_console_write(text, length);
}

_Noreturn void takt_board_exit(int status)
{
    takt_chip_exit(status);
}

/* The caller holds the lock, which masks all. */
_Noreturn void takt_port_halt(void)
{
    takt_chip_fault_end();
}
