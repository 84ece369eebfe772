/* SPDX-License-Identifier: Apache-2.0 */
/* In its first life a process silences itself: its sporadic task is to be released at the end of time. */
#include "takt/board.h"
#include "takt/process.h"
#include "takt/time.h"
#include "takt_app.h"

static int jobs;

void served_job(void *argument)
{
    (void)argument;
    takt_board_console_write("served\n", 7);
}

void silencer_job(void *argument)
{
    (void)argument;
    if (++jobs == 3 && takt_now() < TAKT_MS(30)) { /* the first life */
        takt_board_console_write("silenced\n", 9);
        takt_job_release_at(TASK_served, TAKT_FOREVER - 1);
        *(volatile int *)0 = 1;
    }
}
