/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/can_bus.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "net/can/src/random.h"

enum {
    STUFFED = 5, /* equal bits, after which a stuff bit follows */
    ARBITRATION_BITS = 32
};

static bool has(uint64_t set, uint32_t node)
{
    return (set >> node & 1) != 0;
}

/* Whether a bit of the nodes that take part in a frame is at the data rate: all of them are in that part of it. */
static bool is_fast(const struct takt_can_bus *bus)
{
    bool fast = false;
    for (uint32_t i = 0; i < bus->count; i++) {
        const struct takt_can_node *node = &bus->nodes[i];
        if (has(bus->dead, i)) {
            continue;
        }
        if (takt_can_node_is_fast(node)) {
            fast = true;
        } else if (node->phase >= TAKT_CAN_IN_FRAME && node->phase <= TAKT_CAN_IN_DELIMITER) {
            return false;
        }
    }
    return fast;
}

unsigned takt_can_bus_step(struct takt_can_bus *bus, uint64_t wrong)
{
    bool level = true;
    unsigned all = 0;
    if (is_fast(bus)) {
        bus->data_bits++;
    } else {
        bus->nominal_bits++;
    }
    for (uint32_t i = 0; i < bus->count; i++) {
        if (!has(bus->dead, i)) {
            level &= takt_can_node_drive(&bus->nodes[i]) && !has(bus->stuck, i);
        }
    }
    bus->level = level;
    for (uint32_t i = 0; i < bus->count; i++) {
        bus->events[i] = has(bus->dead, i) ? 0 : takt_can_node_sample(&bus->nodes[i], level != has(wrong, i));
        all |= bus->events[i];
    }
    return all;
}

uint64_t takt_can_faults_next(struct takt_can_faults *faults, uint32_t count)
{
    uint64_t wrong = 0;
    if ((uint32_t)taktc_random(&faults->state) < faults->wire_per_2_32) {
        wrong = UINT64_MAX;
    }
    for (uint32_t i = 0; i < count && faults->node_per_2_32 > 0; i++) {
        if ((uint32_t)taktc_random(&faults->state) < faults->node_per_2_32) {
            wrong ^= UINT64_C(1) << i;
        }
    }
    return wrong;
}

static bool takes_part(const struct takt_can_bus *bus, uint32_t node)
{
    return !has(bus->dead, node);
}

/* What the nodes have in common that take part. */
struct common {
    uint32_t count;
    bool active;    /* no error counter is high */
    bool idle;      /* all of them */
    bool ending;    /* all of them are in the same bit of an intermission */
    uint16_t ended; /* bits of it */
    bool offering;  /* one of them */
};

static struct common common_of(const struct takt_can_bus *bus)
{
    struct common found = {.active = true, .idle = true, .ending = true};
    for (uint32_t i = 0; i < bus->count; i++) {
        const struct takt_can_node *node = &bus->nodes[i];
        if (!takes_part(bus, i)) {
            continue;
        }
        found.ended = found.count == 0 ? node->count : found.ended;
        found.count++;
        found.active = found.active && takt_can_errors_state(&node->errors) == TAKT_CAN_ACTIVE;
        found.idle = found.idle && node->phase == TAKT_CAN_IDLE;
        found.ending = found.ending && node->phase == TAKT_CAN_IN_INTERMISSION && node->count == found.ended;
        found.offering = found.offering || node->pending != NULL;
    }
    return found;
}

static bool is_regular(const struct takt_can_bus *bus, const struct common *common)
{
    return common->count > 1 && common->active && bus->stuck == 0;
}

/* The node whose frame wins; UINT32_MAX: two are equal in the arbitration, or none is there. */
static uint32_t best_of(const struct takt_can_bus *bus)
{
    uint32_t best = UINT32_MAX;
    uint64_t least = UINT64_MAX;
    bool equal = false;
    for (uint32_t i = 0; i < bus->count; i++) {
        if (!takes_part(bus, i) || bus->nodes[i].pending == NULL) {
            continue;
        }
        uint64_t bits = takt_can_frame_arbitration(bus->nodes[i].pending);
        equal = bits == least || (equal && bits > least);
        best = bits < least ? i : best;
        least = bits < least ? bits : least;
    }
    return equal ? UINT32_MAX : best;
}

/* Bits of the frame that wins with that in which the other one loses: the first that differs, after the start bit,
 * those that both have, and stuff bits. */
static uint16_t lost_after(uint64_t winner, uint64_t other)
{
    uint64_t differ = winner ^ other, mask = UINT64_C(1) << (ARBITRATION_BITS - 1);
    uint16_t bits = 2, run = 1;
    bool last = false;
    for (; (differ & mask) == 0 && mask != 0; mask >>= 1) {
        bool level = (winner & mask) != 0;
        run = level == last ? (uint16_t)(run + 1) : 1;
        last = level;
        if (run == STUFFED) {
            bits++;
            run = 1;
            last = !last;
        }
        bits++;
    }
    return bits;
}

/* The bits of the frame with the next one in which something happens. */
static uint16_t next_in_frame(const struct takt_can_jump *jump)
{
    uint16_t end = (uint16_t)(jump->length.nominal_bits - TAKT_CAN_INTERMISSION);
    uint64_t passed = jump->bus->nominal_bits - jump->start;
    uint16_t next = passed < end - 1u ? (uint16_t)(end - 1u) : end;
    for (uint32_t i = 0; i < jump->bus->count; i++) {
        if (jump->lost[i] > passed && jump->lost[i] < next) {
            next = jump->lost[i];
        }
    }
    return next;
}

/* Bits at the data rate come before the last but one bit of the frame. */
static uint16_t data_bits_to(const struct takt_can_jump *jump, uint16_t next)
{
    uint64_t passed = jump->bus->nominal_bits - jump->start;
    uint16_t received = (uint16_t)(jump->length.nominal_bits - TAKT_CAN_INTERMISSION - 1);
    return next >= received && passed < received ? jump->length.data_bits : 0;
}

void takt_can_jump_init(struct takt_can_jump *jump, struct takt_can_bus *bus)
{
    *jump = (struct takt_can_jump){.bus = bus};
}

struct takt_can_jump_next takt_can_jump_next(const struct takt_can_jump *jump)
{
    const struct takt_can_bus *bus = jump->bus;
    struct takt_can_jump_next found = {.kind = TAKT_CAN_JUMP_SURE};
    if (jump->in_frame) {
        uint16_t passed = (uint16_t)(bus->nominal_bits - jump->start), next = next_in_frame(jump);
        found.before.nominal_bits = (uint16_t)(next - 1u - passed);
        found.before.data_bits = data_bits_to(jump, next);
        found.free.nominal_bits = (uint16_t)(jump->length.nominal_bits - passed);
        found.free.data_bits = data_bits_to(jump, jump->length.nominal_bits);
        return found;
    }
    struct common common = common_of(bus);
    if (common.count == 0 || (common.idle && !common.offering)) {
        found.kind = TAKT_CAN_JUMP_NOTHING;
    } else if (common.ending && is_regular(bus, &common)) {
        found.free.nominal_bits = (uint16_t)(TAKT_CAN_INTERMISSION - common.ended);
        found.before.nominal_bits = (uint16_t)(found.free.nominal_bits - 1u);
    } else {
        found.kind = TAKT_CAN_JUMP_OPEN;
        found.single = !common.idle || !is_regular(bus, &common) || best_of(bus) == UINT32_MAX;
    }
    return found;
}

/* The start bit of a frame. */
static unsigned begin(struct takt_can_jump *jump, uint32_t winner)
{
    struct takt_can_bus *bus = jump->bus;
    uint64_t won = takt_can_frame_arbitration(bus->nodes[winner].pending);
    jump->in_frame = true;
    jump->winner = winner;
    jump->start = bus->nominal_bits;
    for (uint32_t i = 0; i < bus->count; i++) {
        struct takt_can_node *node = &bus->nodes[i];
        jump->lost[i] = 0;
        if (!takes_part(bus, i)) {
            continue;
        }
        node->phase = TAKT_CAN_IN_FRAME;
        node->count = 0;
        node->transmitter = node->pending != NULL;
        node->sending = node->pending;
        if (node->transmitter) {
            node->sent = *node->pending;
            node->sent.passive = false;
            jump->lost[i] = i == winner ? 0 : lost_after(won, takt_can_frame_arbitration(node->pending));
            bus->events[i] = TAKT_CAN_STARTED;
        }
    }
    jump->frame = bus->nodes[winner].sent; /* as a receiver reads it */
    jump->length = takt_can_length_exact(&jump->frame);
    unsigned bytes = takt_can_bytes(&jump->frame.shape);
    memset(jump->frame.data + bytes, 0, sizeof jump->frame.data - bytes);
    bus->nominal_bits++;
    bus->level = false;
    return TAKT_CAN_STARTED;
}

static unsigned lose(struct takt_can_jump *jump, uint16_t bits)
{
    unsigned all = 0;
    for (uint32_t i = 0; i < jump->bus->count; i++) {
        if (jump->lost[i] == bits) {
            jump->bus->nodes[i].transmitter = false;
            jump->bus->nodes[i].sending = NULL;
            jump->bus->events[i] |= TAKT_CAN_LOST;
            all |= TAKT_CAN_LOST;
        }
    }
    return all;
}

static unsigned receive(struct takt_can_jump *jump)
{
    struct takt_can_bus *bus = jump->bus;
    for (uint32_t i = 0; i < bus->count; i++) {
        if (takes_part(bus, i) && i != jump->winner) {
            bus->nodes[i].parser.frame = jump->frame;
            takt_can_errors_count(&bus->nodes[i].errors, TAKT_CAN_COUNT_RECEIVED);
            bus->events[i] = TAKT_CAN_RECEIVED;
        }
    }
    return TAKT_CAN_RECEIVED;
}

static unsigned end(struct takt_can_jump *jump)
{
    struct takt_can_bus *bus = jump->bus;
    struct takt_can_node *sender = &bus->nodes[jump->winner];
    for (uint32_t i = 0; i < bus->count; i++) {
        if (takes_part(bus, i)) {
            bus->nodes[i].phase = TAKT_CAN_IN_INTERMISSION;
            bus->nodes[i].count = 0;
        }
    }
    if (sender->pending == sender->sending) {
        sender->pending = NULL;
    }
    sender->sending = NULL;
    takt_can_errors_count(&sender->errors, TAKT_CAN_COUNT_TRANSMITTED);
    bus->events[jump->winner] = TAKT_CAN_TRANSMITTED;
    jump->in_frame = false;
    return TAKT_CAN_TRANSMITTED;
}

static unsigned step_in_frame(struct takt_can_jump *jump)
{
    struct takt_can_bus *bus = jump->bus;
    uint16_t next = next_in_frame(jump), last = (uint16_t)(jump->length.nominal_bits - TAKT_CAN_INTERMISSION);
    bus->data_bits += data_bits_to(jump, next);
    bus->nominal_bits = jump->start + next;
    bus->level = next >= last - 1u;
    return next == last ? end(jump) : next == last - 1u ? receive(jump) : lose(jump, next);
}

unsigned takt_can_jump_step(struct takt_can_jump *jump)
{
    struct takt_can_bus *bus = jump->bus;
    if (jump->in_frame) {
        memset(bus->events, 0, bus->count * sizeof bus->events[0]);
        return step_in_frame(jump);
    }
    struct common common = common_of(bus);
    bool regular = is_regular(bus, &common);
    uint32_t winner = regular && common.idle && common.offering ? best_of(bus) : UINT32_MAX;
    if (winner != UINT32_MAX) {
        memset(bus->events, 0, bus->count * sizeof bus->events[0]);
        return begin(jump, winner);
    }
    if (!regular || !common.ending) {
        return takt_can_bus_step(bus, 0);
    }
    memset(bus->events, 0, bus->count * sizeof bus->events[0]);
    bus->nominal_bits += TAKT_CAN_INTERMISSION - (uint64_t)common.ended;
    bus->level = true;
    for (uint32_t i = 0; i < bus->count; i++) {
        if (takes_part(bus, i)) {
            bus->nodes[i].phase = TAKT_CAN_IDLE;
            bus->nodes[i].count = 0;
        }
    }
    return 0;
}
