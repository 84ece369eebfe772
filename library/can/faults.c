/* SPDX-License-Identifier: Apache-2.0 */
#include "library/can/faults.h"

#include "takt/board.h"

enum { NAME_MAX = 24, MEAN_SHIFT = 8, DRAW_SHIFT = 16, DRAWS_MAX = 64 };

/* An option canN_TEXT of the bus, or canN_TEXTkEND. */
static bool option(unsigned index, const char *text, const char *end, uint64_t *value)
{
    char name[NAME_MAX] = "can";
    unsigned length = 3;
    name[length++] = (char)('0' + index);
    name[length++] = '_';
    while (*text != '\0') {
        name[length++] = *text++;
    }
    while (*end != '\0') {
        name[length++] = *end++;
    }
    name[length] = '\0';
    return takt_board_option(name, value);
}

static uint32_t draw(struct can_faults *faults)
{
    faults->random ^= faults->random << 13;
    faults->random ^= faults->random >> 7;
    faults->random ^= faults->random << 17;
    return (uint32_t)(faults->random >> (32 + DRAW_SHIFT)); /* of 16 bits */
}

/* Exponentially distributed with mean 1, in 2^-16: von Neumann's comparisons of uniform numbers (1951). */
static uint64_t exponential(struct can_faults *faults)
{
    for (uint64_t whole = 0; whole < DRAWS_MAX; whole++) {
        uint32_t first = draw(faults), last = first, count = 1;
        for (uint32_t next = draw(faults); next < last && count < DRAWS_MAX; next = draw(faults)) {
            last = next;
            count++;
        }
        if (count % 2 == 1) {
            return (whole << DRAW_SHIFT) + first;
        }
    }
    return (uint64_t)DRAWS_MAX << DRAW_SHIFT;
}

/* Of two disturbances one is of the wire, so that all nodes read it, and one of a node. */
static void next_disturbance(struct can_faults *faults, uint64_t from_bit)
{
    faults->bit = from_bit + (exponential(faults) * faults->mean >> (DRAW_SHIFT + MEAN_SHIFT));
    uint32_t which = draw(faults) % 4;
    faults->nodes = which < 2 ? UINT64_C(1) << which : UINT64_MAX;
}

static void read_deaths(struct can_faults *faults, unsigned index)
{
    static const char *const numbers[CAN_FAULTS_MAX] = {"0", "1", "2", "3", "4", "5", "6", "7"};
    static const char *const times[CAN_FAULTS_MAX] = {"0_ns", "1_ns", "2_ns", "3_ns", "4_ns", "5_ns", "6_ns", "7_ns"};
    for (unsigned i = 0; i < CAN_FAULTS_MAX; i++) {
        uint64_t value, time_ns;
        if (option(index, "babble", numbers[i], &value)) {
            faults->babble[faults->babblers++] = (uint32_t)value;
        }
        if (option(index, "dead", numbers[i], &value) && option(index, "dead", times[i], &time_ns)) {
            faults->deaths[faults->death_count++] = (struct can_death){time_ns, (uint16_t)value};
        }
    }
}

bool can_faults_init(struct can_faults *faults, unsigned index, uint64_t seed)
{
    *faults = (struct can_faults){.random = (seed + 2 * index + 1) * UINT64_C(0xD1342543DE82EF95), .bit = UINT64_MAX};
    faults->random += faults->random == 0;
    read_deaths(faults, index);
    if (option(index, "flips", "", &faults->mean) && faults->mean != 0) {
        next_disturbance(faults, 0);
    }
    return faults->mean != 0 || faults->babblers != 0 || faults->death_count != 0;
}

uint64_t can_faults_wrong(struct can_faults *faults, uint64_t bit)
{
    if (bit < faults->bit) {
        return 0;
    }
    uint64_t nodes = faults->nodes;
    faults->pending = true;
    next_disturbance(faults, bit + 1);
    return nodes;
}

bool can_faults_babbles(const struct can_faults *faults, uint32_t message)
{
    for (uint32_t i = 0; i < faults->babblers; i++) {
        if (faults->babble[i] == message) {
            return true;
        }
    }
    return false;
}

bool can_faults_is_flagged(const struct takt_can_bus *bus)
{
    for (uint32_t i = 0; i < bus->count; i++) {
        enum takt_can_phase phase = bus->nodes[i].phase;
        if ((bus->dead >> i & 1) == 0 && phase >= TAKT_CAN_IN_FLAG && phase <= TAKT_CAN_IN_DELIMITER) {
            return true;
        }
    }
    return false;
}

unsigned can_faults_note(struct can_faults *faults, const struct takt_can_bus *bus, bool flagged)
{
    unsigned found = CAN_NOTHING, events = 0;
    for (uint32_t i = 0; i < bus->count; i++) {
        if ((bus->dead >> i & 1) != 0) {
            continue;
        }
        events |= bus->events[i];
        bool is_worse = takt_can_errors_state(&bus->nodes[i].errors) != TAKT_CAN_ACTIVE;
        found |= (bus->events[i] & TAKT_CAN_CHANGED) != 0 && is_worse ? CAN_WORSE : CAN_NOTHING;
    }
    if ((events & TAKT_CAN_FAILED) != 0 && (faults->pending || !flagged)) {
        faults->pending = false;
        found |= CAN_ERROR;
    }
    return found;
}
