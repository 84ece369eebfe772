/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_ADMIT_MODEL_TYPES_H
#define TAKT_ADMIT_MODEL_TYPES_H

/* What a played set is (admit_model.h). */
#include "base/test/check.h"
#include "takt/admit.h"
#include "takt/push.h"

enum { MODEL_CHANNELS = 12, MODEL_NODES = 5, MODEL_BLOCKS = 400000, MODEL_TURNS = 64 };

#define MODEL_NEVER (UINT64_MAX / 2)

/* How releases lie to each other. */
enum model_phases {
    MODEL_TOGETHER,  /* the first releases at once, as late after their writes as can be; the next ones follow soon */
    MODEL_PROMOTED,  /* the first promotions at once */
    MODEL_DEADLINES, /* the pushes' own deadlines at once: what comes into a port comes together */
    MODEL_RANDOM,    /* anything, and costs and delays between nothing and the most */
    MODEL_PHASES
};

/* What was seen of a channel: the longest of each. */
struct model_seen {
    uint64_t at_port_ns; /* from the writer's time until the last block is at the port */
    uint64_t behind_ns;  /* from there to the reader's memory */
    uint64_t whole_ns;   /* from the writer's time to the end of the read */
    uint64_t messages;
    bool overlaps; /* a push was released before the one before had been sent */
    bool left_out; /* a value could have been left out */
};

/* A time in which a channel of a group is started. */
struct model_turn {
    uint64_t from_ns, to_ns;
    size_t member;
};

struct model {
    const struct takt_admit_set *set;
    const struct takt_admit_result *results; /* promotions, order, pauses; and where to put the pushes' deadlines */
    enum model_phases phases;
    bool unruly;  /* of every other channel some writes come sooner than declared */
    bool sparing; /* what has no deadline is quiet now and then; with deadlines at once, from then on: pushes that
                     follow are as early as can be */
    uint64_t horizon_ns;                                  /* no writer's time is later */
    uint64_t random;                                      /* state of check_random */
    uint64_t origin_ns;                                   /* when it is that something happens at once */
    struct model_turn turns[MODEL_CHANNELS][MODEL_TURNS]; /* of a group, at its first channel */
};

struct model_block {
    uint64_t port_ns, written_ns; /* when its last bit is at the port; the writer's time */
    uint32_t bytes, channel, number;
    uint16_t to;
    bool last;
};

/* A channel at its writer's node. */
struct model_job {
    struct takt_push push;
    uint64_t next_write_ns, end_ns;     /* of the next write */
    uint64_t written_ns, written_after; /* times of the oldest write that is pending, and of the one behind it */
    uint32_t sent;
    bool begun, started, left_out;
    uint64_t until_ns; /* when it is stopped */
};

#endif
