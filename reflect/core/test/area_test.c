/* SPDX-License-Identifier: Apache-2.0 */
/* Areas: every status, shapes, order, what is lost, numbers that come round, and memory that holds anything. */
#include "takt/area.h"

#include "base/test/check.h"

enum { ROOM = 64 * 1024 };
static _Alignas(64) uint8_t memory[ROOM];
static struct takt_area area;
static struct takt_area_reader reader;
static struct takt_area_value value;
static uint8_t to[ROOM];

static struct takt_area_stamp stamp_of(uint64_t number, uint32_t length)
{
    return (struct takt_area_stamp){.time_ns = number * 1000 + 7, .source = (uint32_t)number * 3, .length = length};
}

/* Byte `byte` of the value of that number. */
static uint8_t byte_of(uint64_t number, size_t byte)
{
    return (uint8_t)(number * 31 + byte * 7);
}

static void write(uint64_t number, uint32_t length)
{
    static uint8_t from[ROOM];
    struct takt_area_stamp stamp = stamp_of(number, length);
    for (size_t byte = 0; byte < length; byte++) {
        from[byte] = byte_of(number, byte);
    }
    CHECK_EQUAL(takt_area_write(&area, from, &stamp), TAKT_OK);
}

static void check_value(uint64_t number, uint32_t length)
{
    struct takt_area_stamp stamp = stamp_of(number, length);
    CHECK_EQUAL(value.number, number);
    CHECK(memcmp(&value.stamp, &stamp, sizeof stamp) == 0);
    for (size_t byte = 0; byte < length; byte++) {
        CHECK_EQUAL(to[byte], byte_of(number, byte));
    }
    CHECK_EQUAL(to[length], 0xA5);
}

static void check_read(uint64_t number, uint32_t length)
{
    memset(to, 0xA5, length + 1);
    CHECK_EQUAL(takt_area_read(&reader, to, &value), TAKT_OK);
    check_value(number, length);
}

static void check_taken(uint64_t number, uint32_t length)
{
    memset(to, 0xA5, length + 1);
    CHECK_EQUAL(takt_area_take(&reader, to, &value), TAKT_OK);
    check_value(number, length);
}

static void begin(uint32_t size, uint32_t depth)
{
    CHECK(TAKT_AREA_BYTES(size, depth) <= sizeof memory);
    CHECK_EQUAL(takt_area_init(&area, memory, (struct takt_area_shape){size, depth}), TAKT_OK);
    CHECK_EQUAL(takt_area_attach(&reader, memory, TAKT_AREA_BYTES(size, depth)), TAKT_OK);
}

static void test_shapes(void)
{
    static const struct takt_area_shape none[] = {{0, 4}, {TAKT_AREA_SIZE_MAX + 1, 4}, {8, 0}, {8, 1},
                                                  {8, 6}, {8, 2 * TAKT_AREA_DEPTH_MAX}};
    memset(memory, 0x5A, sizeof memory);
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++) {
        CHECK_EQUAL(takt_area_init(&area, memory, none[i]), TAKT_LIMIT);
    }
    CHECK_EQUAL(takt_area_init(&area, memory + 4, (struct takt_area_shape){8, 4}), TAKT_LIMIT);
    for (size_t byte = 0; byte < sizeof memory; byte++) {
        CHECK_EQUAL(memory[byte], 0x5A);
    }
    static const uint32_t sizes[] = {1, 3, 7, 8, 9, 31, 64, 100, 1000};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (uint32_t depth = 2; depth <= 32; depth *= 2) {
            size_t bytes = TAKT_AREA_BYTES(sizes[i], depth);
            memset(memory, 0x5A, sizeof memory);
            begin(sizes[i], depth);
            for (uint64_t number = 1; number <= 2 * depth + 1; number++) {
                write(number, sizes[i]);
                check_read(number, sizes[i]);
            }
            for (size_t rest = bytes; rest < bytes + 64; rest++) {
                CHECK_EQUAL(memory[rest], 0x5A);
            }
        }
    }
}

static void test_order(void)
{
    begin(24, 4);
    CHECK_EQUAL(takt_area_newest(&reader), 0);
    CHECK_EQUAL(takt_area_read(&reader, to, &value), TAKT_EMPTY);
    CHECK_EQUAL(takt_area_take(&reader, to, &value), TAKT_EMPTY);
    for (uint64_t number = 1; number <= 4; number++) {
        write(number, (uint32_t)number);
    }
    CHECK_EQUAL(takt_area_newest(&reader), 4);
    check_read(4, 4);
    check_read(4, 4);
    for (uint64_t number = 1; number <= 4; number++) {
        check_taken(number, (uint32_t)number);
    }
    CHECK_EQUAL(takt_area_take(&reader, to, &value), TAKT_EMPTY);
    CHECK_EQUAL(reader.lost, 0);
    for (uint64_t number = 5; number <= 15; number++) {
        write(number, 0);
    }
    check_taken(12, 0);
    CHECK_EQUAL(reader.lost, 7);
    write(16, 24);
    check_taken(13, 0);
    check_taken(14, 0);
    check_taken(15, 0);
    check_taken(16, 24);
    CHECK_EQUAL(reader.lost, 7);

    struct takt_area_reader later; /* a later reader takes later values */
    CHECK_EQUAL(takt_area_attach(&later, memory, sizeof memory), TAKT_OK);
    CHECK_EQUAL(takt_area_take(&later, to, &value), TAKT_EMPTY);
    CHECK_EQUAL(takt_area_read(&later, to, &value), TAKT_OK);
    CHECK_EQUAL(value.number, 16);
}

static void test_too_long(void)
{
    struct takt_area_stamp stamp = stamp_of(1, 9);
    begin(8, 2);
    CHECK_EQUAL(takt_area_write(&area, to, &stamp), TAKT_LIMIT);
    CHECK_EQUAL(takt_area_read(&reader, to, &value), TAKT_EMPTY);
}

static void test_attach(void)
{
    size_t bytes = TAKT_AREA_BYTES(40, 8);
    begin(40, 8);
    CHECK_EQUAL(takt_area_attach(&reader, memory, bytes - 1), TAKT_STATE);
    CHECK_EQUAL(takt_area_attach(&reader, memory, sizeof(struct takt_area_memory) - 1), TAKT_STATE);
    CHECK_EQUAL(takt_area_attach(&reader, memory, 0), TAKT_STATE);
    CHECK_EQUAL(takt_area_attach(&reader, memory + 4, bytes), TAKT_STATE);
    for (unsigned word = 0; word < 4; word++) { /* magic, version, size, depth */
        begin(40, 8);
        ((uintptr_t *)(void *)memory)[word] ^= word < 2 ? 1 : (uintptr_t)1 << 31;
        CHECK_EQUAL(takt_area_attach(&reader, memory, bytes), TAKT_STATE);
    }
    begin(40, 8);
    area.memory->depth = 16; /* another shape, for which the memory is too short */
    CHECK_EQUAL(takt_area_attach(&reader, memory, bytes), TAKT_STATE);
    CHECK_EQUAL(takt_area_attach(&reader, memory, TAKT_AREA_BYTES(40, 16)), TAKT_OK);
}

static void test_overtaken(void)
{
    begin(8, 2);
    write(1, 8);
    memory[sizeof(struct takt_area_memory) + TAKTR_AREA_STRIDE(8)] = 0; /* the number of its slot */
    CHECK_EQUAL(takt_area_read(&reader, to, &value), TAKT_OVERTAKEN);
    CHECK_EQUAL(takt_area_take(&reader, to, &value), TAKT_EMPTY);
    CHECK_EQUAL(reader.lost, 1);
}

/* A length that no writer of ours would write. */
static void test_length(void)
{
    begin(8, 2);
    write(1, 8);
    void *slot = memory + sizeof(struct takt_area_memory) + TAKTR_AREA_STRIDE(8);
    struct takt_area_stamp stamp = {.length = 9};
    memcpy(((struct takt_area_slot *)slot)->stamp, &stamp, sizeof stamp);
    memset(to, 0xA5, 9);
    CHECK_EQUAL(takt_area_read(&reader, to, &value), TAKT_OK);
    CHECK_EQUAL(value.stamp.length, 8);
    CHECK_EQUAL(to[8], 0xA5);
}

/* Numbers come round: the one that would be 0 is skipped, with as many as lead to the same slot. */
static void test_wrap(void)
{
    begin(8, 4);
    area.number = UINTPTR_MAX - 2;
    area.memory->newest[0] = area.number;
    CHECK_EQUAL(takt_area_attach(&reader, memory, sizeof memory), TAKT_OK);
    static const uintptr_t numbers[] = {UINTPTR_MAX - 1, UINTPTR_MAX, 4, 5, 6};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        write(numbers[i], 8);
        check_read(numbers[i], 8);
    }
    check_taken(4, 8); /* of the four slots one is of the number that was skipped */
    check_taken(5, 8);
    check_taken(6, 8);
    CHECK_EQUAL(takt_area_take(&reader, to, &value), TAKT_EMPTY);
}

/* Whatever the memory holds: calls end, and stay inside it and the value (the sanitizers see to that). */
static void test_hostile(void)
{
    uint64_t state = check_seed();
    unsigned attached = 0, good = 0;
    for (unsigned long run = 0; run < check_cases(20000); run++) {
        uint32_t size = 1 + (uint32_t)(check_random(&state) % 40);
        uint32_t depth = UINT32_C(2) << check_random(&state) % 3;
        size_t bytes = TAKT_AREA_BYTES(size, depth);
        uint8_t *own = aligned_alloc(64, (bytes + 63) / 64 * 64);
        uint8_t *room = malloc(size);
        CHECK(own != NULL && room != NULL);
        CHECK_EQUAL(takt_area_init(&area, own, (struct takt_area_shape){size, depth}), TAKT_OK);
        for (uint64_t number = check_random(&state) % 8; number > 0; number--) {
            write(area.number + 1, size);
        }
        CHECK_EQUAL(takt_area_attach(&reader, own, bytes), TAKT_OK);
        reader.taken = check_random(&state) % 2 ? 0 : check_random(&state);
        for (unsigned call = 0; call < 20; call++) {
            uintptr_t *words = (uintptr_t *)(void *)own;
            size_t word = check_random(&state) % (bytes / sizeof *words);
            words[word] = check_random(&state) % 3 ? check_random(&state) % 9 : check_random(&state);
            struct takt_area_reader again;
            attached += takt_area_attach(&again, own, bytes) == TAKT_OK;
            enum takt_status read = takt_area_read(&reader, room, &value);
            CHECK(read == TAKT_OK || read == TAKT_EMPTY || read == TAKT_OVERTAKEN);
            CHECK(read != TAKT_OK || value.stamp.length <= size);
            enum takt_status taken = takt_area_take(&reader, room, &value);
            CHECK(taken == TAKT_OK || taken == TAKT_EMPTY || taken == TAKT_OVERTAKEN);
            good += read == TAKT_OK && taken == TAKT_OK;
        }
        free(own);
        free(room);
    }
    CHECK(attached > 0 && good > 0);
}

int main(void)
{
    test_shapes();
    test_order();
    test_too_long();
    test_attach();
    test_overtaken();
    test_length();
    test_wrap();
    test_hostile();
    return 0;
}
