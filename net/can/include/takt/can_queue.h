/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_QUEUE_H
#define TAKT_CAN_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dialect.h"
#include "base/status.h"
#include "takt/can_controller.h"
#include "takt/can_frame.h"

TAKT_C_BEGIN

/*
 * The transmit queue of a node: it always offers the frame with the lowest identifier of those that it has, also if
 * that came last. So bounds by priority hold (TAKT_ANALYSIS_CAN_PRIORITY of takt/analysis_can.h, with the time of an
 * abort added to the jitter of messages in shared mailboxes).
 *
 * - Frames wait in the order of their identifiers, those of one identifier as they were queued. The mailboxes of the
 *   controller have the first ones, at most one of each identifier, so that these keep their order.
 * - A frame that finds all mailboxes loaded, one of them with a higher identifier, replaces the highest: that frame is
 *   aborted and waits again. One that is on the bus cannot be; then the highest of the others is aborted, too.
 * - A stream can have a mailbox of its own: its frames wait for no others, and its interrupt is not needed.
 * - Of the shared mailboxes, those with the `refill_at` + 1 highest identifiers ask for an interrupt, and only while
 *   frames wait. Usually the lowest identifier of these comes first, so that there is one interrupt for all mailboxes
 *   less `refill_at` (seed 000, 7.4.4: the one interrupt); the others are for a frame that was already on the bus when
 *   better ones came.
 * - A stream cannot queue more than it declares, whatever its task does.
 *
 * At bus-off all that waits is lost, and counted; what is sent until the recovery is refused. So nothing outdated is
 * sent afterwards, and no burst. takt_can_queue_recover begins the recovery: whether and when is the caller's choice.
 *
 * Context of every call: any; those of one queue, and of its controller, exclude each other. Blocks: never. Times are
 * absolute, in ns, of one clock that never goes back.
 */

enum {
    TAKT_CAN_SHARED = 255,       /* takt_can_stream.mailbox: the shared ones */
    TAKT_CAN_STREAMS_MAX = 2048, /* of a queue */
    TAKT_CAN_SLOTS_MAX = 0xFFFE, /* of a queue */
    TAKT_CAN_DEPTH_MAX = 0x7FFF  /* of a stream */
};

/* What a node sends of one message. Constant. */
struct takt_can_stream {
    uint64_t distance_ns; /* least time between two nominal releases; 0: any */
    uint64_t jitter_ns;   /* a frame is queued up to this later than its nominal release */
    uint16_t depth;       /* frames that may wait, 1 .. TAKT_CAN_DEPTH_MAX; not read of a state message */
    uint8_t mailbox;      /* its own one, or TAKT_CAN_SHARED */
    bool state;           /* state message: a frame replaces the last one, if that was not transmitted */
    bool confirmed;       /* each transmission asks for an interrupt, so that `sent` is up to date */
};

/*
 * What became of the frames of a stream. Each frame that was queued is one of sent, replaced, cancelled, lost, or still
 * waiting.
 */
struct takt_can_counters {
    uint32_t queued;
    uint32_t sent;
    uint32_t replaced;  /* by a newer one of a state message */
    uint32_t cancelled; /* by takt_can_queue_cancel */
    uint32_t lost;      /* at bus-off */
    uint32_t early;     /* not queued: earlier than declared */
    uint32_t full;      /* not queued: as many waited as may */
    uint32_t off;       /* not queued: bus-off */
    uint32_t
        aborted; /* frames that were taken out of a mailbox for a better one or a new identifier, and waited again */
};

/* What the queue knows of a stream: private but for reading `counters`. */
struct takt_can_stream_state {
    struct takt_can_counters counters;
    uint32_t key;         /* of `candidate`, if the stream shares mailboxes */
    uint64_t earliest_ns; /* of the next frame */
    uint16_t waiting;     /* frames in slots, in mailboxes too */
    uint16_t held;        /* mailboxes with its frames: a set */
    uint16_t first;       /* slots that wait in no mailbox, by identifier */
    uint16_t last;
    uint16_t candidate; /* the first of these that need not wait for one in a mailbox */
    uint16_t winner;    /* no field of this stream: a stream, of the tournament of all */
    uint16_t ended;     /* the next one of those that takt_can_queue_ended returns */
};

/* A frame that waits. Private. */
struct takt_can_slot {
    struct takt_can_frame frame;
    uint32_t key;
    uint16_t stream;
    uint16_t next;
    uint8_t dropped; /* why it does not wait again if it is aborted, or 0 */
};

struct takt_can_queue_config {
    struct takt_can_controller *controller; /* started */
    const struct takt_can_stream *streams;
    struct takt_can_stream_state *states; /* memory for each stream */
    uint32_t stream_count;                /* 1 .. TAKT_CAN_STREAMS_MAX */
    struct takt_can_slot *slots;          /* memory of all frames that wait */
    uint32_t slot_count;                  /* takt_can_queue_slots or more, at most TAKT_CAN_SLOTS_MAX */
    uint8_t refill_at; /* shared mailboxes that are still loaded when the interrupt comes that fills the others: as many
                          as keep the bus busy meanwhile. Less than there are */
};

/* All fields are private. */
struct takt_can_queue {
    struct takt_can_queue_config config;
    uint32_t shared;                        /* mailboxes that belong to no stream: sets, as all to `interrupts` */
    uint32_t ready;                         /* own ones that are free, whose stream has a frame */
    uint32_t loaded;                        /* with a frame */
    uint32_t aborting;                      /* those of them whose abort was asked for */
    uint32_t followed;                      /* those whose stream has another frame */
    uint32_t confirmed;                     /* those whose stream is */
    uint32_t interrupts;                    /* those that ask for one */
    uint32_t keys[TAKT_CAN_MAILBOXES_MAX];  /* of the frames in loaded mailboxes */
    uint16_t held[TAKT_CAN_MAILBOXES_MAX];  /* their slots */
    uint16_t owner[TAKT_CAN_MAILBOXES_MAX]; /* streams of own mailboxes */
    uint16_t free;                          /* slots */
    uint16_t waiting;                       /* slots in no mailbox, of streams that share */
    uint16_t ended;                         /* streams, for takt_can_queue_ended */
    bool off;
};

/* Slots that `count` streams, at most TAKT_CAN_STREAMS_MAX, need: the depth of each, 2 of a state message. O(count). */
uint32_t takt_can_queue_slots(const struct takt_can_stream *streams, uint32_t count);

/*
 * Whether all of a configuration is in its range: enough slots, each mailbox of at most one stream and of the
 * controller's, at least one shared mailbox if a stream needs it, and `refill_at` less than there are. O(streams).
 */
bool takt_can_queue_config_is_valid(const struct takt_can_queue_config *config);

/* Starts a queue of a valid configuration, empty. O(streams + slots). */
void takt_can_queue_init(struct takt_can_queue *queue, const struct takt_can_queue_config *config);

/*
 * Queues a valid frame of a stream, and loads and aborts mailboxes as needed. Streams have different identifiers; that
 * of a stream may change from frame to frame. The frame is copied.
 *
 * TAKT_LIMIT: earlier than declared. TAKT_FULL: as many of this stream wait as may. TAKT_STATE: bus-off. Then it is
 * counted, and nothing else changes. O(mailboxes + log streams) for each mailbox that ended, is loaded or aborted; and
 * O(frames of the stream) if these have different identifiers.
 */
TAKT_MUST_USE enum takt_status takt_can_queue_send(struct takt_can_queue *queue, uint32_t stream,
                                                   const struct takt_can_frame *frame, uint64_t now_ns);

/* Takes the events of the controller, and fills mailboxes: on its interrupt, or regularly. As takt_can_queue_send; at
 * bus-off O(slots + streams * log streams). */
void takt_can_queue_service(struct takt_can_queue *queue);

/*
 * Takes back what waits of a stream; a frame that is on the bus is sent if this attempt succeeds. As
 * takt_can_queue_send, and O(frames of the stream).
 */
void takt_can_queue_cancel(struct takt_can_queue *queue, uint32_t stream);

/*
 * Gives what waits of a stream another identifier, valid for its frames and of no other stream: as the mixed traffic
 * scheduler (takt/can_mts.h) does in each epoch, or a stream that inherits the priority of another. A frame in a
 * mailbox is aborted for it; one that is on the bus keeps its identifier for this attempt. Mailboxes are filled by the
 * next takt_can_queue_service, which follows when all streams have theirs: until then no frame of the old identifiers
 * is loaded. The frames keep their order. O(frames of the stream + mailboxes + log streams).
 */
void takt_can_queue_rekey(struct takt_can_queue *queue, uint32_t stream, uint32_t id);

/*
 * A stream of which frames were sent or given up since it was last returned, as far as events were taken;
 * TAKT_CAN_STREAMS_MAX: none. So what has many streams need not look at the counters of all. O(1).
 */
uint32_t takt_can_queue_ended(struct takt_can_queue *queue);

/* Begins the recovery from bus-off: frames are accepted again when it is over. O(1). */
void takt_can_queue_recover(struct takt_can_queue *queue);

/* Whether the controller is bus-off, as far as its events were taken. O(1). */
bool takt_can_queue_is_off(const struct takt_can_queue *queue);

/* What became of the frames of a stream, as far as events were taken. O(1). */
const struct takt_can_counters *takt_can_queue_counters(const struct takt_can_queue *queue, uint32_t stream);

TAKT_C_END

#endif
