/* SPDX-License-Identifier: Apache-2.0 */
#include "pump.h"
#include "takt_app.h"

enum { DROPS_PER_PULSE = 20 };

static volatile uint32_t beats;
static volatile uint32_t pulses; /* written by the interrupt alone */
static volatile uint32_t drops;

void heartbeat_expired(struct takt_alarm *alarm)
{
    (void)alarm;
    beats++;
}

uint32_t heartbeats(void)
{
    return beats;
}

/* vTaskNotifyGiveFromISR(flow, &woken) and portYIELD_FROM_ISR(woken) are the trigger of task flow. */
void flow_handler(void)
{
    pulses++;
}

void flow_count(void)
{
    drops = pulses * DROPS_PER_PULSE;
}

uint32_t flow_total(void)
{
    return drops;
}

void button_handler(void)
{
    takt_semaphore_post(&pressed); /* xSemaphoreGiveFromISR(pressed, &woken); portYIELD_FROM_ISR(woken) */
}
