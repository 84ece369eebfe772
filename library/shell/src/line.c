/* SPDX-License-Identifier: Apache-2.0 */
/* The line editor: it calls nothing, so that its test is a program of its own. */
#include "library/shell/src/line.h"

enum { BACKSPACE = 8, KILL_LINE = 21, ESCAPE = 27, DELETE = 127 };

void takti_shell_line_clear(struct takt_shell_line *line)
{
    line->length = 0;
    line->over = 0;
}

static enum takti_shell_edit end(struct takt_shell_line *line)
{
    line->text[line->length] = '\0';
    return line->over ? TAKTI_SHELL_TOO_LONG : TAKTI_SHELL_ENDED;
}

/* Whether a byte belongs to what a key sends: ESC and a letter, or ESC [, parameters and a letter. */
static bool is_of_key(struct takt_shell_line *line, uint8_t byte)
{
    uint8_t before = line->escape;
    line->escape = 0;
    if (byte == ESCAPE) {
        line->escape = 1;
        return true;
    }
    if (before == 0 || byte < ' ' || byte > '~') {
        return false;
    }
    if ((before == 1 && byte == '[') || (before == 2 && byte < '@')) {
        line->escape = 2;
    }
    return true;
}

enum takti_shell_edit takti_shell_line_take(struct takt_shell_line *line, uint8_t byte)
{
    bool second = byte == '\n' && line->returned;
    line->returned = byte == '\r';
    if (is_of_key(line, byte)) {
        return TAKTI_SHELL_IGNORED;
    }
    if (byte == '\r' || byte == '\n') {
        return second ? TAKTI_SHELL_IGNORED : end(line);
    }
    if (byte == KILL_LINE) {
        takti_shell_line_clear(line);
        return TAKTI_SHELL_CLEARED;
    }
    if (line->over) {
        return TAKTI_SHELL_IGNORED;
    }
    if (byte == BACKSPACE || byte == DELETE) {
        if (line->length == 0) {
            return TAKTI_SHELL_IGNORED;
        }
        line->length--;
        return TAKTI_SHELL_REMOVED;
    }
    if (byte < ' ' || byte > '~') {
        return TAKTI_SHELL_IGNORED;
    }
    if (line->length == TAKT_SHELL_LINE) {
        line->over = 1;
        return TAKTI_SHELL_IGNORED;
    }
    line->text[line->length++] = (char)byte;
    return TAKTI_SHELL_ADDED;
}

unsigned takti_shell_words(struct takt_shell_line *line, char *words[TAKT_SHELL_ARGUMENTS])
{
    unsigned count = 0;
    bool inside = false;
    for (unsigned at = 0; at < line->length; at++) {
        if (line->text[at] == ' ') {
            line->text[at] = '\0';
            inside = false;
        } else if (!inside) {
            if (count == TAKT_SHELL_ARGUMENTS) {
                return TAKT_SHELL_ARGUMENTS + 1;
            }
            words[count++] = &line->text[at];
            inside = true;
        }
    }
    return count;
}
