/* SPDX-License-Identifier: Apache-2.0 */
/* Process a: the C library's ERANGE, from its first job on. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "takt/board.h"
#include "takt_app.h"

void range_job(void *argument)
{
    static unsigned jobs;
    static bool mixed;
    (void)argument;
    mixed = mixed || errno != (jobs == 0 ? 0 : ERANGE);
    if (jobs++ == 0) {
        (void)strtol("99999999999999999999", NULL, 10);
    }
    if (jobs == 5) {
        takt_board_console_write(mixed ? "a mixed\n" : "a alone\n", 8);
    }
}
