/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The console's input. QEMU hands the next byte to the serial port as soon as one is taken, at any rate: so the
 * interrupt of the port is off for the time that a character takes on the line, which the timer that represents devices
 * measures, and the byte that comes meanwhile stays in the port.
 */
#include "devices.h"
#include "registers.h"
#include "takt/board.h"

#define NVIC_ISPR ((volatile uint32_t *)0xE000E200u)
#define QUIET (MPS2_UART_TRANSMIT | MPS2_UART_RECEIVE)

/* `busy`: set by the console's interrupt, which is off until the timer's clears it; the others are the timer's. */
static struct {
    uint64_t character_ns;
    uint64_t free_ns; /* when the line may bring the next byte; 0: not known yet */
    volatile bool busy;
} line;

void takt_board_console_start(uint64_t character_ns)
{
    line.character_ns = character_ns;
    MPS2_UART0->ctrl = QUIET | MPS2_UART_RECEIVE_INTERRUPT;
}

bool takt_board_console_take(uint8_t *byte)
{
    if ((MPS2_UART0->state & MPS2_UART_RECEIVED) == 0) {
        return false;
    }
    MPS2_UART0->ctrl = QUIET;
    MPS2_UART0->interrupt = MPS2_UART_RECEIVE_PENDING;
    *byte = (uint8_t)MPS2_UART0->data;
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
    MPS2_UART0->ctrl = QUIET | MPS2_UART_RECEIVE_INTERRUPT;
    if ((MPS2_UART0->state & MPS2_UART_RECEIVED) != 0) { /* it came while the interrupt was off */
        NVIC_ISPR[MPS2_IRQ_UART0_RECEIVE / 32u] = UINT32_C(1) << (MPS2_IRQ_UART0_RECEIVE % 32u);
    }
    return next_ns;
}
