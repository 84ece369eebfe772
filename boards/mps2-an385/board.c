/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/board.h"
#include "boards/emulated/emulated.h"
#include "boards/emulated/semihosting.h"
#include "kernel/port.h"
#include "registers.h"

void takt_board_init(void)
{
    MPS2_UART0->divider = 16; /* the least it takes; QEMU sends at once */
    MPS2_UART0->ctrl = MPS2_UART_TRANSMIT;
    MPS2_UART1->divider = 16;
    MPS2_UART1->ctrl = MPS2_UART_TRANSMIT;
    takt_board_options_read();
    takt_board_stream_open();
    takt_board_link_open();
}

void takt_board_console_write(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        while ((MPS2_UART0->state & MPS2_UART_FULL) != 0) { /* until the host has taken the last one */
        }
        MPS2_UART0->data = (uint8_t)text[i];
    }
}

/* UART1 is the line to the plant: -chardev pipe,id=link,path=P -serial stdio -serial chardev:link; P.in is not read. */
bool takt_board_serial_send(const uint8_t *data, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        while ((MPS2_UART1->state & MPS2_UART_FULL) != 0) { /* never for long: the plant takes what is sent */
        }
        MPS2_UART1->data = data[i];
    }
    return true;
}

_Noreturn void takt_board_exit(int status)
{
    const uint32_t parameters[2] = {SEMIHOSTING_APPLICATION_EXIT, (uint32_t)status};
    for (;;) {
        (void)semihosting(SEMIHOSTING_EXIT_EXTENDED, parameters);
    }
}

/* The fault record on the console, then the end of the run. */
_Noreturn void takt_port_halt(void)
{
    __asm volatile("cpsid i" : : : "memory");
    takt_board_fault_end();
}
