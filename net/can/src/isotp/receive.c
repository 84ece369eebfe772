/* SPDX-License-Identifier: Apache-2.0 */
/* The half of a channel of ISO-TP that receives. Frames that are malformed are ignored (9.6), and do not end what is
 * being received; others that are not expected do what table 23 says. */
#include "net/can/src/isotp/isotp.h"

static unsigned prefix(const struct takt_can_isotp *channel)
{
    return channel->config.address.prefixed ? 1 : 0;
}

static bool is_ready(const struct takt_can_isotp *channel)
{
    return channel->receive.kept == 0 && !channel->receive.paused;
}

uint32_t takt_can_isotp_received(const struct takt_can_isotp *channel)
{
    return channel->receive.kept;
}

enum takt_can_isotp_result takt_can_isotp_failure(struct takt_can_isotp *channel)
{
    enum takt_can_isotp_result failure = channel->receive.failure;
    channel->receive.failure = TAKT_CAN_ISOTP_OK;
    return failure;
}

void taktc_isotp_receive_end(struct takt_can_isotp *channel, enum takt_can_isotp_result failure)
{
    if (channel->receive.state != RECEIVE_IDLE) {
        channel->receive.state = RECEIVE_IDLE;
        channel->receive.failure = failure;
    }
}

/* The message in the buffer is complete: the caller's. */
static void complete(struct takt_can_isotp *channel, uint32_t length)
{
    channel->receive.kept = length;
    channel->receive.state = RECEIVE_IDLE;
}

static void want_flow(struct takt_can_isotp *channel, uint8_t status, uint64_t now_ns)
{
    channel->receive.state = RECEIVE_FLOW;
    channel->receive.flow = status;
    channel->receive.due_ns = now_ns;
}

/* Lets the other end go on, if the receiver is ready. */
static void go_on(struct takt_can_isotp *channel, uint64_t now_ns)
{
    if (!is_ready(channel)) {
        return;
    }
    copy(channel->config.buffer, channel->receive.first, channel->receive.first_count);
    channel->receive.first_count = 0;
    channel->receive.waits = 0;
    want_flow(channel, FLOW_CONTINUE, now_ns);
}

/* Asks for the next block: later, if the receiver is not ready. */
static void begin_block(struct takt_can_isotp *channel, uint64_t now_ns)
{
    channel->receive.block = 0;
    channel->receive.state = RECEIVE_HOLD;
    channel->receive.due_ns = now_ns;
    go_on(channel, now_ns);
}

void taktc_isotp_receive_poll(struct takt_can_isotp *channel, uint64_t now_ns)
{
    const struct takt_can_isotp_times *times = &channel->config.times;
    switch (channel->receive.state) {
    case RECEIVE_FLOW:
        if (is_over(now_ns, channel->receive.due_ns, times->br_ns)) {
            taktc_isotp_receive_end(channel, TAKT_CAN_ISOTP_ERROR);
        }
        break;
    case RECEIVE_COLLECT:
        if (channel->handed != HANDED_FLOW && is_over(now_ns, channel->receive.due_ns, times->cr_ns)) {
            taktc_isotp_receive_end(channel, TAKT_CAN_ISOTP_TIMEOUT_CR);
        }
        break;
    case RECEIVE_HOLD:
        go_on(channel, now_ns);
        if (channel->receive.state != RECEIVE_HOLD || !is_over(now_ns, channel->receive.due_ns, times->br_ns)) {
            break;
        }
        if (channel->receive.waits == channel->config.waits_max) {
            taktc_isotp_receive_end(channel, TAKT_CAN_ISOTP_WAIT_OVERRUN);
        } else {
            channel->receive.waits++;
            want_flow(channel, FLOW_WAIT, now_ns);
        }
        break;
    default:
        break;
    }
}

uint64_t taktc_isotp_receive_wake(const struct takt_can_isotp *channel)
{
    const struct takt_can_isotp_times *times = &channel->config.times;
    switch (channel->receive.state) {
    case RECEIVE_FLOW:
        return takt_add(channel->receive.due_ns, channel->handed == HANDED_NONE ? 0 : times->br_ns);
    case RECEIVE_HOLD:
        return takt_add(channel->receive.due_ns, times->br_ns);
    case RECEIVE_COLLECT:
        return channel->handed == HANDED_FLOW ? TAKT_SATURATED : takt_add(channel->receive.due_ns, times->cr_ns);
    default:
        return TAKT_SATURATED;
    }
}

bool taktc_isotp_receive_next(struct takt_can_isotp *channel, struct takt_can_frame *frame)
{
    if (channel->receive.state != RECEIVE_FLOW) {
        return false;
    }
    uint8_t status = channel->receive.flow;
    bool goes_on = status == FLOW_CONTINUE;
    struct head head = {{(uint8_t)(PCI_FLOW << 4 | status)}, 3};
    head.bytes[1] = goes_on ? channel->config.block_size : 0;
    head.bytes[2] = goes_on ? channel->config.separation : 0;
    taktc_isotp_write(channel, head, head.bytes, 0, frame);
    channel->handed = HANDED_FLOW;
    channel->receive.state = goes_on ? RECEIVE_COLLECT : status == FLOW_WAIT ? RECEIVE_HOLD : RECEIVE_IDLE;
    return true;
}

void taktc_isotp_receive_confirm(struct takt_can_isotp *channel, uint64_t now_ns)
{
    if (channel->receive.state == RECEIVE_COLLECT || channel->receive.state == RECEIVE_HOLD) {
        channel->receive.due_ns = now_ns;
    }
}

void taktc_isotp_receive_single(struct takt_can_isotp *channel, struct pdu pdu)
{
    bool is_short = pdu.dl <= CLASSIC_DL;
    unsigned skipped = is_short ? 1 : 2;
    unsigned least = is_short ? 1 : CLASSIC_DL - prefix(channel);
    unsigned length = is_short ? pdu.data[0] : pdu.data[1];
    if (length < least || length > pdu.count - skipped || (!is_short && pdu.data[0] != 0)) {
        return;
    }
    taktc_isotp_receive_end(channel, TAKT_CAN_ISOTP_UNEXPECTED);
    if (length > channel->config.size) {
        channel->receive.failure = TAKT_CAN_ISOTP_BUFFER_OVERFLOW;
    } else if (is_ready(channel)) {
        copy(channel->config.buffer, pdu.data + skipped, length);
        complete(channel, length);
    }
}

/* The length that a first frame gives, and how many bytes of N_PCI it has; 0: it is malformed. */
static uint32_t first_length(const struct takt_can_isotp *channel, struct pdu pdu, unsigned *skipped)
{
    if (pdu.dl < CLASSIC_DL) {
        return 0;
    }
    uint32_t length = (pdu.data[0] & UINT32_C(15)) << 8 | pdu.data[1];
    uint32_t least = (pdu.dl == CLASSIC_DL ? CLASSIC_DL : pdu.dl - 1) - prefix(channel);
    *skipped = 2;
    if (length == 0) {
        *skipped = 6;
        least = SHORT_MAX + 1;
        length = (uint32_t)pdu.data[2] << 24 | (uint32_t)pdu.data[3] << 16 | (uint32_t)pdu.data[4] << 8 | pdu.data[5];
    }
    return length < least ? 0 : length;
}

void taktc_isotp_receive_first(struct takt_can_isotp *channel, struct pdu pdu, uint64_t now_ns)
{
    unsigned skipped = 0;
    uint32_t length = first_length(channel, pdu, &skipped);
    if (length == 0) {
        return;
    }
    taktc_isotp_receive_end(channel, TAKT_CAN_ISOTP_UNEXPECTED);
    if (length > channel->config.size || (!is_ready(channel) && channel->config.waits_max == 0)) {
        bool is_long = length > channel->config.size;
        channel->receive.failure = is_long ? TAKT_CAN_ISOTP_BUFFER_OVERFLOW : TAKT_CAN_ISOTP_WAIT_OVERRUN;
        want_flow(channel, FLOW_OVERFLOW, now_ns);
        return;
    }
    channel->receive.length = length;
    channel->receive.done = pdu.count - skipped;
    channel->receive.sequence = 1;
    channel->receive.waits = 0;
    channel->receive.rx_dl = (uint8_t)pdu.dl;
    channel->receive.first_count = (uint8_t)channel->receive.done;
    copy(channel->receive.first, pdu.data + skipped, channel->receive.done);
    begin_block(channel, now_ns);
}

void taktc_isotp_receive_consecutive(struct takt_can_isotp *channel, struct pdu pdu, uint64_t now_ns)
{
    if (channel->receive.state != RECEIVE_COLLECT) {
        return;
    }
    uint32_t left = channel->receive.length - channel->receive.done;
    uint32_t room = channel->receive.rx_dl - 1u - prefix(channel);
    uint32_t count = left < room ? left : room;
    bool is_last = left <= room;
    if (pdu.dl > channel->receive.rx_dl || (!is_last && pdu.dl < channel->receive.rx_dl) || pdu.count - 1 < count) {
        return;
    }
    if ((pdu.data[0] & SEQUENCE_MASK) != channel->receive.sequence) {
        taktc_isotp_receive_end(channel, TAKT_CAN_ISOTP_WRONG_SN);
        return;
    }
    copy(channel->config.buffer + channel->receive.done, pdu.data + 1, count);
    channel->receive.done += count;
    channel->receive.sequence = (channel->receive.sequence + 1) & SEQUENCE_MASK;
    channel->receive.due_ns = now_ns;
    if (is_last) {
        complete(channel, channel->receive.length);
    } else if (channel->config.block_size > 0 && ++channel->receive.block == channel->config.block_size) {
        begin_block(channel, now_ns);
    }
}
