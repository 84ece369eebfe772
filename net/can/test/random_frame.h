/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_RANDOM_FRAME_H
#define TAKT_CAN_RANDOM_FRAME_H

#include "base/test/check.h"
#include "takt/can_parser.h"

/* A valid frame of any shape. Its data are random, of one level, or runs of 4 bits, which give many stuff bits. */
static inline struct takt_can_frame random_frame(uint64_t *random)
{
    static const uint8_t patterns[] = {0x00, 0xFF, 0xF0, 0x0F, 0x78, 0x87};
    struct takt_can_frame frame = {.shape = {.extended = check_random(random) % 2, .fd = check_random(random) % 2}};
    struct takt_can_shape *shape = &frame.shape;
    shape->remote = !shape->fd && check_random(random) % 4 == 0;
    shape->brs = shape->fd && check_random(random) % 4 != 0;
    shape->dlc = (uint8_t)(check_random(random) % (TAKT_CAN_DLC_MAX + 1));
    frame.passive = shape->fd && check_random(random) % 4 == 0;
    uint32_t id_max = shape->extended ? TAKT_CAN_ID_EXTENDED_MAX : TAKT_CAN_ID_MAX;
    frame.id = (uint32_t)check_random(random) & id_max;
    if (check_random(random) % 4 == 0) {
        frame.id = (check_random(random) % 2 == 0 ? 0 : UINT32_C(0x1E1E1E1E)) & id_max;
    }
    bool plain = check_random(random) % 2 == 0;
    uint8_t pattern = patterns[check_random(random) % sizeof patterns];
    for (unsigned i = 0; i < takt_can_bytes(shape); i++) {
        frame.data[i] = plain ? (uint8_t)check_random(random) : pattern;
    }
    return frame;
}

#endif
