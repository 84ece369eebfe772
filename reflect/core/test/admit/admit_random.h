/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_ADMIT_RANDOM_H
#define TAKT_ADMIT_RANDOM_H

/* Random sets of nodes and channels, and what admission needs to judge them. */
#include "admit_model.h"

static struct takt_admit_node nodes[MODEL_NODES];
static struct takt_admit_channel channels[MODEL_CHANNELS];
static struct takt_admit_work works[MODEL_CHANNELS];
static struct takt_analysis_task tasks[MODEL_CHANNELS + 1];
static struct takt_admit_stream streams[MODEL_CHANNELS + 1];
static uint64_t responses[MODEL_CHANNELS];
static enum takt_analysis_status statuses[MODEL_CHANNELS];
static struct takt_admit_result results[MODEL_CHANNELS];
static struct takt_admit_set set = {nodes, 0, channels, 0, 100000, 0, TAKT_ADMIT_SHARES};
static const struct takt_admit_space space = {works, tasks, responses, statuses, streams};
static unsigned long case_number;
static uint64_t random_state;

void check_context(void)
{
    printf("set %lu, %zu nodes, %zu channels\n", case_number, set.node_count, set.channel_count);
}

static uint64_t below(uint64_t most)
{
    return check_random(&random_state) % most;
}

static void random_node(struct takt_admit_node *node)
{
    static const uint64_t RATES[] = {10000000, 100000000, 100000000, 1000000000};
    static const uint32_t BLOCKS[] = {400, 1392, 1392, 8192};
    *node = (struct takt_admit_node){.link = {.rate_bps = RATES[below(4)], .mtu = 1500},
                                     .block_size = BLOCKS[below(4)],
                                     .propagation_ns = below(5000),
                                     .send_ns = below(30000),
                                     .send_message_ns = below(10000),
                                     .receive_ns = below(30000),
                                     .receive_message_ns = below(10000),
                                     .wake_ns = below(100000)};
    node->link.burst_ns = (uint32_t)(node->wake_ns + below(2) * below(200000));
}

static void random_channel(struct takt_admit_channel *channel)
{
    uint64_t kind = below(6);
    *channel = (struct takt_admit_channel){.writer = (uint16_t)below(set.node_count),
                                           .push = kind < 3 ? TAKT_ADMIT_SYNCHRONOUS : TAKT_ADMIT_ASYNCHRONOUS,
                                           .read = kind < 3 ? TAKT_ADMIT_BLOCKING : TAKT_ADMIT_POLLING,
                                           .ends = kind < 2 ? TAKT_ADMIT_APPLICATIONS : TAKT_ADMIT_MEMORIES,
                                           .size = (uint32_t)(1 + below(UINT64_C(1) << (4 + below(12)))),
                                           .period_ns = (1 + below(16)) * 2500000,
                                           .write_ns = below(200000),
                                           .read_ns = below(200000)};
    channel->reader = (uint16_t)((channel->writer + 1 + below(set.node_count - 1)) % set.node_count);
    channel->group = (uint16_t)(below(4) == 0 ? 1 + below(2) : 0);
    channel->deadline_ns = below(5) == 0 ? 0 : channel->period_ns / 20 * (2 + below(25));
}

static void random_set(void)
{
    set.control_ns = below(2) * 50000000;
    set.node_count = 2 + (size_t)below(MODEL_NODES - 1);
    set.channel_count = 2 + (size_t)below(MODEL_CHANNELS - 1);
    for (size_t i = 0; i < set.node_count; i++) {
        random_node(&nodes[i]);
    }
    for (size_t i = 0; i < set.channel_count; i++) {
        random_channel(&channels[i]);
    }
    if (below(10) == 0) { /* each node has something without a deadline that takes its whole link */
        for (size_t i = 0; i < set.node_count && i < set.channel_count; i++) {
            channels[i].writer = (uint16_t)i;
            channels[i].reader = (uint16_t)((i + 1 + below(set.node_count - 1)) % set.node_count);
            channels[i].deadline_ns = 0;
            channels[i].size = 50000;
            channels[i].period_ns = 50000 * UINT64_C(8000000000) / nodes[i].link.rate_bps;
        }
    }
}

#endif
