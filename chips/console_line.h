/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CHIP_CONSOLE_LINE_H
#define TAKT_CHIP_CONSOLE_LINE_H

/*
 * The console's input. QEMU hands the next byte to the serial port as soon as one is taken, at any rate: so the port
 * raises no interrupt for the time that a character takes on the line, which the timer that represents devices
 * measures, and the byte that comes meanwhile stays in the port.
 */
#include <stdbool.h>
#include <stdint.h>

/* `busy`: set by the console's interrupt, which is off until the timer's clears it; the others are the timer's. */
struct takt_chip_line {
    uint64_t character_ns;
    uint64_t free_ns; /* when the line may bring the next byte; 0: not known yet */
    volatile bool busy;
};

/* What of the line is due at `now_ns`: `listen` lets the port raise its interrupt again. Returns the time of the next:
 * the line's or `next_ns`. Context: the timer's interrupt. */
static inline uint64_t takt_chip_line_look(struct takt_chip_line *line, uint64_t now_ns, uint64_t next_ns,
                                           void (*listen)(void))
{
    if (!line->busy) {
        return next_ns;
    }
    if (line->free_ns == 0) {
        line->free_ns = now_ns + line->character_ns;
    }
    if (line->free_ns > now_ns) {
        return line->free_ns < next_ns ? line->free_ns : next_ns;
    }
    line->free_ns = 0;
    line->busy = false;
    listen();
    return next_ns;
}

#endif
