/* SPDX-License-Identifier: Apache-2.0 */
/* The circular list and the bitmap against arrays. */
#include "base/list.h"

#include <stdbool.h>

#include "base/bitmap.h"
#include "base/test/check.h"

enum { NODES = 12, WORDS = 2, BITS = WORDS * 32 };

struct thing {
    unsigned number;
    struct takt_node node;
};

static struct thing things[NODES];
static struct takt_node *first;
static unsigned order[NODES];
static unsigned count;

static void check_list(void)
{
    CHECK((first == NULL) == (count == 0));
    struct takt_node *node = first;
    for (unsigned place = 0; place < count; place++) {
        CHECK(TAKT_CONTAINER(node, struct thing, node)->number == order[place]);
        CHECK(node->next->previous == node && node->previous->next == node);
        node = node->next;
    }
    CHECK(node == first);
}

static void order_insert(unsigned place, unsigned number)
{
    for (unsigned at = count++; at > place; at--) {
        order[at] = order[at - 1];
    }
    order[place] = number;
}

static void list_insert(unsigned number, uint64_t random)
{
    struct takt_node *node = &things[number].node;
    unsigned kind = (unsigned)(random % 3);
    if (kind == 0 || count == 0) {
        takt_list_append(&first, node);
        order_insert(count, number);
    } else if (kind == 1) {
        takt_list_prepend(&first, node);
        order_insert(0, number);
    } else {
        unsigned place = (unsigned)((random >> 8) % count);
        takt_list_insert_before(&things[order[place]].node, node);
        order_insert(place == 0 ? count : place, number); /* before the first is the end: the first stays first */
    }
}

static void lists(uint64_t *state)
{
    bool in[NODES] = {false};
    for (unsigned number = 0; number < NODES; number++) {
        things[number].number = number;
    }
    for (unsigned operation = 0; operation < 20000; operation++) {
        unsigned number = (unsigned)(check_random(state) % NODES);
        if (in[number]) {
            unsigned place = 0;
            while (order[place] != number) {
                place++;
            }
            takt_list_remove(&first, &things[number].node);
            for (count--; place < count; place++) {
                order[place] = order[place + 1];
            }
        } else {
            list_insert(number, check_random(state));
        }
        in[number] = !in[number];
        check_list();
    }
}

static void bitmaps(uint64_t *state, unsigned words)
{
    uint32_t map[WORDS] = {0};
    bool set[BITS] = {false};
    unsigned bits = words * 32;
    for (unsigned operation = 0; operation < 20000; operation++) {
        unsigned bit = (unsigned)(check_random(state) % bits);
        set[bit] = check_random(state) % 4 == 0;
        if (set[bit]) {
            takt_bitmap_set(map, words, bit);
        } else {
            takt_bitmap_clear(map, words, bit);
        }
        unsigned expected = 0;
        while (expected < bits && !set[expected]) {
            expected++;
        }
        CHECK_EQUAL(takt_bitmap_first(map, words), expected);
        for (unsigned place = 0; place < bits; place++) {
            CHECK((takt_bitmap_test(map, words, place) != 0) == set[place]);
        }
    }
}

int main(void)
{
    uint64_t state = check_seed();
    lists(&state);
    bitmaps(&state, 1);
    bitmaps(&state, WORDS);
    return 0;
}
