/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_TEST_ISOTP_H
#define TAKT_CAN_TEST_ISOTP_H

/* A channel of ISO-TP for tests: frames as text, and what the channel answers. */
#include "base/arith.h"
#include "base/test/check.h"
#include "takt/can_isotp.h"

enum { BUFFER = 5000, MS = 1000000 };

static const struct takt_can_isotp_config usual = {
    .address = {.send_id = 0x7E0, .receive_id = 0x7E8},
    .times = {.as_ns = 1000 * MS,
              .ar_ns = 900 * MS,
              .bs_ns = 800 * MS,
              .br_ns = 100 * MS,
              .cs_ns = 50 * MS,
              .cr_ns = 700 * MS},
    .tx_dl = 8,
};

static struct takt_can_isotp channel;
static struct takt_can_isotp_config config;
static uint8_t buffer[BUFFER], message[BUFFER];
static uint64_t now; /* of every call, in ns */

static inline void begin(uint32_t size)
{
    config.buffer = size > 0 ? buffer : NULL;
    config.size = size;
    CHECK(takt_can_isotp_config_is_valid(&config));
    takt_can_isotp_init(&channel, &config);
    memset(buffer, 0, sizeof buffer);
}

/* A usual channel with a buffer. */
static inline void begin_usual(uint32_t size)
{
    config = usual;
    begin(size);
}

static inline void begin_fd(uint8_t tx_dl)
{
    config = usual;
    config.fd = config.brs = true;
    config.tx_dl = tx_dl;
    begin(BUFFER);
}

static inline unsigned bytes_of(const char *text, uint8_t *bytes)
{
    unsigned count = 0;
    for (; *text != '\0'; text += text[2] == ' ' ? 3 : 2) {
        char digits[3] = {text[0], text[1], '\0'};
        bytes[count++] = (uint8_t)strtoul(digits, NULL, 16);
    }
    return count;
}

static inline void receive_bytes(const uint8_t *bytes, unsigned count)
{
    struct takt_can_frame frame = {.id = config.address.receive_id};
    frame.shape = (struct takt_can_shape){.extended = config.address.extended, .fd = count > 8};
    frame.shape.dlc = takt_can_dlc(count, count > 8);
    memcpy(frame.data, bytes, count);
    takt_can_isotp_receive(&channel, &frame, now);
}

/* A frame of the other end, of these bytes. */
static inline void receive(const char *text)
{
    uint8_t bytes[TAKT_CAN_DATA_MAX] = {0};
    receive_bytes(bytes, bytes_of(text, bytes));
}

/* The same filled up with zeros to `count` bytes. */
static inline void receive_filled(const char *text, unsigned count)
{
    uint8_t bytes[TAKT_CAN_DATA_MAX] = {0};
    (void)bytes_of(text, bytes);
    receive_bytes(bytes, count);
}

/* The next frame begins with these bytes; returns how many it has. */
static inline unsigned fetch(const char *text)
{
    uint8_t bytes[TAKT_CAN_DATA_MAX];
    struct takt_can_frame frame;
    CHECK(takt_can_isotp_next(&channel, now, &frame));
    CHECK(takt_can_frame_is_valid(&frame));
    CHECK_EQUAL(frame.id, config.address.send_id);
    unsigned count = bytes_of(text, bytes);
    CHECK(memcmp(frame.data, bytes, count) == 0);
    return takt_can_bytes(&frame.shape);
}

static inline void confirm(void)
{
    takt_can_isotp_confirm(&channel, now);
}

/* The next frame has exactly these bytes, and is transmitted. */
static inline void sends(const char *text)
{
    uint8_t bytes[TAKT_CAN_DATA_MAX];
    CHECK_EQUAL(fetch(text), bytes_of(text, bytes));
    confirm();
}

static inline void is_silent(void)
{
    struct takt_can_frame frame;
    CHECK(!takt_can_isotp_next(&channel, now, &frame));
}

static inline void send(uint32_t length)
{
    for (uint32_t i = 0; i < length; i++) {
        message[i] = (uint8_t)(i + 1);
    }
    CHECK_EQUAL(takt_can_isotp_send(&channel, message, length, now), TAKT_OK);
    CHECK_EQUAL(takt_can_isotp_sent(&channel), TAKT_CAN_ISOTP_PENDING);
}

static inline void sent(enum takt_can_isotp_result result)
{
    is_silent();
    CHECK_EQUAL(takt_can_isotp_sent(&channel), result);
}

/* What was received: bytes from 1 on. */
static inline void received(uint32_t length)
{
    CHECK_EQUAL(takt_can_isotp_failure(&channel), TAKT_CAN_ISOTP_OK);
    CHECK_EQUAL(takt_can_isotp_received(&channel), length);
    for (uint32_t i = 0; i < length; i++) {
        CHECK_EQUAL(buffer[i], (uint8_t)(i + 1));
    }
    takt_can_isotp_release(&channel, now);
}

static inline void failed(enum takt_can_isotp_result result)
{
    CHECK_EQUAL(takt_can_isotp_failure(&channel), result);
    CHECK_EQUAL(takt_can_isotp_failure(&channel), TAKT_CAN_ISOTP_OK);
    CHECK_EQUAL(takt_can_isotp_received(&channel), 0);
}

/* To 1 ns before a time-out, at which nothing happens, and to it: the time that the channel wants to be called at. */
static inline void pass(uint64_t ns)
{
    CHECK_EQUAL(takt_can_isotp_wake_ns(&channel), now + ns);
    now += ns - 1;
    is_silent();
    CHECK_EQUAL(takt_can_isotp_wake_ns(&channel), now + 1);
    now++;
}

#endif
