/* SPDX-License-Identifier: Apache-2.0 */
/* The shell's line editor, under the sanitizers: results by hand, and every byte in a random order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/shell/src/line.h"

#define CHECK(condition)                                           \
    do {                                                           \
        if (!(condition)) {                                        \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                               \
        }                                                          \
    } while (0)

static enum takti_shell_edit last;

static struct takt_shell_line *typed(const char *text)
{
    struct takt_shell_line *line = calloc(1, sizeof *line);
    for (; *text != '\0'; text++) {
        last = takti_shell_line_take(line, (uint8_t)*text);
    }
    return line;
}

static void gives(const char *text, const char *wanted)
{
    struct takt_shell_line *line = typed(text);
    CHECK(last == TAKTI_SHELL_ENDED);
    CHECK(strcmp(line->text, wanted) == 0);
    free(line);
}

static void editing(void)
{
    gives("tasks\r", "tasks");
    gives("\b\177tx\basks\n", "tasks");
    gives("rubbish\025cpu\r", "cpu");
    gives("\001c\002p\377u\t\r", "cpu");
    gives("\033[Ac\033[1;5Cp\033Ou\033\r", "cpu");
}

static void one_end_for_cr_and_lf(void)
{
    struct takt_shell_line *line = typed("a\r");
    takti_shell_line_clear(line);
    CHECK(takti_shell_line_take(line, '\n') == TAKTI_SHELL_IGNORED);
    CHECK(takti_shell_line_take(line, '\n') == TAKTI_SHELL_ENDED);
    free(line);
}

static void too_long(void)
{
    struct takt_shell_line *line = typed("");
    for (unsigned at = 0; at < 10240; at++) {
        CHECK(takti_shell_line_take(line, 'x') == (at < TAKT_SHELL_LINE ? TAKTI_SHELL_ADDED : TAKTI_SHELL_IGNORED));
    }
    CHECK(takti_shell_line_take(line, '\b') == TAKTI_SHELL_IGNORED); /* it cannot become whole again */
    CHECK(takti_shell_line_take(line, '\r') == TAKTI_SHELL_TOO_LONG);
    takti_shell_line_clear(line);
    CHECK(takti_shell_line_take(line, 'y') == TAKTI_SHELL_ADDED);
    CHECK(takti_shell_line_take(line, '\r') == TAKTI_SHELL_ENDED && strcmp(line->text, "y") == 0);
    free(line);
}

static void words(void)
{
    char *found[TAKT_SHELL_ARGUMENTS];
    struct takt_shell_line *line = typed("  gain   7 \r");
    CHECK(takti_shell_words(line, found) == 2);
    CHECK(strcmp(found[0], "gain") == 0 && strcmp(found[1], "7") == 0);
    free(line);
    line = typed("1 2 3 4 5 6 7 8\r");
    CHECK(takti_shell_words(line, found) == 8 && strcmp(found[7], "8") == 0);
    free(line);
    line = typed("1 2 3 4 5 6 7 8 9\r");
    CHECK(takti_shell_words(line, found) == TAKT_SHELL_ARGUMENTS + 1);
    free(line);
}

static void random_bytes(void)
{
    uint32_t state = 1;
    struct takt_shell_line *line = typed("");
    for (unsigned count = 0; count < 200000; count++) {
        state = state * 1664525u + 1013904223u;
        uint8_t byte = (uint8_t)(state >> 24);
        if (count % 3 != 0) {
            byte = (uint8_t)('a' + byte % 26);
        }
        switch (takti_shell_line_take(line, byte)) {
        case TAKTI_SHELL_ENDED:
            CHECK(strlen(line->text) == line->length);
            takti_shell_line_clear(line);
            break;
        case TAKTI_SHELL_TOO_LONG:
            takti_shell_line_clear(line);
            break;
        default:
            break;
        }
        CHECK(line->length <= TAKT_SHELL_LINE);
    }
    free(line);
}

int main(void)
{
    editing();
    one_end_for_cr_and_lf();
    too_long();
    words();
    random_bytes();
    return 0;
}
