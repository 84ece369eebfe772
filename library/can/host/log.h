/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_LIBRARY_CAN_LOG_H
#define TAKT_LIBRARY_CAN_LOG_H

#include <stdint.h>
#include <stdio.h>

#include "takt/can_frame.h"

/* The log of a bus in a run of `host`, as candump writes it: the first 100 000 frames. */
struct takt_can_log {
    FILE *file; /* NULL: none is asked for */
    unsigned index;
    unsigned written;
};

/* Opens the log that the option can0, can1 ... of the run names. Context: init. */
void takt_can_log_open(struct takt_can_log *log, unsigned index);

/* Notes a frame, at its end. */
void takt_can_log_write(struct takt_can_log *log, uint64_t now_ns, const struct takt_can_frame *frame);

#endif
