/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that wait, each with a timeout, which is taken back when they are woken. WAIT is for what. */
#include "call.h"
#include "takt/takt.h"
#include "takt_app.h"

void waiter_job(void *argument)
{
    uint8_t message[256];
    (void)argument;
    (void)message;
    while (true) {
        uint64_t until_ns = takt_now() + TAKT_S(100);
        WAIT
    }
}
