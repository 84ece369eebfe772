/* SPDX-License-Identifier: Apache-2.0 */
/* The response of a frame that its sender may hold back behind frames of lower priority.
 *
 * The busy period is that of the lowest of these; it begins at 0, and the frame is queued at `now`. Its own instances
 * are worst if each is queued as late as may be: earlier, it has no more of its own before it, and fewer of the others.
 * What is queued before it grows only at the times of takta_can_next, so these are all that need be examined.
 *
 * Two times are searched: `early`, when the last lower frame of its sender starts, and from then on at the priority of
 * the frame itself, its start.
 */
#include "can.h"

/* What streams[first .. end) take that are queued in the first window_ns > 0. */
static uint64_t takta_can_part(const struct takta_can_level *level, size_t first, size_t end, uint64_t window_ns)
{
    const struct takta_can_level part = {.streams = level->streams + first, .stream_count = end - first};

    return takta_can_interference(&part, window_ns);
}

/* takta_can_settle with the interference of streams[first .. end). */
static enum takta_answer takta_can_settle_part(struct takta_can_level *level, size_t first, size_t end, uint64_t own_ns,
                                               uint64_t tail_ns, uint64_t *time_ns)
{
    struct takta_can_level part = *level;
    enum takta_answer answer;

    part.streams += first;
    part.stream_count = end - first;
    answer = takta_can_settle(&part, own_ns, level->bus->bit_ns, tail_ns, NULL, time_ns);
    level->iterations = part.iterations;
    return answer;
}

/* The least time > now_ns at which another frame of the sender may be queued before this one. */
static uint64_t takta_can_next(const struct takta_can_level *level, const struct takta_can_parts *parts,
                               const struct takt_analysis_can_frame *frame, uint64_t now_ns)
{
    uint64_t next = takt_multiply(takta_quotient(now_ns, frame->period_ns) + 1, frame->period_ns);

    for (size_t i = parts->above; i < parts->end; i++) {
        const struct takt_analysis_can_work *stream = &level->streams[i];
        uint64_t count = takta_quotient(takt_add(now_ns, stream->jitter_ns), stream->period_ns) + 1;
        uint64_t time = takt_subtract(takt_multiply(count, stream->period_ns), stream->jitter_ns);

        next = time < next ? time : next;
    }
    return next;
}

enum takta_answer takta_can_held_worst(struct takta_can_level *level, const struct takta_can_parts *parts,
                                       const struct takt_analysis_can_frame *frame, struct takta_can_found *found)
{
    uint64_t busy = frame->send_ns, early = 0, start = 0;
    enum takta_answer answer;

    level->stream_count = parts->end;
    answer = takta_can_settle(level, level->blocking_ns, 0, 0, frame, &busy);
    *found = (struct takta_can_found){0, 0, 0};
    for (uint64_t now = 0; answer == TAKTA_FOUND && now < busy; now = takta_can_next(level, parts, frame, now)) {
        uint64_t before = takt_multiply(takta_quotient(now, frame->period_ns), frame->send_ns), own, held, response;

        before = takt_add(level->blocking_ns, before); /* its own instances, and the blocking */
        own = takt_add(before, takta_can_part(level, parts->passing, parts->end, now + 1));
        if (parts->shortest_ns > 0) {
            uint64_t sum = takt_add(before, takta_can_part(level, parts->above, parts->end, now + 1));

            answer = takta_can_settle_part(level, 0, parts->above, sum - parts->shortest_ns, parts->longest_ns, &early);
            held = takt_subtract(early, now);
            found->held_ns = found->held_ns < held ? held : found->held_ns;
            own = takt_add(own, takta_can_part(level, 0, parts->between, takt_add(early, level->bus->bit_ns)));
        }
        if (answer == TAKTA_FOUND) {
            answer = takta_can_settle_part(level, parts->between, parts->passing, own, frame->send_ns, &start);
        }
        response = takt_add(takt_subtract(start + frame->send_ns, now), frame->jitter_ns);
        found->start_ns = now == 0 ? start : found->start_ns;
        found->worst_ns = found->worst_ns < response ? response : found->worst_ns;
    }
    return answer;
}
