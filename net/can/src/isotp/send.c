/* SPDX-License-Identifier: Apache-2.0 */
/* The half of a channel of ISO-TP that sends. */
#include "net/can/src/isotp/isotp.h"

enum { MS_NS = 1000000, HUNDRED_US_NS = 100000, SEPARATION_MS_MAX = 0x7F };

static unsigned prefix(const struct takt_can_isotp *channel)
{
    return channel->config.address.prefixed ? 1 : 0;
}

/* Bytes of N_PCI of a single frame of that length; 0: none has so many. */
static unsigned single_head(const struct takt_can_isotp *channel, uint32_t length)
{
    if (length + prefix(channel) <= CLASSIC_DL - 1) {
        return 1;
    }
    uint8_t tx_dl = channel->config.tx_dl;
    return tx_dl > CLASSIC_DL && length <= tx_dl - 2u - prefix(channel) ? 2 : 0;
}

enum takt_status takt_can_isotp_send(struct takt_can_isotp *channel, const uint8_t *data, uint32_t length,
                                     uint64_t now_ns)
{
    if (channel->send.state != SEND_IDLE) {
        return TAKT_BUSY;
    }
    if (length == 0 || (channel->config.address.functional && single_head(channel, length) == 0)) {
        return TAKT_LIMIT;
    }
    channel->send.data = data;
    channel->send.length = length;
    channel->send.done = 0;
    channel->send.due_ns = now_ns;
    channel->send.waits = 0;
    channel->send.state = SEND_FIRST;
    channel->send.sequence = 1;
    channel->send.early = false;
    channel->send.result = TAKT_CAN_ISOTP_PENDING;
    return TAKT_OK;
}

enum takt_can_isotp_result takt_can_isotp_sent(const struct takt_can_isotp *channel)
{
    return channel->send.result;
}

void taktc_isotp_send_end(struct takt_can_isotp *channel, enum takt_can_isotp_result result)
{
    channel->send.state = SEND_IDLE;
    channel->send.result = result;
}

/* Whether its next frame is due, now or later, and not handed out. */
static bool has_next(const struct takt_can_isotp *channel)
{
    bool sends = channel->send.state == SEND_FIRST || channel->send.state == SEND_CONSECUTIVE;
    return sends && (channel->handed == HANDED_NONE || channel->handed == HANDED_FLOW);
}

void taktc_isotp_send_poll(struct takt_can_isotp *channel, uint64_t now_ns)
{
    const struct takt_can_isotp_times *times = &channel->config.times;
    if (has_next(channel) && is_over(now_ns, channel->send.due_ns, times->cs_ns)) {
        taktc_isotp_send_end(channel, TAKT_CAN_ISOTP_ERROR);
    }
    if (channel->send.state == SEND_WAIT && is_over(now_ns, channel->send.due_ns, times->bs_ns)) {
        taktc_isotp_send_end(channel, TAKT_CAN_ISOTP_TIMEOUT_BS);
    }
}

uint64_t taktc_isotp_send_wake(const struct takt_can_isotp *channel)
{
    const struct takt_can_isotp_times *times = &channel->config.times;
    if (channel->send.state == SEND_WAIT) {
        return takt_add(channel->send.due_ns, times->bs_ns);
    }
    if (!has_next(channel)) {
        return TAKT_SATURATED;
    }
    return channel->handed == HANDED_NONE ? channel->send.due_ns : takt_add(channel->send.due_ns, times->cs_ns);
}

/* N_PCI of a single or first frame (9.6.2, 9.6.3): its length, in as few bits as the standard lets. */
static struct head first_head(uint32_t length, unsigned single)
{
    if (single == 1) {
        return (struct head){{(uint8_t)length}, 1};
    }
    if (single == 2) {
        return (struct head){{0, (uint8_t)length}, 2};
    }
    if (length <= SHORT_MAX) {
        return (struct head){{(uint8_t)(PCI_FIRST << 4 | length >> 8), (uint8_t)length}, 2};
    }
    return (struct head){
        {PCI_FIRST << 4, 0, (uint8_t)(length >> 24), (uint8_t)(length >> 16), (uint8_t)(length >> 8), (uint8_t)length},
        6};
}

bool taktc_isotp_send_next(struct takt_can_isotp *channel, uint64_t now_ns, struct takt_can_frame *frame)
{
    if (!has_next(channel) || now_ns < channel->send.due_ns) {
        return false;
    }
    struct head head = {{(uint8_t)(PCI_CONSECUTIVE << 4 | channel->send.sequence)}, 1};
    channel->handed = HANDED_CONSECUTIVE;
    if (channel->send.state == SEND_FIRST) {
        unsigned single = single_head(channel, channel->send.length);
        head = first_head(channel->send.length, single);
        channel->handed = single > 0 ? HANDED_SINGLE : HANDED_FIRST;
    } else {
        channel->send.sequence = (channel->send.sequence + 1) & SEQUENCE_MASK;
        channel->send.block++;
    }
    uint32_t left = channel->send.length - channel->send.done;
    uint32_t count = channel->config.tx_dl - prefix(channel) - head.count;
    count = left < count ? left : count;
    taktc_isotp_write(channel, head, channel->send.data + channel->send.done, count, frame);
    channel->send.done += count;
    return true;
}

/* The coded STmin (9.6.5.4); reserved values are the longest. */
static uint64_t separation_ns(uint8_t coded)
{
    if (coded >= 0xF1 && coded <= 0xF9) {
        return (coded - UINT64_C(0xF0)) * HUNDRED_US_NS;
    }
    return (uint64_t)(coded <= SEPARATION_MS_MAX ? coded : SEPARATION_MS_MAX) * MS_NS;
}

/* A flow control that is waited for. */
static void take_flow(struct takt_can_isotp *channel, const uint8_t *flow, uint64_t now_ns)
{
    channel->send.due_ns = now_ns;
    switch (flow[0] & 15) {
    case FLOW_CONTINUE:
        channel->send.waits = 0;
        channel->send.block = 0;
        channel->send.block_size = flow[1];
        channel->send.gap_ns = separation_ns(flow[2]);
        channel->send.state = SEND_CONSECUTIVE;
        break;
    case FLOW_WAIT:
        if (channel->send.waits == channel->config.waits_max) {
            taktc_isotp_send_end(channel, TAKT_CAN_ISOTP_WAIT_OVERRUN);
        } else {
            channel->send.waits++;
        }
        break;
    case FLOW_OVERFLOW:
        taktc_isotp_send_end(channel, TAKT_CAN_ISOTP_BUFFER_OVERFLOW);
        break;
    default:
        taktc_isotp_send_end(channel, TAKT_CAN_ISOTP_INVALID_FS);
    }
}

/* Whether it waits for a flow control behind the frame that was handed out last. */
static bool ends_block(const struct takt_can_isotp *channel, unsigned handed)
{
    if (handed == HANDED_CONSECUTIVE) {
        bool is_last = channel->send.done == channel->send.length;
        return !is_last && channel->send.block_size > 0 && channel->send.block == channel->send.block_size;
    }
    return handed == HANDED_FIRST;
}

void taktc_isotp_send_flow(struct takt_can_isotp *channel, struct pdu pdu, uint64_t now_ns)
{
    if (pdu.count < 3) {
        return;
    }
    if (channel->send.state == SEND_WAIT) {
        take_flow(channel, pdu.data, now_ns);
    } else if (ends_block(channel, channel->handed)) { /* it overtook the confirmation */
        channel->send.early = true;
        copy(channel->send.flow, pdu.data, sizeof channel->send.flow);
    }
}

void taktc_isotp_send_confirm(struct takt_can_isotp *channel, unsigned handed, uint64_t now_ns)
{
    if (ends_block(channel, handed)) {
        channel->send.state = SEND_WAIT;
        channel->send.due_ns = now_ns;
        if (channel->send.early) {
            channel->send.early = false;
            take_flow(channel, channel->send.flow, now_ns);
        }
    } else if (channel->send.done == channel->send.length) {
        taktc_isotp_send_end(channel, TAKT_CAN_ISOTP_OK);
    } else {
        channel->send.due_ns = takt_add(now_ns, channel->send.gap_ns);
    }
}
