/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_WIRE_H
#define TAKT_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dialect.h"

TAKT_C_BEGIN

/*
 * Packets between the nodes of reflective memory (seed 002, 4 and 7.1): a header of TAKT_WIRE_HEAD bytes, little
 * endian, then the payload, then the tag of takt/seal.h. A packet has exactly one encoding, and a byte string decodes
 * to at most one packet.
 *
 * The reader of a channel subscribes at the node of its writer periodically, so a node that fails causes no traffic
 * after its lease. A refusal is answered with its reason.
 *
 * Context of every call: any. Blocks: never. O(1).
 */

enum {
    TAKT_WIRE_VERSION = 1,
    TAKT_WIRE_HEAD = 64,
    TAKT_WIRE_TAG = 16,
    TAKT_WIRE_PAYLOAD_MAX = 65507 - TAKT_WIRE_HEAD - TAKT_WIRE_TAG /* of UDP over IPv4 */
};

enum takt_wire_kind {
    TAKT_WIRE_SUBSCRIBE = 1, /* reader to writer: start or stop the channel */
    TAKT_WIRE_ANSWER = 2,    /* writer to reader: accepted, or the reason why not */
    TAKT_WIRE_DATA = 3,      /* writer to reader: a block of a value */
    TAKT_WIRE_PROBE = 4,     /* of the profiler: requests an ECHO */
    TAKT_WIRE_ECHO = 5
};

enum takt_wire_verdict {
    TAKT_WIRE_ACCEPTED = 0,
    TAKT_WIRE_STOPPED = 1,  /* no block is sent after this */
    TAKT_WIRE_AGAIN = 2,    /* subscribe to the session of this packet: it is new, or the lease had expired */
    TAKT_WIRE_UNFIT = 3,    /* the sizes differ: `left` is the writer's, `right` the reader's */
    TAKT_WIRE_REFUSED = 4,  /* admission: `left` > `right` of the inequality of that number (takt/admit.h) */
    TAKT_WIRE_WITHHELD = 5, /* the writer's node does not send it now, and will announce a start */
    TAKT_WIRE_VERDICTS = 6
};

struct takt_wire_packet {
    enum takt_wire_kind kind;
    uint32_t channel;
    uint64_t session;    /* of the sender: a new one after each start */
    uint64_t to_session; /* of the receiver; 0: not known yet */
    uint64_t sequence;   /* of the sender's packets, increasing from 1; of subscriptions also over restarts */
    union {
        struct {
            uint64_t period_ns; /* of an asynchronous push; 0: as declared */
            uint64_t deadline_ns;
            uint32_t size; /* of a value, 1 .. TAKT_AREA_SIZE_MAX */
            uint32_t have; /* low half of the number of the last complete value of this session; 0: none */
            bool wanted;
        } subscribe;
        struct {
            uint64_t left;
            uint64_t right;
            enum takt_wire_verdict verdict;
            uint32_t inequality;
        } answer;
        struct {
            uint64_t number;  /* of the value, from 1 */
            uint64_t time_ns; /* time of the write, by the writer's clock */
            uint32_t source;
            uint32_t total;  /* bytes of the value, at most TAKT_AREA_SIZE_MAX */
            uint32_t offset; /* of this block in it */
        } data;
        struct {
            uint64_t number;
            uint64_t time_ns; /* time of the probe, by the prober's clock */
        } probe;
    };
    const uint8_t *payload; /* of DATA, PROBE and ECHO */
    uint32_t length;        /* of the payload, at most TAKT_WIRE_PAYLOAD_MAX; 0 for DATA only if the value is empty */
};

/* Writes the header; the caller appends the payload. The packet must satisfy the ranges above. */
void takt_wire_encode(uint8_t head[TAKT_WIRE_HEAD], const struct takt_wire_packet *packet);

/*
 * Decodes a packet of `length` bytes without its tag. False: not a packet of this version; `packet` is undefined.
 * Otherwise every field is in its range, and encoding it gives the same bytes. `payload` points into `bytes`.
 */
bool takt_wire_decode(const uint8_t *bytes, size_t length, struct takt_wire_packet *packet);

TAKT_C_END

#endif
