/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_TRAFFIC_H
#define TAKT_CAN_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dialect.h"
#include "takt/can_bus.h"
#include "takt/can_errors.h"
#include "takt/can_frame.h"

TAKT_C_BEGIN

/*
 * The traffic of a bus: nodes with queues of messages that are released by time, and what becomes of each frame.
 *
 * Frame by frame: a frame that no fault meets takes one step, with the stuff bits of its content; from a bit with a
 * fault on, until all nodes are idle again, the nodes go bit by bit (takt/can_bus.h). Every event has the time that it
 * has bit by bit all the way, which `bit_by_bit` asks for.
 *
 * Time is counted in ticks, of which the caller says how many a nominal and a data bit have. A frame takes part in an
 * arbitration if it was released by the beginning of the start bit. All nodes have the same bit times.
 *
 * Context of every call: any. Blocks: never. O(1) unless said.
 */

enum { TAKT_CAN_MESSAGES_MAX = 2048, TAKT_CAN_BUFFERS_MAX = 32 };

/* What a message has as data. */
enum takt_can_content {
    TAKT_CAN_SAME = 0,   /* those of `frame`, always */
    TAKT_CAN_RANDOM = 1, /* random ones, from the seed and the number of the instance */
    TAKT_CAN_LISTED = 2  /* those of `instances`, which say the times, too */
};

/* One instance of a message whose instances are listed. */
struct takt_can_instance {
    uint64_t at;   /* its release, in ticks: not before that of the instance before it */
    uint32_t data; /* where in `data` its bytes begin */
    uint8_t dlc;
    bool remote;
};

/* A message: frames with one identifier of one node. */
struct takt_can_message {
    struct takt_can_frame frame; /* valid, and not `passive`; data and length change where instances are listed */
    uint32_t node;
    enum takt_can_content content;
    uint64_t offset; /* in ticks: nominal release of the first instance */
    uint64_t period; /* between nominal releases; 0: there is only one */
    uint64_t jitter; /* at most `period`: a release is up to this later, at random */
    const struct takt_can_instance *instances;
    const uint8_t *data;
    uint64_t instance_count;
    /* What was observed; private but for reading: 0 at first. */
    uint64_t released;
    uint64_t sent;
    uint64_t lost;         /* their sender's FIFO was full, or the sender was dead */
    uint64_t failed;       /* attempts that ended in an error */
    uint64_t response_max; /* ticks from the nominal release to the end of the intermission */
    uint64_t response_sum;
    uint64_t response_at; /* when the longest one ended */
    uint64_t taken;       /* private: the instance that is sent next, and what `frame` has */
    uint64_t content_of;
    uint32_t held; /* private: buffers that it has */
    bool has_content;
};

/* In which order a node offers what it has to send. */
enum takt_can_order {
    TAKT_CAN_BY_PRIORITY = 0, /* always the best, also if it came last */
    TAKT_CAN_FIFO = 1,        /* as they were released */
    TAKT_CAN_BUFFERED = 2     /* the best of those in `buffers` transmit buffers, which keep what they have: of each
                                 message one instance at most. The best of the others goes into one that is free. A
                                 controller that aborts is BY_PRIORITY */
};

/* A frame in a FIFO. */
struct takt_can_entry {
    uint64_t number;
    uint32_t message;
};

/* What a node sends with. All but the first four fields are private and 0 at first. */
struct takt_can_sender {
    enum takt_can_order order;
    uint32_t buffers; /* BUFFERED: 1 .. TAKT_CAN_BUFFERS_MAX */
    uint32_t fifo_size;
    struct takt_can_entry *fifo; /* FIFO: an array of `fifo_size` of the caller */
    uint32_t fifo_first;
    uint32_t fifo_count;
    uint16_t held[TAKT_CAN_BUFFERS_MAX];
    uint32_t held_count;
    uint32_t waiting; /* frames that are in no buffer */
    uint32_t sending; /* the message that is being sent, and 1; 0: none */
    uint64_t start;   /* of its frame */
};

/* Nodes that read the other level in one bit; all of them for a disturbance of the wire. */
struct takt_can_flip {
    uint64_t bit; /* the number of the bit since the start, in nominal and data bits together */
    uint64_t wrong;
};

enum takt_can_record_kind {
    TAKT_CAN_RECORD_SENT = 0,     /* a frame was sent: `message`, its `frame`, from `start` to `end` */
    TAKT_CAN_RECORD_FAILED = 1,   /* a node saw an error, `detail` (enum takt_can_error), in the bit that ends at `end`;
                                     of `message` if it sent one */
    TAKT_CAN_RECORD_OVERLOAD = 2, /* a node begins an overload frame */
    TAKT_CAN_RECORD_STATE = 3     /* the state of a node is `detail` (enum takt_can_state) */
};

enum { TAKT_CAN_RECORDS_LEAST = 4 * TAKT_CAN_BUS_NODES_MAX };
#define TAKT_CAN_NO_MESSAGE UINT32_MAX

struct takt_can_record {
    uint64_t start; /* ticks: the beginning of the start bit; 0 without a frame */
    uint64_t end;   /* the end of the bit of the event: of a frame its last bit */
    uint64_t released;
    uint32_t message; /* TAKT_CAN_NO_MESSAGE: none */
    uint32_t node;
    enum takt_can_record_kind kind;
    uint32_t detail;
    struct takt_can_frame frame; /* of SENT */
};

/* When a message is released next. */
struct takt_can_release {
    uint64_t at;
    uint32_t message;
};

/* The fields up to `bit_by_bit` are the caller's; the others may be read. */
struct takt_can_traffic {
    struct takt_can_bus bus;           /* its nodes initialized; `stuck` at will between calls */
    struct takt_can_sender *senders;   /* one for each node */
    struct takt_can_message *messages; /* in the order of arbitration, no two equal in it */
    uint32_t message_count;            /* 1 .. TAKT_CAN_MESSAGES_MAX */
    struct takt_can_release *releases; /* memory for `message_count` of them */
    uint32_t nominal_ticks;            /* of a bit, each 1 .. 10^9 */
    uint32_t data_ticks;
    uint64_t seed;                     /* of jitter and random data */
    const struct takt_can_flip *flips; /* by bits, each of another bit */
    uint32_t flip_count;
    struct takt_can_record *records; /* NULL: none are kept */
    uint32_t record_capacity;        /* TAKT_CAN_RECORDS_LEAST or more */
    bool bit_by_bit;
    uint32_t flip_next; /* the first one that has not come yet */
    uint32_t record_count;
    uint64_t busy;                                /* ticks with a frame, an error frame or an intermission on the bus */
    uint64_t errors;                              /* bits in which some node saw an error */
    uint32_t offered[TAKT_CAN_MESSAGES_MAX / 32]; /* private: messages that their nodes would send */
    uint32_t words[TAKT_CAN_MESSAGES_MAX / 1024]; /* private: words of `offered` that are not 0 */
    bool stale;                                   /* private: what the nodes offer has changed */
    bool counting;                                /* private: some error counter is not 0 */
};

/* Starts at time 0, at which all nodes are in the state that they are in. O(messages). */
void takt_can_traffic_start(struct takt_can_traffic *traffic);

/*
 * Goes on to the first bit that begins at `until` or later. False: the records are full before that; it goes on from
 * there when `record_count` was set to 0. O(time), bit by bit where nodes are not idle, their error counters are high,
 * or less than two nodes are there.
 */
bool takt_can_traffic_run(struct takt_can_traffic *traffic, uint64_t until);

/* Takes nodes off the bus, a set, between calls of run: what they had queued is lost, and what is released from then
 * on. O(messages). */
void takt_can_traffic_kill(struct takt_can_traffic *traffic, uint64_t nodes);

/* Starts nodes that were dead. */
void takt_can_traffic_revive(struct takt_can_traffic *traffic, uint64_t nodes);

/* The time, in ticks. */
uint64_t takt_can_traffic_now(const struct takt_can_traffic *traffic);

TAKT_C_END

#endif
