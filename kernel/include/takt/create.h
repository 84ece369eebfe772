/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CREATE_H
#define TAKT_CREATE_H

#include "takt/condition.h"
#include "takt/events.h"
#include "takt/mailbox.h"
#include "takt/mutex.h"
#include "takt/pipe.h"
#include "takt/process.h"
#include "takt/semaphore.h"

/*
 * Objects that a process creates at run time, in the places that its [[process]] says it has (docs/processes.md). What
 * is created is used, and deleted, as what is declared, by its own process alone. A delete frees its place; the end of
 * the process frees all. With protection the handle is stale then: a call with it is a fault. Each call: the new object
 * goes to the first argument. TAKT_LIMIT: there is no free place, or not so much memory for what it holds; nothing is
 * written then. O(places of the process).
 */

/* Its owner inherits nothing from who waits for it: that one waits for the owner at the owner's own level. Context:
 * task of a process. Blocks: never. */
TAKT_MUST_USE enum takt_status takt_mutex_create(struct takt_mutex **mutex);
/* Context: task of a process. Blocks: never. */
TAKT_MUST_USE enum takt_status takt_condition_create(struct takt_condition **condition);
TAKT_MUST_USE enum takt_status takt_events_create(struct takt_events **events);

/* initial <= maximum, maximum > 0. */
struct takt_semaphore_attributes {
    uint16_t initial;
    uint16_t maximum;
};

/* It releases no task. Context: task of a process. Blocks: never. */
TAKT_MUST_USE enum takt_status takt_semaphore_create(struct takt_semaphore **semaphore,
                                                     const struct takt_semaphore_attributes *attributes);

/* Both > 0, the first at most TAKT_PROCESS_MESSAGE_MAX. Their product, rounded up to 8 bytes, comes from `buffers` of
 * the process, and stays with the place for the next one until the process ends; one that needs more takes as much
 * anew. */
struct takt_mailbox_attributes {
    uint16_t message_size; /* bytes */
    uint16_t capacity;     /* messages */
};

/* It releases no task. Context: task of a process. Blocks: never. */
TAKT_MUST_USE enum takt_status takt_mailbox_create(struct takt_mailbox **mailbox,
                                                   const struct takt_mailbox_attributes *attributes);

/* `capacity`: bytes, TAKT_PIPE_CAPACITY_MIN or more, likewise from `buffers`. Context: task of a process. Blocks:
 * never. */
TAKT_MUST_USE enum takt_status takt_pipe_create(struct takt_pipe **pipe, uint32_t capacity);

/* Storage of places. Private; zero at the start but for the ids of the objects, which name them in the trace. */
struct takt_buffer {
    uint8_t *bytes; /* `size` of them, aligned to 8 */
    uint32_t size;
};
struct takt_created_mailbox {
    struct takt_mailbox mailbox; /* must stay first */
    struct takt_buffer buffer;
};
struct takt_created_pipe {
    struct takt_pipe pipe; /* must stay first */
    struct takt_buffer buffer;
};

#endif
