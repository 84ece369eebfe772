/* SPDX-License-Identifier: Apache-2.0 */
/* Process b: EDOM, before and after a's jobs. */
#include <errno.h>
#include <stdbool.h>

#include "takt/board.h"
#include "takt_app.h"

void domain_job(void *argument)
{
    static unsigned jobs;
    static bool mixed;
    (void)argument;
    mixed = mixed || errno != (jobs == 0 ? 0 : EDOM);
    errno = EDOM;
    if (++jobs == 10) {
        takt_board_console_write(mixed ? "b mixed\n" : "b alone\n", 8);
    }
}
