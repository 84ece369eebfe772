/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/state.h"
#include "docs/examples/say.h"
#include "takt_app.h"

struct pose {
    double x, y, heading;
};
TAKT_STATE_DEFINE(pose, sizeof(struct pose), 4);

/* Readers get the newest message, whole; the writer never waits. */
void state_example(void *argument)
{
    (void)argument;
    for (int i = 1; i <= 3; i++) {
        takt_state_write(&pose, &(struct pose){.x = i, .y = 2 * i}, sizeof(struct pose));
    }
    struct pose newest;
    if (takt_state_read(&pose, &newest, sizeof newest) == TAKT_OK) {
        say("state: x %.0f, y %.0f", newest.x, newest.y);
    }
}
