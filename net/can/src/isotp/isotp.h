/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_ISOTP_PRIVATE_H
#define TAKT_CAN_ISOTP_PRIVATE_H

/* What the files of ISO-TP share: the two halves of a channel, and their frames. */
#include "base/arith.h"
#include "takt/can_isotp.h"

/* Type of a frame: the upper half of its first byte (N_PCI, 9.6). */
enum { PCI_SINGLE = 0, PCI_FIRST = 1, PCI_CONSECUTIVE = 2, PCI_FLOW = 3 };

/* Flow status (9.6.5.1). */
enum { FLOW_CONTINUE = 0, FLOW_WAIT = 1, FLOW_OVERFLOW = 2 };

enum {
    CLASSIC_DL = 8,
    SHORT_MAX = 4095, /* the longest message whose first frame has its length in 12 bits */
    SEQUENCE_MASK = 15
};

/* takt_can_isotp.handed */
enum { HANDED_NONE = 0, HANDED_SINGLE = 1, HANDED_FIRST = 2, HANDED_CONSECUTIVE = 3, HANDED_FLOW = 4 };

/* takt_can_isotp.send.state. FIRST, CONSECUTIVE: a frame is due, or it was handed out and is not confirmed. */
enum { SEND_IDLE = 0, SEND_FIRST = 1, SEND_WAIT = 2, SEND_CONSECUTIVE = 3 };

/* takt_can_isotp.receive.state. FLOW: a flow control is due. HOLD: the receiver is not ready. */
enum { RECEIVE_IDLE = 0, RECEIVE_FLOW = 1, RECEIVE_HOLD = 2, RECEIVE_COLLECT = 3 };

/* The data of a received frame, behind its address byte. */
struct pdu {
    const uint8_t *data;
    unsigned count; /* bytes of it, at least 1 */
    unsigned dl;    /* of the frame */
};

static inline bool is_over(uint64_t now_ns, uint64_t since_ns, uint64_t limit_ns)
{
    return now_ns >= takt_add(since_ns, limit_ns);
}

/* Copies `count` bytes. */
static inline void copy(uint8_t *to, const uint8_t *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        to[i] = from[i];
    }
}

/* The sender: what became too late, the next frame that is due, its confirmation, a flow control that came. */
void taktc_isotp_send_poll(struct takt_can_isotp *channel, uint64_t now_ns);
bool taktc_isotp_send_next(struct takt_can_isotp *channel, uint64_t now_ns, struct takt_can_frame *frame);
void taktc_isotp_send_confirm(struct takt_can_isotp *channel, unsigned handed, uint64_t now_ns);
void taktc_isotp_send_flow(struct takt_can_isotp *channel, struct pdu pdu, uint64_t now_ns);
void taktc_isotp_send_end(struct takt_can_isotp *channel, enum takt_can_isotp_result result);
uint64_t taktc_isotp_send_wake(const struct takt_can_isotp *channel);

/* The receiver: the same, and the other types of frames. */
void taktc_isotp_receive_poll(struct takt_can_isotp *channel, uint64_t now_ns);
bool taktc_isotp_receive_next(struct takt_can_isotp *channel, struct takt_can_frame *frame);
void taktc_isotp_receive_confirm(struct takt_can_isotp *channel, uint64_t now_ns);
void taktc_isotp_receive_single(struct takt_can_isotp *channel, struct pdu pdu);
void taktc_isotp_receive_first(struct takt_can_isotp *channel, struct pdu pdu, uint64_t now_ns);
void taktc_isotp_receive_consecutive(struct takt_can_isotp *channel, struct pdu pdu, uint64_t now_ns);
void taktc_isotp_receive_end(struct takt_can_isotp *channel, enum takt_can_isotp_result failure);
uint64_t taktc_isotp_receive_wake(const struct takt_can_isotp *channel);

/* Writes a frame of the channel: N_PCI `head`, then `count` bytes of data, then padding. */
struct head {
    uint8_t bytes[6];
    unsigned count;
};
void taktc_isotp_write(const struct takt_can_isotp *channel, struct head head, const uint8_t *data, uint32_t count,
                       struct takt_can_frame *frame);

#endif
