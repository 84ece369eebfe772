/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every interleaving of a writer and a reader: what is read is one value that was the newest at some time of the
 * read, and no older than the one before; what is taken comes in order, and all that is not is counted as lost.
 */
#include "base/test/check.h"

#include "base/test/interleave.h"

#include "reflect/core/src/area.c"

static _Alignas(64) uint8_t memory[4096];
static struct takt_area area;
static struct takt_area_reader reader;
static unsigned before, writes, reads, depth, length; /* of a program; `before`: writes that come before the reader */
static uintptr_t begun, complete, taken;
static unsigned good, overtaken;

static void write_one(void)
{
    begun++;
    struct takt_area_stamp stamp = {.time_ns = begun, .source = (uint32_t)begun, .length = length};
    CHECK_EQUAL(takt_area_write(&area, &begun, &stamp), TAKT_OK);
    complete++;
}

static void interleaved_begin(void)
{
    struct takt_area_shape shape = {sizeof(uintptr_t), depth};
    CHECK_EQUAL(takt_area_init(&area, memory, shape), TAKT_OK);
    CHECK_EQUAL(takt_area_attach(&reader, memory, sizeof memory), TAKT_OK);
    begun = complete = taken = 0;
    for (unsigned i = 0; i < before; i++) {
        write_one();
    }
}

static void writer(void)
{
    for (unsigned i = 0; i < writes; i++) {
        write_one();
    }
}

static uintptr_t check_whole(uintptr_t word, const struct takt_area_value *value)
{
    CHECK(length == 0 || word == value->number);
    CHECK(value->stamp.time_ns == value->number && value->stamp.source == value->number);
    CHECK(value->stamp.length == length);
    good++;
    return value->number;
}

static void read_newest(void)
{
    uintptr_t last = 0;
    for (unsigned i = 0; i < reads; i++) {
        uintptr_t word = 0;
        struct takt_area_value value;
        uintptr_t oldest = complete;
        enum takt_status status = takt_area_read(&reader, &word, &value);
        if (status == TAKT_OK) {
            uintptr_t number = check_whole(word, &value);
            CHECK(number >= oldest && number >= last && number <= begun);
            last = number;
        } else if (status == TAKT_EMPTY) {
            CHECK_EQUAL(oldest, 0);
        } else {
            CHECK(status == TAKT_OVERTAKEN && begun - oldest >= depth);
            overtaken++;
        }
    }
}

static void take_all(void)
{
    for (unsigned i = 0; i < reads; i++) {
        uintptr_t word = 0;
        struct takt_area_value value;
        uintptr_t oldest = complete;
        enum takt_status status = takt_area_take(&reader, &word, &value);
        if (status == TAKT_OK) {
            uintptr_t number = check_whole(word, &value);
            CHECK(number > taken && number <= begun);
            taken = number;
            CHECK_EQUAL(reader.taken, number);
        } else {
            CHECK(status == TAKT_EMPTY || status == TAKT_OVERTAKEN);
            CHECK(status != TAKT_EMPTY || reader.taken >= oldest);
        }
    }
}

static unsigned taken_in_all; /* good ones of the run */

static void take_begin(void)
{
    interleaved_begin();
    taken_in_all = good;
}

/* The rest, now that the writer is done: as many were taken as were not lost. */
static void take_end(void)
{
    uintptr_t word = 0;
    struct takt_area_value value;
    while (takt_area_take(&reader, &word, &value) == TAKT_OK) {
        CHECK(check_whole(word, &value) > taken);
        taken = value.number;
    }
    CHECK_EQUAL(good - taken_in_all + reader.lost, before + writes);
}

static void read_end(void)
{
    uintptr_t word = 0;
    struct takt_area_value value;
    CHECK_EQUAL(takt_area_read(&reader, &word, &value), TAKT_OK);
    CHECK_EQUAL(check_whole(word, &value), complete);
}

int main(void)
{
    static const struct {
        unsigned before, writes, reads, depth, length;
    } programs[] = {{0, 1, 1, 2, sizeof(uintptr_t)},
                    {0, 2, 1, 2, sizeof(uintptr_t)},
                    {1, 1, 2, 2, 0},
                    {1, 2, 1, 2, 0}}; /* a reader is overtaken by the second write, and tries again */
    const char *full = getenv("TAKT_TEST_FULL");
    unsigned count = sizeof programs / sizeof *programs - (full == NULL || *full == '\0'); /* the last is most of all */
    unsigned long runs = 0;
    for (unsigned i = 0; i < count; i++) {
        before = programs[i].before;
        writes = programs[i].writes;
        reads = programs[i].reads;
        depth = programs[i].depth;
        length = programs[i].length;
        runs += interleave_all(interleaved_begin, writer, read_newest, read_end);
        runs += interleave_all(take_begin, writer, take_all, take_end);
    }
    printf("%u programs, %lu interleavings, overtaken %u times\n", count, runs, overtaken);
    CHECK(good > 0 && overtaken == 0);
    return 0;
}
