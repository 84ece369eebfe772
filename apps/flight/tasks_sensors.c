/* SPDX-License-Identifier: Apache-2.0 */
/* The readers of sensor frames, one job a frame. */
#include "tasks.h"

/* Attitude reader, 100 Hz. */
void attitude_job(void *argument)
{
    static struct attitude_filter filter;
    struct attitude_message message;
    struct frame frame;

    (void)argument;
    while (link_take(&serial, LINK_ATTITUDE, &frame)) { /* at most LINK_QUEUE_DEPTH */
        attitude_read(&frame, &message);
        const float dt = attitude_update(&filter, &message);

        if (lock(&navigation_lock)) {
            navigation_predict(&state.navigation, &filter.attitude, dt);
            state.news.attitude++;
            takt_mutex_unlock(&navigation_lock);
        }
    }
}

/* Position reader, 10 Hz. */
void position_job(void *argument)
{
    struct position_message message;
    struct frame frame;

    (void)argument;
    while (link_take(&serial, LINK_POSITION, &frame)) {
        position_read(&frame, &message);

        if (lock(&navigation_lock)) {
            navigation_correct(&state.navigation, &message);
            state.news.position++;
            takt_mutex_unlock(&navigation_lock);
        }
    }
}

/* Control-feedback reader, 50 Hz: do the rotors follow? */
void feedback_job(void *argument)
{
    struct rotor_message message;
    struct rotor_message sent;
    struct frame frame;

    (void)argument;
    while (link_take(&serial, LINK_FEEDBACK, &frame)) {
        rotor_read(&frame, &message);
        const bool known = commanded_read(&sent) == TAKT_OK; /* as long as the declared timing holds */

        if (lock(&navigation_lock)) {
            state.news.feedback++;
            if (known) {
                feedback_compare(&state.news, &sent, &message);
            }
            takt_mutex_unlock(&navigation_lock);
        }
    }
}
