/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The console's input. QEMU hands the next byte to the serial port as soon as one is taken, at any rate: so the port
 * raises no interrupt for the time that a character takes on the line, which the alarm that represents devices
 * measures, and the byte that comes meanwhile stays in the port.
 */
#include "devices.h"
#include "registers.h"
#include "takt/board.h"

/* Owner: interrupts, which do not nest. */
static struct {
    uint64_t character_ns;
    uint64_t free_ns; /* when the line may bring the next byte; 0: not known yet */
    bool busy;
} line;

void takt_board_console_start(uint64_t character_ns)
{
    line.character_ns = character_ns;
    VIRT_UART_INTERRUPTS = VIRT_UART_INTERRUPT_RECEIVED;
}

bool takt_board_console_take(uint8_t *byte)
{
    if ((VIRT_UART_STATUS & VIRT_UART_RECEIVED) == 0) {
        return false;
    }
    VIRT_UART_INTERRUPTS = 0;
    *byte = VIRT_UART_DATA;
    line.busy = true;
    takt_chip_devices_look();
    return true;
}

uint64_t takt_chip_console_look(uint64_t now_ns, uint64_t next_ns)
{
    if (!line.busy) {
        return next_ns;
    }
    if (line.free_ns == 0) {
        line.free_ns = now_ns + line.character_ns;
    }
    if (line.free_ns > now_ns) {
        return line.free_ns < next_ns ? line.free_ns : next_ns;
    }
    line.free_ns = 0;
    line.busy = false;
    VIRT_UART_INTERRUPTS = VIRT_UART_INTERRUPT_RECEIVED; /* what is in the port raises one now */
    return next_ns;
}
