/* SPDX-License-Identifier: Apache-2.0 */
/* A channel of ISO-TP: its two halves (send.c, receive.c) share its frames, of which one is on its way at a time. */
#include <stddef.h>

#include "net/can/src/isotp/isotp.h"

static bool are_times_valid(const struct takt_can_isotp_times *times)
{
    bool own = times->as_ns > 0 && times->ar_ns > 0 && times->br_ns > 0 && times->cs_ns > 0;
    return own && times->bs_ns > 0 && times->cr_ns > 0;
}

bool takt_can_isotp_config_is_valid(const struct takt_can_isotp_config *config)
{
    const struct takt_can_isotp_address *address = &config->address;
    uint32_t id_max = address->extended ? TAKT_CAN_ID_EXTENDED_MAX : TAKT_CAN_ID_MAX;
    struct takt_can_shape shape = {
        .fd = config->fd, .brs = config->brs, .dlc = takt_can_dlc(config->tx_dl, config->fd)};
    bool is_length = config->tx_dl >= CLASSIC_DL && takt_can_bytes(&shape) == config->tx_dl;
    bool is_separation = config->separation <= 0x7F || (config->separation >= 0xF1 && config->separation <= 0xF9);
    bool has_ids = address->send_id <= id_max && address->receive_id <= id_max;
    bool has_buffer = (config->buffer != NULL) == (config->size > 0);
    return takt_can_shape_is_valid(&shape) && is_length && is_separation && has_ids && has_buffer &&
           are_times_valid(&config->times);
}

void takt_can_isotp_init(struct takt_can_isotp *channel, const struct takt_can_isotp_config *config)
{
    *channel = (struct takt_can_isotp){.config = *config};
}

/* Ends what took too long. */
static void poll(struct takt_can_isotp *channel, uint64_t now_ns)
{
    const struct takt_can_isotp_times *times = &channel->config.times;
    if (channel->handed == HANDED_FLOW && is_over(now_ns, channel->handed_ns, times->ar_ns)) {
        channel->handed = HANDED_NONE;
        taktc_isotp_receive_end(channel, TAKT_CAN_ISOTP_TIMEOUT_A);
    } else if (channel->handed != HANDED_NONE && channel->handed != HANDED_FLOW &&
               is_over(now_ns, channel->handed_ns, times->as_ns)) {
        channel->handed = HANDED_NONE;
        taktc_isotp_send_end(channel, TAKT_CAN_ISOTP_TIMEOUT_A);
    }
    taktc_isotp_send_poll(channel, now_ns);
    taktc_isotp_receive_poll(channel, now_ns);
}

static bool is_for(const struct takt_can_isotp_address *address, const struct takt_can_frame *frame)
{
    const struct takt_can_shape *shape = &frame->shape;
    if (shape->extended != address->extended || frame->id != address->receive_id) {
        return false;
    }
    if (takt_can_bytes(shape) < (address->prefixed ? 2 : 1)) { /* remote frames among them */
        return false;
    }
    return !address->prefixed || frame->data[0] == address->receive_prefix;
}

void takt_can_isotp_receive(struct takt_can_isotp *channel, const struct takt_can_frame *frame, uint64_t now_ns)
{
    const struct takt_can_isotp_address *address = &channel->config.address;
    poll(channel, now_ns);
    if (!is_for(address, frame)) {
        return;
    }
    unsigned skipped = address->prefixed ? 1 : 0, dl = takt_can_bytes(&frame->shape);
    struct pdu pdu = {frame->data + skipped, dl - skipped, dl};
    unsigned type = pdu.data[0] >> 4;
    if (type == PCI_SINGLE) {
        taktc_isotp_receive_single(channel, pdu);
    } else if (address->functional) {
        return; /* single frames alone */
    } else if (type == PCI_FIRST) {
        taktc_isotp_receive_first(channel, pdu, now_ns);
    } else if (type == PCI_CONSECUTIVE) {
        taktc_isotp_receive_consecutive(channel, pdu, now_ns);
    } else if (type == PCI_FLOW) {
        taktc_isotp_send_flow(channel, pdu, now_ns);
    }
}

bool takt_can_isotp_next(struct takt_can_isotp *channel, uint64_t now_ns, struct takt_can_frame *frame)
{
    poll(channel, now_ns);
    if (channel->handed != HANDED_NONE) {
        return false;
    }
    channel->handed_ns = now_ns;
    return taktc_isotp_receive_next(channel, frame) || taktc_isotp_send_next(channel, now_ns, frame);
}

void takt_can_isotp_confirm(struct takt_can_isotp *channel, uint64_t now_ns)
{
    poll(channel, now_ns);
    unsigned handed = channel->handed;
    channel->handed = HANDED_NONE;
    if (handed == HANDED_FLOW) {
        taktc_isotp_receive_confirm(channel, now_ns);
    } else if (handed != HANDED_NONE) {
        taktc_isotp_send_confirm(channel, handed, now_ns);
    }
}

void takt_can_isotp_release(struct takt_can_isotp *channel, uint64_t now_ns)
{
    channel->receive.kept = 0;
    poll(channel, now_ns);
}

void takt_can_isotp_pause(struct takt_can_isotp *channel, bool paused, uint64_t now_ns)
{
    channel->receive.paused = paused;
    poll(channel, now_ns);
}

uint64_t takt_can_isotp_wake_ns(const struct takt_can_isotp *channel)
{
    const struct takt_can_isotp_times *times = &channel->config.times;
    uint64_t send_ns = taktc_isotp_send_wake(channel), receive_ns = taktc_isotp_receive_wake(channel);
    uint64_t wake_ns = send_ns < receive_ns ? send_ns : receive_ns;
    if (channel->handed == HANDED_NONE) {
        return wake_ns;
    }
    uint64_t limit_ns = channel->handed == HANDED_FLOW ? times->ar_ns : times->as_ns;
    uint64_t late_ns = takt_add(channel->handed_ns, limit_ns);
    return late_ns < wake_ns ? late_ns : wake_ns;
}
