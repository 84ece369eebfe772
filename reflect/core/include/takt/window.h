/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_WINDOW_H
#define TAKT_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dialect.h"

TAKT_C_BEGIN

/*
 * Anti-replay window of the packets of one session: rejects duplicates and packets that are too old to tell (RFC 4303,
 * 3.4.3 and appendix A2). Only for packets whose tag is valid.
 *
 * Context of every call: any. Blocks: never. O(1).
 */

enum { TAKT_WINDOW_SIZE = 128 };

/* All zero: no packet received. Private. */
struct takt_window {
    uint64_t highest;                     /* highest number received */
    uint64_t came[TAKT_WINDOW_SIZE / 64]; /* bit n % TAKT_WINDOW_SIZE: n was received; the last TAKT_WINDOW_SIZE */
};

/*
 * Records a number. True: it is new. False: it was received before, is 0, or is TAKT_WINDOW_SIZE or more below the
 * highest.
 */
bool takt_window_take(struct takt_window *window, uint64_t number);

TAKT_C_END

#endif
