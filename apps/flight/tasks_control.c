/* SPDX-License-Identifier: Apache-2.0 */
/* Guidance and control, 50 Hz. */
#include "tasks.h"

void control_job(void *argument)
{
    static struct control_memory memory;
    static struct control_target target;
    static struct navigation navigation; /* the last one, should the section be lost */
    struct command_message command;
    struct control_output output;
    struct rotor_message rotors;
    struct frame frame;

    (void)argument;
    while (commands_try_receive(&command) == TAKT_OK) { /* at most its capacity */
        target = command_target(&command);
    }

    if (lock(&navigation_lock)) {
        navigation = state.navigation;
        takt_mutex_unlock(&navigation_lock);
    }

    control_step(&memory, &navigation, &target, &output);
    rotors.time_us = now_us();
    for (int i = 0; i < ROTORS; i++) {
        rotors.throttle[i] = (uint16_t)(output.throttle[i] * 10000.0f + 0.5f);
    }

    commanded_write(&rotors);
    rotor_write(&frame, FRAME_ROTORS, &rotors);
    send(&frame);
}
