/* SPDX-License-Identifier: Apache-2.0 */
/* Wakes all again and again. CALL is what does so. */
#include "call.h"
#include "takt/takt.h"
#include "takt_app.h"

void waker_job(void *argument)
{
    static uint8_t message[256];
    (void)argument;
    (void)message;
    while (true) {
        WAKE_ALL
        takt_task_yield();
    }
}
