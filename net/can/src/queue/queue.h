/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_QUEUE_PRIVATE_H
#define TAKT_CAN_QUEUE_PRIVATE_H

/* What the files of the transmit queue share: slots and streams in order, and mailboxes. */
#include "base/bitmap.h"
#include "takt/can_queue.h"

/* No slot, and the key of none; the end of a list of streams. */
enum { TAKTC_NONE = TAKT_CAN_SLOTS_MAX + 1, TAKTC_END = TAKT_CAN_STREAMS_MAX };
#define TAKTC_NO_KEY UINT32_MAX

/* takt_can_slot.dropped */
enum { TAKTC_KEPT = 0, TAKTC_REPLACED = 1, TAKTC_CANCELLED = 2 };

/* The identifier as the bus compares it, data and remote frames alike. */
uint32_t taktc_queue_key(const struct takt_can_frame *frame);

/* Takes a free slot, which there is, for a frame of the stream. O(1). */
uint16_t taktc_slot_take(struct takt_can_queue *queue, uint32_t stream, const struct takt_can_frame *frame);

/* Frees a slot that is in no list. O(1). */
void taktc_slot_free(struct takt_can_queue *queue, uint16_t slot);

/* Puts a slot among those of its stream that wait: behind those of its identifier, or before them if it was taken out
 * of a mailbox. O(1) while all of them have one identifier, else O(frames of the stream). taktc_stream_changed follows.
 */
void taktc_slot_insert(struct takt_can_queue *queue, uint16_t slot, bool again);

/* Takes a slot out of those that wait. Complexity and what follows as for taktc_slot_insert. */
void taktc_slot_remove(struct takt_can_queue *queue, uint16_t slot);

/* Notes that other frames of a stream wait or are in mailboxes. O(log streams + its mailboxes). */
void taktc_stream_changed(struct takt_can_queue *queue, uint32_t stream);

/* Notes that counters of a stream changed at the end of a frame. O(1). */
void taktc_stream_ended(struct takt_can_queue *queue, uint32_t stream);

/* The tournament of streams: begins with no key, sets that of one, and finds the least. O(log streams), and O(1). */
void taktc_order_init(struct takt_can_queue *queue);
void taktc_order_set(struct takt_can_queue *queue, uint32_t stream, uint32_t key);
uint32_t taktc_order_first(const struct takt_can_queue *queue);

/* Notes what the controller has done: until there is nothing more, so that it asks for no interrupt for it. */
void taktc_mailboxes_take(struct takt_can_queue *queue);

/* Asks for the end of what a stream has in mailboxes, and why. */
void taktc_mailboxes_drop(struct takt_can_queue *queue, uint32_t stream, uint8_t why);

/* Gives what a stream has in mailboxes another identifier, for which it is aborted. */
void taktc_mailboxes_rekey(struct takt_can_queue *queue, uint32_t stream, uint32_t id);

/* Loads and aborts mailboxes, and says which ones ask for an interrupt. */
void taktc_mailboxes_fill(struct takt_can_queue *queue);

#endif
