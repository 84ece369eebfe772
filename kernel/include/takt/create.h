/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CREATE_H
#define TAKT_CREATE_H

#include "base/dialect.h"
#include "takt/alarm.h"
#include "takt/condition.h"
#include "takt/events.h"
#include "takt/mailbox.h"
#include "takt/mutex.h"
#include "takt/pipe.h"
#include "takt/priority_mailbox.h"
#include "takt/process.h"
#include "takt/semaphore.h"

TAKT_C_BEGIN

/*
 * Objects that a process creates at run time, in the slots of its quota ([[process]], docs/processes.md). They are used
 * and deleted like declared objects, by their own process only. A delete frees the slot; the end of the process frees
 * all. With protection the handle is then stale: a call with it is a fault. Each call writes the new object to its
 * first argument. TAKT_LIMIT: no free slot, or not enough memory for the contents; nothing is written. O(slots of the
 * process).
 */

/* Creates a mutex. With `mutex_hold` of the process its owner inherits, also a thread; without, a waiter waits for the
 * owner at the owner's own level. TAKT_LIMIT: no free slot. Context: task of a process. Blocks: never. */
TAKT_MUST_USE enum takt_status takt_mutex_create(struct takt_mutex **mutex);
/* TAKT_LIMIT: no free slot. Context: task of a process. Blocks: never. */
TAKT_MUST_USE enum takt_status takt_condition_create(struct takt_condition **condition);
TAKT_MUST_USE enum takt_status takt_events_create(struct takt_events **events);

/* initial <= maximum, maximum > 0. */
struct takt_semaphore_attributes {
    uint16_t initial;
    uint16_t maximum;
};

/* Without a trigger. TAKT_LIMIT: no free slot. Context: task of a process. Blocks: never. */
TAKT_MUST_USE enum takt_status takt_semaphore_create(struct takt_semaphore **semaphore,
                                                     const struct takt_semaphore_attributes *attributes);

/*
 * Both > 0; message_size at most TAKT_PROCESS_MESSAGE_MAX. The storage, their product rounded up to 8 bytes, is taken
 * from `buffers` of the process and stays with the slot, for later objects in it, until the process ends; an object
 * that needs more takes new storage.
 */
struct takt_mailbox_attributes {
    uint16_t message_size; /* bytes */
    uint16_t capacity;     /* messages */
};

/* Without a trigger. TAKT_LIMIT: no free slot, or not enough of `buffers`. Context: task of a process. Blocks: never.
 */
TAKT_MUST_USE enum takt_status takt_mailbox_create(struct takt_mailbox **mailbox,
                                                   const struct takt_mailbox_attributes *attributes);

/* The same for a mailbox with priorities, without a handler. Its storage is TAKT_PRIORITY_MAILBOX_BYTES of both.
 * TAKT_LIMIT as for mailboxes. Context: task of a process. Blocks: never. */
TAKT_MUST_USE enum takt_status takt_priority_mailbox_create(struct takt_priority_mailbox **mailbox,
                                                            const struct takt_mailbox_attributes *attributes);

/* `capacity`: bytes, TAKT_PIPE_CAPACITY_MIN or more, taken from `buffers` likewise. TAKT_LIMIT as for mailboxes.
 * Context: task of a process. Blocks: never. */
TAKT_MUST_USE enum takt_status takt_pipe_create(struct takt_pipe **pipe, uint32_t capacity);

/*
 * `task`: a sporadic task, which each expiry releases (takt_job_release); a process needs the right to do that itself.
 * `period_ns`: 0 (the alarm expires once) or at least `alarms_apart` of the process, which is the minimum time between
 * two expiries of an alarm, and of the next one in its slot: an earlier expiry is postponed.
 */
struct takt_alarm_attributes {
    struct takt_task *task;
    uint64_t period_ns;
};

/* A stopped alarm, to be started with takt_alarm_start. It stops at the end of the process. TAKT_LIMIT: no free slot.
 * Context: task of a process. Blocks: never. */
TAKT_MUST_USE enum takt_status takt_alarm_create(struct takt_alarm **alarm,
                                                 const struct takt_alarm_attributes *attributes);

/* Stops an alarm that the process created, and frees its slot. Context: task of a process. Blocks: never. O(slots +
 * timers). */
void takt_alarm_delete(struct takt_alarm *alarm);

/* Storage of slots. Private; zero at the start except the ids of the objects, which name them in the trace. */
struct takt_buffer {
    uint8_t *bytes; /* `size` of them, aligned to 8 */
    uint32_t size;
};
struct takt_created_mailbox {
    struct takt_mailbox mailbox; /* must stay first */
    struct takt_buffer buffer;
};
struct takt_created_priority_mailbox {
    struct takt_priority_mailbox mailbox; /* must stay first */
    struct takt_buffer buffer;
};
struct takt_created_pipe {
    struct takt_pipe pipe; /* must stay first */
    struct takt_buffer buffer;
};
struct takt_created_alarm {
    struct takt_alarm alarm; /* must stay first */
    struct takt_task *task;
};

TAKT_C_END

#endif
