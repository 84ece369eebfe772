/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_ISOTP_H
#define TAKT_CAN_ISOTP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dialect.h"
#include "base/status.h"
#include "takt/can_frame.h"

TAKT_C_BEGIN

/*
 * Messages of more bytes than a frame has (ISO-TP, ISO 15765-2:2016), over classic and FD frames: a channel between two
 * nodes, which sends one message at a time and receives another one meanwhile (full duplex).
 *
 * A channel knows no bus and no clock. Its caller does this, in any order:
 * - takt_can_isotp_receive for each frame that arrives (of others than the channel's it does nothing);
 * - takt_can_isotp_next, until it returns false: each frame that it returns goes to the bus, and the next one is there
 *   after takt_can_isotp_confirm, when it was transmitted. Frames of one identifier have to keep their order;
 * - both again at the time takt_can_isotp_wake_ns, at the latest.
 *
 * Whatever the other end sends or does not send, a transfer ends: each wait has one of the standard's times, flow
 * controls that say WAIT are counted, and a message has at most as many frames as its first one says.
 *
 * Context of every call: any; those of one channel exclude each other. Blocks: never. O(64). Times are absolute, in ns,
 * of one clock that never goes back.
 */

/* How a transfer ended (N_Result, 8.3.7), or that it did not. */
enum takt_can_isotp_result {
    TAKT_CAN_ISOTP_OK = 0,
    TAKT_CAN_ISOTP_PENDING = 1,         /* it goes on */
    TAKT_CAN_ISOTP_TIMEOUT_A = 2,       /* a frame of this end was not confirmed within N_As or N_Ar: the caller takes
                                           it back, and does not confirm it any more */
    TAKT_CAN_ISOTP_TIMEOUT_BS = 3,      /* no flow control within N_Bs */
    TAKT_CAN_ISOTP_TIMEOUT_CR = 4,      /* no consecutive frame within N_Cr */
    TAKT_CAN_ISOTP_WRONG_SN = 5,        /* a consecutive frame with another sequence number than the next */
    TAKT_CAN_ISOTP_INVALID_FS = 6,      /* a flow control with a reserved status */
    TAKT_CAN_ISOTP_UNEXPECTED = 7,      /* another message began before this one was complete (N_UNEXP_PDU) */
    TAKT_CAN_ISOTP_WAIT_OVERRUN = 8,    /* more flow controls than `waits_max` that say WAIT, in a row */
    TAKT_CAN_ISOTP_BUFFER_OVERFLOW = 9, /* longer than the receiver's buffer */
    TAKT_CAN_ISOTP_ERROR = 10           /* this end was too slow: a frame was not fetched within N_Cs or N_Br */
};

/* Identifiers and address bytes of a channel, seen from one of its ends: fill it with one of the calls below. */
struct takt_can_isotp_address {
    bool extended; /* of both identifiers */
    bool prefixed; /* the first byte of each frame's data is an address byte */
    bool functional;
    uint8_t send_prefix;
    uint8_t receive_prefix;
    uint32_t send_id;
    uint32_t receive_id;
};

struct takt_can_isotp_ids {
    bool extended;
    uint32_t send_id;
    uint32_t receive_id;
};

struct takt_can_isotp_ends {
    uint8_t own;   /* the address of this end: N_SA of what it sends, N_TA of what it receives */
    uint8_t other; /* of the other end; of functional frames: of the group */
};

/*
 * Normal addressing: the identifiers say all. Mixed addressing with 11 bits: the same, with the address extension N_AE
 * in the first byte.
 */
struct takt_can_isotp_address takt_can_isotp_normal(struct takt_can_isotp_ids ids);
struct takt_can_isotp_address takt_can_isotp_mixed(struct takt_can_isotp_ids ids, uint8_t extension);

/* Extended addressing: the address of the end that receives is in the first byte. */
struct takt_can_isotp_address takt_can_isotp_extended(struct takt_can_isotp_ids ids, struct takt_can_isotp_ends ends);

/*
 * Normal fixed and mixed addressing with 29 bits: the identifier has both addresses, priority 6. Functional:
 * 0x18DB or 0x18CD instead of 0x18DA or 0x18CE; such a channel sends to all of the group `other`, and receives what is
 * sent to the group `own`, single frames alone.
 */
struct takt_can_isotp_address takt_can_isotp_normal_fixed(struct takt_can_isotp_ends ends, bool functional);
struct takt_can_isotp_address takt_can_isotp_mixed_fixed(struct takt_can_isotp_ends ends, uint8_t extension,
                                                         bool functional);

/* All in ns, at least 1. The standard's time-outs are 1 s each (N_As, N_Ar, N_Bs, N_Cr). */
struct takt_can_isotp_times {
    uint64_t as_ns; /* from takt_can_isotp_next to the confirmation, of a frame of the sender */
    uint64_t ar_ns; /* of a flow control */
    uint64_t bs_ns; /* until the next flow control */
    uint64_t br_ns; /* within which a flow control is fetched; while the receiver is not ready: between two WAIT. N_Br
                       and N_Ar together are less than 0.9 of the other end's N_Bs */
    uint64_t cs_ns; /* within which a first, single or consecutive frame is fetched when it is due; N_Cs and N_As
                       together are less than 0.9 of the other end's N_Cr */
    uint64_t cr_ns; /* until the next consecutive frame */
};

struct takt_can_isotp_config {
    struct takt_can_isotp_address address;
    struct takt_can_isotp_times times;
    uint8_t tx_dl;      /* bytes of a frame: 8, or of an FD frame 8, 12, 16, 20, 24, 32, 48 or 64 */
    bool fd;            /* sends FD frames; both kinds are received */
    bool brs;           /* FD only */
    bool padded;        /* frames of less than 8 bytes are filled up to 8; the classic ones are always of 8 then */
    uint8_t padding;    /* the byte for that, and for the end of longer FD frames */
    uint8_t block_size; /* wanted by the receiver: consecutive frames up to the next flow control; 0: all of them */
    uint8_t separation; /* STmin wanted by the receiver, coded: 0 .. 0x7F ms, 0xF1 .. 0xF9: 100 .. 900 us */
    uint16_t waits_max; /* N_WFTmax: WAIT in a row, which the receiver sends or the sender accepts */
    uint8_t *buffer;    /* of the received message; NULL with size 0: nothing is received */
    uint32_t size;      /* bytes of it: longer messages are refused (OVFLW) */
};

/* Private, as all fields of these two. */
struct takt_can_isotp_sender {
    const uint8_t *data;
    uint64_t due_ns; /* of the next frame; while it waits for a flow control: since when */
    uint64_t gap_ns; /* STmin */
    uint32_t length;
    uint32_t done; /* bytes that were handed out */
    uint16_t waits;
    uint8_t state;
    uint8_t sequence;
    uint8_t block; /* frames of the block so far */
    uint8_t block_size;
    uint8_t flow[3]; /* of a flow control that came before the confirmation of the frame that it answers, */
    bool early;      /* if one did */
    enum takt_can_isotp_result result;
};

struct takt_can_isotp_receiver {
    uint64_t due_ns; /* of the next flow control; while it waits for a consecutive frame: since when */
    uint32_t length; /* of the message that is being received */
    uint32_t done;
    uint32_t kept; /* length of the complete message in the buffer, which is the caller's; 0: none */
    uint16_t waits;
    uint8_t state;
    uint8_t sequence;
    uint8_t block;
    uint8_t rx_dl; /* bytes of the first frame, and of all others but the last */
    uint8_t flow;  /* status of the next flow control */
    bool paused;
    uint8_t first[TAKT_CAN_DATA_MAX]; /* data of the first frame, until the buffer is free for it */
    uint8_t first_count;
    enum takt_can_isotp_result failure;
};

struct takt_can_isotp {
    struct takt_can_isotp_config config; /* may be read */
    struct takt_can_isotp_sender send;
    struct takt_can_isotp_receiver receive;
    uint64_t handed_ns; /* when the frame was fetched that is not confirmed, */
    uint8_t handed;     /* and what it is */
};

/* Whether a channel may have this configuration. */
bool takt_can_isotp_config_is_valid(const struct takt_can_isotp_config *config);

/* Starts a channel with a valid configuration, which is copied. Its buffer is the channel's until a message is there.
 */
void takt_can_isotp_init(struct takt_can_isotp *channel, const struct takt_can_isotp_config *config);

/*
 * Begins to send a message, which stays where it is and unchanged until takt_can_isotp_sent returns another result than
 * PENDING. Status OK; BUSY: another message is being sent; LIMIT: it has no byte, or does not fit into a single frame
 * though the channel is functional.
 */
TAKT_MUST_USE enum takt_status takt_can_isotp_send(struct takt_can_isotp *channel, const uint8_t *data, uint32_t length,
                                                   uint64_t now_ns);

/* The result of the last message that was sent: OK if there was none. */
enum takt_can_isotp_result takt_can_isotp_sent(const struct takt_can_isotp *channel);

/* The length of the message in the buffer; 0: none is complete. */
uint32_t takt_can_isotp_received(const struct takt_can_isotp *channel);

/*
 * Gives the buffer back, after takt_can_isotp_received said that a message is there. Until then single frames are lost,
 * as with any receiver that is not ready, and a longer message is asked to wait (with waits_max 0: is refused).
 */
void takt_can_isotp_release(struct takt_can_isotp *channel, uint64_t now_ns);

/* While a channel is paused, its flow controls say WAIT: waits_max in a row, at a distance of N_Br. */
void takt_can_isotp_pause(struct takt_can_isotp *channel, bool paused, uint64_t now_ns);

/* Why the last reception failed since the last call of this; OK: none did. */
enum takt_can_isotp_result takt_can_isotp_failure(struct takt_can_isotp *channel);

/* Notes a valid frame from the bus. */
void takt_can_isotp_receive(struct takt_can_isotp *channel, const struct takt_can_frame *frame, uint64_t now_ns);

/*
 * Ends what took too long, and writes the next frame, if one is due and the last one was confirmed. False: there is
 * none.
 */
bool takt_can_isotp_next(struct takt_can_isotp *channel, uint64_t now_ns, struct takt_can_frame *frame);

/* Notes that the last frame of takt_can_isotp_next was transmitted. The gap of STmin begins here. */
void takt_can_isotp_confirm(struct takt_can_isotp *channel, uint64_t now_ns);

/* When takt_can_isotp_next has something to do, if nothing else happens; TAKT_SATURATED (base/arith.h): never. */
uint64_t takt_can_isotp_wake_ns(const struct takt_can_isotp *channel);

TAKT_C_END

#endif
