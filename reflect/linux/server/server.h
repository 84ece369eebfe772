/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTR_SERVER_H
#define TAKTR_SERVER_H

#include <pthread.h>

#include "plan.h"
#include "reflect/linux/src/folder.h"
#include "reflect/linux/src/memory.h"

/*
 * The server of a node (seed 002, 7.1): it reads areas of this machine for other nodes, and writes areas here for
 * theirs. Three threads and the main one share the node, under a lock:
 * - the dispatcher waits for writes and for promotions, and raises the pusher when something is promoted (6.3);
 * - the pusher sends what the node has, block by block as the link has room;
 * - the receiver takes what comes, and wakes readers;
 * - the main thread looks for writers, new ones and others, and answers the tool (control.h).
 */

enum {
    TAKTR_LOCALS_MAX = 126, /* areas whose writes are waited for at once: the system's limit is 128 */
    TAKTR_THREADS = 3,
    TAKTR_AT_ONCE = 64, /* so many areas are looked at until it looks whether it shall end */
    TAKTR_PUSHER = 0    /* which of them it is */
};

/* An area of this machine that is sent. */
struct taktr_local {
    const char *name;
    uint32_t size;         /* of values, as declared */
    uint32_t unfit;        /* size of a writer's values that is another one; 0: there was none */
    bool waited_for;       /* a write of it is pushed */
    uint32_t first, count; /* its senders, in by_local */
    struct taktr_memory memory;
    uintptr_t seen; /* number of the newest value that was reported to the node */
};

/* An area of this machine that is written here. */
struct taktr_reflected {
    const char *name;           /* first, as in taktr_local */
    struct takt_writer *writer; /* NULL: not open yet */
    bool kept;                  /* it is another plan's too */
};

struct taktr_server {
    struct taktr_plan plan;
    struct taktr_folder folder;
    int socket;
    int signals;                /* readable once it shall end; -1: nobody says so */
    int named;                  /* lock of the name of the tool's socket (control.h) */
    ino_t asked_at;             /* the file of that socket */
    bool nameless;              /* names were removed, and are not to be had: said once */
    bool real_time;             /* permitted */
    bool six;                   /* IPv6 */
    struct taktr_local *locals; /* ascending by name */
    uint32_t local_count;
    uint32_t *local_of;                /* of a sender */
    uint32_t *by_local;                /* senders, those of one area behind each other */
    uint32_t waited[TAKTR_LOCALS_MAX]; /* locals whose writes are waited for */
    uint32_t waited_count;
    struct taktr_reflected *reflected; /* ascending by name */
    uint32_t reflected_count;
    uint32_t *reflected_of; /* of a receiver */
    pthread_t threads[TAKTR_THREADS];
    int started; /* of them */

    /* Of what follows, of local memories and what was seen. Held for a packet and its value, and for all channels once
     * at most: 0.1 ms with 4096 each way, 1 ms when they go on with another plan (reflect/linux/test/locks_test.c). */
    pthread_mutex_t lock;
    struct takt_node node;
    bool boosted;     /* the pusher has the priority of what is promoted */
    uint64_t unsent;  /* packets that the system refused */
    uint64_t dropped; /* that came and found its buffer full */

    uint32_t dispatch, push; /* futexes: grow when that thread has to look again */
    bool ending;
};

/* Sets takt_reflect_error: `what`, and what the system says. False. */
bool taktr_fail_errno(const char *what);

/*
 * Whether a command to end was received. Work that takes longer the more channels there are checks it repeatedly, and
 * stops: within 0.2 s it is gone. Only areas take their time: of 1 GB a second to be made, and each 0.1 ms to be given
 * back.
 * Context: the main thread.
 */
bool taktr_server_signalled(const struct taktr_server *server);

/* A line for the program that started it, on `descriptor`, in the words of printf. Blocks: never: if nobody reads, it
 * is lost.
 */
void taktr_say(int descriptor, const char *words, ...) __attribute__((format(printf, 2, 3)));

/* The folder, the socket and the lock; the plan is there. False: takt_reflect_error says why. */
bool taktr_server_begin(struct taktr_server *server);

/* Real-time priority and memory that stays, where the system permits them, and a word where not. */
void taktr_server_real_time(struct taktr_server *server);

/* Starts the threads; channels are open. False: takt_reflect_error says why. */
bool taktr_server_start(struct taktr_server *server);

/* Ends the threads that were started. Blocks: until they are done, some 200 ms at most. */
void taktr_server_end(struct taktr_server *server);

/* Areas, and the node of them; plan, folder and socket are there. False: takt_reflect_error says why. */
bool taktr_channels_open(struct taktr_server *server);

/*
 * Goes on with another plan of the same node, which is the server's then: channels that are in both go on undisturbed.
 * False: takt_reflect_error says why, the plan is the caller's, and nothing happened. Context: the main thread.
 */
bool taktr_channels_replace(struct taktr_server *server, const struct taktr_plan *plan);

/* Names are free, memory is given back. No thread runs. */
void taktr_channels_close(struct taktr_server *server);

/*
 * Names that were removed, or the folder of them, are set again; what cannot be is said once. Context: the main thread.
 */
void taktr_server_look(struct taktr_server *server);

/* Finds writers that are new. `first`: what they have written before is old. Context: the main thread. */
void taktr_channels_look(struct taktr_server *server, bool first);

/* Reports writes of local areas since the last call to the node, under its lock. Whether there were any. */
bool taktr_channels_written(struct taktr_server *server, uint64_t now);

/* The threads. Each ends when `ending` is set, and its futex grows or its socket is shut. */
void *taktr_dispatcher(void *server);
void *taktr_pusher(void *server);
void *taktr_receiver(void *server);

/* Wakes a thread that waits for that futex. */
void taktr_wake(uint32_t *futex);

/* Gives a thread its real-time priority, if that is permitted: `above` the plan's, or the least if that is < 0. */
void taktr_set_priority(const struct taktr_server *server, pthread_t thread, int above);

#endif
