/* SPDX-License-Identifier: Apache-2.0 */
#include "board.h"
#include "kernel/port.h"
#include "registers.h"
#include "semihosting.h"
#include "takt/board.h"
#include "takt/fault.h"

void takt_board_init(void)
{
    MPS2_UART0->divider = 16; /* the least it takes; QEMU sends at once */
    MPS2_UART0->ctrl = MPS2_UART_TRANSMIT;
    takti_board_options_read();
    takti_board_stream_open();
    takti_board_link_open();
}

void takt_board_console_write(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        while ((MPS2_UART0->state & MPS2_UART_FULL) != 0) { /* until the host has taken the last one */
        }
        MPS2_UART0->data = (uint8_t)text[i];
    }
}

_Noreturn void takt_board_exit(int status)
{
    const uint32_t parameters[2] = {SEMIHOSTING_APPLICATION_EXIT, (uint32_t)status};
    for (;;) {
        (void)semihosting(SEMIHOSTING_EXIT_EXTENDED, parameters);
    }
}

static void print(const char *text)
{
    size_t length = 0;
    while (text[length] != '\0') {
        length++;
    }
    takt_board_console_write(text, length);
}

static void print_hex(uint32_t value)
{
    char digits[8];
    for (unsigned i = 8; i-- > 0; value >>= 4) {
        digits[i] = "0123456789abcdef"[value & 15u];
    }
    takt_board_console_write(digits, sizeof digits);
}

static void print_decimal(uint32_t value)
{
    char digits[10];
    unsigned first = sizeof digits;
    do {
        digits[--first] = (char)('0' + value % 10u);
        value /= 10u;
    } while (value != 0);
    takt_board_console_write(digits + first, sizeof digits - first);
}

/* The fault record on the console, then the end of the run with status 3. */
_Noreturn void takt_port_halt(void)
{
    __asm volatile("cpsid i" : : : "memory");
    const struct takt_fault *fault = &takt_fault_record;
    print("\ntakt: fault ");
    print(fault->reason == TAKT_FAULT_ASSERTION ? "assertion"
          : fault->reason == TAKT_FAULT_STACK   ? "stack"
                                                : "exception");
    if (fault->file != NULL) {
        print(" ");
        print(fault->file);
        print(":");
        print_decimal(fault->line);
    }
    print(" address 0x");
    print_hex((uint32_t)fault->address);
    print(" task ");
    print_decimal(fault->task);
    print(" time_us ");
    print_decimal((uint32_t)(fault->time_ns / 1000u));
    print("\n");
    takt_board_exit(3);
}
