/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_RENDEZVOUS_H
#define TAKT_RENDEZVOUS_H

#include "takt/mutex.h"

/*
 * Caller and acceptor meet: the caller waits until its call is accepted and completed, the acceptor serves it in
 * between, and meanwhile inherits the caller's key as the owner of a mutex does. Who waits does so by key, FIFO among
 * equals. As in Ada, with the acceptor's code anywhere in its task.
 */
struct takt_rendezvous {
    struct takt_task *acceptors; /* private: kernel lock, like the rest; waiting for a call */
    struct takt_task *callers;   /* private: waiting to be accepted */
    uint16_t id;                 /* private: names it in the trace */
    uint8_t hands;               /* private: CALL */
};

/* A call that was accepted. The acceptor's, until it is completed. */
struct takt_rendezvous_accepted {
    void *data;                /* the caller's, who does not go on before the completion unless it is stopped */
    uint32_t size;             /* as the caller said */
    struct takt_mutex serving; /* private: which the acceptor owns and the caller waits for */
};

#define TAKT_RENDEZVOUS_DEFINE(name, trace_id) \
    struct takt_rendezvous name = {.id = (trace_id), .hands = TAKTI_HANDS_CALL}

/* Context: any, while nobody uses it. Blocks: never. */
void takt_rendezvous_init(struct takt_rendezvous *rendezvous, uint16_t trace_id);

/*
 * Offers `size` bytes at `data` and waits until the call is completed. TAKT_TIMEOUT: `until_ns` (absolute) came before
 * it was accepted; after that there is no limit. TAKT_DELETED: it was deleted before the call was accepted. Context:
 * task, not cooperative. Blocks: until it is completed. O(waiters) insertion, and as takt_mutex_lock.
 */
TAKT_MUST_USE enum takt_status takt_rendezvous_call(struct takt_rendezvous *rendezvous, void *data, uint32_t size);
TAKT_MUST_USE enum takt_status takt_rendezvous_call_until(struct takt_rendezvous *rendezvous, void *data, uint32_t size,
                                                          uint64_t until_ns);

/*
 * Accepts the best call, waiting for one. TAKT_DELETED, TAKT_TIMEOUT: as above; nothing was accepted. A task that
 * serves is stopped only when it has completed. Context: task, not cooperative. Blocks: until there is a call.
 * O(waiters) insertion.
 */
TAKT_MUST_USE enum takt_status takt_rendezvous_accept(struct takt_rendezvous *rendezvous,
                                                      struct takt_rendezvous_accepted *accepted);
TAKT_MUST_USE enum takt_status takt_rendezvous_accept_until(struct takt_rendezvous *rendezvous,
                                                            struct takt_rendezvous_accepted *accepted,
                                                            uint64_t until_ns);
/* TAKT_BUSY when nobody calls. Context: task. Blocks: never. */
TAKT_MUST_USE enum takt_status takt_rendezvous_try_accept(struct takt_rendezvous *rendezvous,
                                                          struct takt_rendezvous_accepted *accepted);

/* The caller goes on. Bound as for takt_mutex_unlock. Context: task that accepted it. Blocks: never. */
void takt_rendezvous_complete(struct takt_rendezvous_accepted *accepted);

/* Whoever waits to accept or to be accepted returns TAKT_DELETED; calls that were accepted can be completed. The
 * storage is the caller's again. O(waiters), locked. Context: task. Blocks: never. */
void takt_rendezvous_delete(struct takt_rendezvous *rendezvous);

#endif
