/* SPDX-License-Identifier: Apache-2.0 */
#include "takt_app.h"

#include "takt/process.h"

void keep_loop(void *argument)
{
    (void)argument;
    (void)takt_shared_attach(&region);
    for (;;) {
        takt_delay(TAKT_MS(50));
    }
}
