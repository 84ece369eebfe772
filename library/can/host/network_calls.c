/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* robust mutexes, flock, syscall */
#include "library/can/host/network_calls.h"

#include <errno.h>
#include <linux/futex.h>
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

enum { CALLS = 8192 };
#define LOOK_NS 20000000L /* a process that was killed wakes nobody */

/* All but `wakes` is written with the lock. */
struct node {
    struct takt_network_waiting waiting; /* the last time */
    uint64_t taken;                      /* calls then */
    bool waits;
    uint32_t wakes; /* a futex */
    struct takt_network_place places[TAKT_NETWORK_BUSES_MAX];
};

struct shared {
    struct takt_network_file file;
    bool made;
    pthread_mutex_t lock;
    uint64_t written; /* calls in all */
    struct takt_network_call calls[CALLS];
    struct node nodes[];
};

static struct shared *shared;
static unsigned self;
static uint64_t taken;
static takt_network_keep *keep;
static void (*on_leave)(void);
static bool failed;

void takt_network_fail(const char *what)
{
    failed = true;
    fprintf(stderr, "host: network: %s\n", what);
    exit(3);
}

unsigned takt_network_self(void)
{
    return self;
}

static void lock(void)
{
    if (pthread_mutex_lock(&shared->lock) == EOWNERDEAD) { /* a process was ended, which left what it wrote whole */
        (void)pthread_mutex_consistent(&shared->lock);
    }
}

static void unlock(void)
{
    (void)pthread_mutex_unlock(&shared->lock);
}

uint64_t takt_network_later(uint64_t time_ns, uint64_t by_ns)
{
    return time_ns > UINT64_MAX - by_ns ? UINT64_MAX : time_ns + by_ns;
}

static uint64_t least(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns < b_ns ? a_ns : b_ns;
}

static uint64_t latest(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns > b_ns ? a_ns : b_ns;
}

struct takt_network_place takt_network_place(unsigned node, unsigned bus)
{
    lock();
    struct takt_network_place place = shared->nodes[node].places[bus];
    unlock();
    return place;
}

void takt_network_place_set(unsigned bus, const struct takt_network_place *place)
{
    lock();
    shared->nodes[self].places[bus] = *place;
    unlock();
}

void takt_network_append(struct takt_network_list *list, const struct takt_network_call *call)
{
    if (list->first == list->count) {
        list->first = list->count = 0;
    }
    if (list->count == list->room) {
        list->room = list->room == 0 ? 64 : 2 * list->room;
        list->calls = realloc(list->calls, list->room * sizeof *list->calls);
        if (list->calls == NULL) {
            takt_network_fail("no memory");
        }
    }
    list->calls[list->count++] = *call;
}

static bool is_same(const struct takt_can_frame *a, const struct takt_can_frame *b)
{
    return a->id == b->id && a->shape.extended == b->shape.extended;
}

bool takt_network_release(struct takt_network_list *list, const struct takt_can_frame *frame, uint64_t *release_ns)
{
    size_t at = list->first;
    while (at < list->count && !is_same(frame, &list->calls[at].frame)) {
        at++;
    }
    if (at == list->count) {
        return false;
    }
    *release_ns = list->calls[at].release_ns;
    for (; at > list->first; at--) { /* those of other identifiers keep their order */
        list->calls[at] = list->calls[at - 1];
    }
    list->first++;
    return true;
}

/* Before that time a node makes no call. */
static uint64_t promise_of(unsigned index)
{
    const struct node *node = &shared->nodes[index];
    const struct takt_network_waiting *waiting = &node->waiting;
    if (shared->file.gone[index] != 0) {
        return UINT64_MAX;
    }
    uint64_t call_ns = waiting->exact ? UINT64_MAX : waiting->next_ns;
    for (uint64_t i = node->taken; i != shared->written; i++) {
        const struct takt_network_call *call = &shared->calls[i % CALLS];
        call_ns = call->node == index ? call_ns : least(call_ns, latest(call->at_ns, waiting->free_ns));
    }
    return least(waiting->until_ns, takt_network_later(call_ns, waiting->reaction_ns));
}

/* The least promise, and that of all others than its node. */
struct promises {
    uint64_t least_ns;
    uint64_t second_ns;
    unsigned of;
};

static struct promises promises(void)
{
    struct promises found = {UINT64_MAX, UINT64_MAX, 0};
    for (unsigned i = 0; i < shared->file.nodes; i++) {
        uint64_t of_ns = promise_of(i);
        if (of_ns < found.least_ns) {
            found = (struct promises){of_ns, found.least_ns, i};
        } else {
            found.second_ns = least(of_ns, found.second_ns);
        }
    }
    return found;
}

static uint64_t known_to(unsigned index, const struct promises *promises)
{
    return promises->of == index ? promises->second_ns : promises->least_ns;
}

/* Whether a node that waits has something to do. */
static bool goes_on(unsigned index, uint64_t known_ns)
{
    const struct node *node = &shared->nodes[index];
    const struct takt_network_waiting *waiting = &node->waiting;
    uint64_t left = shared->written - node->taken;
    uint64_t sure_ns = takt_network_later(latest(waiting->free_ns, known_ns), waiting->reaction_ns);
    return waiting->until_ns <= (waiting->exact ? known_ns : sure_ns) || known_ns > waiting->next_ns ||
           (left > 0 && known_ns > waiting->free_ns) || left > CALLS / 2;
}

/* With the lock, which it opens: wakes the others that have something to do, or all. */
static void unlock_and_wake(const struct promises *promises, bool all)
{
    uint64_t woken = 0;
    for (unsigned i = 0; i < shared->file.nodes; i++) {
        struct node *node = &shared->nodes[i];
        if (i != self && node->waits && (all || goes_on(i, known_to(i, promises)))) {
            node->waits = false;
            woken |= UINT64_C(1) << i;
        }
    }
    unlock();
    for (unsigned i = 0; i < shared->file.nodes; i++) {
        if ((woken >> i & 1) != 0) {
            uint32_t *wakes = &shared->nodes[i].wakes;
            (void)__atomic_add_fetch(wakes, 1, __ATOMIC_SEQ_CST);
            (void)syscall(SYS_futex, wakes, FUTEX_WAKE, 1, NULL, NULL, 0);
        }
    }
}

/* Waits for a wake after the one with that number. */
static void sleep_from(uint32_t number)
{
    const struct timespec look = {0, LOOK_NS};
    (void)syscall(SYS_futex, &shared->nodes[self].wakes, FUTEX_WAIT, number, &look, NULL, 0);
}

/* The others' calls up to that number: nobody writes over them while this node says that it has not taken them. */
static void take(uint64_t written)
{
    for (; taken != written; taken++) {
        const struct takt_network_call *call = &shared->calls[taken % CALLS];
        if (call->node != self) {
            keep(call);
        }
    }
}

uint64_t takt_network_wait(const struct takt_network_waiting *waiting)
{
    struct node *own = &shared->nodes[self];
    lock();
    own->waiting = *waiting;
    own->taken = taken;
    for (;;) {
        struct promises now = promises();
        uint64_t known_ns = known_to(self, &now), written = shared->written;
        if (goes_on(self, known_ns)) {
            own->waits = false;
            unlock();
            take(written);
            return known_ns;
        }
        uint32_t number = __atomic_load_n(&own->wakes, __ATOMIC_SEQ_CST);
        own->waits = true;
        unlock_and_wake(&now, false);
        sleep_from(number);
        lock();
    }
}

bool takt_network_bus(unsigned index, uint64_t *number)
{
    static const char *const names[TAKT_BOARD_CAN_MAX] = {"network_bus0", "network_bus1"};
    return index < TAKT_BOARD_CAN_MAX && takt_board_option(names[index], number);
}

bool takt_can_network_has(unsigned index)
{
    uint64_t number = 0;
    return takt_network_bus(index, &number);
}

static bool has_room(void)
{
    for (unsigned i = 0; i < shared->file.nodes; i++) {
        if (shared->file.gone[i] == 0 && shared->written - shared->nodes[i].taken == CALLS) {
            return false;
        }
    }
    return true;
}

void takt_network_write(const struct takt_network_call *call)
{
    struct node *own = &shared->nodes[self];
    lock();
    while (!has_room()) {
        take(shared->written);
        own->taken = taken; /* it executes at that time: nothing makes a call of it sooner */
        own->waiting = (struct takt_network_waiting){.until_ns = call->at_ns, .next_ns = UINT64_MAX, .exact = true};
        struct promises now = promises();
        uint32_t number = __atomic_load_n(&own->wakes, __ATOMIC_SEQ_CST);
        own->waits = true;
        unlock_and_wake(&now, true);
        sleep_from(number);
        lock();
        own->waits = false;
    }
    struct takt_network_call *written = &shared->calls[shared->written % CALLS];
    *written = *call;
    written->node = (uint8_t)self;
    shared->written++;
    unlock();
}

static void leave(void)
{
    if (failed) {
        return; /* takt sees the end of the process */
    }
    on_leave();
    lock();
    shared->file.gone[self] = 1;
    struct promises now = promises();
    unlock_and_wake(&now, false);
}

/* By the first process, in memory that was zero. */
static void make_lock(void)
{
    pthread_mutexattr_t attributes;
    (void)pthread_mutexattr_init(&attributes);
    (void)pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    (void)pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    (void)pthread_mutex_init(&shared->lock, &attributes);
    shared->made = true;
}

void takt_network_join(takt_network_keep *keeps, void (*leaves)(void))
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
    keep = keeps;
    on_leave = leaves;
    if (!shared->made) {
        make_lock();
    }
    (void)flock(descriptor, LOCK_UN);
    (void)fclose(file);
    (void)atexit(leave);
}
