/* SPDX-License-Identifier: Apache-2.0 */
#include "docs/examples/say.h"
#include "takt_app.h"

void time_example(void *argument)
{
    (void)argument;
    uint64_t begun_ns = takt_now();
    takt_delay(TAKT_MS(5));
    takt_work(TAKT_US(1500));
    say("time: %u us passed", (unsigned)((takt_now() - begun_ns) / TAKT_US(1)));
    takt_delay_until(begun_ns); /* has passed: returns at once */
}
