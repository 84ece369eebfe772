/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CHIP_CONSOLE_LINE_H
#define TAKT_CHIP_CONSOLE_LINE_H

/*
 * The console's input. QEMU hands the next byte to the serial port as soon as one is taken, at any rate: so the port
 * raises no interrupt for the time that a character takes on the line, which the timer that represents devices
 * measures, and the byte that comes meanwhile stays in the port. A run with the option input takes the bytes from that
 * file instead, of which the first comes a character's time after the start: so they come at the same virtual times in
 * each run, but for what docs/CAVEATS.md says of QEMU.
 */
#include <stdbool.h>
#include <stdint.h>

/* `busy`: set by the console's interrupt, which is off until the timer's clears it; the others are the timer's. */
struct takt_chip_line {
    uint64_t character_ns;
    uint64_t free_ns; /* when the line may bring the next byte; 0: not known yet */
    volatile bool busy;
    int32_t file; /* of the option input; -1: the serial port brings the bytes */
};

/* chips/emulated/input.c: the file that the option input names, or -1: there is none. And its next byte; false: it has
 * ended. */
int32_t takt_chip_input_open(void);
bool takt_chip_input_take(int32_t file, uint8_t *byte);

/* What of the line is due at `now_ns`: `listen` lets the port raise its interrupt again. Returns the time of the next:
 * the line's or `next_ns`. Context: the timer's interrupt. */
static inline uint64_t takt_chip_line_look(struct takt_chip_line *line, uint64_t now_ns, uint64_t next_ns,
                                           void (*listen)(void))
{
    if (line->busy && line->free_ns != 0 && line->free_ns <= now_ns) {
        line->free_ns = 0;
        line->busy = false;
        listen(); /* which may take the next byte at once */
    }
    if (!line->busy) {
        return next_ns;
    }
    if (line->free_ns == 0) {
        line->free_ns = now_ns + line->character_ns;
    }
    return line->free_ns < next_ns ? line->free_ns : next_ns;
}

#endif
