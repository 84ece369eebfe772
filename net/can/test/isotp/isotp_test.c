/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of ISO-TP by hand, after the tables of ISO 15765-2:2016. Beside another implementation:
 * tests/canbus/test_can_isotp.py. */
#include "net/can/test/isotp/isotp_channel.h"

static void test_single(void)
{
    begin_usual(20);
    CHECK_EQUAL(takt_can_isotp_sent(&channel), TAKT_CAN_ISOTP_OK);
    send(1);
    CHECK_EQUAL(takt_can_isotp_send(&channel, message, 1, now), TAKT_BUSY);
    sends("01 01");
    sent(TAKT_CAN_ISOTP_OK);
    send(7);
    sends("07 01 02 03 04 05 06 07");
    CHECK_EQUAL(takt_can_isotp_send(&channel, message, 0, now), TAKT_LIMIT);
    receive("03 01 02 03");
    received(3);
    receive("07 01 02 03 04 05 06 07");
    received(7);
    receive("02 01 02 AA AA AA AA AA");
    received(2);
    receive("00 01 02"); /* of no byte, of more than there are, of another type: ignored */
    receive("03 01 02");
    receive("09 01 02 03 04 05 06 07");
    receive("40 01");
    receive("F1 01");
    received(0);
    config.padded = true;
    config.padding = 0xCC;
    begin(20);
    send(2);
    sends("02 01 02 CC CC CC CC CC");
    begin_usual(2);
    receive("03 01 02 03");
    failed(TAKT_CAN_ISOTP_BUFFER_OVERFLOW);
    begin_usual(0);
    receive("01 01");
    failed(TAKT_CAN_ISOTP_BUFFER_OVERFLOW);
}

static void test_single_fd(void)
{
    begin_fd(64);
    send(7);
    sends("07 01 02 03 04 05 06 07");
    send(8);
    sends("00 08 01 02 03 04 05 06 07 08 00 00");
    send(10);
    sends("00 0A 01 02 03 04 05 06 07 08 09 0A");
    send(62);
    CHECK_EQUAL(fetch("00 3E 01 02"), 64);
    receive("00 0A 01 02 03 04 05 06 07 08 09 0A");
    received(10);
    receive("00 08 01 02 03 04 05 06 07 08 CC CC");
    received(8);
    receive("00 07 01 02 03 04 05 06 07 08 09 0A"); /* would have been a short one */
    receive("00 0B 01 02 03 04 05 06 07 08 09 0A");
    receive("01 0A 01 02 03 04 05 06 07 08 09 0A");
    receive("07 01 02 03 04 05 06 07 08 09 0A 0B");
    receive("00 07 01 02 03 04 05 06"); /* of 8 bytes: no escape */
    received(0);
    config.address.prefixed = true;
    config.address.send_prefix = 0xF1;
    config.address.receive_prefix = 0x10;
    begin(BUFFER);
    send(7);
    sends("F1 00 07 01 02 03 04 05 06 07 00 00");
    receive("10 00 07 01 02 03 04 05 06 07 00 00");
    received(7);
    receive("10 00 06 01 02 03 04 05 06 07 00 00");
    receive("11 00 07 01 02 03 04 05 06 07 00 00"); /* of another address */
    receive("10");
    received(0);
}

static void test_segmented_sender(void)
{
    begin_usual(0);
    send(20);
    sends("10 14 01 02 03 04 05 06");
    is_silent();
    receive("30 00 00");
    sends("21 07 08 09 0A 0B 0C 0D");
    sends("22 0E 0F 10 11 12 13 14");
    sent(TAKT_CAN_ISOTP_OK);
    send(20); /* a block of one, with 20 ms between, then one of 500 us */
    sends("10 14 01 02 03 04 05 06");
    receive("30 01 14");
    sends("21 07 08 09 0A 0B 0C 0D");
    is_silent();
    receive("30 00 F5 AA AA AA AA AA");
    sends("22 0E 0F 10 11 12 13 14");
    sent(TAKT_CAN_ISOTP_OK);
    send(4095);
    sends("1F FF 01 02 03 04 05 06");
    receive("32 00 00");
    sent(TAKT_CAN_ISOTP_BUFFER_OVERFLOW);
    send(4096);
    sends("10 00 00 00 10 00 01 02");
    receive("33 00 00");
    sent(TAKT_CAN_ISOTP_INVALID_FS);
    receive("30 00 00"); /* not waited for */
    is_silent();
}

static void test_segmented_sender_fd(void)
{
    begin_fd(64);
    send(63);
    CHECK_EQUAL(fetch("10 3F 01 02 03"), 64);
    confirm();
    receive("30 00 00");
    sends("21 3F");
    sent(TAKT_CAN_ISOTP_OK);
    config.padded = true;
    config.tx_dl = 12;
    begin(BUFFER);
    send(11);
    sends("10 0B 01 02 03 04 05 06 07 08 09 0A");
    receive("10 0B 01 02 03 04 05 06 07 08 09 0A");
    (void)fetch("30 00 00 00");
    receive("30 00 00"); /* with the next frame due while the flow control is on its way */
    CHECK_EQUAL(takt_can_isotp_wake_ns(&channel), now + usual.times.cs_ns);
    confirm();
    sends("21 0B 00 00 00 00 00 00");
    sent(TAKT_CAN_ISOTP_OK);
}

static void test_separation(void)
{
    static const struct {
        const char *flow;
        uint64_t gap_ns;
    } rows[] = {{"30 00 01", 1 * MS},   {"30 00 7F", 127 * MS}, {"30 00 F1", 100000},   {"30 00 F9", 900000},
                {"30 00 80", 127 * MS}, {"30 00 F0", 127 * MS}, {"30 00 FA", 127 * MS}, {"30 00 FF", 127 * MS}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin_usual(0);
        send(30);
        sends("10 1E 01 02 03 04 05 06");
        now += 5;
        receive(rows[i].flow);
        (void)fetch("21 07"); /* the first one at once */
        now += 300;
        is_silent(); /* the gap begins when the last frame was transmitted */
        confirm();
        pass(rows[i].gap_ns);
        sends("22 0E 0F 10 11 12 13 14");
        pass(rows[i].gap_ns);
        sends("23 15 16 17 18 19 1A 1B");
        pass(rows[i].gap_ns);
        sends("24 1C 1D 1E");
        sent(TAKT_CAN_ISOTP_OK);
    }
}

static void test_segmented_receiver(void)
{
    begin_usual(30);
    receive("10 14 01 02 03 04 05 06");
    sends("30 00 00");
    receive("21 07 08 09 0A 0B 0C 0D");
    receive("22 0E 0F 10 11 12 13 14");
    received(20);
    config.block_size = 2;
    config.separation = 0xF3;
    begin(30);
    receive("10 1E 01 02 03 04 05 06");
    sends("30 02 F3");
    receive("21 07 08 09 0A 0B 0C 0D");
    receive("22 0E 0F 10 11 12 13 14");
    receive("23 15 16 17 18 19 1A 1B"); /* before the next flow control: ignored */
    sends("30 02 F3");
    receive("23 15 16 17 18 19 1A 1B");
    receive("24 1C 1D"); /* too short: ignored */
    receive("24 1C 1D 1E CC CC CC CC");
    received(30);
    receive("10 1F 01 02 03 04 05 06");
    failed(TAKT_CAN_ISOTP_BUFFER_OVERFLOW);
    sends("32 00 00");
    receive("21 07 08 09 0A 0B 0C 0D");
    received(0);
    receive("10 07 01 02 03 04 05 06"); /* would have been a single one; too short; a short length behind an escape */
    receive("10 14 01 02 03 04 05");
    receive("10 00 00 00 0F FF 01 02");
    is_silent();
    received(0);
    begin_usual(BUFFER);
    receive("10 00 00 00 10 00 01 02");
    sends("30 00 00");
    receive("21 03 04 05 06 07 08 09");
    receive("23 03 04 05 06 07 08 09");
    failed(TAKT_CAN_ISOTP_WRONG_SN);
    receive("22 03 04 05 06 07 08 09");
    is_silent();
}

/* The first frame says how long all are. */
static void test_lengths_of_frames(void)
{
    begin_fd(64);
    receive_filled("10 10 01 02 03", 20); /* 16 bytes: a single frame of 20 has them */
    is_silent();
    receive("10 15 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12");
    sends("30 00 00");
    receive("21 13 14 15 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"); /* of 24 bytes */
    received(0);
    receive("21 13 14"); /* not all of it */
    received(0);
    receive("21 13 14 15");
    received(21);
    receive("10 28 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12");
    sends("30 00 00");
    receive_filled("21 13 14 15", 16); /* not the last one */
    receive("21 13 14 15 16 17 18 19 1A 1B 1C 1D 1E 1F 20 21 22 23 24 25");
    receive("22 26 27 28");
    received(40);
}

static void test_prefixed(void)
{
    config = usual;
    config.address = takt_can_isotp_extended((struct takt_can_isotp_ids){false, 0x600, 0x601},
                                             (struct takt_can_isotp_ends){.own = 0x11, .other = 0x22});
    begin(30);
    send(6);
    sends("22 06 01 02 03 04 05 06");
    send(7);
    sends("22 10 07 01 02 03 04 05");
    receive("11 30 00 00");
    sends("22 21 06 07");
    sent(TAKT_CAN_ISOTP_OK);
    receive("11 10 07 01 02 03 04 05");
    sends("22 30 00 00");
    receive("11 21 06 07");
    received(7);
    receive("11 10 06 01 02 03 04 05");
    receive("22 06 01 02 03 04 05 06");
    is_silent();
    received(0);
    send(7);
    sends("22 10 07 01 02 03 04 05");
    receive("11 30 00"); /* no flow control */
    is_silent();
}

static void test_addresses(void)
{
    const struct takt_can_isotp_ids ids = {true, 0x18000001, 0x18000002};
    const struct takt_can_isotp_ends ends = {.own = 0xF1, .other = 0x33};
    struct takt_can_isotp_address address = takt_can_isotp_normal(ids);
    CHECK(address.extended && address.send_id == ids.send_id && address.receive_id == ids.receive_id);
    CHECK(!address.prefixed && !address.functional);
    address = takt_can_isotp_mixed(ids, 0x55);
    CHECK(address.prefixed && address.send_prefix == 0x55 && address.receive_prefix == 0x55);
    address = takt_can_isotp_normal_fixed(ends, false);
    CHECK_EQUAL(address.send_id, 0x18DA33F1);
    CHECK_EQUAL(address.receive_id, 0x18DAF133);
    CHECK(address.extended && !address.prefixed && !address.functional);
    address = takt_can_isotp_normal_fixed(ends, true);
    CHECK_EQUAL(address.send_id, 0x18DB33F1);
    CHECK(address.functional);
    address = takt_can_isotp_mixed_fixed(ends, 0x44, false);
    CHECK_EQUAL(address.send_id, 0x18CE33F1);
    CHECK(address.prefixed && address.send_prefix == 0x44 && address.receive_prefix == 0x44 && !address.functional);
    address = takt_can_isotp_mixed_fixed(ends, 0x44, true);
    CHECK_EQUAL(address.receive_id, 0x18CDF133);
    CHECK(address.functional);
}

static void test_functional(void)
{
    config = usual;
    config.address.functional = true;
    begin(30);
    CHECK_EQUAL(takt_can_isotp_send(&channel, message, 8, now), TAKT_LIMIT);
    send(7);
    sends("07 01 02 03 04 05 06 07");
    receive("10 14 01 02 03 04 05 06");
    receive("30 00 00");
    receive("21 07 08 09 0A 0B 0C 0D");
    is_silent();
    receive("01 01");
    received(1);
}

/* What arrives for others. */
static void test_others(void)
{
    struct takt_can_frame frame = {.shape = {.dlc = 2}, .id = 0x7E8, .data = {1, 1}};
    struct takt_can_frame other = frame;
    begin_usual(30);
    other.id = 0x7E9;
    takt_can_isotp_receive(&channel, &other, now);
    other = frame;
    other.shape.extended = true;
    takt_can_isotp_receive(&channel, &other, now);
    other = frame;
    other.shape.remote = true;
    takt_can_isotp_receive(&channel, &other, now);
    other = frame;
    other.shape.dlc = 0;
    takt_can_isotp_receive(&channel, &other, now);
    received(0);
    takt_can_isotp_receive(&channel, &frame, now);
    received(1);
}

/* Table 23: a single or first frame ends what is being received, others that are not expected are ignored. */
static void test_unexpected(void)
{
    begin_usual(30);
    receive("10 14 01 02 03 04 05 06");
    sends("30 00 00");
    receive("30 00 00");
    receive("50 00 00");
    receive("00 00 00");
    receive("21 07 08 09 0A 0B 0C 0D");
    receive("03 01 02 03");
    CHECK_EQUAL(takt_can_isotp_failure(&channel), TAKT_CAN_ISOTP_UNEXPECTED);
    received(3);
    receive("22 0E 0F 10 11 12 13 14");
    received(0);
    receive("10 14 09 09 09 09 09 09");
    receive("10 0F 01 02 03 04 05 06");
    failed(TAKT_CAN_ISOTP_UNEXPECTED);
    sends("30 00 00");
    receive("21 07 08 09 0A 0B 0C 0D");
    receive("22 0E 0F");
    received(15);
    send(20); /* sending goes on meanwhile: full duplex */
    sends("10 14 01 02 03 04 05 06");
    receive("10 0F 01 02 03 04 05 06");
    receive("30 00 00");
    sends("30 00 00"); /* a flow control first */
    sends("21 07 08 09 0A 0B 0C 0D");
    receive("21 07 08 09 0A 0B 0C 0D");
    receive("22 0E 0F");
    sends("22 0E 0F 10 11 12 13 14");
    received(15);
    sent(TAKT_CAN_ISOTP_OK);
}

int main(void)
{
    now = 7;
    test_single();
    test_single_fd();
    test_segmented_sender();
    test_segmented_sender_fd();
    test_separation();
    test_segmented_receiver();
    test_lengths_of_frames();
    test_prefixed();
    test_addresses();
    test_functional();
    test_others();
    test_unexpected();
    return 0;
}
