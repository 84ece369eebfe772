/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PACE_H
#define TAKT_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dialect.h"

TAKT_C_BEGIN

/*
 * Pacing to the rate of a link (seed 002, 6.4, names blocks as points of preemption; they are such points only if what
 * was sent does not wait in a queue behind). Each packet is charged with the time that it occupies the wire, and the
 * next one is sent when the wire is free again. A late sender may catch up, by at most a burst.
 *
 * Context of every call: any. Blocks: never. O(1). Times are absolute, in ns, of one clock.
 */

struct takt_pace_link {
    uint64_t rate_bps; /* bits per second on the wire, 1000 .. 10^12 */
    uint32_t mtu;      /* bytes of an IP packet at most, 576 .. 65535: longer ones are sent in fragments */
    uint32_t burst_ns; /* largest delay of a sender that it may catch up, at most 10^9 */
    bool ipv6;
};

struct takt_pace {
    struct takt_pace_link link; /* private, as all fields */
    uint64_t free_ns;           /* end of the last packet on the wire */
    uint64_t begun_ns, sent_ns; /* of the last packet: begin of its time on the wire, and time of its send */
    bool busy;                  /* no wait since the last packet */
};

/* Initializes a free link. */
void takt_pace_init(struct takt_pace *pace, const struct takt_pace_link *link);

/*
 * Time for which a UDP packet of `payload` bytes, at most 65507, occupies the wire, with its headers and the frames of
 * Ethernet (preamble, head, check sum and gap; at least 64 bytes and these). Rounded up.
 */
uint64_t takt_pace_wire_ns(const struct takt_pace_link *link, uint32_t payload);

/* Earliest time of the next packet; not after `now`: at once. */
static inline uint64_t takt_pace_until(const struct takt_pace *pace)
{
    return pace->free_ns;
}

/* Notes that the sender waits: there is no packet, or the wire is not free. */
static inline void takt_pace_wait(struct takt_pace *pace)
{
    pace->busy = false;
}

/*
 * Charges a packet of `payload` bytes, sent now. `since`: time from which on it, or another packet, was ready, at most
 * now. Idle time of the wire before that cannot be caught up, nor that since the sender made the previous packet.
 */
void takt_pace_sent(struct takt_pace *pace, uint32_t payload, uint64_t since, uint64_t now);

TAKT_C_END

#endif
