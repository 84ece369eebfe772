/* SPDX-License-Identifier: Apache-2.0 */
/* Response times on a CAN bus: Davis, Burns, Bril and Lukkien 2007, all instances of the busy period.
 *
 * A frame starts at the least w with w = B + q C + (what frames of higher priority that are queued before w + one bit
 * take) + (errors up to its end). The bit: a frame that is queued after another node has begun to send, but less than a
 * bit later, still takes part in the arbitration.
 *
 * The search for the first start of a frame begins at a lower bound that the frame above leaves (as in fixed.c). Let f
 * be the start of the frame above, with cost c and blocking b; this frame has blocking b'. Up to f that frame's sums
 * exceed the time, so if b' + c >= b, the sums of this frame, in which its c replaces the difference of the blocking,
 * do too. Hence it does not start before f, and at f they are f - b + b' + c. Errors are in the sums only if their cost
 * depends on neither frame, so with errors the search begins at the frame's own cost.
 */
#include "can.h"

static bool takta_can_frame_valid(const struct takt_analysis_can_bus *bus, size_t index)
{
    const struct takt_analysis_can_frame *frame = &bus->frames[index];
    bool last = frame->period_ns == 0;
    bool ordered = last || index == 0 || bus->frames[index - 1].period_ns != 0;

    return ordered && (bus->sender_count == 0 || frame->sender < bus->sender_count) && frame->send_ns >= bus->bit_ns &&
           frame->send_ns <= TAKT_ANALYSIS_TIME_MAX_NS && frame->period_ns <= TAKT_ANALYSIS_TIME_MAX_NS &&
           frame->jitter_ns <= TAKT_ANALYSIS_TIME_MAX_NS;
}

static bool takta_can_sender_valid(const struct takt_analysis_can_sender *sender)
{
    bool buffers = sender->queue == TAKT_ANALYSIS_CAN_BUFFERS || sender->queue == TAKT_ANALYSIS_CAN_ABORTABLE;

    return sender->queue <= TAKT_ANALYSIS_CAN_ABORTABLE && (!buffers || sender->buffers > 0) &&
           sender->abort_ns <= TAKT_ANALYSIS_TIME_MAX_NS;
}

bool takta_can_valid(const struct takt_analysis_can_bus *bus)
{
    const struct takt_analysis_can_errors *errors = &bus->errors;

    if (bus->bit_ns == 0 || bus->bit_ns > TAKT_ANALYSIS_TIME_MAX_NS) {
        return false;
    }
    if (errors->count > 0 &&
        (errors->distance_ns == 0 || errors->distance_ns > TAKT_ANALYSIS_TIME_MAX_NS ||
         errors->burst_ns > TAKT_ANALYSIS_TIME_MAX_NS || errors->cost_ns > TAKT_ANALYSIS_TIME_MAX_NS)) {
        return false;
    }
    for (size_t i = 0; i < bus->sender_count; i++) {
        if (!takta_can_sender_valid(&bus->senders[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < bus->frame_count; i++) {
        if (!takta_can_frame_valid(bus, i)) {
            return false;
        }
    }
    return true;
}

size_t takta_can_stream_add(struct takt_analysis_can_work *work, size_t first, size_t *end,
                            const struct takt_analysis_can_frame *frame, uint64_t jitter_ns)
{
    size_t at = first;

    while (at < *end && (work[at].period_ns != frame->period_ns || work[at].jitter_ns != jitter_ns)) {
        at++;
    }
    if (at == *end) {
        work[at].period_ns = frame->period_ns;
        work[at].jitter_ns = jitter_ns;
        work[at].cost_ns = 0;
        ++*end;
    }
    work[at].cost_ns = takt_add(work[at].cost_ns, frame->send_ns);
    return at;
}

uint64_t takta_can_errors(const struct takta_can_level *level, uint64_t window_ns)
{
    const struct takt_analysis_can_errors *errors = &level->bus->errors;

    if (errors->count == 0) {
        return 0;
    }
    window_ns = takt_add(window_ns, errors->burst_ns);
    return takt_multiply(takt_multiply(takt_divide_up(window_ns, errors->distance_ns), errors->count),
                         takt_add(errors->cost_ns, level->longest_ns));
}

uint64_t takta_can_interference(const struct takta_can_level *level, uint64_t window_ns)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < level->stream_count; i++) {
        const struct takt_analysis_can_work *stream = &level->streams[i];
        uint64_t span = takt_add(window_ns - 1, stream->jitter_ns);

        sum = takt_add(sum, takt_multiply(takta_quotient(span, stream->period_ns) + 1, stream->cost_ns));
    }
    return sum;
}

enum takta_answer takta_can_settle(struct takta_can_level *level, uint64_t own_ns, uint64_t ahead_ns, uint64_t tail_ns,
                                   const struct takt_analysis_can_frame *self, uint64_t *time_ns)
{
    uint64_t next = *time_ns, time;

    do {
        if (level->iterations == 0) {
            return TAKTA_LIMIT;
        }
        level->iterations--;
        time = next;
        next = takt_add(own_ns, takta_can_interference(level, time + ahead_ns));
        next = takt_add(next, takta_can_errors(level, time + tail_ns));
        if (self != NULL) {
            uint64_t count = takta_quotient(takt_add(time - 1, self->jitter_ns), self->period_ns) + 1;

            next = takt_add(next, takt_multiply(count, self->send_ns));
        }
        if (next >= TAKTA_HORIZON_NS) {
            return TAKTA_OVERFLOW;
        }
    } while (next > time);
    *time_ns = time;
    return TAKTA_FOUND;
}

enum takta_answer takta_can_worst(struct takta_can_level *level, const struct takt_analysis_can_frame *frame,
                                  uint64_t least_ns, struct takta_can_found *found)
{
    uint64_t bit = level->bus->bit_ns, own = level->blocking_ns, start = least_ns, busy, instances;
    enum takta_answer answer = takta_can_settle(level, own, bit, frame->send_ns, NULL, &start);

    found->start_ns = start;
    found->worst_ns = takt_add(takt_add(start, frame->send_ns), frame->jitter_ns);
    found->held_ns = 0;
    busy = start + frame->send_ns; /* it goes on for as long at least, since a frame takes a bit or more */
    if (answer == TAKTA_FOUND) {
        answer = takta_can_settle(level, own, 0, 0, frame, &busy);
    }
    if (answer != TAKTA_FOUND) {
        return answer;
    }
    instances = takta_quotient(busy - 1 + frame->jitter_ns, frame->period_ns) + 1;
    for (uint64_t q = 1; q < instances; q++) {
        uint64_t response;

        own += frame->send_ns; /* no more than the busy period */
        start += frame->send_ns;
        answer = takta_can_settle(level, own, bit, frame->send_ns, NULL, &start);
        if (answer != TAKTA_FOUND) {
            return answer;
        }
        response = takt_subtract(start + frame->send_ns + frame->jitter_ns, takt_multiply(q, frame->period_ns));
        found->worst_ns = found->worst_ns < response ? response : found->worst_ns;
    }
    return TAKTA_FOUND;
}

/* work[i].below_ns: the longest frame of lower priority than that of i. */
static void takta_can_blocking(const struct takt_analysis_can_bus *bus, struct takt_analysis_can_work *work)
{
    uint64_t longest = 0;

    for (size_t i = bus->frame_count; i-- > 0;) {
        work[i].below_ns = longest;
        longest = longest < bus->frames[i].send_ns ? bus->frames[i].send_ns : longest;
    }
}

bool takta_can_overloaded(const struct takta_can_level *level, struct takta_utilization frames)
{
    const struct takt_analysis_can_errors *errors = &level->bus->errors;

    if (errors->count > 0) {
        uint64_t cost = takt_multiply(errors->count, takt_add(errors->cost_ns, level->longest_ns));

        takta_utilization_add(&frames, cost, errors->distance_ns);
    }
    return takta_utilization_exceeds_one(&frames);
}

enum takt_analysis_status takta_can_status(enum takta_answer answer, uint64_t response_ns)
{
    if (answer == TAKTA_LIMIT) {
        return TAKT_ANALYSIS_LIMIT;
    }
    return answer == TAKTA_FOUND && response_ns < TAKTA_HORIZON_NS ? TAKT_ANALYSIS_OK : TAKT_ANALYSIS_OVERFLOW;
}

bool takta_can_has_queues(const struct takt_analysis_can_bus *bus)
{
    for (size_t i = 0; i < bus->sender_count; i++) {
        if (bus->senders[i].queue != TAKT_ANALYSIS_CAN_PRIORITY) {
            return true;
        }
    }
    return false;
}

enum takt_analysis_status takt_analysis_can_responses(const struct takt_analysis_can_bus *bus,
                                                      struct takt_analysis_can_work *work, uint64_t *responses_ns,
                                                      enum takt_analysis_status *statuses)
{
    struct takta_can_level level = {.bus = bus, .streams = work};
    struct takta_utilization load = {0, 0};
    struct takta_can_found last = {0, 0, 0};
    bool found = false; /* `last` is of the frame above */

    if (!takta_can_valid(bus)) {
        return TAKT_ANALYSIS_INVALID;
    }
    takta_can_blocking(bus, work);
    if (takta_can_has_queues(bus)) {
        takta_can_responses_by_sender(bus, work, responses_ns, statuses);
        return TAKT_ANALYSIS_OK;
    }
    for (size_t i = 0; i < bus->frame_count; i++) {
        const struct takt_analysis_can_frame *frame = &bus->frames[i];
        uint64_t before = level.blocking_ns, least, least_sum;
        enum takta_answer answer;

        statuses[i] = TAKT_ANALYSIS_UNBOUNDED;
        if (frame->period_ns == 0) {
            continue;
        }
        level.blocking_ns = work[i].below_ns;
        level.longest_ns = level.longest_ns < frame->send_ns ? frame->send_ns : level.longest_ns;
        level.iterations = bus->iterations;
        takta_utilization_add(&load, frame->send_ns, frame->period_ns);
        if (takta_can_overloaded(&level, load)) {
            found = false;
        } else {
            least_sum = found ? takt_add(level.blocking_ns, bus->frames[i - 1].send_ns) : 0;
            least =
                least_sum > before && bus->errors.count == 0 ? last.start_ns + (least_sum - before) : level.blocking_ns;
            answer = takta_can_worst(&level, frame, least, &last);
            responses_ns[i] = last.worst_ns;
            found = answer == TAKTA_FOUND;
            statuses[i] = takta_can_status(answer, responses_ns[i]);
        }
        takta_can_stream_add(work, 0, &level.stream_count, frame, frame->jitter_ns);
    }
    return TAKT_ANALYSIS_OK;
}
