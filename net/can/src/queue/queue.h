/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_QUEUE_PRIVATE_H
#define TAKT_CAN_QUEUE_PRIVATE_H

/* What the files of the transmit queue share: slots in order, and mailboxes. */
#include "takt/can_queue.h"

/* No slot. */
enum { TAKTC_NONE = TAKT_CAN_SLOTS_MAX + 1 };

/* takt_can_slot.dropped */
enum { TAKTC_KEPT = 0, TAKTC_REPLACED = 1, TAKTC_CANCELLED = 2 };

/* The identifier as the bus compares it, data and remote frames alike. */
uint32_t taktc_queue_key(const struct takt_can_frame *frame);

const struct takt_can_stream *taktc_queue_stream(const struct takt_can_queue *queue, uint16_t slot);
struct takt_can_stream_state *taktc_queue_state(const struct takt_can_queue *queue, uint16_t slot);

/* Takes a free slot, which there is, for a frame of the stream. O(1). */
uint16_t taktc_slot_take(struct takt_can_queue *queue, uint32_t stream, const struct takt_can_frame *frame);

/* Frees a slot that is in no list. O(1). */
void taktc_slot_free(struct takt_can_queue *queue, uint16_t slot);

/* Puts a slot among those that wait: behind those of its identifier, or before them if it was taken out of a mailbox.
 * O(slots). */
void taktc_slot_insert(struct takt_can_queue *queue, uint16_t slot, bool again);

/* Takes a slot out of those that wait. O(slots). */
void taktc_slot_remove(struct takt_can_queue *queue, uint16_t slot);

/* Notes what the controller has done. */
void taktc_mailboxes_take(struct takt_can_queue *queue);

/* Asks for the end of what a stream has in mailboxes, and why. */
void taktc_mailboxes_drop(struct takt_can_queue *queue, uint32_t stream, uint8_t why);

/* Gives what a stream has in mailboxes another identifier, for which it is aborted. */
void taktc_mailboxes_rekey(struct takt_can_queue *queue, uint32_t stream, uint32_t id);

/* Loads and aborts mailboxes, and says which ones ask for an interrupt. */
void taktc_mailboxes_fill(struct takt_can_queue *queue);

#endif
