/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_WIRE_H
#define TAKT_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Packets between the nodes of reflective memory (seed 002, 4 and 7.1): a head of TAKT_WIRE_HEAD bytes, least byte
 * first, then the payload, then the tag of takt/seal.h. One byte string is at most one packet, and one packet exactly
 * one.
 *
 * Who reads a channel subscribes to it at the node of its writer, again and again, and so a node that is gone costs
 * nobody anything after a while. What is refused is answered with the reason.
 *
 * Context of every call: any. Blocks: never. O(1).
 */

enum {
    TAKT_WIRE_VERSION = 1,
    TAKT_WIRE_HEAD = 64,
    TAKT_WIRE_TAG = 16,
    TAKT_WIRE_PAYLOAD_MAX = 65507 - TAKT_WIRE_HEAD - TAKT_WIRE_TAG /* what UDP over IPv4 carries */
};

enum takt_wire_kind {
    TAKT_WIRE_SUBSCRIBE = 1, /* reader to writer: I want it, or no longer */
    TAKT_WIRE_ANSWER = 2,    /* writer to reader: you have it, or why not */
    TAKT_WIRE_DATA = 3,      /* writer to reader: a block of a value */
    TAKT_WIRE_PROBE = 4,     /* the profiler: come back */
    TAKT_WIRE_ECHO = 5
};

enum takt_wire_verdict {
    TAKT_WIRE_ACCEPTED = 0,
    TAKT_WIRE_STOPPED = 1,  /* no block of it is sent after this */
    TAKT_WIRE_AGAIN = 2,    /* subscribe to the session that this comes from: a new one, or you were away */
    TAKT_WIRE_UNFIT = 3,    /* the sizes differ: `left` is the writer's, `right` the reader's */
    TAKT_WIRE_REFUSED = 4,  /* admission: `left` > `right` of the inequality of that number (takt/admit.h) */
    TAKT_WIRE_WITHHELD = 5, /* its writer's node does not send it now; it is told of a start */
    TAKT_WIRE_VERDICTS = 6
};

struct takt_wire_packet {
    enum takt_wire_kind kind;
    uint32_t channel;
    uint64_t session;    /* of the sender: another one after each start of it */
    uint64_t to_session; /* of whom it is for; 0: not known yet */
    uint64_t sequence;   /* of the sender's packets, greater each time, from 1; of subscriptions over starts, too */
    union {
        struct {
            uint64_t period_ns; /* of an asynchronous push; 0: as the channel was declared */
            uint64_t deadline_ns;
            uint32_t size; /* of a value, 1 .. TAKT_AREA_SIZE_MAX */
            uint32_t have; /* low half of the number of the last value that came whole in this session; 0: none */
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
            uint64_t time_ns; /* when it was written, by the writer's clock */
            uint32_t source;
            uint32_t total;  /* bytes of the value, at most TAKT_AREA_SIZE_MAX */
            uint32_t offset; /* of this block in it */
        } data;
        struct {
            uint64_t number;
            uint64_t time_ns; /* when the probe was sent, by the prober's clock */
        } probe;
    };
    const uint8_t *payload; /* of DATA, PROBE and ECHO; of others none */
    uint32_t length;        /* of the payload, at most TAKT_WIRE_PAYLOAD_MAX; of DATA 0 only if the value is empty */
};

/* Writes the head; the payload's bytes are the caller's to put behind it. The packet keeps to what stands above. */
void takt_wire_encode(uint8_t head[TAKT_WIRE_HEAD], const struct takt_wire_packet *packet);

/*
 * Reads a packet of `length` bytes without its tag. False: it is none, of this version, and `packet` holds anything. Of
 * one that is, every field is in its range, and encoding it gives the same bytes. `payload` points into `bytes`.
 */
bool takt_wire_decode(const uint8_t *bytes, size_t length, struct takt_wire_packet *packet);

#endif
