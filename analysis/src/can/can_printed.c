/* SPDX-License-Identifier: Apache-2.0 */
/* The conditions that seed 000 prints. "For some t in S" is asked of the least t that could do: between two releases
 * the sum is constant, and it never falls.
 */
#include "takt/analysis_can_printed.h"

#include "can.h"

/* Whether the last of `count` messages of `other` goes before the first one of `own`, which comes later in the order
 * if `wins`. */
static bool takta_printed_first(const struct takt_analysis_can_deadlines *bus,
                                const struct takt_analysis_can_stream *own,
                                const struct takt_analysis_can_stream *other, uint64_t count)
{
    uint64_t mine = own->deadline_ns - own->send_ns;
    uint64_t theirs = (count - 1) * other->period_ns + (other->deadline_ns - other->send_ns);

    return theirs < mine || (mine < theirs && theirs <= mine + bus->region_ns && other < own);
}

/* What goes before the first message of `own` that is released in [0, time_ns). */
static uint64_t takta_printed_ahead(const struct takt_analysis_can_deadlines *bus,
                                    const struct takt_analysis_can_stream *own, bool mixed, uint64_t time_ns)
{
    uint64_t sum = bus->blocking_ns;

    if (bus->above_ns > 0) {
        sum = takt_add(sum, takt_multiply(takt_divide_up(time_ns, bus->above_period_ns), bus->above_ns));
    }
    for (const struct takt_analysis_can_stream *other = bus->streams;
         other < (mixed ? bus->streams + bus->stream_count : own); other++) {
        uint64_t count = takt_divide_up(time_ns, other->period_ns);

        if (other != own) {
            count -= mixed && !takta_printed_first(bus, own, other, count);
            sum = takt_add(sum, takt_multiply(count, other->send_ns));
        }
    }
    return sum;
}

static enum takt_analysis_verdict takta_printed_stream(const struct takt_analysis_can_deadlines *bus,
                                                       const struct takt_analysis_can_stream *own, bool mixed)
{
    uint64_t latest = own->deadline_ns - own->send_ns, time, next = 1;
    uint32_t iterations = bus->iterations;

    do {
        if (iterations == 0) {
            return TAKT_ANALYSIS_UNDECIDED;
        }
        iterations--;
        time = next;
        if (time > latest) {
            return TAKT_ANALYSIS_INFEASIBLE;
        }
        next = takt_add(takta_printed_ahead(bus, own, mixed, time), mixed); /* less than time, not at most */
    } while (next > time);
    return TAKT_ANALYSIS_FEASIBLE;
}

static enum takt_analysis_status takta_printed(const struct takt_analysis_can_deadlines *bus, bool mixed,
                                               enum takt_analysis_verdict *verdicts)
{
    if (!takta_can_deadlines_valid(bus)) {
        return TAKT_ANALYSIS_INVALID;
    }
    for (size_t i = 0; i < bus->stream_count; i++) {
        verdicts[i] = takta_printed_stream(bus, &bus->streams[i], mixed);
    }
    return TAKT_ANALYSIS_OK;
}

enum takt_analysis_status takt_analysis_can_printed_fixed(const struct takt_analysis_can_deadlines *bus,
                                                          enum takt_analysis_verdict *verdicts)
{
    return takta_printed(bus, false, verdicts);
}

enum takt_analysis_status takt_analysis_can_printed_mixed(const struct takt_analysis_can_deadlines *bus,
                                                          enum takt_analysis_verdict *verdicts)
{
    return takta_printed(bus, true, verdicts);
}

/* What of a stream is due by time_ns; the next time at which more is, if it is less, goes to *next_ns. */
static uint64_t takta_printed_due(const struct takt_analysis_can_stream *stream, uint64_t time_ns, uint64_t *next_ns)
{
    uint64_t count =
        time_ns < stream->deadline_ns ? 0 : takta_quotient(time_ns - stream->deadline_ns, stream->period_ns) + 1;
    uint64_t next = takt_add(stream->deadline_ns, takt_multiply(count, stream->period_ns));

    *next_ns = next < *next_ns ? next : *next_ns;
    return takt_multiply(count, stream->send_ns);
}

/* The end of the longest busy period, all streams and the frame that blocks; TAKT_SATURATED: unknown. */
static uint64_t takta_printed_busy(const struct takt_analysis_can_deadlines *bus, uint32_t *iterations)
{
    const struct takt_analysis_can_stream *end = bus->streams + bus->stream_count;
    uint64_t time, next = 1;

    do {
        if (*iterations == 0) {
            return TAKT_SATURATED;
        }
        (*iterations)--;
        time = next;
        next = takta_printed_ahead(bus, end, false, time);
    } while (next > time);
    return time;
}

static enum takt_analysis_verdict takta_printed_demand(const struct takt_analysis_can_deadlines *bus)
{
    uint32_t iterations = bus->iterations;
    uint64_t busy = takta_printed_busy(bus, &iterations), time = 0, next, sum;

    for (; time <= busy; time = next) {
        if (iterations == 0) {
            return TAKT_ANALYSIS_UNDECIDED;
        }
        iterations--;
        next = TAKT_SATURATED;
        sum = 0;
        for (size_t i = 0; i < bus->stream_count; i++) {
            sum = takt_add(sum, takta_printed_due(&bus->streams[i], time, &next));
        }
        if (sum > 0 && bus->above_ns > 0) {
            sum = takt_add(sum, takt_multiply(takt_divide_up(time, bus->above_period_ns), bus->above_ns));
        }
        if (sum > 0 && takt_add(sum, bus->blocking_ns) > time) {
            return TAKT_ANALYSIS_INFEASIBLE;
        }
    }
    return TAKT_ANALYSIS_FEASIBLE;
}

enum takt_analysis_status takt_analysis_can_printed_earliest(const struct takt_analysis_can_deadlines *bus,
                                                             enum takt_analysis_verdict *verdict)
{
    if (!takta_can_deadlines_valid(bus)) {
        return TAKT_ANALYSIS_INVALID;
    }
    *verdict = takta_can_deadlines_overload(bus) ? TAKT_ANALYSIS_INFEASIBLE : takta_printed_demand(bus);
    return TAKT_ANALYSIS_OK;
}
