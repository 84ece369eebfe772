/* SPDX-License-Identifier: Apache-2.0 */
/* takt_can_pack and takt_can_unpack for ctypes: `head` is identifier, extended, remote, fd, brs, passive, bytes (of a
 * remote frame: asked for). */
#include <string.h>

#include "library/can/host/packed.h"

size_t packed(const unsigned head[7], const uint8_t *data, uint8_t *bytes);
int unpacked(const uint8_t *bytes, size_t count, unsigned head[7], uint8_t *data);

size_t packed(const unsigned head[7], const uint8_t *data, uint8_t *bytes)
{
    struct takt_can_frame frame = {.id = head[0], .passive = head[5] != 0};
    frame.shape = (struct takt_can_shape){head[1] != 0, head[2] != 0, head[3] != 0, head[4] != 0, 0};
    frame.shape.dlc = takt_can_dlc(head[6], frame.shape.fd);
    memcpy(frame.data, data, takt_can_bytes(&frame.shape));
    return takt_can_pack(&frame, bytes);
}

int unpacked(const uint8_t *bytes, size_t count, unsigned head[7], uint8_t *data)
{
    struct takt_can_frame frame;
    if (!takt_can_unpack(bytes, count, &frame)) {
        return 0;
    }
    const struct takt_can_shape *shape = &frame.shape;
    const unsigned found[7] = {frame.id,
                               shape->extended,
                               shape->remote,
                               shape->fd,
                               shape->brs,
                               frame.passive,
                               shape->remote ? shape->dlc : takt_can_bytes(shape)};
    memcpy(head, found, sizeof found);
    memcpy(data, frame.data, TAKT_CAN_DATA_MAX);
    return 1;
}
