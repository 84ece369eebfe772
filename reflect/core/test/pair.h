/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REFLECT_PAIR_H
#define REFLECT_PAIR_H

/* A writer's node and a reader's, with a channel of each kind, whose packets a test passes on one by one. */
#include "reflect/core/test/stand_in.h"
#include "takt/node.h"

#define MS UINT64_C(1000000)

enum { SIZE = 1000, BLOCK = 256, DEPTH = 4, ROOM = TAKT_NODE_ROOM(BLOCK), KINDS = 3 };
enum { SYNC = 0, ASYNC = 1, BULK = 2 }; /* indices; their channels are 10, 20 and 30 */

static const struct takt_pace_link fast = {.rate_bps = 1000000000, .mtu = 1500};
static struct takt_node_keys keys = {{"to the reader"}, {"to the writer"}};
static uintptr_t written_memory[KINDS][TAKT_AREA_BYTES(SIZE, DEPTH) / sizeof(uintptr_t)] __attribute__((aligned(64)));
static uintptr_t read_memory[KINDS][TAKT_AREA_BYTES(SIZE, DEPTH) / sizeof(uintptr_t)] __attribute__((aligned(64)));
static struct takt_area written[KINDS], reflected[KINDS];
static struct takt_area_reader readers[KINDS];
static uint8_t values[KINDS][SIZE], rooms[KINDS][TAKT_ASSEMBLE_BYTES(SIZE)], value[SIZE];
static uint64_t came[KINDS][TAKT_ASSEMBLE_WORDS(SIZE)];
static struct takt_node_sender senders[KINDS];
static struct takt_node_receiver receivers[KINDS];
static struct takt_node writer, reader;
static const struct takt_node_address writers = {.bytes = {1}, .length = 1}, somebody = {.bytes = {9}, .length = 1};
static uint64_t now;

static uint8_t bytes[ROOM];
static size_t length;
static struct takt_node_address to;
static struct takt_wire_packet packet;

static inline void begin(bool keyed)
{
    now = 1000 * MS;
    memset(&writer, 0, sizeof writer);
    memset(&reader, 0, sizeof reader);
    for (unsigned i = 0; i < KINDS; i++) {
        struct takt_area_shape shape = {SIZE, DEPTH};
        CHECK_EQUAL(takt_area_init(&written[i], written_memory[i], shape), TAKT_OK);
        CHECK_EQUAL(takt_area_init(&reflected[i], read_memory[i], shape), TAKT_OK);
        CHECK_EQUAL(takt_area_attach(&readers[i], read_memory[i], sizeof read_memory[i]), TAKT_OK);
        senders[i] = (struct takt_node_sender){.channel = 10 * (i + 1),
                                               .kind = (enum takt_push_kind)i,
                                               .period_ns = 10 * MS,
                                               .promotion_ns = 2 * MS,
                                               .level = i,
                                               .keys = keyed ? &keys : NULL,
                                               .value = values[i]};
        CHECK_EQUAL(takt_area_attach(&senders[i].area, written_memory[i], sizeof written_memory[i]), TAKT_OK);
        receivers[i] = (struct takt_node_receiver){.channel = 10 * (i + 1),
                                                   .source = i + 1,
                                                   .keys = keyed ? &keys : NULL,
                                                   .writer = writers,
                                                   .area = &reflected[i],
                                                   .assemble = {.bytes = rooms[i], .came = came[i], .size = SIZE}};
    }
    writer = (struct takt_node){.senders = senders, .sender_count = KINDS, .block = BLOCK};
    reader = (struct takt_node){.receivers = receivers, .receiver_count = KINDS, .block = BLOCK};
    takt_node_init(&writer, &fast, UINT64_MAX - 1); /* sessions come round here, and leave out 0 */
    takt_node_init(&reader, &fast, 1000);
}

static inline void write_value(unsigned index, uint8_t byte, uint32_t count)
{
    struct takt_area_stamp stamp = {.time_ns = now, .length = count};
    memset(value, byte, count);
    CHECK_EQUAL(takt_area_write(&written[index], value, &stamp), TAKT_OK);
    takt_node_written(&writer, index, now);
}

/* The next packet of a node, read; false: there is none now. */
static inline bool next(struct takt_node *node)
{
    length = takt_node_send(node, bytes, &to, now);
    CHECK(length == 0 || takt_wire_decode(bytes, length - TAKT_WIRE_TAG, &packet));
    return length != 0;
}

static inline void pass_on(struct takt_node *node)
{
    takt_node_receive(node, bytes, length, node == &reader ? &writers : &somebody, now);
}

/* All packets of both, each at once. */
static inline void exchange(void)
{
    for (bool some = true; some;) {
        some = false;
        while (next(&reader)) {
            CHECK_EQUAL(to.bytes[0], writers.bytes[0]);
            pass_on(&writer);
            some = true;
        }
        while (next(&writer)) {
            CHECK_EQUAL(to.bytes[0], somebody.bytes[0]);
            pass_on(&reader);
            some = true;
        }
    }
}

/* On to `end`, with all that the nodes do meanwhile. */
static inline void run(uint64_t end)
{
    exchange();
    for (;;) {
        uint64_t first = takt_node_until(&reader), other = takt_node_until(&writer);
        first = first < other ? first : other;
        if (first > end) {
            break;
        }
        CHECK(first >= now);
        now = first;
        exchange();
    }
    now = end;
}

/* The newest value that came is `count` times that byte. */
static inline void check_newest(unsigned index, uint8_t byte, uint32_t count)
{
    struct takt_area_value found;
    CHECK_EQUAL(takt_area_read(&readers[index], value, &found), TAKT_OK);
    CHECK_EQUAL(found.stamp.length, count);
    CHECK_EQUAL(found.stamp.source, index + 1);
    for (uint32_t i = 0; i < count; i++) {
        CHECK_EQUAL(value[i], byte);
    }
}

#endif
