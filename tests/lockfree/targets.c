/* SPDX-License-Identifier: Apache-2.0 */
/* Every call of the lock-free headers, for a look at what a compiler makes of it. */
#include "takt/ring.h"
#include "takt/state.h"

#define CALLS(size)                                                              \
    enum takt_status put_##size(struct takt_ring *ring, const void *item);       \
    enum takt_status put_##size(struct takt_ring *ring, const void *item)        \
    {                                                                            \
        return takt_ring_put(ring, item, size);                                  \
    }                                                                            \
    enum takt_status get_##size(struct takt_ring *ring, void *item);             \
    enum takt_status get_##size(struct takt_ring *ring, void *item)              \
    {                                                                            \
        return takt_ring_get(ring, item, size);                                  \
    }                                                                            \
    void write_##size(struct takt_state *state, const void *message);            \
    void write_##size(struct takt_state *state, const void *message)             \
    {                                                                            \
        takt_state_write(state, message, size);                                  \
    }                                                                            \
    enum takt_status read_##size(const struct takt_state *state, void *message); \
    enum takt_status read_##size(const struct takt_state *state, void *message)  \
    {                                                                            \
        return takt_state_read(state, message, size);                            \
    }

CALLS(3)
CALLS(4)
CALLS(8)
CALLS(56)
CALLS(64)

TAKT_RING_DEFINE(ring, 8, 4);
TAKT_STATE_DEFINE(state, 64, 3);

size_t others(void *items, struct takt_ring_group *group, const struct takt_ring_retry *retry);
size_t others(void *items, struct takt_ring_group *group, const struct takt_ring_retry *retry)
{
    void *item;
    size_t moved = takt_ring_put_many(&ring, items, 8, 4) + takt_ring_get_many(&ring, items, 8, 4);
    if (takt_ring_reserve(&ring, 8, &item) == TAKT_OK) {
        takt_ring_commit(&ring, 8);
    }
    if (takt_ring_take(&ring, 8, &item) == TAKT_OK) {
        takt_ring_release(&ring, 8);
    }
    moved += takt_ring_put_retry(&ring, items, 8, retry) == TAKT_OK;
    moved += takt_ring_get_retry(&ring, items, 8, retry) == TAKT_OK;
    return moved + (takt_ring_group_get(group, items, 8, NULL) == TAKT_OK);
}
