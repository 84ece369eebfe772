/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/assemble.h"

#include <string.h>

enum { ROOMS = TAKT_ASSEMBLE_ROOMS };

/* Values up to that number are complete or given up. */
static void pass(struct takt_assemble *assemble, uint64_t number)
{
    uint64_t unseen = assemble->done == 0 ? 0 : number - assemble->done - 1;
    for (unsigned i = 0; i < ROOMS; i++) {
        if (assemble->rooms[i].missing > 0 && assemble->rooms[i].number <= number) {
            assemble->rooms[i].missing = 0;
            assemble->dropped++;
            unseen -= unseen > 0 && assemble->rooms[i].number < number;
        }
    }
    assemble->unseen += unseen;
    assemble->done = number;
}

void takt_assemble_restart(struct takt_assemble *assemble)
{
    uint64_t newest = 0;
    for (unsigned i = 0; i < ROOMS; i++) {
        if (assemble->rooms[i].missing > 0 && assemble->rooms[i].number > newest) {
            newest = assemble->rooms[i].number;
        }
    }
    if (newest > 0) {
        pass(assemble, newest);
    }
    assemble->done = 0;
}

/* Whether the block has an offset and a length that a writer uses. */
static bool is_block(const struct takt_assemble *assemble, const struct takt_wire_packet *packet)
{
    uint32_t rest = packet->data.total - packet->data.offset;
    return packet->data.total <= assemble->size && packet->data.offset % assemble->block == 0 &&
           packet->length == (rest < assemble->block ? rest : assemble->block);
}

static uint64_t *came_of(struct takt_assemble *assemble, unsigned room)
{
    return assemble->came + TAKT_ASSEMBLE_WORDS(assemble->size) / ROOMS * room;
}

/* Index of the buffer of the packet's value; ROOMS: none. */
static unsigned room_of(const struct takt_assemble *assemble, const struct takt_wire_packet *packet)
{
    unsigned room = 0;
    while (room < ROOMS &&
           (assemble->rooms[room].missing == 0 || assemble->rooms[room].number != packet->data.number)) {
        room++;
    }
    return room;
}

/* A buffer for a new value: a free one, or that of the oldest value; ROOMS: all are of newer values. */
static unsigned begin(struct takt_assemble *assemble, const struct takt_wire_packet *packet)
{
    unsigned room = 0;
    for (unsigned i = 1; i < ROOMS; i++) {
        if (assemble->rooms[room].missing > 0 &&
            (assemble->rooms[i].missing == 0 || assemble->rooms[i].number < assemble->rooms[room].number)) {
            room = i;
        }
    }
    if (assemble->rooms[room].missing > 0) {
        if (packet->data.number < assemble->rooms[room].number) {
            return ROOMS;
        }
        pass(assemble, assemble->rooms[room].number);
    }
    uint32_t blocks = packet->data.total == 0 ? 1 : (packet->data.total - 1) / assemble->block + 1;
    assemble->rooms[room].number = packet->data.number;
    assemble->rooms[room].time_ns = packet->data.time_ns;
    assemble->rooms[room].source = packet->data.source;
    assemble->rooms[room].total = packet->data.total;
    assemble->rooms[room].missing = blocks;
    memset(came_of(assemble, room), 0, (blocks + 63) / 64 * sizeof *assemble->came);
    return room;
}

enum takt_assemble_result takt_assemble_add(struct takt_assemble *assemble, const struct takt_wire_packet *packet)
{
    if (!is_block(assemble, packet)) {
        return TAKT_ASSEMBLE_UNFIT;
    }
    if (packet->data.number <= assemble->done) {
        return TAKT_ASSEMBLE_OLD;
    }
    unsigned room = room_of(assemble, packet);
    if (room == ROOMS) {
        room = begin(assemble, packet);
        if (room == ROOMS) {
            return TAKT_ASSEMBLE_OLD;
        }
    } else if (packet->data.total != assemble->rooms[room].total ||
               packet->data.time_ns != assemble->rooms[room].time_ns ||
               packet->data.source != assemble->rooms[room].source) {
        return TAKT_ASSEMBLE_UNFIT;
    }
    uint32_t block = packet->data.offset / assemble->block;
    uint64_t bit = UINT64_C(1) << block % 64;
    uint64_t *came = &came_of(assemble, room)[block / 64];
    if ((*came & bit) != 0) {
        return TAKT_ASSEMBLE_TWICE;
    }
    *came |= bit;
    uint8_t *value = assemble->bytes + (size_t)assemble->size * room;
    memcpy(value + packet->data.offset, packet->payload, packet->length);
    if (--assemble->rooms[room].missing > 0) {
        return TAKT_ASSEMBLE_MORE;
    }
    assemble->value = value;
    pass(assemble, packet->data.number);
    return TAKT_ASSEMBLE_WHOLE;
}
