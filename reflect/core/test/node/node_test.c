/* SPDX-License-Identifier: Apache-2.0 */
/* Two nodes, packet by packet: each rule of subscriptions, leases and turns by itself. */
#include "reflect/core/test/pair.h"

static void test_join(void)
{
    for (unsigned keyed = 0; keyed < 2; keyed++) {
        begin(keyed != 0);
        CHECK(!next(&reader) && !next(&writer));
        CHECK(takt_node_until(&reader) == UINT64_MAX && takt_node_until(&writer) == UINT64_MAX);
        write_value(SYNC, 5, 700); /* before anybody is there */
        takt_node_start(&reader, SYNC, now);
        CHECK(takt_node_until(&reader) <= now);
        run(now + MS);
        CHECK_EQUAL(receivers[SYNC].internal.phase, TAKT_NODE_ACTIVE);
        check_newest(SYNC, 5, 700);
        write_value(SYNC, 6, 0);
        run(now + 20 * MS);
        check_newest(SYNC, 6, 0);
        CHECK_EQUAL(reader.counters.values_received, 2);
        CHECK_EQUAL(reader.counters.blocks_received, 4); /* 3 and one that is empty */
        CHECK_EQUAL(writer.counters.blocks_sent, 4);
        CHECK_EQUAL(writer.counters.values_sent, 2);
        CHECK_EQUAL(writer.counters.subscriptions, 2); /* one gets an offer, one takes it */
        CHECK_EQUAL(reader.counters.answers, 2);
    }
}

/* Without an answer: after 50 ms, and twice as long each time, up to half a second. */
static void test_retries(void)
{
    begin(true);
    takt_node_start(&reader, SYNC, now);
    static const unsigned gaps[] = {50, 100, 200, 400, 500, 500};
    for (unsigned i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        CHECK(next(&reader) && packet.subscribe.wanted && packet.to_session == 0);
        CHECK(!next(&reader));
        CHECK_EQUAL(takt_node_until(&reader), now + gaps[i] * MS);
        now += gaps[i] * MS;
    }
    run(now + MS);
    CHECK_EQUAL(receivers[SYNC].internal.phase, TAKT_NODE_ACTIVE);
    CHECK_EQUAL(takt_node_until(&reader), now - MS + TAKT_NODE_RENEW_NS);
}

static void test_refused(void)
{
    begin(true);
    receivers[SYNC].assemble.size = SIZE - 1;
    takt_node_start(&reader, SYNC, now);
    run(now + MS);
    CHECK_EQUAL(receivers[SYNC].internal.phase, TAKT_NODE_REFUSED);
    CHECK_EQUAL(receivers[SYNC].internal.refusal.answer.verdict, TAKT_WIRE_UNFIT);
    CHECK_EQUAL(receivers[SYNC].internal.refusal.answer.left, SIZE);
    CHECK_EQUAL(receivers[SYNC].internal.refusal.answer.right, SIZE - 1);
    receivers[SYNC].assemble.size = SIZE;
    run(now + TAKT_NODE_RENEW_NS);
    CHECK_EQUAL(receivers[SYNC].internal.phase, TAKT_NODE_ACTIVE);

    senders[SYNC].refusal.answer.verdict = TAKT_WIRE_REFUSED; /* it was, and is no longer, admitted */
    senders[SYNC].refusal.answer.inequality = 3;
    run(now + TAKT_NODE_RENEW_NS);
    CHECK_EQUAL(receivers[SYNC].internal.phase, TAKT_NODE_REFUSED);
    CHECK_EQUAL(receivers[SYNC].internal.refusal.answer.inequality, 3);
    write_value(SYNC, 1, 8);
    CHECK(!next(&writer));
    takt_node_stop(&reader, SYNC, now);
    run(now + MS);
    CHECK_EQUAL(receivers[SYNC].internal.phase, TAKT_NODE_IDLE);
}

/* A reader that is gone costs its writer nothing when its lease is over; one that is slow, none of its values. */
static void test_lease(void)
{
    begin(true);
    takt_node_start(&reader, SYNC, now);
    exchange();
    uint64_t end = senders[SYNC].internal.lease_ns;
    CHECK_EQUAL(end, now + TAKT_NODE_LEASE_NS);
    now = end - 1;
    write_value(SYNC, 1, 8);
    CHECK(next(&writer) && packet.kind == TAKT_WIRE_DATA);
    now = end + 20 * MS;
    write_value(SYNC, 2, 8);
    CHECK(!next(&writer));
    CHECK_EQUAL(takt_node_until(&writer), UINT64_MAX);
    CHECK_EQUAL(takt_node_band(&writer, now), TAKT_PUSH_LOW);
    run(now + MS); /* it is back: same sessions, and what it missed */
    check_newest(SYNC, 2, 8);

    now += TAKT_NODE_LEASE_NS + 1; /* the reader hears nothing: it asks in a hurry */
    CHECK(next(&reader));
    CHECK_EQUAL(receivers[SYNC].internal.phase, TAKT_NODE_STARTING);
    CHECK_EQUAL(takt_node_until(&reader), now + TAKT_NODE_RETRY_NS);
}

static void test_stop(void)
{
    begin(true);
    takt_node_start(&reader, SYNC, now);
    takt_node_stop(&reader, SYNC, now); /* before it began */
    CHECK(!next(&reader));
    takt_node_start(&reader, SYNC, now);
    run(now + MS);
    write_value(SYNC, 1, SIZE);
    CHECK(next(&writer)); /* the first of its blocks; the rest is not sent */
    takt_node_stop(&reader, SYNC, now);
    takt_node_stop(&reader, SYNC, now);
    run(now + MS);
    CHECK_EQUAL(receivers[SYNC].internal.phase, TAKT_NODE_IDLE);
    CHECK_EQUAL(writer.counters.blocks_sent, 1);
    CHECK_EQUAL(takt_node_until(&reader), UINT64_MAX);

    takt_node_start(&reader, SYNC, now); /* without an answer: when its lease is surely over */
    run(now + MS);
    CHECK_EQUAL(receivers[SYNC].internal.phase, TAKT_NODE_ACTIVE);
    uint64_t end = receivers[SYNC].internal.lease_ns;
    takt_node_stop(&reader, SYNC, now);
    while (takt_node_until(&reader) < end) {
        now = takt_node_until(&reader);
        CHECK(next(&reader) && !packet.subscribe.wanted);
        CHECK_EQUAL(receivers[SYNC].internal.phase, TAKT_NODE_STOPPING);
    }
    now = end;
    CHECK(!next(&reader));
    CHECK_EQUAL(receivers[SYNC].internal.phase, TAKT_NODE_IDLE);

    begin(true); /* the writer does not know it: it has to be asked for a session first */
    takt_node_start(&reader, SYNC, now);
    CHECK(next(&reader));
    takt_node_stop(&reader, SYNC, now);
    run(now + MS);
    CHECK_EQUAL(receivers[SYNC].internal.phase, TAKT_NODE_IDLE);
    CHECK_EQUAL(senders[SYNC].internal.wanted, false);
}

/* Two of one area: the other one starts when this one was stopped, and its pause is over. */
static void test_switch(void)
{
    begin(true);
    receivers[ASYNC].area = receivers[SYNC].area;
    takt_node_join(&reader);
    receivers[SYNC].pause_ns = 30 * MS;
    takt_node_start(&reader, SYNC, now);
    run(now + MS);
    takt_node_start(&reader, ASYNC, now);
    uint64_t stopped = now;
    CHECK(takt_node_until(&reader) <= now);
    CHECK(next(&reader) && packet.channel == 10 && !packet.subscribe.wanted);
    size_t stop_length = length;
    CHECK(!next(&reader));
    length = stop_length;
    CHECK_EQUAL(takt_node_until(&reader), now + TAKT_NODE_RETRY_NS); /* of the stop; the start waits for it */
    pass_on(&writer);
    CHECK(next(&writer));
    pass_on(&reader);
    CHECK(!next(&reader));
    CHECK_EQUAL(takt_node_until(&reader), stopped + 30 * MS);
    now = stopped + 30 * MS;
    CHECK(next(&reader) && packet.channel == 20 && packet.subscribe.wanted);
    run(now + 60 * MS);
    CHECK_EQUAL(receivers[ASYNC].internal.phase, TAKT_NODE_ACTIVE);
    CHECK_EQUAL(receivers[SYNC].internal.phase, TAKT_NODE_IDLE);
}

/*
 * One that is asked for begins as soon as the lease of the one before is over, also if it comes before that in the
 * table.
 */
static void test_switch_after_lease(void)
{
    begin(true);
    receivers[ASYNC].area = receivers[SYNC].area;
    takt_node_join(&reader);
    takt_node_start(&reader, ASYNC, now);
    run(now + MS);
    takt_node_start(&reader, SYNC, now);
    uint64_t over = receivers[ASYNC].internal.lease_ns;
    while (now < over) { /* its writer is gone */
        while (next(&reader)) {
            CHECK(packet.channel == 20 && !packet.subscribe.wanted);
        }
        now = takt_node_until(&reader) < over ? takt_node_until(&reader) : over;
    }
    CHECK(next(&reader) && packet.channel == 10 && packet.subscribe.wanted);
    CHECK(takt_node_until(&reader) > now);
}

/* A value that was lost comes again with the next subscription, under its number; one that came does not. */
static void test_lost(void)
{
    begin(true);
    takt_node_start(&reader, SYNC, now);
    run(now + MS);
    write_value(SYNC, 1, 600);
    CHECK(next(&writer));
    pass_on(&reader);
    now += MS;
    CHECK(next(&writer)); /* is lost */
    now += MS;
    CHECK(next(&writer));
    pass_on(&reader);
    CHECK(!next(&writer));
    run(now + TAKT_NODE_RENEW_NS);
    check_newest(SYNC, 1, 600);
    CHECK_EQUAL(reader.counters.twice, 1);
    CHECK_EQUAL(reader.counters.old, 1); /* came when the value was whole */
    CHECK_EQUAL(receivers[SYNC].assemble.unseen + receivers[SYNC].assemble.dropped, 0);
    uint64_t sent = writer.counters.blocks_sent;
    run(now + 2 * TAKT_NODE_RENEW_NS);
    CHECK_EQUAL(writer.counters.blocks_sent, sent);
    takt_node_written(&writer, SYNC, now); /* word of a value that was sent */
    CHECK(!next(&writer));
    takt_node_stop(&reader, SYNC, now);
    run(now + MS);
    now += 20 * MS;
    takt_node_start(&reader, SYNC, now);
    exchange();
    now += MS;
    CHECK(next(&writer)); /* one block of it once more: word of its write does not keep it from being whole */
    pass_on(&reader);
    takt_node_written(&writer, SYNC, now);
    run(now + MS);
    CHECK_EQUAL(reader.counters.values_received, 2);
}

/* In order: each, and how many were overwritten before they were sent is seen by the receiver. */
static void test_every(void)
{
    begin(true);
    senders[SYNC].every = true;
    write_value(SYNC, 99, 8); /* before the start */
    takt_node_start(&reader, SYNC, now);
    run(now + MS);
    CHECK_EQUAL(reader.counters.values_received, 0);
    for (uint8_t i = 1; i <= 3; i++) {
        write_value(SYNC, i, 8);
    }
    CHECK(next(&writer)); /* the others wait for their period */
    pass_on(&reader);
    CHECK_EQUAL(takt_node_until(&writer), now + 10 * MS);
    run(now + 25 * MS);
    check_newest(SYNC, 3, 8);
    CHECK_EQUAL(reader.counters.values_received, 3);
    for (uint8_t i = 4; i <= 3 + DEPTH + 2; i++) {
        write_value(SYNC, i, 8);
    }
    run(now + 100 * MS);
    CHECK_EQUAL(reader.counters.values_received, 3 + DEPTH);
    CHECK_EQUAL(receivers[SYNC].assemble.unseen, 2);
    run(now + 2 * TAKT_NODE_RENEW_NS);
    CHECK_EQUAL(reader.counters.values_received, 3 + DEPTH);
}

/* Dual priority: below what has no deadline until it is promoted, then above; block by block. */
static void test_turns(void)
{
    begin(true);
    for (uint32_t i = 0; i < KINDS; i++) {
        takt_node_start(&reader, i, now);
    }
    run(now + 4 * MS);
    write_value(SYNC, 1, SIZE);
    write_value(ASYNC, 2, SIZE);
    write_value(BULK, 3, SIZE);
    now += 20 * MS;
    struct takt_push *async = &senders[ASYNC].internal.push;
    CHECK(takt_push_is_ready(async, now));
    async->release_ns = async->nominal_ns = now; /* they are all released now */
    senders[SYNC].internal.push.release_ns = senders[SYNC].internal.push.nominal_ns = now;
    CHECK_EQUAL(takt_node_band(&writer, now), TAKT_PUSH_MID);
    CHECK(next(&writer) && packet.channel == 30);
    now += MS;
    CHECK(next(&writer) && packet.channel == 30 && packet.data.offset == BLOCK);
    now += MS; /* promoted both */
    CHECK_EQUAL(takt_node_band(&writer, now), TAKT_PUSH_HIGHEST);
    for (unsigned i = 0; i < 4; i++) {
        CHECK(next(&writer) && packet.channel == 10);
        CHECK(!next(&writer)); /* the link is not free */
        now = takt_node_until(&writer);
    }
    CHECK_EQUAL(takt_node_band(&writer, now), TAKT_PUSH_HIGH);
    CHECK(next(&writer) && packet.channel == 20);
}

/* An asynchronous push goes on in the periods that its reader asked for, with or without a new value. */
static void test_periods(void)
{
    begin(true);
    receivers[ASYNC].period_ns = 40 * MS;
    takt_node_start(&reader, ASYNC, now);
    run(now + 100 * MS);
    CHECK_EQUAL(writer.counters.values_sent, 0); /* there is none */
    write_value(ASYNC, 1, 8);
    CHECK(!next(&writer));
    run(now + 400 * MS);
    CHECK_EQUAL(reader.counters.values_received, 10);
    receivers[ASYNC].period_ns = 1;          /* more often than was declared: as it was declared */
    run(now + TAKT_NODE_RENEW_NS + 45 * MS); /* the next release is as far away as it was */
    uint64_t before = reader.counters.values_received;
    run(now + 100 * MS);
    CHECK_EQUAL(reader.counters.values_received, before + 10);
}

/* A writer's node starts again: the reader finds it, with another session. */
static void test_writer_starts_again(void)
{
    begin(true);
    takt_node_start(&reader, SYNC, now);
    write_value(SYNC, 1, 8);
    run(now + 20 * MS);
    takt_node_init(&writer, &fast, 77);
    write_value(SYNC, 2, 8);
    run(now + TAKT_NODE_RENEW_NS);
    CHECK_EQUAL(receivers[SYNC].internal.phase, TAKT_NODE_ACTIVE);
    check_newest(SYNC, 2, 8);
}

/* An area that says a value is there, which is not: as if the writer were too fast. */
static void test_overtaken(void)
{
    begin(true);
    takt_node_start(&reader, SYNC, now);
    run(now + MS);
    written[SYNC].memory->newest[0] = 5;
    takt_node_written(&writer, SYNC, now);
    CHECK(!next(&writer));
    CHECK_EQUAL(writer.counters.overtaken, 1);
    CHECK_EQUAL(takt_node_until(&writer), UINT64_MAX);
    write_value(SYNC, 1, 8); /* its own number; the next ones are as they should be */
    run(now + 20 * MS);
    check_newest(SYNC, 1, 8);
}

/* A wild writer jumps to the last number there is; what the next one writes comes all the same. */
static void test_wild_numbers(void)
{
    static uintptr_t memory[TAKT_AREA_BYTES(SIZE, DEPTH) / sizeof(uintptr_t)] __attribute__((aligned(64)));
    begin(true);
    senders[SYNC].every = true;
    takt_node_start(&reader, SYNC, now);
    run(now + MS);
    write_value(SYNC, 1, 8);
    run(now + 20 * MS);
    written[SYNC].number = UINTPTR_MAX - 1;
    write_value(SYNC, 2, 8);
    run(now + 20 * MS);
    check_newest(SYNC, 2, 8);
    CHECK_EQUAL(takt_area_init(&written[SYNC], memory, (struct takt_area_shape){SIZE, DEPTH}), TAKT_OK);
    struct takt_area_reader area;
    CHECK_EQUAL(takt_area_attach(&area, memory, sizeof memory), TAKT_OK);
    takt_node_attach(&writer, SYNC, &area, now);
    for (uint8_t i = 3; i < 6; i++) {
        write_value(SYNC, i, 8);
        run(now + 20 * MS);
        check_newest(SYNC, i, 8);
    }
}

/* A sender goes on with another area, whose values have numbers of their own. */
static void test_another_writer(void)
{
    static uintptr_t memory[2][TAKT_AREA_BYTES(SIZE, DEPTH) / sizeof(uintptr_t)] __attribute__((aligned(64)));
    for (unsigned every = 0; every < 2; every++) {
        begin(true);
        senders[SYNC].every = every != 0;
        takt_node_start(&reader, SYNC, now);
        run(now + MS);
        for (uint8_t i = 1; i <= 3; i++) {
            write_value(SYNC, i, 8);
            run(now + 20 * MS);
        }
        CHECK_EQUAL(reader.counters.values_received, 3);
        CHECK_EQUAL(takt_area_init(&written[SYNC], memory[0], (struct takt_area_shape){SIZE, DEPTH}), TAKT_OK);
        struct takt_area_reader area;
        CHECK_EQUAL(takt_area_attach(&area, memory[0], sizeof memory[0]), TAKT_OK);
        takt_node_attach(&writer, SYNC, &area, now);
        CHECK(!next(&writer)); /* which has written nothing */
        write_value(SYNC, 4, 9);
        run(now + 20 * MS);
        check_newest(SYNC, 4, 9);
        write_value(SYNC, 5, 9);
        write_value(SYNC, 6, 9);
        run(now + 40 * MS);
        check_newest(SYNC, 6, 9);
        CHECK_EQUAL(reader.counters.values_received, every ? 6 : 5);
        /* One that was there before it was found. */
        CHECK_EQUAL(takt_area_init(&written[SYNC], memory[1], (struct takt_area_shape){SIZE, DEPTH}), TAKT_OK);
        struct takt_area_stamp stamp = {.time_ns = now, .length = 10};
        memset(value, 7, 10);
        CHECK_EQUAL(takt_area_write(&written[SYNC], value, &stamp), TAKT_OK);
        CHECK_EQUAL(takt_area_attach(&area, memory[1], sizeof memory[1]), TAKT_OK);
        takt_area_from_first(&area);
        takt_node_attach(&writer, SYNC, &area, now);
        run(now + 20 * MS);
        check_newest(SYNC, 7, 10);
    }
}

/* A reader that subscribes before there is a writer gets its first value. */
static void test_before_its_writer(void)
{
    for (unsigned kind = 0; kind < KINDS; kind++) {
        for (unsigned every = 0; every < 2; every++) {
            begin(true);
            struct takt_area_reader area = senders[kind].area;
            senders[kind].every = every != 0;
            senders[kind].area = (struct takt_area_reader){.shape = {SIZE, DEPTH}};
            takt_node_start(&reader, kind, now);
            run(now + 30 * MS);
            CHECK_EQUAL(receivers[kind].internal.phase, TAKT_NODE_ACTIVE);
            takt_node_written(&writer, kind, now);
            run(now + 30 * MS);
            takt_node_attach(&writer, kind, &area, now);
            write_value(kind, 8, 100);
            run(now + 30 * MS);
            check_newest(kind, 8, 100);
        }
    }
}

/* When a push goes up, and which packet brings a value. */
static void test_promotion(void)
{
    begin(true);
    CHECK_EQUAL(takt_node_promotion(&writer, now), UINT64_MAX);
    takt_node_start(&reader, SYNC, now);
    takt_node_start(&reader, BULK, now);
    run(now + 20 * MS);
    CHECK_EQUAL(takt_node_promotion(&writer, now), UINT64_MAX);
    write_value(BULK, 1, 8);
    CHECK_EQUAL(takt_node_promotion(&writer, now), UINT64_MAX); /* it has no deadline */
    run(now + 20 * MS);
    write_value(SYNC, 2, 8);
    CHECK_EQUAL(takt_node_band(&writer, now), TAKT_PUSH_LOW);
    CHECK_EQUAL(takt_node_promotion(&writer, now), now + 2 * MS);
    CHECK_EQUAL(takt_node_promotion(&writer, now + 2 * MS), UINT64_MAX);
    CHECK_EQUAL(takt_node_band(&writer, now + 2 * MS), TAKT_PUSH_HIGHEST);
    CHECK(next(&writer));
    CHECK_EQUAL(takt_node_receive(&reader, bytes, length, &writers, now), SYNC);
    CHECK_EQUAL(takt_node_receive(&reader, bytes, length, &writers, now), TAKT_NODE_NOBODY);
    CHECK_EQUAL(takt_node_promotion(&writer, now), UINT64_MAX);
}

/* A thread that sleeps too long makes up for it, as far as something was there; one that is busy does not. */
static void test_late(void)
{
    for (unsigned slept = 0; slept < 2; slept++) {
        begin(true);
        writer.pace.link.burst_ns = MS;
        takt_node_start(&reader, SYNC, now);
        run(now + 20 * MS);
        write_value(SYNC, 1, 700);
        CHECK(next(&writer)); /* the first of three blocks, and nothing more, whatever the link was idle for */
        uint64_t free_ns = takt_node_until(&writer);
        CHECK(free_ns > now);
        CHECK(slept == 0 || !next(&writer));
        now = free_ns + 5000; /* longer than a block is on the wire */
        CHECK(next(&writer));
        CHECK_EQUAL(next(&writer), slept != 0);
    }
}

int main(void)
{
    test_late();
    test_another_writer();
    test_wild_numbers();
    test_before_its_writer();
    test_promotion();
    test_join();
    test_retries();
    test_refused();
    test_lease();
    test_stop();
    test_switch();
    test_switch_after_lease();
    test_lost();
    test_every();
    test_turns();
    test_periods();
    test_writer_starts_again();
    test_overtaken();
    return 0;
}
