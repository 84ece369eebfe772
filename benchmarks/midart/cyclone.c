/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A carrier: Cyclone DDS, one participant on a node and a topic for each stream. `best`: what its manual says of
 * priorities, which it does not put on the wire: the urgent topic has a transport priority and is handed out by the
 * thread that receives, the others go through a queue (Minimising receive latency).
 */
#include "carrier.h"
#include "libddsc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PRIORITY = 10, ROOM = 512 };

struct value {
    struct dds_sequence bytes;
};

static const uint32_t operations[] = {DDS_OP_ADR | DDS_OP_TYPE_SEQ | DDS_OP_SUBTYPE_1BY, offsetof(struct value, bytes),
                                      DDS_OP_RTS};
static const struct dds_type type = {.size = sizeof(struct value),
                                     .align = _Alignof(struct value),
                                     .name = "Value",
                                     .operations_count = sizeof operations / sizeof *operations,
                                     .operations = operations,
                                     .meta = ""};

struct endpoint {
    int32_t entity, waitset;
};

static struct settings settings;
static int32_t participant;

static bool is_best(void)
{
    return strcmp(settings.setting, "best") == 0;
}

static bool well(int32_t code, const char *what)
{
    if (code < 0) {
        fprintf(stderr, "cyclone: %s: %s\n", what, dds_strretcode(code));
    }
    return code >= 0;
}

bool carrier_start(const struct settings *wanted)
{
    settings = *wanted;
    char blocks[ROOM / 2] = "", best[ROOM / 4] = "", configuration[ROOM];
    if (settings.block != 0) { /* a message has one fragment, and its headers */
        snprintf(blocks, sizeof blocks,
                 "<General><FragmentSize>%zuB</FragmentSize><MaxMessageSize>%zuB</MaxMessageSize></General>",
                 settings.block, settings.block + ROOM);
    }
    if (is_best()) {
        snprintf(best, sizeof best,
                 "<Internal><SynchronousDeliveryPriorityThreshold>%d</SynchronousDeliveryPriorityThreshold></Internal>",
                 PRIORITY);
    }
    snprintf(configuration, sizeof configuration, "<CycloneDDS><Domain>%s%s</Domain></CycloneDDS>", blocks, best);
    if (!well(dds_create_domain(0, configuration), "domain")) {
        return false;
    }
    participant = dds_create_participant(0, NULL, NULL);
    return well(participant, "participant");
}

struct endpoint *carrier_open(const struct stream *stream)
{
    struct endpoint *endpoint = calloc(1, sizeof *endpoint);
    struct dds_qos *qos = dds_create_qos();
    if (endpoint == NULL || qos == NULL) {
        return NULL;
    }
    if (is_best()) {
        dds_qset_transport_priority(qos, stream->urgent ? PRIORITY : 0);
        dds_qset_latency_budget(qos, 0);
    }
    int32_t topic = dds_create_topic(participant, &type, stream->name, NULL, NULL);
    if (!well(topic, "topic")) {
        return NULL;
    }
    endpoint->entity = settings.writes ? dds_create_writer(participant, topic, qos, NULL)
                                       : dds_create_reader(participant, topic, qos, NULL);
    if (!well(endpoint->entity, stream->name)) {
        return NULL;
    }
    if (!settings.writes) {
        int32_t condition = dds_create_readcondition(endpoint->entity, DDS_ANY_STATE);
        endpoint->waitset = dds_create_waitset(participant);
        if (!well(condition, "condition") || !well(dds_waitset_attach(endpoint->waitset, condition, 0), "waitset")) {
            return NULL;
        }
    }
    return endpoint;
}

bool carrier_write(struct endpoint *endpoint, const void *value, size_t size)
{
    struct value sent = {{(uint32_t)size, (uint32_t)size, (uint8_t *)(uintptr_t)value, false}};
    return dds_write(endpoint->entity, &sent) >= 0;
}

/* One that is there. 0: none. */
static size_t take(struct endpoint *endpoint, void *value)
{
    void *loan[1] = {NULL};
    struct dds_sample_info info;
    int32_t count = dds_take(endpoint->entity, loan, &info, 1, 1);
    size_t size = 0;
    if (count > 0) {
        const struct value *received = loan[0];
        if (info.valid_data && received->bytes.length <= VALUE_MAX) {
            size = received->bytes.length;
            memcpy(value, received->bytes.buffer, size);
        }
        dds_return_loan(endpoint->entity, loan, count);
    }
    return size;
}

size_t carrier_read(struct endpoint *endpoint, void *value, uint64_t until_ns)
{
    for (uint64_t now = now_ns(); now < until_ns; now = now_ns()) {
        size_t size = take(endpoint, value);
        if (size != 0) {
            return size;
        }
        intptr_t mark;
        dds_waitset_wait(endpoint->waitset, &mark, 1, (int64_t)(until_ns - now));
    }
    return 0;
}
