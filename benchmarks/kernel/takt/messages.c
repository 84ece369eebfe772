/* SPDX-License-Identifier: Apache-2.0 */
/* Ring and state message, in and out, beside a mailbox of the same size (queue_8 is the one of 8 bytes). */
#include "rows.h"

#include "harness.h"
#include "takt/ring.h"
#include "takt/state.h"

enum { LONG = 64, IN_LINE = 56, ITEMS = 4 };

TAKT_RING_DEFINE(ring_8, 8, ITEMS);
TAKT_RING_DEFINE(ring_56, IN_LINE, ITEMS);
TAKT_STATE_DEFINE(state_8, 8, ITEMS);
TAKT_STATE_DEFINE(state_64, LONG, ITEMS);
static uint32_t mailbox_storage[ITEMS * LONG / 4];
TAKT_MAILBOX_DEFINE(mailbox_64, 9, (uint8_t *)mailbox_storage, LONG, ITEMS);
static uint32_t sent[LONG / 4];
static uint32_t got[LONG / 4];

/* The first and the last word of a message are new each time, and must arrive. */
static void begin(size_t size)
{
    sent[0]++;
    sent[size / 4 - 1] = sent[0];
    stamp_begin(0);
}

static void end(size_t size)
{
    stamp_end(1);
    effects += got[0] == sent[0] && got[size / 4 - 1] == sent[0];
}

/* What goes in comes out at once, so nothing is refused; `end` would see it. */
#define ROW(object, kind, in, out, size)                                    \
    static void object##_pair(void)                                         \
    {                                                                       \
        struct kind *known = &(object);                                     \
        __asm volatile("" : "+r"(known)); /* in a register, as in a loop */ \
        begin(size);                                                        \
        (void)!in;                                                          \
        (void)!out;                                                         \
        end(size);                                                          \
    }

ROW(ring_8, takt_ring, takt_ring_put(known, sent, 8), takt_ring_get(known, got, 8), 8)
ROW(ring_56, takt_ring, takt_ring_put(known, sent, IN_LINE), takt_ring_get(known, got, IN_LINE), IN_LINE)
ROW(state_8, takt_state, (takt_state_write(known, sent, 8), TAKT_OK), takt_state_read(known, got, 8), 8)
ROW(state_64, takt_state, (takt_state_write(known, sent, LONG), TAKT_OK), takt_state_read(known, got, LONG), LONG)
ROW(mailbox_64, takt_mailbox, takt_mailbox_try_send(known, sent), takt_mailbox_try_receive(known, got), LONG)

static void nothing(void)
{
}

static const struct row message_rows[] = {
    {"ring_8", nothing, ring_8_pair, 1, 0, 1, false, 0},
    {"ring_56", nothing, ring_56_pair, 1, 0, 1, false, 0},
    {"state_8", nothing, state_8_pair, 1, 0, 1, false, 0},
    {"state_64", nothing, state_64_pair, 1, 0, 1, false, 0},
    {"mailbox_64", nothing, mailbox_64_pair, 1, 0, 1, false, 0},
};

void message_rows_measure(void)
{
    harness_measure(message_rows, sizeof message_rows / sizeof message_rows[0]);
}
