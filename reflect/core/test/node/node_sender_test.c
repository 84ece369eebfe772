/* SPDX-License-Identifier: Apache-2.0 */
/* Senders that their own node starts and stops, alone and of a group; and how old values are at the reader, with a
 * writer that is late, and a node that begins somewhere in its period. Virtual time. */
#include "reflect/core/test/pair.h"

enum { PERIOD = 20 }; /* ms */

static enum takt_wire_verdict verdict_of(unsigned index)
{
    return (enum takt_wire_verdict)receivers[index].internal.refusal.answer.verdict;
}

/* Its reader is notified of both, and of the values written meanwhile only the last is sent. */
static void test_stopped_and_started(void)
{
    begin(true);
    takt_node_start(&reader, SYNC, now);
    write_value(SYNC, 1, 600);
    run(now + MS);
    check_newest(SYNC, 1, 600);
    takt_node_sender_stop(&writer, SYNC, now);
    takt_node_sender_stop(&writer, SYNC, now);
    CHECK(takt_node_until(&writer) <= now);
    run(now + MS);
    CHECK_EQUAL(receivers[SYNC].internal.phase, TAKT_NODE_REFUSED);
    CHECK_EQUAL(verdict_of(SYNC), TAKT_WIRE_WITHHELD);
    uint64_t sent = writer.counters.blocks_sent;
    write_value(SYNC, 2, 600);
    write_value(SYNC, 3, 600);
    run(now + 2 * TAKT_NODE_LEASE_NS);
    CHECK_EQUAL(writer.counters.blocks_sent, sent);
    CHECK_EQUAL(receivers[SYNC].internal.phase, TAKT_NODE_REFUSED); /* it still asks */
    takt_node_sender_start(&writer, SYNC, now);
    run(now + MS);
    CHECK_EQUAL(receivers[SYNC].internal.phase, TAKT_NODE_ACTIVE);
    check_newest(SYNC, 3, 600);
}

/* A reader that gets no notice finds out within the time between two subscriptions. */
static void test_word_is_lost(void)
{
    begin(true);
    takt_node_start(&reader, SYNC, now);
    run(now + MS);
    takt_node_sender_stop(&writer, SYNC, now);
    CHECK(next(&writer) && packet.answer.verdict == TAKT_WIRE_WITHHELD); /* is lost */
    run(now + TAKT_NODE_RENEW_NS);
    CHECK_EQUAL(verdict_of(SYNC), TAKT_WIRE_WITHHELD);
    takt_node_sender_start(&writer, SYNC, now);
    CHECK(next(&writer) && packet.answer.verdict == TAKT_WIRE_ACCEPTED);
    run(now + TAKT_NODE_RENEW_NS);
    CHECK_EQUAL(receivers[SYNC].internal.phase, TAKT_NODE_ACTIVE);
}

/* Nobody asks: then a start sends nothing, and a reader that asks while it is stopped gets nothing. */
static void test_nobody_asks(void)
{
    begin(true);
    takt_node_sender_stop(&writer, SYNC, now);
    takt_node_sender_start(&writer, SYNC, now);
    CHECK(!next(&writer));
    takt_node_sender_stop(&writer, SYNC, now);
    CHECK(!next(&writer));
    write_value(SYNC, 1, 10);
    takt_node_start(&reader, SYNC, now);
    run(now + MS);
    CHECK_EQUAL(verdict_of(SYNC), TAKT_WIRE_WITHHELD);
    CHECK_EQUAL(writer.counters.blocks_sent, 0);
    takt_node_stop(&reader, SYNC, now); /* both ends */
    run(now + MS);
    CHECK_EQUAL(receivers[SYNC].internal.phase, TAKT_NODE_IDLE);
    takt_node_sender_start(&writer, SYNC, now);
    run(now + TAKT_NODE_LEASE_NS);
    CHECK_EQUAL(writer.counters.blocks_sent, 0);
}

static unsigned wanted_of_group(void)
{
    unsigned count = 0;
    for (unsigned i = 0; i < KINDS; i++) {
        count += senders[i].internal.wanted;
    }
    return count;
}

static void begin_group(void)
{
    begin(true);
    for (unsigned i = 0; i < KINDS; i++) {
        senders[i].group = 7;
        senders[i].pause_ns = 30 * MS;
        takt_node_start(&reader, i, now);
    }
    takt_node_join(&writer);
    takt_node_sender_stop(&writer, ASYNC, now);
    takt_node_sender_stop(&writer, BULK, now);
}

/* One of a group is sent at a time, and it begins when the pause is over. */
static void test_group(void)
{
    begin_group();
    run(now + 30 * MS);
    CHECK_EQUAL(senders[SYNC].internal.wanted, true);
    write_value(BULK, 5, 10);
    takt_node_sender_start(&writer, BULK, now);
    uint64_t begun = now, sent = writer.counters.blocks_sent;
    exchange();
    CHECK_EQUAL(verdict_of(SYNC), TAKT_WIRE_WITHHELD);
    CHECK_EQUAL(receivers[BULK].internal.phase, TAKT_NODE_ACTIVE);
    run(begun + 30 * MS - 1);
    CHECK_EQUAL(writer.counters.blocks_sent, sent);
    CHECK_EQUAL(takt_node_until(&writer), begun + 30 * MS);
    run(begun + 30 * MS);
    CHECK_EQUAL(writer.counters.blocks_sent, sent + 1);
    check_newest(BULK, 5, 10);
    takt_node_sender_start(&writer, BULK, now); /* it is: nothing happens */
    CHECK_EQUAL(senders[BULK].internal.wanted, true);
}

/*
 * Whichever is started and stopped when: of a group never two are sent, nor one sooner than a pause after another one.
 */
static void test_groups_at_random(void)
{
    uint64_t random = check_seed();
    for (unsigned long i = 0; i < check_cases(200); i++) {
        begin_group();
        uint64_t ended = 0;
        unsigned last = KINDS;
        for (unsigned step = 0; step < 60; step++) {
            unsigned which = check_random(&random) % KINDS;
            if (check_random(&random) % 3 == 0) {
                takt_node_sender_stop(&writer, which, now);
            } else {
                takt_node_sender_start(&writer, which, now);
            }
            write_value(which, (uint8_t)step, 300);
            run(now + check_random(&random) % (40 * MS));
            CHECK(wanted_of_group() <= 1);
            for (unsigned k = 0; k < KINDS; k++) {
                CHECK(!senders[k].internal.wanted || k == last || now >= ended + 30 * MS);
                ended = senders[k].internal.wanted ? now : ended;
                last = senders[k].internal.wanted ? k : last;
            }
        }
    }
}

/* Writes at `written_at` and goes on to `end`; returns when the value was there, from the write on; `end`: not then. */
static uint64_t age_at_reader(uint64_t written_at, uint8_t byte, uint64_t end)
{
    run(written_at);
    write_value(SYNC, byte, 24);
    for (;;) {
        struct takt_area_value found;
        exchange();
        if (takt_area_read(&readers[SYNC], value, &found) == TAKT_OK && value[0] == byte) {
            return now - written_at;
        }
        uint64_t first = takt_node_until(&reader), other = takt_node_until(&writer);
        first = first < other ? first : other;
        if (first >= end) {
            return end - written_at;
        }
        now = first;
    }
}

/* A writer on its period, one of whose writes is late, while the node of its reader begins at some time of it, or the
 * clock of the writer is set once. The age of what follows is at its lower limit: the link's own time. */
static void ages(uint64_t started, uint64_t late, uint64_t set_back, uint64_t jitter)
{
    begin(true);
    senders[SYNC].period_ns = PERIOD * MS;
    senders[SYNC].jitter_ns = jitter;
    senders[SYNC].promotion_ns = 3 * MS;
    uint64_t grid = now;
    unsigned old = 0;
    write_value(SYNC, 255, 24); /* the reader gets it when it begins, and no write is held back by that */
    run(now + started);
    takt_node_start(&reader, SYNC, now);
    for (uint64_t k = 1; k < 50; k++) {
        uint64_t written_at = grid + k * PERIOD * MS + (k == 10 ? late : 0) - (k > 20 ? set_back : 0);
        uint64_t following = grid + (k + 1) * PERIOD * MS - (k >= 20 ? set_back : 0);
        old += age_at_reader(written_at, (uint8_t)k, following) > MS / 10;
    }
    CHECK(jitter < PERIOD * MS || old == 0);
    uint64_t held = late > set_back ? late : set_back;
    held = held > jitter ? held - jitter : 1;
    CHECK(old <= 2 * ((PERIOD * MS + held - 1) / held + 1));
    CHECK(receivers[SYNC].internal.phase == TAKT_NODE_ACTIVE && old < 45);
}

static void test_ages(void)
{
    for (uint64_t started = 0; started < PERIOD; started += 3) {
        for (uint64_t late = 0; late < PERIOD - 1; late += 3) {
            ages(started * MS, late * MS, 0, PERIOD * MS);
            ages(started * MS, late * MS, 0, PERIOD * MS / 2);
            ages(started * MS, 0, late * MS, PERIOD * MS);
        }
        ages(started * MS, 9 * MS, 4 * MS, 0);
    }
}

/* Rings are of those that share an area or a group, whatever their order, and of nobody else. */
static void test_rings(void)
{
    enum { MANY = 200 };
    static struct takt_node_sender many[MANY];
    static struct takt_node_receiver others[MANY];
    static struct takt_area areas[MANY];
    uint64_t random = check_seed();
    for (unsigned long k = 0; k < check_cases(200); k++) {
        uint32_t count = (uint32_t)(check_random(&random) % (MANY + 1));
        uint32_t groups = 1 + (uint32_t)(check_random(&random) % MANY);
        struct takt_node node = {.senders = many, .sender_count = count, .receivers = others, .receiver_count = count};
        for (uint32_t i = 0; i < count; i++) {
            many[i] = (struct takt_node_sender){.group = (uint32_t)(check_random(&random) % groups),
                                                .pause_ns = check_random(&random) % 50};
            others[i] = (struct takt_node_receiver){.area = &areas[check_random(&random) % groups]};
        }
        takt_node_join(&node);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t after = i, before = UINT32_MAX, other = i; /* the next one, or the first of all */
            for (uint32_t j = count; j-- > 0;) {
                bool same = i == j || (many[i].group != 0 && many[j].group == many[i].group);
                after = same && j > i ? j : after;
                before = same ? j : before;
                CHECK(!same || many[i].pause_ns == many[j].pause_ns);
            }
            CHECK_EQUAL(many[i].peer, after == i ? before : after);
            unsigned found = 0;
            do {
                CHECK(others[other].area == others[i].area && found++ < count);
                other = others[other].peer;
            } while (other != i);
            for (uint32_t j = 0; j < count; j++) {
                found -= others[j].area == others[i].area;
            }
            CHECK_EQUAL(found, 0);
        }
    }
}

/* Of a group that goes on with one more, that one waits for the pause too. */
static void test_pause_goes_on(void)
{
    begin_group();
    senders[BULK].group = 0;
    takt_node_join(&writer);
    takt_node_sender_stop(&writer, SYNC, now);
    uint64_t stopped = now;
    senders[BULK].group = 7;
    struct takt_node before = writer;
    takt_node_join(&writer);
    takt_node_go_on(&writer, &before, &fast);
    write_value(BULK, 3, 10);
    takt_node_sender_start(&writer, BULK, now);
    uint64_t sent = writer.counters.blocks_sent;
    run(stopped + 30 * MS - 1);
    CHECK_EQUAL(writer.counters.blocks_sent, sent);
    run(stopped + 30 * MS);
    check_newest(BULK, 3, 10);
}

/* Those without a value end in one call, and delay none that has one. */
static void test_nothing_to_send(void)
{
    enum { MANY = 300 };
    static struct takt_node_sender many[MANY];
    begin(true);
    for (uint32_t i = 0; i < MANY; i++) {
        many[i] = (struct takt_node_sender){.channel = i, .kind = TAKT_PUSH_ASYNC, .period_ns = 10 * MS, .level = i};
        many[i].value = values[0];
    }
    many[MANY - 1].area = senders[0].area;
    write_value(0, 4, 10);
    struct takt_node node = {.senders = many, .sender_count = MANY, .block = BLOCK};
    takt_node_init(&node, &fast, 1000);
    for (uint32_t i = 0; i < MANY; i++) {
        many[i].internal.asked = true;
        many[i].internal.session = many[i].internal.reader = 1;
        many[i].internal.period_ns = many[i].period_ns;
        many[i].internal.lease_ns = now + TAKT_NODE_LEASE_NS;
    }
    for (unsigned i = 0; i < 3; i++) {
        CHECK(next(&node) && packet.channel == MANY - 1);
        CHECK(!next(&node));
        CHECK_EQUAL(takt_node_until(&node), now + 10 * MS);
        now += 10 * MS;
    }
    now += 1000 * MS; /* of several missed periods the last one counts */
    CHECK(next(&node) && packet.channel == MANY - 1);
    CHECK(!next(&node) || (packet.channel == MANY - 1 && !next(&node)));
    CHECK(takt_node_until(&node) > now);
}

int main(void)
{
    test_rings();
    test_pause_goes_on();
    test_nothing_to_send();
    test_stopped_and_started();
    test_word_is_lost();
    test_nobody_asks();
    test_group();
    test_groups_at_random();
    test_ages();
    return 0;
}
