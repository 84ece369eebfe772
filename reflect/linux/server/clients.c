/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "clients.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FIRST_ROOM = 4096, STEPS = 64 /* system calls for one client in a turn, at most */ };

static const char plan_word[] = "takt-reflectd ";

void taktr_clients_init(struct taktr_clients *clients)
{
    for (unsigned i = 0; i < TAKTR_CLIENTS; i++) {
        clients->clients[i] = (struct taktr_client){.socket = -1};
    }
}

static void forget_request(struct taktr_client *client)
{
    if (client->text != NULL) {
        explicit_bzero(client->text, client->length); /* it may have had keys */
        free(client->text);
        client->text = NULL;
    }
}

static void drop(struct taktr_client *client)
{
    forget_request(client);
    free(client->answer);
    close(client->socket);
    *client = (struct taktr_client){.socket = -1};
}

/* A byte is left for the zero behind it. */
static bool make_room(struct taktr_client *client)
{
    if (client->length + 1 < client->room) {
        return true;
    }
    size_t room = client->room == 0 ? FIRST_ROOM : 2 * client->room;
    char *text = room > 2 * TAKTR_PLAN_MAX ? NULL : malloc(room);
    if (text == NULL) {
        return false;
    }
    size_t length = client->length;
    if (length != 0) {
        memcpy(text, client->text, length);
    }
    forget_request(client);
    client->text = text;
    client->room = room;
    return true;
}

/* Whether what has come of a request may become one. */
static bool is_too_long(const struct taktr_client *client)
{
    bool plan = strncmp(client->text, plan_word, sizeof plan_word - 1) == 0;
    return client->length > (plan ? (size_t)TAKTR_PLAN_MAX : TAKTR_CLIENT_LINE);
}

/* Sends as much of the answer as there is room for. False: it is done with. */
static bool send_some(struct taktr_client *client)
{
    while (client->sent < client->answer_length) {
        ssize_t count = send(client->socket, client->answer + client->sent, client->answer_length - client->sent,
                             MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count < 0) {
            return errno == EAGAIN || errno == EINTR;
        }
        client->sent += (size_t)count;
    }
    return false;
}

/* False: it is done with. */
static bool answer(struct taktr_client *client, struct taktr_server *server)
{
    client->answer = taktr_control_answer(server, client->text, client->length, &client->answer_length);
    forget_request(client);
    return client->answer != NULL && send_some(client);
}

/* Reads what has come, to its end if that is there. False: it is done with. */
static bool read_some(struct taktr_client *client, struct taktr_server *server)
{
    for (unsigned step = 0; step < STEPS; step++) {
        if (!make_room(client)) {
            return false;
        }
        ssize_t count =
            recv(client->socket, client->text + client->length, client->room - client->length - 1, MSG_DONTWAIT);
        if (count < 0) {
            return errno == EAGAIN || errno == EINTR;
        }
        client->length += (size_t)count;
        client->text[client->length] = '\0';
        if (count == 0) {
            return answer(client, server);
        }
        if (is_too_long(client)) {
            return false;
        }
    }
    return true;
}

void taktr_clients_wait(const struct taktr_clients *clients, struct pollfd *events)
{
    for (unsigned i = 0; i < TAKTR_CLIENTS; i++) {
        const struct taktr_client *client = &clients->clients[i];
        events[i] = (struct pollfd){.fd = client->socket, .events = client->answer == NULL ? POLLIN : POLLOUT};
    }
}

void taktr_clients_serve(struct taktr_clients *clients, struct taktr_server *server, const struct pollfd *events,
                         uint64_t now)
{
    for (unsigned i = 0; i < TAKTR_CLIENTS; i++) {
        struct taktr_client *client = &clients->clients[i];
        if (client->socket < 0) {
            continue;
        }
        if (taktr_server_signalled(server)) {
            return;
        }
        bool stays = now < client->until_ns;
        if (stays && events[i].revents != 0) {
            stays = client->answer == NULL ? read_some(client, server) : send_some(client);
        }
        if (!stays) {
            drop(client);
        }
    }
}

/* The one that came first; NULL: there is none. */
static struct taktr_client *oldest_of(struct taktr_clients *clients)
{
    struct taktr_client *oldest = NULL;
    for (unsigned i = 0; i < TAKTR_CLIENTS; i++) {
        struct taktr_client *client = &clients->clients[i];
        if (client->socket >= 0 && (oldest == NULL || client->until_ns < oldest->until_ns)) {
            oldest = client;
        }
    }
    return oldest;
}

/* A free entry, or that of the oldest. */
static struct taktr_client *free_entry(struct taktr_clients *clients)
{
    for (unsigned i = 0; i < TAKTR_CLIENTS; i++) {
        if (clients->clients[i].socket < 0) {
            return &clients->clients[i];
        }
    }
    struct taktr_client *oldest = oldest_of(clients);
    drop(oldest);
    return oldest;
}

bool taktr_clients_accept(struct taktr_clients *clients, int listening, uint64_t now)
{
    for (unsigned step = 0; step < TAKTR_CLIENTS / 2; step++) {
        int asking = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        bool full = asking < 0 && (errno == EMFILE || errno == ENFILE);
        struct taktr_client *oldest = full ? oldest_of(clients) : NULL;
        if (oldest != NULL) {
            drop(oldest); /* its descriptor is the next one's */
        } else if (asking < 0) {
            return !full;
        } else {
            *free_entry(clients) = (struct taktr_client){.socket = asking, .until_ns = now + TAKTR_CLIENT_NS};
        }
    }
    return true;
}

void taktr_clients_close(struct taktr_clients *clients)
{
    for (unsigned i = 0; i < TAKTR_CLIENTS; i++) {
        if (clients->clients[i].socket >= 0) {
            drop(&clients->clients[i]);
        }
    }
}
