/* SPDX-License-Identifier: Apache-2.0 */
/* A node of the mixed traffic scheduler: ticks, epochs, and when identifiers change. */
#include "base/arith.h"
#include "takt/can_mts.h"

enum { COUNTER_MASK = 15, COUNTER_SHIFT = 4, UNKNOWN = TAKT_CAN_MTS_LATENESS_STEPS };

/* The generation of a message that keeps its low-speed identifier. */
static const uint32_t FIXED = UINT32_MAX;

/* Far enough from 0 that no message has a negative region. */
static const uint64_t FIRST_EPOCH = UINT64_C(1) << 32;

/* Local times may wrap: they are compared by their distance. */
static bool is_due(uint64_t now_ns, uint64_t time_ns)
{
    return (int64_t)(now_ns - time_ns) >= 0;
}

static uint64_t epoch_ns(const struct takt_can_mts *mts)
{
    return mts->bus->regions * mts->bus->region_ns;
}

static bool is_master(const struct takt_can_mts *mts)
{
    return mts->rank != TAKT_CAN_MTS_NO_RANK;
}

/* After the start of an epoch: the last rank's tick for the next one has ended. */
static uint64_t lost_ns(const struct takt_can_mts *mts)
{
    return epoch_ns(mts) + mts->bus->masters * mts->bus->plan.stagger_ns;
}

/* Longer than any node keeps an epoch without ticks: who hears nothing for that time disturbs none. */
static void listen(struct takt_can_mts *mts, uint64_t now_ns)
{
    uint64_t ranks = is_master(mts) ? mts->rank + UINT64_C(2) : 0;

    if (mts->state == TAKT_CAN_MTS_IN_EPOCH) {
        mts->version++;
    }
    mts->state = TAKT_CAN_MTS_LISTENING;
    mts->sends_tick = false;
    mts->changes = false;
    mts->left = 0;
    mts->listen_until = now_ns + epoch_ns(mts) + lost_ns(mts) + ranks * mts->bus->plan.stagger_ns;
}

void takt_can_mts_start(struct takt_can_mts *mts, const struct takt_can_mts_bus *bus, uint8_t rank, uint64_t now_ns)
{
    *mts = (struct takt_can_mts){.bus = bus, .rank = rank, .epoch = FIRST_EPOCH, .shown = FIRST_EPOCH};
    listen(mts, now_ns);
}

/* How late the last tick was, in steps. */
static uint8_t lateness(const struct takt_can_mts *mts)
{
    const struct takt_can_mts_plan *plan = &mts->bus->plan;
    int64_t late = (int64_t)(mts->stamp_ns - mts->grid_ns);
    uint64_t steps = takt_quotient(late < 0 ? 0 : (uint64_t)late, plan->step_ns);

    /* A new master may be a little ahead of the old one. */
    return mts->state != TAKT_CAN_MTS_IN_EPOCH || late < -(int64_t)plan->error_ns || steps > UNKNOWN ? UNKNOWN
                                                                                                     : (uint8_t)steps;
}

/* When the epoch after that of the last tick should begin, as the tick that begins it says. */
static uint64_t corrected(const struct takt_can_mts *mts, uint8_t steps)
{
    return mts->stamp_ns - steps * mts->bus->plan.step_ns + epoch_ns(mts);
}

/* Identifiers will change: all nodes that heard this tick begin to count. */
static void count_frames(struct takt_can_mts *mts)
{
    mts->left = (uint8_t)(mts->bus->plan.frames - 1);
    mts->changes = false;
}

static void next_epoch(struct takt_can_mts *mts, uint64_t grid_ns)
{
    mts->grid_ns = grid_ns;
    if (mts->shown != mts->epoch) {
        mts->shown = mts->epoch;
        mts->version++;
    }
    mts->epoch++;
    count_frames(mts);
}

/* Without an epoch before: numbers begin anew, and what is pending gets new ones. */
static void enter(struct takt_can_mts *mts, uint64_t grid_ns)
{
    mts->state = TAKT_CAN_MTS_IN_EPOCH;
    mts->generation++;
    mts->version++;
    next_epoch(mts, grid_ns);
}

static void hear_first(struct takt_can_mts *mts)
{
    if (mts->state == TAKT_CAN_MTS_IN_EPOCH) {
        mts->version++;
    }
    mts->state = TAKT_CAN_MTS_HEARD;
    mts->changes = false;
    mts->left = 0;
}

/* The next tick is no earlier than this after the last; half of an epoch leaves room for any lateness. */
static bool is_next(const struct takt_can_mts *mts, uint8_t counter, uint64_t end_ns)
{
    uint64_t last_ns = mts->state == TAKT_CAN_MTS_IN_EPOCH ? mts->grid_ns : mts->stamp_ns;

    return mts->state != TAKT_CAN_MTS_LISTENING && counter == ((mts->counter + 1) & COUNTER_MASK) &&
           is_due(end_ns, last_ns + epoch_ns(mts) / 2);
}

void takt_can_mts_tick(struct takt_can_mts *mts, uint8_t rank, uint8_t data, uint64_t end_ns)
{
    const struct takt_can_mts_plan *plan = &mts->bus->plan;
    uint64_t stamp_ns = end_ns - plan->tick_ns - rank * plan->stagger_ns;
    uint8_t counter = data >> COUNTER_SHIFT, steps = data & COUNTER_MASK;
    bool own_first = mts->state == TAKT_CAN_MTS_LISTENING && mts->sends_tick && rank == mts->rank;

    mts->sends_tick = false;
    if (own_first) {
        enter(mts, stamp_ns);
    } else if (is_next(mts, counter, end_ns)) {
        bool keeps = rank == mts->rank || steps == UNKNOWN;

        if (mts->state == TAKT_CAN_MTS_IN_EPOCH) {
            next_epoch(mts, keeps ? mts->grid_ns + epoch_ns(mts) : corrected(mts, steps));
        } else if (steps != UNKNOWN) {
            enter(mts, corrected(mts, steps));
        }
    } else if (mts->state == TAKT_CAN_MTS_LISTENING || counter != mts->counter) {
        hear_first(mts);
    }
    /* The same tick once more is the one that all have heard: it has the time of the last tick. */
    mts->counter = counter;
    mts->stamp_ns = stamp_ns;
}

void takt_can_mts_frame(struct takt_can_mts *mts, uint64_t end_ns)
{
    if (mts->left > 0) {
        mts->left--;
        mts->changes = mts->left == 0;
        mts->change_ns = end_ns + mts->bus->plan.settle_ns;
    }
}

static uint64_t own_tick_ns(const struct takt_can_mts *mts)
{
    return mts->grid_ns + epoch_ns(mts) + mts->rank * mts->bus->plan.stagger_ns;
}

static uint64_t give_up_ns(const struct takt_can_mts *mts)
{
    return mts->state == TAKT_CAN_MTS_HEARD ? mts->stamp_ns + lost_ns(mts) + mts->bus->plan.stagger_ns
                                            : mts->grid_ns + lost_ns(mts);
}

static uint64_t earlier(uint64_t now_due_ns, uint64_t time_ns)
{
    return now_due_ns == TAKT_SATURATED || is_due(now_due_ns, time_ns) ? time_ns : now_due_ns;
}

uint64_t takt_can_mts_due(const struct takt_can_mts *mts)
{
    uint64_t due_ns = TAKT_SATURATED;

    if (mts->changes) {
        due_ns = mts->change_ns;
    }
    if (mts->state != TAKT_CAN_MTS_LISTENING) {
        due_ns = earlier(due_ns, give_up_ns(mts));
    } else if (is_master(mts) && !mts->sends_tick) {
        due_ns = earlier(due_ns, mts->listen_until);
    }
    if (mts->state == TAKT_CAN_MTS_IN_EPOCH && is_master(mts) && !mts->sends_tick) {
        due_ns = earlier(due_ns, own_tick_ns(mts));
    }
    return due_ns;
}

void takt_can_mts_timer(struct takt_can_mts *mts, uint64_t now_ns)
{
    if (mts->changes && is_due(now_ns, mts->change_ns)) {
        mts->changes = false;
        mts->shown = mts->epoch;
        mts->version++;
    }
    if (mts->state == TAKT_CAN_MTS_LISTENING) {
        if (is_master(mts) && is_due(now_ns, mts->listen_until)) {
            mts->sends_tick = true;
        }
        return;
    }
    if (is_due(now_ns, give_up_ns(mts))) {
        listen(mts, now_ns);
    } else if (mts->state == TAKT_CAN_MTS_IN_EPOCH && is_master(mts) && is_due(now_ns, own_tick_ns(mts))) {
        mts->sends_tick = true;
    }
}

struct takt_can_mts_offers takt_can_mts_offers(const struct takt_can_mts *mts)
{
    const struct takt_can_mts_layout *layout = &mts->bus->layout;
    struct takt_can_mts_offers offers = {.tick = mts->sends_tick, .filler = is_master(mts) && mts->left > 0};

    if (offers.tick) {
        uint8_t counter = (mts->counter + 1) & COUNTER_MASK;

        offers.tick_frame.shape = (struct takt_can_shape){.extended = layout->extended, .dlc = 1};
        offers.tick_frame.id = mts->rank;
        offers.tick_frame.data[0] = (uint8_t)(counter << COUNTER_SHIFT | lateness(mts));
    }
    if (offers.filler) {
        offers.filler_frame.shape =
            (struct takt_can_shape){.extended = layout->extended, .dlc = mts->bus->plan.filler_dlc};
        offers.filler_frame.id =
            takt_can_mts_other(layout, takt_can_mts_other_count(layout, mts->bus->masters) + mts->rank);
    }
    return offers;
}

uint32_t takt_can_mts_high(const struct takt_can_mts *mts, uint32_t unique, struct takt_can_mts_message *message)
{
    const struct takt_can_mts_bus *bus = mts->bus;
    int64_t field, last = (int64_t)bus->plan.fields;

    /* What waited without an epoch may be late. With a deadline it would go ahead of other nodes' messages, besides the
     * one that its stream sends next: more than a sporadic stream has, which is what the analysis counts. */
    if (mts->state != TAKT_CAN_MTS_IN_EPOCH || message->generation == FIXED) {
        message->generation = FIXED;
        return takt_can_mts_low(&bus->layout, unique);
    }
    if (message->generation != mts->generation) {
        int64_t span = (int64_t)(message->begin_ns - mts->grid_ns), region = (int64_t)bus->region_ns;

        message->generation = mts->generation;
        message->region = (int64_t)(mts->epoch * bus->regions) + (span - (span < 0 ? region - 1 : 0)) / region;
    }
    field = message->region - (int64_t)(mts->shown * bus->regions) + 1;
    field = field < 1 ? 1 : field > last ? last : field;
    return (uint32_t)field << bus->layout.unique_bits | unique;
}
