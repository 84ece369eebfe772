/* SPDX-License-Identifier: Apache-2.0 */
/* printf on board host: to the board's console, as on the others. What is printed is on the stack of the caller, which
 * a process may pass in a call; a call prints TEXT_MAX characters at the most. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "takt/board.h"

enum { TEXT_MAX = 2047 };

int vprintf(const char *format, va_list arguments)
{
    char text[TEXT_MAX + 1];
    int length = vsnprintf(text, sizeof text, format, arguments);
    if (length > 0) {
        takt_board_console_write(text, strlen(text));
    }
    return length;
}

int printf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vprintf(format, arguments);
    va_end(arguments);
    return length;
}

int puts(const char *text)
{
    return printf("%s%c", text, '\n');
}

int putchar(int character)
{
    char one = (char)character;
    takt_board_console_write(&one, 1);
    return (unsigned char)character;
}
