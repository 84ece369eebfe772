/* SPDX-License-Identifier: Apache-2.0 */
/* Admission of channels of reflective memory: does every value reach its reader within its deadline, and when is each
 * push promoted? What is counted, and why it is sound: docs/decisions/0021-admission.md.
 *
 * Pure integer functions over arrays that the caller owns: no allocation, recursion, floating point or global state.
 * Context of every call: any. Blocks: never.
 *
 * What the verdicts assume of the nodes, whatever carries them:
 * - a link sends the blocks of its node alone, one after the other, each of the push that comes first of those that
 *   wait: promoted synchronous, promoted asynchronous, without a deadline, not yet promoted, and by `level` in each;
 * - a push is promoted `promotion_ns` after its nominal time; nominal times are never nearer than the period, and a
 *   push is released no more than `jitter_ns` before its own, or it is held back (seed 002, 6.4: rate controlled); of
 *   one without a deadline the begin is what is released, and comes after the end of the one before (takt/push.h);
 * - a port, and the server behind it, take blocks in the order in which they come;
 * - of a group one channel is started at a time, and it is started `pause_ns` after the one before had stopped; of a
 *   group of one writer's the writer's node sees to that.
 *
 * Sources: seed 002, 6.1 to 6.4 with equations 1 to 3; Davis and Wellings, RTSS 1995 (dual priority); Tindell and Clark
 * 1994 (release jitter is the response of the stage before); Lehoczky 1990, in takt_analysis_responses.
 */
#ifndef TAKT_ADMIT_H
#define TAKT_ADMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "takt/analysis.h"
#include "takt/pace.h"
#include "takt/wire.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Longest time accepted in any field: about 36 years. */
#define TAKT_ADMIT_TIME_MAX_NS (UINT64_C(1) << 60)

enum {
    TAKT_ADMIT_CHANNELS_MAX = 4096,
    TAKT_ADMIT_BLOCK_MAX = 65507 - TAKT_WIRE_HEAD - TAKT_WIRE_TAG,
    TAKT_ADMIT_CONTROL = 2, /* a subscription and the one that names a session, or the answers to them */
    TAKT_ADMIT_SHARES = 256 /* into so many parts the time that is left to pushes is divided */
};

/** What became of the set; every function returns one. */
enum takt_admit_status {
    TAKT_ADMIT_OK = 0,    /**< every channel with a deadline keeps it */
    TAKT_ADMIT_REFUSED,   /**< at least one is not proved to; its result says which inequality fails */
    TAKT_ADMIT_UNDECIDED, /**< of those that are not proved each ran out of `iterations`, or of 63 bits */
    TAKT_ADMIT_INVALID,   /**< the input breaks a rule written at its field; nothing was written */
};

enum takt_admit_push {
    TAKT_ADMIT_SYNCHRONOUS = 0, /**< each write is pushed */
    TAKT_ADMIT_ASYNCHRONOUS,    /**< what stands there is pushed once a period */
};

enum takt_admit_read {
    TAKT_ADMIT_BLOCKING = 0, /**< the reader is woken by a value */
    TAKT_ADMIT_POLLING,      /**< it looks when it likes */
};

/** Where the deadline begins and ends. */
enum takt_admit_ends {
    TAKT_ADMIT_APPLICATIONS = 0, /**< seed's A-to-A: from the begin of a write to the end of its read */
    TAKT_ADMIT_MEMORIES,         /**< seed's M-to-M: from the release of a push; the end of a read counts too */
};

/** Order of service, the highest first (seed 002, 6.3). */
enum takt_admit_band {
    TAKT_ADMIT_HIGHEST = 0, /**< synchronous, promoted */
    TAKT_ADMIT_HIGH,        /**< asynchronous, promoted */
    TAKT_ADMIT_MID,         /**< without a deadline */
    TAKT_ADMIT_LOW,         /**< with a deadline, not yet promoted; no result has it */
};

enum takt_admit_stage {
    TAKT_ADMIT_WRITE = 0,
    TAKT_ADMIT_PUSH,
    TAKT_ADMIT_NETWORK,
    TAKT_ADMIT_RECEIVE,
    TAKT_ADMIT_READ,
};

/** What a channel was held against. The first that fails is told. */
enum takt_admit_inequality {
    TAKT_ADMIT_FITS = 0, /**< none fails */
    TAKT_ADMIT_LOAD,     /**< work of this stage in a second <= a second: for a push its own and that of levels above */
    TAKT_ADMIT_OVERLAP,  /**< response of the push <= period: a push ends before the next one is released */
    TAKT_ADMIT_DEADLINE, /**< write, push, network, receive, read <= deadline */
    TAKT_ADMIT_UNKNOWN,  /**< `iterations` or 63 bits ran out; both sides are 0 */
};

/** A machine: its link, which is of one rate both ways, and what its server takes (`takt reflect profile`). Times at
 *  most TAKT_ADMIT_TIME_MAX_NS. */
struct takt_admit_node {
    struct takt_pace_link link;  /**< burst_ns >= wake_ns; all nodes have one mtu and one version of IP */
    uint32_t block_size;         /**< bytes of a value that one packet has, 1 .. TAKT_ADMIT_BLOCK_MAX */
    uint64_t propagation_ns;     /**< from the end of a block on this link to the port behind it */
    uint64_t send_ns;            /**< processor: of a block */
    uint64_t send_message_ns;    /**< once a message, before its first block */
    uint64_t receive_ns;         /**< processor: of a block that has come */
    uint64_t receive_message_ns; /**< once a message, after its last block, until a reader can take it */
    uint64_t wake_ns;            /**< longest from a thread of the server being ready until it runs */
};

/** A channel. Times in ns, at most TAKT_ADMIT_TIME_MAX_NS. */
struct takt_admit_channel {
    uint16_t writer, reader; /**< nodes, two of them */
    uint16_t group;          /**< channels of one number, not 0, into one node: at most one is active */
    uint16_t writer_group;   /**< channels of one number, not 0, from one node: at most one is active */
    uint16_t push;           /**< enum takt_admit_push */
    uint16_t read;           /**< enum takt_admit_read */
    uint16_t ends;           /**< enum takt_admit_ends; applications: synchronous and blocking only */
    uint32_t size;           /**< bytes of a value, 1 .. 2^26 */
    uint64_t period_ns;      /**< least distance of writes (synchronous), distance of pushes; > 0 */
    uint64_t deadline_ns;    /**< 0: none is guaranteed */
    uint64_t write_ns;       /**< applications: longest from the begin of a write to its end; memories: not read */
    uint64_t read_ns;        /**< longest from a value in the reader's memory to the end of its read */
};

/** The work space of a channel; contents private. */
struct takt_admit_work {
    uint64_t push_ns;    /* of the link by one push */
    uint64_t piece_ns;   /* the longest part of it that nothing interrupts */
    uint64_t receive_ns; /* of port and server by one message */
    uint64_t excess_ns;  /* as far as that is more than the wire of the link */
    uint64_t packet_ns;  /* of that wire, by its largest block */
    uint64_t tail_ns;    /* of a block in the server after the port */
    uint64_t network_ns; /* from the end of its time on the link to the port behind */
    uint64_t late_ns;    /* the longest from the writer's instant until it stands at that port */
    uint64_t most_ns;    /* the greatest deadline of the push that could do */
    size_t task;         /* of its push, among those of its link */
    size_t order;        /* of the node that is looked at: its channel of the level that this one's place is */
    size_t by_writer;    /* the channel of this place, if they stand by their writers */
};

/** What comes into a node: the work space of a channel; contents private. */
struct takt_admit_stream {
    uint64_t period_ns, late_ns; /* instants are a period apart, and it comes so late after each at most */
    uint64_t work_ns, excess_ns; /* of port and server by one message; as far as it is more than the wire of its link */
    uint64_t ahead_ns;           /* so much of that wire may come in no time */
    size_t writer;               /* whose link brings it; SIZE_MAX: no one link */
};

/** All channels, and how hard to try. */
struct takt_admit_set {
    const struct takt_admit_node *nodes;
    size_t node_count; /**< at most 65535 */
    const struct takt_admit_channel *channels;
    size_t channel_count;   /**< at most TAKT_ADMIT_CHANNELS_MAX */
    uint32_t iterations;    /**< bound of each fixed point, in sums over all channels, and of each walk of a receive
                                 stage, in messages: up to 64 such sums for each */
    uint64_t control_ns;    /**< each end of a channel sends at most TAKT_ADMIT_CONTROL packets without a value in this
                                 time, before all others; 0: none ever does */
    uint32_t jitter_shares; /**< of TAKT_ADMIT_SHARES of its period a push is given as jitter at most */
};

/** Work space: channel_count entries of each, of `tasks` and `streams` one more. */
struct takt_admit_space {
    struct takt_admit_work *works;
    struct takt_analysis_task *tasks;
    uint64_t *responses_ns;
    enum takt_analysis_status *statuses;
    struct takt_admit_stream *streams;
};

/** What is known of a channel. With an inequality that fails the times are those up to it, the rest 0. */
struct takt_admit_result {
    enum takt_admit_inequality inequality; /**< TAKT_ADMIT_FITS: admitted */
    enum takt_admit_stage stage;           /**< where it fails; for a deadline: where its time has run out */
    uint64_t left_ns, right_ns;            /**< its sides */
    enum takt_admit_band band;             /**< once promoted */
    uint32_t level;        /**< place among all channels of the writer's node, the first is 0: band, then deadline; a
                                writer's group has that of its first in each band */
    uint64_t response_ns;  /**< equation 2: bound of write and push, if promoted at its release */
    uint64_t promotion_ns; /**< equation 1: from a push's nominal time to its promotion: push_ns - response_ns */
    uint64_t jitter_ns;    /**< so long before its nominal time a push may be released; at most the period; asynchronous
                                ones with a deadline: 0 */
    uint64_t push_ns;      /**< the push's own deadline: with its write, from the writer's instant */
    uint64_t network_ns;   /**< bound of the network, after it */
    uint64_t receive_ns;   /**< bound of port and server, after that */
    uint64_t bound_ns;     /**< all: push, network, receive, read; <= deadline_ns if admitted */
    uint64_t pause_ns;     /**< of a group: from one of it stopped to another started; else 0 */
};

/** Judge a set, and give each push as much time as still fits.
 *
 * First each push is taken as promoted at its release, and without jitter: nothing else admits more. If every channel
 * keeps its deadline, the pushes into each node get the same share of their periods as jitter, in TAKT_ADMIT_SHARES
 * parts, the greatest with which they still do; and then in the same way a share of the time that is left, which is
 * theirs who have no deadline.
 * Bound: for each node one takt_analysis_responses, 2 + 2 * log2 TAKT_ADMIT_SHARES walks and channel_count^2 steps.
 * Context: any. Blocks: never. Results: channel_count entries, written but if INVALID.
 */
enum takt_admit_status takt_admit(const struct takt_admit_set *set, const struct takt_admit_space *space,
                                  struct takt_admit_result *results);

/** Judge a set as seed 002 prints it (6.1): the jitter of a stage is the execution time of those before it.
 *
 * Not sound: a push may end as late as its response, with dual priority as late as its own deadline. Here to be shown
 * wrong, and for comparisons. Context: any. Blocks: never. Bound and results: as takt_admit.
 */
enum takt_admit_status takt_admit_printed(const struct takt_admit_set *set, const struct takt_admit_space *space,
                                          struct takt_admit_result *results);

#ifdef __cplusplus
}
#endif

#endif
