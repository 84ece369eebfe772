/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For libFuzzer: two nodes, of which one at least has a hostile neighbour, which may have its keys, and areas whose
 * memory is hostile. No input makes a packet that is not counted, a value that is longer than its area's, or a wait in
 * vain; the sanitizers see the rest.
 */
#include "base/test/fuzz.h"
#include "reflect/core/test/pair.h"

static uint64_t counted(const struct takt_node_counters *counters)
{
    return counters->blocks_received + counters->subscriptions + counters->answers + counters->malformed +
           counters->unknown + counters->forged + counters->replayed + counters->unanswered + counters->inactive +
           counters->old + counters->twice + counters->unfit;
}

static void receive(struct takt_node *node)
{
    uint64_t before = counted(&node->counters);
    uint8_t *exact = malloc(length + 1);
    memcpy(exact + 1, bytes, length);
    takt_node_receive(node, exact + 1, length, node == &reader ? &writers : &somebody, now);
    free(exact);
    CHECK_EQUAL(counted(&node->counters), before + 1);
}

/* A packet as its sessions would have it, where the input does not want it otherwise, with the right tag. */
static void insider(struct takt_node *node, unsigned index, bool keyed)
{
    const struct takt_node_sender *sender = &senders[index];
    const struct takt_node_receiver *receiver = &receivers[index];
    uint8_t how = byte();
    packet = (struct takt_wire_packet){.kind = (enum takt_wire_kind)(1 + how % 3), .channel = 10 * (index + 1)};
    packet.session = node == &reader ? receiver->internal.writer : receiver->internal.session;
    packet.to_session = node == &reader ? receiver->internal.session : sender->internal.session;
    packet.session = how & 8 ? sender->internal.offered : packet.session;
    packet.to_session = how & 16 ? sender->internal.offered : packet.to_session;
    packet.session += packet.session == 0;
    packet.sequence = 1 + (how & 32 ? number(8) : sender->internal.sequence + receiver->internal.sequence + byte());
    if (packet.kind == TAKT_WIRE_SUBSCRIBE) {
        packet.subscribe.period_ns = number(1 + byte() % 8);
        packet.subscribe.size = how & 64 ? (uint32_t)number(4) : SIZE;
        packet.subscribe.have = byte();
        packet.subscribe.wanted = byte() % 4 != 0;
    } else if (packet.kind == TAKT_WIRE_ANSWER) {
        packet.answer.left = how & 64 ? number(8) : receiver->internal.sequence;
        packet.answer.right = number(4);
        packet.answer.verdict = (enum takt_wire_verdict)(byte() % TAKT_WIRE_VERDICTS);
    } else {
        packet.data.number = number(1 + byte() % 8);
        packet.data.time_ns = byte() / 128;
        packet.data.total = (uint32_t)number(2) % (3 * SIZE);
        packet.data.offset = how & 64 ? (uint32_t)number(2) : byte() % 12u * BLOCK;
        uint32_t rest = packet.data.total - packet.data.offset;
        packet.length = packet.data.offset > packet.data.total ? 0 : rest < BLOCK ? rest : BLOCK;
    }
    takt_wire_encode(bytes, &packet);
    length = TAKT_WIRE_HEAD + packet.length;
    const struct takt_seal_key *key = node == &reader ? &keys.to_reader : &keys.to_writer;
    if (packet.kind == TAKT_WIRE_DATA) {
        key = &receiver->internal.key;
    }
    takt_seal_close(keyed ? key : NULL, bytes, length);
    length += TAKT_WIRE_TAG;
    receive(node);
}

static void check_nodes(void)
{
    struct takt_area_value found;
    for (unsigned i = 0; i < KINDS; i++) {
        while (takt_area_take(&readers[i], value, &found) == TAKT_OK) {
            CHECK(found.stamp.length <= SIZE && found.stamp.source == i + 1);
        }
    }
}

/* One end of a channel is started or stopped. */
static void turn(struct takt_node *node, unsigned index, bool start)
{
    if (node == &writer) {
        (start ? takt_node_sender_start : takt_node_sender_stop)(&writer, index, now);
    } else {
        (start ? takt_node_start : takt_node_stop)(&reader, index, now);
    }
    CHECK(senders[SYNC].group == 0 || !senders[SYNC].internal.wanted || !senders[BULK].internal.wanted);
}

static void fuzz_nodes(void)
{
    uint8_t mode = byte();
    bool keyed = mode & 1;
    begin(keyed);
    for (unsigned i = 0; i < KINDS; i++) { /* to the byte, so that the sanitizer sees one too many */
        receivers[i].assemble.bytes = malloc(TAKT_ASSEMBLE_BYTES(SIZE));
        receivers[i].assemble.came = malloc(sizeof came[i]);
    }
    senders[SYNC].every = mode & 2;
    senders[SYNC].jitter_ns = mode & 8 ? senders[SYNC].period_ns : 0;
    senders[SYNC].group = senders[BULK].group = mode & 16 ? 1 : 0;
    senders[SYNC].pause_ns = senders[BULK].pause_ns = mode & 32 ? 30 * MS : 0;
    takt_node_join(&writer);
    if (mode & 16) {
        takt_node_sender_stop(&writer, BULK, now);
    }
    receivers[BULK].area = mode & 4 ? receivers[ASYNC].area : receivers[BULK].area;
    takt_node_join(&reader);
    receivers[BULK].source = mode & 4 ? ASYNC + 1 : BULK + 1;
    for (unsigned i = 0; i < KINDS && (mode & 64) != 0; i++) { /* values come from the first step on */
        takt_node_start(&reader, i, now);
        exchange();
    }
    for (unsigned steps = 0; steps < 40 && left > 0; steps++) {
        uint8_t what = byte();
        struct takt_node *node = what & 128 ? &reader : &writer;
        unsigned index = what / 16 % 4 % KINDS;
        switch (what % 8) {
        case 0:
            length = byte() % (ROOM + 1);
            for (size_t i = 0; i < length; i++) {
                bytes[i] = byte();
            }
            receive(node);
            break;
        case 1:
        case 2:
            insider(node, index, keyed);
            break;
        case 3: /* what was sent last, to whomever, with a change */
            bytes[byte() % ROOM] ^= byte();
            receive(node);
            break;
        case 4:
            write_value(index, what, (uint32_t)number(2) % (SIZE + 1));
            break;
        case 5:
        case 6:
            turn(node, index, what % 8 == 5);
            break;
        default:
            now += number(1 + what / 16 % 4);
        }
        if ((what & 8) == 0) {
            exchange();
            CHECK(takt_node_until(&reader) > now && takt_node_until(&writer) > now);
        }
        check_nodes();
    }
    for (unsigned i = 0; i < KINDS; i++) {
        free(receivers[i].assemble.bytes);
        free(receivers[i].assemble.came);
    }
}

/* Readers of memory that is anything, and that changes between their calls. */
static void fuzz_area(void)
{
    size_t size = left < sizeof(struct takt_area_memory) || byte() % 8 == 0
                      ? number(2) % 2048
                      : TAKT_AREA_BYTES(1 + byte(), 2 << byte() % 3);
    uintptr_t *memory = aligned_alloc(64, (size + 127) / 64 * 64);
    char *at = (char *)memory + ((size + 127) / 64 * 64 - size) / 64 * 64; /* its end is near that of the allocation */
    struct takt_area area;
    struct takt_area_shape shape = {1 + byte(), 2u << byte() % 3};
    memset(memory, 0, (size + 127) / 64 * 64);
    if (TAKT_AREA_BYTES(shape.size, shape.depth) <= size) {
        CHECK_EQUAL(takt_area_init(&area, at, shape), TAKT_OK);
    }
    struct takt_area_reader hostile;
    bool attached = false;
    for (unsigned steps = 0; steps < 30 && left > 0; steps++) {
        uint8_t what = byte();
        struct takt_area_value found;
        enum takt_status status = TAKT_EMPTY;
        for (unsigned count = what / 8 % 4 + 1; size >= 8 && count > 0; count--) {
            at[number(2) % size] = (char)byte();
        }
        if (!attached || what % 4 == 0) {
            attached = takt_area_attach(&hostile, at, size) == TAKT_OK;
            CHECK(!attached || TAKT_AREA_BYTES(hostile.shape.size, hostile.shape.depth) <= size);
            continue;
        }
        uint8_t *to_here = malloc(hostile.shape.size);
        status = what % 4 == 1 ? takt_area_read(&hostile, to_here, &found) : takt_area_take(&hostile, to_here, &found);
        CHECK(status == TAKT_OK || status == TAKT_EMPTY || status == TAKT_OVERTAKEN);
        CHECK(status != TAKT_OK || found.stamp.length <= hostile.shape.size);
        free(to_here);
    }
    free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input = data;
    left = size;
    if (byte() % 4 == 0) {
        fuzz_area();
    } else {
        fuzz_nodes();
    }
    return 0;
}
