/* SPDX-License-Identifier: Apache-2.0 */
/* Values from blocks in every order, twice, mixed with older and newer ones: what is whole is one value. */
#include "takt/assemble.h"

#include "base/test/check.h"

enum { BLOCK = 256, SIZE = 70 * BLOCK - 3 };
static uint8_t bytes[TAKT_ASSEMBLE_BYTES(SIZE) + 1], text[2][SIZE];
static uint64_t came[TAKT_ASSEMBLE_WORDS(SIZE) + 1];
static struct takt_assemble assemble = {.bytes = bytes, .came = came, .size = SIZE, .block = BLOCK};

static struct takt_wire_packet block_of(uint64_t number, uint32_t total, uint32_t offset)
{
    struct takt_wire_packet packet = {.kind = TAKT_WIRE_DATA, .payload = text[number % 2] + offset};
    packet.data.number = number;
    packet.data.time_ns = 10 * number;
    packet.data.source = 7;
    packet.data.total = total;
    packet.data.offset = offset;
    packet.length = total - offset < BLOCK ? total - offset : BLOCK;
    return packet;
}

static enum takt_assemble_result add(uint64_t number, uint32_t total, uint32_t offset)
{
    struct takt_wire_packet packet = block_of(number, total, offset);
    return takt_assemble_add(&assemble, &packet);
}

static void test_order(void)
{
    takt_assemble_restart(&assemble);
    CHECK_EQUAL(add(5, 2 * BLOCK, BLOCK), TAKT_ASSEMBLE_MORE);
    CHECK_EQUAL(add(5, 2 * BLOCK, BLOCK), TAKT_ASSEMBLE_TWICE);
    CHECK_EQUAL(add(5, 2 * BLOCK, 0), TAKT_ASSEMBLE_WHOLE);
    CHECK_EQUAL(add(4, 2 * BLOCK, 0), TAKT_ASSEMBLE_OLD);
    CHECK_EQUAL(add(5, 2 * BLOCK, 0), TAKT_ASSEMBLE_OLD);
    CHECK_EQUAL(assemble.dropped + assemble.unseen, 0);
    CHECK_EQUAL(add(6, 2 * BLOCK, 0), TAKT_ASSEMBLE_MORE); /* its other block does not come */
    CHECK_EQUAL(add(9, 1, 0), TAKT_ASSEMBLE_WHOLE);        /* nothing of 7 and 8 */
    CHECK_EQUAL(assemble.dropped, 1);
    CHECK_EQUAL(assemble.unseen, 2);
    CHECK_EQUAL(add(6, 2 * BLOCK, BLOCK), TAKT_ASSEMBLE_OLD);
    CHECK_EQUAL(add(10, 0, 0), TAKT_ASSEMBLE_WHOLE); /* an empty one has one block */
    CHECK_EQUAL(add(10, 0, 0), TAKT_ASSEMBLE_OLD);
    CHECK_EQUAL(add(11, BLOCK + 1, 0), TAKT_ASSEMBLE_MORE);
    takt_assemble_restart(&assemble); /* another session: numbers from the beginning */
    CHECK_EQUAL(assemble.dropped, 2);
    CHECK_EQUAL(add(1, BLOCK + 1, BLOCK), TAKT_ASSEMBLE_MORE);
    CHECK_EQUAL(add(1, BLOCK + 1, 0), TAKT_ASSEMBLE_WHOLE);
    CHECK_EQUAL(assemble.unseen, 2);
}

/* Blocks of two values in turns: a queue with bands lets the blocks of one push before those of another. */
static void test_two(void)
{
    takt_assemble_restart(&assemble);
    assemble.dropped = assemble.unseen = 0;
    CHECK_EQUAL(add(1, 2 * BLOCK, 0), TAKT_ASSEMBLE_MORE);
    CHECK_EQUAL(add(2, 2 * BLOCK, 0), TAKT_ASSEMBLE_MORE);
    CHECK_EQUAL(add(1, 2 * BLOCK, 0), TAKT_ASSEMBLE_TWICE);
    CHECK_EQUAL(add(2, 2 * BLOCK, 0), TAKT_ASSEMBLE_TWICE);
    CHECK_EQUAL(add(1, 2 * BLOCK, BLOCK), TAKT_ASSEMBLE_WHOLE);
    CHECK_EQUAL(add(2, 2 * BLOCK, BLOCK), TAKT_ASSEMBLE_WHOLE);
    CHECK_EQUAL(assemble.dropped + assemble.unseen, 0);

    CHECK_EQUAL(add(4, 2 * BLOCK, 0), TAKT_ASSEMBLE_MORE); /* 3 comes wholly after the first block of 4 */
    CHECK_EQUAL(add(3, 1, 0), TAKT_ASSEMBLE_WHOLE);
    CHECK_EQUAL(add(4, 2 * BLOCK, BLOCK), TAKT_ASSEMBLE_WHOLE);
    CHECK_EQUAL(assemble.dropped + assemble.unseen, 0);

    CHECK_EQUAL(add(5, 2 * BLOCK, 0), TAKT_ASSEMBLE_MORE);
    CHECK_EQUAL(add(6, 1, 0), TAKT_ASSEMBLE_WHOLE); /* 5 is not whole before it, and never */
    CHECK_EQUAL(assemble.dropped, 1);
    CHECK_EQUAL(add(5, 2 * BLOCK, BLOCK), TAKT_ASSEMBLE_OLD);

    CHECK_EQUAL(add(10, 2 * BLOCK, 0), TAKT_ASSEMBLE_MORE);
    CHECK_EQUAL(add(7, 2 * BLOCK, 0), TAKT_ASSEMBLE_MORE);
    CHECK_EQUAL(add(9, 2 * BLOCK, 0), TAKT_ASSEMBLE_MORE); /* a third one: 7 is given up */
    CHECK_EQUAL(assemble.dropped, 2);
    CHECK_EQUAL(add(8, 2 * BLOCK, 0), TAKT_ASSEMBLE_OLD); /* older than both */
    CHECK_EQUAL(add(7, 2 * BLOCK, BLOCK), TAKT_ASSEMBLE_OLD);
    CHECK_EQUAL(assemble.unseen, 0);
    CHECK_EQUAL(add(10, 2 * BLOCK, BLOCK), TAKT_ASSEMBLE_WHOLE);
    CHECK_EQUAL(assemble.dropped, 3); /* 9 */
    CHECK_EQUAL(assemble.unseen, 1);  /* 8 */
    CHECK_EQUAL(add(9, 2 * BLOCK, BLOCK), TAKT_ASSEMBLE_OLD);

    CHECK_EQUAL(add(12, 2 * BLOCK, 0), TAKT_ASSEMBLE_MORE);
    CHECK_EQUAL(add(14, 2 * BLOCK, 0), TAKT_ASSEMBLE_MORE);
    takt_assemble_restart(&assemble);
    CHECK_EQUAL(assemble.dropped, 5); /* 12 and 14 */
    CHECK_EQUAL(assemble.unseen, 3);  /* 11 and 13 */
}

static void check_unfit(struct takt_wire_packet packet)
{
    struct takt_assemble before = assemble;
    CHECK_EQUAL(takt_assemble_add(&assemble, &packet), TAKT_ASSEMBLE_UNFIT);
    CHECK(memcmp(&before, &assemble, sizeof before) == 0);
}

static void test_unfit(void)
{
    takt_assemble_restart(&assemble);
    CHECK_EQUAL(add(3, 3 * BLOCK, 0), TAKT_ASSEMBLE_MORE);
    struct takt_wire_packet packet = block_of(3, 3 * BLOCK, BLOCK);
    packet.length--; /* shorter than a block, and not the last */
    check_unfit(packet);
    packet = block_of(3, 3 * BLOCK, BLOCK);
    packet.data.offset++;
    check_unfit(packet);
    packet.data.offset = 2 * BLOCK + 1;
    packet.length = BLOCK - 1; /* up to the end, from where no block begins */
    check_unfit(packet);
    packet = block_of(4, SIZE, 0); /* longer than values are, if only by a byte */
    packet.data.total++;
    check_unfit(packet);
    packet = block_of(3, 3 * BLOCK, BLOCK);
    packet.data.time_ns++;
    check_unfit(packet);
    packet = block_of(3, 3 * BLOCK, BLOCK);
    packet.data.source++;
    check_unfit(packet);
    check_unfit(block_of(3, 2 * BLOCK, BLOCK)); /* of another length */
    CHECK_EQUAL(add(3, 3 * BLOCK, BLOCK), TAKT_ASSEMBLE_MORE);
    CHECK_EQUAL(add(3, 3 * BLOCK, 2 * BLOCK), TAKT_ASSEMBLE_WHOLE);
}

static uint32_t fill(uint64_t number, uint32_t total, uint64_t *random)
{
    for (uint32_t i = 0; i < total; i++) {
        text[number % 2][i] = (uint8_t)check_random(random);
    }
    return total == 0 ? 1 : (total + BLOCK - 1) / BLOCK;
}

/*
 * All blocks of two values of random lengths, in random order: the first one is whole and what was sent if it is whole
 * before the second one, which always is.
 */
static void test_two_shuffled(void)
{
    uint64_t random = check_seed();
    unsigned both = 0;
    takt_assemble_restart(&assemble);
    assemble.dropped = assemble.unseen = 0;
    CHECK_EQUAL(add(1, 0, 0), TAKT_ASSEMBLE_WHOLE);
    for (uint64_t number = 2; number < 600; number += 2) {
        uint32_t total[2], missing[2], next[2] = {0, 0};
        for (unsigned i = 0; i < 2; i++) {
            total[i] = (uint32_t)(check_random(&random) % (SIZE + 1));
            missing[i] = fill(number + i, total[i], &random);
        }
        while (missing[0] + missing[1] > 0) {
            unsigned i = check_random(&random) % (missing[0] + missing[1]) < missing[1];
            enum takt_assemble_result result = add(number + i, total[i], BLOCK * next[i]++);
            missing[i]--;
            bool late = i == 0 && missing[1] == 0;
            CHECK_EQUAL(result, late ? TAKT_ASSEMBLE_OLD : missing[i] == 0 ? TAKT_ASSEMBLE_WHOLE : TAKT_ASSEMBLE_MORE);
            CHECK(result != TAKT_ASSEMBLE_WHOLE || memcmp(assemble.value, text[(number + i) % 2], total[i]) == 0);
            both += result == TAKT_ASSEMBLE_WHOLE && i == 0;
        }
        CHECK_EQUAL(number / 2, both + assemble.dropped + assemble.unseen);
    }
    CHECK(both > 50 && assemble.dropped > 50);
}

/* All blocks of random lengths, in random order; the whole is what was sent, and nothing beside it is touched. */
static void test_shuffled(void)
{
    uint64_t random = check_seed();
    takt_assemble_restart(&assemble);
    came[TAKT_ASSEMBLE_WORDS(SIZE)] = 42;
    for (uint64_t number = 1; number <= 300; number++) {
        uint32_t total = number == 1 ? SIZE : 1 + (uint32_t)(check_random(&random) % SIZE);
        uint32_t order[SIZE / BLOCK + 1], count = (total + BLOCK - 1) / BLOCK;
        fill(number, total, &random);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t other = (uint32_t)(check_random(&random) % (i + 1));
            order[i] = order[other];
            order[other] = i;
        }
        memset(bytes, 0xA5, sizeof bytes);
        for (uint32_t i = 0; i < count; i++) {
            CHECK_EQUAL(add(number, total, order[i] * BLOCK),
                        i + 1 == count ? TAKT_ASSEMBLE_WHOLE : TAKT_ASSEMBLE_MORE);
        }
        CHECK(memcmp(assemble.value, text[number % 2], total) == 0);
        CHECK_EQUAL(assemble.value[total], 0xA5);
        CHECK_EQUAL(came[TAKT_ASSEMBLE_WORDS(SIZE)], 42);
    }
    CHECK_EQUAL(TAKT_ASSEMBLE_WORDS(64 * BLOCK), 2);
    CHECK_EQUAL(TAKT_ASSEMBLE_WORDS(64 * BLOCK + 1), 4);
}

int main(void)
{
    test_order();
    test_two();
    test_unfit();
    test_two_shuffled();
    test_shuffled();
    return 0;
}
