/* SPDX-License-Identifier: Apache-2.0 */
#include "leftist_heap.h"

static uint16_t rank_of(const struct takt_heap_node *node)
{
    return node == NULL ? 0 : node->rank;
}

/* Restores the leftist property at one node; returns whether its rank changed. */
static int settle(struct takt_heap_node *node)
{
    if (rank_of(node->left) < rank_of(node->right)) {
        struct takt_heap_node *child = node->left;
        node->left = node->right;
        node->right = child;
    }
    uint16_t rank = (uint16_t)(rank_of(node->right) + 1);
    int changed = rank != node->rank;
    node->rank = rank;
    return changed;
}

/*
 * Settles `node`, whose child changed, and its ancestors as far as ranks change. A rank that changes is at most
 * log2(n + 1), and one more at each step up: the walk is that short.
 */
static void settle_up(struct takt_heap_node *node)
{
    while (node != NULL && settle(node)) {
        node = node->up;
    }
}

/* Merges two heaps along their right spines, then settles the merged spine from its end up to the root. */
static struct takt_heap_node *merge(struct takt_heap_node *a, struct takt_heap_node *b)
{
    if (a == NULL || b == NULL) {
        return a == NULL ? b : a;
    }
    if (takt_heap_before(b, a)) {
        struct takt_heap_node *other = a;
        a = b;
        b = other;
    }
    struct takt_heap_node *root = a;
    while (a->right != NULL) { /* each step goes down one spine: at most 2 log2(n + 1) */
        struct takt_heap_node *next = a->right;
        if (takt_heap_before(b, next)) {
            a->right = b;
            b->up = a;
            b = next;
            next = a->right;
        }
        a = next;
    }
    a->right = b;
    b->up = a;
    for (; a != root; a = a->up) {
        (void)settle(a);
    }
    (void)settle(root);
    return root;
}

void takt_heap_insert(struct takt_heap_node **root, struct takt_heap_node *node)
{
    struct takt_heap_node *parent = *root;
    node->right = NULL;
    node->rank = 1;
    if (parent == NULL || takt_heap_before(node, parent)) {
        node->left = parent;
        node->up = NULL;
        if (parent != NULL) {
            parent->up = node;
        }
        *root = node;
        return;
    }
    while (parent->right != NULL && !takt_heap_before(node, parent->right)) { /* down the right spine: log2(n + 1) */
        parent = parent->right;
    }
    node->left = parent->right;
    node->up = parent;
    if (node->left != NULL) {
        node->left->up = node;
    }
    parent->right = node;
    settle_up(parent);
}

void takt_heap_remove(struct takt_heap_node **root, struct takt_heap_node *node)
{
    struct takt_heap_node *parent = node->up;
    struct takt_heap_node *rest = merge(node->left, node->right);
    if (rest != NULL) {
        rest->up = parent;
    }
    if (parent == NULL) {
        *root = rest;
        return;
    }
    if (parent->left == node) {
        parent->left = rest;
    } else {
        parent->right = rest;
    }
    settle_up(parent);
}
