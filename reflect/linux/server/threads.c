/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "server.h"
#include "stage.h"

enum { BATCH = 16, PACKET = 65536 };

static struct timespec timespec_of(uint64_t due_at)
{
    return (struct timespec){.tv_sec = (time_t)(due_at / 1000000000), .tv_nsec = (long)(due_at % 1000000000)};
}

void taktr_wake(uint32_t *futex)
{
    __atomic_add_fetch(futex, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, futex, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void taktr_set_priority(const struct taktr_server *server, pthread_t thread, int above)
{
    struct sched_param param = {.sched_priority = above < 0 ? 1 : (int)server->plan.priority + above};
    if (server->real_time) {
        (void)pthread_setschedparam(thread, SCHED_FIFO, &param); /* permitted: it was asked for at the start */
    }
}

/* The pusher runs above applications while it has something promoted, else below (6.3). The lock is held. */
static void raise_pusher(struct taktr_server *server, enum takt_push_band band)
{
    bool boosted = band <= TAKT_PUSH_HIGH;
    if (boosted != server->boosted) {
        server->boosted = boosted;
        taktr_set_priority(server, server->threads[TAKTR_PUSHER], boosted ? 1 : -1);
    }
}

/* What the dispatcher waits for: writes of areas, from what was seen on, and wakes of `dispatch`. The lock is held. */
static unsigned waits(const struct taktr_server *server, uint32_t wakes, struct futex_waitv *list)
{
    unsigned count = 1;
    list[0] = (struct futex_waitv){
        .val = wakes, .uaddr = (uintptr_t)&server->dispatch, .flags = FUTEX_32 | FUTEX_PRIVATE_FLAG};
    for (uint32_t i = 0; i < server->waited_count; i++) {
        const struct taktr_local *local = &server->locals[server->waited[i]];
        if (local->memory.mapped != NULL) {
            const uintptr_t *newest = local->memory.area.memory->newest;
            list[count++] =
                (struct futex_waitv){.val = (uint32_t)local->seen, .uaddr = (uintptr_t)newest, .flags = FUTEX_32};
        }
    }
    return count;
}

void *taktr_dispatcher(void *argument)
{
    struct taktr_server *server = argument;
    struct futex_waitv list[TAKTR_LOCALS_MAX + 1];
    for (;;) {
        uint32_t wakes = __atomic_load_n(&server->dispatch, __ATOMIC_ACQUIRE);
        uint64_t now = takt_reflect_now();
        pthread_mutex_lock(&server->lock);
        bool ending = server->ending;
        bool written = taktr_channels_written(server, now);
        enum takt_push_band band = takt_node_band(&server->node, now);
        if (band <= TAKT_PUSH_HIGH) {
            raise_pusher(server, band);
        }
        uint64_t until = takt_node_promotion(&server->node, now);
        unsigned count = waits(server, wakes, list);
        pthread_mutex_unlock(&server->lock);
        if (ending) {
            return NULL;
        }
        if (written) {
            taktr_wake(&server->push);
        }
        struct timespec due_at = timespec_of(until);
        syscall(SYS_futex_waitv, list, count, 0, until == UINT64_MAX ? NULL : &due_at, CLOCK_MONOTONIC);
    }
}

/* Marks what is sent from now on for a queue of the system's with priorities: what is promoted, and answers, first. */
static void mark(const struct taktr_server *server, enum takt_push_band band)
{
    int service = band <= TAKT_PUSH_HIGH ? 0xb8 : band == TAKT_PUSH_MID ? 0x20 : 0; /* EF, CS1, best effort */
    int priority = band <= TAKT_PUSH_HIGH ? 6 : band == TAKT_PUSH_MID ? 2 : 0;
    /* Where the system does not know one of them it goes without. */
    (void)setsockopt(server->socket, server->six ? IPPROTO_IPV6 : IPPROTO_IP, server->six ? IPV6_TCLASS : IP_TOS,
                     &service, sizeof service);
    (void)setsockopt(server->socket, SOL_SOCKET, SO_PRIORITY, &priority, sizeof priority);
}

void *taktr_pusher(void *argument)
{
    struct taktr_server *server = argument;
    static uint8_t bytes[PACKET];
    enum takt_push_band marked = TAKT_PUSH_LOW;
    struct takt_node_address to;
    for (;;) {
        uint32_t wakes = __atomic_load_n(&server->push, __ATOMIC_ACQUIRE);
        uint64_t began = taktr_stage_clock();
        uint64_t now = takt_reflect_now();
        pthread_mutex_lock(&server->lock);
        bool ending = server->ending;
        enum takt_push_band band = takt_node_band(&server->node, now);
        raise_pusher(server, band);
        uint64_t blocks = server->node.counters.blocks_sent;
        size_t length = takt_node_send(&server->node, bytes, &to, now);
        band = server->node.counters.blocks_sent == blocks ? TAKT_PUSH_HIGHEST : band;
        uint64_t until = length != 0 ? now : takt_node_until(&server->node);
        pthread_mutex_unlock(&server->lock);
        if (ending) {
            return NULL;
        }
        if (length != 0) {
            if (band != marked) {
                mark(server, band);
                marked = band;
            }
            if (sendto(server->socket, bytes, length, 0, (const struct sockaddr *)(const void *)to.bytes, to.length) <
                0) {
                __atomic_add_fetch(&server->unsent, 1, __ATOMIC_RELAXED);
            }
            taktr_stage_sent(bytes, length, now, began);
            continue;
        }
        struct timespec due_at = timespec_of(until);
        if (syscall(SYS_futex, &server->push, FUTEX_WAIT_BITSET_PRIVATE, wakes, until == UINT64_MAX ? NULL : &due_at,
                    NULL, FUTEX_BITSET_MATCH_ANY) != 0 &&
            errno == ETIMEDOUT) {
            taktr_stage_waited(until);
        }
    }
}

/* How many packets the system had no room for, as the last packet that came says. */
static void note_dropped(struct taktr_server *server, struct msghdr *message)
{
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part != NULL; part = CMSG_NXTHDR(message, part)) {
        uint32_t dropped;
        if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SO_RXQ_OVFL) {
            memcpy(&dropped, CMSG_DATA(part), sizeof dropped);
            __atomic_store_n(&server->dropped, dropped, __ATOMIC_RELAXED);
        }
    }
}

/* Returns whether a value is whole with it. */
static bool receive(struct taktr_server *server, const uint8_t *bytes, size_t length, const struct msghdr *message)
{
    struct takt_node_address from = {.length = message->msg_namelen};
    if (from.length > sizeof from.bytes) {
        return false; /* not an address of UDP */
    }
    memcpy(from.bytes, message->msg_name, from.length);
    uint64_t now = takt_reflect_now();
    pthread_mutex_lock(&server->lock);
    uint32_t index = takt_node_receive(&server->node, bytes, length, &from, now);
    taktr_stage_came(bytes, length, index != TAKT_NODE_NOBODY);
    if (index != TAKT_NODE_NOBODY) {
        taktr_writer_wake(server->reflected[server->reflected_of[index]].writer);
    }
    pthread_mutex_unlock(&server->lock);
    return index != TAKT_NODE_NOBODY;
}

void *taktr_receiver(void *argument)
{
    struct taktr_server *server = argument;
    static uint8_t bytes[BATCH][PACKET];
    static struct sockaddr_storage from[BATCH];
    static uint64_t control[BATCH][8];
    uint64_t began = taktr_stage_clock();
    for (;;) {
        struct iovec vectors[BATCH];
        struct mmsghdr messages[BATCH];
        for (unsigned i = 0; i < BATCH; i++) {
            vectors[i] = (struct iovec){.iov_base = bytes[i], .iov_len = PACKET};
            messages[i] = (struct mmsghdr){.msg_hdr = {.msg_name = &from[i],
                                                       .msg_namelen = sizeof from[i],
                                                       .msg_iov = &vectors[i],
                                                       .msg_iovlen = 1,
                                                       .msg_control = control[i],
                                                       .msg_controllen = sizeof control[i]}};
        }
        int count = recvmmsg(server->socket, messages, BATCH, MSG_WAITFORONE, NULL);
        uint64_t each = count <= 0 ? 0 : (taktr_stage_clock() - began) / (unsigned)count; /* a packet's part of it */
        for (int i = 0; i < count; i++) {
            began = taktr_stage_clock();
            note_dropped(server, &messages[i].msg_hdr);
            bool whole = receive(server, bytes[i], messages[i].msg_len, &messages[i].msg_hdr);
            taktr_stage_received(bytes[i], messages[i].msg_len, whole, each + taktr_stage_clock() - began);
        }
        began = taktr_stage_clock();
        pthread_mutex_lock(&server->lock);
        bool ending = server->ending;
        bool due = takt_node_until(&server->node) <= takt_reflect_now();
        pthread_mutex_unlock(&server->lock);
        if (ending) {
            return NULL;
        }
        if (due) {
            taktr_wake(&server->push);
        }
    }
}
