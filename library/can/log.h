/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_LIBRARY_CAN_LOG_H
#define TAKT_LIBRARY_CAN_LOG_H

#include <stdint.h>

#include "takt/can_frame.h"

/* The log of a bus in a run, as candump writes it: the first 100 000 frames. */
struct takt_can_log {
    unsigned index; /* of the bus among those of the board */
    unsigned written;
};

/* Notes a frame, at its end. */
void takt_can_log_write(struct takt_can_log *log, uint64_t now_ns, const struct takt_can_frame *frame);

#endif
