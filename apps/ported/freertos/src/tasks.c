/* SPDX-License-Identifier: Apache-2.0 */
/* The tasks with deadlines: the body of what was a loop in each. */
#include "pump.h"
#include "takt_app.h"

enum { OPENING_MAX = 400 };

static volatile int32_t opening;

void sensor_step(void *argument)
{
    (void)argument;
    struct sample sample = {.time_ns = takt_now(), .pressure = pressure_read()};
    if (samples_try_send(&sample) != TAKT_OK) { /* xQueueSend(samples, &sample, 0) */
        takt_log_error("a sample is lost");
    }
    takt_events_set(&alive, ALIVE_SENSOR); /* xEventGroupSetBits(alive, ALIVE_SENSOR) */
}

void control_step(void *argument)
{
    (void)argument;
    struct sample sample;
    if (samples_try_receive(&sample) != TAKT_OK) {
        return;
    }
    int32_t error = settings_get().target - sample.pressure;
    int32_t wanted = error * 2;
    wanted = wanted > OPENING_MAX ? OPENING_MAX : wanted;
    wanted = wanted < -OPENING_MAX ? -OPENING_MAX : wanted;
    opening = wanted;
    valve_set(wanted);
    takt_events_set(&alive, ALIVE_CONTROL);
}

int32_t control_opening(void)
{
    return opening;
}

void flow_step(void *argument)
{
    (void)argument;
    flow_count();
    takt_events_set(&alive, ALIVE_FLOW);
}

void command_step(void *argument)
{
    (void)argument;
    takt_delay(TAKT_MS(20)); /* vTaskDelay(pdMS_TO_TICKS(20)) */
    if (button_down()) {
        settings_next();
        takt_log_info("the button is pressed"); /* printf */
    }
}

/* What was a wait for all three flags of at most 500 ms is a look at them every 500 ms. */
void supervisor_step(void *argument)
{
    (void)argument;
    struct takt_events_wanted wanted = {.flags = ALIVE_ALL, .mode = TAKT_EVENTS_ALL | TAKT_EVENTS_CLEAR};
    if (takt_events_try_wait(&alive, &wanted) != TAKT_OK) {
        takt_log_error("stuck: only %#x of %#x", (unsigned)takt_events_get(&alive), (unsigned)ALIVE_ALL);
        valve_set(0);
    }
}
