/* SPDX-License-Identifier: Apache-2.0 */
/* A task that others run in place of while it waits. */
#include <errno.h>
#include <string.h>

#include "takt/board.h"
#include "takt_app.h"

void waits_job(void *argument)
{
    (void)argument;
    static int wrong;
    static unsigned jobs;
    wrong |= errno != (jobs == 0 ? 0 : ENOENT);
    errno = ENOENT;
    takt_delay(TAKT_MS(3));
    wrong |= errno != ENOENT;
    if (++jobs == 5) {
        const char *text = wrong ? "waits mixed\n" : "waits alone\n";
        takt_board_console_write(text, strlen(text));
    }
}
