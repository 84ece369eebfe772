/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Admission of channels of reflective memory: whether every value reaches its reader within its deadline, and the
 * promotion time of each push. Model and proof: docs/decisions/0021-admission.md.
 *
 * Pure integer functions over arrays that the caller owns: no allocation, recursion, floating point or global state.
 * Context of every call: any. Blocks: never.
 *
 * What the verdicts assume of the nodes, for any transport:
 * - a link sends only the blocks of its node, one after another, each of the first waiting push in this order: promoted
 *   synchronous, promoted asynchronous, without a deadline, not yet promoted, and by `level` within each;
 * - a push is promoted `promotion_ns` after its nominal time; nominal times are at least a period apart, and a push is
 *   held back until `jitter_ns` before its own (seed 002, 6.4: rate controlled); a push without a deadline is released
 *   when it begins, after the end of the previous one (takt/push.h);
 * - a port, and the server behind it, process blocks FIFO;
 * - at most one channel of a group is started at a time, `pause_ns` after the previous one stopped; for a group of one
 *   writer the writer's node ensures it.
 *
 * Sources: seed 002, 6.1 to 6.4 with equations 1 to 3; Davis and Wellings, RTSS 1995 (dual priority); Tindell and Clark
 * 1994 (release jitter is the response of the previous stage); Lehoczky 1990, in takt_analysis_responses.
 */
#ifndef TAKT_ADMIT_H
#define TAKT_ADMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dialect.h"
#include "takt/analysis.h"
#include "takt/pace.h"
#include "takt/wire.h"

TAKT_C_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/** Longest time accepted in any field: about 36 years. */
#define TAKT_ADMIT_TIME_MAX_NS (UINT64_C(1) << 60)

enum {
    TAKT_ADMIT_CHANNELS_MAX = 4096,
    TAKT_ADMIT_BLOCK_MAX = 65507 - TAKT_WIRE_HEAD - TAKT_WIRE_TAG,
    TAKT_ADMIT_CONTROL = 2, /* a subscription and the one that names a session, or their answers */
    TAKT_ADMIT_SHARES = 256 /* parts into which the remaining time of pushes is divided */
};

/** Result for the set. */
enum takt_admit_status {
    TAKT_ADMIT_OK = 0,    /**< every channel with a deadline meets it */
    TAKT_ADMIT_REFUSED,   /**< at least one is not proved to; its result names the inequality that fails */
    TAKT_ADMIT_UNDECIDED, /**< each channel that is not proved exceeded `iterations` or 63 bits */
    TAKT_ADMIT_INVALID,   /**< the input violates the rule documented at a field; nothing was written */
};

enum takt_admit_push {
    TAKT_ADMIT_SYNCHRONOUS = 0, /**< each write is pushed */
    TAKT_ADMIT_ASYNCHRONOUS,    /**< the current value is pushed once per period */
};

enum takt_admit_read {
    TAKT_ADMIT_BLOCKING = 0, /**< the reader is woken by a value */
    TAKT_ADMIT_POLLING,      /**< the reader reads at any time */
};

/** Begin and end of the deadline. */
enum takt_admit_ends {
    TAKT_ADMIT_APPLICATIONS = 0, /**< A-to-A of the seed: from the begin of a write to the end of its read */
    TAKT_ADMIT_MEMORIES,         /**< M-to-M of the seed: from the release of a push to the end of its read */
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

/** The inequalities of a channel. The first that fails is reported. */
enum takt_admit_inequality {
    TAKT_ADMIT_FITS = 0, /**< none fails */
    TAKT_ADMIT_LOAD,     /**< utilization of this stage <= 1: for a push with that of the levels above */
    TAKT_ADMIT_OVERLAP,  /**< response of the push <= period: a push ends before the next one is released */
    TAKT_ADMIT_DEADLINE, /**< write, push, network, receive, read <= deadline */
    TAKT_ADMIT_UNKNOWN,  /**< `iterations` or 63 bits were exceeded; both sides are 0 */
};

/** A machine: its link, with one rate in both directions, and the times of its server (`takt reflect profile`). Times
 * at most TAKT_ADMIT_TIME_MAX_NS.
 */
struct takt_admit_node {
    struct takt_pace_link link;  /**< burst_ns >= wake_ns; all nodes have one mtu and one version of IP */
    uint32_t block_size;         /**< bytes of a value per packet, 1 .. TAKT_ADMIT_BLOCK_MAX */
    uint64_t propagation_ns;     /**< from the end of a block on this link to the port behind it */
    uint64_t send_ns;            /**< processor time per block */
    uint64_t send_message_ns;    /**< once per message, before its first block */
    uint64_t receive_ns;         /**< processor time per received block */
    uint64_t receive_message_ns; /**< once per message, after its last block, until a reader can take it */
    uint64_t wake_ns;            /**< longest time from a server thread being ready until it runs */
};

/** A channel. Times in ns, at most TAKT_ADMIT_TIME_MAX_NS. */
struct takt_admit_channel {
    uint16_t writer, reader; /**< two different nodes */
    uint16_t group;          /**< not 0: of the channels with this number into one node at most one is active */
    uint16_t writer_group;   /**< not 0: of the channels with this number from one node at most one is active */
    uint16_t push;           /**< enum takt_admit_push */
    uint16_t read;           /**< enum takt_admit_read */
    uint16_t ends;           /**< enum takt_admit_ends; applications: synchronous and blocking only */
    uint32_t size;           /**< bytes of a value, 1 .. 2^26 */
    uint64_t period_ns;      /**< minimum distance of writes (synchronous), or distance of pushes; > 0 */
    uint64_t deadline_ns;    /**< 0: none */
    uint64_t write_ns;       /**< applications: longest duration of a write; memories: not read */
    uint64_t read_ns;        /**< longest time from the value being in the reader's memory to the end of its read */
};

/** Work space of a channel. Private. */
struct takt_admit_work {
    uint64_t push_ns;    /* of the link, per push */
    uint64_t piece_ns;   /* its longest non-preemptible part */
    uint64_t receive_ns; /* of port and server by one message */
    uint64_t excess_ns;  /* its excess over the time on the wire of the link */
    uint64_t packet_ns;  /* of that wire, for its largest block */
    uint64_t tail_ns;    /* per block, in the server after the port */
    uint64_t network_ns; /* from the end of its time on the link to the port */
    uint64_t late_ns;    /* longest time from the writer's time until it is at that port */
    uint64_t most_ns;    /* largest deadline of the push that could suffice */
    size_t task;         /* index of its push in the tasks of its link */
    size_t order;        /* of the current node: the channel whose level is this index */
    size_t by_writer;    /* the channel at this index in the order of writers */
};

/** Arrivals at a node: work space of a channel. Private. */
struct takt_admit_stream {
    uint64_t period_ns, late_ns; /* a message arrives at most late_ns after each multiple of the period */
    uint64_t work_ns, excess_ns; /* of port and server, per message; its excess over the wire of its link */
    uint64_t ahead_ns;           /* time on that wire of the messages that may arrive at once */
    size_t writer;               /* node of the link; SIZE_MAX: no single link */
};

/** All channels, and the limits of the search. */
struct takt_admit_set {
    const struct takt_admit_node *nodes;
    size_t node_count; /**< at most 65535 */
    const struct takt_admit_channel *channels;
    size_t channel_count; /**< at most TAKT_ADMIT_CHANNELS_MAX */
    uint32_t iterations; /**< bound of each fixed point, in sums over all channels, and of each walk of a receive stage,
                            in messages, of up to 64 such sums each */
    uint64_t control_ns; /**< each end of a channel sends at most TAKT_ADMIT_CONTROL packets without a value in this
                            time, before all others; 0: none */
    uint32_t jitter_shares; /**< largest jitter of a push, in TAKT_ADMIT_SHARES of its period */
};

/** Work space: channel_count entries each; one more of `tasks` and `streams`. */
struct takt_admit_space {
    struct takt_admit_work *works;
    struct takt_analysis_task *tasks;
    uint64_t *responses_ns;
    enum takt_analysis_status *statuses;
    struct takt_admit_stream *streams;
};

/** Result for a channel. If an inequality fails, the times up to it are set, the others 0. */
struct takt_admit_result {
    enum takt_admit_inequality inequality; /**< TAKT_ADMIT_FITS: admitted */
    enum takt_admit_stage stage;           /**< where it fails; for a deadline: where it is exceeded */
    uint64_t left_ns, right_ns;            /**< its sides */
    enum takt_admit_band band;             /**< after promotion */
    uint32_t level; /**< order among all channels of the writer's node, from 0: by band, then by deadline; a writer's
                       group has that of its first channel in each band */
    uint64_t response_ns;  /**< equation 2: bound of write and push, if promoted at its release */
    uint64_t promotion_ns; /**< equation 1: from a push's nominal time to its promotion: push_ns - response_ns */
    uint64_t jitter_ns;  /**< longest time of a release before its nominal time; at most the period; 0 for asynchronous
                            pushes with a deadline */
    uint64_t push_ns;    /**< deadline of the push, with its write, from the writer's time */
    uint64_t network_ns; /**< bound of the network, after the push */
    uint64_t receive_ns; /**< bound of port and server, after that */
    uint64_t bound_ns;   /**< sum: push, network, receive, read; <= deadline_ns if admitted */
    uint64_t pause_ns;   /**< of a group: from the stop of one channel to the start of the next; otherwise 0 */
};

/** Judge a set, and give each push the longest time that still fits.
 *
 * First each push is assumed to be promoted at its release and without jitter, which admits the most. If every channel
 * meets its deadline, the pushes into each node get the same share of their periods as jitter, the largest in
 * TAKT_ADMIT_SHARES parts with which the deadlines are still met; and then in the same way a share of the remaining
 * time, which benefits pushes without a deadline.
 * Bound: for each node one takt_analysis_responses, 2 + 2 * log2 TAKT_ADMIT_SHARES walks and channel_count^2 steps.
 * Context: any. Blocks: never. Results: channel_count entries, written unless INVALID.
 */
enum takt_admit_status takt_admit(const struct takt_admit_set *set, const struct takt_admit_space *space,
                                  struct takt_admit_result *results);

/** Judge a set by the formulas as printed in seed 002, 6.1: the jitter of a stage is the execution time of the stages
 * before it.
 *
 * Not sound: a push may end as late as its response, and with dual priority as late as its own deadline. For
 * counterexamples and comparisons. Context: any. Blocks: never. Bound and results: as takt_admit.
 */
enum takt_admit_status takt_admit_printed(const struct takt_admit_set *set, const struct takt_admit_space *space,
                                          struct takt_admit_result *results);

#ifdef __cplusplus
}
#endif

TAKT_C_END

#endif
