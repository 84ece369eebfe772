/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses (ISO 15765-2:2016, 10.3), and frames that have them. */
#include "net/can/src/isotp/isotp.h"

/* Identifiers of 29 bits that have both addresses, of priority 6: physical and functional ones (tables 30 and 31). */
enum { NORMAL_FIXED = 0x18DA0000, NORMAL_FIXED_GROUP = 0x18DB0000, MIXED = 0x18CE0000, MIXED_GROUP = 0x18CD0000 };

struct takt_can_isotp_address takt_can_isotp_normal(struct takt_can_isotp_ids ids)
{
    return (struct takt_can_isotp_address){
        .extended = ids.extended, .send_id = ids.send_id, .receive_id = ids.receive_id};
}

static struct takt_can_isotp_address prefixed(struct takt_can_isotp_address address, uint8_t send, uint8_t receive)
{
    address.prefixed = true;
    address.send_prefix = send;
    address.receive_prefix = receive;
    return address;
}

struct takt_can_isotp_address takt_can_isotp_mixed(struct takt_can_isotp_ids ids, uint8_t extension)
{
    return prefixed(takt_can_isotp_normal(ids), extension, extension);
}

struct takt_can_isotp_address takt_can_isotp_extended(struct takt_can_isotp_ids ids, struct takt_can_isotp_ends ends)
{
    return prefixed(takt_can_isotp_normal(ids), ends.other, ends.own);
}

static struct takt_can_isotp_address fixed(uint32_t id, struct takt_can_isotp_ends ends, bool functional)
{
    return (struct takt_can_isotp_address){.extended = true,
                                           .functional = functional,
                                           .send_id = id | (uint32_t)ends.other << 8 | ends.own,
                                           .receive_id = id | (uint32_t)ends.own << 8 | ends.other};
}

struct takt_can_isotp_address takt_can_isotp_normal_fixed(struct takt_can_isotp_ends ends, bool functional)
{
    return fixed(functional ? NORMAL_FIXED_GROUP : NORMAL_FIXED, ends, functional);
}

struct takt_can_isotp_address takt_can_isotp_mixed_fixed(struct takt_can_isotp_ends ends, uint8_t extension,
                                                         bool functional)
{
    return prefixed(fixed(functional ? MIXED_GROUP : MIXED, ends, functional), extension, extension);
}

void taktc_isotp_write(const struct takt_can_isotp *channel, struct head head, const uint8_t *data, uint32_t count,
                       struct takt_can_frame *frame)
{
    const struct takt_can_isotp_config *config = &channel->config;
    unsigned used = 0;
    *frame = (struct takt_can_frame){.id = config->address.send_id};
    if (config->address.prefixed) {
        frame->data[used++] = config->address.send_prefix;
    }
    copy(frame->data + used, head.bytes, head.count);
    used += head.count;
    copy(frame->data + used, data, count);
    used += count;
    unsigned wanted = config->padded && used < CLASSIC_DL ? CLASSIC_DL : used;
    frame->shape = (struct takt_can_shape){.extended = config->address.extended, .fd = config->fd, .brs = config->brs};
    frame->shape.dlc = takt_can_dlc(wanted, config->fd);
    while (used < takt_can_bytes(&frame->shape)) {
        frame->data[used++] = config->padding;
    }
}
