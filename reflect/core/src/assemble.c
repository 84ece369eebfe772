/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/assemble.h"

#include <string.h>

void takt_assemble_restart(struct takt_assemble *assemble)
{
    assemble->dropped += assemble->missing > 0;
    assemble->number = 0;
    assemble->missing = 0;
}

/* Whether the writer divides values so. */
static bool is_block(const struct takt_assemble *assemble, const struct takt_wire_packet *packet)
{
    uint32_t rest = packet->data.total - packet->data.offset;
    return packet->data.total <= assemble->size && packet->data.offset % assemble->block == 0 &&
           packet->length == (rest < assemble->block ? rest : assemble->block);
}

static void begin(struct takt_assemble *assemble, const struct takt_wire_packet *packet)
{
    uint32_t blocks = packet->data.total == 0 ? 1 : (packet->data.total - 1) / assemble->block + 1;
    assemble->unseen += assemble->number == 0 ? 0 : packet->data.number - assemble->number - 1;
    takt_assemble_restart(assemble);
    assemble->number = packet->data.number;
    assemble->time_ns = packet->data.time_ns;
    assemble->source = packet->data.source;
    assemble->total = packet->data.total;
    assemble->missing = blocks;
    memset(assemble->came, 0, (blocks + 63) / 64 * sizeof *assemble->came);
}

enum takt_assemble_result takt_assemble_add(struct takt_assemble *assemble, const struct takt_wire_packet *packet)
{
    if (!is_block(assemble, packet)) {
        return TAKT_ASSEMBLE_UNFIT;
    }
    if (packet->data.number < assemble->number) {
        return TAKT_ASSEMBLE_OLD;
    }
    if (packet->data.number > assemble->number) {
        begin(assemble, packet);
    } else if (packet->data.total != assemble->total || packet->data.time_ns != assemble->time_ns ||
               packet->data.source != assemble->source) {
        return TAKT_ASSEMBLE_UNFIT;
    }
    uint32_t block = packet->data.offset / assemble->block;
    uint64_t bit = UINT64_C(1) << block % 64;
    if ((assemble->came[block / 64] & bit) != 0) {
        return TAKT_ASSEMBLE_TWICE;
    }
    assemble->came[block / 64] |= bit;
    memcpy(assemble->bytes + packet->data.offset, packet->payload, packet->length);
    assemble->missing--;
    return assemble->missing == 0 ? TAKT_ASSEMBLE_WHOLE : TAKT_ASSEMBLE_MORE;
}
