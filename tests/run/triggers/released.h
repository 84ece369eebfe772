/* SPDX-License-Identifier: Apache-2.0 */
/* What a process is released for, too. */
#include "takt_app.h"

void flags_came(void *argument)
{
    (void)argument;
    struct takt_events_wanted wanted = {.flags = 6, .mode = TAKT_EVENTS_ALL | TAKT_EVENTS_CLEAR};
    enum takt_status status = takt_events_try_wait(&flags, &wanted);
    TAKT_ASSERT(status == TAKT_OK);
}

void bytes_came(void *argument)
{
    (void)argument;
    char text[6];
    struct takt_pipe_count count = {.size = sizeof text, .least = 1};
    uint32_t all = 0;
    while (takt_pipe_try_read(&stream, text, &count) == TAKT_OK) {
        all += count.done;
    }
    TAKT_ASSERT(all == sizeof text);
}

void call_came(void *argument)
{
    (void)argument;
    int value = 0; /* of a call that is copied */
    struct takt_rendezvous_accepted accepted = {.data = &value};
    enum takt_status status = takt_rendezvous_try_accept(&meeting, &accepted);
    TAKT_ASSERT(status == TAKT_OK);
    *(int *)accepted.data += 1;
    takt_rendezvous_complete(&accepted);
}
