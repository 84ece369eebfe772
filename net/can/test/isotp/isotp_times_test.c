/* SPDX-License-Identifier: Apache-2.0 */
/* The times of ISO-TP, WAIT, configurations, and another end that sends anything. */
#include "net/can/test/isotp/isotp_channel.h"

static void test_sender_times(void)
{
    const struct takt_can_isotp_times *times = &usual.times;
    begin_usual(0);
    send(20);
    (void)fetch("10 14");
    pass(times->as_ns);
    sent(TAKT_CAN_ISOTP_TIMEOUT_A);
    confirm(); /* too late: nothing */
    sent(TAKT_CAN_ISOTP_TIMEOUT_A);
    send(20);
    now += times->cs_ns - 1;
    sends("10 14 01 02 03 04 05 06");
    pass(times->bs_ns);
    sent(TAKT_CAN_ISOTP_TIMEOUT_BS);
    receive("30 00 00");
    is_silent();
    send(20);
    now += times->cs_ns;
    sent(TAKT_CAN_ISOTP_ERROR);
    send(20);
    sends("10 14 01 02 03 04 05 06");
    receive("30 00 02");
    sends("21 07 08 09 0A 0B 0C 0D");
    CHECK_EQUAL(takt_can_isotp_wake_ns(&channel), now + 2 * MS);
    now += 2 * MS + times->cs_ns;
    sent(TAKT_CAN_ISOTP_ERROR);
    send(20);
    sends("10 14 01 02 03 04 05 06");
    receive("30 01 00");
    sends("21 07 08 09 0A 0B 0C 0D");
    now += times->bs_ns;
    receive("30 00 00"); /* at the time-out: too late */
    sent(TAKT_CAN_ISOTP_TIMEOUT_BS);
    CHECK_EQUAL(takt_can_isotp_wake_ns(&channel), TAKT_SATURATED);
}

static void test_receiver_times(void)
{
    const struct takt_can_isotp_times *times = &usual.times;
    begin_usual(30);
    receive("10 14 01 02 03 04 05 06");
    CHECK_EQUAL(takt_can_isotp_wake_ns(&channel), now);
    now += times->br_ns - 1;
    (void)fetch("30 00 00");
    CHECK_EQUAL(takt_can_isotp_wake_ns(&channel), now + times->ar_ns);
    now += times->ar_ns;
    is_silent();
    failed(TAKT_CAN_ISOTP_TIMEOUT_A);
    receive("10 14 01 02 03 04 05 06");
    now += times->br_ns;
    is_silent();
    failed(TAKT_CAN_ISOTP_ERROR);
    receive("10 14 01 02 03 04 05 06");
    (void)fetch("30 00 00");
    now += times->cr_ns + 5; /* the time of a flow control that is on its way does not count */
    confirm();
    now += times->cr_ns - 1;
    receive("21 07 08 09 0A 0B 0C 0D");
    pass(times->cr_ns);
    is_silent();
    failed(TAKT_CAN_ISOTP_TIMEOUT_CR);
    receive("22 0E 0F 10 11 12 13 14");
    received(0);
    receive("10 14 01 02 03 04 05 06"); /* its frames overtake the confirmation of the flow control */
    (void)fetch("30 00 00");
    receive("21 07 08 09 0A 0B 0C 0D");
    receive("22 0E 0F 10 11 12 13 14");
    received(20);
    now += times->ar_ns;
    is_silent();
    received(0);
}

/* Confirmations of the sender's frames that come after the answer. */
static void test_overtaken(void)
{
    begin_usual(0);
    send(28);
    (void)fetch("10 1C");
    receive("30 01 00");
    is_silent();
    confirm();
    (void)fetch("21 07");
    receive("31 00 00"); /* a block of one: this may be the next flow control */
    receive("30 02 00");
    confirm();
    (void)fetch("22 0E");
    receive("32 00 00"); /* in a block: not waited for */
    confirm();
    (void)fetch("23 15");
    receive("30 00 00");
    confirm();
    sends("24 1C");
    sent(TAKT_CAN_ISOTP_OK);
    config.waits_max = 5;
    begin(0);
    send(20);
    (void)fetch("10 14");
    receive("31 00 00");
    confirm();
    now += usual.times.bs_ns - 1;
    receive("30 00 00");
    sends("21 07 08 09 0A 0B 0C 0D");
}

static void test_waits(void)
{
    const struct takt_can_isotp_times *times = &usual.times;
    config = usual;
    config.waits_max = 2;
    begin(30);
    send(20);
    sends("10 14 01 02 03 04 05 06");
    receive("31 00 00");
    now += times->bs_ns - 1;
    receive("31 00 00");
    pass(times->bs_ns);
    sent(TAKT_CAN_ISOTP_TIMEOUT_BS);
    send(20);
    sends("10 14 01 02 03 04 05 06");
    receive("31 00 00");
    receive("31 00 00");
    receive("30 01 00"); /* begins a new count */
    sends("21 07 08 09 0A 0B 0C 0D");
    receive("31 00 00");
    receive("31 00 00");
    sent(TAKT_CAN_ISOTP_PENDING);
    receive("31 00 00");
    sent(TAKT_CAN_ISOTP_WAIT_OVERRUN);
    receive("01 01"); /* the buffer is the caller's */
    receive("10 14 01 02 03 04 05 06");
    receive("01 09"); /* lost, and ends the longer one */
    CHECK_EQUAL(takt_can_isotp_failure(&channel), TAKT_CAN_ISOTP_UNEXPECTED);
    receive("10 14 01 02 03 04 05 06");
    pass(times->br_ns);
    sends("31 00 00");
    pass(times->br_ns);
    (void)fetch("31 00 00");
    CHECK_EQUAL(takt_can_isotp_wake_ns(&channel), now + times->br_ns);
    received(1);
    is_silent();
    CHECK_EQUAL(takt_can_isotp_wake_ns(&channel), now + times->br_ns);
    confirm();
    sends("30 00 00");
    takt_can_isotp_pause(&channel, true, now);
    receive("21 07 08 09 0A 0B 0C 0D");
    receive("22 0E 0F 10 11 12 13 14"); /* what was asked for is received */
    received(20);
    receive("10 14 01 02 03 04 05 06");
    for (unsigned i = 0; i < 2; i++) {
        pass(times->br_ns);
        sends("31 00 00");
    }
    pass(times->br_ns);
    is_silent();
    failed(TAKT_CAN_ISOTP_WAIT_OVERRUN);
    receive("10 14 01 02 03 04 05 06");
    takt_can_isotp_pause(&channel, false, now);
    sends("30 00 00");
    begin_usual(30); /* no WAIT at all */
    takt_can_isotp_pause(&channel, true, now);
    receive("10 14 01 02 03 04 05 06");
    failed(TAKT_CAN_ISOTP_WAIT_OVERRUN);
    sends("32 00 00");
}

static void test_config(void)
{
    struct takt_can_isotp_config bad = usual;
    CHECK(takt_can_isotp_config_is_valid(&usual));
#define REFUSED(change) \
    bad = usual;        \
    change;             \
    CHECK(!takt_can_isotp_config_is_valid(&bad))
    REFUSED(bad.tx_dl = 7);
    REFUSED(bad.tx_dl = 12);
    REFUSED(bad.tx_dl = 13; bad.fd = true);
    REFUSED(bad.tx_dl = 65; bad.fd = true);
    REFUSED(bad.brs = true);
    REFUSED(bad.separation = 0x80);
    REFUSED(bad.separation = 0xFA);
    REFUSED(bad.address.send_id = 0x800);
    REFUSED(bad.address.receive_id = 0x800);
    REFUSED(bad.address.extended = true; bad.address.send_id = 0x20000000);
    REFUSED(bad.buffer = buffer);
    REFUSED(bad.size = 1);
    REFUSED(bad.times.as_ns = 0);
    REFUSED(bad.times.ar_ns = 0);
    REFUSED(bad.times.bs_ns = 0);
    REFUSED(bad.times.br_ns = 0);
    REFUSED(bad.times.cs_ns = 0);
    REFUSED(bad.times.cr_ns = 0);
#undef REFUSED
    bad = usual;
    bad.fd = true;
    bad.tx_dl = 12;
    bad.separation = 0xF9;
    CHECK(takt_can_isotp_config_is_valid(&bad));
}

/* A byte that a hostile end sends first, mostly of a kind that a channel knows. */
static uint8_t hostile(uint64_t *random)
{
    static const uint8_t often[] = {0x00, 0x01, 0x07, 0x10, 0x1F, 0x20, 0x21, 0x22, 0x30, 0x31, 0x32, 0x3F};
    uint64_t choice = check_random(random);
    return choice % 4 == 0 ? (uint8_t)(choice >> 8) : often[(choice >> 8) % sizeof often];
}

/* Anything at any time: what is written stays in the buffer, and when nothing comes any more, all transfers end within
 * a few of the channel's times. */
static void test_hostile(void)
{
    static const uint8_t lengths[] = {8, 8, 12, 20, 64};
    uint64_t random = check_seed();
    for (unsigned long i = 0; i < check_cases(3000); i++) {
        struct takt_can_frame frame;
        config = usual;
        config.tx_dl = lengths[check_random(&random) % sizeof lengths];
        config.fd = config.tx_dl > 8;
        config.waits_max = (uint16_t)(check_random(&random) % 3);
        config.block_size = (uint8_t)(check_random(&random) % 4);
        config.address.prefixed = check_random(&random) % 4 == 0;
        uint32_t size = 1 + (uint32_t)(check_random(&random) % 100);
        begin(size);
        for (unsigned step = 0; step < 60; step++) {
            uint8_t bytes[TAKT_CAN_DATA_MAX];
            for (unsigned n = 0; n < sizeof bytes; n++) {
                bytes[n] = n < 2 ? hostile(&random) : (uint8_t)check_random(&random);
            }
            bytes[0] = config.address.prefixed ? 0 : bytes[0];
            unsigned count = (unsigned)(check_random(&random) % 9);
            count = check_random(&random) % 4 == 0 ? lengths[1 + check_random(&random) % 4] : count;
            now += check_random(&random) % (check_random(&random) % 8 == 0 ? 300 * MS : MS);
            switch (check_random(&random) % 8) {
            case 0:
                if (takt_can_isotp_send(&channel, message, (uint32_t)(check_random(&random) % 300), now) == TAKT_OK) {
                    CHECK_EQUAL(takt_can_isotp_sent(&channel), TAKT_CAN_ISOTP_PENDING);
                }
                break;
            case 1:
            case 2:
                if (takt_can_isotp_next(&channel, now, &frame)) {
                    CHECK(takt_can_frame_is_valid(&frame));
                }
                break;
            case 3:
                confirm();
                break;
            case 4:
                takt_can_isotp_pause(&channel, check_random(&random) % 2 == 0, now);
                CHECK(takt_can_isotp_received(&channel) <= size);
                takt_can_isotp_release(&channel, now);
                break;
            default:
                receive_bytes(bytes, count);
            }
        }
        for (unsigned n = size; n < BUFFER; n++) {
            CHECK_EQUAL(buffer[n], 0);
        }
        unsigned calls = 0;
        for (uint64_t wake = takt_can_isotp_wake_ns(&channel); wake != TAKT_SATURATED && calls < 400; calls++) {
            now = wake > now ? wake : now;
            if (takt_can_isotp_next(&channel, now, &frame)) {
                confirm();
            }
            wake = takt_can_isotp_wake_ns(&channel);
        }
        CHECK(calls < 400); /* at most 300 bytes are left to be sent */
        CHECK(takt_can_isotp_sent(&channel) != TAKT_CAN_ISOTP_PENDING);
    }
}

int main(void)
{
    now = 7;
    test_sender_times();
    test_receiver_times();
    test_overtaken();
    test_waits();
    test_config();
    test_hostile();
    return 0;
}
