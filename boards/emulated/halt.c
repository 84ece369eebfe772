/* SPDX-License-Identifier: Apache-2.0 */
#include "emulated.h"
#include "takt/board.h"
#include "takt/fault.h"

#define STATUS_FAULT 3

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

_Noreturn void takti_board_fault_end(void)
{
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
    takt_board_exit(STATUS_FAULT);
}
