/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_NODE_H
#define TAKT_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dialect.h"
#include "takt/area.h"
#include "takt/assemble.h"
#include "takt/pace.h"
#include "takt/push.h"
#include "takt/seal.h"
#include "takt/window.h"
#include "takt/wire.h"

TAKT_C_BEGIN

/*
 * All channels of a machine (seed 002, 7.1: the agents of its server), without threads, sockets and clocks: packets are
 * passed in and out, and the time is an argument. A channel has one writer, an area on one node, and one reader, an
 * area on another. Its sender (the seed's DPA) is on the writer's node, its receiver (DRA) on the reader's.
 *
 * A receiver subscribes every TAKT_NODE_RENEW_NS; without renewal the sender stops after TAKT_NODE_LEASE_NS. Both sides
 * have a session, a new one at each start. A subscription must name a session that the sender offers only once, so that
 * a recorded packet starts or stops nothing, and data is sealed with a key of both sessions. Offers are rate limited,
 * and the latest subscription gets the next one, so a recorded subscription cannot take it. A subscription reports the
 * last complete value of the reader: if a value was lost, the newest one is pushed again.
 *
 * Selective channels: of the receivers with the same `area` at most one is active. The next one begins when the
 * previous one was stopped, confirmed by its sender or by the end of its lease, and its pause has passed. Of the
 * senders of one `group` at most one is sent, selected by their node. A channel is sent while it is started at both
 * ends.
 *
 * One caller at a time. Context of every call: any. Blocks: never. Times are absolute, in ns, of one clock that never
 * goes back.
 */

#define TAKT_NODE_RETRY_NS UINT64_C(50000000)  /* first retry without an answer; doubled each time, ... */
#define TAKT_NODE_RENEW_NS UINT64_C(500000000) /* ... up to this; the round-trip time must be shorter */
#define TAKT_NODE_LEASE_NS UINT64_C(2000000000)

enum { TAKT_NODE_ADDRESS = 28, TAKT_NODE_TRIES = 8 };

/* Address of a node; its form is defined by the transport. */
struct takt_node_address {
    uint8_t bytes[TAKT_NODE_ADDRESS];
    uint32_t length;
};

/* The keys of a channel's two directions; a channel without keys is open to any host that can send. */
struct takt_node_keys {
    struct takt_seal_key to_reader;
    struct takt_seal_key to_writer;
};

enum takt_node_phase {
    TAKT_NODE_IDLE = 0, /* nothing is sent */
    TAKT_NODE_STARTING, /* subscribed, not answered */
    TAKT_NODE_ACTIVE,
    TAKT_NODE_STOPPING, /* not answered */
    TAKT_NODE_REFUSED   /* by the sender, for the reason in `refusal`; retried after TAKT_NODE_RENEW_NS */
};

/* The sending end of a channel. */
struct takt_node_sender {
    uint32_t channel; /* set by the caller, as the fields before `internal` */
    enum takt_push_kind kind;
    bool every;                        /* every value in order, not the newest one */
    uint64_t period_ns;                /* minimum distance of pushes; at least 1 */
    uint64_t jitter_ns;                /* longest time of a release before its nominal time (takt/push.h) */
    uint64_t delay_ns;                 /* longest delay of takt_node_written (takt/push.h) */
    uint64_t promotion_ns;             /* from its nominal time to its promotion */
    uint32_t group;                    /* not 0: of the senders with this number at most one is started */
    uint64_t pause_ns;                 /* longest time from the stop of one of its group to the begin of the next */
    uint32_t level;                    /* order within a band: the least first, then the least channel */
    const struct takt_node_keys *keys; /* or NULL */
    struct takt_area_reader area; /* of the writer, attached; before there is a writer: memory NULL, and shape.size */
    uint8_t *value;               /* buffer of area.shape.size bytes */
    struct takt_wire_packet refusal; /* its `answer`: verdict REFUSED with the reason, or ACCEPTED */
    uint32_t peer, sorted;           /* private: the next one of its group, circular; of takt_node_join */

    struct {                               /* private */
        uint64_t session, offered, reader; /* own; own for the next receiver; the receiver's, 0: none */
        uint64_t heard;                    /* sequence of the last subscription of this session */
        uint64_t freshest;                 /* highest sequence of all subscriptions */
        uint64_t sequence;                 /* of own packets, of all sessions */
        uint64_t number;                   /* of the last value taken, in this session */
        uintptr_t taken;                   /* its number in the area */
        uint64_t lease_ns;
        struct takt_seal_key key;
        struct takt_node_address address;
        struct takt_push push;
        bool stopped;       /* by its own node */
        bool asked;         /* subscribed, until lease_ns */
        uint64_t period_ns; /* then */
        uint64_t free_ns;   /* earliest begin */
        bool wanted;        /* subscribed, not stopped, and begun */
        bool repeat;        /* the last value taken is sent again */
        struct takt_area_value read;
        uint32_t offset;
        struct takt_wire_packet answer; /* session 0: none */
        struct takt_node_address answer_address;
        uint64_t asked_ns;             /* time of the request */
        struct takt_wire_packet offer; /* answer to a receiver of another session; session 0: none */
        struct takt_node_address offer_address;
        uint64_t offer_ns;  /* time at which it is sent */
        uint64_t answer_ns; /* earliest next offer */
    } internal;
};

/* The receiving end of a channel. */
struct takt_node_receiver {
    uint32_t channel;                  /* set by the caller, as the fields before `internal` */
    uint32_t source;                   /* `source` in the stamp of its values */
    uint64_t period_ns, deadline_ns;   /* requested; 0, or shorter than declared at the writer: as declared there */
    uint64_t pause_ns;                 /* minimum time from its stop to the start of another one of its area */
    const struct takt_node_keys *keys; /* or NULL */
    struct takt_node_address writer;   /* its node */
    struct takt_area *area;            /* of this node, written only by receivers of this node */
    struct takt_assemble assemble;     /* set: bytes, came, size; size is that of the area's values */
    uint32_t peer, sorted;             /* private: the next one of its area, circular; of takt_node_join */

    struct { /* private, except phase and refusal */
        enum takt_node_phase phase;
        struct takt_wire_packet refusal; /* REFUSED: the answer */
        bool wanted;
        uint64_t session, writer; /* own; the sender's, 0: unknown */
        uint64_t sequence;
        uint64_t have;             /* number of the last complete value of this session */
        uint64_t due_ns, retry_ns; /* time of the next subscription; interval to the one after it */
        uint64_t lease_ns;         /* time at which the sender has certainly stopped */
        uint64_t heard_ns;         /* time of the last acceptance */
        uint64_t free_ns;          /* end of the pauses of others of the area */
        struct takt_window window;
        struct takt_seal_key key;
    } internal;
};

/*
 * Counters of packets and values. Each received packet is counted in exactly one field from blocks_received to unfit.
 */
struct takt_node_counters {
    uint64_t blocks_sent, values_sent;
    uint64_t values_received;
    uint64_t overtaken; /* the value was overwritten while it was copied: nothing was sent */
    uint64_t blocks_received;
    uint64_t subscriptions, answers; /* accepted ones */
    uint64_t malformed;              /* not a packet */
    uint64_t unknown;                /* of no channel of this node */
    uint64_t forged;                 /* the tag is wrong */
    uint64_t replayed;               /* duplicate, of another session, or without new information */
    uint64_t unanswered;             /* a subscription to another session, too soon after another */
    uint64_t inactive;               /* of a channel that is stopped or has not begun */
    uint64_t old;                    /* of a value older than the current one */
    uint64_t twice;                  /* a duplicate block in a new packet */
    uint64_t unfit;                  /* a block or an answer that does not fit */
};

struct takt_node {
    struct takt_node_sender *senders; /* set by the caller: ascending in `channel`, each channel once */
    uint32_t sender_count;
    struct takt_node_receiver *receivers; /* the same */
    uint32_t receiver_count;
    uint32_t block; /* bytes of a value per packet, TAKT_ASSEMBLE_BLOCK_MIN .. TAKT_WIRE_PAYLOAD_MAX */
    struct takt_pace pace;
    struct takt_node_counters counters;
    uint64_t
        started; /* set by the caller: greater at each start of the node on this machine, e.g. the time of day in ns */
    uint64_t session;  /* private: of the next start */
    uint64_t asked;    /* private: subscriptions, from `started` on */
    uint64_t since_ns; /* private: time since which a block is ready to be sent */
};

/* Size of the buffer for takt_node_send. */
#define TAKT_NODE_ROOM(block) (TAKT_WIRE_HEAD + (size_t)(block) + TAKT_WIRE_TAG)

/*
 * Initializes and joins a node, after the caller has set its fields, without subscriptions. `random`: 64 unpredictable
 * bits, never used before by this machine. O(channels * log channels).
 */
void takt_node_init(struct takt_node *node, const struct takt_pace_link *link, uint64_t random);

#define TAKT_NODE_NOBODY UINT32_MAX

/*
 * Links the senders of each group and the receivers of each area. Changes no other state, so it can be called for a new
 * configuration before takt_node_go_on, outside of any lock. O(channels * log channels).
 */
void takt_node_join(struct takt_node *node);

/*
 * Continues the state of `before` in `node`, which is joined, with other senders and receivers. The caller has copied
 * `internal` of those that remain; it is all zero in others. A sender that is now refused stops. O(senders).
 */
void takt_node_go_on(struct takt_node *node, const struct takt_node *before, const struct takt_pace_link *link);

/*
 * Processes a received packet, of any contents. Returns the index of the receiver whose area got a new value, or
 * TAKT_NODE_NOBODY. O(log channels + length), and O(size) for a new value.
 */
uint32_t takt_node_receive(struct takt_node *node, const uint8_t *bytes, size_t length,
                           const struct takt_node_address *from, uint64_t now);

/* Notes a write of the area of a sender of kind SYNC or BULK. `index`: of the sender. O(1). */
void takt_node_written(struct takt_node *node, uint32_t index, uint64_t now);

/*
 * Attaches a sender to another area of the same size, of a new writer. A value that is being sent is completed.
 * `index`: of the sender. O(1).
 */
void takt_node_attach(struct takt_node *node, uint32_t index, const struct takt_area_reader *area, uint64_t now);

/*
 * Writes the next packet to send now to `bytes`, at most TAKT_NODE_ROOM(block) of them, and its destination to `to`.
 * Returns its length; 0: none before takt_node_until. O(senders + receivers + block), and O(size) for the first block
 * of a value and for each of up to TAKT_NODE_TRIES overtaken reads.
 */
size_t takt_node_send(struct takt_node *node, uint8_t *bytes, struct takt_node_address *to, uint64_t now);

/* Time of the next packet of takt_node_send, if nothing is received or written until then; UINT64_MAX: never. O(senders
 * + receivers). */
uint64_t takt_node_until(const struct takt_node *node);

/*
 * The band of the next packet of takt_node_send, once the link is free; LOW if there is none. O(senders + receivers).
 */
enum takt_push_band takt_node_band(const struct takt_node *node, uint64_t now);

/*
 * Time at which that band may change without a packet, a write or a block in between: the next promotion of a released
 * push; UINT64_MAX: none. O(senders).
 */
uint64_t takt_node_promotion(const struct takt_node *node, uint64_t now);

/*
 * Starts the sender of that index and stops the others of its group; a subscribed reader is notified. Senders without a
 * group are started initially. O(its group).
 */
void takt_node_sender_start(struct takt_node *node, uint32_t index, uint64_t now);

/*
 * Stops the sender of that index; its reader is notified. O(its group), once for several of a group at the same time.
 */
void takt_node_sender_stop(struct takt_node *node, uint32_t index, uint64_t now);

/* Starts the receiver of that index and stops the others of its area. O(its receivers). */
void takt_node_start(struct takt_node *node, uint32_t index, uint64_t now);

/* Stops the receiver of that index. O(1). */
void takt_node_stop(struct takt_node *node, uint32_t index, uint64_t now);

TAKT_C_END

#endif
