/* SPDX-License-Identifier: Apache-2.0 */
#include "takt_app.h"

void watch_job(void *argument)
{
    (void)argument;
    takt_work(TAKT_US(100));
}
