/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "server.h"

/* The place of a name, or a new one behind those that are there. */
static uint32_t local_named(struct taktr_server *server, const char *name)
{
    uint32_t i = 0;
    while (i < server->local_count && strcmp(server->locals[i].name, name) != 0) {
        i++;
    }
    return i;
}

static uint32_t reflected_named(const struct taktr_server *server, const char *name)
{
    uint32_t i = 0;
    while (i < server->reflected_count && strcmp(server->reflected[i].name, name) != 0) {
        i++;
    }
    return i;
}

static bool no_memory(void)
{
    taktr_fail(TAKT_STATE, "no memory");
    return false;
}

static bool make_sender(struct taktr_server *server, uint32_t index)
{
    const struct taktr_plan_sender *planned = &server->plan.senders[index];
    struct takt_node_sender *sender = &server->node.senders[index];
    uint32_t place = local_named(server, planned->area);
    struct taktr_local *local = &server->locals[place];
    if (place == server->local_count) {
        *local = (struct taktr_local){.name = planned->area, .size = planned->size};
        server->local_count++;
    } else if (local->size != planned->size) {
        taktr_fail(TAKT_LIMIT, "%s: values of %u bytes, and another channel of its area has %u", planned->name,
                   planned->size, local->size);
        return false;
    }
    local->waited_for |= planned->kind != TAKT_PUSH_ASYNC;
    server->local_of[index] = place;
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
    return sender->value != NULL || no_memory();
}

/* Opens an area for writing, unless another plan had it: then it stays open. */
static bool open_reflected(struct taktr_reflected *reflected, const struct taktr_plan_receiver *planned,
                           struct taktr_server *before)
{
    uint32_t place = before == NULL ? 0 : reflected_named(before, planned->area);
    *reflected = (struct taktr_reflected){.name = planned->area};
    if (before == NULL || place == before->reflected_count) {
        return takt_writer_open(&reflected->writer, planned->area, planned->shape) == TAKT_OK;
    }
    reflected->writer = before->reflected[place].writer;
    reflected->kept = true;
    return true;
}

static bool make_receiver(struct taktr_server *server, uint32_t index, struct taktr_server *before)
{
    const struct taktr_plan_receiver *planned = &server->plan.receivers[index];
    struct takt_node_receiver *receiver = &server->node.receivers[index];
    uint32_t place = reflected_named(server, planned->area);
    struct taktr_reflected *reflected = &server->reflected[place];
    if (place == server->reflected_count) {
        if (!open_reflected(reflected, planned, before)) {
            return false;
        }
        server->reflected_count++;
    }
    struct takt_area *area = taktr_writer_area(reflected->writer);
    if (area->shape.size != planned->shape.size || area->shape.depth != planned->shape.depth) {
        taktr_fail(TAKT_LIMIT, "%s: %u bytes, %u deep, and its area has %u, %u", planned->name, planned->shape.size,
                   planned->shape.depth, area->shape.size, area->shape.depth);
        return false;
    }
    server->reflected_of[index] = place;
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
    return (receiver->assemble.bytes != NULL && receiver->assemble.came != NULL) || no_memory();
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
    server->reflected = calloc(receivers, sizeof *server->reflected);
    server->reflected_of = calloc(receivers, sizeof *server->reflected_of);
    server->node.block = plan->block;
    return (server->node.senders != NULL && server->node.receivers != NULL && server->locals != NULL &&
            server->local_of != NULL && server->reflected != NULL && server->reflected_of != NULL) ||
           no_memory();
}

/* How many areas there are whose writes are waited for. */
static uint32_t waited_for(const struct taktr_server *server)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < server->local_count; i++) {
        count += server->locals[i].waited_for;
    }
    return count;
}

static bool make_all(struct taktr_server *server, struct taktr_server *before)
{
    const struct taktr_plan *plan = &server->plan;
    if (!make_node(server)) {
        return false;
    }
    for (; server->node.sender_count < plan->sender_count; server->node.sender_count++) {
        if (!make_sender(server, server->node.sender_count)) {
            return false;
        }
    }
    for (; server->node.receiver_count < plan->receiver_count; server->node.receiver_count++) {
        if (!make_receiver(server, server->node.receiver_count, before)) {
            return false;
        }
    }
    if (waited_for(server) > TAKTR_LOCALS_MAX) {
        taktr_fail(TAKT_LIMIT, "%u areas whose writes are pushed, and %d is the most that are waited for",
                   waited_for(server), TAKTR_LOCALS_MAX);
        return false;
    }
    return true;
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
        taktr_fail(TAKT_STATE, "no random numbers, or no time of day");
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
    free(server->reflected);
    free(server->reflected_of);
}

/* Goes on with the memory of another writer; `first`: it began before we looked, so its values are old. */
static void attach(struct taktr_server *server, uint32_t place, const struct taktr_memory *memory, bool first)
{
    struct taktr_local *local = &server->locals[place];
    struct taktr_memory before = local->memory;
    uint64_t now = takt_reflect_now();
    pthread_mutex_lock(&server->lock);
    local->memory = *memory;
    local->seen = takt_area_newest(&memory->area);
    for (uint32_t i = 0; i < server->node.sender_count; i++) {
        if (server->local_of[i] == place) {
            struct takt_area_reader area = memory->area;
            if (!first) {
                takt_area_from_first(&area);
            }
            takt_node_attach(&server->node, i, &area, now);
        }
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
        taktr_kick(&server->dispatch);
        taktr_kick(&server->push);
    }
}

bool taktr_channels_written(struct taktr_server *server, uint64_t now)
{
    bool any = false;
    for (uint32_t place = 0; place < server->local_count; place++) {
        struct taktr_local *local = &server->locals[place];
        uintptr_t newest = local->memory.mapped == NULL ? 0 : takt_area_newest(&local->memory.area);
        if (!local->waited_for || newest == local->seen) {
            continue;
        }
        local->seen = newest;
        any = true;
        for (uint32_t i = 0; i < server->node.sender_count; i++) {
            if (server->local_of[i] == place && server->node.senders[i].kind != TAKT_PUSH_ASYNC) {
                takt_node_written(&server->node, i, now);
            }
        }
    }
    return any;
}

static bool same_keys(bool keyed, const struct takt_node_keys *keys, bool others, const struct takt_node_keys *other)
{
    return keyed == others && (!keyed || memcmp(keys, other, sizeof *keys) == 0);
}

/* The sender of `before` that goes on as this one; NULL: there is none. */
static struct takt_node_sender *sender_before(struct taktr_server *before, const struct taktr_plan_sender *planned)
{
    for (uint32_t i = 0; i < before->plan.sender_count; i++) {
        const struct taktr_plan_sender *other = &before->plan.senders[i];
        if (other->channel == planned->channel && strcmp(other->area, planned->area) == 0 &&
            other->size == planned->size && other->kind == planned->kind && other->every == planned->every &&
            same_keys(other->keyed, &other->keys, planned->keyed, &planned->keys)) {
            return &before->node.senders[i];
        }
    }
    return NULL;
}

/* The same for a receiver, whose area stays too if it has one of that name. */
static struct takt_node_receiver *receiver_before(struct taktr_server *before,
                                                  const struct taktr_plan_receiver *planned)
{
    for (uint32_t i = 0; i < before->plan.receiver_count; i++) {
        const struct taktr_plan_receiver *other = &before->plan.receivers[i];
        if (other->channel == planned->channel && strcmp(other->area, planned->area) == 0 &&
            memcmp(&other->writer, &planned->writer, sizeof other->writer) == 0 &&
            same_keys(other->keyed, &other->keys, planned->keyed, &planned->keys)) {
            return &before->node.receivers[i];
        }
    }
    return NULL;
}

/* Takes over areas of this machine that are sent. */
static void keep_locals(struct taktr_server *server, struct taktr_server *before)
{
    for (uint32_t i = 0; i < server->local_count; i++) {
        struct taktr_local *local = &server->locals[i];
        uint32_t place = local_named(before, local->name);
        if (place < before->local_count && before->locals[place].size == local->size) {
            local->memory = before->locals[place].memory;
            local->seen = before->locals[place].seen;
            before->locals[place].memory = (struct taktr_memory){0};
        }
    }
}

static void keep_senders(struct taktr_server *server, struct taktr_server *before)
{
    for (uint32_t i = 0; i < server->node.sender_count; i++) {
        struct takt_node_sender *sender = &server->node.senders[i];
        struct takt_node_sender *old = sender_before(before, &server->plan.senders[i]);
        const struct taktr_local *local = &server->locals[server->local_of[i]];
        if (old != NULL) {
            uint8_t *spare = sender->value; /* what is being sent stands in the old one */
            sender->value = old->value;
            old->value = spare;
            sender->area = old->area;
            sender->is = old->is;
        } else if (local->memory.mapped != NULL) {
            sender->area = local->memory.area;
        }
    }
}

static void keep_receivers(struct taktr_server *server, struct taktr_server *before)
{
    for (uint32_t i = 0; i < server->node.receiver_count; i++) {
        struct takt_node_receiver *receiver = &server->node.receivers[i];
        struct takt_node_receiver *old = receiver_before(before, &server->plan.receivers[i]);
        if (old != NULL) {
            struct takt_assemble spare = receiver->assemble;
            receiver->assemble = old->assemble;
            old->assemble = spare;
            receiver->is = old->is;
        }
    }
}

/* Of each group one at most is sent: what was sent before goes on, and what is new is as its plan says. */
static void settle_senders(struct taktr_server *server, struct taktr_server *before, uint64_t now)
{
    for (uint32_t i = 0; i < server->node.sender_count; i++) {
        const struct takt_node_sender *sender = &server->node.senders[i];
        bool stays = sender_before(before, &server->plan.senders[i]) != NULL || !server->plan.senders[i].stopped;
        for (uint32_t j = 0; j < i && sender->group != 0 && stays; j++) {
            stays = server->node.senders[j].group != sender->group || server->node.senders[j].is.stopped;
        }
        if (!stays) {
            takt_node_sender_stop(&server->node, i, now);
        }
    }
}

/* Starts what is new and active, unless another one of its area is wanted. */
static void start_new(struct taktr_server *server, struct taktr_server *before, uint64_t now)
{
    for (uint32_t i = 0; i < server->node.receiver_count; i++) {
        bool free = server->plan.receivers[i].active && receiver_before(before, &server->plan.receivers[i]) == NULL;
        for (uint32_t j = 0; j < server->node.receiver_count && free; j++) {
            free = server->reflected_of[j] != server->reflected_of[i] || !server->node.receivers[j].is.wanted;
        }
        if (free) {
            takt_node_start(&server->node, i, now);
        }
    }
}

bool taktr_channels_replace(struct taktr_server *server, const struct taktr_plan *plan)
{
    struct taktr_server next = {.plan = *plan, .folder = server->folder};
    if (strcmp(plan->node, server->plan.node) != 0 ||
        memcmp(&plan->address, &server->plan.address, sizeof plan->address) != 0) {
        taktr_fail(TAKT_LIMIT, "another node, or address");
        return false;
    }
    if (!make_all(&next, server)) {
        taktr_channels_close(&next);
        return false;
    }
    pthread_mutex_lock(&server->lock);
    struct taktr_server before = {.plan = server->plan,
                                  .locals = server->locals,
                                  .local_count = server->local_count,
                                  .local_of = server->local_of,
                                  .reflected = server->reflected,
                                  .reflected_count = server->reflected_count,
                                  .reflected_of = server->reflected_of,
                                  .node = server->node};
    keep_locals(&next, &before);
    keep_senders(&next, &before);
    keep_receivers(&next, &before);
    takt_node_go_on(&next.node, &before.node, &plan->link);
    for (uint32_t i = 0; i < next.reflected_count; i++) {
        uint32_t place = reflected_named(&before, next.reflected[i].name);
        if (place < before.reflected_count) {
            before.reflected[place].kept = true;
        }
        next.reflected[i].kept = false;
    }
    server->plan = next.plan;
    server->locals = next.locals;
    server->local_count = next.local_count;
    server->local_of = next.local_of;
    server->reflected = next.reflected;
    server->reflected_count = next.reflected_count;
    server->reflected_of = next.reflected_of;
    server->node = next.node;
    settle_senders(server, &before, takt_reflect_now());
    start_new(server, &before, takt_reflect_now());
    pthread_mutex_unlock(&server->lock);
    taktr_channels_close(&before);
    taktr_plan_free(&before.plan);
    taktr_kick(&server->dispatch);
    taktr_kick(&server->push);
    return true;
}
