/* SPDX-License-Identifier: Apache-2.0 */
/* Command reader: whenever the ground station sends. */
#include "tasks.h"

/* Where a control that starts again finds it. */
static bool keep(const struct command_message *message)
{
    if (!lock(&navigation_lock)) {
        return false;
    }
    kept_command_write(&state.command, message);
    takt_mutex_unlock(&navigation_lock);
    return true;
}

void command_job(void *argument)
{
    static uint16_t last_number; /* 0 again after a restart: then control gets a command twice, which changes nothing */
    struct command_message message;
    struct frame frame;

    (void)argument;
    while (link_take(&serial, LINK_COMMAND, &frame)) {
        struct acknowledge_message acknowledge;

        command_read(&frame, &message);
        acknowledge = (struct acknowledge_message){.number = message.number, .accepted = command_valid(&message)};
        if (acknowledge.accepted && message.number != last_number) {
            if (!keep(&message) || commands_try_send(&message) != TAKT_OK) {
                continue; /* the lock's owner died, or no room: unacknowledged, the ground station repeats it */
            }
            last_number = message.number;
        }
        if (!acknowledge.accepted && lock(&navigation_lock)) {
            state.news.refused++;
            takt_mutex_unlock(&navigation_lock);
        }
        acknowledge_write(&frame, &acknowledge);
        send(&frame);
    }
}
