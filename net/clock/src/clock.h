/* SPDX-License-Identifier: Apache-2.0 */
/* What the clock and the master of a node share. */
#ifndef TAKTK_CLOCK_H
#define TAKTK_CLOCK_H

#include "takt/clock.h"

/* Gives up what it follows, and sends nothing. */
void taktk_clock_listen(struct takt_clock *clock, uint64_t now_ns);

/* Begins to be the master, with the time that it has. */
void taktk_clock_act(struct takt_clock *clock, uint64_t now_ns);

/* Its own tick was sent. */
void taktk_clock_sent(struct takt_clock *clock, uint64_t stamp_ns);

/* The local time at which it knows no longer what time it is. */
uint64_t taktk_clock_expires_at(const struct takt_clock *clock);

/* Whether a follow-up of `rank` came within 2 silence_ns: by the counter of a faulty node, too. */
bool taktk_clock_sends(const struct takt_clock *clock, uint8_t rank, uint64_t now_ns);

/* Rejections of masters that no longer send are over. */
void taktk_clock_forgive(struct takt_clock *clock, uint64_t now_ns);

/* Other masters that send and reject `against`. */
uint8_t taktk_clock_votes(const struct takt_clock *clock, uint8_t against, uint64_t now_ns);

/* Common time at a local one. */
uint64_t taktk_clock_time(const struct takt_clock *clock, uint64_t local_ns);

#endif
