/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTC_TRAFFIC_H
#define TAKTC_TRAFFIC_H

/* The parts of takt/can_traffic.h. */
#include "takt/can_traffic.h"

/* release.c: when messages are released, and what they have as content. */
void taktc_releases_start(struct takt_can_traffic *traffic);
uint64_t taktc_release_nominal(const struct takt_can_message *message, uint64_t number);
void taktc_releases_until(struct takt_can_traffic *traffic, uint64_t now); /* those due go to their senders */
void taktc_content_set(struct takt_can_traffic *traffic, uint32_t index, uint64_t number);

/* sender.c: what nodes offer. */
void taktc_sender_queue(struct takt_can_traffic *traffic, uint32_t index, uint64_t number);
void taktc_sender_done(struct takt_can_traffic *traffic, uint32_t node);  /* what it was sending was sent */
void taktc_sender_clear(struct takt_can_traffic *traffic, uint32_t node); /* all that it has queued is lost */
uint64_t taktc_sender_number(const struct takt_can_traffic *traffic, uint32_t index); /* the instance that is offered */
uint32_t taktc_offered_next(const struct takt_can_traffic *traffic, uint32_t from);   /* or TAKT_CAN_NO_MESSAGE */

#endif
