/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The input stream of C on a board, of systems with [console] and without protection: getchar, fgets and scanf wait in
 * the console's pipe for the next character. Tasks that read it at the same time share what scanf puts back.
 */
#include <stdio.h>

#include "takt/console.h"
#include "takt/pipe.h"

extern struct takt_pipe console_input; /* generated */

static int stdin_get(FILE *file)
{
    uint8_t byte;
    struct takt_pipe_count count = {.size = 1, .least = 1};
    (void)file;
    return takt_pipe_read(&console_input, &byte, &count) == TAKT_OK ? byte : _FDEV_EOF;
}

static FILE console = FDEV_SETUP_STREAM(NULL, stdin_get, NULL, _FDEV_SETUP_READ);
FILE *const stdin = &console;
