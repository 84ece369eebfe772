/* SPDX-License-Identifier: Apache-2.0 */
/* The ring: every status, random calls beside a plain queue, and every interleaving of short programs. */
#include "base/test/check.h"
#include "base/test/interleave.h"
#include "takt/ring.h"

#define ASSERTS "ring.h" /* the file */
#include "asserts.h"

TAKT_RING_DEFINE(pair, sizeof(uint32_t), 2);

static enum takt_status put(struct takt_ring *ring, uint32_t item)
{
    return takt_ring_put(ring, &item, sizeof item);
}

/* What get says; the item is checked. */
static enum takt_status get(struct takt_ring *ring, uint32_t expected)
{
    uint32_t item = 77;
    enum takt_status status = takt_ring_get(ring, &item, sizeof item);
    CHECK_EQUAL(item, status == TAKT_OK ? expected : 77);
    return status;
}

static void test_statuses(void)
{
    void *item;
    CHECK_EQUAL(get(&pair, 0), TAKT_EMPTY);
    CHECK_EQUAL(takt_ring_reserve(&pair, 4, &item), TAKT_OK);
    CHECK_EQUAL(get(&pair, 0), TAKT_EMPTY_BUT_WRITING);
    CHECK_EQUAL(takt_ring_take(&pair, 4, &item), TAKT_EMPTY_BUT_WRITING);
    CHECK_EQUAL(put(&pair, 1), TAKT_OK); /* into the room that was reserved */
    CHECK_EQUAL(put(&pair, 2), TAKT_OK);
    CHECK_EQUAL(put(&pair, 3), TAKT_FULL);
    CHECK_EQUAL(takt_ring_reserve(&pair, 4, &item), TAKT_FULL);
    CHECK_EQUAL(takt_ring_take(&pair, 4, &item), TAKT_OK);
    CHECK_EQUAL(*(uint32_t *)item, 1);
    CHECK_EQUAL(put(&pair, 3), TAKT_FULL_BUT_READING);
    CHECK_EQUAL(takt_ring_reserve(&pair, 4, &item), TAKT_FULL_BUT_READING);
    CHECK_EQUAL(get(&pair, 1), TAKT_OK); /* what was taken */
    CHECK_EQUAL(takt_ring_take(&pair, 4, &item), TAKT_OK);
    CHECK_EQUAL(*(uint32_t *)item, 2);
    CHECK_EQUAL(takt_ring_take(&pair, 4, &item), TAKT_OK);
    CHECK_EQUAL(*(uint32_t *)item, 2);
    takt_ring_release(&pair, 4);
    CHECK_EQUAL(takt_ring_take(&pair, 4, &item), TAKT_EMPTY);
}

static void test_in_place(void)
{
    void *item;
    for (uint32_t number = 0; number < 5; number++) {
        CHECK_EQUAL(takt_ring_reserve(&pair, 4, &item), TAKT_OK);
        CHECK((uintptr_t)item % 4 == 0);
        *(uint32_t *)item = number;
        takt_ring_commit(&pair, 4);
        CHECK_EQUAL(get(&pair, number), TAKT_OK);
    }
}

static void test_misuse(void)
{
    static uint64_t storage[16];
    struct takt_ring ring;
    uint32_t item = 0;
    void *memory;
    CHECK_FAULT(takt_ring_init(&ring, storage, 0, 1));
    CHECK_FAULT(takt_ring_init(&ring, storage, 4, 0));
    CHECK_FAULT(takt_ring_init(&ring, (char *)storage + 4, 4, 1));
    takt_ring_init(&ring, storage, 4, 2);
    CHECK_FAULT((void)!takt_ring_put(&ring, &item, 8));
    CHECK_FAULT((void)!takt_ring_get(&ring, &item, 8));
    CHECK_FAULT((void)!takt_ring_reserve(&ring, 8, &memory));
    CHECK_FAULT((void)!takt_ring_take(&ring, 8, &memory));
    CHECK_FAULT(takt_ring_commit(&ring, 4));  /* nothing was reserved */
    CHECK_FAULT(takt_ring_release(&ring, 4)); /* nothing was taken */
    CHECK_EQUAL(takt_ring_reserve(&ring, 4, &memory), TAKT_OK);
    CHECK_FAULT(takt_ring_commit(&ring, 8));
    takt_ring_commit(&ring, 4);
    CHECK_EQUAL(takt_ring_take(&ring, 4, &memory), TAKT_OK);
    CHECK_FAULT(takt_ring_release(&ring, 8));
}

static unsigned asked;
static enum takt_status why;

static bool ask(enum takt_status status)
{
    why = status;
    return ++asked < 3;
}

static bool make_room(enum takt_status status)
{
    asked++;
    return status == TAKT_FULL && get(&pair, 1) == TAKT_OK;
}

static bool make_item(enum takt_status status)
{
    asked++;
    return status == TAKT_EMPTY && put(&pair, 4) == TAKT_OK;
}

static void test_retry(void)
{
    const struct takt_ring_retry at_once = {0}, spin = {.tries = 5}, until = {5, ask}, twice = {2, ask};
    const struct takt_ring_retry room = {9, make_room}, item = {9, make_item};
    uint32_t value = 1;
    CHECK_EQUAL(takt_ring_get_retry(&pair, &value, 4, &at_once), TAKT_EMPTY);
    CHECK_EQUAL(takt_ring_get_retry(&pair, &value, 4, &spin), TAKT_EMPTY);
    asked = 0;
    CHECK_EQUAL(takt_ring_get_retry(&pair, &value, 4, &until), TAKT_EMPTY);
    CHECK(asked == 3 && why == TAKT_EMPTY); /* it gave up */
    asked = 0;
    CHECK_EQUAL(takt_ring_get_retry(&pair, &value, 4, &twice), TAKT_EMPTY);
    CHECK_EQUAL(asked, 2); /* the bound came first */
    CHECK_EQUAL(takt_ring_put_retry(&pair, &value, 4, &at_once), TAKT_OK);
    value = 2;
    CHECK_EQUAL(takt_ring_put_retry(&pair, &value, 4, &at_once), TAKT_OK);
    asked = 0;
    CHECK_EQUAL(takt_ring_put_retry(&pair, &value, 4, &twice), TAKT_FULL);
    CHECK(asked == 2 && why == TAKT_FULL);
    asked = 0;
    value = 3;
    CHECK_EQUAL(takt_ring_put_retry(&pair, &value, 4, &room), TAKT_OK);
    CHECK_EQUAL(asked, 1);
    CHECK_EQUAL(get(&pair, 2), TAKT_OK);
    CHECK_EQUAL(get(&pair, 3), TAKT_OK);
    asked = 0;
    CHECK_EQUAL(takt_ring_get_retry(&pair, &value, 4, &item), TAKT_OK);
    CHECK(asked == 1 && value == 4);
}

TAKT_RING_DEFINE(other, sizeof(uint32_t), 3);

static void test_group(void)
{
    static struct takt_ring *const rings[] = {&pair, &other};
    TAKT_RING_GROUP_DEFINE(group, rings, 2);
    uint32_t item;
    unsigned from = 9;
    void *memory;
    CHECK_EQUAL(takt_ring_group_get(&group, &item, 4, &from), TAKT_EMPTY);
    CHECK_EQUAL(takt_ring_reserve(&pair, 4, &memory), TAKT_OK);
    CHECK_EQUAL(takt_ring_group_get(&group, &item, 4, &from), TAKT_EMPTY_BUT_WRITING);
    CHECK_EQUAL(from, 9);
    CHECK(put(&pair, 1) == TAKT_OK && put(&pair, 2) == TAKT_OK);
    CHECK(put(&other, 11) == TAKT_OK && put(&other, 12) == TAKT_OK && put(&other, 13) == TAKT_OK);
    static const uint32_t order[] = {1, 11, 2, 12, 13};
    static const unsigned froms[] = {0, 1, 0, 1, 1};
    for (unsigned i = 0; i < 5; i++) { /* in turns, while both have some */
        CHECK_EQUAL(takt_ring_group_get(&group, &item, 4, i == 2 ? NULL : &from), TAKT_OK);
        CHECK_EQUAL(item, order[i]);
        CHECK(i == 2 || from == froms[i]);
    }
    CHECK_EQUAL(takt_ring_group_get(&group, &item, 4, &from), TAKT_EMPTY);
}

/* Random calls on a ring of any size, beside a plain queue of the items' first bytes. */
enum { ITEM_MAX = 130, CAPACITY_MAX = 5 };

static _Alignas(64) uint8_t storage[(ITEM_MAX + 128) * CAPACITY_MAX];
static struct takt_ring ring;
static size_t size, capacity;
static uint8_t expected[CAPACITY_MAX]; /* the queue: seeds of its items */
static size_t count;
static uint8_t seed;
static bool reserved, taken;

static void fill(uint8_t *item, uint8_t with)
{
    for (size_t i = 0; i < size; i++) {
        item[i] = (uint8_t)(with + i * 3);
    }
}

static void check_item(const uint8_t *item)
{
    for (size_t i = 0; i < size; i++) {
        CHECK_EQUAL(item[i], (uint8_t)(expected[0] + i * 3));
    }
}

static void added(void)
{
    expected[count++] = seed++;
    reserved = false;
}

static void removed(void)
{
    memmove(expected, expected + 1, --count);
    taken = false;
}

static enum takt_status full_or(enum takt_status done)
{
    return count < capacity ? done : taken ? TAKT_FULL_BUT_READING : TAKT_FULL;
}

static enum takt_status empty_or(enum takt_status done)
{
    return count > 0 ? done : reserved ? TAKT_EMPTY_BUT_WRITING : TAKT_EMPTY;
}

static void random_call(uint64_t *state)
{
    static _Alignas(8) uint8_t items[ITEM_MAX * 3];
    void *memory;
    uint64_t chance = check_random(state);
    size_t many = chance >> 8 & 3, room = capacity - count, moved;
    memset(items, 0, sizeof items);
    switch (chance % 8) {
    case 0:
        fill(items, seed);
        CHECK_EQUAL(takt_ring_put(&ring, items, size), full_or(TAKT_OK));
        if (room > 0) {
            added();
        }
        return;
    case 1:
        CHECK_EQUAL(takt_ring_get(&ring, items, size), empty_or(TAKT_OK));
        if (count > 0) {
            check_item(items);
            removed();
        }
        return;
    case 2:
        CHECK_EQUAL(takt_ring_reserve(&ring, size, &memory), full_or(TAKT_OK));
        reserved = room > 0;
        if (reserved) {
            CHECK((uint8_t *)memory >= storage &&
                  (uint8_t *)memory + size <= storage + TAKT_RING_BYTES(size, capacity));
            CHECK((uintptr_t)memory % (size % 8 == 0 ? 8 : 4) == 0);
            fill(memory, seed);
        }
        return;
    case 3:
        if (reserved) {
            takt_ring_commit(&ring, size);
            added();
        }
        return;
    case 4:
        CHECK_EQUAL(takt_ring_take(&ring, size, &memory), empty_or(TAKT_OK));
        taken = count > 0;
        if (taken) {
            check_item(memory);
        }
        return;
    case 5:
        if (taken) {
            takt_ring_release(&ring, size);
            removed();
        }
        return;
    case 6:
        for (size_t i = 0; i < many; i++) {
            fill(items + i * size, (uint8_t)(seed + i));
        }
        moved = takt_ring_put_many(&ring, items, size, many);
        CHECK_EQUAL(moved, many < room ? many : room);
        while (moved-- > 0) {
            added();
        }
        return;
    default:
        moved = takt_ring_get_many(&ring, items, size, many);
        CHECK_EQUAL(moved, many < count ? many : count);
        for (size_t i = 0; i < moved; i++) {
            check_item(items + i * size);
            removed();
        }
    }
}

static void test_random(void)
{
    static const size_t sizes[] = {1, 3, 4, 8, 12, 16, 24, 28, 56, 60, 64, 100, 130};
    uint64_t state = check_seed();
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (capacity = 1; capacity <= CAPACITY_MAX; capacity++) {
            size = sizes[i];
            count = 0;
            reserved = taken = false;
            CHECK(TAKT_RING_BYTES(size, capacity) <= sizeof storage);
            memset(storage, 0xA5, sizeof storage);
            takt_ring_init(&ring, storage, size, capacity);
            for (unsigned long call = check_cases(4000); call > 0; call--) {
                random_call(&state);
            }
            for (size_t rest = TAKT_RING_BYTES(size, capacity); rest < sizeof storage; rest++) {
                CHECK_EQUAL(storage[rest], 0xA5);
            }
        }
    }
}

/* With cache lines a small item lies within one. */
static void test_lines(void)
{
    static const size_t small[] = {1, 4, 8, 16, 24, 48, 56};
    for (unsigned i = 0; TAKT_CACHE_LINE > 0 && i < sizeof small / sizeof *small; i++) {
        CHECK_EQUAL(64 % TAKT_RING_BYTES(small[i], 1), 0);
    }
    CHECK_EQUAL(TAKT_RING_BYTES(56, 1), 64);
    CHECK(TAKT_CACHE_LINE > 0 || TAKT_RING_BYTES(12, 3) == 3 * (TAKT_WORD_SIZE + (TAKT_WORD_SIZE == 4 ? 12 : 16)));
}

/* Every interleaving: a refusal is true, and what went in comes out once, in order. */
static unsigned put_calls, get_calls; /* of each program */
static unsigned in, out;              /* items so far */
static unsigned puts_begun, puts_done, gets_begun, gets_done;
static unsigned seen[TAKT_OVERTAKEN];

static void interleaved_begin(void)
{
    takt_ring_init(&ring, storage, sizeof(uint32_t), capacity);
    in = out = 0;
    puts_begun = puts_done = gets_begun = gets_done = 0;
}

static void producer(void)
{
    for (unsigned i = 0; i < put_calls; i++) {
        bool room = in - out < capacity;
        unsigned before = gets_done;
        puts_begun++;
        enum takt_status status = put(&ring, 100 + in);
        puts_done++;
        in += status == TAKT_OK;
        seen[status]++;
        CHECK(status == TAKT_OK || !room);
        CHECK(status != TAKT_FULL_BUT_READING || gets_begun > before);
    }
}

static void consumer(void)
{
    for (unsigned i = 0; i < get_calls; i++) {
        bool some = in > out;
        unsigned before = puts_done;
        gets_begun++;
        enum takt_status status = get(&ring, 100 + out);
        gets_done++;
        out += status == TAKT_OK;
        seen[status]++;
        CHECK(status == TAKT_OK || !some);
        CHECK(status != TAKT_EMPTY_BUT_WRITING || puts_begun > before);
    }
}

static void interleaved_end(void)
{
    for (; out < in; out++) {
        CHECK_EQUAL(get(&ring, 100 + out), TAKT_OK);
    }
    CHECK_EQUAL(get(&ring, 0), TAKT_EMPTY);
}

static void test_interleaved(void)
{
    static const struct {
        unsigned put_calls, get_calls, capacity;
    } programs[] = {{1, 1, 1}, {2, 1, 1}, {1, 2, 1}, {2, 2, 1}, {2, 2, 2}, {3, 1, 2}, {3, 2, 1}, {3, 2, 2}, {2, 3, 2}};
    unsigned long runs = 0;
    for (unsigned i = 0; i < sizeof programs / sizeof *programs; i++) {
        put_calls = programs[i].put_calls;
        get_calls = programs[i].get_calls;
        capacity = programs[i].capacity;
        runs += interleave_all(interleaved_begin, producer, consumer, interleaved_end);
    }
    printf("%zu programs, %lu interleavings\n", sizeof programs / sizeof *programs, runs);
    CHECK(seen[TAKT_FULL] && seen[TAKT_FULL_BUT_READING] && seen[TAKT_EMPTY] && seen[TAKT_EMPTY_BUT_WRITING]);
}

int main(void)
{
    test_statuses();
    test_in_place();
    test_misuse();
    test_retry();
    test_group();
    test_random();
    test_lines();
    test_interleaved();
    return 0;
}
