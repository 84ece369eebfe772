/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For libFuzzer: any datagram is a valid frame, or none; and a frame that is packed and unpacked is the same. Half of the
 * inputs are datagrams, the others change bytes of one with a frame.
 */
#include "base/test/fuzz.h"
#include "library/can/host/packed.h"

static void look(const uint8_t *data, size_t size)
{
    uint8_t bytes[TAKT_CAN_PACKED_MAX];
    struct takt_can_frame frame, again;
    if (takt_can_unpack(data, size, &frame)) {
        CHECK(takt_can_frame_is_valid(&frame));
        size_t count = takt_can_pack(&frame, bytes);
        CHECK(count <= TAKT_CAN_PACKED_MAX);
        CHECK(takt_can_unpack(bytes, count, &again));
        CHECK(takt_can_frame_equals(&frame, &again));
        for (size_t left = 0; left < count; left++) {
            CHECK(!takt_can_unpack(bytes, left, &again));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t bytes[TAKT_CAN_PACKED_MAX];
    input = data;
    left = size;
    if (byte() % 2 == 0) {
        look(input, left);
        return 0;
    }
    struct takt_can_frame frame = {.shape = {.fd = byte() % 2 != 0, .dlc = byte() % 9}, .id = byte()};
    size_t count = takt_can_pack(&frame, bytes);
    while (left > 1) {
        size_t at = byte() % count;
        bytes[at] = byte();
    }
    uint8_t *whole = malloc(count); /* so that a byte behind it is found */
    memcpy(whole, bytes, count);
    look(whole, count);
    free(whole);
    return 0;
}
