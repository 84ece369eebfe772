/* SPDX-License-Identifier: Apache-2.0 */
/* The console's input from the serial port, or a file. */
#include "chips/console_line.h"
#include "devices.h"
#include "registers.h"
#include "takt/board.h"

#define NVIC_ISPR ((volatile uint32_t *)0xE000E200u)
#define QUIET (MPS2_UART_TRANSMIT | MPS2_UART_RECEIVE)

static struct takt_chip_line line;

static void pend(void)
{
    NVIC_ISPR[MPS2_IRQ_UART0_RECEIVE / 32u] = UINT32_C(1) << (MPS2_IRQ_UART0_RECEIVE % 32u);
}

static void listen(void)
{
    if (line.file >= 0) {
        pend();
        return;
    }
    MPS2_UART0->ctrl = QUIET | MPS2_UART_RECEIVE_INTERRUPT;
    if ((MPS2_UART0->state & MPS2_UART_RECEIVED) != 0) { /* it came while the interrupt was off */
        pend();
    }
}

void takt_board_console_start(uint64_t character_ns)
{
    line.character_ns = character_ns;
    line.file = takt_chip_input_open();
    line.busy = line.file >= 0;
    if (line.file < 0) {
        MPS2_UART0->ctrl = QUIET | MPS2_UART_RECEIVE_INTERRUPT;
    }
}

static bool taken_from_port(uint8_t *byte)
{
    if ((MPS2_UART0->state & MPS2_UART_RECEIVED) == 0) {
        return false;
    }
    MPS2_UART0->ctrl = QUIET;
    MPS2_UART0->interrupt = MPS2_UART_RECEIVE_PENDING;
    *byte = (uint8_t)MPS2_UART0->data;
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
