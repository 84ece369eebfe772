/* SPDX-License-Identifier: Apache-2.0 */
#include "node.h"
#include "takt_app.h"
#include <stdio.h>

void report_loop(void *argument)
{
    (void)argument;
    for (;;) {
        struct takt_events_wanted wanted = {.flags = READY_ALL, .mode = TAKT_EVENTS_ALL | TAKT_EVENTS_CLEAR};
        if (takt_events_wait(&ready, &wanted) != TAKT_OK) {
            return;
        }
        struct figures now = figures_get();
        printf("sample %u: level %d, %u presses, lit %u times, dark %u\n", (unsigned)now.filtered, (int)now.level,
               (unsigned)now.presses, (unsigned)now.lit, (unsigned)now.dark);
    }
}
