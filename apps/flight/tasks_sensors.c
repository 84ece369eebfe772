/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The readers of sensor frames, one job a frame.
 *
 * What they know is theirs alone, and what others see of it a copy: no other process can spoil it. After a restart that
 * copy is what they go on with, if it is whole; if not, they begin anew with the next frames.
 */
#include "tasks.h"

static bool began;
static struct attitude_filter filter; /* the attitude reader's */
/* Lock: navigation_lock. */
static struct navigation navigation;
static uint32_t oriented_us; /* when its attitude was so */
static bool oriented;        /* it has one of this life */

/* In the attitude reader's first job of a life. False: the section was lost with its owner. */
static bool begin(void)
{
    if (!lock(&navigation_lock)) {
        return false;
    }
    if (kept_navigation_valid(&state.known, now_us())) {
        navigation = state.known.navigation;
        filter =
            (struct attitude_filter){.attitude = navigation.attitude, .time_us = state.known.time_us, .started = true};
    }
    began = true;
    takt_mutex_unlock(&navigation_lock);
    return true;
}

/* Attitude reader, 100 Hz. */
void attitude_job(void *argument)
{
    struct attitude_message message;
    struct frame frame;

    (void)argument;
    while (link_take(&serial, LINK_ATTITUDE, &frame)) { /* at most LINK_QUEUE_DEPTH */
        if (!began && !begin()) {
            continue;
        }
        attitude_read(&frame, &message);
        const float dt = attitude_update(&filter, &message);

        if (lock(&navigation_lock)) {
            navigation_predict(&navigation, &filter.attitude, dt);
            oriented_us = filter.time_us;
            oriented = true;
            kept_navigation_write(&state.known, &navigation, oriented_us);
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
            if (oriented) {
                navigation_correct(&navigation, &message);
                kept_navigation_write(&state.known, &navigation, oriented_us);
            }
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
