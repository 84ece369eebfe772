/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_SHELL_SAY_H
#define TAKTI_SHELL_SAY_H

/* What rows of built-in commands are written with. Context: task. Blocks: until the console took the text. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TAKTI_SHELL_NAME_WIDTH = 16, TAKTI_SHELL_NUMBER_WIDTH = 10 };

/* The first `length` characters of a text, with blanks up to `width`, <= 16. */
void takti_shell_say_padded(const char *text, size_t length, unsigned width, bool right);

void takti_shell_say_right(uint64_t number, unsigned width);

/* A name as the first column. */
void takti_shell_say_name(const char *name);

/* "NUMBER of MOST", and a text behind it. */
void takti_shell_say_pair(uint64_t number, uint64_t most, const char *what);

#endif
