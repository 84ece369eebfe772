/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/ring.h"
#include "docs/examples/say.h"
#include "takt_app.h"

TAKT_RING_DEFINE(samples, sizeof(int), 2);

/* One producer and one consumer, here the same task. No call locks the kernel. */
void ring_example(void *argument)
{
    (void)argument;
    for (int i = 1; i <= 3; i++) {
        if (takt_ring_put(&samples, &i, sizeof i) == TAKT_FULL) {
            say("ring: no room for %d", i);
        }
    }
    int item;
    while (takt_ring_get(&samples, &item, sizeof item) == TAKT_OK) {
        say("ring: %d", item);
    }
}
