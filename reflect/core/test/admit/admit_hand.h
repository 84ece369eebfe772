/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_ADMIT_HAND_H
#define TAKT_ADMIT_HAND_H

/* Sets that are small enough for sums by hand. */
#include "base/test/check.h"
#include "takt/admit.h"

enum { CHANNELS = 8, NODES = 4 };

#define MOST TAKT_ADMIT_TIME_MAX_NS

static struct takt_admit_node nodes[NODES];
static struct takt_admit_channel channels[CHANNELS];
static struct takt_admit_work works[CHANNELS];
static struct takt_analysis_task tasks[CHANNELS + 1];
static struct takt_admit_stream streams[CHANNELS + 1];
static uint64_t responses[CHANNELS];
static enum takt_analysis_status statuses[CHANNELS];
static struct takt_admit_result results[CHANNELS];
static struct takt_admit_set set;
static const struct takt_admit_space space = {works, tasks, responses, statuses, streams};

/* At 8 Gbit/s a byte takes a nanosecond. A block of 854 bytes takes a microsecond: 64 and 16 of our own, 28 of UDP and
 * IP, 38 of Ethernet besides. The rest costs nothing. */
static const struct takt_admit_node PLAIN = {.link = {.rate_bps = UINT64_C(8000000000), .mtu = 1500},
                                             .block_size = 854};

/* Bytes of a value that takes the link so long. */
static inline uint32_t lasts(uint32_t time_ns)
{
    return time_ns / 1000 * 854 + (time_ns % 1000 != 0 ? time_ns % 1000 - 146 : 0);
}

static inline struct takt_admit_channel channel(uint16_t push, uint32_t size, uint64_t period_ns, uint64_t deadline_ns)
{
    return (struct takt_admit_channel){.writer = 0,
                                       .reader = 1,
                                       .push = push,
                                       .read = TAKT_ADMIT_POLLING,
                                       .ends = TAKT_ADMIT_MEMORIES,
                                       .size = size,
                                       .period_ns = period_ns,
                                       .deadline_ns = deadline_ns};
}

/* A trend graph, a command, and what has no deadline. */
static inline void begin(void)
{
    for (size_t i = 0; i < NODES; i++) {
        nodes[i] = PLAIN;
    }
    channels[0] = channel(TAKT_ADMIT_ASYNCHRONOUS, lasts(2500), 20000, 20000);
    channels[1] = channel(TAKT_ADMIT_SYNCHRONOUS, lasts(1000), 10000, 9000);
    channels[2] = channel(TAKT_ADMIT_SYNCHRONOUS, lasts(800), 40000, 0);
    set = (struct takt_admit_set){nodes, NODES, channels, 3, 1000, 0, 0};
    memset(results, 0xA5, sizeof results);
}

static inline enum takt_admit_status judge(void)
{
    return takt_admit(&set, &space, results);
}

static inline void fails(size_t i, enum takt_admit_inequality inequality, enum takt_admit_stage stage, uint64_t left,
                         uint64_t right)
{
    CHECK_EQUAL(results[i].inequality, inequality);
    CHECK_EQUAL(results[i].stage, stage);
    CHECK_EQUAL(results[i].left_ns, left);
    CHECK_EQUAL(results[i].right_ns, right);
}

#endif
