/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/state.h"

#include "queues.h"

/* A write and a read, in one thread: a state message is no queue, nothing is refused. */
#define MESSAGE(bytes)                                                         \
    TAKT_STATE_DEFINE(state_##bytes, bytes, 8);                                \
    static uint64_t pairs_##bytes(uint64_t count)                              \
    {                                                                          \
        uint64_t wrong = 0;                                                    \
        for (uint64_t number = 0; number < count; number++) {                  \
            uint64_t in[(bytes) / 8], out[(bytes) / 8];                        \
            for (unsigned i = 0; i < (bytes) / 8; i++) {                       \
                in[i] = number;                                                \
            }                                                                  \
            takt_state_write(&state_##bytes, in, sizeof in);                   \
            if (takt_state_read(&state_##bytes, out, sizeof out) != TAKT_OK) { \
                return count;                                                  \
            }                                                                  \
            wrong += out[0] != number || out[(bytes) / 8 - 1] != number;       \
        }                                                                      \
        return wrong;                                                          \
    }

MESSAGE(8)
MESSAGE(56)
MESSAGE(64)

const struct queue state_queues[] = {
    {"state", 8, pairs_8, 0, 0}, {"state", 56, pairs_56, 0, 0}, {"state", 64, pairs_64, 0, 0}, {0}};
