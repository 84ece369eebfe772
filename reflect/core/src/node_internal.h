/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTR_NODE_INTERNAL_H
#define TAKTR_NODE_INTERNAL_H

#include <string.h>

#include "takt/node.h"

/* The next session of this node. */
uint64_t taktr_node_session(struct takt_node *node);

/*
 * Appends the tag to a packet, which was ready from `since` on, and charges the link's pace with it. Returns its length
 * with the tag.
 */
size_t taktr_node_seal(struct takt_node *node, const struct takt_seal_key *key, uint8_t *bytes, size_t length,
                       uint64_t since, uint64_t now);

/* Senders, node_sender.c. A subscription with a valid tag was received. */
void taktr_node_subscribed(struct takt_node *node, struct takt_node_sender *sender,
                           const struct takt_wire_packet *packet, const struct takt_node_address *from, uint64_t now);

/* The fields that the caller sets may have changed. */
void taktr_node_declared(struct takt_node_sender *sender);

/* End of the latest pause in the group of the sender of that index; and sets it for all of the group. */
uint64_t taktr_node_held(const struct takt_node *node, uint32_t index);
void taktr_node_hold(struct takt_node *node, uint32_t index, uint64_t until_ns);

/* Whether the sender has blocks to send now. Updates its lease, and ends a push without a new value. */
bool taktr_node_is_ready(struct takt_node_sender *sender, uint64_t now);

/* Time of the promotion of its push, if that is released and not yet promoted; otherwise UINT64_MAX. */
uint64_t taktr_node_promotion(const struct takt_node_sender *sender, uint64_t now);

/* Whether the sender has an answer to send now. */
bool taktr_node_has_answer(const struct takt_node_sender *sender, uint64_t now);

/* Time of its next action other than sending blocks: an answer, or the start after a pause. */
uint64_t taktr_node_sender_due(const struct takt_node_sender *sender);

/* Writes that answer. */
size_t taktr_node_answer(struct takt_node *node, struct takt_node_sender *sender, uint8_t *bytes,
                         struct takt_node_address *to, uint64_t now);

/* Writes the next block of a ready sender; 0: there is no value, and the sender is not ready any more. */
size_t taktr_node_block(struct takt_node *node, struct takt_node_sender *sender, uint8_t *bytes,
                        struct takt_node_address *to, uint64_t now);

/* Receivers, node_receiver.c. An answer with a valid tag was received. */
void taktr_node_answered(struct takt_node *node, struct takt_node_receiver *receiver,
                         const struct takt_wire_packet *packet, uint64_t now);

/* A packet of kind DATA was received; its tag was not checked yet. Returns whether the area has a new value. */
bool taktr_node_data(struct takt_node *node, struct takt_node_receiver *receiver, const struct takt_wire_packet *packet,
                     const uint8_t *bytes, size_t length);

/* Changes of a receiver that come with time: the end of leases and pauses. */
void taktr_node_pass(struct takt_node *node, struct takt_node_receiver *receiver, uint64_t now);

/* Time of its next action if nothing is received. */
uint64_t taktr_node_due(const struct takt_node *node, const struct takt_node_receiver *receiver);

/* Writes the subscription of a receiver that is not idle. */
size_t taktr_node_subscribe(struct takt_node *node, struct takt_node_receiver *receiver, uint8_t *bytes,
                            struct takt_node_address *to, uint64_t now);

#endif
