/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of chains, segment by segment. */
#include "takt/analysis_chain.h"

#include "internal.h"

/* Steps that follow each other, and what bounds them. */
struct takta_segment {
    const struct takt_analysis_chain_step *first;
    const struct takt_analysis_chain_step *last;
    uint64_t reaction_ns;
    uint64_t age_ns;   /* to the completion of the last job that uses it */
    uint64_t stays_ns; /* to that of the job after it */
};

static bool takta_chain_valid(const struct takt_analysis_chain_step *steps, size_t count)
{
    if (count == 0 || count > TAKT_ANALYSIS_CHAIN_MAX) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const struct takt_analysis_chain_step *step = &steps[i];

        if (step->period_ns > TAKT_ANALYSIS_TIME_MAX_NS || step->offset_ns > TAKT_ANALYSIS_TIME_MAX_NS ||
            step->response_ns > TAKT_ANALYSIS_TIME_MAX_NS || step->response_ns == 0 ||
            step->jitter_ns > step->response_ns || (step->period_ns == 0 && i > 0)) {
            return false;
        }
    }
    return true;
}

/* From the arrival of a job to when every job of the next step that arrives then or later uses what it wrote. */
static uint64_t takta_chain_delay(const struct takt_analysis_chain_step *step)
{
    return step->ahead ? step->jitter_ns : step->response_ns;
}

static void takta_chain_sum(struct takta_segment *segment)
{
    uint64_t sum = segment->last->response_ns;

    for (const struct takt_analysis_chain_step *step = segment->first; step < segment->last; step++) {
        sum = takt_add(sum, takt_add(step->period_ns, takta_chain_delay(step)));
    }
    segment->age_ns = sum;
    segment->reaction_ns = takt_add(sum, segment->last->period_ns);
    segment->stays_ns = segment->reaction_ns;
    if (segment->first->period_ns == 0) { /* the cause starts it, and nothing else does */
        segment->stays_ns = TAKT_SATURATED;
    }
}

static uint64_t takta_chain_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* When every step has arrived once. */
static uint64_t takta_chain_start(const struct takta_segment *segment)
{
    uint64_t start = 0;

    for (const struct takt_analysis_chain_step *step = segment->first; step <= segment->last; step++) {
        start = step->offset_ns > start ? step->offset_ns : start;
    }
    return start;
}

/* From the first arrival to when what happens has repeated itself; TAKT_SATURATED: beyond all numbers. */
static uint64_t takta_chain_span(const struct takta_segment *segment)
{
    uint64_t cycle = 1, begin = 0;

    for (const struct takt_analysis_chain_step *step = segment->first; step <= segment->last; step++) {
        if (cycle != TAKT_SATURATED) {
            cycle = takt_multiply(cycle / takta_chain_divisor(cycle, step->period_ns), step->period_ns);
        }
        begin = takt_add(begin, takt_add(step->offset_ns, takt_add(step->period_ns, step->response_ns)));
    }
    return takt_add(begin, cycle);
}

/* The arrival of the first job of `step` at or after a time. */
static uint64_t takta_chain_next(const struct takt_analysis_chain_step *step, uint64_t time_ns)
{
    uint64_t jobs = takt_divide_up(takt_subtract(time_ns, step->offset_ns), step->period_ns);

    return step->offset_ns + jobs * step->period_ns;
}

/* The longest time from the arrival before that of a job of the first step to the last step's use of that job. */
static uint64_t takta_chain_forwards(const struct takta_segment *segment, uint64_t jobs)
{
    uint64_t longest = 0, start = takta_chain_start(segment), begin = takta_chain_next(segment->first, start);

    for (uint64_t job = 0; job < jobs; job++) {
        uint64_t arrival = begin, missed = takt_subtract(begin, segment->first->period_ns);

        for (const struct takt_analysis_chain_step *step = segment->first; step < segment->last; step++) {
            arrival = takta_chain_next(step + 1, arrival + takta_chain_delay(step));
        }
        arrival += segment->last->response_ns - (missed > start ? missed : start);
        longest = arrival > longest ? arrival : longest;
        begin += segment->first->period_ns;
    }
    return longest;
}

/* The longest time from the arrival of a job of the first step to the completion of a job of the last that uses it. */
static uint64_t takta_chain_backwards(const struct takta_segment *segment, uint64_t jobs)
{
    uint64_t longest = 0;

    for (uint64_t job = 0; job < jobs; job++) {
        uint64_t end = segment->last->offset_ns + job * segment->last->period_ns, arrival = end;
        const struct takt_analysis_chain_step *step = segment->last;

        while (step > segment->first && arrival >= (step - 1)->offset_ns + takta_chain_delay(step - 1)) {
            step--;
            arrival -=
                (arrival - step->offset_ns - takta_chain_delay(step)) % step->period_ns + takta_chain_delay(step);
        }
        if (step == segment->first) { /* else it comes before there is anything to use */
            end += segment->last->response_ns - arrival;
            longest = end > longest ? end : longest;
        }
    }
    return longest;
}

static void takta_chain_follow(struct takta_segment *segment, uint32_t iterations)
{
    uint64_t span = takta_chain_span(segment);
    uint64_t forwards = span / segment->first->period_ns + 1, backwards = span / segment->last->period_ns + 1;

    if (span < TAKTA_HORIZON_NS / 4 && forwards <= iterations && backwards <= iterations) {
        segment->reaction_ns = takta_chain_forwards(segment, forwards);
        segment->age_ns = takta_chain_backwards(segment, backwards);
        segment->stays_ns = takt_add(segment->age_ns, segment->last->period_ns);
    }
}

enum takt_analysis_status takt_analysis_chain(const struct takt_analysis_chain_step *steps, size_t count,
                                              uint32_t iterations, struct takt_analysis_chain_bounds *bounds)
{
    uint64_t reaction = 0, stayed = 0, age = 0;

    if (!takta_chain_valid(steps, count)) {
        return TAKT_ANALYSIS_INVALID;
    }
    for (size_t i = 0; i < count; i++) {
        struct takta_segment segment = {.first = &steps[i]};

        while (i + 1 < count && steps[i].period_ns > 0 && steps[i + 1].clock == steps[i].clock) {
            i++;
        }
        segment.last = &steps[i];
        takta_chain_sum(&segment);
        if (segment.first->clock != 0 && segment.first->period_ns > 0) {
            takta_chain_follow(&segment, iterations);
        }
        reaction = takt_add(reaction, segment.reaction_ns);
        age = takt_add(stayed, segment.age_ns);
        stayed = takt_add(stayed, segment.stays_ns);
    }
    *bounds = (struct takt_analysis_chain_bounds){.reaction_ns = reaction, .age_ns = age};
    return reaction == TAKT_SATURATED || (age == TAKT_SATURATED && steps[0].period_ns > 0) ? TAKT_ANALYSIS_OVERFLOW
                                                                                           : TAKT_ANALYSIS_OK;
}
