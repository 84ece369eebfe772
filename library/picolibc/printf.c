/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output streams of C on a board: what picolibc formats goes to the board's console. A call of printf collects its
 * characters on the caller's stack, and so needs no lock; what another task prints comes between pieces of TEXT_MAX
 * characters at the most. Nothing here is ever written: processes share it.
 */
#include <stdarg.h>
#include <stdio.h>

#include "takt/board.h"

enum { TEXT_MAX = 64 };

struct text {
    FILE file; /* first: the stream is where the text is */
    unsigned length;
    char text[TEXT_MAX];
};

static int collect(char character, FILE *file)
{
    struct text *text = (struct text *)file;
    text->text[text->length++] = character;
    if (text->length == TEXT_MAX) {
        takt_board_console_write(text->text, TEXT_MAX);
        text->length = 0;
    }
    return (unsigned char)character;
}

static int put(char character, FILE *file)
{
    (void)file;
    takt_board_console_write(&character, 1);
    return (unsigned char)character;
}

static const FILE console = FDEV_SETUP_STREAM(put, NULL, NULL, _FDEV_SETUP_WRITE);
FILE *const stdout = (FILE *)&console;
FILE *const stderr = (FILE *)&console;

int vprintf(const char *format, va_list arguments)
{
    struct text text = {.file = FDEV_SETUP_STREAM(collect, NULL, NULL, _FDEV_SETUP_WRITE)};
    int length = vfprintf(&text.file, format, arguments);
    takt_board_console_write(text.text, text.length);
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
