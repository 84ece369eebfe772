/* SPDX-License-Identifier: Apache-2.0 */
#include "takt_app.h"

#include "takt/board.h"

void steady_job(void *argument)
{
    (void)argument;
    takt_work(TAKT_MS(1));
}
