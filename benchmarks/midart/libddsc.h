/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is called here of Cyclone DDS 11.0.1. Its wheel has the library and no headers; these declarations hold for that
 * version, which tools/requirements/midart.lock pins.
 */
#ifndef MIDART_LIBDDSC_H
#define MIDART_LIBDDSC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dds_qos;

struct dds_sequence {
    uint32_t maximum, length;
    uint8_t *buffer;
    bool release;
};

struct dds_bytes {
    const unsigned char *data;
    uint32_t size;
};

struct dds_type { /* dds_topic_descriptor_t */
    uint32_t size, align, flags, keys;
    const char *name;
    const void *key_names;
    uint32_t operations_count;
    const uint32_t *operations;
    const char *meta;
    struct dds_bytes information, mapping;
    uint32_t representation;
};

struct dds_sample_info {
    int sample_state, view_state, instance_state;
    bool valid_data;
    int64_t source_timestamp;
    uint64_t instance, publication;
    uint32_t disposed, no_writers, sample_rank, generation_rank, absolute_generation_rank;
};

enum {
    DDS_OP_ADR = 0x01 << 24, /* dds_opcodes.h: a member, then its offset */
    DDS_OP_TYPE_SEQ = 0x07 << 16,
    DDS_OP_SUBTYPE_1BY = 0x01 << 8,
    DDS_OP_RTS = 0,
    DDS_ANY_STATE = 0x7f,
};

int32_t dds_create_domain(uint32_t domain, const char *configuration);
int32_t dds_create_participant(uint32_t domain, const struct dds_qos *qos, const void *listener);
int32_t dds_create_topic(int32_t participant, const struct dds_type *type, const char *name, const struct dds_qos *qos,
                         const void *listener);
int32_t dds_create_writer(int32_t participant, int32_t topic, const struct dds_qos *qos, const void *listener);
int32_t dds_create_reader(int32_t participant, int32_t topic, const struct dds_qos *qos, const void *listener);
int32_t dds_create_readcondition(int32_t reader, uint32_t mask);
int32_t dds_create_waitset(int32_t participant);
int32_t dds_waitset_attach(int32_t waitset, int32_t entity, intptr_t mark);
int32_t dds_waitset_wait(int32_t waitset, intptr_t *marks, size_t room, int64_t timeout_ns);
int32_t dds_write(int32_t writer, const void *value);
int32_t dds_take(int32_t reader, void **values, struct dds_sample_info *infos, size_t room, uint32_t most);
int32_t dds_return_loan(int32_t reader, void **values, int32_t count);
struct dds_qos *dds_create_qos(void);
void dds_qset_transport_priority(struct dds_qos *qos, int32_t value);
void dds_qset_latency_budget(struct dds_qos *qos, int64_t budget_ns);
const char *dds_strretcode(int32_t code);

#endif
