/* SPDX-License-Identifier: Apache-2.0 */
#include "heater.h"
#include "takt_app.h"
#include <stdio.h>

/* In the timer's interrupt, as with TX_TIMER_PROCESS_IN_ISR. */
void second_expired(struct takt_alarm *alarm)
{
    (void)alarm;
    takt_semaphore_post(&beat); /* tx_semaphore_ceiling_put(&beat, 1) */
}

void report_loop(void *argument)
{
    (void)argument;
    while (takt_semaphore_wait(&beat) == TAKT_OK) {
        struct model now = model_get();
        printf("%d of %d tenths, %u commands, shut %u times\n", (int)now.temperature, (int)now.target,
               (unsigned)now.commands, (unsigned)now.shut);
    }
}
