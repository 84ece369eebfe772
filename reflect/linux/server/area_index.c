/* SPDX-License-Identifier: Apache-2.0 */
/* Areas by name: sorted, so that as many as there may be are found in a bounded time. */
#include "area_index.h"

#include <stdlib.h>
#include <string.h>

/* A channel's area. */
struct named {
    const char *name;
    uint32_t index; /* of the channel */
};

static int by_name(const void *a, const void *b)
{
    const struct named *first = (const struct named *)a;
    const struct named *second = (const struct named *)b;
    int order = strcmp(first->name, second->name);
    return order != 0 ? order : first->index < second->index ? -1 : 1;
}

/* The index of a name among areas that ascend, each of `stride` bytes with its name first; `count`: it has none. */
static uint32_t index_named(const void *areas, size_t stride, uint32_t count, const char *name)
{
    uint32_t from = 0;
    for (uint32_t to = count; from < to;) {
        uint32_t middle = from + (to - from) / 2;
        const char *const *found = (const char *const *)(const void *)((const char *)areas + middle * stride);
        int order = strcmp(*found, name);
        if (order == 0) {
            return middle;
        }
        from = order < 0 ? middle + 1 : from;
        to = order < 0 ? to : middle;
    }
    return count;
}

uint32_t taktr_local_named(const struct taktr_server *server, const char *name)
{
    return index_named(server->locals, sizeof *server->locals, server->local_count, name);
}

uint32_t taktr_reflected_named(const struct taktr_server *server, const char *name)
{
    return index_named(server->reflected, sizeof *server->reflected, server->reflected_count, name);
}

bool taktr_no_memory(void)
{
    taktr_fail(TAKT_STATE, "no memory");
    return false;
}

bool taktr_index_locals(struct taktr_server *server)
{
    uint32_t count = server->plan.sender_count;
    struct named *named = calloc(count + 1, sizeof *named);
    if (named == NULL) {
        return taktr_no_memory();
    }
    for (uint32_t i = 0; i < count; i++) {
        named[i] = (struct named){server->plan.senders[i].area, i};
    }
    qsort(named, count, sizeof *named, by_name);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(named[i].name, named[i - 1].name) != 0) {
            server->locals[server->local_count++] = (struct taktr_local){.name = named[i].name, .first = i};
        }
        server->locals[server->local_count - 1].count++;
        server->local_of[named[i].index] = server->local_count - 1;
        server->by_local[i] = named[i].index;
    }
    free(named);
    return true;
}

bool taktr_index_reflected(struct taktr_server *server)
{
    uint32_t count = server->plan.receiver_count;
    struct named *named = calloc(count + 1, sizeof *named);
    if (named == NULL) {
        return taktr_no_memory();
    }
    for (uint32_t i = 0; i < count; i++) {
        named[i] = (struct named){server->plan.receivers[i].area, i};
    }
    qsort(named, count, sizeof *named, by_name);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(named[i].name, named[i - 1].name) != 0) {
            server->reflected[server->reflected_count++] = (struct taktr_reflected){.name = named[i].name};
        }
        server->reflected_of[named[i].index] = server->reflected_count - 1;
    }
    free(named);
    return true;
}

bool taktr_list_waited(struct taktr_server *server)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < server->local_count; i++) {
        if (server->locals[i].waited_for && count++ < TAKTR_LOCALS_MAX) {
            server->waited[server->waited_count++] = i;
        }
    }
    if (count > TAKTR_LOCALS_MAX) {
        taktr_fail(TAKT_LIMIT, "%u areas with pushed writes, more than %d", count, TAKTR_LOCALS_MAX);
    }
    return count <= TAKTR_LOCALS_MAX;
}
