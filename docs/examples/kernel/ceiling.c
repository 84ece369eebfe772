/* SPDX-License-Identifier: Apache-2.0 */
#include "docs/examples/say.h"
#include "takt_app.h"

/* Level 0, the highest: no user of it can preempt the owner, so a lock never has to wait for another task. */
static TAKT_CEILING_DEFINE(table, 6, 0, 0);

void ceiling_example(void *argument)
{
    (void)argument;
    if (takt_ceiling_lock(&table) == TAKT_OK) {
        say("ceiling: owned, with the priority of level 0");
        takt_ceiling_unlock(&table);
    }
}
