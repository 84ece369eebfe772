/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/wire.h"

#include "takt/area.h"

/*
 * The header, by offset: 0 magic, 2 version, 3 kind, 4 channel, 8 session, 16 to_session, 24 sequence, 32 and 40 two
 * 64-bit fields, 48, 52 and 56 three 32-bit fields, 60 length of the payload. Fields that a kind does not use are 0.
 */
enum { MAGIC = 0x6B54 }; /* "Tk" */

struct fields {
    uint64_t wide[2];
    uint32_t narrow[3];
};

static void put(uint8_t *bytes, uint64_t value, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        bytes[i] = (uint8_t)(value >> 8 * i);
    }
}

static uint64_t get(const uint8_t *bytes, unsigned count)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < count; i++) {
        value |= (uint64_t)bytes[i] << 8 * i;
    }
    return value;
}

static struct fields fields_of(const struct takt_wire_packet *packet)
{
    switch (packet->kind) {
    case TAKT_WIRE_SUBSCRIBE:
        return (struct fields){{packet->subscribe.period_ns, packet->subscribe.deadline_ns},
                               {packet->subscribe.size, packet->subscribe.wanted, packet->subscribe.have}};
    case TAKT_WIRE_ANSWER:
        return (struct fields){{packet->answer.left, packet->answer.right},
                               {packet->answer.verdict, packet->answer.inequality, 0}};
    case TAKT_WIRE_DATA:
        return (struct fields){{packet->data.number, packet->data.time_ns},
                               {packet->data.source, packet->data.total, packet->data.offset}};
    default:
        return (struct fields){{packet->probe.number, packet->probe.time_ns}, {0, 0, 0}};
    }
}

void takt_wire_encode(uint8_t head[TAKT_WIRE_HEAD], const struct takt_wire_packet *packet)
{
    struct fields fields = fields_of(packet);
    put(head, MAGIC, 2);
    head[2] = TAKT_WIRE_VERSION;
    head[3] = (uint8_t)packet->kind;
    put(head + 4, packet->channel, 4);
    put(head + 8, packet->session, 8);
    put(head + 16, packet->to_session, 8);
    put(head + 24, packet->sequence, 8);
    put(head + 32, fields.wide[0], 8);
    put(head + 40, fields.wide[1], 8);
    put(head + 48, fields.narrow[0], 4);
    put(head + 52, fields.narrow[1], 4);
    put(head + 56, fields.narrow[2], 4);
    put(head + 60, packet->length, 4);
}

static bool subscribe_is_right(struct takt_wire_packet *packet, const struct fields *fields)
{
    packet->subscribe.period_ns = fields->wide[0];
    packet->subscribe.deadline_ns = fields->wide[1];
    packet->subscribe.size = fields->narrow[0];
    packet->subscribe.wanted = fields->narrow[1] == 1;
    packet->subscribe.have = fields->narrow[2];
    return packet->length == 0 && fields->narrow[0] >= 1 && fields->narrow[0] <= TAKT_AREA_SIZE_MAX &&
           fields->narrow[1] <= 1;
}

static bool answer_is_right(struct takt_wire_packet *packet, const struct fields *fields)
{
    packet->answer.left = fields->wide[0];
    packet->answer.right = fields->wide[1];
    packet->answer.verdict = (enum takt_wire_verdict)fields->narrow[0];
    packet->answer.inequality = fields->narrow[1];
    return packet->length == 0 && fields->narrow[0] < TAKT_WIRE_VERDICTS && fields->narrow[2] == 0;
}

static bool data_is_right(struct takt_wire_packet *packet, const struct fields *fields)
{
    packet->data.number = fields->wide[0];
    packet->data.time_ns = fields->wide[1];
    packet->data.source = fields->narrow[0];
    packet->data.total = fields->narrow[1];
    packet->data.offset = fields->narrow[2];
    uint32_t total = packet->data.total;
    uint32_t offset = packet->data.offset;
    return packet->data.number >= 1 && total <= TAKT_AREA_SIZE_MAX && offset <= total &&
           packet->length <= total - offset && (packet->length > 0 || total == 0);
}

static bool probe_is_right(struct takt_wire_packet *packet, const struct fields *fields)
{
    packet->probe.number = fields->wide[0];
    packet->probe.time_ns = fields->wide[1];
    return fields->narrow[0] == 0 && fields->narrow[1] == 0 && fields->narrow[2] == 0;
}

bool takt_wire_decode(const uint8_t *bytes, size_t length, struct takt_wire_packet *packet)
{
    if (length < TAKT_WIRE_HEAD || length > TAKT_WIRE_HEAD + TAKT_WIRE_PAYLOAD_MAX || get(bytes, 2) != MAGIC ||
        bytes[2] != TAKT_WIRE_VERSION) {
        return false;
    }
    packet->kind = (enum takt_wire_kind)bytes[3];
    packet->channel = (uint32_t)get(bytes + 4, 4);
    packet->session = get(bytes + 8, 8);
    packet->to_session = get(bytes + 16, 8);
    packet->sequence = get(bytes + 24, 8);
    packet->payload = bytes + TAKT_WIRE_HEAD;
    packet->length = (uint32_t)get(bytes + 60, 4);
    if (packet->length != length - TAKT_WIRE_HEAD || packet->session == 0 || packet->sequence == 0) {
        return false;
    }
    struct fields fields = {{get(bytes + 32, 8), get(bytes + 40, 8)},
                            {(uint32_t)get(bytes + 48, 4), (uint32_t)get(bytes + 52, 4), (uint32_t)get(bytes + 56, 4)}};
    switch (packet->kind) {
    case TAKT_WIRE_SUBSCRIBE:
        return subscribe_is_right(packet, &fields);
    case TAKT_WIRE_ANSWER:
        return answer_is_right(packet, &fields);
    case TAKT_WIRE_DATA:
        return data_is_right(packet, &fields);
    case TAKT_WIRE_PROBE:
    case TAKT_WIRE_ECHO:
        return probe_is_right(packet, &fields);
    default:
        return false;
    }
}
