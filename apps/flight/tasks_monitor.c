/* SPDX-License-Identifier: Apache-2.0 */
/* Serial monitor, 2 Hz: a status frame each time, a line for people every fifth. */
#include "tasks.h"

void monitor_job(void *argument)
{
    static struct monitor monitor;
    static struct sensor_news news; /* the last, should the section be lost */
    static float altitude;
    struct status_message status;
    struct frame frame;
    char line[MONITOR_LINE_MAX];

    (void)argument;
    if (lock(&navigation_lock)) {
        news = state.news;
        altitude = state.known.navigation.altitude;
        takt_mutex_unlock(&navigation_lock);
    }

    monitor_step(&monitor, &serial, &news, &status);
    status.time_us = now_us();
    status.altitude_mm = (int32_t)(altitude * 1000.0f);
    status_write(&frame, &status);
    send(&frame);
    if (monitor.steps % 5 == 0) {
        takt_board_console_write(line, monitor_line(&status, line));
    }
}
