/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/board.h"
#include "chips/emulated/emulated.h"
#include "chips/emulated/semihosting.h"
#include "chips/mps2/uart.h"
#include "kernel/port.h"

/* UART0 is the console. UART1 is the line to the plant: run_link of board.toml; its FIFO P.in is not read. */
#define CONSOLE MPS2_UART0
#define PLANT MPS2_UART1

void takt_board_init(void)
{
    takt_chip_uart_start(CONSOLE);
    takt_chip_uart_start(PLANT);
    takt_chip_run_init();
}

void takt_board_console_write(const char *text, size_t length)
{
    takt_chip_uart_write(CONSOLE, text, length);
}

void takt_board_serial_send(const uint8_t *data, size_t length)
{
    takt_chip_uart_write(PLANT, data, length);
}

_Noreturn void takt_board_exit(int status)
{
    takt_semihosting_exit(status);
}

/* The fault record on the console, then the end of the run. */
_Noreturn void takt_port_halt(void)
{
    __asm volatile("cpsid i" : : : "memory");
    takt_chip_fault_end();
}
