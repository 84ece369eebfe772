/* SPDX-License-Identifier: Apache-2.0 */
/* Rings of the receivers of one area, and of the senders of one group: the code that starts or stops one of them looks
 * at these only. Sorted by heap sort, whose time is bounded for any number of channels and which needs no further
 * memory.
 */
#include "node_internal.h"

/* A sender or a receiver. */
struct ends {
    struct takt_node *node;
    bool senders;
    uint32_t count;
};

static uint32_t *sorted(const struct ends *ends, uint32_t i)
{
    return ends->senders ? &ends->node->senders[i].sorted : &ends->node->receivers[i].sorted;
}

static uint32_t *peer(const struct ends *ends, uint32_t i)
{
    return ends->senders ? &ends->node->senders[i].peer : &ends->node->receivers[i].peer;
}

/* The key that all of one ring have. */
static uintptr_t key(const struct ends *ends, uint32_t i)
{
    return ends->senders ? ends->node->senders[i].group : (uintptr_t)ends->node->receivers[i].area;
}

static bool is_before(const struct ends *ends, uint32_t a, uint32_t b)
{
    uintptr_t first = key(ends, a);
    uintptr_t second = key(ends, b);
    return first != second ? first < second : a < b;
}

/* Moves the entry at `from` down the heap of the first `count` entries. */
static void sink(const struct ends *ends, uint32_t from, uint32_t count)
{
    uint32_t sinking = *sorted(ends, from);
    for (uint32_t child = 2 * from + 1; child < count; child = 2 * from + 1) {
        if (child + 1 < count && is_before(ends, *sorted(ends, child), *sorted(ends, child + 1))) {
            child++;
        }
        if (!is_before(ends, sinking, *sorted(ends, child))) {
            break;
        }
        *sorted(ends, from) = *sorted(ends, child);
        from = child;
    }
    *sorted(ends, from) = sinking;
}

/* `sorted` has the ends by their keys, each key's ascending. */
static void sort(const struct ends *ends)
{
    for (uint32_t i = 0; i < ends->count; i++) {
        *sorted(ends, i) = i;
    }
    for (uint32_t i = ends->count / 2; i-- > 0;) {
        sink(ends, i, ends->count);
    }
    for (uint32_t last = ends->count; last-- > 1;) {
        uint32_t greatest = *sorted(ends, 0);
        *sorted(ends, 0) = *sorted(ends, last);
        *sorted(ends, last) = greatest;
        sink(ends, 0, last);
    }
}

static void make_rings(const struct ends *ends)
{
    sort(ends);
    for (uint32_t from = 0, end; from < ends->count; from = end) {
        uintptr_t common = key(ends, *sorted(ends, from));
        bool alone = ends->senders && common == 0;
        for (end = from + 1; end < ends->count && !alone && key(ends, *sorted(ends, end)) == common; end++) {
            *peer(ends, *sorted(ends, end - 1)) = *sorted(ends, end);
        }
        *peer(ends, *sorted(ends, end - 1)) = *sorted(ends, from);
    }
}

/* The longest pause of its group; walks the ring once. */
static uint64_t longest_pause(const struct takt_node *node, uint32_t index)
{
    uint64_t pause_ns = node->senders[index].pause_ns;
    for (uint32_t i = node->senders[index].peer; i != index; i = node->senders[i].peer) {
        pause_ns = node->senders[i].pause_ns > pause_ns ? node->senders[i].pause_ns : pause_ns;
    }
    return pause_ns;
}

void takt_node_join(struct takt_node *node)
{
    make_rings(&(struct ends){.node = node, .senders = true, .count = node->sender_count});
    make_rings(&(struct ends){.node = node, .senders = false, .count = node->receiver_count});
    for (uint32_t last = 0; last < node->sender_count; last++) {
        if (node->senders[last].peer > last) {
            continue; /* once a ring */
        }
        uint64_t pause_ns = longest_pause(node, last);
        node->senders[last].pause_ns = pause_ns;
        for (uint32_t i = node->senders[last].peer; i != last; i = node->senders[i].peer) {
            node->senders[i].pause_ns = pause_ns;
        }
    }
}
