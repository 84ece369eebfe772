/* SPDX-License-Identifier: Apache-2.0 */
/* Rings of the receivers of one area, and of the senders of one group: the code that starts or stops one of them looks
 * at these only. A heap sort, so that as many channels as there may be take a bounded time and no memory.
 */
#include "node_internal.h"

/* Either kind of end. */
struct ends {
    struct takt_node *node;
    bool senders;
    uint32_t count;
};

static uint32_t *place(const struct ends *ends, uint32_t i)
{
    return ends->senders ? &ends->node->senders[i].place : &ends->node->receivers[i].place;
}

static uint32_t *peer(const struct ends *ends, uint32_t i)
{
    return ends->senders ? &ends->node->senders[i].peer : &ends->node->receivers[i].peer;
}

/* What those of one ring have in common. */
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

/* Lets the end at `from` sink to its place among the first `count` ones. */
static void sink(const struct ends *ends, uint32_t from, uint32_t count)
{
    uint32_t sinking = *place(ends, from);
    for (uint32_t child = 2 * from + 1; child < count; child = 2 * from + 1) {
        if (child + 1 < count && is_before(ends, *place(ends, child), *place(ends, child + 1))) {
            child++;
        }
        if (!is_before(ends, sinking, *place(ends, child))) {
            break;
        }
        *place(ends, from) = *place(ends, child);
        from = child;
    }
    *place(ends, from) = sinking;
}

/* `place` has the ends by their keys, each key's ascending. */
static void sort(const struct ends *ends)
{
    for (uint32_t i = 0; i < ends->count; i++) {
        *place(ends, i) = i;
    }
    for (uint32_t i = ends->count / 2; i-- > 0;) {
        sink(ends, i, ends->count);
    }
    for (uint32_t last = ends->count; last-- > 1;) {
        uint32_t greatest = *place(ends, 0);
        *place(ends, 0) = *place(ends, last);
        *place(ends, last) = greatest;
        sink(ends, 0, last);
    }
}

static void make_rings(const struct ends *ends)
{
    sort(ends);
    for (uint32_t from = 0, end; from < ends->count; from = end) {
        uintptr_t common = key(ends, *place(ends, from));
        bool alone = ends->senders && common == 0;
        for (end = from + 1; end < ends->count && !alone && key(ends, *place(ends, end)) == common; end++) {
            *peer(ends, *place(ends, end - 1)) = *place(ends, end);
        }
        *peer(ends, *place(ends, end - 1)) = *place(ends, from);
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
