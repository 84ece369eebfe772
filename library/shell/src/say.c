/* SPDX-License-Identifier: Apache-2.0 */
#include "library/shell/src/say.h"

#include <string.h>

#include "takt/board.h"
#include "takt/shell.h"

enum { DIGITS = 20 };

void takt_shell_say(const char *text)
{
    takt_board_console_write(text, strlen(text));
}

void takti_shell_say_padded(const char *text, size_t length, unsigned width, bool right)
{
    static const char spaces[] = "                ";
    size_t more = length < width ? width - length : 0;
    if (right) {
        takt_board_console_write(spaces, more);
    }
    takt_board_console_write(text, length);
    if (!right) {
        takt_board_console_write(spaces, more);
    }
}

void takti_shell_say_right(uint64_t number, unsigned width)
{
    char text[DIGITS];
    unsigned begin = DIGITS;
    do {
        text[--begin] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    takti_shell_say_padded(&text[begin], DIGITS - begin, width, true);
}

void takt_shell_say_number(uint64_t number)
{
    takti_shell_say_right(number, 0);
}

void takti_shell_say_name(const char *name)
{
    takti_shell_say_padded(name, strlen(name), TAKTI_SHELL_NAME_WIDTH, false);
    takt_shell_say(" ");
}

void takti_shell_say_pair(uint64_t number, uint64_t most, const char *what)
{
    takt_shell_say_number(number);
    takt_shell_say(" of ");
    takt_shell_say_number(most);
    takt_shell_say(what);
}
