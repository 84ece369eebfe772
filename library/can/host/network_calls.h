/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_LIBRARY_CAN_HOST_NETWORK_CALLS_H
#define TAKT_LIBRARY_CAN_HOST_NETWORK_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "takt/can_frame.h"

/* What the processes of a network share: the calls of their drivers, in the order in which they were written down, and
 * up to when each makes none. */

enum { TAKT_NETWORK_BUSES_MAX = 64 };

enum { TAKT_NETWORK_QUEUED = 255 }; /* no call: when a frame was released that was queued */

/* A call of a driver that changes what its controller does on the bus. */
struct takt_network_call {
    uint64_t at_ns;
    uint64_t release_ns; /* of TAKT_NETWORK_QUEUED */
    uint8_t bus;         /* its number in the network */
    uint8_t what;        /* enum takt_can_requested, or TAKT_NETWORK_QUEUED */
    uint8_t node;
    uint8_t mailbox;
    struct takt_can_frame frame;
};

/* Calls of a node, in their order. */
struct takt_network_list {
    struct takt_network_call *calls;
    size_t first, count, room;
};

void takt_network_append(struct takt_network_list *list, const struct takt_network_call *call);

/* Takes the first one with a frame of that identifier out. False: there is none. */
bool takt_network_release(struct takt_network_list *list, const struct takt_can_frame *frame, uint64_t *release_ns);

/* A controller of a node on a bus. */
struct takt_network_place {
    uint8_t kind; /* enum takt_can_simulated_kind */
    uint8_t transmit;
};

/*
 * Where a node is that waits. Its next call is at the least of `until_ns`, `next_ns` and `reaction_ns`, and of the time
 * of a call that it has not taken, or `free_ns`, whichever is later, and `reaction_ns`.
 */
struct takt_network_waiting {
    uint64_t until_ns; /* it wants to go on to this time */
    uint64_t next_ns;  /* the next bit of a bus for which it must know the calls of the others; UINT64_MAX: none */
    uint64_t free_ns;  /* no frame that it does not know begins before that */
    uint64_t reaction_ns; /* from the beginning of such a frame to an interrupt by it, at least */
    bool exact;           /* it goes on when no other makes a call before until_ns, else also if such a call makes no
                             interrupt until then */
};

/* Called for each call of another node that is taken. */
typedef void takt_network_keep(const struct takt_network_call *call);

/* Once, before the others. What the options say is no network: it ends the process. `leave`: before it ends by exit. */
void takt_network_join(takt_network_keep *keep, void (*leave)(void));

/* The number in the network of a bus of the board. False: it is not in the network. */
bool takt_network_bus(unsigned index, uint64_t *number);

/* Ends the process with a message. */
_Noreturn void takt_network_fail(const char *what);

unsigned takt_network_self(void);

/* The controller of a node on a bus, and that of this node. */
struct takt_network_place takt_network_place(unsigned node, unsigned bus);
void takt_network_place_set(unsigned bus, const struct takt_network_place *place);

/*
 * Waits until this node can go on, or do something on the way there: simulate a bus, or take calls. Returns a time
 * before which no other node makes a call, and all calls until then have been taken.
 */
uint64_t takt_network_wait(const struct takt_network_waiting *waiting);

/* Tells the others of a call, when they have room for it. */
void takt_network_write(const struct takt_network_call *call);

/* A sum that saturates. */
uint64_t takt_network_later(uint64_t time_ns, uint64_t by_ns);

#endif
