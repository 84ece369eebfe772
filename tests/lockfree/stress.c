/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stress ring|state COUNT: the shipped headers between threads, for ThreadSanitizer and its like. Prints what was seen;
 * exit code 1 when an item or a message is not what it should be.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "takt/ring.h"
#include "takt/state.h"

enum { WORDS = 5, CAPACITY = 3, PRODUCERS = 2, DEPTH = 2, READERS = 2 };

struct item {
    uint64_t words[WORDS];
};

static uint64_t count;

static struct item item_of(uint64_t number)
{
    struct item item;
    for (unsigned i = 0; i < WORDS; i++) {
        item.words[i] = number * WORDS + i;
    }
    return item;
}

static void check(const char *what, const struct item *item, uint64_t number)
{
    struct item expected = item_of(number);
    if (memcmp(item, &expected, sizeof expected) != 0) {
        printf("%s: not item %llu\n", what, (unsigned long long)number);
        exit(1);
    }
}

TAKT_RING_DEFINE(first, sizeof(struct item), CAPACITY);
TAKT_RING_DEFINE(second, sizeof(struct item), CAPACITY);
static struct takt_ring *const rings[PRODUCERS] = {&first, &second};

/* Copies in and in place, in turn. */
static void *produce(void *ring)
{
    for (uint64_t number = 0; number < count; number++) {
        struct item item = item_of(number);
        void *room;
        while ((number % 2 == 0 ? takt_ring_put(ring, &item, sizeof item)
                                : takt_ring_reserve(ring, sizeof item, &room)) != TAKT_OK) {
            sched_yield();
        }
        if (number % 2 == 1) {
            memcpy(room, &item, sizeof item);
            takt_ring_commit(ring, sizeof item);
        }
    }
    return NULL;
}

static void consume(void)
{
    TAKT_RING_GROUP_DEFINE(group, rings, PRODUCERS);
    uint64_t next[PRODUCERS] = {0};
    while (next[0] + next[1] < PRODUCERS * count) {
        struct item item;
        unsigned from;
        void *found;
        if (takt_ring_group_get(&group, &item, sizeof item, &from) == TAKT_OK) {
            check("ring", &item, next[from]++);
        } else {
            sched_yield();
        }
        if (takt_ring_take(&first, sizeof item, &found) == TAKT_OK) {
            check("ring in place", found, next[0]++);
            takt_ring_release(&first, sizeof item);
        }
    }
    printf("%llu items\n", (unsigned long long)(next[0] + next[1]));
}

TAKT_STATE_DEFINE(newest, sizeof(struct item), DEPTH);
TAKT_STATE_DEFINE(word, sizeof(uint32_t), DEPTH);

static void *write_all(void *unused)
{
    (void)unused;
    for (uint64_t number = 0; number < count; number++) {
        struct item item = item_of(number);
        uint32_t low = (uint32_t)number;
        takt_state_write(&newest, &item, sizeof item);
        takt_state_write(&word, &low, sizeof low);
        if (number % 64 == 0) {
            sched_yield(); /* now and then a read is not overtaken */
        }
    }
    return NULL;
}

static void *read_all(void *unused)
{
    uint64_t last = 0, good = 0, overtaken = 0;
    uint32_t last_word = 0;
    (void)unused;
    while (last + 1 < count) {
        struct item item;
        uint32_t low;
        if (takt_state_read(&newest, &item, sizeof item) == TAKT_OK) {
            uint64_t number = item.words[0] / WORDS;
            if (good > 0 || item.words[1] != 0) { /* before the first write it is all zeros */
                check("state", &item, number);
            }
            if (number < last) {
                printf("state: message %llu after %llu\n", (unsigned long long)number, (unsigned long long)last);
                exit(1);
            }
            last = number;
            good += item.words[1] != 0;
        } else {
            overtaken++;
        }
        if (takt_state_read(&word, &low, sizeof low) != TAKT_OK || low < last_word) {
            printf("state: word %u after %u\n", low, last_word);
            exit(1);
        }
        last_word = low;
    }
    printf("%llu messages, %llu overtaken\n", (unsigned long long)good, (unsigned long long)overtaken);
    return NULL;
}

static pthread_t start(void *(*run)(void *), void *argument)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, argument) != 0) {
        exit(2);
    }
    return thread;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    if (argc != 3) {
        return 2;
    }
    count = strtoull(argv[2], NULL, 10);
    if (strcmp(argv[1], "ring") == 0) {
        for (unsigned i = 0; i < PRODUCERS; i++) {
            threads[i] = start(produce, rings[i]);
        }
        consume();
    } else {
        for (unsigned i = 0; i < READERS; i++) {
            threads[i] = start(read_all, NULL);
        }
        write_all(NULL);
    }
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
