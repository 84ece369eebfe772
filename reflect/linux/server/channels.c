/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "area_index.h"

static bool make_sender(struct taktr_server *server, uint32_t index)
{
    const struct taktr_plan_sender *planned = &server->plan.senders[index];
    struct takt_node_sender *sender = &server->node.senders[index];
    struct taktr_local *local = &server->locals[server->local_of[index]];
    if (local->size == 0) {
        local->size = planned->size;
    } else if (local->size != planned->size) {
        taktr_fail(TAKT_LIMIT, "%s: values of %u bytes, but another channel of its area has values of %u",
                   planned->name, planned->size, local->size);
        return false;
    }
    local->waited_for |= planned->kind != TAKT_PUSH_ASYNC;
    *sender = (struct takt_node_sender){.channel = planned->channel,
                                        .kind = planned->kind,
                                        .every = planned->every,
                                        .period_ns = planned->period_ns,
                                        .jitter_ns = planned->jitter_ns,
                                        .delay_ns = planned->delay_ns,
                                        .promotion_ns = planned->promotion_ns,
                                        .group = planned->group,
                                        .pause_ns = planned->pause_ns,
                                        .level = planned->level,
                                        .keys = planned->keyed ? &planned->keys : NULL,
                                        .area = {.shape = {.size = planned->size}},
                                        .value = malloc(planned->size),
                                        .refusal = planned->refusal};
    return sender->value != NULL || taktr_no_memory();
}

/* Opens an area for writing, unless another plan had it: then it stays open. */
static bool open_reflected(struct taktr_reflected *reflected, const struct taktr_plan_receiver *planned,
                           struct taktr_server *before)
{
    uint32_t index = before == NULL ? 0 : taktr_reflected_named(before, planned->area);
    if (before == NULL || index == before->reflected_count) {
        return takt_writer_open(&reflected->writer, planned->area, planned->shape) == TAKT_OK;
    }
    reflected->writer = before->reflected[index].writer;
    reflected->kept = true;
    return true;
}

static bool make_receiver(struct taktr_server *server, uint32_t index, struct taktr_server *before)
{
    const struct taktr_plan_receiver *planned = &server->plan.receivers[index];
    struct takt_node_receiver *receiver = &server->node.receivers[index];
    struct taktr_reflected *reflected = &server->reflected[server->reflected_of[index]];
    if (reflected->writer == NULL && !open_reflected(reflected, planned, before)) {
        return false;
    }
    struct takt_area *area = taktr_writer_area(reflected->writer);
    if (area->shape.size != planned->shape.size || area->shape.depth != planned->shape.depth) {
        taktr_fail(TAKT_LIMIT, "%s: size %u and depth %u, but its area has size %u and depth %u", planned->name,
                   planned->shape.size, planned->shape.depth, area->shape.size, area->shape.depth);
        return false;
    }
    *receiver = (struct takt_node_receiver){
        .channel = planned->channel,
        .source = planned->channel,
        .period_ns = planned->period_ns,
        .deadline_ns = planned->deadline_ns,
        .pause_ns = planned->pause_ns,
        .keys = planned->keyed ? &planned->keys : NULL,
        .writer = planned->writer,
        .area = area,
        .assemble = {.bytes = malloc(TAKT_ASSEMBLE_BYTES(planned->shape.size)),
                     .came = calloc(TAKT_ASSEMBLE_WORDS(planned->shape.size), sizeof(uint64_t)),
                     .size = planned->shape.size}};
    return (receiver->assemble.bytes != NULL && receiver->assemble.came != NULL) || taktr_no_memory();
}

static bool make_node(struct taktr_server *server)
{
    const struct taktr_plan *plan = &server->plan;
    size_t senders = plan->sender_count + 1;
    size_t receivers = plan->receiver_count + 1;
    server->node.senders = calloc(senders, sizeof *server->node.senders);
    server->node.receivers = calloc(receivers, sizeof *server->node.receivers);
    server->locals = calloc(senders, sizeof *server->locals);
    server->local_of = calloc(senders, sizeof *server->local_of);
    server->by_local = calloc(senders, sizeof *server->by_local);
    server->reflected = calloc(receivers, sizeof *server->reflected);
    server->reflected_of = calloc(receivers, sizeof *server->reflected_of);
    server->node.block = plan->block;
    return (server->node.senders != NULL && server->node.receivers != NULL && server->locals != NULL &&
            server->local_of != NULL && server->by_local != NULL && server->reflected != NULL &&
            server->reflected_of != NULL) ||
           taktr_no_memory();
}

static bool make_all(struct taktr_server *server, struct taktr_server *before)
{
    const struct taktr_plan *plan = &server->plan;
    if (!make_node(server) || !taktr_index_locals(server) || !taktr_index_reflected(server)) {
        return false;
    }
    for (; server->node.sender_count < plan->sender_count; server->node.sender_count++) {
        if (!make_sender(server, server->node.sender_count)) {
            return false;
        }
    }
    for (; server->node.receiver_count < plan->receiver_count; server->node.receiver_count++) {
        if (taktr_server_signalled(before != NULL ? before : server)) {
            taktr_fail(TAKT_STATE, "it received a command to end");
            return false;
        }
        if (!make_receiver(server, server->node.receiver_count, before)) {
            return false;
        }
    }
    return taktr_list_waited(server);
}

bool taktr_channels_open(struct taktr_server *server)
{
    const struct taktr_plan *plan = &server->plan;
    uint64_t random;
    struct timespec day;
    if (!make_all(server, NULL)) {
        return false;
    }
    if (getrandom(&random, sizeof random, 0) != sizeof random || clock_gettime(CLOCK_REALTIME, &day) != 0) {
        taktr_fail(TAKT_STATE, "the system gives no random numbers or no time of day");
        return false;
    }
    server->node.started = (uint64_t)day.tv_sec * 1000000000 + (uint64_t)day.tv_nsec;
    takt_node_init(&server->node, &plan->link, random);
    for (uint32_t i = 0; i < plan->sender_count; i++) {
        if (plan->senders[i].stopped) {
            takt_node_sender_stop(&server->node, i, takt_reflect_now());
        }
    }
    for (uint32_t i = 0; i < plan->receiver_count; i++) {
        if (plan->receivers[i].active) {
            takt_node_start(&server->node, i, takt_reflect_now());
        }
    }
    return true;
}

void taktr_channels_close(struct taktr_server *server)
{
    for (uint32_t i = 0; i < server->local_count; i++) {
        taktr_memory_unmap(&server->locals[i].memory);
    }
    for (uint32_t i = 0; i < server->reflected_count; i++) {
        if (!server->reflected[i].kept) {
            takt_writer_close(server->reflected[i].writer);
        }
    }
    /* One more than are whole: the last may have had what it asked for in part. */
    for (uint32_t i = 0; server->node.senders != NULL && i < server->plan.sender_count; i++) {
        free(server->node.senders[i].value);
    }
    for (uint32_t i = 0; server->node.receivers != NULL && i < server->plan.receiver_count; i++) {
        free(server->node.receivers[i].assemble.bytes);
        free(server->node.receivers[i].assemble.came);
    }
    free(server->node.senders);
    free(server->node.receivers);
    free(server->locals);
    free(server->local_of);
    free(server->by_local);
    free(server->reflected);
    free(server->reflected_of);
}

/* Goes on with the memory of another writer; `first`: it began before we looked, so its values are old. The lock is
 * held for all channels of that area: 0.2 ms if those are 4096. */
static void attach(struct taktr_server *server, uint32_t index, const struct taktr_memory *memory, bool first)
{
    struct taktr_local *local = &server->locals[index];
    struct taktr_memory before = local->memory;
    uint64_t now = takt_reflect_now();
    pthread_mutex_lock(&server->lock);
    local->memory = *memory;
    local->seen = takt_area_newest(&memory->area);
    struct takt_area_reader area = memory->area;
    if (!first) {
        takt_area_from_first(&area);
    }
    for (uint32_t i = 0; i < local->count; i++) {
        takt_node_attach(&server->node, server->by_local[local->first + i], &area, now);
    }
    pthread_mutex_unlock(&server->lock);
    taktr_memory_unmap(&before);
}

void taktr_channels_look(struct taktr_server *server, bool first)
{
    bool any = false;
    for (uint32_t i = 0; i < server->local_count; i++) {
        struct taktr_memory memory;
        struct taktr_local *local = &server->locals[i];
        if (i % TAKTR_AT_ONCE == 0 && taktr_server_signalled(server)) {
            return;
        }
        if (!taktr_memory_map(server->folder.descriptor, local->name, &local->memory, local->size, &memory)) {
            if (memory.area.shape.size != 0) {
                local->unfit = memory.area.shape.size == local->size ? 0 : memory.area.shape.size;
            }
            continue;
        }
        local->unfit = 0;
        attach(server, i, &memory, first);
        any = true;
    }
    if (any) {
        taktr_wake(&server->dispatch);
        taktr_wake(&server->push);
    }
}

bool taktr_channels_written(struct taktr_server *server, uint64_t now)
{
    bool any = false;
    for (uint32_t index = 0; index < server->waited_count; index++) {
        struct taktr_local *local = &server->locals[server->waited[index]];
        uintptr_t newest = local->memory.mapped == NULL ? 0 : takt_area_newest(&local->memory.area);
        if (newest == local->seen) {
            continue;
        }
        local->seen = newest;
        any = true;
        for (uint32_t i = local->first; i < local->first + local->count; i++) {
            if (server->node.senders[server->by_local[i]].kind != TAKT_PUSH_ASYNC) {
                takt_node_written(&server->node, server->by_local[i], now);
            }
        }
    }
    return any;
}

static bool same_keys(bool keyed, const struct takt_node_keys *keys, bool others, const struct takt_node_keys *other)
{
    return keyed == others && (!keyed || memcmp(keys, other, sizeof *keys) == 0);
}

static bool is_same_sender(const struct taktr_plan_sender *a, const struct taktr_plan_sender *b)
{
    return a->channel == b->channel && strcmp(a->area, b->area) == 0 && a->size == b->size && a->kind == b->kind &&
           a->every == b->every && same_keys(a->keyed, &a->keys, b->keyed, &b->keys);
}

/* Its area stays too, if it has one of that name. */
static bool is_same_receiver(const struct taktr_plan_receiver *a, const struct taktr_plan_receiver *b)
{
    return a->channel == b->channel && strcmp(a->area, b->area) == 0 &&
           memcmp(&a->writer, &b->writer, sizeof a->writer) == 0 && same_keys(a->keyed, &a->keys, b->keyed, &b->keys);
}

enum { NONE = UINT32_MAX };

/* What of a server before goes on as what of the next one, found before the lock is taken: plans change in the main
 * thread only. Under the lock each is looked at once. */
struct match {
    uint32_t *senders, *receivers, *locals; /* index of the one before; NONE: it is new */
    uint32_t *group_of;                     /* of a sender of the next one: the first of its group */
    bool *taken;                            /* of those: one of it is started */
    bool *wanted;                           /* of an area that is written here: one of it is wanted */
};

static void free_match(struct match *match)
{
    free(match->senders);
    free(match->receivers);
    free(match->locals);
    free(match->group_of);
    free(match->taken);
    free(match->wanted);
}

/* Channels of both plans ascend. */
static void match_channels(const struct match *match, const struct taktr_plan *next, const struct taktr_plan *before)
{
    for (uint32_t i = 0, j = 0; i < next->sender_count; i++) {
        while (j < before->sender_count && before->senders[j].channel < next->senders[i].channel) {
            j++;
        }
        bool same = j < before->sender_count && is_same_sender(&before->senders[j], &next->senders[i]);
        match->senders[i] = same ? j : NONE;
    }
    for (uint32_t i = 0, j = 0; i < next->receiver_count; i++) {
        while (j < before->receiver_count && before->receivers[j].channel < next->receivers[i].channel) {
            j++;
        }
        bool same = j < before->receiver_count && is_same_receiver(&before->receivers[j], &next->receivers[i]);
        match->receivers[i] = same ? j : NONE;
    }
}

/* The next server's node is joined. */
static void match_areas(const struct match *match, const struct taktr_server *next, const struct taktr_server *before)
{
    for (uint32_t i = 0; i < next->local_count; i++) {
        uint32_t index = taktr_local_named(before, next->locals[i].name);
        bool same = index < before->local_count && before->locals[index].size == next->locals[i].size;
        match->locals[i] = same ? index : NONE;
    }
    for (uint32_t i = 0; i < next->node.sender_count; i++) { /* the last of a ring leads to the first */
        if (next->node.senders[i].peer <= i) {
            uint32_t first = next->node.senders[i].peer;
            uint32_t at = first;
            do {
                match->group_of[at] = first;
                at = next->node.senders[at].peer;
            } while (at != first);
        }
    }
}

static bool make_match(struct match *match, const struct taktr_server *next, const struct taktr_server *before)
{
    size_t senders = next->plan.sender_count + 1;
    size_t receivers = next->plan.receiver_count + 1;
    *match = (struct match){.senders = calloc(senders, sizeof *match->senders),
                            .receivers = calloc(receivers, sizeof *match->receivers),
                            .locals = calloc(senders, sizeof *match->locals),
                            .group_of = calloc(senders, sizeof *match->group_of),
                            .taken = calloc(senders, sizeof *match->taken),
                            .wanted = calloc(receivers, sizeof *match->wanted)};
    if (match->senders == NULL || match->receivers == NULL || match->locals == NULL || match->group_of == NULL ||
        match->taken == NULL || match->wanted == NULL) {
        free_match(match);
        return taktr_no_memory();
    }
    match_channels(match, &next->plan, &before->plan);
    match_areas(match, next, before);
    return true;
}

/* Takes over areas of this machine that are sent. */
static void keep_locals(struct taktr_server *server, struct taktr_server *before, const struct match *match)
{
    for (uint32_t i = 0; i < server->local_count; i++) {
        if (match->locals[i] != NONE) {
            struct taktr_local *old = &before->locals[match->locals[i]];
            server->locals[i].memory = old->memory;
            server->locals[i].seen = old->seen;
            old->memory = (struct taktr_memory){0};
        }
    }
}

static void keep_senders(struct taktr_server *server, struct taktr_server *before, const struct match *match)
{
    for (uint32_t i = 0; i < server->node.sender_count; i++) {
        struct takt_node_sender *sender = &server->node.senders[i];
        const struct taktr_local *local = &server->locals[server->local_of[i]];
        if (match->senders[i] != NONE) {
            struct takt_node_sender *old = &before->node.senders[match->senders[i]];
            uint8_t *spare = sender->value; /* the value that is being sent is in the old one */
            sender->value = old->value;
            old->value = spare;
            sender->area = old->area;
            sender->internal = old->internal;
        } else if (local->memory.mapped != NULL) {
            sender->area = local->memory.area;
        }
    }
}

static void keep_receivers(struct taktr_server *server, struct taktr_server *before, const struct match *match)
{
    for (uint32_t i = 0; i < server->node.receiver_count; i++) {
        if (match->receivers[i] != NONE) {
            struct takt_node_receiver *receiver = &server->node.receivers[i];
            struct takt_node_receiver *old = &before->node.receivers[match->receivers[i]];
            struct takt_assemble spare = receiver->assemble;
            receiver->assemble = old->assemble;
            old->assemble = spare;
            receiver->internal = old->internal;
        }
    }
}

/* Of each group one at most is sent: what was sent before goes on, and what is new is as its plan says. */
static void settle_senders(struct taktr_server *server, const struct match *match, uint64_t now)
{
    for (uint32_t i = 0; i < server->node.sender_count; i++) {
        const struct takt_node_sender *sender = &server->node.senders[i];
        bool *taken = &match->taken[match->group_of[i]];
        bool stays = match->senders[i] != NONE || !server->plan.senders[i].stopped;
        if (!stays || (sender->group != 0 && *taken)) {
            takt_node_sender_stop(&server->node, i, now);
        }
        *taken |= !sender->internal.stopped;
    }
}

/* Starts what is new and active, unless another one of its area is wanted. */
static void start_new(struct taktr_server *server, const struct match *match, uint64_t now)
{
    for (uint32_t i = 0; i < server->node.receiver_count; i++) {
        match->wanted[server->reflected_of[i]] |= server->node.receivers[i].internal.wanted;
    }
    for (uint32_t i = 0; i < server->node.receiver_count; i++) {
        bool *wanted = &match->wanted[server->reflected_of[i]];
        if (server->plan.receivers[i].active && match->receivers[i] == NONE && !*wanted) {
            takt_node_start(&server->node, i, now);
            *wanted = true;
        }
    }
}

/*
 * The contents of both areas of that name belong to the next server. Context: the main thread, which alone looks at it.
 */
static void keep_reflected(const struct taktr_server *server, const struct taktr_server *before)
{
    for (uint32_t i = 0; i < server->reflected_count; i++) {
        if (server->reflected[i].kept) {
            before->reflected[taktr_reflected_named(before, server->reflected[i].name)].kept = true;
            server->reflected[i].kept = false;
        }
    }
}

/* The server goes on as the next one. The lock is held: 1 ms with 4096 channels each way. */
static void go_on(struct taktr_server *server, struct taktr_server *next, struct taktr_server *before,
                  const struct match *match)
{
    uint64_t now = takt_reflect_now();
    keep_locals(next, before, match);
    keep_senders(next, before, match);
    keep_receivers(next, before, match);
    takt_node_go_on(&next->node, &before->node, &next->plan.link);
    server->plan = next->plan;
    server->locals = next->locals;
    server->local_count = next->local_count;
    server->local_of = next->local_of;
    server->by_local = next->by_local;
    memcpy(server->waited, next->waited, sizeof server->waited);
    server->waited_count = next->waited_count;
    server->reflected = next->reflected;
    server->reflected_count = next->reflected_count;
    server->reflected_of = next->reflected_of;
    server->node = next->node;
    settle_senders(server, match, now);
    start_new(server, match, now);
}

bool taktr_channels_replace(struct taktr_server *server, const struct taktr_plan *plan)
{
    struct taktr_server next = {.plan = *plan, .folder = server->folder};
    struct match match;
    if (strcmp(plan->node, server->plan.node) != 0 ||
        memcmp(&plan->address, &server->plan.address, sizeof plan->address) != 0) {
        taktr_fail(TAKT_LIMIT, "the plan is for another node or address");
        return false;
    }
    bool made = make_all(&next, server);
    if (made) {
        takt_node_join(&next.node);
        made = make_match(&match, &next, server);
    }
    if (!made) {
        taktr_channels_close(&next);
        return false;
    }
    pthread_mutex_lock(&server->lock);
    struct taktr_server before = {.plan = server->plan,
                                  .locals = server->locals,
                                  .local_count = server->local_count,
                                  .local_of = server->local_of,
                                  .by_local = server->by_local,
                                  .reflected = server->reflected,
                                  .reflected_count = server->reflected_count,
                                  .reflected_of = server->reflected_of,
                                  .node = server->node};
    go_on(server, &next, &before, &match);
    pthread_mutex_unlock(&server->lock);
    free_match(&match);
    keep_reflected(server, &before);
    taktr_channels_close(&before);
    taktr_plan_free(&before.plan);
    taktr_wake(&server->dispatch);
    taktr_wake(&server->push);
    return true;
}
