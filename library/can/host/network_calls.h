/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_LIBRARY_CAN_HOST_NETWORK_CALLS_H
#define TAKT_LIBRARY_CAN_HOST_NETWORK_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "takt/can_frame.h"

/* What the processes of a network share: the calls of their drivers, and up to when each makes none. */

enum { TAKT_NETWORK_BUSES_MAX = 64 };

enum { TAKT_NETWORK_QUEUED = 255 }; /* no call: when a frame was released that was queued */

/* A call of a driver that changes what its controller does on the bus. */
struct takt_network_call {
    uint64_t at_ns;
    uint64_t release_ns; /* of TAKT_NETWORK_QUEUED */
    uint8_t bus;         /* its number in the network */
    uint8_t what;        /* enum takt_can_requested, or TAKT_NETWORK_QUEUED */
    uint8_t mailbox;
    struct takt_can_frame frame;
};

/* A controller of a node on a bus. */
struct takt_network_place {
    uint8_t kind; /* enum takt_can_simulated_kind */
    uint8_t transmit;
};

/* Called for each call of another node that is taken. */
typedef void takt_network_keep(unsigned node, const struct takt_network_call *call);

/* Once, before the others. What the options say is no network: it ends the process. */
void takt_network_join(void);

/* Ends the process with a message. */
_Noreturn void takt_network_fail(const char *what);

unsigned takt_network_self(void);

/* All below but takt_network_write are called with the lock. */
void takt_network_lock(void);
void takt_network_unlock(void);

struct takt_network_place *takt_network_place(unsigned node, unsigned bus);

/* Takes the others' calls. Whether there were any; this node's promise is lowered then by what it may do for them. */
bool takt_network_take(takt_network_keep *keep);

/* This node makes no call before that time, but for an interrupt that a call makes which it does not know; and such one
 * comes no sooner than `reaction_ns` after that call. */
void takt_network_promise(uint64_t promise_ns, uint64_t reaction_ns);

/* The least promise of all others; `before`: of those with lower numbers. */
uint64_t takt_network_promised(bool before);

/* Until another process has written, or a moment has passed. */
void takt_network_wait(void);

/* Tells the others of a call, when they have room for it. */
void takt_network_write(const struct takt_network_call *call, takt_network_keep *keep);

/* A sum that saturates. */
uint64_t takt_network_later(uint64_t time_ns, uint64_t by_ns);

#endif
