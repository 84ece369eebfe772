/* SPDX-License-Identifier: Apache-2.0 */
/* Process b: it takes. */
#include "takt_app.h"

#include "both.h"

static uint32_t sum;

void taker_job(void *argument)
{
    uint32_t item[2] = {0};
    (void)argument;
    if (takt_ring_get(&items, item, SIZE_items) == TAKT_OK) {
        sum += next(item[0]);
    }
    open[1]++;
    sum += shown[0];
}
