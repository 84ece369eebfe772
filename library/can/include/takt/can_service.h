/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_SERVICE_H
#define TAKT_CAN_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dialect.h"
#include "base/status.h"
#include "takt/board_can.h"
#include "takt/can_filter.h"
#include "takt/can_queue.h"
#include "takt/e2e.h"

TAKT_C_BEGIN

/*
 * A CAN bus of a system: what its tasks send and receive there, by [[can]] and [[message]] of system.toml. The tables
 * are generated, and so are the calls of an application: takt_can_send_NAME, and those of the state message or mailbox
 * of what it receives.
 */

/* A message that this system sends. Constant. */
struct takt_can_sent {
    struct takt_can_shape shape;
    uint32_t id;
    uint8_t size;      /* bytes; the rest of the frame is 0 */
    bool of_job;       /* counts from the release of the job that sends it; false: from the call */
    bool forwarded;    /* another node forwards it: its release is reported */
    uint16_t ages;     /* index of the first of its times: one more than its depth */
    uint64_t bound_ns; /* that is proved of its response; UINT64_MAX: none is */
};

/* A message that this system receives. Constant. */
struct takt_can_received {
    struct takt_can_shape shape;
    uint32_t id;
    uint8_t size;
    bool (*take)(const uint8_t *data); /* in the interrupt; false: there was no room */
};

/* What was observed of one: may be read. */
struct takt_can_seen {
    uint64_t response_max_ns; /* from the release to the end of the intermission; of what was received 0 */
    uint64_t late_ns;         /* when one was known first to be above its bound, or lost; 0: none */
    uint32_t count;           /* frames that were sent or received */
    uint32_t lost;            /* of those sent: for any reason; of those received: without room, or of another length */
    uint16_t oldest;          /* private: of its times */
    uint16_t waiting;
};

/* Constant. */
struct takt_can_service_config {
    struct takt_board_can_bus bus;
    struct takt_can_queue_config queue;       /* without its controller, which is the board's */
    const struct takt_can_sent *sent;         /* as many as there are streams; each stream is `confirmed` */
    const struct takt_can_received *received; /* sorted: 11 bits before 29, then by identifier */
    const struct takt_can_filter *filters;    /* that accept them */
    uint32_t received_count;
    uint32_t filter_count;
    uint64_t *ages;             /* releases of what waits */
    struct takt_can_seen *seen; /* of what is sent, then of what is received */
    uint64_t intermission_ns;   /* 3 bits */
    uint8_t index;              /* of the bus among those of the board */
    bool sends;                 /* it sends anything */
};

struct takt_can_service {
    const struct takt_can_service_config *config;
    struct takt_can_controller *controller;
    struct takt_can_queue queue;
    uint32_t bus_offs; /* may be read */
};

/* Of the sender of a message that is protected end to end (`protection` in [[message]]). */
struct takt_can_protected_sent {
    const struct takt_e2e_config *e2e;
    uint8_t counter; /* private: of the next one */
};

/* Of one receiver of such a message. */
struct takt_can_protected_received {
    const struct takt_e2e_config *e2e;
    struct takt_e2e_receiver receiver; /* private; at first TAKT_E2E_RECEIVER */
    uint64_t last_ns;                  /* private: when what was checked last had come */
};

enum { TAKT_CAN_STAMP = 8 }; /* bytes in front of what is received of such a message: when it came, ns */

/* Starts the controller, with its filters. Context: init. Blocks: never. A board without such a controller is a fault.
 */
void takt_can_service_start(struct takt_can_service *service, const struct takt_can_service_config *config);

/*
 * Queues a message. `data`: as many bytes as it has, copied. TAKT_LIMIT: earlier than declared. TAKT_FULL: as many wait
 * as may, which cannot be while the bus is as declared. TAKT_STATE: bus-off. Then it is counted and lost. As
 * takt_can_queue_send, with the kernel locked. Context: task. Blocks: never.
 */
TAKT_MUST_USE enum takt_status takt_can_service_send(struct takt_can_service *service, uint32_t message,
                                                     const void *data);

/*
 * Queues the copy of a message that was received on another bus, by the handler of that one (`forwards` in
 * [[message]]). `origin_ns`: when the node that sent it released it, if that is known; NULL: the response counts from
 * the call. Results as takt_can_service_send: one that comes sooner than the period and the jitter of its origin allow
 * is not sent, so that a node cannot flood another bus. As takt_can_queue_send, with the kernel locked. Context:
 * interrupt. Blocks: never.
 */
TAKT_MUST_USE enum takt_status takt_can_service_forward(struct takt_can_service *service, uint32_t message,
                                                        const void *data, const uint64_t *origin_ns);

/* As takt_can_service_send, of the data with counter and check, which are written into a copy. Those bytes of `data`
 * are not read. The check is computed before the kernel is locked: O(size). Context: task, its sender. Blocks: never.
 */
TAKT_MUST_USE enum takt_status takt_can_service_send_protected(struct takt_can_service *service, uint32_t message,
                                                               struct takt_can_protected_sent *sent, const void *data);

/* Writes TAKT_CAN_STAMP + `size` bytes: the time, and the data. Context: interrupt. Blocks: never. O(size). */
void takt_can_service_stamp(void *value, const uint8_t *data, uint32_t size);

/*
 * One cycle of a receiver: takt_e2e_receive. `came`: what takt_can_service_stamp wrote last; it counts as nothing if it
 * was checked before, and so does NULL. If it is accepted, its data goes to `value`; else that stays as it is. Context:
 * task, the receiver. Blocks: never. O(size).
 */
TAKT_MUST_USE struct takt_e2e_result takt_can_service_check(struct takt_can_protected_received *received,
                                                            const void *came, void *value);

/* Takes what the controller has. After bus-off it begins the recovery at once. Context: interrupt.
 * Blocks: never. As takt_can_queue_service with the kernel locked, and O(log messages) for each that was received. */
void takt_can_service_interrupt(struct takt_can_service *service);

TAKT_C_END

#endif
