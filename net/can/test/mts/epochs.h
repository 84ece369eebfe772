/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_MTS_EPOCHS_H
#define TAKT_CAN_MTS_EPOCHS_H

/*
 * Nodes with the mixed traffic scheduler on a bus, frame by frame, for many epochs: the real takt/can_mts.h above the
 * real takt/can_queue.h, each with a clock of its own, and a bus that arbitrates, fails frames, and has them come twice
 * or not at all. Times are in ns of one clock that no node can read.
 */
#include "base/arith.h"
#include "base/test/check.h"
#include "takt/can_mts.h"
#include "takt/can_queue.h"

enum {
    NODES = 4,
    MAILBOXES = 3,
    STREAMS = 24,     /* of all nodes; the first HIGHS have deadlines in their identifiers */
    HIGHS = 16,       /* `unique` is the index: by deadline */
    BEST_EFFORT = 23, /* this one has no deadline */
    TICK = STREAMS,   /* streams of the protocol's own frames */
    FILLER,
    QUEUED,
    NOWHERE = UINT32_MAX
};
#define NEVER UINT64_MAX

/* A message. Low-speed ones have numbers from 32 on. */
struct stream {
    uint32_t node;
    uint64_t period;
    uint64_t deadline;
    uint8_t bytes;
};

struct controller {
    struct takt_can_controller controller; /* the first member */
    struct takt_can_frame frames[MAILBOXES];
    uint32_t loaded, sent, aborted, interrupts; /* sets of mailboxes */
    uint32_t on_bus;                            /* a mailbox, or MAILBOXES */
    bool aborting;                              /* that one */
};

struct node {
    struct takt_can_mts mts;
    struct takt_can_queue queue;
    struct controller controller;
    struct takt_can_stream_state states[QUEUED];
    struct takt_can_slot slots[QUEUED];
    struct takt_can_mts_message messages[HIGHS];
    uint64_t released[STREAMS]; /* of what is pending */
    uint64_t next[STREAMS];     /* releases */
    bool pending[STREAMS];
    bool alive;
    int64_t ppm; /* its clock is this much faster */
    uint64_t base;
    uint64_t end_at; /* when it handles the end of `frame`, with this time stamp */
    uint64_t end_stamp;
    struct takt_can_frame frame;
    uint64_t due; /* local: what takt_can_mts_due said; and when it acts on that */
    uint64_t timer_at;
    uint64_t write_at; /* when new identifiers are in the controller */
    uint32_t version;
    uint64_t in_since; /* in an epoch; NEVER: it is not */
    struct takt_can_mts_offers offered;
};

/* What becomes of the frame on the bus. */
enum fate { SENT, FAILED, TWICE };

struct world {
    struct takt_can_mts_bus bus;
    struct takt_can_mts_needs needs;
    const struct stream *streams;
    struct node nodes[NODES];
    uint64_t random;
    uint64_t now;
    uint64_t arbitrate_at, end_at, free_at;
    uint32_t sender; /* of the frame on the bus, or NOWHERE */
    enum fate fate;
    uint32_t heard;           /* TWICE: nodes that have it the first time, a set */
    uint32_t faults_per_2_16; /* of frames */
    uint64_t disturbed;       /* time of the last error on the bus */
    uint64_t frames, ticks, takeovers, fillers, errors, twice, checked, excused, shared; /* counts */
    uint64_t longest;   /* response, in thousandths of its deadline */
    uint64_t apart_max; /* most by which two nodes differed about the start of an epoch */
};

extern struct world world;

uint64_t up_to(uint64_t limit); /* at random, inclusive */
uint64_t local(const struct node *node, uint64_t time);

/* The bus. */
void controller_start(struct controller *controller);
void bus_offered(void);       /* something was loaded: there may be an arbitration */
void bus_arbitrate(void);     /* at arbitrate_at */
void bus_end(void);           /* at end_at */
void bus_lose(uint32_t node); /* a node dies */

/* Nodes. */
void node_start(uint32_t index);
void node_frame(uint32_t index, const struct takt_can_frame *frame, uint64_t end);
void node_sent(uint32_t index, const struct takt_can_frame *frame, uint64_t end);
uint64_t node_next(const struct node *node);
void node_act(uint32_t index); /* at node_next */

#endif
