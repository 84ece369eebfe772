/* SPDX-License-Identifier: Apache-2.0 */
/* Identifiers that carry deadlines: each release in the busy period is examined.
 *
 * The busy period begins when a frame that loses has just begun, and of every other stream a message is queued, as late
 * as its jitter allows. A message of stream i that is queued at a in it, at the latest, is begun by
 * x = a - jitter + deadline - send if some s <= x is at least what goes before it: the frame that blocks, its own
 * earlier messages, and of each other stream those that are queued by then and whose deadline goes first. With a fixed
 * count of each, a later release only has more time, and waits for less; so the releases are enough at which a count
 * grows.
 */
#include "can.h"

/* A stream, and what its messages wait for. */
struct takta_can_stream {
    const struct takt_analysis_can_deadlines *bus;
    const struct takt_analysis_can_stream *own;
    uint64_t blocking_ns; /* longest frame that may have just begun */
    uint64_t busy_ns;     /* longest busy period */
    uint64_t response_ns; /* longest that is found */
    uint32_t iterations;  /* left */
};

static bool takta_can_stream_valid(const struct takt_analysis_can_deadlines *bus, size_t index)
{
    const struct takt_analysis_can_stream *stream = &bus->streams[index];

    return stream->send_ns >= bus->bit_ns && stream->send_ns <= stream->deadline_ns && stream->period_ns > 0 &&
           stream->period_ns >= bus->error_ns && stream->period_ns <= TAKT_ANALYSIS_TIME_MAX_NS &&
           stream->deadline_ns <= TAKT_ANALYSIS_TIME_MAX_NS && stream->jitter_ns <= TAKT_ANALYSIS_TIME_MAX_NS;
}

bool takta_can_deadlines_valid(const struct takt_analysis_can_deadlines *bus)
{
    bool valid = bus->bit_ns > 0 && bus->bit_ns <= TAKT_ANALYSIS_TIME_MAX_NS && bus->region_ns > 0 &&
                 bus->region_ns <= TAKT_ANALYSIS_TIME_MAX_NS && bus->blocking_ns <= TAKT_ANALYSIS_TIME_MAX_NS &&
                 bus->above_ns <= TAKT_ANALYSIS_TIME_MAX_NS && bus->above_period_ns <= TAKT_ANALYSIS_TIME_MAX_NS &&
                 bus->above_jitter_ns <= TAKT_ANALYSIS_TIME_MAX_NS && (bus->above_ns == 0 || bus->above_period_ns > 0);

    for (size_t i = 0; i < bus->stream_count && valid; i++) {
        valid = takta_can_stream_valid(bus, i);
    }
    return valid;
}

/* Of those that win against all: what they take that are queued in [0, window_ns). */
static uint64_t takta_can_above(const struct takt_analysis_can_deadlines *bus, uint64_t window_ns)
{
    uint64_t span_ns = window_ns - 1 + bus->above_jitter_ns;

    return bus->above_ns == 0 || window_ns == 0
               ? 0
               : takt_multiply(takta_quotient(span_ns, bus->above_period_ns) + 1, bus->above_ns);
}

/* From the deadline of a stream's message to that of `other`, up to which a message of `other` goes first. */
static uint64_t takta_can_reach(const struct takta_can_stream *stream, const struct takt_analysis_can_stream *other)
{
    return stream->bus->error_ns + (other < stream->own ? stream->bus->region_ns : 0);
}

/* What goes before a message of `stream` that is to begin by x_ns, up to start_ns; without its own. */
static uint64_t takta_can_ahead(const struct takta_can_stream *stream, uint64_t x_ns, uint64_t start_ns)
{
    const struct takt_analysis_can_deadlines *bus = stream->bus;
    uint64_t window = start_ns + bus->bit_ns;
    uint64_t sum = takt_add(stream->blocking_ns, takta_can_above(bus, window));

    for (size_t i = 0; i < bus->stream_count; i++) {
        const struct takt_analysis_can_stream *other = &bus->streams[i];
        uint64_t latest = takt_add(x_ns + takta_can_reach(stream, other), other->jitter_ns);
        uint64_t least = other->deadline_ns - other->send_ns, queued = window - 1 + other->jitter_ns, span;

        if (other == stream->own || latest <= least) {
            continue;
        }
        span = latest - 1 - least;
        span = span < queued ? span : queued;
        sum = takt_add(sum, takt_multiply(takta_quotient(span, other->period_ns) + 1, other->send_ns));
    }
    return sum;
}

/* Whether a message that is queued at release_ns in the busy period, as late as its jitter allows, is begun in time.
 * The search starts at *start_ns, which it does not begin before, and stores there when it is begun. */
static enum takta_answer takta_can_release(struct takta_can_stream *stream, uint64_t release_ns, uint64_t *start_ns)
{
    const struct takt_analysis_can_stream *own = stream->own;
    uint64_t x = release_ns + own->deadline_ns - own->send_ns - own->jitter_ns, time, next = *start_ns, spent;
    uint64_t before = takt_multiply(takta_quotient(release_ns, own->period_ns), own->send_ns);

    do {
        if (stream->iterations == 0) {
            return TAKTA_LIMIT;
        }
        stream->iterations--;
        time = next;
        next = takt_add(before, takta_can_ahead(stream, x, time));
        if (next > x) {
            return TAKTA_BEYOND;
        }
    } while (next > time);
    *start_ns = time;
    spent = time + own->send_ns + own->jitter_ns;
    if (spent > release_ns && spent - release_ns > stream->response_ns) {
        stream->response_ns = spent - release_ns;
    }
    return TAKTA_FOUND;
}

/* All releases at which the count of `other` grows, or that of the stream itself. What goes before a later one is no
 * less, so it is begun no earlier. */
static enum takta_answer takta_can_releases(struct takta_can_stream *stream,
                                            const struct takt_analysis_can_stream *other)
{
    uint64_t own = stream->own->deadline_ns - stream->own->send_ns - stream->own->jitter_ns;
    uint64_t first = other->deadline_ns - other->send_ns + 1;
    uint64_t reach = own + takta_can_reach(stream, other) + other->jitter_ns, release = 0, start = 0;
    enum takta_answer answer = TAKTA_FOUND;

    if (other != stream->own && first >= reach) {
        release = first - reach;
    } else if (other != stream->own) {
        uint64_t past = reach - first - takta_quotient(reach - first, other->period_ns) * other->period_ns;

        release = past > 0 ? other->period_ns - past : 0;
    }
    while (release < stream->busy_ns + stream->own->jitter_ns && answer == TAKTA_FOUND) {
        answer = takta_can_release(stream, release, &start);
        release += other->period_ns;
    }
    return answer;
}

/* The longest busy period, all streams and the frame that blocks. */
static enum takta_answer takta_can_busy(struct takta_can_stream *stream)
{
    const struct takt_analysis_can_deadlines *bus = stream->bus;
    uint64_t time, next = stream->blocking_ns + 1;

    do {
        if (stream->iterations == 0) {
            return TAKTA_LIMIT;
        }
        stream->iterations--;
        time = next;
        next = takt_add(stream->blocking_ns, takta_can_above(bus, time));
        for (size_t i = 0; i < bus->stream_count; i++) {
            const struct takt_analysis_can_stream *other = &bus->streams[i];
            uint64_t span = time - 1 + other->jitter_ns;

            next = takt_add(next, takt_multiply(takta_quotient(span, other->period_ns) + 1, other->send_ns));
        }
        if (next >= TAKTA_HORIZON_NS / 2) {
            return TAKTA_OVERFLOW;
        }
    } while (next > time);
    stream->busy_ns = time;
    return TAKTA_FOUND;
}

static enum takt_analysis_verdict takta_can_stream_verdict(struct takta_can_stream *stream)
{
    const struct takt_analysis_can_deadlines *bus = stream->bus;
    enum takta_answer answer;

    stream->blocking_ns = bus->blocking_ns;
    for (size_t i = 0; i < bus->stream_count; i++) {
        const struct takt_analysis_can_stream *other = &bus->streams[i];

        if (other != stream->own && other->send_ns > stream->blocking_ns) {
            stream->blocking_ns = other->send_ns;
        }
    }
    if (stream->own->deadline_ns - stream->own->send_ns < stream->own->jitter_ns) {
        return TAKT_ANALYSIS_INFEASIBLE;
    }
    answer = takta_can_busy(stream);
    for (size_t i = 0; i < bus->stream_count && answer == TAKTA_FOUND; i++) {
        answer = takta_can_releases(stream, &bus->streams[i]);
    }
    if (answer == TAKTA_FOUND) {
        return TAKT_ANALYSIS_FEASIBLE;
    }
    return answer == TAKTA_BEYOND ? TAKT_ANALYSIS_INFEASIBLE : TAKT_ANALYSIS_UNDECIDED;
}

bool takta_can_deadlines_overload(const struct takt_analysis_can_deadlines *bus)
{
    struct takta_utilization load = {0, 0};

    for (size_t i = 0; i < bus->stream_count; i++) {
        takta_utilization_add(&load, bus->streams[i].send_ns, bus->streams[i].period_ns);
    }
    if (bus->above_ns > 0) {
        takta_utilization_add(&load, bus->above_ns, bus->above_period_ns);
    }
    return takta_utilization_exceeds_one(&load);
}

enum takt_analysis_status takt_analysis_can_deadlines(const struct takt_analysis_can_deadlines *bus,
                                                      enum takt_analysis_verdict *verdicts, uint64_t *responses_ns)
{
    bool overloaded;

    if (!takta_can_deadlines_valid(bus)) {
        return TAKT_ANALYSIS_INVALID;
    }
    overloaded = takta_can_deadlines_overload(bus);
    for (size_t i = 0; i < bus->stream_count; i++) {
        struct takta_can_stream stream = {.bus = bus, .own = &bus->streams[i], .iterations = bus->iterations};

        verdicts[i] = overloaded ? TAKT_ANALYSIS_INFEASIBLE : takta_can_stream_verdict(&stream);
        if (responses_ns != NULL) {
            responses_ns[i] = stream.response_ns;
        }
    }
    return TAKT_ANALYSIS_OK;
}
