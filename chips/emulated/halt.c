/* SPDX-License-Identifier: Apache-2.0 */
#include "emulated.h"
#include "takt/board.h"
#include "takt/fault.h"

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

static void print_decimal(uint64_t value)
{
    char digits[20];
    unsigned first = sizeof digits;
    do {
        digits[--first] = (char)('0' + value % 10u);
        value /= 10u;
    } while (value != 0);
    takt_board_console_write(digits + first, sizeof digits - first);
}

/* "takt: registers NAME 0xVALUE ..." */
static void print_registers(const struct takt_fault *fault)
{
    const char *name = fault->register_names;
    print("takt: registers");
    for (unsigned index = 0; index < TAKT_FAULT_REGISTERS && *name != '\0'; index++) {
        size_t length = 0;
        while (name[length] != ' ' && name[length] != '\0') {
            length++;
        }
        print(" ");
        takt_board_console_write(name, length);
        print(" 0x");
        print_hex(fault->registers[index]);
        name += name[length] == ' ' ? length + 1 : length;
    }
    print("\n");
}

/* tools/takt/observe/fault.py reads it: the last on the console. */
_Noreturn void takt_chip_fault_end(void)
{
    const struct takt_fault *fault = &takt_fault_record;
    print("\ntakt: fault ");
    print(fault->reason == TAKT_FAULT_ASSERTION   ? "assertion"
          : fault->reason == TAKT_FAULT_STACK     ? "stack"
          : fault->reason == TAKT_FAULT_WATCHDOG  ? "watchdog"
          : fault->reason == TAKT_FAULT_INVARIANT ? "invariant"
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
    print(" time_ns ");
    print_decimal(fault->time_ns);
    print("\n");
    if (fault->register_names != NULL) {
        print_registers(fault);
    }
    takt_board_exit(TAKT_BOARD_FAULT);
}
