/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a bus with the mixed traffic scheduler, and the layout of its identifiers. */
#include "base/arith.h"
#include "takt/can_mts.h"

enum { TIME_MAX_NS = 1000000000, PPM_MAX = 1000, MILLION = 1000000 };

static unsigned id_bits(const struct takt_can_mts_layout *layout)
{
    return layout->extended ? 29 : 11;
}

bool takt_can_mts_layout_is_valid(const struct takt_can_mts_layout *layout)
{
    return layout->deadline_bits >= 2 && layout->deadline_bits <= 24 && layout->unique_bits >= 3 &&
           layout->unique_bits <= 8 && 1u + layout->deadline_bits + layout->unique_bits == id_bits(layout);
}

uint32_t takt_can_mts_low_count(const struct takt_can_mts_layout *layout)
{
    return UINT32_C(1) << (id_bits(layout) - 2);
}

/* Identifiers that begin with six recessive bits are not used: some controllers refuse them. */
uint32_t takt_can_mts_other_count(const struct takt_can_mts_layout *layout, uint8_t masters)
{
    return (UINT32_C(1) << (id_bits(layout) - 2)) - (UINT32_C(1) << (id_bits(layout) - 6)) - masters;
}

uint32_t takt_can_mts_low(const struct takt_can_mts_layout *layout, uint32_t number)
{
    return UINT32_C(2) << (id_bits(layout) - 2) | number;
}

uint32_t takt_can_mts_other(const struct takt_can_mts_layout *layout, uint32_t number)
{
    return UINT32_C(3) << (id_bits(layout) - 2) | number;
}

struct takt_can_mts_meaning takt_can_mts_meaning(const struct takt_can_mts_bus *bus, uint32_t id)
{
    const struct takt_can_mts_layout *layout = &bus->layout;
    unsigned rest = id_bits(layout) - 2;
    uint32_t unique = id & ((UINT32_C(1) << layout->unique_bits) - 1), number = id & ((UINT32_C(1) << rest) - 1);
    uint32_t others = takt_can_mts_other_count(layout, bus->masters);

    if (id >> layout->unique_bits == 0) {
        return (struct takt_can_mts_meaning){TAKT_CAN_MTS_TICK, id};
    }
    if (id >> (rest + 1) == 0) {
        return (struct takt_can_mts_meaning){TAKT_CAN_MTS_HIGH, unique};
    }
    if (id >> rest == 2) {
        bool high = number >> layout->unique_bits == 0;

        return (struct takt_can_mts_meaning){high ? TAKT_CAN_MTS_HIGH : TAKT_CAN_MTS_LOW, number};
    }
    if (number >= others && number < others + bus->masters) {
        return (struct takt_can_mts_meaning){TAKT_CAN_MTS_FILLER, number - others};
    }
    return (struct takt_can_mts_meaning){TAKT_CAN_MTS_OTHER, number};
}

static bool needs_are_valid(const struct takt_can_mts_needs *needs)
{
    const uint64_t times[] = {needs->stamp_ns,    needs->react_ns,   needs->prepare_ns,  needs->write_ns,
                              needs->shortest_ns, needs->longest_ns, needs->deadline_ns, needs->epoch_max_ns};
    bool valid = takt_can_mts_layout_is_valid(&needs->layout) && needs->masters >= 1 &&
                 needs->masters <= TAKT_CAN_MTS_MASTERS_MAX && needs->clock_ppm <= PPM_MAX &&
                 needs->rates.nominal_bps >= 1000 && needs->rates.nominal_bps <= 10 * MILLION;

    for (unsigned i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        valid = valid && times[i] <= TIME_MAX_NS;
    }
    return valid;
}

static uint64_t shortest_of(const struct takt_can_mts_needs *needs, uint8_t dlc)
{
    const struct takt_can_shape shape = {.extended = needs->layout.extended, .dlc = dlc};

    return takt_can_length_ns(takt_can_length_unstuffed(&shape), &needs->rates);
}

/* Fillers as long as the shortest frame, if that is longer than a frame without data, and ticks. */
static uint64_t plan_frames(const struct takt_can_mts_needs *needs, struct takt_can_mts_plan *plan)
{
    const struct takt_can_shape tick = {.extended = needs->layout.extended, .dlc = 1};
    uint64_t shortest_ns = needs->shortest_ns < shortest_of(needs, 1) ? needs->shortest_ns : shortest_of(needs, 1);

    while (plan->filler_dlc < 1 && shortest_of(needs, plan->filler_dlc) < shortest_ns) {
        plan->filler_dlc++;
    }
    plan->tick_ns = shortest_of(needs, 1);
    plan->tick_max_ns = takt_can_length_ns(takt_can_length_max(&tick), &needs->rates);
    return plan->filler_dlc == 0 ? shortest_of(needs, 0) : shortest_ns;
}

bool takt_can_mts_plan(const struct takt_can_mts_needs *needs, struct takt_can_mts_plan *plan)
{
    uint64_t shortest_ns, drift_ns, n;

    if (!needs_are_valid(needs)) {
        return false;
    }
    *plan = (struct takt_can_mts_plan){.fields = (UINT32_C(1) << needs->layout.deadline_bits) - 1,
                                       .epoch_max_ns = needs->epoch_max_ns};
    shortest_ns = plan_frames(needs, plan);
    /* Intermission; start bit, identifier, RTR (with 29 bits SRR and IDE), and their stuff bits. */
    plan->settle_ns = takt_can_time_ns(needs->layout.extended ? 3 + 33 + 8 : 3 + 13 + 3, 0, &needs->rates);
    n = takt_divide_up(needs->prepare_ns, shortest_ns) + 1;
    if (plan->settle_ns + needs->react_ns + needs->write_ns > shortest_ns || n > TAKT_CAN_MTS_FRAMES_MAX ||
        needs->longest_ns < plan->tick_max_ns) {
        return false;
    }
    plan->frames = (uint8_t)(n < 2 ? 2 : n);
    /* Until the correction after the next, and as far as a deadline is ahead. */
    drift_ns = takt_divide_up((4 * needs->epoch_max_ns + needs->deadline_ns) * needs->clock_ppm, MILLION);
    /* A tick waits for its timer and for one frame, and has stuff bits. */
    plan->step_ns = takt_divide_up(needs->react_ns + needs->longest_ns + plan->tick_max_ns - plan->tick_ns +
                                       2 * needs->stamp_ns + drift_ns,
                                   TAKT_CAN_MTS_LATENESS_STEPS - 1);
    /* A node is within a step, two time stamps and the drift of its master, and a new master of the old one. */
    plan->error_ns = 2 * plan->step_ns + 4 * needs->stamp_ns + 4 * drift_ns;
    plan->stagger_ns = 2 * needs->react_ns + needs->longest_ns + plan->tick_max_ns + plan->error_ns;
    plan->rest_ns = needs->masters * plan->stagger_ns + plan->frames * (needs->longest_ns + needs->react_ns) +
                    needs->deadline_ns + plan->error_ns;
    return true;
}

bool takt_can_mts_bus_is_valid(const struct takt_can_mts_bus *bus)
{
    const struct takt_can_mts_plan *plan = &bus->plan;
    uint64_t least = takt_divide_up(plan->rest_ns, plan->fields - (bus->regions < plan->fields ? bus->regions : 0));

    return takt_can_mts_layout_is_valid(&bus->layout) && bus->masters >= 1 &&
           bus->masters <= TAKT_CAN_MTS_MASTERS_MAX && bus->masters <= 1u << bus->layout.unique_bits &&
           bus->regions >= 1 && bus->regions < plan->fields && bus->region_ns >= least &&
           takt_multiply(bus->regions, bus->region_ns) <= plan->epoch_max_ns &&
           bus->regions * bus->region_ns >= 2 * bus->masters * plan->stagger_ns;
}
