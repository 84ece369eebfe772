/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_NODE_H
#define TAKT_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "takt/area.h"
#include "takt/assemble.h"
#include "takt/pace.h"
#include "takt/push.h"
#include "takt/seal.h"
#include "takt/window.h"
#include "takt/wire.h"

/*
 * All channels of a machine (seed 002, 7.1: the agents of its server), without threads, sockets and clocks: packets go
 * in and come out, and each call is told what time it is. A channel has one writer, an area on one node, and one
 * reader, an area on another. Its sender (the seed's DPA) is on the writer's node, its receiver (DRA) on the reader's.
 *
 * A receiver subscribes, and again each TAKT_NODE_RENEW_NS, or nothing is sent after TAKT_NODE_LEASE_NS. Both sides
 * have a session, another one at each start. Whoever subscribes has to name a session that the sender offers once only,
 * so that nothing that was recorded starts or stops anything, and data is sealed with a key of the two. Offers are
 * rare, and the newest subscription gets the next one: a recorded one takes it from nobody. A subscription says what
 * its reader has: of a value that was lost on its way the newest one is pushed again.
 *
 * Selective channels: receivers with one and the same `area`, of which one at most is active. The next one begins when
 * the one before was stopped, by its sender's word or because its lease is over, and its pause has gone by. And senders
 * of one `group`, of which one at most is sent: their node chooses. What is sent was started at both its ends.
 *
 * One caller at a time. Context: any. Blocks: never. Times are absolute, in ns, of one clock that never goes back.
 */

#define TAKT_NODE_RETRY_NS UINT64_C(50000000)  /* the first time without an answer, then twice as long each time */
#define TAKT_NODE_RENEW_NS UINT64_C(500000000) /* and at most; a way there and back has to be shorter */
#define TAKT_NODE_LEASE_NS UINT64_C(2000000000)

enum { TAKT_NODE_ADDRESS = 28, TAKT_NODE_TRIES = 8 };

/* Where a node is: whatever who sends and receives makes of it. */
struct takt_node_address {
    uint8_t bytes[TAKT_NODE_ADDRESS];
    uint32_t length;
};

/* The keys of a channel's two directions; a channel without is open to whoever can send. */
struct takt_node_keys {
    struct takt_seal_key to_reader;
    struct takt_seal_key to_writer;
};

enum takt_node_phase {
    TAKT_NODE_IDLE = 0, /* nothing is sent */
    TAKT_NODE_STARTING, /* subscribed, no answer yet */
    TAKT_NODE_ACTIVE,
    TAKT_NODE_STOPPING, /* no answer yet */
    TAKT_NODE_REFUSED   /* by the sender, `refusal` says why; it is asked again, TAKT_NODE_RENEW_NS later */
};

/* The sending end of a channel. */
struct takt_node_sender {
    uint32_t channel; /* the caller sets it, and what stands before `is` */
    enum takt_push_kind kind;
    bool every;                        /* every value in its order, not the newest one */
    uint64_t period_ns;                /* at least, of pushes; at least 1 */
    uint64_t jitter_ns;                /* so long before its nominal time a push may be released (takt/push.h) */
    uint64_t delay_ns;                 /* a write that keeps the period may be told of so late (takt/push.h) */
    uint64_t promotion_ns;             /* relative: this long after its nominal time it is promoted */
    uint32_t group;                    /* senders of one number, not 0: one at most is started */
    uint64_t pause_ns;                 /* from one of its group stopped until another one begins: the longest of it */
    uint32_t level;                    /* within a band: the least first, then the least channel */
    const struct takt_node_keys *keys; /* or NULL */
    struct takt_area_reader area;    /* of the writer, attached; or memory NULL, and shape.size, before there is one */
    uint8_t *value;                  /* room for one: area.shape.size bytes */
    struct takt_wire_packet refusal; /* `answer` of it: verdict REFUSED and why, or ACCEPTED */
    uint32_t peer, place;            /* private: the next one of its group, round; of takt_node_join */

    struct {                               /* private */
        uint64_t session, offered, reader; /* ours; ours for who comes next; the receiver's, 0: nobody's */
        uint64_t heard;                    /* sequence of the last subscription of this session */
        uint64_t freshest;                 /* the greatest of all subscriptions */
        uint64_t sequence;                 /* of our packets, of whatever session */
        uint64_t number;                   /* of the value that was taken last, in this session */
        uintptr_t taken;                   /* the same in the area */
        uint64_t lease_ns;
        struct takt_seal_key key;
        struct takt_node_address address;
        struct takt_push push;
        bool stopped;       /* by its own node */
        bool asked;         /* its reader wants it, until lease_ns */
        uint64_t period_ns; /* then */
        uint64_t free_ns;   /* it does not begin before */
        bool wanted;        /* asked for, not stopped, and begun */
        bool repeat;        /* the value that was taken last counts as a new one */
        struct takt_area_value read;
        uint32_t offset;
        struct takt_wire_packet answer; /* session 0: none is to be sent */
        struct takt_node_address answer_address;
        uint64_t asked_ns;             /* when it was asked */
        struct takt_wire_packet offer; /* the answer to somebody of another session; session 0: none is to be sent */
        struct takt_node_address offer_address;
        uint64_t offer_ns;  /* when it is to be sent */
        uint64_t answer_ns; /* from when on the next one may be */
    } is;
};

/* The receiving end of a channel. */
struct takt_node_receiver {
    uint32_t channel;                  /* the caller sets it, and what stands before `is` */
    uint32_t source;                   /* what readers of `area` find in the stamp */
    uint64_t period_ns, deadline_ns;   /* asked for; 0, or shorter than declared at the writer's: as there */
    uint64_t pause_ns;                 /* this long after its stop no other one of its area starts */
    const struct takt_node_keys *keys; /* or NULL */
    struct takt_node_address writer;   /* its node */
    struct takt_area *area;            /* of this node, written by nobody else but other receivers of this node */
    struct takt_assemble assemble;     /* bytes, came and size; size is that of the area's values */
    uint32_t peer, place;              /* private: the next one of its area, round; of takt_node_join */

    struct { /* private, but for phase and refusal */
        enum takt_node_phase phase;
        struct takt_wire_packet refusal; /* REFUSED: the answer */
        bool wanted;
        uint64_t session, writer; /* ours; the sender's, 0: not known */
        uint64_t sequence;
        uint64_t have;             /* number of the last whole value of this session */
        uint64_t due_ns, retry_ns; /* of the next subscription; until that after it */
        uint64_t lease_ns;         /* when the sender has surely stopped */
        uint64_t heard_ns;         /* when it accepted last */
        uint64_t free_ns;          /* when pauses of others of the area are over */
        struct takt_window window;
        struct takt_seal_key key;
    } is;
};

/*
 * What came and went, and why something did not. Each packet that is received is in exactly one from blocks_received
 * up to unfit.
 */
struct takt_node_counters {
    uint64_t blocks_sent, values_sent;
    uint64_t values_received;
    uint64_t overtaken; /* the writer was faster than the copy of its value: nothing was sent */
    uint64_t blocks_received;
    uint64_t subscriptions, answers; /* that were heeded */
    uint64_t malformed;              /* no packet of ours */
    uint64_t unknown;                /* of no channel that is here */
    uint64_t forged;                 /* the tag is wrong */
    uint64_t replayed;               /* it came before, or is of another session, or says what is known */
    uint64_t unanswered;             /* a subscription to another session, again too soon */
    uint64_t inactive;               /* of a channel that was stopped, or has not begun */
    uint64_t old;                    /* of a value before the one that comes */
    uint64_t twice;                  /* a block that came, in a packet that did not */
    uint64_t unfit;                  /* not such a block, or not such an answer */
};

struct takt_node {
    struct takt_node_sender *senders; /* the caller sets these: ascending in `channel`, each channel once */
    uint32_t sender_count;
    struct takt_node_receiver *receivers; /* the same */
    uint32_t receiver_count;
    uint32_t block; /* bytes of a value in a packet, TAKT_ASSEMBLE_BLOCK_MIN .. TAKT_WIRE_PAYLOAD_MAX */
    struct takt_pace pace;
    struct takt_node_counters counters;
    uint64_t
        started; /* the caller sets it: greater at each start of this machine's node, such as the time of day in ns */
    uint64_t session;  /* private: of the next start */
    uint64_t asked;    /* private: subscriptions, from `started` on */
    uint64_t since_ns; /* private: from when on a block is there to be sent */
};

/* Bytes that takt_node_send may need. */
#define TAKT_NODE_ROOM(block) (TAKT_WIRE_HEAD + (size_t)(block) + TAKT_WIRE_TAG)

/*
 * Begins a node, of which the caller set what is his. `random`: 64 bits that were never used before by this machine,
 * and nobody can guess. Nobody is subscribed to anything. Joins it. O(channels * log channels).
 */
void takt_node_init(struct takt_node *node, const struct takt_pace_link *link, uint64_t random);

#define TAKT_NODE_NOBODY UINT32_MAX

/*
 * Finds which senders share a group, and which receivers an area. Nothing else of a node changes, so that of one that
 * goes on it is done before, outside of any lock. O(channels * log channels).
 */
void takt_node_join(struct takt_node *node);

/*
 * `node`, which is joined, goes on where `before` was, with other senders and receivers. The caller copied `is` of
 * those that stay; of others it is all zero. A sender that is refused now stops. O(senders).
 */
void takt_node_go_on(struct takt_node *node, const struct takt_node *before, const struct takt_pace_link *link);

/*
 * A packet came; it may be anything. Returns the index of the receiver whose area has a new value with it, or
 * TAKT_NODE_NOBODY. O(log channels + length), and O(size) for a new value.
 */
uint32_t takt_node_receive(struct takt_node *node, const uint8_t *bytes, size_t length,
                           const struct takt_node_address *from, uint64_t now);

/* The area of a sender of kind SYNC or BULK was written. `index`: of the sender. O(1). */
void takt_node_written(struct takt_node *node, uint32_t index, uint64_t now);

/*
 * A sender goes on with another area of the same size, as its reader has it: a writer, or another one, has begun. What
 * is being sent is sent to its end. `index`: of the sender. O(1).
 */
void takt_node_attach(struct takt_node *node, uint32_t index, const struct takt_area_reader *area, uint64_t now);

/*
 * The next packet that is to be sent now: its bytes to `bytes`, TAKT_NODE_ROOM(block) of them at most, and where to.
 * Returns its length; 0: there is none before takt_node_until. O(senders + receivers + block), and O(size) for a value
 * that begins, and for each of TAKT_NODE_TRIES that were overtaken.
 */
size_t takt_node_send(struct takt_node *node, uint8_t *bytes, struct takt_node_address *to, uint64_t now);

/* When takt_node_send may have the next packet, if nothing comes or is written until then; UINT64_MAX: never.
 * O(senders + receivers). */
uint64_t takt_node_until(const struct takt_node *node);

/* The band of what takt_node_send has next, once the link is free; LOW if there is nothing. O(senders + receivers). */
enum takt_push_band takt_node_band(const struct takt_node *node, uint64_t now);

/*
 * When that band may become another one without a packet, a write or a block between: the next promotion of a push that
 * is released; UINT64_MAX: there is none. O(senders).
 */
uint64_t takt_node_promotion(const struct takt_node *node, uint64_t now);

/*
 * The sender of that index may be sent, and no other one of its group; a reader that asks for it is told. As it is from
 * the beginning, but for groups. O(its group).
 */
void takt_node_sender_start(struct takt_node *node, uint32_t index, uint64_t now);

/* The sender of that index is not sent any more; its reader is told. O(its group), of several of it at a time once. */
void takt_node_sender_stop(struct takt_node *node, uint32_t index, uint64_t now);

/* The receiver of that index shall be active, and no other one of its area. O(receivers of that). */
void takt_node_start(struct takt_node *node, uint32_t index, uint64_t now);

/* The receiver of that index shall not be active any more. O(1). */
void takt_node_stop(struct takt_node *node, uint32_t index, uint64_t now);

#endif
