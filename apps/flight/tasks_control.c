/* SPDX-License-Identifier: Apache-2.0 */
/* Guidance and control, 50 Hz. */
#include "tasks.h"

/* In the first job of a life. False: the section was lost with its owner. */
static bool begin(struct kept_control *own)
{
    struct kept_control last = {0};
    struct kept_command command;

    if (!lock(&navigation_lock)) {
        return false;
    }
    command = state.command;
    takt_mutex_unlock(&navigation_lock);

    (void)!kept_read(&last); /* its own message, which it does not write meanwhile; and it has a checksum */
    kept_control_recall(own, &last, &command, now_us());
    return true;
}

/* What the readers know, if it may be believed, into the last that was. */
static void navigate(struct navigation *navigation)
{
    struct kept_navigation known;

    if (lock(&navigation_lock)) {
        known = state.known;
        takt_mutex_unlock(&navigation_lock);
        if (kept_navigation_valid(&known, now_us())) {
            navigation_follow(navigation, &known.navigation);
        }
    }
}

static void send_rotors(const struct control_output *output)
{
    struct rotor_message rotors = {.time_us = now_us()};
    struct frame frame;

    for (int i = 0; i < ROTORS; i++) {
        rotors.throttle[i] = (uint16_t)(output->throttle[i] * 10000.0f + 0.5f);
    }
    commanded_write(&rotors);
    rotor_write(&frame, FRAME_ROTORS, &rotors);
    send(&frame);
}

void control_job(void *argument)
{
    static bool began;
    static struct kept_control own;
    static struct navigation navigation;
    struct control_target target;
    struct control_output output;

    (void)argument;
    if (!began && !begin(&own)) {
        return; /* the rotors keep their last commands until the next job */
    }
    began = true;
    while (commands_try_receive(&own.command) == TAKT_OK) { /* at most its capacity */
    }
    target = command_target(&own.command);
    navigate(&navigation);
    if (control_waits(&own.memory, &navigation, &target)) {
        return;
    }

    control_step(&own.memory, &navigation, &target, &output);
    kept_control_sign(&own, now_us());
    kept_write(&own);
    send_rotors(&output);
}
