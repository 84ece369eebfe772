/* SPDX-License-Identifier: Apache-2.0 */
/* Identifiers by Audsley's algorithm: from the lowest priority up, each slot gets a frame that is within its deadline
 * there. At a level of the search the frames that have a slot are below and the others above, whatever their order, so
 * each frame is tried once per level.
 */
#include "can.h"
#include "takt/analysis_can_assign.h"

struct takta_can_search {
    struct takta_can_level level; /* the streams are those of the frames without a slot */
    const struct takt_analysis_can_assignment *assignment;
    struct takt_analysis_can_assign_work *work;
    struct takt_analysis_can_work *streams;
    uint32_t left;   /* frames without a slot */
    bool overloaded; /* by all of these */
    bool limited;    /* of some frame the bound was not found */
    bool contested;  /* some frame that could be below one of another kind had no slot there */
};

static uint64_t takta_product(uint64_t a, uint64_t b, uint64_t *low)
{
    uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
    uint64_t lowest = a_low * b_low, middle = a_high * b_low + (lowest >> 32),
             other = a_low * b_high + (uint32_t)middle;

    *low = other << 32 | (uint32_t)lowest;
    return a_high * b_high + (middle >> 32) + (other >> 32);
}

/* Negative, 0 or positive as a is less than b, equal or greater. */
static int takta_share_compare(struct takt_analysis_can_share a, struct takt_analysis_can_share b)
{
    uint64_t left, right;
    uint64_t left_high = takta_product(a.time_ns, b.of_ns, &left),
             right_high = takta_product(b.time_ns, a.of_ns, &right);

    if (left_high != right_high) {
        return left_high < right_high ? -1 : 1;
    }
    return left < right ? -1 : left > right;
}

static bool takta_assignment_valid(const struct takt_analysis_can_assignment *assignment)
{
    const struct takt_analysis_can_bus *bus = assignment->bus;
    struct takt_analysis_can_share most = assignment->most;

    if (!takta_can_valid(bus) || bus->frame_count >= TAKT_ANALYSIS_CAN_NONE || most.of_ns == 0 ||
        most.of_ns > TAKTA_HORIZON_NS || most.time_ns > TAKTA_HORIZON_NS) {
        return false;
    }
    for (size_t i = 0; i < bus->frame_count; i++) {
        uint64_t deadline = assignment->needs[i].deadline_ns;

        if (bus->frames[i].period_ns > 0 && (deadline == 0 || deadline > TAKT_ANALYSIS_TIME_MAX_NS)) {
            return false;
        }
    }
    for (size_t i = 0; i < assignment->slot_count; i++) {
        uint32_t holder = assignment->slots[i].holder;

        if (holder != TAKT_ANALYSIS_CAN_NONE && holder >= bus->frame_count) {
            return false;
        }
    }
    return true;
}

/* What is above and below at this level, of which `left` frames have no slot. */
static void takta_can_level_begin(struct takta_can_search *search)
{
    const struct takt_analysis_can_bus *bus = search->level.bus;
    struct takta_utilization load = {0, 0};

    search->level.stream_count = 0;
    search->level.blocking_ns = search->level.longest_ns = 0;
    for (size_t i = 0; i < bus->frame_count; i++) {
        const struct takt_analysis_can_frame *frame = &bus->frames[i];
        struct takt_analysis_can_assign_work *work = &search->work[i];
        uint64_t *longest = work->placed ? &search->level.blocking_ns : &search->level.longest_ns;

        *longest = *longest < frame->send_ns ? frame->send_ns : *longest;
        if (!work->placed) {
            work->stream =
                takta_can_stream_add(search->streams, 0, &search->level.stream_count, frame, frame->jitter_ns);
            takta_utilization_add(&load, frame->send_ns, frame->period_ns);
        }
    }
    search->overloaded = takta_can_overloaded(&search->level, load);
}

/* Whether a frame is within its deadline as the lowest of those above, which it is one of. */
static bool takta_can_try(struct takta_can_search *search, uint32_t index)
{
    const struct takt_analysis_can_assignment *assignment = search->assignment;
    const struct takt_analysis_can_frame *frame = &assignment->bus->frames[index];
    struct takt_analysis_can_work *stream = &search->streams[search->work[index].stream];
    struct takt_analysis_can_share *share = &search->work[index].share;
    enum takt_analysis_status status;
    enum takta_answer answer;
    struct takta_can_found found;
    int order;

    if (search->overloaded) {
        return false;
    }
    stream->cost_ns -= frame->send_ns; /* a sum that was too large is beyond the horizon without it, too */
    search->level.iterations = assignment->bus->iterations;
    answer = takta_can_worst(&search->level, frame, search->level.blocking_ns, &found);
    share->time_ns = found.worst_ns;
    stream->cost_ns = takt_add(stream->cost_ns, frame->send_ns);
    status = takta_can_status(answer, share->time_ns);
    search->limited |= status == TAKT_ANALYSIS_LIMIT;
    share->of_ns = assignment->needs[index].deadline_ns;
    order = status == TAKT_ANALYSIS_OK ? takta_share_compare(*share, assignment->most) : 1;
    return order < 0 || (order == 0 && !assignment->below);
}

/* Whether a frame without a slot is within its deadline at this level. */
static bool takta_can_fits(struct takta_can_search *search, uint32_t index)
{
    struct takt_analysis_can_assign_work *work = &search->work[index];

    if (work->placed) {
        return false;
    }
    if (work->level != search->left) {
        work->level = search->left;
        work->within = takta_can_try(search, index);
    }
    return work->within;
}

static bool takta_can_may(const struct takta_can_search *search, const struct takt_analysis_can_slot *slot,
                          uint32_t index)
{
    return search->assignment->needs[index].kind == slot->kind || slot->holder == index;
}

static uint32_t takta_can_least_share(struct takta_can_search *search, const struct takt_analysis_can_slot *slot)
{
    uint32_t best = TAKT_ANALYSIS_CAN_NONE;

    for (uint32_t i = 0; i < search->assignment->bus->frame_count; i++) {
        if (takta_can_may(search, slot, i) && takta_can_fits(search, i) &&
            (best == TAKT_ANALYSIS_CAN_NONE ||
             takta_share_compare(search->work[i].share, search->work[best].share) < 0)) {
            best = i;
        }
    }
    return best;
}

/* The frame of lowest priority now that has lost its own slot. */
static uint32_t takta_can_displaced(struct takta_can_search *search, const struct takt_analysis_can_slot *slot)
{
    for (uint32_t i = (uint32_t)search->assignment->bus->frame_count; i-- > 0;) {
        if (search->work[i].displaced && takta_can_may(search, slot, i) && takta_can_fits(search, i)) {
            return i;
        }
    }
    return TAKT_ANALYSIS_CAN_NONE;
}

static uint32_t takta_can_highest(struct takta_can_search *search, const struct takt_analysis_can_slot *slot)
{
    for (uint32_t i = 0; i < search->assignment->bus->frame_count; i++) {
        if (takta_can_may(search, slot, i) && takta_can_fits(search, i)) {
            return i;
        }
    }
    return TAKT_ANALYSIS_CAN_NONE;
}

static uint32_t takta_can_choose(struct takta_can_search *search, const struct takt_analysis_can_slot *slot)
{
    enum takt_analysis_can_choice choice = search->assignment->choice;
    bool held = slot->holder != TAKT_ANALYSIS_CAN_NONE;
    uint32_t found;

    if (choice == TAKT_ANALYSIS_CAN_LEAST_SHARE) {
        return takta_can_least_share(search, slot);
    }
    if (held && takta_can_fits(search, slot->holder)) {
        return slot->holder;
    }
    if (held) {
        search->work[slot->holder].displaced = true;
    }
    found = takta_can_displaced(search, slot);
    if (found == TAKT_ANALYSIS_CAN_NONE &&
        (choice == TAKT_ANALYSIS_CAN_KEEP_AND_FILL || (choice == TAKT_ANALYSIS_CAN_KEEP_AND_SWAP && held))) {
        found = takta_can_highest(search, slot);
    }
    return found;
}

/* Whether frames of one kind could go below those of another here, if there were more slots before `index`. */
static bool takta_can_contested(struct takta_can_search *search, size_t index)
{
    const struct takt_analysis_can_slot *slots = search->assignment->slots;
    bool fits = false, others = false;

    if (index == 0 || slots[index - 1].kind == slots[index].kind) {
        return false;
    }
    for (uint32_t i = 0; i < search->assignment->bus->frame_count; i++) {
        bool same = search->assignment->needs[i].kind == slots[index].kind;

        others |= !same && !search->work[i].placed;
        fits |= same && takta_can_fits(search, i);
    }
    return fits && others;
}

enum takt_analysis_status takt_analysis_can_assign(const struct takt_analysis_can_assignment *assignment,
                                                   struct takt_analysis_can_assign_work *work,
                                                   struct takt_analysis_can_work *streams, uint32_t *occupants,
                                                   enum takt_analysis_verdict *verdict)
{
    const struct takt_analysis_can_bus *bus = assignment->bus;
    struct takta_can_search search = {
        .level = {.bus = bus, .streams = streams}, .assignment = assignment, .work = work, .streams = streams};

    if (!takta_assignment_valid(assignment)) {
        return TAKT_ANALYSIS_INVALID;
    }
    for (size_t i = 0; i < bus->frame_count; i++) {
        work[i] = (struct takt_analysis_can_assign_work){.placed = bus->frames[i].period_ns == 0};
        search.left += !work[i].placed;
    }
    takta_can_level_begin(&search);
    for (size_t i = assignment->slot_count; i-- > 0;) {
        occupants[i] = takta_can_choose(&search, &assignment->slots[i]);
        if (occupants[i] != TAKT_ANALYSIS_CAN_NONE) {
            work[occupants[i]].placed = true;
            search.left--;
            takta_can_level_begin(&search);
            search.contested = search.contested || takta_can_contested(&search, i);
        }
    }
    if (search.left == 0) {
        *verdict = TAKT_ANALYSIS_FEASIBLE;
    } else if (search.limited || search.contested || assignment->choice == TAKT_ANALYSIS_CAN_KEEP_HOLDERS ||
               assignment->choice == TAKT_ANALYSIS_CAN_KEEP_AND_SWAP) {
        *verdict = TAKT_ANALYSIS_UNDECIDED;
    } else {
        *verdict = TAKT_ANALYSIS_INFEASIBLE;
    }
    return TAKT_ANALYSIS_OK;
}
