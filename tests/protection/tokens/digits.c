/* SPDX-License-Identifier: Apache-2.0 */
/* Process b: the same with another text, before and after a's jobs. */
#include <stdbool.h>
#include <string.h>

#include "takt/board.h"
#include "takt_app.h"

void digits_job(void *argument)
{
    static char text[] = "0 1 2 3 4 5 6 7 8 9";
    static unsigned jobs;
    static bool mixed;
    (void)argument;
    if (jobs < 10) {
        const char *word = strtok(jobs == 0 ? text : NULL, " ");
        mixed = mixed || word == NULL || word[0] != (char)('0' + jobs);
        if (++jobs == 10) {
            takt_board_console_write(mixed ? "b mixed\n" : "b alone\n", 8);
        }
    }
}
