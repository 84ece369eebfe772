/* SPDX-License-Identifier: Apache-2.0 */
#include "pump.h"
#include "takt_app.h"

static volatile uint32_t beats;

void heartbeat_expired(struct takt_alarm *alarm)
{
    (void)alarm;
    beats++;
}

uint32_t heartbeats(void)
{
    return beats;
}

void flow_handler(void)
{
    takt_job_release(TASK_flow); /* vTaskNotifyGiveFromISR(flow, &woken); portYIELD_FROM_ISR(woken) */
}

void button_handler(void)
{
    takt_semaphore_post(&pressed); /* xSemaphoreGiveFromISR(pressed, &woken); portYIELD_FROM_ISR(woken) */
}
