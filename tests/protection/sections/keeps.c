/* SPDX-License-Identifier: Apache-2.0 */
/* Takes what others need, and sleeps with it. */
#include "takt_app.h"

void keeper_job(void *argument)
{
    (void)argument;
    if (takt_mutex_lock(&common) == TAKT_OK) {
        takt_delay_until(TAKT_FOREVER);
    }
    takt_fault_raise(TAKT_FAULT_ASSERTION, __FILE__, __LINE__, 0); /* nobody else is to keep it for so long */
}

void tick_job(void *argument)
{
    (void)argument;
}
