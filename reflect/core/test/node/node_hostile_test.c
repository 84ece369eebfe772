/* SPDX-License-Identifier: Apache-2.0 */
/* Two nodes, and packets that none of them sent now: heard before, made up, or too many. */
#include "reflect/core/test/pair.h"

/* What was heard is sent again: nothing of it does anything, in this session or in the next ones. */
static void test_replayed(void)
{
    static struct {
        uint8_t bytes[ROOM];
        size_t length;
        struct takt_node *node;
    } heard[64];
    unsigned count = 0;
    begin(true);
    for (unsigned round = 0; round < 3; round++) {
        takt_node_start(&reader, SYNC, now);
        for (unsigned i = 0; i < 6; i++) {
            if (i == 3) {
                now += 20 * MS;
                write_value(SYNC, (uint8_t)(round + 1), 300);
            } else if (i == 5) {
                takt_node_stop(&reader, SYNC, now);
            }
            for (struct takt_node *node = i % 2 == 0 ? &reader : &writer; next(node); now += MS) {
                heard[count].node = node == &reader ? &writer : &reader;
                heard[count].length = length;
                memcpy(heard[count++].bytes, bytes, length);
                pass_on(heard[count - 1].node);
            }
        }
        exchange();
        now += 20 * MS;
        takt_node_start(&reader, SYNC, now);
        run(now + 20 * MS);
        CHECK_EQUAL(receivers[SYNC].internal.phase, TAKT_NODE_ACTIVE);
        struct takt_node_receiver before = receivers[SYNC];
        uint64_t lease = senders[SYNC].internal.lease_ns, session = senders[SYNC].internal.session;
        uint64_t values_before = reader.counters.values_received;
        for (unsigned i = 0; i < count; i++) {
            now += MS;
            takt_node_receive(heard[i].node, heard[i].bytes, heard[i].length, &somebody, now);
            exchange();
        }
        CHECK_EQUAL(reader.counters.values_received, values_before);
        CHECK(memcmp(&before.internal, &receivers[SYNC].internal, sizeof before.internal) == 0);
        CHECK(senders[SYNC].internal.wanted && senders[SYNC].internal.lease_ns == lease &&
              senders[SYNC].internal.session == session);
        takt_node_stop(&reader, SYNC, now);
        exchange();
        now += 100 * MS;
    }
    CHECK(writer.counters.replayed + writer.counters.unanswered > 0 && reader.counters.replayed > 0);

    takt_node_start(&reader, SYNC, now); /* within a session: each packet counts once */
    run(now + 20 * MS);
    write_value(SYNC, 9, 8);
    CHECK(next(&writer));
    uint64_t replayed = reader.counters.replayed;
    pass_on(&reader);
    CHECK_EQUAL(reader.counters.replayed, replayed);
    pass_on(&reader);
    CHECK_EQUAL(reader.counters.replayed, replayed + 1);
    CHECK_EQUAL(reader.counters.twice, 0);
    bytes[TAKT_WIRE_HEAD] ^= 1;
    pass_on(&reader);
    CHECK_EQUAL(reader.counters.forged, 1);
    now = takt_node_until(&reader);
    CHECK(next(&reader));
    pass_on(&writer);
    uint64_t lease = senders[SYNC].internal.lease_ns;
    replayed = writer.counters.replayed;
    now += MS;
    pass_on(&writer);
    CHECK_EQUAL(writer.counters.replayed, replayed + 1);
    CHECK_EQUAL(senders[SYNC].internal.lease_ns, lease);
}

/* Strangers get few answers, and none instead of one that is due. */
static void test_strangers(void)
{
    begin(true);
    takt_node_start(&reader, SYNC, now);
    CHECK(next(&reader));
    pass_on(&writer);
    pass_on(&writer); /* there is one to be sent */
    CHECK_EQUAL(writer.counters.unanswered, 1);
    CHECK(takt_node_until(&writer) <= now);
    CHECK(next(&writer) && packet.answer.verdict == TAKT_WIRE_AGAIN);
    pass_on(&writer); /* too soon: it is no packet for a writer, */
    CHECK_EQUAL(writer.counters.unknown, 1);
    now += TAKT_NODE_RETRY_NS;
    CHECK(next(&reader));
    pass_on(&writer);
    CHECK_EQUAL(writer.counters.unanswered, 1);
    CHECK(next(&writer));
    now += TAKT_NODE_RETRY_NS / 2 - 1;
    takt_node_stop(&reader, SYNC, now);
    CHECK(next(&reader));
    pass_on(&writer);
    pass_on(&writer);
    CHECK_EQUAL(writer.counters.unanswered, 2); /* the second time it is nobody new */
    CHECK(!next(&writer));
    CHECK_EQUAL(takt_node_until(&writer), now + 1);
    now++;
    CHECK(next(&writer) && packet.answer.verdict == TAKT_WIRE_AGAIN);
}

enum { RECORDED = 40 };
static uint8_t recorded[RECORDED][ROOM];
static size_t recorded_length[RECORDED];

/* Subscriptions of readers that were here before, each of another start; some of them the writer has never seen. */
static void record(void)
{
    begin(true);
    for (unsigned i = 0; i < RECORDED; i++) {
        reader.started = 1000 * (uint64_t)i;
        takt_node_init(&reader, &fast, 5000 + 100 * i);
        takt_node_start(&reader, SYNC, now);
        CHECK(next(&reader));
        memcpy(recorded[i], bytes, length);
        recorded_length[i] = length;
        if (i % 2 == 0) {
            pass_on(&writer);
            run(now + 300 * MS);
        }
    }
}

/* How long a reader that starts again takes until it is active, while recorded subscriptions come each `gap`. */
static uint64_t active_after(uint64_t gap, unsigned count)
{
    record();
    for (unsigned i = 0; i < count && gap != 0; i++) { /* the writer has them all */
        takt_node_receive(&writer, recorded[i], recorded_length[i], &somebody, now);
    }
    reader.started = UINT64_C(1) << 60;
    takt_node_init(&reader, &fast, 99);
    takt_node_start(&reader, SYNC, now);
    uint64_t begun = now;
    uint64_t replay = gap == 0 ? UINT64_MAX : now;
    for (unsigned i = 0; receivers[SYNC].internal.phase != TAKT_NODE_ACTIVE; i++) {
        while (replay <= now) {
            unsigned which = i++ % count;
            takt_node_receive(&writer, recorded[which], recorded_length[which], &somebody, now);
            replay += gap;
        }
        exchange();
        uint64_t first = takt_node_until(&reader), other = takt_node_until(&writer);
        first = first < other ? first : other;
        now = first < replay ? (first > now ? first : now + 1) : replay;
        CHECK(now < begun + 5000 * MS);
    }
    return now - begun;
}

/* Recorded subscriptions, however many and however often they come, delay nobody by more than 50 ms. */
static void test_replayed_subscriptions(void)
{
    uint64_t alone = active_after(0, 1);
    static const uint64_t gaps[] = {11500000, 25000000, 1000000, 100000, 10000};
    for (unsigned i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        for (unsigned count = 1; count <= RECORDED; count += 13) {
            CHECK(active_after(gaps[i], count) <= alone + 50 * MS);
        }
    }
}

/* An offer that waits is of another session once somebody has taken the one that was offered before. */
static void test_offer_that_waits(void)
{
    uint8_t binds[ROOM];
    begin(true);
    takt_node_start(&reader, SYNC, now);
    CHECK(next(&reader));
    pass_on(&writer);
    CHECK(next(&writer) && packet.answer.verdict == TAKT_WIRE_AGAIN);
    pass_on(&reader);
    CHECK(next(&reader) && packet.to_session == senders[SYNC].internal.offered);
    size_t binds_length = length;
    memcpy(binds, bytes, length);
    reader.started = UINT64_C(1) << 60; /* it starts again before that subscription is there */
    takt_node_init(&reader, &fast, 99);
    takt_node_start(&reader, SYNC, now);
    CHECK(next(&reader));
    pass_on(&writer);
    takt_node_receive(&writer, binds, binds_length, &somebody, now);
    CHECK(next(&writer) && packet.answer.verdict == TAKT_WIRE_ACCEPTED);
    for (uint64_t begun = now; !next(&writer); now = takt_node_until(&writer)) {
        CHECK(now <= begun + 50 * MS);
    }
    CHECK_EQUAL(packet.answer.verdict, TAKT_WIRE_AGAIN);
    CHECK_EQUAL(packet.session, senders[SYNC].internal.offered);
    pass_on(&reader);
    run(now + MS);
    CHECK_EQUAL(receivers[SYNC].internal.phase, TAKT_NODE_ACTIVE);
}

static void send_to(struct takt_node *node, enum takt_wire_kind kind, uint32_t channel)
{
    packet.kind = kind;
    packet.channel = channel;
    takt_wire_encode(bytes, &packet);
    takt_seal_close(NULL, bytes, TAKT_WIRE_HEAD + packet.length);
    takt_node_receive(node, bytes, TAKT_WIRE_HEAD + packet.length + TAKT_WIRE_TAG, &somebody, now);
}

/* Packets that none of our nodes sends, where there are no keys. */
static void test_odd_packets(void)
{
    begin(false);
    takt_node_receive(&reader, bytes, TAKT_WIRE_TAG - 1, &somebody, now);
    memset(bytes, 0, sizeof bytes);
    takt_node_receive(&reader, bytes, TAKT_WIRE_HEAD + TAKT_WIRE_TAG, &somebody, now);
    CHECK_EQUAL(reader.counters.malformed, 2);
    packet = (struct takt_wire_packet){.session = 1, .sequence = 1};
    packet.probe.number = 1;
    send_to(&reader, TAKT_WIRE_PROBE, 10);
    send_to(&reader, TAKT_WIRE_ECHO, 10);
    send_to(&reader, TAKT_WIRE_DATA, 15);
    send_to(&reader, TAKT_WIRE_DATA, 5);
    send_to(&reader, TAKT_WIRE_DATA, 35);
    CHECK_EQUAL(reader.counters.unknown, 5);
    packet.subscribe.size = 1;
    packet.subscribe.wanted = true;
    send_to(&writer, TAKT_WIRE_SUBSCRIBE, 15);
    send_to(&writer, TAKT_WIRE_SUBSCRIBE, 35);
    send_to(&writer, TAKT_WIRE_SUBSCRIBE, 5);
    CHECK_EQUAL(writer.counters.unknown, 3);
    bytes[TAKT_WIRE_HEAD] = 1; /* a tag without a key is zeros */
    bytes[4] = 10;
    takt_node_receive(&writer, bytes, TAKT_WIRE_HEAD + TAKT_WIRE_TAG, &somebody, now);
    CHECK_EQUAL(writer.counters.forged, 1);

    packet = (struct takt_wire_packet){.session = 1, .sequence = 1, .data = {.number = 1}};
    send_to(&reader, TAKT_WIRE_DATA, 10); /* nobody has started it */
    packet.data.number = 0;
    packet.answer.verdict = TAKT_WIRE_ACCEPTED;
    send_to(&reader, TAKT_WIRE_ANSWER, 10);
    CHECK_EQUAL(reader.counters.inactive, 2);
    bytes[TAKT_WIRE_HEAD] = 1;
    takt_node_receive(&reader, bytes, TAKT_WIRE_HEAD + TAKT_WIRE_TAG, &somebody, now);
    CHECK_EQUAL(reader.counters.forged, 1);
    takt_node_start(&reader, SYNC, now);
    exchange();
    uint64_t session = receivers[SYNC].internal.session, other = receivers[SYNC].internal.writer;

    static const uint64_t blocks[] = {TAKT_ASSEMBLE_BLOCK_MIN - 1, TAKT_WIRE_PAYLOAD_MAX + 1};
    for (unsigned i = 0; i < 2; i++) {
        packet = (struct takt_wire_packet){.session = other, .to_session = session, .sequence = 10 + i};
        packet.answer.right = blocks[i];
        send_to(&reader, TAKT_WIRE_ANSWER, 10);
        CHECK_EQUAL(reader.counters.unfit, 1 + i);
    }
    packet.sequence = 20;
    packet.answer.right = TAKT_WIRE_PAYLOAD_MAX; /* another block in the same session */
    send_to(&reader, TAKT_WIRE_ANSWER, 10);
    CHECK_EQUAL(receivers[SYNC].assemble.block, TAKT_WIRE_PAYLOAD_MAX);
    uint64_t replayed = reader.counters.replayed;
    send_to(&reader, TAKT_WIRE_ANSWER, 10);
    CHECK_EQUAL(reader.counters.replayed, ++replayed);
    for (unsigned verdict = TAKT_WIRE_STOPPED; verdict <= TAKT_WIRE_AGAIN; verdict++) { /* nobody wants it stopped */
        packet.sequence++;
        packet.answer.verdict = (enum takt_wire_verdict)verdict;
        send_to(&reader, TAKT_WIRE_ANSWER, 10);
    }
    packet.session--; /* a session is offered to the last subscription */
    packet.answer.left = receivers[SYNC].internal.sequence - 1;
    send_to(&reader, TAKT_WIRE_ANSWER, 10);
    packet.answer.verdict = TAKT_WIRE_REFUSED;
    packet.answer.left++;
    send_to(&reader, TAKT_WIRE_ANSWER, 10);
    packet.session++;
    packet.to_session++;
    send_to(&reader, TAKT_WIRE_ANSWER, 10);
    CHECK_EQUAL(reader.counters.replayed, replayed + 5);
    CHECK_EQUAL(receivers[SYNC].internal.phase, TAKT_NODE_ACTIVE);

    packet = (struct takt_wire_packet){.session = other, .to_session = session, .sequence = 30};
    packet.data.number = 5;
    packet.data.total = SIZE + 1;
    packet.length = 1;
    packet.data.offset = SIZE;
    send_to(&reader, TAKT_WIRE_DATA, 10);
    CHECK_EQUAL(reader.counters.unfit, 3);
    packet.length = packet.data.total = packet.data.offset = 0;
    packet.sequence++;
    send_to(&reader, TAKT_WIRE_DATA, 10);
    CHECK_EQUAL(reader.counters.values_received, 1);
    packet.data.number = 4;
    packet.sequence++;
    send_to(&reader, TAKT_WIRE_DATA, 10);
    CHECK_EQUAL(reader.counters.old, 1);
    replayed = reader.counters.replayed;
    packet.session--;
    send_to(&reader, TAKT_WIRE_DATA, 10);
    packet.session++;
    packet.to_session++;
    send_to(&reader, TAKT_WIRE_DATA, 10);
    CHECK_EQUAL(reader.counters.replayed, replayed + 2);
}

int main(void)
{
    test_replayed();
    test_strangers();
    test_replayed_subscriptions();
    test_offer_that_waits();
    test_odd_packets();
    return 0;
}
