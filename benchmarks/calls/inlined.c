/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that are in line, each in a function of its own, of which takt.image.stack reads how much stack it needs. */
#include "calls.h"

static struct takt_ring ring;
static struct takt_ring_group group;
static struct takt_state state;
static uint64_t storage[CAPACITY * 2];
static void *item;
static const struct takt_ring_retry once = {0, NULL};

#define INLINED(name, ...)     \
    void inlined_##name(void); \
    void inlined_##name(void)  \
    {                          \
        name(__VA_ARGS__);     \
    }

#pragma GCC diagnostic ignored "-Wunused-result"

INLINED(takt_ring_init, &ring, storage, MESSAGE, CAPACITY)
INLINED(takt_ring_reserve, &ring, MESSAGE, &item)
INLINED(takt_ring_commit, &ring, MESSAGE)
INLINED(takt_ring_take, &ring, MESSAGE, &item)
INLINED(takt_ring_release, &ring, MESSAGE)
INLINED(takt_ring_put, &ring, sent, MESSAGE)
INLINED(takt_ring_get, &ring, got, MESSAGE)
INLINED(takt_ring_put_many, &ring, storage, MESSAGE, CAPACITY)
INLINED(takt_ring_get_many, &ring, storage, MESSAGE, CAPACITY)
INLINED(takt_ring_put_retry, &ring, sent, MESSAGE, &once)
INLINED(takt_ring_get_retry, &ring, got, MESSAGE, &once)
INLINED(takt_ring_group_get, &group, got, MESSAGE, NULL)
INLINED(takt_state_init, &state, storage, MESSAGE, 2)
INLINED(takt_state_write, &state, sent, MESSAGE)
INLINED(takt_state_read, &state, got, MESSAGE)
