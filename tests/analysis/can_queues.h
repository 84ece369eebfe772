/* SPDX-License-Identifier: Apache-2.0 */
/* A CAN bus frame by frame whose nodes queue as they do in practice: by priority, by arrival, in buffers. An oracle of
 * the analysis, with which it shares no code: it plays what the nodes do with given times, and measures.
 */
#ifndef TAKT_TEST_CAN_QUEUES_H
#define TAKT_TEST_CAN_QUEUES_H

#include <stdbool.h>
#include <stdint.h>

#define QUEUE_FRAMES 16
#define QUEUE_NODES 6
#define QUEUE_PENDING 64 /* instances of a frame; a run in which more wait ends */
#define QUEUE_STARTS 256
#define QUEUE_NEVER INT64_MAX

enum queue_kind { QUEUE_PRIORITY, QUEUE_FIFO, QUEUE_BUFFERS, QUEUE_ABORTABLE };

struct queue_node {
    enum queue_kind kind;
    int buffers;
    long abort;
};

struct queue_frame {
    long send, period, jitter;
    int node;
};

/** The identifier is the index: 0 wins. */
struct queue_bus {
    struct queue_frame frames[QUEUE_FRAMES];
    struct queue_node nodes[QUEUE_NODES];
    int frame_count, node_count;
    long bit;
    long error_cost, error_distance; /**< distance 0: no errors */
};

/** When a frame comes. Its nominal releases are a period apart. */
struct queue_arrivals {
    int64_t first; /**< its first instance is queued; QUEUE_NEVER: it does not come */
    long lag;      /**< the nominal release of the first is that much earlier; within the jitter */
    long later;    /**< the following are queued that much after their nominal release; within the jitter */
    int order;     /**< in a queue by arrival, of what is queued at one time: the lowest first */
    bool joins;    /**< its node takes part in an arbitration for which it queues a frame less than a bit late */
};

/** What a run shows of frame `watched`. */
struct queue_seen {
    long response;  /**< longest, from the nominal release */
    int64_t queued; /**< when that instance was queued, and when it began to be sent */
    int64_t started;
    int64_t starts[QUEUE_STARTS]; /**< of all transmissions up to it */
    int start_count;
};

/** One run up to `end`. From errors_from on each transmission fails at its end, if the last error is far enough. */
struct queue_run {
    struct queue_arrivals arrivals[QUEUE_FRAMES];
    int64_t errors_from, end;
    int watched;
};

/** Play it. responses[i]: the longest of each frame. */
void queue_play(const struct queue_bus *bus, const struct queue_run *run, long *responses, struct queue_seen *seen);

#endif
