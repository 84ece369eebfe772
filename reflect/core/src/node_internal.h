/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTR_NODE_INTERNAL_H
#define TAKTR_NODE_INTERNAL_H

#include <string.h>

#include "takt/node.h"

/* The next session of this node. */
uint64_t taktr_node_session(struct takt_node *node);

/*
 * Puts the tag behind a packet that was there from `since` on, and the packet onto the link's account. Returns its
 * length with the tag.
 */
size_t taktr_node_seal(struct takt_node *node, const struct takt_seal_key *key, uint8_t *bytes, size_t length,
                       uint64_t since, uint64_t now);

/* Of senders, node_sender.c: a subscription came, its tag is right. */
void taktr_node_subscribed(struct takt_node *node, struct takt_node_sender *sender,
                           const struct takt_wire_packet *packet, const struct takt_node_address *from, uint64_t now);

/* What the caller says of it may be other than before. */
void taktr_node_declared(struct takt_node_sender *sender);

/* Of the group of the sender of that index: when the latest of its pauses is over; all have one until then. */
uint64_t taktr_node_held(const struct takt_node *node, uint32_t index);
void taktr_node_hold(struct takt_node *node, uint32_t index, uint64_t until_ns);

/* Whether it has blocks to send now; its lease may be over meanwhile, and a push without a new value ends. */
bool taktr_node_is_ready(struct takt_node_sender *sender, uint64_t now);

/* When its push is promoted, if it is released and waits for that; else UINT64_MAX. */
uint64_t taktr_node_promotion(const struct takt_node_sender *sender, uint64_t now);

/* Whether it has an answer that is to be sent now. */
bool taktr_node_has_answer(const struct takt_node_sender *sender, uint64_t now);

/* When it has something to do, but for what the link's pace holds back: answers, and the begin after a pause. */
uint64_t taktr_node_sender_due(const struct takt_node_sender *sender);

/* That answer. */
size_t taktr_node_answer(struct takt_node *node, struct takt_node_sender *sender, uint8_t *bytes,
                         struct takt_node_address *to, uint64_t now);

/* The next block of one that is ready; 0: there is no value, and it is ready no more. */
size_t taktr_node_block(struct takt_node *node, struct takt_node_sender *sender, uint8_t *bytes,
                        struct takt_node_address *to, uint64_t now);

/* Of receivers, node_receiver.c: an answer came, its tag is right. */
void taktr_node_answered(struct takt_node *node, struct takt_node_receiver *receiver,
                         const struct takt_wire_packet *packet, uint64_t now);

/* A packet of DATA came; the tag is not looked at yet. Whether the area has a new value. */
bool taktr_node_data(struct takt_node *node, struct takt_node_receiver *receiver, const struct takt_wire_packet *packet,
                     const uint8_t *bytes, size_t length);

/* What time does to a receiver. */
void taktr_node_pass(struct takt_node *node, struct takt_node_receiver *receiver, uint64_t now);

/* When it has something to do, if nothing comes. */
uint64_t taktr_node_due(const struct takt_node *node, const struct takt_node_receiver *receiver);

/* The subscription of one that is not idle. */
size_t taktr_node_subscribe(struct takt_node *node, struct takt_node_receiver *receiver, uint8_t *bytes,
                            struct takt_node_address *to, uint64_t now);

#endif
