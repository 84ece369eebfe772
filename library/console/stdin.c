/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The input stream of C on a board, of systems with [console]: getchar, fgets and scanf wait in the console's pipe for
 * the next character. Tasks that read it at the same time share what scanf puts back. With protection each process that
 * uses console_input has this file, since a stream is written when it is read; takt/process_names.h has its names.
 */
#include <stdarg.h>
#include <stdio.h>

#include "input.h"

static int stdin_get(FILE *file)
{
    uint8_t byte;
    struct takt_pipe_count count = {.size = 1, .least = 1};
    (void)file;
    return takt_pipe_read(&console_input, &byte, &count) == TAKT_OK ? byte : _FDEV_EOF;
}

static FILE console = FDEV_SETUP_STREAM(NULL, stdin_get, NULL, _FDEV_SETUP_READ);
FILE *const stdin = &console;

/* Those of the C library refer to the one stdin that it knows, when the linker does not look here any more. */
#undef getchar
int getchar(void)
{
    return getc(stdin);
}

int vscanf(const char *format, va_list arguments)
{
    return vfscanf(stdin, format, arguments);
}

int scanf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int found = vscanf(format, arguments);
    va_end(arguments);
    return found;
}
