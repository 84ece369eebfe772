/* SPDX-License-Identifier: Apache-2.0 */
/* Process a: a word of its text in each job. The C library keeps where the next one begins. */
#include <stdbool.h>
#include <string.h>

#include "takt/board.h"
#include "takt_app.h"

void letters_job(void *argument)
{
    static char text[] = "a b c d e f";
    static unsigned jobs;
    static bool mixed;
    (void)argument;
    const char *word = strtok(jobs == 0 ? text : NULL, " ");
    mixed = mixed || word == NULL || word[0] != (char)('a' + jobs);
    if (++jobs == 5) {
        takt_board_console_write(mixed ? "a mixed\n" : "a alone\n", 8);
    }
}
