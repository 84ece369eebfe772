/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTR_PLAN_H
#define TAKTR_PLAN_H

#include "takt/node.h"
#include "takt/reflect.h"

/*
 * What a node's server is to do, as `takt reflectd` writes it from system.toml: lines of words, one blank between them.
 * Times in ns, rates in bit/s, addresses as numbers.
 *
 *   takt-reflectd 1
 *   node NAME ADDRESS PORT
 *   link RATE MTU BURST IPV6 BLOCK                        (IPV6: 0 or 1)
 *   priority NUMBER                                       (0: that of other programs)
 *   sender CHANNEL NAME AREA SIZE KIND VALUES PERIOD PROMOTION LEVEL KEYS
 *   refused CHANNEL LEFT RIGHT INEQUALITY                 (of the sender before, as the next two)
 *   jitter CHANNEL TIME DELAY                             (else 0; DELAY: of what keeps the period, takt/push.h)
 *   group CHANNEL NUMBER PAUSE STARTED                    (STARTED: 0 or 1; a number, not 0, is of one choice)
 *   receiver CHANNEL NAME AREA SIZE DEPTH PERIOD DEADLINE PAUSE ADDRESS PORT ACTIVE KEYS
 *   end
 *
 * KIND: sync, async or bulk. VALUES: last or every. KEYS: `-`, or two of 64 hexadecimal digits, to the reader first.
 * Channels ascend among senders, and among receivers. Where not all have keys, all addresses are of this machine.
 */

struct taktr_plan_sender {
    uint32_t channel;
    char name[TAKT_REFLECT_NAME], area[TAKT_REFLECT_NAME];
    uint32_t size;
    enum takt_push_kind kind;
    bool every;
    uint64_t period_ns, jitter_ns, delay_ns, promotion_ns;
    uint32_t level;
    uint32_t group; /* 0: none */
    uint64_t pause_ns;
    bool stopped; /* it is not sent from the beginning */
    bool keyed;
    struct takt_node_keys keys;
    struct takt_wire_packet refusal;
};

struct taktr_plan_receiver {
    uint32_t channel;
    char name[TAKT_REFLECT_NAME], area[TAKT_REFLECT_NAME];
    struct takt_area_shape shape;
    uint64_t period_ns, deadline_ns, pause_ns;
    struct takt_node_address writer;
    bool active;
    bool keyed;
    struct takt_node_keys keys;
};

struct taktr_plan {
    char node[TAKT_REFLECT_NAME];
    struct takt_node_address address;
    struct takt_pace_link link;
    uint32_t block;
    uint32_t priority;
    struct taktr_plan_sender *senders;
    uint32_t sender_count;
    struct taktr_plan_receiver *receivers;
    uint32_t receiver_count;
    uint32_t room; /* private: of each */
};

enum {
    TAKTR_PLAN_MAX = 4 << 20,    /* bytes */
    TAKTR_PLAN_PRIORITY_MAX = 95 /* of the server's threads */
};

/* Reads a plan of `length` bytes, which it changes. False: it is none, and takt_reflect_error says why. */
bool taktr_plan_read(struct taktr_plan *plan, char *text, size_t length);

/* Gives back what reading took, keys as zeros. */
void taktr_plan_free(struct taktr_plan *plan);

#endif
