/* SPDX-License-Identifier: Apache-2.0 */
/* The serial line: exchanges bytes with the aircraft and wakes the readers. */
#include "tasks.h"

/* Every 10 ms: the interrupt, or with `process` in its [[interrupt]] a task that it releases. */
void link_interrupt(void)
{
    static struct link_input input;
    static bool began; /* since the start of the program, or of its process */
    static uint8_t transmit[LINK_RING_SIZE];
    static uint8_t receive[128]; /* what the line carries in a period; usually 29 to 100 bytes arrive */
    struct takt_semaphore *const readers[LINK_SOURCES] = {
        [LINK_ATTITUDE] = &attitude_frame,
        [LINK_POSITION] = &position_frame,
        [LINK_FEEDBACK] = &feedback_frame,
        [LINK_COMMAND] = &command_frame,
    };
    unsigned arrivals[LINK_SOURCES];

    if (!began) {
        link_begin(&input, &serial);
        began = true;
    }
    const size_t length = link_drain(&serial, transmit, sizeof transmit);
    const size_t received = takt_board_link_exchange(transmit, length, receive, sizeof receive);
    link_accept(&input, &serial, receive, received, now_us(), arrivals);

    for (int source = 0; source < LINK_SOURCES; source++) {
        for (unsigned i = 0; i < arrivals[source]; i++) {
            (void)takt_semaphore_post(readers[source]); /* refused only at 65535: the frame waits for the next job */
        }
    }
}
