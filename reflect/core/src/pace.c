/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/pace.h"

#include "base/arith.h"

enum {
    UDP = 8,
    IPV4 = 20,
    IPV6 = 40,
    IPV6_FRAGMENT = 8,
    ETHERNET = 8 + 14 + 4 + 12, /* preamble, head, check sum, gap */
    FRAME_MIN = 46              /* bytes between head and check sum */
};

void takt_pace_init(struct takt_pace *pace, const struct takt_pace_link *link)
{
    *pace = (struct takt_pace){.link = *link};
}

/* Time on the wire of one frame with that many bytes of IP. */
static uint64_t frame_bytes(uint32_t inside)
{
    return ETHERNET + (inside < FRAME_MIN ? FRAME_MIN : inside);
}

uint64_t takt_pace_wire_ns(const struct takt_pace_link *link, uint32_t payload)
{
    uint32_t inside = payload + UDP;
    uint32_t head = link->ipv6 ? IPV6 : IPV4;
    uint64_t bytes = 0;
    if (head + inside <= link->mtu) {
        bytes = frame_bytes(head + inside);
    } else {
        head += link->ipv6 ? IPV6_FRAGMENT : 0;
        uint32_t room = (link->mtu - head) / 8 * 8; /* fragments begin at a multiple of 8 */
        uint32_t whole = (inside - 1) / room;
        bytes = whole * frame_bytes(head + room) + frame_bytes(head + inside - whole * room);
    }
    return takt_divide_up(bytes * 8 * UINT64_C(1000000000), link->rate_bps);
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void takt_pace_sent(struct takt_pace *pace, uint32_t payload, uint64_t since, uint64_t now)
{
    uint64_t earliest = now > pace->link.burst_ns ? now - pace->link.burst_ns : 0;
    uint64_t begun = later(later(pace->free_ns, earliest), since);
    if (pace->busy) { /* the sender was busy with the previous packet all the time */
        begun = later(begun, pace->begun_ns + (now - pace->sent_ns));
    }
    pace->begun_ns = begun;
    pace->sent_ns = now;
    pace->busy = true;
    pace->free_ns = begun + takt_pace_wire_ns(&pace->link, payload);
}
