/* SPDX-License-Identifier: Apache-2.0 */
/* The state message: every status, random calls beside a plain variable, and every interleaving of short programs. */
#include "base/test/check.h"
#include "base/test/interleave.h"
#include "kernel/port.h"
#include "takt/state.h"

#define ASSERTS "state.h" /* the file */
#include "asserts.h"

/* In place of takt_port_lock and unlock. */
static unsigned locks, unlocks;

uint32_t __wrap_takt_port_lock(void);
uint32_t __wrap_takt_port_lock(void)
{
    locks++;
    return 5;
}

void __wrap_takt_port_unlock(uint32_t lock);
void __wrap_takt_port_unlock(uint32_t lock)
{
    CHECK_EQUAL(lock, 5);
    unlocks++;
}

/* Three words: torn when they are not equal. */
struct message {
    uint32_t words[3];
};

static struct message message_of(uint32_t number)
{
    return (struct message){{number, number, number}};
}

TAKT_STATE_DEFINE(position, sizeof(struct message), 2);
TAKT_STATE_DEFINE(mode, 3, 2);

static void write(struct takt_state *state, uint32_t number)
{
    struct message message = message_of(number);
    takt_state_write(state, &message, sizeof message);
}

static void test_calls(void)
{
    static const struct message zeros;
    struct message message = message_of(9);
    uint8_t bytes[4] = {1, 2, 3, 4};
    CHECK_EQUAL(takt_state_read(&position, &message, sizeof message), TAKT_OK);
    CHECK(memcmp(&message, &zeros, sizeof message) == 0);
    for (uint32_t number = 1; number < 6; number++) {
        struct message expected = message_of(number);
        write(&position, number);
        for (unsigned again = 0; again < 2; again++) {
            memset(&message, 0, sizeof message);
            CHECK_EQUAL(takt_state_read(&position, &message, sizeof message), TAKT_OK);
            CHECK(memcmp(&message, &expected, sizeof message) == 0);
        }
    }
    CHECK_EQUAL(takt_state_read(&mode, bytes, 3), TAKT_OK);
    CHECK(bytes[0] == 0 && bytes[1] == 0 && bytes[2] == 0 && bytes[3] == 4);
    takt_state_write(&mode, "abc", 3);
    CHECK_EQUAL(takt_state_read(&mode, bytes, 3), TAKT_OK);
    CHECK(memcmp(bytes, "abc\4", 4) == 0);
    CHECK_EQUAL(TAKT_STATE_BYTES(sizeof(uintptr_t), 9), sizeof(uintptr_t));
}

/* A copy that the writer has come round to. */
static void test_overtaken(void)
{
    struct message message;
    struct takt_state_copy *copy =
        position.first + position.newest % 256 * (TAKT_STATE_BYTES(sizeof message, 1) / TAKT_WORD_SIZE);
    copy->mark += 256;
    CHECK_EQUAL(takt_state_read(&position, &message, sizeof message), TAKT_OVERTAKEN);
    CHECK_EQUAL(takt_state_read_locked(&position, &message, sizeof message), TAKT_OVERTAKEN);
    copy->mark -= 256;
    CHECK_EQUAL(takt_state_read(&position, &message, sizeof message), TAKT_OK);
}

/* The mark comes round, with every depth that there may be. */
static void test_wrap(void)
{
    static uint8_t storage[256 * 64];
    struct message message;
    for (size_t depth = 2; depth <= 256; depth++) {
        struct takt_state wrapping;
        CHECK(TAKT_STATE_BYTES(sizeof message, depth) <= sizeof storage);
        takt_state_init(&wrapping, storage, sizeof message, depth);
        wrapping.newest = UINTPTR_MAX - 255; /* the last time round; the first copy is the newest */
        wrapping.first->mark = wrapping.newest;
        for (uint32_t number = 1; number < 600; number++) {
            write(&wrapping, number);
            CHECK_EQUAL(takt_state_read(&wrapping, &message, sizeof message), TAKT_OK);
            CHECK_EQUAL(message.words[2], number);
            CHECK_EQUAL(wrapping.newest % 256, number % depth);
        }
        CHECK(wrapping.newest < 600 * 256);
    }
}

static void test_locked(void)
{
    struct message message, expected = message_of(4);
    uint8_t bytes[3];
    write(&position, 4);
    locks = unlocks = 0;
    CHECK_EQUAL(takt_state_read_locked(&position, &message, sizeof message), TAKT_OK);
    CHECK(memcmp(&message, &expected, sizeof message) == 0);
    CHECK(locks == 1 && unlocks == 1);
    CHECK_EQUAL(takt_state_read_locked(&mode, bytes, sizeof bytes), TAKT_OK);
    CHECK(memcmp(bytes, "abc", 3) == 0);
}

static _Alignas(64) uint8_t storage[4096];
static struct takt_state state;

static void test_misuse(void)
{
    uint8_t bytes[16];
    CHECK_FAULT(takt_state_init(&state, storage, 0, 2));
    CHECK_FAULT(takt_state_init(&state, storage, 16, 1));
    CHECK_FAULT(takt_state_init(&state, storage, 16, 257));
    CHECK_FAULT(takt_state_init(&state, storage + 2, 16, 2));
    takt_state_init(&state, storage, 16, 2);
    CHECK_FAULT(takt_state_write(&state, bytes, 12));
    CHECK_FAULT((void)!takt_state_read(&state, bytes, 12));
}

/* Any size and depth: the newest is what was written last, and nothing else of the storage is touched. */
static void test_sizes(void)
{
    static const size_t sizes[] = {1, 3, 4, 5, 7, 8, 9, 12, 16, 31, 56, 64, 100};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (size_t depth = 2; depth <= 5; depth++) {
            size_t size = sizes[i];
            memset(storage, 0xA5, sizeof storage);
            takt_state_init(&state, storage, size, depth);
            for (unsigned number = 0; number < 20; number++) {
                _Alignas(4) uint8_t in[100], out[104];
                for (size_t byte = 0; byte < size; byte++) {
                    in[byte] = (uint8_t)(number * 7 + byte);
                }
                memset(out, 0xA5, sizeof out);
                takt_state_write(&state, in, size);
                CHECK_EQUAL(takt_state_read(&state, out, size), TAKT_OK);
                CHECK(memcmp(in, out, size) == 0 && out[size] == 0xA5);
            }
            for (size_t rest = TAKT_STATE_BYTES(size, depth); rest < sizeof storage; rest++) {
                CHECK_EQUAL(storage[rest], 0xA5);
            }
        }
    }
}

/*
 * Every interleaving: a read gives a whole message that was the newest at some time of the read, never an older one
 * than the read before, and is refused only if as many writes as there are copies were under way during it.
 */
static unsigned writes, reads, depth; /* of a program */
static uint32_t begun, complete;
static unsigned good, overtaken;

static void interleaved_begin(void)
{
    takt_state_init(&state, storage, sizeof(struct message), depth);
    begun = complete = 0;
}

static void writer(void)
{
    for (unsigned i = 0; i < writes; i++) {
        begun++;
        write(&state, begun);
        complete++;
    }
}

static void reader(void)
{
    uint32_t last = 0;
    for (unsigned i = 0; i < reads; i++) {
        struct message message;
        uint32_t first = complete;
        enum takt_status status = takt_state_read(&state, &message, sizeof message);
        if (status == TAKT_OK) {
            uint32_t number = message.words[0];
            struct message expected = message_of(number);
            CHECK(memcmp(&message, &expected, sizeof message) == 0);
            CHECK(number >= first && number >= last && number <= begun);
            last = number;
            good++;
        } else {
            CHECK_EQUAL(status, TAKT_OVERTAKEN);
            CHECK(begun - first >= depth);
            overtaken++;
        }
    }
}

static void interleaved_end(void)
{
    struct message message, expected = message_of(complete);
    CHECK_EQUAL(takt_state_read(&state, &message, sizeof message), TAKT_OK);
    CHECK(memcmp(&message, &expected, sizeof message) == 0);
}

static void test_interleaved(void)
{
    static const struct {
        unsigned writes, reads, depth;
    } programs[] = {{1, 1, 2}, {2, 1, 2}, {3, 1, 2}, {4, 1, 2}, {2, 2, 2}, {2, 1, 3}, {3, 1, 3}, {4, 1, 3}};
    unsigned long runs = 0;
    for (unsigned i = 0; i < sizeof programs / sizeof *programs; i++) {
        writes = programs[i].writes;
        reads = programs[i].reads;
        depth = programs[i].depth;
        overtaken = 0;
        runs += interleave_all(interleaved_begin, writer, reader, interleaved_end);
        CHECK((overtaken > 0) == (writes >= depth));
    }
    printf("%zu programs, %lu interleavings\n", sizeof programs / sizeof *programs, runs);
    CHECK(good > 0);
}

int main(void)
{
    test_calls();
    test_overtaken();
    test_wrap();
    test_locked();
    test_misuse();
    test_sizes();
    test_interleaved();
    return 0;
}
