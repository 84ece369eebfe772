/* SPDX-License-Identifier: Apache-2.0 */
/* Values from blocks in every order, twice, mixed with older and newer ones: what is whole is one value. */
#include "takt/assemble.h"

#include "base/test/check.h"

enum { BLOCK = 256, SIZE = 70 * BLOCK - 3 };
static uint8_t bytes[SIZE + 1], text[SIZE];
static uint64_t came[TAKT_ASSEMBLE_WORDS(SIZE) + 1];
static struct takt_assemble assemble = {.bytes = bytes, .came = came, .size = SIZE, .block = BLOCK};

static struct takt_wire_packet block_of(uint64_t number, uint32_t total, uint32_t offset)
{
    struct takt_wire_packet packet = {.kind = TAKT_WIRE_DATA, .payload = text + offset};
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
    CHECK_EQUAL(add(4, 2 * BLOCK, 0), TAKT_ASSEMBLE_OLD);
    CHECK_EQUAL(add(5, 2 * BLOCK, 0), TAKT_ASSEMBLE_WHOLE);
    CHECK_EQUAL(add(5, 2 * BLOCK, 0), TAKT_ASSEMBLE_TWICE);
    CHECK_EQUAL(assemble.dropped + assemble.unseen, 0);
    CHECK_EQUAL(add(6, 2 * BLOCK, 0), TAKT_ASSEMBLE_MORE); /* its other block does not come */
    CHECK_EQUAL(add(9, 1, 0), TAKT_ASSEMBLE_WHOLE);        /* nothing of 7 and 8 */
    CHECK_EQUAL(assemble.dropped, 1);
    CHECK_EQUAL(assemble.unseen, 2);
    CHECK_EQUAL(add(6, 2 * BLOCK, BLOCK), TAKT_ASSEMBLE_OLD);
    CHECK_EQUAL(add(10, 0, 0), TAKT_ASSEMBLE_WHOLE); /* an empty one has one block */
    CHECK_EQUAL(add(10, 0, 0), TAKT_ASSEMBLE_TWICE);
    CHECK_EQUAL(add(11, BLOCK + 1, 0), TAKT_ASSEMBLE_MORE);
    takt_assemble_restart(&assemble); /* another session: numbers from the beginning */
    CHECK_EQUAL(assemble.dropped, 2);
    CHECK_EQUAL(add(1, BLOCK + 1, BLOCK), TAKT_ASSEMBLE_MORE);
    CHECK_EQUAL(add(1, BLOCK + 1, 0), TAKT_ASSEMBLE_WHOLE);
    CHECK_EQUAL(assemble.unseen, 2);
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

/* All blocks of random lengths, in random order; the whole is what was sent, and nothing beside it is touched. */
static void test_shuffled(void)
{
    uint64_t random = check_seed();
    takt_assemble_restart(&assemble);
    came[TAKT_ASSEMBLE_WORDS(SIZE)] = 42;
    for (uint64_t number = 1; number <= 300; number++) {
        uint32_t total = number == 1 ? SIZE : 1 + (uint32_t)(check_random(&random) % SIZE);
        uint32_t order[SIZE / BLOCK + 1], count = (total + BLOCK - 1) / BLOCK;
        for (uint32_t i = 0; i < total; i++) {
            text[i] = (uint8_t)check_random(&random);
        }
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
        CHECK(memcmp(bytes, text, total) == 0);
        CHECK_EQUAL(bytes[total], 0xA5);
        CHECK_EQUAL(came[TAKT_ASSEMBLE_WORDS(SIZE)], 42);
    }
    CHECK_EQUAL(TAKT_ASSEMBLE_WORDS(64 * BLOCK), 1);
    CHECK_EQUAL(TAKT_ASSEMBLE_WORDS(64 * BLOCK + 1), 2);
}

int main(void)
{
    test_order();
    test_unfit();
    test_shuffled();
    return 0;
}
