/* SPDX-License-Identifier: Apache-2.0 */
/* The console's input from the serial port, or a file. */
#include "chips/console_line.h"
#include "devices.h"
#include "registers.h"
#include "takt/board.h"

static struct takt_chip_line line;

static void listen(void)
{
    if (line.file >= 0) {
        takt_chip_dispatch(VIRT_IRQ_UART);
        return;
    }
    VIRT_UART_INTERRUPTS = VIRT_UART_INTERRUPT_RECEIVED; /* what is in the port raises one now */
}

void takt_board_console_start(uint64_t character_ns)
{
    line.character_ns = character_ns;
    line.file = takt_chip_input_open();
    line.busy = line.file >= 0;
    if (line.file < 0) {
        listen();
    }
}

static bool taken_from_port(uint8_t *byte)
{
    if ((VIRT_UART_STATUS & VIRT_UART_RECEIVED) == 0) {
        return false;
    }
    VIRT_UART_INTERRUPTS = 0;
    *byte = VIRT_UART_DATA;
    return true;
}

bool takt_board_console_take(uint8_t *byte)
{
    if (line.file >= 0 ? !takt_chip_input_take(line.file, byte) : !taken_from_port(byte)) {
        return false;
    }
    line.busy = true;
    takt_chip_devices_look();
    return true;
}

uint64_t takt_chip_console_look(uint64_t now_ns, uint64_t next_ns)
{
    return takt_chip_line_look(&line, now_ns, next_ns, listen);
}
