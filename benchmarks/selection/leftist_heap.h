/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LEFTIST_HEAP_H
#define LEFTIST_HEAP_H

#include <stddef.h>
#include <stdint.h>

/*
 * Leftist heap, intrusive: a priority queue of (key, order), smallest first, whose storage is the nodes themselves.
 * A heap is a pointer to its root, NULL when empty. With n nodes no right spine is longer than log2(n + 1), so
 * insert, remove (of any node) and remove-first walk at most 2 log2(n + 1) nodes down and as many up
 * (Crane 1972; Knuth, The Art of Computer Programming 3, 5.2.3).
 */
struct takt_heap_node {
    struct takt_heap_node *left;
    struct takt_heap_node *right;
    struct takt_heap_node *up; /* NULL at the root */
    uint64_t key;
    uint16_t order; /* decides between equal keys */
    uint16_t rank;  /* length of the right spine below and including this node */
};

static inline int takt_heap_before(const struct takt_heap_node *a, const struct takt_heap_node *b)
{
    return a->key < b->key || (a->key == b->key && a->order < b->order);
}

/* Inserts `node`, whose key and order are set. */
void takt_heap_insert(struct takt_heap_node **root, struct takt_heap_node *node);

/* Removes `node`, which is in the heap. */
void takt_heap_remove(struct takt_heap_node **root, struct takt_heap_node *node);

#endif
