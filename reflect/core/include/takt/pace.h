/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PACE_H
#define TAKT_PACE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Pacing to the rate of a link (seed 002, 6.4, names blocks as points of preemption; they are such points only if what
 * was sent does not wait in a queue behind). Each packet is charged with what it occupies the wire for, and the next
 * one is sent when the wire is free again. Who comes late may catch up, by a burst.
 *
 * Context: any. Blocks: never. O(1). Times are absolute, in ns, of one clock.
 */

struct takt_pace_link {
    uint64_t rate_bps; /* bits a second on the wire, 1000 .. 10^12 */
    uint32_t mtu;      /* bytes of an IP packet at most, 576 .. 65535: longer ones are sent in fragments */
    uint32_t burst_ns; /* who comes later than he might have makes up for so much of it, at most 10^9 */
    bool ipv6;
};

struct takt_pace {
    struct takt_pace_link link; /* private, as the rest */
    uint64_t free_ns;           /* when the wire has sent what it was given */
    uint64_t begun_ns, sent_ns; /* of the last packet: from when on the wire was charged for it, and when it was sent */
    bool busy;                  /* nobody waited since */
};

/* A link that is free. */
void takt_pace_init(struct takt_pace *pace, const struct takt_pace_link *link);

/*
 * How long an UDP packet of `payload` bytes, at most 65507, occupies the wire, with its heads and the frames of
 * Ethernet (preamble, head, check sum and gap; at least 64 bytes and these). Rounded up.
 */
uint64_t takt_pace_wire_ns(const struct takt_pace_link *link, uint32_t payload);

/* From when on the next packet may be sent; not after `now`: at once. */
static inline uint64_t takt_pace_until(const struct takt_pace *pace)
{
    return pace->free_ns;
}

/* Whoever sends waits: there is nothing, or the wire is not free. */
static inline void takt_pace_wait(struct takt_pace *pace)
{
    pace->busy = false;
}

/*
 * A packet of `payload` bytes is sent now. `since`: from when on it, or another one, was there to be sent, at most now.
 * What the wire was idle for before that is gone; so is what it was idle for since whoever sends made the packet
 * before.
 */
void takt_pace_sent(struct takt_pace *pace, uint32_t payload, uint64_t since, uint64_t now);

#endif
