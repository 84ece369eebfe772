/* SPDX-License-Identifier: Apache-2.0 */
/* The task without a deadline prints. */
#include "pump.h"
#include "takt_app.h"
#include <assert.h>
#include <stdio.h>

void report_loop(void *argument)
{
    (void)argument;
    for (;;) {
        takt_delay(TAKT_MS(400)); /* vTaskDelay(pdMS_TO_TICKS(400)) */
        struct settings now = settings_get();
        assert(now.target > 0); /* configASSERT(now.target > 0) */
        printf("target %d, opening %d, flow %u, beats %u, changes %u\n", (int)now.target, (int)control_opening(),
               (unsigned)flow_total(), (unsigned)heartbeats(), (unsigned)now.changes);
    }
}
