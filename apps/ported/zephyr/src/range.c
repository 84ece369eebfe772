/* SPDX-License-Identifier: Apache-2.0 */
#include "node.h"
#include "takt_app.h"

static int32_t factor = 1;
static volatile uint32_t presses;
static volatile uint32_t lit;
static volatile uint32_t dark_again;
static volatile uint32_t filtered;
static volatile int32_t level;

int32_t vibration_read(uint32_t number)
{
    return (int32_t)(number * 37u % 301u) - 150;
}

int32_t scale_get(void)
{
    int32_t found = 1;
    if (takt_mutex_lock(&scale) == TAKT_OK) { /* k_mutex_lock(&scale, K_FOREVER) */
        found = factor;
        takt_mutex_unlock(&scale);
    }
    return found;
}

/* What is left of the interrupt: the device's own flag. The work item is released after it. */
void button_isr(void)
{
    presses++;
}

void range_step(void *argument)
{
    (void)argument;
    if (takt_mutex_lock(&scale) == TAKT_OK) {
        factor = factor < 8 ? factor * 2 : 1;
        takt_mutex_unlock(&scale);
    }
    takt_events_set(&ready, READY_RANGE);
}

void light_on(void)
{
    lit++;
    takt_alarm_restart(&dark, takt_now() + TAKT_MS(52)); /* k_work_reschedule(&light_work, K_MSEC(52)) */
}

void light_step(void *argument)
{
    (void)argument;
    dark_again++;
    takt_log_info("dark again");
}

void level_seen(int32_t value)
{
    level = value;
    filtered++;
}

struct figures figures_get(void)
{
    return (struct figures){.filtered = filtered, .level = level, .presses = presses, .lit = lit, .dark = dark_again};
}
