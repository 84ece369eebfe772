/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer: a channel of ISO-TP whose other end, bus and caller do anything, in any order. Whatever they do, frames
 * are valid and within their length, what was sent is what a receiver puts together again, buffers are as long as they
 * say (AddressSanitizer), and without the other end every transfer ends. */
#include "base/arith.h"
#include "base/test/fuzz.h"
#include "takt/can_isotp.h"

enum { MESSAGE_MAX = 5000, WAITS_MAX = 5, STEPS = 200, SECOND_NS = 1000000000 };

/* What its frames say, put together by another reader; `wanted`: of the whole message. */
struct reader {
    uint8_t data[MESSAGE_MAX + TAKT_CAN_DATA_MAX];
    uint32_t count, wanted, frames;
};

static struct takt_can_isotp channel;
static struct takt_can_isotp_config config;
static struct reader reader;
static uint8_t *message;
static uint32_t length;
static uint64_t now;

static uint64_t time_ns(void)
{
    return 1 + (uint64_t)byte() * byte() * 20000;
}

static struct takt_can_isotp_address address(void)
{
    uint8_t kind = byte();
    struct takt_can_isotp_ids ids = {.extended = kind & 8, .send_id = 0x7E0, .receive_id = 0x7E8};
    struct takt_can_isotp_ends ends = {.own = 0xF1, .other = 0x10};
    switch (kind & 7) {
    case 0:
        return takt_can_isotp_mixed(ids, 5);
    case 1:
        return takt_can_isotp_extended(ids, ends);
    case 2:
        return takt_can_isotp_normal_fixed(ends, kind & 16);
    case 3:
        return takt_can_isotp_mixed_fixed(ends, 7, kind & 16);
    default:
        return takt_can_isotp_normal(ids);
    }
}

static void begin(void)
{
    static const uint8_t lengths[] = {8, 8, 8, 12, 16, 20, 24, 32, 48, 64};
    uint8_t flags = byte();
    config = (struct takt_can_isotp_config){
        .address = address(),
        .times = {time_ns(), time_ns(), time_ns(), time_ns(), time_ns(), time_ns()},
        .tx_dl = lengths[byte() % sizeof lengths],
        .padded = flags & 1,
        .padding = 0xCC,
        .block_size = byte() % 20,
        .separation = byte(),
        .waits_max = byte() % WAITS_MAX,
        .size = flags & 2 ? 0 : (uint32_t)number(2) % (flags & 16 ? 40 : MESSAGE_MAX),
    };
    config.fd = config.tx_dl > 8 || (flags & 4) != 0;
    config.brs = config.fd && (flags & 8) != 0;
    config.buffer = config.size > 0 ? malloc(config.size) : NULL;
    if (!takt_can_isotp_config_is_valid(&config)) {
        CHECK(config.separation > 0x7F && (config.separation < 0xF1 || config.separation > 0xF9));
        config.separation = 0;
        CHECK(takt_can_isotp_config_is_valid(&config));
    }
    message = NULL;
    reader.wanted = 0;
    now = 0;
    takt_can_isotp_init(&channel, &config);
}

static void begin_message(void)
{
    static const uint8_t other[MESSAGE_MAX];
    uint32_t count = byte() % 4 > 0 ? byte() : (uint32_t)number(2) % MESSAGE_MAX;
    if (takt_can_isotp_sent(&channel) != TAKT_CAN_ISOTP_PENDING) {
        free(message);
        length = count;
        message = malloc(count + 1u); /* malloc(0) may be NULL */
        for (uint32_t i = 0; i < count; i++) {
            message[i] = (uint8_t)(i * 7 + i / 256);
        }
        reader.count = reader.wanted = reader.frames = 0;
        enum takt_status status = takt_can_isotp_send(&channel, message, count, now);
        CHECK(status == TAKT_OK || (status == TAKT_LIMIT && (count == 0 || config.address.functional)));
    } else {
        CHECK_EQUAL(takt_can_isotp_send(&channel, other, count, now), TAKT_BUSY);
    }
}

/* Notes a frame of the sender (9.6): its bytes behind N_PCI. */
static void note(const uint8_t *data, unsigned count)
{
    unsigned skipped = 1;
    if (data[0] >> 4 == 2) {
        CHECK_EQUAL(data[0] & 15, ++reader.frames % 16);
    } else {
        CHECK_EQUAL(reader.count, 0);
        reader.wanted = data[0] >> 4 == 0 ? data[0] : (data[0] & 15u) << 8 | data[1];
        skipped = data[0] >> 4 == 0 ? 1 : 2;
        if (reader.wanted == 0 && data[0] == 0) {
            reader.wanted = data[1];
            skipped = 2;
        } else if (reader.wanted == 0) {
            reader.wanted = (uint32_t)data[2] << 24 | (uint32_t)data[3] << 16 | (uint32_t)data[4] << 8 | data[5];
            skipped = 6;
        }
        CHECK_EQUAL(reader.wanted, length);
    }
    for (unsigned i = skipped; i < count && reader.count < reader.wanted; i++) {
        reader.data[reader.count++] = data[i];
    }
}

enum { NONE = 0, DATA = 1, FLOW = 2 };

/* What the next frame of the channel is, which is checked. */
static unsigned fetch(void)
{
    struct takt_can_frame frame;
    if (!takt_can_isotp_next(&channel, now, &frame)) {
        return NONE;
    }
    unsigned skipped = config.address.prefixed ? 1 : 0, count = takt_can_bytes(&frame.shape);
    CHECK(takt_can_frame_is_valid(&frame));
    CHECK_EQUAL(frame.id, config.address.send_id);
    CHECK(count > skipped && count <= config.tx_dl);
    CHECK(!config.padded || count >= 8);
    CHECK(skipped == 0 || frame.data[0] == config.address.send_prefix);
    if (frame.data[skipped] >> 4 == 3) {
        return FLOW;
    }
    note(frame.data + skipped, count - skipped);
    return DATA;
}

static void receive(void)
{
    uint8_t kind = byte(), count = byte();
    bool fd = kind & 1;
    struct takt_can_frame frame = {.id = kind & 0x30 ? config.address.receive_id : (uint32_t)number(2)};
    frame.shape = (struct takt_can_shape){
        .extended = config.address.extended != ((kind & 0xC0) == 0x40), .fd = fd, .remote = !fd && (kind & 0xE) == 2};
    frame.shape.dlc = takt_can_dlc(kind & 2 ? 8 : count % 65 > (fd ? 64 : 8) ? 8 : count % 65, fd);
    frame.id &= frame.shape.extended ? TAKT_CAN_ID_EXTENDED_MAX : TAKT_CAN_ID_MAX;
    unsigned used = 0;
    if (config.address.prefixed && (kind & 4) == 0) {
        frame.data[used++] = config.address.receive_prefix;
    }
    if ((kind & 8) != 0 && channel.receive.state != 0) { /* the consecutive frame that comes next */
        frame.data[used++] = (uint8_t)(0x20 | channel.receive.sequence);
    } else if ((kind & 8) != 0) { /* a first frame of a message that is nearly as long as the buffer */
        uint32_t count_near = (config.size + byte() % 8 - 4) & 0xFFF;
        frame.data[used++] = (uint8_t)(0x10 | count_near >> 8);
        frame.data[used++] = (uint8_t)count_near;
    }
    while (used < takt_can_bytes(&frame.shape)) {
        frame.data[used++] = byte();
    }
    takt_can_isotp_receive(&channel, &frame, now);
}

static void take(void)
{
    uint32_t count = takt_can_isotp_received(&channel);
    CHECK(count <= config.size);
    CHECK(takt_can_isotp_failure(&channel) <= TAKT_CAN_ISOTP_ERROR);
    if (count > 0) {
        takt_can_isotp_release(&channel, now);
        CHECK_EQUAL(takt_can_isotp_received(&channel), 0);
    }
}

/* After anything: a message that was sent is one that can be read. */
static void look(void)
{
    if (message != NULL && reader.wanted > 0 && takt_can_isotp_sent(&channel) == TAKT_CAN_ISOTP_OK) {
        CHECK_EQUAL(reader.count, length);
        CHECK(memcmp(reader.data, message, length) == 0);
    }
}

/* Nothing comes any more, and no data is confirmed: it ends, after few steps. */
static void end(bool paused)
{
    take();
    takt_can_isotp_pause(&channel, paused, now);
    for (unsigned i = 0; i < STEPS && takt_can_isotp_wake_ns(&channel) != TAKT_SATURATED; i++) {
        uint64_t wake = takt_can_isotp_wake_ns(&channel);
        now = wake > now ? wake : now;
        if (fetch() == FLOW) {
            takt_can_isotp_confirm(&channel, now);
        }
        take();
    }
    CHECK_EQUAL(takt_can_isotp_wake_ns(&channel), TAKT_SATURATED);
    CHECK(takt_can_isotp_sent(&channel) != TAKT_CAN_ISOTP_PENDING);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input = data;
    left = size;
    bool paused = byte() % 2 == 0;
    begin();
    while (left > 0) {
        uint8_t what = byte();
        now += what & 0x80 ? 0 : what & 0x40 ? 100000 : time_ns();
        switch (what & 7) {
        case 0:
            begin_message();
            break;
        case 1:
            take();
            break;
        case 2:
            takt_can_isotp_pause(&channel, what & 8, now);
            break;
        case 3:
        case 4:
            if (fetch() != NONE && (what & 0x10) != 0) {
                takt_can_isotp_confirm(&channel, now);
            }
            break;
        case 5:
            takt_can_isotp_confirm(&channel, now);
            break;
        default:
            receive();
        }
        look();
    }
    end(paused);
    free(config.buffer);
    free(message);
    return 0;
}
