/* SPDX-License-Identifier: Apache-2.0 */
/* Packets: what is written down is read as it was, and any other bytes are no packet, or exactly the one they encode.
 */
#include "takt/wire.h"

#include "base/test/check.h"
#include "takt/area.h"

enum { ROOM = TAKT_WIRE_HEAD + 64 };
static uint8_t bytes[ROOM];
static struct takt_wire_packet read;

static struct takt_wire_packet of_kind(enum takt_wire_kind kind, uint64_t *state)
{
    struct takt_wire_packet packet = {.kind = kind,
                                      .channel = (uint32_t)check_random(state),
                                      .session = check_random(state) | 1,
                                      .to_session = check_random(state),
                                      .sequence = check_random(state) | 1};
    switch (kind) {
    case TAKT_WIRE_SUBSCRIBE:
        packet.subscribe.period_ns = check_random(state);
        packet.subscribe.deadline_ns = check_random(state);
        packet.subscribe.size = 1 + (uint32_t)(check_random(state) % TAKT_AREA_SIZE_MAX);
        packet.subscribe.have = (uint32_t)check_random(state);
        packet.subscribe.wanted = check_random(state) % 2;
        break;
    case TAKT_WIRE_ANSWER:
        packet.answer.left = check_random(state);
        packet.answer.right = check_random(state);
        packet.answer.verdict = (enum takt_wire_verdict)(check_random(state) % TAKT_WIRE_VERDICTS);
        packet.answer.inequality = (uint32_t)check_random(state);
        break;
    case TAKT_WIRE_DATA:
        packet.length = (uint32_t)(check_random(state) % 65);
        packet.data.number = check_random(state) | 1;
        packet.data.time_ns = check_random(state);
        packet.data.source = (uint32_t)check_random(state);
        if (packet.length > 0) {
            packet.data.offset = (uint32_t)(check_random(state) % (TAKT_AREA_SIZE_MAX - 64));
            packet.data.total = packet.data.offset + packet.length + (uint32_t)(check_random(state) % 2);
        }
        break;
    default:
        packet.length = (uint32_t)(check_random(state) % 65);
        packet.probe.number = check_random(state);
        packet.probe.time_ns = check_random(state);
    }
    return packet;
}

static void check_same(const struct takt_wire_packet *packet)
{
    CHECK(read.kind == packet->kind && read.channel == packet->channel && read.session == packet->session);
    CHECK(read.to_session == packet->to_session && read.sequence == packet->sequence);
    CHECK(read.length == packet->length && read.payload == bytes + TAKT_WIRE_HEAD);
    switch (packet->kind) {
    case TAKT_WIRE_SUBSCRIBE:
        CHECK_EQUAL(read.subscribe.period_ns, packet->subscribe.period_ns);
        CHECK_EQUAL(read.subscribe.deadline_ns, packet->subscribe.deadline_ns);
        CHECK_EQUAL(read.subscribe.size, packet->subscribe.size);
        CHECK_EQUAL(read.subscribe.have, packet->subscribe.have);
        CHECK_EQUAL(read.subscribe.wanted, packet->subscribe.wanted);
        break;
    case TAKT_WIRE_ANSWER:
        CHECK_EQUAL(read.answer.left, packet->answer.left);
        CHECK_EQUAL(read.answer.right, packet->answer.right);
        CHECK_EQUAL(read.answer.verdict, packet->answer.verdict);
        CHECK_EQUAL(read.answer.inequality, packet->answer.inequality);
        break;
    case TAKT_WIRE_DATA:
        CHECK_EQUAL(read.data.number, packet->data.number);
        CHECK_EQUAL(read.data.time_ns, packet->data.time_ns);
        CHECK_EQUAL(read.data.source, packet->data.source);
        CHECK_EQUAL(read.data.total, packet->data.total);
        CHECK_EQUAL(read.data.offset, packet->data.offset);
        break;
    default:
        CHECK_EQUAL(read.probe.number, packet->probe.number);
        CHECK_EQUAL(read.probe.time_ns, packet->probe.time_ns);
    }
}

static void test_there_and_back(void)
{
    uint64_t state = check_seed();
    for (unsigned long run = 0; run < check_cases(20000); run++) {
        struct takt_wire_packet packet = of_kind((enum takt_wire_kind)(1 + run % TAKT_WIRE_ECHO), &state);
        takt_wire_encode(bytes, &packet);
        CHECK(takt_wire_decode(bytes, TAKT_WIRE_HEAD + packet.length, &read));
        check_same(&packet);
        CHECK(!takt_wire_decode(bytes, TAKT_WIRE_HEAD + packet.length + 1, &read));
        CHECK(!takt_wire_decode(bytes, TAKT_WIRE_HEAD + packet.length - 1, &read));
    }
}

/* Each bit of a head the other way round: it is no packet, or another one. */
static void test_bits(void)
{
    uint64_t state = check_seed();
    unsigned long refused = 0, others = 0;
    for (unsigned long run = 0; run < check_cases(20000) / 40; run++) {
        struct takt_wire_packet packet = of_kind((enum takt_wire_kind)(1 + run % TAKT_WIRE_ECHO), &state);
        uint8_t encoded[TAKT_WIRE_HEAD];
        for (unsigned bit = 0; bit < 8 * TAKT_WIRE_HEAD; bit++) {
            takt_wire_encode(bytes, &packet);
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            if (takt_wire_decode(bytes, TAKT_WIRE_HEAD + packet.length, &read)) {
                takt_wire_encode(encoded, &read);
                CHECK(memcmp(encoded, bytes, TAKT_WIRE_HEAD) == 0);
                others++;
            } else {
                refused++;
            }
        }
    }
    CHECK(refused > 0 && others > 0);
}

static uint8_t *encoded(const struct takt_wire_packet *packet)
{
    takt_wire_encode(bytes, packet);
    return bytes;
}

static bool decodes(const struct takt_wire_packet *packet)
{
    return takt_wire_decode(encoded(packet), TAKT_WIRE_HEAD + packet->length, &read);
}

/* The layout is what other nodes speak: it does not change by itself. */
static void test_layout(void)
{
    struct takt_wire_packet packet = {.kind = TAKT_WIRE_DATA,
                                      .channel = 0x04030201,
                                      .session = UINT64_C(0x1817161514131211),
                                      .to_session = UINT64_C(0x2827262524232221),
                                      .sequence = UINT64_C(0x3837363534333231),
                                      .data = {.number = UINT64_C(0x4847464544434241),
                                               .time_ns = UINT64_C(0x5857565554535251),
                                               .source = 0x64636261,
                                               .total = 0x00737271,
                                               .offset = 0x00630000},
                                      .length = 5};
    static const uint8_t expected[TAKT_WIRE_HEAD] = {
        0x54, 0x6B, 1,    3,    0x01, 0x02, 0x03, 0x04, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
        0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38,
        0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58,
        0x61, 0x62, 0x63, 0x64, 0x71, 0x72, 0x73, 0x00, 0x00, 0x00, 0x63, 0x00, 5,    0,    0,    0};
    CHECK(memcmp(encoded(&packet), expected, sizeof expected) == 0);
}

static void test_refused(void)
{
    struct takt_wire_packet data = {
        .kind = TAKT_WIRE_DATA, .session = 1, .sequence = 1, .data = {.number = 1, .total = 8}, .length = 8};
    CHECK(decodes(&data));
    struct takt_wire_packet wrong = data;
    wrong.session = 0;
    CHECK(!decodes(&wrong));
    wrong = data;
    wrong.sequence = 0;
    CHECK(!decodes(&wrong));
    wrong = data;
    wrong.data.number = 0;
    CHECK(!decodes(&wrong));
    wrong = data;
    wrong.data.offset = 1; /* the block goes on behind the value's end */
    CHECK(!decodes(&wrong));
    wrong = data;
    wrong.data.offset = 9;
    CHECK(!decodes(&wrong));
    wrong = data;
    wrong.length = 0; /* nothing of something */
    CHECK(!decodes(&wrong));
    wrong.data.total = 0;
    CHECK(decodes(&wrong));
    wrong = data;
    wrong.data.total = TAKT_AREA_SIZE_MAX + 1;
    CHECK(!decodes(&wrong));

    struct takt_wire_packet subscribe = {
        .kind = TAKT_WIRE_SUBSCRIBE, .session = 1, .sequence = 1, .subscribe = {.size = 1}};
    CHECK(decodes(&subscribe));
    wrong = subscribe;
    wrong.subscribe.size = 0;
    CHECK(!decodes(&wrong));
    wrong.subscribe.size = TAKT_AREA_SIZE_MAX + 1;
    CHECK(!decodes(&wrong));
    wrong = subscribe;
    wrong.length = 1;
    CHECK(!decodes(&wrong));
    static const unsigned zeros[][2] = {{TAKT_WIRE_SUBSCRIBE, 52},
                                        {TAKT_WIRE_ANSWER, 56},
                                        {TAKT_WIRE_PROBE, 48},
                                        {TAKT_WIRE_PROBE, 52},
                                        {TAKT_WIRE_ECHO, 56}};
    for (unsigned i = 0; i < sizeof zeros / sizeof *zeros; i++) { /* what a kind does not use, and a flag that is 2 */
        struct takt_wire_packet packet = {.kind = (enum takt_wire_kind)zeros[i][0], .session = 1, .sequence = 1};
        packet.subscribe.size += packet.kind == TAKT_WIRE_SUBSCRIBE;
        CHECK(decodes(&packet));
        encoded(&packet)[zeros[i][1]] = 2;
        CHECK(!takt_wire_decode(bytes, TAKT_WIRE_HEAD, &read));
    }
    struct takt_wire_packet answer = {
        .kind = TAKT_WIRE_ANSWER, .session = 1, .sequence = 1, .answer = {.verdict = TAKT_WIRE_VERDICTS}};
    CHECK(!decodes(&answer));
    answer.answer.verdict = TAKT_WIRE_REFUSED;
    answer.length = 1;
    CHECK(!decodes(&answer));
    for (unsigned kind = 0; kind < 256; kind++) {
        encoded(&data)[3] = (uint8_t)kind;
        bool known = kind == TAKT_WIRE_DATA; /* others have no such block, except an answer's numbers */
        CHECK(takt_wire_decode(bytes, TAKT_WIRE_HEAD + 8, &read) == known);
    }
    struct takt_wire_packet probe = {.kind = TAKT_WIRE_PROBE, .session = 1, .sequence = 1};
    static const uint8_t wrongs[] = {0, 1, 2}; /* magic, version */
    for (unsigned i = 0; i < sizeof wrongs; i++) {
        encoded(&probe)[wrongs[i]] ^= 0x10;
        CHECK(!takt_wire_decode(bytes, TAKT_WIRE_HEAD, &read));
    }
    static uint8_t longest[TAKT_WIRE_HEAD + TAKT_WIRE_PAYLOAD_MAX + 1];
    for (unsigned more = 0; more < 2; more++) {
        probe.length = TAKT_WIRE_PAYLOAD_MAX + more;
        takt_wire_encode(longest, &probe);
        CHECK(takt_wire_decode(longest, TAKT_WIRE_HEAD + probe.length, &read) == (more == 0));
    }
}

int main(void)
{
    test_layout();
    test_there_and_back();
    test_bits();
    test_refused();
    return 0;
}
