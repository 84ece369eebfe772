/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/ring.h"

#include "queues.h"

#define QUEUE(bytes)                                                                 \
    struct item_##bytes {                                                            \
        uint64_t words[(bytes) / 8];                                                 \
    };                                                                               \
    TAKT_RING_DEFINE(ring_##bytes, bytes, QUEUE_ITEMS);                              \
    static struct item_##bytes item_##bytes##_of(uint64_t number)                    \
    {                                                                                \
        struct item_##bytes item;                                                    \
        for (unsigned i = 0; i < (bytes) / 8; i++) {                                 \
            item.words[i] = number;                                                  \
        }                                                                            \
        return item;                                                                 \
    }                                                                                \
    static uint64_t pairs_##bytes(uint64_t count)                                    \
    {                                                                                \
        uint64_t wrong = 0;                                                          \
        for (uint64_t number = 0; number < count; number++) {                        \
            struct item_##bytes in = item_##bytes##_of(number), out;                 \
            if (takt_ring_put(&ring_##bytes, &in, sizeof in) != TAKT_OK ||           \
                takt_ring_get(&ring_##bytes, &out, sizeof out) != TAKT_OK) {         \
                return count;                                                        \
            }                                                                        \
            wrong += out.words[0] != number || out.words[(bytes) / 8 - 1] != number; \
        }                                                                            \
        return wrong;                                                                \
    }                                                                                \
    static void produce_##bytes(uint64_t count)                                      \
    {                                                                                \
        for (uint64_t number = 0; number < count; number++) {                        \
            struct item_##bytes in = item_##bytes##_of(number);                      \
            while (takt_ring_put(&ring_##bytes, &in, sizeof in) != TAKT_OK) {        \
                queue_refused();                                                     \
            }                                                                        \
        }                                                                            \
    }                                                                                \
    static uint64_t consume_##bytes(uint64_t count)                                  \
    {                                                                                \
        uint64_t wrong = 0;                                                          \
        for (uint64_t number = 0; number < count; number++) {                        \
            struct item_##bytes out;                                                 \
            while (takt_ring_get(&ring_##bytes, &out, sizeof out) != TAKT_OK) {      \
                queue_refused();                                                     \
            }                                                                        \
            wrong += out.words[0] != number || out.words[(bytes) / 8 - 1] != number; \
        }                                                                            \
        return wrong;                                                                \
    }

QUEUE(8)
QUEUE(56)
QUEUE(64)

const struct queue ring_queues[] = {{"ring", 8, pairs_8, produce_8, consume_8},
                                    {"ring", 56, pairs_56, produce_56, consume_56},
                                    {"ring", 64, pairs_64, produce_64, consume_64},
                                    {0}};
