/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_WINDOW_H
#define TAKT_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Which packets of one session have come: what comes twice, or so late that nobody knows any more, is told from what is
 * new (RFC 4303, 3.4.3, and appendix A2 say what such a window must do). Ask only of packets whose tag is right.
 *
 * Context: any. Blocks: never. O(1).
 */

enum { TAKT_WINDOW_SIZE = 128 };

/* All zero: nothing has come. Private. */
struct takt_window {
    uint64_t highest;                     /* of the numbers that came */
    uint64_t came[TAKT_WINDOW_SIZE / 64]; /* bit n % TAKT_WINDOW_SIZE: n came, for the last TAKT_WINDOW_SIZE up to it */
};

/*
 * True once for each number: it came now. False: it came before, is 0, or lies TAKT_WINDOW_SIZE or more behind the
 * highest.
 */
bool takt_window_take(struct takt_window *window, uint64_t number);

#endif
