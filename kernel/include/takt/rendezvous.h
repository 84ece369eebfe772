/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_RENDEZVOUS_H
#define TAKT_RENDEZVOUS_H

#include "base/dialect.h"
#include "takt/mutex.h"

TAKT_C_BEGIN

/*
 * Synchronous call between tasks, as in Ada: the caller waits until an acceptor has accepted and completed its call. In
 * between the acceptor inherits the caller's key, as the owner of a mutex does. The acceptor may accept and complete
 * anywhere in its code. Waiters by key, FIFO among equals. With a `trigger` each call that waits to be accepted
 * releases a job of that sporadic task, which accepts it by a try; a call for which an acceptor waits releases none.
 */
struct takt_rendezvous {
    struct takt_task *acceptors; /* private: kernel lock, as all fields; tasks that wait for a call */
    struct takt_task *callers;   /* private: tasks that wait to be accepted */
    uint16_t id;                 /* private: names it in the trace */
    uint8_t hands;               /* private: CALL */
    uint16_t request_size;       /* private: bytes that processes copy of a call, at most; 0 and ... */
    uint16_t reply_size;         /* private: ... 0: the acceptor gets the address of the caller's data */
    struct takt_task *trigger;   /* private: sporadic task released by a call that waits, or NULL */
};

/* An accepted call. Owned by the acceptor until it completes the call. */
struct takt_rendezvous_accepted {
    void *data;                /* of the caller, which does not continue before the completion unless it is stopped.
                                  If the data is copied: before the call the acceptor's buffer, below */
    uint32_t size;             /* bytes, as passed by the caller */
    struct takt_mutex serving; /* private: owned by the acceptor, waited for by the caller */
};

#define TAKT_RENDEZVOUS_DEFINE(name, trace_id) \
    struct takt_rendezvous name = {.id = (trace_id), .hands = TAKTI_HANDS_CALL}

/*
 * A rendezvous between processes: with protection the kernel copies up to `request` bytes from the caller when a call
 * is accepted, and `reply` bytes back when it is completed. Both at most TAKT_PROCESS_MESSAGE_MAX, and not both 0.
 */
#define TAKT_RENDEZVOUS_COPIED_DEFINE(name, trace_id, request, reply) \
    struct takt_rendezvous name = {                                   \
        .id = (trace_id), .hands = TAKTI_HANDS_CALL, .request_size = (request), .reply_size = (reply)}

/* The same, or with 0 and 0 the first, with a trigger: a call that waits releases a job of `task`. */
#define TAKT_RENDEZVOUS_TRIGGER_DEFINE(name, trace_id, request, reply, task) \
    struct takt_rendezvous name = {.id = (trace_id),                         \
                                   .hands = TAKTI_HANDS_CALL,                \
                                   .request_size = (request),                \
                                   .reply_size = (reply),                    \
                                   .trigger = (task)}

/* Without a trigger. Context: any, while it is not in use. Blocks: never. */
void takt_rendezvous_init(struct takt_rendezvous *rendezvous, uint16_t trace_id);

/*
 * Offers `size` bytes at `data` and waits until the call is completed. If the data is copied, `size` is at most
 * `request`, and `data` has room for `reply` bytes. TAKT_TIMEOUT: `until_ns` (absolute) came before the call was
 * accepted; it does not apply after that. TAKT_DELETED: the rendezvous was deleted before the call was accepted.
 * TAKT_OWNER_DIED: the acceptor's process ended. Context: task, not cooperative. Blocks: until the call is completed.
 * O(waiters) insertion, and as takt_mutex_lock.
 */
TAKT_MUST_USE enum takt_status takt_rendezvous_call(struct takt_rendezvous *rendezvous, void *data, uint32_t size);
TAKT_MUST_USE enum takt_status takt_rendezvous_call_until(struct takt_rendezvous *rendezvous, void *data, uint32_t size,
                                                          uint64_t until_ns);

/*
 * Accepts the call of the best caller; waits while there is none. If the data is copied, `accepted->data` must be a
 * buffer that has room for `request` and for `reply` bytes, and which keeps the data until the completion: read the
 * request and write the reply where `accepted->data` points to after the call, which without protection is the caller's
 * own data. TAKT_DELETED, TAKT_TIMEOUT: as above; nothing was accepted. A task that serves a call is stopped only after
 * it has completed it. Context: task, not cooperative. Blocks: until there is a call. O(waiters) insertion.
 */
TAKT_MUST_USE enum takt_status takt_rendezvous_accept(struct takt_rendezvous *rendezvous,
                                                      struct takt_rendezvous_accepted *accepted);
TAKT_MUST_USE enum takt_status takt_rendezvous_accept_until(struct takt_rendezvous *rendezvous,
                                                            struct takt_rendezvous_accepted *accepted,
                                                            uint64_t until_ns);
/* TAKT_BUSY when no call waits. Context: task. Blocks: never. */
TAKT_MUST_USE enum takt_status takt_rendezvous_try_accept(struct takt_rendezvous *rendezvous,
                                                          struct takt_rendezvous_accepted *accepted);

/* Completes the call: the caller continues. Bound as for takt_mutex_unlock. Context: task that accepted it. Blocks:
 * never. */
void takt_rendezvous_complete(struct takt_rendezvous_accepted *accepted);

/* Every waiter, to accept or to be accepted, returns TAKT_DELETED; accepted calls can still be completed. The storage
 * is the caller's again. O(waiters), locked. Context: task. Blocks: never. */
void takt_rendezvous_delete(struct takt_rendezvous *rendezvous);

TAKT_C_END

#endif
