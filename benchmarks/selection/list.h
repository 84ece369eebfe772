/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIST_H
#define LIST_H

#include <stddef.h>

/*
 * Circular doubly linked list, intrusive, without a sentinel: a list is a pointer to its first node, NULL when empty.
 * Every operation is O(1). A node is in at most one list.
 */
struct takt_node {
    struct takt_node *next;
    struct takt_node *previous;
};

/* The object that holds `node` as its member. */
#define TAKT_CONTAINER(node, type, member) ((type *)(void *)((char *)(node)-offsetof(type, member)))

/* Inserts `node` before `position`, which is in a list. The list's first node stays what it was. */
static inline void takt_list_insert_before(struct takt_node *position, struct takt_node *node)
{
    node->next = position;
    node->previous = position->previous;
    position->previous->next = node;
    position->previous = node;
}

static inline void takt_list_append(struct takt_node **first, struct takt_node *node)
{
    if (*first == NULL) {
        node->next = node;
        node->previous = node;
        *first = node;
    } else {
        takt_list_insert_before(*first, node);
    }
}

static inline void takt_list_prepend(struct takt_node **first, struct takt_node *node)
{
    takt_list_append(first, node);
    *first = node;
}

static inline void takt_list_remove(struct takt_node **first, struct takt_node *node)
{
    if (node->next == node) {
        *first = NULL;
        return;
    }
    node->previous->next = node->next;
    node->next->previous = node->previous;
    if (*first == node) {
        *first = node->next;
    }
}

#endif
