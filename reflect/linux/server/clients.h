/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTR_CLIENTS_H
#define TAKTR_CLIENTS_H

#include <poll.h>

#include "control.h"

/*
 * Clients that send requests to the server through its socket, all at once and none of them waited for: one that is
 * slow, or never reads, delays nobody. It has TAKTR_CLIENT_NS from its connection to the end of its answer, a line of
 * TAKTR_CLIENT_LINE bytes or a plan to ask with, and its entry until TAKTR_CLIENTS others have come after it.
 *
 * Context: the main thread.
 */

enum { TAKTR_CLIENTS = 32, TAKTR_CLIENT_LINE = 256 };

#define TAKTR_CLIENT_NS UINT64_C(1000000000)

struct taktr_client {
    int socket; /* -1: nobody */
    uint64_t until_ns;
    char *text; /* of the request; then NULL */
    size_t length, room;
    char *answer; /* NULL: it is still asking */
    size_t answer_length, sent;
};

struct taktr_clients {
    struct taktr_client clients[TAKTR_CLIENTS];
};

void taktr_clients_init(struct taktr_clients *clients);

/* What to poll for: TAKTR_CLIENTS entries, of nobody too. */
void taktr_clients_wait(const struct taktr_clients *clients, struct pollfd *events);

/* Goes on with those for whom something happened, and drops those whose time is over. Blocks: never. */
void taktr_clients_serve(struct taktr_clients *clients, struct taktr_server *server, const struct pollfd *events,
                         uint64_t now);

/*
 * Accepts new clients, a few at most, in place of the oldest ones if there are too many for its table or for
 * the descriptors that it may have. False: even then none was left for the next client. Blocks: never.
 */
bool taktr_clients_accept(struct taktr_clients *clients, int listening, uint64_t now);

/* Drops all. */
void taktr_clients_close(struct taktr_clients *clients);

#endif
