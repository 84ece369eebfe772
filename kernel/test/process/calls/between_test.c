/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rings and state messages between processes: in order as without them, and whatever the other end writes into the
 * storage, this end stays in it (before and behind it nothing may change; the address sanitizer finds reads there).
 */
#include "base/test/check.h"
#include "takt/ring.h"
#include "takt/state.h"

#include <string.h>

enum { CAPACITY = 3, GUARD = 64, TRIES = 20000, SIZE_MOST = 100 };

struct item {
    uint32_t number;
    uint8_t rest[8];
};

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
    return (uint32_t)(check_random(&random_state) % below);
}

/* Something that might be a number of a place, a state, a mark or an address; or not. */
static uintptr_t hostile(uintptr_t near)
{
    const uintptr_t words[] = {draw(8), draw(300), near + draw(64), UINTPTR_MAX - draw(4), (uintptr_t)1 << draw(32)};
    return words[draw(sizeof words / sizeof *words)];
}

static _Alignas(64) uint8_t ring_bytes[GUARD + TAKT_RING_BYTES(sizeof(struct item), CAPACITY) + GUARD];
static _Alignas(64) uint8_t state_bytes[GUARD + TAKT_STATE_BYTES(sizeof(struct item), CAPACITY) + GUARD];

static void scribble(uint8_t *bytes, size_t size)
{
    for (size_t place = GUARD; place + sizeof(uintptr_t) <= size - GUARD; place += sizeof(uintptr_t)) {
        uintptr_t word = hostile((uintptr_t)bytes);
        if (draw(2) == 0) {
            memcpy(bytes + place, &word, sizeof word);
        }
    }
}

static void check_guards(const uint8_t *bytes, size_t size)
{
    for (size_t place = 0; place < GUARD; place++) {
        CHECK(bytes[place] == 0xA5 && bytes[size - 1 - place] == 0xA5);
    }
}

static void test_a_ring_hands_over_in_order(void)
{
    TAKT_RING_DEFINE(ring, sizeof(struct item), CAPACITY);
    struct takt_ring kept = ring;
    uint32_t sent = 0;
    uint32_t come = 0;
    for (unsigned step = 0; step < TRIES; step++) {
        struct item item = {.number = sent};
        if (draw(2) == 0) {
            enum takt_status status = takt_ring_put(&ring, &item, sizeof item);
            CHECK_EQUAL(status, sent - come == CAPACITY ? TAKT_FULL : TAKT_OK);
            sent += status == TAKT_OK ? 1 : 0;
        } else {
            enum takt_status status = takt_ring_get(&ring, &item, sizeof item);
            CHECK_EQUAL(status, sent == come ? TAKT_EMPTY : TAKT_OK);
            CHECK(status != TAKT_OK || item.number == come);
            come += status == TAKT_OK ? 1 : 0;
        }
    }
    CHECK(come > TRIES / 8);
    CHECK(memcmp(&ring, &kept, sizeof ring) == 0);
}

/* Items that take a part of a line, a whole one, or more, next to each other. */
static void test_a_ring_for_items_of_any_size(void)
{
    static _Alignas(64) uint8_t bytes[TAKT_RING_BYTES(SIZE_MOST, CAPACITY)];
    uint8_t put[SIZE_MOST];
    uint8_t got[SIZE_MOST];
    for (size_t size = 1; size <= SIZE_MOST; size++) {
        struct takt_ring ring;
        takt_ring_init(&ring, bytes, size, CAPACITY);
        for (unsigned number = 0; number < CAPACITY; number++) {
            memset(put, (int)(size + number), size);
            CHECK_EQUAL(takt_ring_put(&ring, put, size), TAKT_OK);
        }
        CHECK_EQUAL(takt_ring_put(&ring, put, size), TAKT_FULL);
        for (unsigned number = 0; number < CAPACITY; number++) {
            memset(put, (int)(size + number), size);
            CHECK_EQUAL(takt_ring_get(&ring, got, size), TAKT_OK);
            CHECK(memcmp(got, put, size) == 0);
        }
        CHECK_EQUAL(takt_ring_get(&ring, got, size), TAKT_EMPTY);
    }
}

/* What an end was given to work in: one whole place of the storage. */
static void check_place(const void *item)
{
    size_t at = (size_t)((const uint8_t *)item - (ring_bytes + GUARD + sizeof(struct takt_ring_ends)));
    CHECK_EQUAL((at - TAKTI_RING_ITEM(sizeof(struct item))) % TAKTI_RING_STRIDE(sizeof(struct item)), 0);
    CHECK(at < CAPACITY * TAKTI_RING_STRIDE(sizeof(struct item)));
}

static void ring_step(struct takt_ring *ring)
{
    struct item item = {.number = 1};
    void *place = NULL;
    switch (draw(6)) {
    case 0:
        (void)!takt_ring_put(ring, &item, sizeof item);
        break;
    case 1:
        (void)!takt_ring_get(ring, &item, sizeof item);
        break;
    case 2:
        if (takt_ring_reserve(ring, sizeof item, &place) == TAKT_OK) {
            check_place(place);
        }
        break;
    case 3:
        takt_ring_commit(ring, sizeof item);
        break;
    case 4:
        if (takt_ring_take(ring, sizeof item, &place) == TAKT_OK) {
            check_place(place);
        }
        break;
    default:
        takt_ring_release(ring, sizeof item);
        break;
    }
}

static void test_a_hostile_end_of_a_ring(void)
{
    struct takt_ring ring;
    memset(ring_bytes, 0xA5, sizeof ring_bytes);
    takt_ring_init(&ring, ring_bytes + GUARD, sizeof(struct item), CAPACITY);
    const struct takt_ring kept = ring;
    for (unsigned tried = 0; tried < TRIES; tried++) {
        scribble(ring_bytes, sizeof ring_bytes);
        for (unsigned step = 0; step < 4; step++) {
            ring_step(&ring);
        }
        check_guards(ring_bytes, sizeof ring_bytes);
        CHECK(memcmp(&ring, &kept, sizeof ring) == 0);
    }
    memset(ring_bytes + GUARD, 0, sizeof ring_bytes - (size_t)(2 * GUARD)); /* the other end starts again */
    struct item item = {.number = 5};
    CHECK_EQUAL(takt_ring_put(&ring, &item, sizeof item), TAKT_OK);
    CHECK_EQUAL(takt_ring_get(&ring, &item, sizeof item), TAKT_OK);
    CHECK_EQUAL(item.number, 5);
}

static void test_a_state_message_is_the_newest(void)
{
    TAKT_STATE_DEFINE(state, sizeof(struct item), CAPACITY);
    TAKT_STATE_DEFINE(word, 3, 2);
    struct item item;
    uint8_t small[3] = {1, 1, 1};
    CHECK_EQUAL(takt_state_read(&state, &item, sizeof item), TAKT_OK);
    CHECK_EQUAL(item.number, 0);
    CHECK_EQUAL(takt_state_read(&word, small, sizeof small), TAKT_OK);
    CHECK_EQUAL(small[0] + small[1] + small[2], 0);
    for (uint32_t number = 1; number < 1000; number++) {
        const struct item written = {.number = number, .rest = {(uint8_t)number}};
        takt_state_write(&state, &written, sizeof written);
        CHECK_EQUAL(takt_state_read(&state, &item, sizeof item), TAKT_OK);
        CHECK(memcmp(&item, &written, sizeof item) == 0);
        takt_state_write(&word, written.rest, sizeof small);
        CHECK_EQUAL(takt_state_read(&word, small, sizeof small), TAKT_OK);
        CHECK_EQUAL(small[0], (uint8_t)number);
    }
}

/* The writer may have written anything; and the reader whose memory it is not finds out, or reads what is there. */
static void test_a_hostile_writer_of_a_state_message(void)
{
    struct takt_state state;
    memset(state_bytes, 0xA5, sizeof state_bytes);
    takt_state_init(&state, state_bytes + GUARD, sizeof(struct item), CAPACITY);
    const struct takt_state kept = state;
    unsigned overtaken = 0;
    for (unsigned tried = 0; tried < TRIES; tried++) {
        struct item item = {.number = 1};
        scribble(state_bytes, sizeof state_bytes);
        enum takt_status status = takt_state_read(&state, &item, sizeof item);
        CHECK(status == TAKT_OK || status == TAKT_OVERTAKEN);
        overtaken += status == TAKT_OVERTAKEN ? 1 : 0;
        takt_state_write(&state, &item, sizeof item); /* by one that was damaged */
        check_guards(state_bytes, sizeof state_bytes);
        CHECK(memcmp(&state, &kept, sizeof state) == 0);
    }
    CHECK(overtaken > 0 && overtaken < TRIES);
    size_t apart = TAKTI_STATE_STRIDE(sizeof(struct item)) / TAKT_WORD_SIZE;
    struct item item;
    takt_word_store(&TAKTI_STATE_NEWEST(&state), CAPACITY);
    (TAKTI_STATE_FIRST(&state) + CAPACITY * apart)->mark = CAPACITY; /* behind the last: it looks like a copy */
    CHECK_EQUAL(takt_state_read(&state, &item, sizeof item), TAKT_OVERTAKEN);
}

int main(void)
{
    random_state = check_seed();
    test_a_ring_hands_over_in_order();
    test_a_ring_for_items_of_any_size();
    test_a_hostile_end_of_a_ring();
    test_a_state_message_is_the_newest();
    test_a_hostile_writer_of_a_state_message();
    return 0;
}
