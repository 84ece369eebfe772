/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_SHELL_LINE_H
#define TAKTI_SHELL_LINE_H

#include "takt/shell.h"

/* What a byte did to a line. */
enum takti_shell_edit {
    TAKTI_SHELL_IGNORED,
    TAKTI_SHELL_ADDED,   /* echo the byte */
    TAKTI_SHELL_REMOVED, /* the last character is gone */
    TAKTI_SHELL_CLEARED, /* all of the line is gone */
    TAKTI_SHELL_ENDED,   /* the line is whole, with a NUL behind it: takti_shell_line_clear makes room for the next */
    TAKTI_SHELL_TOO_LONG /* it ended, and was longer than TAKT_SHELL_LINE */
};

/* Control characters other than backspace, Ctrl-U, CR and LF, and bytes above 126, are ignored. O(1). */
enum takti_shell_edit takti_shell_line_take(struct takt_shell_line *line, uint8_t byte);

void takti_shell_line_clear(struct takt_shell_line *line);

/* Ends each word of a line with a NUL. Returns their number; TAKT_SHELL_ARGUMENTS + 1: there are more. O(length). */
unsigned takti_shell_words(struct takt_shell_line *line, char *words[TAKT_SHELL_ARGUMENTS]);

#endif
