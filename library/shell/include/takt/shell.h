/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_SHELL_H
#define TAKT_SHELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dialect.h"

TAKT_C_BEGIN

/*
 * A command shell on the console (docs/shell.md), for a periodic task whose jobs call takt_shell_step. It has the
 * commands of its table, and help, tasks, stacks, cpu and objects, which shows every object that is declared. Not with
 * protection.
 */
enum {
    TAKT_SHELL_LINE = 80,      /* characters of a line, at most */
    TAKT_SHELL_ARGUMENTS = 8,  /* words of a line, the command included */
    TAKT_SHELL_STEP_BYTES = 32 /* of the input that a job reads, at most */
};

/* `words[0]` is the command's name; `count` <= TAKT_SHELL_ARGUMENTS. The words are valid during the call. */
struct takt_shell_command {
    const char *name; /* without spaces */
    const char *help; /* what `help` says of it */
    void (*run)(int count, char *const *words);
};

/* What has been typed of a line. Private. */
struct takt_shell_line {
    uint16_t length;
    uint8_t over;     /* longer than TAKT_SHELL_LINE: the rest is read and dropped */
    uint8_t returned; /* the last byte was CR: a LF that follows ends no line */
    uint8_t escape;   /* what a key such as an arrow sends is being dropped: after ESC 1, after ESC [ 2 */
    char text[TAKT_SHELL_LINE + 1];
};

/* A shell, zero at first: without commands of its own. Owner: the task that calls takt_shell_step. */
struct takt_shell {
    const struct takt_shell_command *commands; /* the first of command_count */
    uint16_t command_count;
    struct takt_shell_line line; /* private, as all fields after it */
    uint8_t begun;               /* there is a prompt */
    uint8_t table;               /* built-in command whose rows are being written; 0: none */
    uint16_t row;
    uint32_t lost;     /* takt_console_lost, as far as the shell has said it */
    uint64_t declared; /* of `cpu`: sums, in millionths */
    uint64_t executed;
};

/* Defines a shell with the commands of `table`, an array. */
#define TAKT_SHELL_DEFINE(name, table) \
    struct takt_shell name = {(table), sizeof(table) / sizeof((table)[0]), {0, 0, 0, 0, ""}, 0, 0, 0, 0, 0, 0}

/*
 * Reads at most TAKT_SHELL_STEP_BYTES of the input, up to the end of a line, and executes that line; or writes the next
 * row of a built-in command. So a job executes at most one command or writes one row, whatever has been typed. Context:
 * task. Blocks: until the console took the text. O(TAKT_SHELL_STEP_BYTES + commands), and of `stacks` O(stack size).
 */
void takt_shell_step(struct takt_shell *shell);

/* Writes a text, or a number, to the console, for commands. Context: any. Blocks: until the console took it. */
void takt_shell_say(const char *text);
void takt_shell_say_number(uint64_t number);

TAKT_C_END

#endif
