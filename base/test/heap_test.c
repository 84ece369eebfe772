/* SPDX-License-Identifier: Apache-2.0 */
/* The leftist heap against a sorted array, and its invariants after every operation. */
#include "base/heap.h"

#include <stdbool.h>

#include "base/test/check.h"

enum { NODES = 200 };

static struct takt_heap_node nodes[NODES];
static struct takt_heap_node *root;
static struct takt_heap_node *sorted[NODES];
static unsigned count;
static uint64_t state;

static unsigned below(unsigned limit)
{
    return (unsigned)(check_random(&state) % limit);
}

static void array_insert(struct takt_heap_node *node)
{
    unsigned place = count++;
    while (place > 0 && takt_heap_before(node, sorted[place - 1])) {
        sorted[place] = sorted[place - 1];
        place--;
    }
    sorted[place] = node;
}

static void array_remove(unsigned place)
{
    count--;
    for (; place < count; place++) {
        sorted[place] = sorted[place + 1];
    }
}

static unsigned rank_of(const struct takt_heap_node *node)
{
    return node == NULL ? 0 : node->rank;
}

static unsigned check_node(const struct takt_heap_node *node, const struct takt_heap_node *up)
{
    if (node == NULL) {
        return 0;
    }
    CHECK(node->up == up);
    CHECK(up == NULL || !takt_heap_before(node, up));
    CHECK(rank_of(node->left) >= rank_of(node->right));
    CHECK(node->rank == rank_of(node->right) + 1);
    return 1 + check_node(node->left, node) + check_node(node->right, node);
}

/* The right spine of n nodes is at most log2(n + 1) long. */
static void check_spine(void)
{
    unsigned length = 0;
    for (const struct takt_heap_node *node = root; node != NULL; node = node->right) {
        length++;
    }
    CHECK((1u << length) <= count + 1);
}

static void check_all(void)
{
    CHECK_EQUAL(check_node(root, NULL), count);
    CHECK(root == (count == 0 ? NULL : sorted[0]));
    check_spine();
}

static void random_operations(unsigned keys, unsigned most)
{
    bool in[NODES] = {false};
    root = NULL;
    count = 0;
    for (unsigned operation = 0; operation < 3000; operation++) {
        unsigned index = below(most);
        if (in[index]) {
            unsigned place = 0;
            while (sorted[place] != &nodes[index]) {
                place++;
            }
            takt_heap_remove(&root, &nodes[index]);
            array_remove(place);
            in[index] = false;
        } else {
            nodes[index].key = below(keys);
            nodes[index].order = (uint16_t)index;
            takt_heap_insert(&root, &nodes[index]);
            array_insert(&nodes[index]);
            in[index] = true;
        }
        check_all();
    }
    while (count > 0) { /* the order in which they leave */
        struct takt_heap_node *first = root;
        CHECK(first == sorted[0]);
        takt_heap_remove(&root, first);
        array_remove(0);
        check_all();
    }
}

/* Rising, falling and equal keys: what timers and releases look like. */
static void runs(void)
{
    for (unsigned kind = 0; kind < 3; kind++) {
        root = NULL;
        count = 0;
        for (unsigned index = 0; index < NODES; index++) {
            nodes[index].key = kind == 0 ? index : kind == 1 ? NODES - index : 7;
            nodes[index].order = (uint16_t)index;
            takt_heap_insert(&root, &nodes[index]);
            array_insert(&nodes[index]);
            check_all();
        }
        for (unsigned index = NODES; index-- > 0;) {
            unsigned place = 0;
            while (sorted[place] != &nodes[index]) {
                place++;
            }
            takt_heap_remove(&root, &nodes[index]);
            array_remove(place);
            check_all();
        }
    }
}

int main(void)
{
    state = check_seed();
    runs();
    for (unsigned long round = 0; round < check_cases(12); round++) {
        random_operations(1 + below(100), 2 + below(NODES - 2));
    }
    return 0;
}
