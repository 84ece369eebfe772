/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BENCHMARK_CHANNEL_H
#define TAKT_BENCHMARK_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "takt/task.h"

/* Between producers and consumers: the mailbox of the kernel, or rings, which have no lock. */
enum channel {
    CHANNEL_MAILBOX, /* one for all; consumers look into it */
    CHANNEL_WOKEN,   /* the same, and each item releases a job of the one consumer */
    CHANNEL_RING,    /* one for each producer; a consumer looks into its share of them in turn */
};

enum { PARTIES_MAX = 15, CAPACITY = 64 };

struct item {
    uint32_t producer;
    uint32_t number; /* among its producer's */
};

/* `consumer`: the one that CHANNEL_WOKEN wakes. False: there is no such channel for so many. */
bool channel_init(enum channel channel, uint32_t producers, uint32_t consumers, struct takt_task *consumer);

/* Whether an item releases its consumer. */
bool channel_woken(void);

/* By the party of that number, from 0. False: it is full; there is no item. */
bool channel_put(uint32_t producer, const struct item *item);
bool channel_get(uint32_t consumer, struct item *item);

#endif
