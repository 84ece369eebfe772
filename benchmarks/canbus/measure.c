/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processor time of a bus in simulation, frame by frame: 150 messages of 8 random bytes with the periods of a car's bus
 * at 500 kbit/s (tests/canbus/test_can_traffic.py).
 *
 *     measure SECONDS
 *
 * simulates so many, and prints the frames, the load, and the ratio of simulated to processor time. Exit code 2:
 * misuse.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "takt/can_traffic.h"

enum { NODES = 20, MESSAGES = 150, BIT_RATE = 500000, KINDS = 6 };

static struct takt_can_node nodes[NODES];
static struct takt_can_sender senders[NODES];
static struct takt_can_message messages[MESSAGES];
static struct takt_can_release releases[MESSAGES];
static struct takt_can_traffic traffic = {.bus = {.nodes = nodes, .count = NODES},
                                          .senders = senders,
                                          .messages = messages,
                                          .message_count = MESSAGES,
                                          .releases = releases,
                                          .nominal_ticks = 1,
                                          .data_ticks = 1,
                                          .seed = 1};

int main(int count, char **arguments)
{
    static const unsigned periods_ms[KINDS] = {10, 20, 30, 50, 100, 1000};
    static const unsigned of_kind[KINDS] = {8, 24, 5, 7, 33, 73};
    long seconds = count == 2 ? strtol(arguments[1], NULL, 10) : 0;

    if (seconds < 1 || seconds > 1000000) {
        fprintf(stderr, "measure: SECONDS is 1 to 1000000\n");
        return 2;
    }
    for (unsigned kind = 0, i = 0; kind < KINDS; kind++) {
        for (unsigned end = i + of_kind[kind]; i < end; i++) {
            uint64_t period = periods_ms[kind] * (uint64_t)BIT_RATE / 1000;
            messages[i] = (struct takt_can_message){.frame = {.shape = {.dlc = 8}, .id = 0x100 + 7 * i},
                                                    .node = i % NODES,
                                                    .content = TAKT_CAN_RANDOM,
                                                    .offset = 7919 * i % period,
                                                    .period = period};
        }
    }
    for (unsigned i = 0; i < NODES; i++) {
        takt_can_node_init(&nodes[i]);
    }
    clock_t start = clock();
    takt_can_traffic_start(&traffic);
    (void)takt_can_traffic_run(&traffic, (uint64_t)seconds * BIT_RATE);
    double used_s = (double)(clock() - start) / CLOCKS_PER_SEC;
    uint64_t sent = 0;
    for (unsigned i = 0; i < MESSAGES; i++) {
        sent += messages[i].sent;
    }
    printf("%" PRIu64 " frames, load %.3f, %.0f times real time\n", sent,
           (double)traffic.busy / ((double)seconds * BIT_RATE), (double)seconds / used_s);
    return 0;
}
