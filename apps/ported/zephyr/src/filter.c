/* SPDX-License-Identifier: Apache-2.0 */
#include "node.h"
#include "takt_app.h"

enum { LIMIT = 400 };

static int32_t level;
static uint32_t samples_taken;

/* The handler of a k_timer runs in the timer's interrupt, and so does that of an alarm. */
void sampling_expired(struct takt_alarm *alarm)
{
    (void)alarm;
    struct sample sample = {.number = samples_taken++};
    sample.value = vibration_read(sample.number);
    if (samples_try_send(&sample) != TAKT_OK) { /* k_msgq_put(&samples, &sample, K_NO_WAIT) */
        takt_log_error("sample %u is lost", (unsigned)sample.number);
    }
}

void filter_step(void *argument)
{
    (void)argument;
    struct sample sample;
    if (samples_try_receive(&sample) != TAKT_OK) {
        return;
    }
    int32_t size = sample.value < 0 ? -sample.value : sample.value;
    level += (size * scale_get() - level) / 8;
    level_seen(level);
    if (level > LIMIT) {
        light_on();
    }
    takt_events_set(&ready, READY_FILTER); /* k_event_post(&ready, READY_FILTER) */
}
