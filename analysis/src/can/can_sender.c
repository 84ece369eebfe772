/* SPDX-License-Identifier: Apache-2.0 */
/* Responses on a CAN bus whose senders offer their frames by priority, by arrival, or from buffers.
 *
 * A frame's response is the longest over the cases that the header derives: no sender has held frames back when the
 * busy period begins, or one has, whose frame blocks. What is held back, and for how long, follows from the responses
 * of others: the search goes round until none grows. No delay in a queue exceeds the busy period of the whole bus, so
 * where it would go on for too long, each is taken to be that.
 */
#include "can.h"

#define TAKTA_CAN_ROUNDS 64
#define TAKTA_CAN_NONE UINT32_MAX

/* The computation for all frames. */
struct takta_can_run {
    const struct takt_analysis_can_bus *bus;
    struct takt_analysis_can_work *work;
    size_t periodic;  /* frames[0 .. periodic) have a period */
    size_t bounded;   /* of these levels [0 .. bounded) do not overload the bus */
    uint64_t busy_ns; /* busy period of the whole bus; TAKT_SATURATED: not known */
    enum takt_analysis_status *statuses;
    bool exhausted; /* the rounds ran out: held_ns is the longest that may be */
};

/* Who blocks a level that has held frames back. */
struct takta_can_holder {
    uint32_t sender;      /* TAKTA_CAN_NONE: nobody */
    uint64_t held_ns;     /* longest that a frame of the level has been held */
    uint64_t blocking_ns; /* longest frame below the level that may hold it */
};

static enum takt_analysis_can_queue takta_can_queue(const struct takta_can_run *run, size_t index)
{
    return run->bus->senders[run->bus->frames[index].sender].queue;
}

/* True if the buffers of its sender may all be full of frames below it. */
static bool takta_can_crowded(const struct takta_can_run *run, size_t index)
{
    return run->work[index].below_count >= run->bus->senders[run->bus->frames[index].sender].buffers;
}

/* True if the frame may block higher ones of its sender while these are held back. */
static bool takta_can_may_hold(const struct takta_can_run *run, size_t index)
{
    enum takt_analysis_can_queue queue = takta_can_queue(run, index);

    return queue == TAKT_ANALYSIS_CAN_FIFO ||
           (queue == TAKT_ANALYSIS_CAN_BUFFERS &&
            run->work[index].below_count + 1 >= run->bus->senders[run->bus->frames[index].sender].buffers);
}

/* The lowest frame that may hold this one back; or itself. */
static size_t takta_can_floor(const struct takta_can_run *run, size_t index)
{
    size_t floor = index;

    for (size_t i = index + 1; i < run->periodic; i++) {
        if (run->bus->frames[i].sender == run->bus->frames[index].sender && takta_can_may_hold(run, i)) {
            floor = i;
        }
    }
    return floor;
}

/* What does not change between rounds. */
static void takta_can_prepare(struct takta_can_run *run)
{
    const struct takt_analysis_can_frame *frames = run->bus->frames;

    for (size_t i = 0; i < run->periodic; i++) {
        struct takt_analysis_can_work *work = &run->work[i];

        work->below_count = 0;
        work->held_ns = 0;
        work->iterations = run->bus->iterations;
        for (size_t k = i + 1; k < run->periodic; k++) {
            if (frames[k].sender == frames[i].sender) {
                work->below_count++;
            }
        }
        work->queued_ns = frames[i].jitter_ns;
        if (takta_can_queue(run, i) == TAKT_ANALYSIS_CAN_ABORTABLE && takta_can_crowded(run, i)) {
            work->queued_ns = takt_add(work->queued_ns, run->bus->senders[frames[i].sender].abort_ns);
        }
    }
}

/* run->bounded and run->busy_ns. */
static void takta_can_measure(struct takta_can_run *run)
{
    struct takta_can_level level = {.bus = run->bus, .streams = run->work, .iterations = run->bus->iterations};
    struct takta_utilization load = {0, 0};

    run->busy_ns = TAKT_SATURATED;
    for (run->bounded = 0; run->bounded < run->periodic; run->bounded++) {
        const struct takt_analysis_can_frame *frame = &run->bus->frames[run->bounded];

        level.longest_ns = level.longest_ns < frame->send_ns ? frame->send_ns : level.longest_ns;
        takta_utilization_add(&load, frame->send_ns, frame->period_ns);
        if (takta_can_overloaded(&level, load)) {
            return;
        }
        takta_can_stream_add(run->work, 0, &level.stream_count, frame, frame->jitter_ns);
    }
    if (run->periodic > 0) {
        uint64_t busy = 1;

        level.blocking_ns = run->work[run->periodic - 1].below_ns;
        if (takta_can_settle(&level, level.blocking_ns, 0, 0, NULL, &busy) == TAKTA_FOUND) {
            run->busy_ns = busy;
        }
    }
}

/* The sender of frames[blocking], if it holds back frames of this level by it or a frame below. False: none. */
static bool takta_can_holder(const struct takta_can_run *run, size_t level, size_t blocking,
                             struct takta_can_holder *holder)
{
    const struct takt_analysis_can_frame *frames = run->bus->frames;

    *holder = (struct takta_can_holder){.sender = frames[blocking].sender};
    for (size_t i = 0; i <= level; i++) {
        if (frames[i].sender == holder->sender && holder->held_ns < run->work[i].held_ns) {
            holder->held_ns = run->work[i].held_ns;
        }
    }
    for (size_t i = blocking; i < run->periodic && holder->held_ns > 0; i++) {
        if (frames[i].sender == holder->sender && takta_can_may_hold(run, i)) {
            holder->blocking_ns = holder->blocking_ns < frames[i].send_ns ? frames[i].send_ns : holder->blocking_ns;
        }
    }
    return holder->held_ns > 0;
}

/* Count frames[first .. end) of this sender, or with `others` all but its, `except` one, in a part of the streams that
 * begins at `part`. Returns its end. */
static size_t takta_can_count(const struct takta_can_run *run, const struct takta_can_holder *holder, size_t first,
                              size_t end, size_t except, bool others, size_t part)
{
    const struct takt_analysis_can_frame *frames = run->bus->frames;
    size_t at = part;

    for (size_t i = first; i < end; i++) {
        uint64_t held = frames[i].sender == holder->sender ? run->work[i].held_ns : 0;

        if (i != except && (frames[i].sender == frames[except].sender) != others) {
            takta_can_stream_add(run->work, part, &at, &frames[i], takt_add(run->work[i].queued_ns, held));
        }
    }
    return at;
}

/* A frame that its sender may hold back by frames down to `floor`. */
static enum takta_answer takta_can_held_case(const struct takta_can_run *run, struct takta_can_level *level,
                                             const struct takta_can_holder *holder, size_t index, size_t floor,
                                             struct takta_can_found *found)
{
    const struct takt_analysis_can_frame *frames = run->bus->frames;
    bool fifo = takta_can_queue(run, index) == TAKT_ANALYSIS_CAN_FIFO;
    struct takta_can_parts parts = {.shortest_ns = 0};

    parts.between = takta_can_count(run, holder, index + 1, floor, index, true, 0);
    parts.above = takta_can_count(run, holder, 0, index, index, true, parts.between);
    parts.passing = takta_can_count(run, holder, 0, fifo ? 0 : index, index, false, parts.above);
    parts.end = takta_can_count(run, holder, fifo ? 0 : index + 1, floor + 1, index, false, parts.passing);
    for (size_t i = index + 1; i <= floor; i++) {
        uint64_t send = frames[i].send_ns;

        if (frames[i].sender == frames[index].sender) {
            parts.shortest_ns = parts.shortest_ns == 0 || send < parts.shortest_ns ? send : parts.shortest_ns;
            parts.longest_ns = parts.longest_ns < send ? send : parts.longest_ns;
        }
    }
    return takta_can_held_worst(level, &parts, &frames[index], found);
}

/* Any other frame. */
static enum takta_answer takta_can_plain_case(const struct takta_can_run *run, struct takta_can_level *level,
                                              const struct takta_can_holder *holder, size_t index,
                                              struct takta_can_found *found)
{
    struct takt_analysis_can_frame frame = run->bus->frames[index];

    frame.jitter_ns = run->work[index].queued_ns;
    level->stream_count = takta_can_count(run, holder, 0, index, index, true, 0);
    level->stream_count = takta_can_count(run, holder, 0, index, index, false, level->stream_count);
    return takta_can_worst(level, &frame, level->blocking_ns, found);
}

/* One case: *worst gets what is longer than in the cases before. */
static enum takta_answer takta_can_case(const struct takta_can_run *run, const struct takta_can_holder *holder,
                                        size_t index, size_t floor, struct takta_can_found *worst)
{
    struct takta_can_level level = {.bus = run->bus, .streams = run->work, .blocking_ns = holder->blocking_ns};
    bool held = floor > index || takta_can_queue(run, index) == TAKT_ANALYSIS_CAN_FIFO;
    struct takta_can_found found;
    enum takta_answer answer;

    for (size_t i = 0; i <= floor; i++) {
        uint64_t send = run->bus->frames[i].send_ns;

        level.longest_ns = level.longest_ns < send ? send : level.longest_ns;
    }
    level.iterations = run->work[index].iterations;
    answer = held ? takta_can_held_case(run, &level, holder, index, floor, &found)
                  : takta_can_plain_case(run, &level, holder, index, &found);
    run->work[index].iterations = level.iterations;
    if (answer == TAKTA_FOUND) {
        worst->worst_ns = worst->worst_ns < found.worst_ns ? found.worst_ns : worst->worst_ns;
        worst->held_ns = worst->held_ns < found.held_ns ? found.held_ns : worst->held_ns;
    }
    return answer;
}

/* True if frames[i] is the first of its sender below the level that may hold back one of the level. */
static bool takta_can_is_holder(const struct takta_can_run *run, size_t level, size_t index)
{
    const struct takt_analysis_can_frame *frames = run->bus->frames;

    for (size_t i = level + 1; i < index; i++) {
        if (frames[i].sender == frames[index].sender) {
            return false;
        }
    }
    return takta_can_may_hold(run, index);
}

/* Why a frame has no bound, if this sender holds frames back for a time that has none. */
static enum takt_analysis_status takta_can_cause(const struct takta_can_run *run, uint32_t sender)
{
    enum takt_analysis_status status = TAKT_ANALYSIS_OVERFLOW;

    for (size_t i = 0; i < run->periodic && !run->exhausted; i++) {
        bool cause = run->bus->frames[i].sender == sender && run->statuses[i] != TAKT_ANALYSIS_OK;

        if (cause && status != TAKT_ANALYSIS_UNBOUNDED) {
            status = run->statuses[i];
        }
    }
    return run->exhausted ? TAKT_ANALYSIS_LIMIT : status;
}

/* The longest response of a frame over all senders that may block its busy period, that of frames[floor]. */
static enum takt_analysis_status takta_can_examine(const struct takta_can_run *run, size_t index, size_t floor,
                                                   struct takta_can_found *worst)
{
    struct takta_can_holder holder = {.sender = TAKTA_CAN_NONE};
    enum takta_answer answer;

    if (floor >= run->bounded) {
        return TAKT_ANALYSIS_UNBOUNDED;
    }
    holder.blocking_ns = run->work[floor].below_ns;
    answer = takta_can_case(run, &holder, index, floor, worst);
    for (size_t i = floor + 1; i < run->periodic && answer == TAKTA_FOUND; i++) {
        if (!takta_can_is_holder(run, floor, i) || run->bus->frames[i].sender == run->bus->frames[index].sender ||
            !takta_can_holder(run, floor, i, &holder)) {
            continue;
        }
        if (holder.held_ns > TAKT_ANALYSIS_TIME_MAX_NS) {
            return takta_can_cause(run, holder.sender);
        }
        answer = takta_can_case(run, &holder, index, floor, worst);
    }
    return takta_can_status(answer, worst->worst_ns);
}

/* Bounds one frame from what is known of the others. True if those may change. */
static bool takta_can_update(const struct takta_can_run *run, size_t index, uint64_t *response_ns)
{
    struct takt_analysis_can_work *work = &run->work[index];
    struct takta_can_found worst = {0, 0, 0};
    size_t floor = takta_can_floor(run, index);
    enum takt_analysis_status status = takta_can_examine(run, index, floor, &worst);
    uint64_t most = takt_add(run->busy_ns, work->queued_ns), held;

    if (status == TAKT_ANALYSIS_OK && floor > index) {
        status = takta_can_examine(run, index, index, &worst); /* no lower frame of its sender may go before it, too */
    }
    held = status == TAKT_ANALYSIS_OK ? worst.held_ns : TAKT_SATURATED;
    held = run->busy_ns < held ? run->busy_ns : held;
    *response_ns = status == TAKT_ANALYSIS_OK && worst.worst_ns < most ? worst.worst_ns : most;
    run->statuses[index] = *response_ns < TAKTA_HORIZON_NS ? TAKT_ANALYSIS_OK : status;
    if (held <= work->held_ns) {
        return false;
    }
    work->held_ns = held;
    return true;
}

void takta_can_responses_by_sender(const struct takt_analysis_can_bus *bus, struct takt_analysis_can_work *work,
                                   uint64_t *responses_ns, enum takt_analysis_status *statuses)
{
    struct takta_can_run run = {.bus = bus, .work = work, .statuses = statuses};
    bool grown = true;

    while (run.periodic < bus->frame_count && bus->frames[run.periodic].period_ns > 0) {
        statuses[run.periodic++] = TAKT_ANALYSIS_OK;
    }
    for (size_t i = run.periodic; i < bus->frame_count; i++) {
        statuses[i] = TAKT_ANALYSIS_UNBOUNDED;
    }
    takta_can_prepare(&run);
    takta_can_measure(&run);
    for (uint32_t round = 0; grown && round <= TAKTA_CAN_ROUNDS; round++) {
        grown = false;
        run.exhausted = round == TAKTA_CAN_ROUNDS;
        for (size_t i = 0; i < run.periodic && run.exhausted; i++) {
            work[i].held_ns = run.busy_ns;
        }
        for (size_t i = 0; i < run.periodic; i++) {
            grown = takta_can_update(&run, i, &responses_ns[i]) || grown;
        }
    }
}
