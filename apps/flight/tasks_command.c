/* SPDX-License-Identifier: Apache-2.0 */
/* Command reader: whenever the ground station sends. */
#include "tasks.h"

void command_job(void *argument)
{
    static uint16_t last_number;
    struct command_message message;
    struct frame frame;

    (void)argument;
    while (link_take(&serial, LINK_COMMAND, &frame)) {
        struct acknowledge_message acknowledge;

        command_read(&frame, &message);
        acknowledge = (struct acknowledge_message){.number = message.number, .accepted = command_valid(&message)};
        if (acknowledge.accepted && message.number != last_number) {
            if (commands_try_send(&message) != TAKT_OK) {
                continue; /* no room, no acknowledgement: the ground station repeats it */
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
