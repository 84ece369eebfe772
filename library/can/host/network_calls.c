/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* robust mutexes, flock, syscall */
#include "library/can/host/network_calls.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "library/can/host/network.h"
#include "ports/host/host.h"
#include "takt/board.h"

enum { CALLS = 1024, LOOK_MS = 20 };

struct node {
    uint64_t promise_ns;
    uint64_t reaction_ns;
    uint64_t written;                       /* calls in all */
    uint64_t taken[TAKT_NETWORK_NODES_MAX]; /* of each of the others */
    struct takt_network_place places[TAKT_NETWORK_BUSES_MAX];
    struct takt_network_call calls[CALLS];
};

struct shared {
    struct takt_network_file file;
    bool made;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct node nodes[];
};

static struct shared *shared;
static unsigned self;

void takt_network_fail(const char *what)
{
    fprintf(stderr, "host: network: %s\n", what);
    exit(3);
}

unsigned takt_network_self(void)
{
    return self;
}

void takt_network_lock(void)
{
    if (pthread_mutex_lock(&shared->lock) == EOWNERDEAD) { /* a process was ended, which left what it wrote whole */
        (void)pthread_mutex_consistent(&shared->lock);
    }
}

void takt_network_unlock(void)
{
    (void)pthread_mutex_unlock(&shared->lock);
}

static void tell(void)
{
    (void)pthread_cond_broadcast(&shared->changed);
}

void takt_network_wait(void)
{
    struct timespec until;                                    /* a process that was killed tells nobody */
    (void)syscall(SYS_clock_gettime, CLOCK_REALTIME, &until); /* clock_gettime is that of virtual time: library/time */
    until.tv_nsec += LOOK_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    if (pthread_cond_timedwait(&shared->changed, &shared->lock, &until) == EOWNERDEAD) {
        (void)pthread_mutex_consistent(&shared->lock);
    }
}

uint64_t takt_network_later(uint64_t time_ns, uint64_t by_ns)
{
    return time_ns > UINT64_MAX - by_ns ? UINT64_MAX : time_ns + by_ns;
}

struct takt_network_place *takt_network_place(unsigned node, unsigned bus)
{
    return &shared->nodes[node].places[bus];
}

void takt_network_promise(uint64_t promise_ns, uint64_t reaction_ns)
{
    struct node *own = &shared->nodes[self];
    if (own->promise_ns != promise_ns || own->reaction_ns != reaction_ns) {
        own->promise_ns = promise_ns;
        own->reaction_ns = reaction_ns;
        tell();
    }
}

/* Calls that another node has not taken yet lower its promise: it does not know of them. */
static uint64_t promise_of(unsigned node)
{
    const struct node *other = &shared->nodes[node];
    uint64_t least_ns = other->promise_ns;
    if (shared->file.gone[node] != 0) {
        return UINT64_MAX;
    }
    for (unsigned i = 0; i < shared->file.nodes; i++) {
        if (i != node && other->taken[i] != shared->nodes[i].written) {
            uint64_t at_ns = shared->nodes[i].calls[other->taken[i] % CALLS].at_ns;
            uint64_t reacts_ns = takt_network_later(at_ns, other->reaction_ns);
            least_ns = reacts_ns < least_ns ? reacts_ns : least_ns;
        }
    }
    return least_ns;
}

uint64_t takt_network_promised(bool before)
{
    uint64_t least_ns = UINT64_MAX;
    for (unsigned node = 0; node < (before ? self : shared->file.nodes); node++) {
        uint64_t of_ns = node == self ? UINT64_MAX : promise_of(node);
        least_ns = of_ns < least_ns ? of_ns : least_ns;
    }
    return least_ns;
}

bool takt_network_take(takt_network_keep *keep)
{
    struct node *own = &shared->nodes[self];
    uint64_t first_ns = UINT64_MAX;
    for (unsigned node = 0; node < shared->file.nodes; node++) {
        const struct node *other = &shared->nodes[node];
        for (; node != self && own->taken[node] != other->written; own->taken[node]++) {
            const struct takt_network_call *call = &other->calls[own->taken[node] % CALLS];
            first_ns = call->at_ns < first_ns ? call->at_ns : first_ns;
            keep(node, call);
        }
    }
    if (first_ns == UINT64_MAX) {
        return false;
    }
    uint64_t reacts_ns = takt_network_later(first_ns, own->reaction_ns);
    if (reacts_ns < own->promise_ns) {
        own->promise_ns = reacts_ns; /* until it is known better */
    }
    tell(); /* there may be room again */
    return true;
}

static bool has_room(void)
{
    for (unsigned node = 0; node < shared->file.nodes; node++) {
        uint64_t left = shared->nodes[self].written - shared->nodes[node].taken[self];
        if (node != self && shared->file.gone[node] == 0 && left == CALLS) {
            return false;
        }
    }
    return true;
}

void takt_network_write(const struct takt_network_call *call, takt_network_keep *keep)
{
    struct node *own = &shared->nodes[self];
    takt_network_lock();
    while (!has_room()) {
        (void)takt_network_take(keep);
        takt_network_wait();
    }
    own->calls[own->written % CALLS] = *call;
    own->written++;
    tell();
    takt_network_unlock();
}

static void leave(void)
{
    takt_network_lock();
    shared->file.gone[self] = 1;
    tell();
    takt_network_unlock();
}

/* By the first process, in memory that was zero. */
static void make_lock(void)
{
    pthread_mutexattr_t lock;
    pthread_condattr_t changed;
    (void)pthread_mutexattr_init(&lock);
    (void)pthread_mutexattr_setpshared(&lock, PTHREAD_PROCESS_SHARED);
    (void)pthread_mutexattr_setrobust(&lock, PTHREAD_MUTEX_ROBUST);
    (void)pthread_mutex_init(&shared->lock, &lock);
    (void)pthread_condattr_init(&changed);
    (void)pthread_condattr_setpshared(&changed, PTHREAD_PROCESS_SHARED);
    (void)pthread_cond_init(&shared->changed, &changed);
    shared->made = true;
}

void takt_network_join(void)
{
    uint64_t node = 0;
    struct takt_network_file head;
    FILE *file = takt_board_open_option("network", "r+b");
    if (file == NULL || fread(&head, sizeof head, 1, file) != 1 || !takt_board_option("network_node", &node) ||
        head.nodes > TAKT_NETWORK_NODES_MAX || node >= head.nodes) {
        takt_network_fail("the options network=PATH and network_node=I say no node of a file");
    }
    size_t size = sizeof *shared + head.nodes * sizeof shared->nodes[0];
    int descriptor = fileno(file);
    if (flock(descriptor, LOCK_EX) != 0 || ftruncate(descriptor, (off_t)size) != 0) {
        takt_network_fail("the file cannot be used");
    }
    void *found = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (found == MAP_FAILED) {
        takt_network_fail("no memory");
    }
    shared = found;
    self = (unsigned)node;
    if (!shared->made) {
        make_lock();
    }
    (void)flock(descriptor, LOCK_UN);
    (void)fclose(file);
    (void)atexit(leave);
}
