/* SPDX-License-Identifier: Apache-2.0 */
/* In the second job of each life a block is freed twice. */
#include <stdlib.h>

#include "takt/board.h"
#include "takt_app.h"

void gives_twice_job(void *argument)
{
    static unsigned jobs;
    (void)argument;
    if (jobs++ == 0) {
        takt_board_console_write("faulty: begins\n", 15);
        if (malloc(600) == NULL) { /* of 1 KiB, and never freed: a restart makes the heap empty */
            takt_board_console_write("faulty: wrong\n", 14);
        }
        return;
    }
    void *volatile block = malloc(40);
    free(block);
    free(block);
    takt_board_console_write("faulty: wrong\n", 14);
}
