/* SPDX-License-Identifier: Apache-2.0 */
/* Responses on a CAN bus where frames of a group are released by one clock (the header has the sources).
 *
 * Frame by frame, from the highest priority on: its group gets its releases of one cycle, in order of time; then its
 * responses are searched from each time at which the busy period may begin; then the steps of its group are made anew.
 * They are what the group may claim of the frames below: for each number of ns the most that is queued in such a
 * window.
 */
#include "can.h"

/* The computation for all frames. */
struct takta_can_phased {
    const struct takt_analysis_can_bus *bus;
    const struct takt_analysis_phase *phases;
    const struct takt_analysis_can_offsets *work;
    size_t bounded;      /* frames[0 .. bounded) do not overload the bus */
    uint64_t horizon_ns; /* the longest window that is looked at */
    size_t step_room;    /* of a group */
};

/* A busy period, as the clock of a group sees it. */
struct takta_can_begin {
    const struct takt_analysis_can_group *group; /* NULL: it is not looked at */
    size_t index;                                /* what this frame queues does not count */
    uint64_t begin_ns;                           /* < group->cycle_ns */
    uint64_t cycle_ns;                           /* begin of the cycle of the next release */
    size_t at;                                   /* the next release, from the begin on */
    uint64_t sum_ns;                             /* of what is queued before it */
};

static struct takt_analysis_can_group *takta_can_group(const struct takta_can_phased *p, size_t index)
{
    return &p->work->groups[p->phases[index].group];
}

/* True if frames[index] counts with its offset. */
static bool takta_can_fixed(const struct takta_can_phased *p, size_t index)
{
    return p->work->groups[index].fixed;
}

static bool takta_can_phases_valid(const struct takt_analysis_can_bus *bus, const struct takt_analysis_phase *phases)
{
    for (size_t i = 0; i < bus->frame_count; i++) {
        size_t group = phases[i].group;

        if (group > i || phases[group].group != group || phases[i].offset_ns > TAKT_ANALYSIS_TIME_MAX_NS) {
            return false;
        }
    }
    return true;
}

/* The least common multiple; TAKT_SATURATED if it does not fit. */
static uint64_t takta_can_multiple(uint64_t a, uint64_t b)
{
    uint64_t x = a, y = b;

    while (y > 0) { /* at most 92 times, as the numbers of Fibonacci are the slowest */
        uint64_t rest = x % y;

        x = y;
        y = rest;
    }
    return takt_multiply(a / x, b);
}

/* Of the frames of group g those that count with their offsets: as many as have `room` for the releases of one cycle.
 * Returns how many releases these are; 0: fewer than two frames, so offsets say nothing. */
static size_t takta_can_gather(const struct takta_can_phased *p, size_t g, size_t room)
{
    const struct takt_analysis_can_frame *frames = p->bus->frames;
    struct takt_analysis_can_group *group = &p->work->groups[g];
    size_t members = 0, count = 0;

    group->cycle_ns = 1;
    for (size_t i = g; i < p->bounded; i++) {
        uint64_t cycle, sum;

        if (p->phases[i].group != g) {
            continue;
        }
        cycle = takta_can_multiple(group->cycle_ns, frames[i].period_ns);
        sum = takt_add(takt_multiply(count, cycle / group->cycle_ns), cycle / frames[i].period_ns);
        if (cycle <= TAKT_ANALYSIS_TIME_MAX_NS && sum <= room) {
            group->cycle_ns = cycle;
            count = (size_t)sum;
            members++;
            p->work->groups[i].fixed = true;
        }
    }
    for (size_t i = g; i < p->bounded && members < 2; i++) {
        if (p->phases[i].group == g) {
            p->work->groups[i].fixed = false;
        }
    }
    return members < 2 ? 0 : count;
}

/* Which frames count with their offsets, and where their releases and steps will be. */
static void takta_can_groups(struct takta_can_phased *p)
{
    size_t first = 0, several = 0;

    for (size_t i = 0; i < p->bus->frame_count; i++) {
        p->work->groups[i] = (struct takt_analysis_can_group){.first = 0};
    }
    for (size_t g = 0; g < p->bounded; g++) {
        struct takt_analysis_can_group *group = &p->work->groups[g];
        size_t count = p->phases[g].group == g ? takta_can_gather(p, g, p->work->release_count - first) : 0;

        group->first = first;
        group->steps = several;
        first += count;
        several += count > 0;
    }
    p->step_room = several > 0 ? p->work->step_count / several : 0;
    for (size_t g = 0; g < p->bounded; g++) {
        p->work->groups[g].steps *= p->step_room;
    }
}

/* The time from x to the next release of a frame whose clock is at begin_ns, if x is its jitter before that. */
static uint64_t takta_can_until(const struct takta_can_phased *p, size_t index, uint64_t begin_ns)
{
    const struct takt_analysis_can_frame *frame = &p->bus->frames[index];
    uint64_t period = frame->period_ns, ahead = p->phases[index].offset_ns % period + frame->jitter_ns % period;

    return (ahead + period - begin_ns % period) % period;
}

/* Releases of a frame before begin_ns that may be queued from then on. */
static uint64_t takta_can_late(const struct takta_can_phased *p, size_t index, uint64_t begin_ns)
{
    uint64_t until = takta_can_until(p, index, begin_ns), jitter = p->bus->frames[index].jitter_ns;

    return jitter > until ? takta_quotient(jitter - until - 1, p->bus->frames[index].period_ns) + 1 : 0;
}

/* The first of the group's releases at or after begin_ns < cycle; group->count: there is none in this cycle. */
static size_t takta_can_search(const struct takta_can_phased *p, const struct takt_analysis_can_group *group,
                               uint64_t begin_ns)
{
    const struct takt_analysis_can_release *releases = p->work->releases + group->first;
    size_t low = 0, high = group->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (releases[middle].time_ns < begin_ns) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Let a busy period begin when the group's release number `release` is queued as late as it may be. What `index`
 * itself takes does not count; SIZE_MAX: all do. */
static struct takta_can_begin takta_can_begin_at(const struct takta_can_phased *p,
                                                 const struct takt_analysis_can_group *group, size_t release,
                                                 size_t index)
{
    const struct takt_analysis_can_release *first = &p->work->releases[group->first + release];
    struct takta_can_begin begin = {.group = group, .index = index};
    size_t g = p->phases[first->frame].group;

    begin.begin_ns = (first->time_ns + p->bus->frames[first->frame].jitter_ns % group->cycle_ns) % group->cycle_ns;
    begin.at = takta_can_search(p, group, begin.begin_ns);
    begin.cycle_ns = 0;
    for (size_t i = g; i < group->end; i++) {
        if (p->phases[i].group == g && takta_can_fixed(p, i) && i != index) {
            uint64_t late = takta_can_late(p, i, begin.begin_ns);

            begin.sum_ns = takt_add(begin.sum_ns, takt_multiply(late, p->bus->frames[i].send_ns));
        }
    }
    return begin;
}

/* From the begin to the next release. */
static uint64_t takta_can_next_release(const struct takta_can_phased *p, struct takta_can_begin *begin)
{
    if (begin->at == begin->group->count) {
        begin->at = 0;
        begin->cycle_ns = takt_add(begin->cycle_ns, begin->group->cycle_ns);
    }
    return takt_subtract(takt_add(begin->cycle_ns, p->work->releases[begin->group->first + begin->at].time_ns),
                         begin->begin_ns);
}

/* Count the next release. */
static void takta_can_pass(const struct takta_can_phased *p, struct takta_can_begin *begin)
{
    size_t frame = p->work->releases[begin->group->first + begin->at++].frame;

    begin->sum_ns = takt_add(begin->sum_ns, frame == begin->index ? 0 : p->bus->frames[frame].send_ns);
}

/* Put the releases of frames[index] among those of its group. */
static void takta_can_insert(const struct takta_can_phased *p, size_t index)
{
    const struct takt_analysis_can_frame *frame = &p->bus->frames[index];
    struct takt_analysis_can_group *group = takta_can_group(p, index);
    struct takt_analysis_can_release *releases = p->work->releases + group->first;
    size_t added = (size_t)(group->cycle_ns / frame->period_ns), old = group->count;
    uint64_t first = p->phases[index].offset_ns % frame->period_ns;

    group->end = index + 1;
    group->count += added;
    for (size_t at = group->count; added > 0; at--) { /* from the last one on */
        uint64_t time = first + (added - 1) * frame->period_ns;

        if (old > 0 && releases[old - 1].time_ns > time) {
            releases[at - 1] = releases[--old];
        } else {
            releases[at - 1] = (struct takt_analysis_can_release){time, index};
            added--;
        }
    }
}

/* In windows longer than after_ns the group queues sum_ns at least. *near: a step at after_ns or before; it moves up to
 * the last such one. False: no room. */
static bool takta_can_step(const struct takta_can_phased *p, struct takt_analysis_can_group *group, size_t *near,
                           uint64_t after_ns, uint64_t sum_ns)
{
    struct takt_analysis_can_step *steps = p->work->steps + group->steps;
    size_t at = *near, end, kept;

    while (at + 1 < group->step_count && steps[at + 1].after_ns <= after_ns) {
        at++;
    }
    *near = at;
    if (group->step_count > 0 && steps[at].sum_ns >= sum_ns) {
        return true;
    }
    at += group->step_count > 0 && steps[at].after_ns < after_ns;
    for (end = at; end < group->step_count && steps[end].sum_ns <= sum_ns; end++) {
    }
    kept = group->step_count - end;
    if (at + 1 + kept > p->step_room) {
        return false;
    }
    if (end > at) {
        for (size_t i = 0; i < kept; i++) {
            steps[at + 1 + i] = steps[end + i];
        }
    } else {
        for (size_t i = kept; i-- > 0;) {
            steps[at + 1 + i] = steps[end + i];
        }
    }
    steps[at] = (struct takt_analysis_can_step){after_ns, sum_ns};
    group->step_count = at + 1 + kept;
    *near = at;
    return true;
}

/* Make the steps of the group of frames[index]. False: no room, or no iterations. */
static bool takta_can_climb(const struct takta_can_phased *p, size_t index)
{
    struct takt_analysis_can_group *group = takta_can_group(p, index);
    uint32_t left = p->bus->iterations;

    group->step_count = 0;
    for (size_t i = 0; i < group->count; i++) {
        struct takta_can_begin begin = takta_can_begin_at(p, group, i, SIZE_MAX);
        uint64_t next = takta_can_next_release(p, &begin);
        size_t near = 0;

        if (!takta_can_step(p, group, &near, 0, begin.sum_ns)) {
            return false;
        }
        for (; next < p->horizon_ns; next = takta_can_next_release(p, &begin)) {
            takta_can_pass(p, &begin);
            if (left-- == 0 || !takta_can_step(p, group, &near, next, begin.sum_ns)) {
                return false;
            }
        }
    }
    return true;
}

/* What other groups queue in a window, which is no shorter than those that were asked before. */
static uint64_t takta_can_claims(const struct takta_can_phased *p, const struct takta_can_begin *begin,
                                 uint64_t window_ns)
{
    uint64_t sum = 0;

    for (size_t g = 0; g < begin->index; g++) {
        struct takt_analysis_can_group *group = &p->work->groups[g];
        const struct takt_analysis_can_step *steps = p->work->steps + group->steps;

        if (group->step_count > 0 && group != begin->group) {
            while (group->at + 1 < group->step_count && steps[group->at + 1].after_ns < window_ns) {
                group->at++;
            }
            sum = takt_add(sum, steps[group->at].sum_ns);
        }
    }
    return sum;
}

/* The least time = own_ns + (what is queued up to a bit after it) + (errors up to the end of the frame). */
static enum takta_answer takta_can_phased_settle(const struct takta_can_phased *p, struct takta_can_level *level,
                                                 struct takta_can_begin *begin, uint64_t own_ns, uint64_t *time_ns)
{
    uint64_t next = *time_ns, send = p->bus->frames[begin->index].send_ns;

    do {
        uint64_t window = takt_add(next, p->bus->bit_ns);

        if (level->iterations == 0) {
            return TAKTA_LIMIT;
        }
        level->iterations--;
        *time_ns = next;
        while (begin->group != NULL && takta_can_next_release(p, begin) < window) {
            takta_can_pass(p, begin);
        }
        next = takt_add(takt_add(own_ns, begin->sum_ns), takta_can_claims(p, begin, window));
        next = takt_add(next, takta_can_interference(level, window));
        next = takt_add(next, takta_can_errors(level, *time_ns + send));
    } while (next > *time_ns);
    return TAKTA_FOUND;
}

/* Longest response of a frame in the busy period that begins so: *worst_ns, if that is shorter. */
static enum takta_answer takta_can_phased_worst(const struct takta_can_phased *p, struct takta_can_level *level,
                                                struct takta_can_begin *begin, uint64_t *worst_ns)
{
    const struct takt_analysis_can_frame *frame = &p->bus->frames[begin->index];
    uint64_t released = begin->group == NULL ? 0 : takta_can_until(p, begin->index, begin->begin_ns);
    uint64_t own = level->blocking_ns, start = own;

    for (size_t g = 0; g < begin->index; g++) {
        p->work->groups[g].at = 0;
    }
    for (;;) { /* `released` counts from the frame's jitter before the begin on */
        enum takta_answer answer = takta_can_phased_settle(p, level, begin, own, &start);
        uint64_t response;

        if (answer != TAKTA_FOUND) {
            return answer;
        }
        if (start + frame->jitter_ns < released) {
            return TAKTA_FOUND; /* the busy period is over before */
        }
        response = takt_add(start + frame->jitter_ns - released, frame->send_ns);
        *worst_ns = *worst_ns < response ? response : *worst_ns;
        released = takt_add(released, frame->period_ns);
        own = takt_add(own, frame->send_ns);
        start = takt_add(start, frame->send_ns);
    }
}

/* A bound of frames[index], at this level, if it is less than *response_ns. */
static void takta_can_improve(const struct takta_can_phased *p, struct takta_can_level *level, size_t index,
                              uint64_t *response_ns)
{
    const struct takt_analysis_can_group *group = takta_can_group(p, index);
    bool fixed = takta_can_fixed(p, index);
    size_t begins = fixed ? group->count : 1;
    uint64_t worst = 0;

    level->iterations = p->bus->iterations;
    for (size_t i = 0; i < begins && worst < *response_ns; i++) {
        struct takta_can_begin begin = {.index = index};

        if (fixed) {
            begin = takta_can_begin_at(p, group, i, index);
        }
        if (takta_can_phased_worst(p, level, &begin, &worst) != TAKTA_FOUND) {
            return;
        }
    }
    *response_ns = worst < *response_ns ? worst : *response_ns;
}

/* The frames above this one that count without offsets, as streams. */
static void takta_can_streams(const struct takta_can_phased *p, struct takta_can_level *level, size_t index)
{
    level->stream_count = 0;
    for (size_t i = 0; i < index; i++) {
        bool own = p->phases[i].group == p->phases[index].group && takta_can_fixed(p, index);

        if (!takta_can_fixed(p, i) || (takta_can_group(p, i)->plain && !own)) {
            takta_can_stream_add(p->work->frames, 0, &level->stream_count, &p->bus->frames[i],
                                 p->bus->frames[i].jitter_ns);
        }
    }
}

/* p->bounded and p->horizon_ns: one bit more than the busy period of all frames behind the longest. No search for a
 * start goes beyond it: of the frame itself it counts only instances that are released before the start of the last. */
static enum takta_answer takta_can_horizon(struct takta_can_phased *p)
{
    struct takta_can_level level = {.bus = p->bus, .streams = p->work->frames, .iterations = p->bus->iterations};
    struct takta_utilization load = {0, 0};
    enum takta_answer answer;

    for (p->bounded = 0; p->bounded < p->bus->frame_count; p->bounded++) {
        const struct takt_analysis_can_frame *frame = &p->bus->frames[p->bounded];
        uint64_t longest = level.longest_ns;

        if (frame->period_ns == 0) {
            break;
        }
        level.longest_ns = longest < frame->send_ns ? frame->send_ns : longest;
        takta_utilization_add(&load, frame->send_ns, frame->period_ns);
        if (takta_can_overloaded(&level, load)) {
            level.longest_ns = longest;
            break;
        }
        takta_can_stream_add(p->work->frames, 0, &level.stream_count, frame, frame->jitter_ns);
    }
    for (size_t i = 0; i < p->bus->frame_count; i++) {
        uint64_t send = p->bus->frames[i].send_ns;

        level.blocking_ns = level.blocking_ns < send ? send : level.blocking_ns;
    }
    p->horizon_ns = level.blocking_ns;
    answer = takta_can_settle(&level, level.blocking_ns, p->bus->bit_ns, level.longest_ns, NULL, &p->horizon_ns);
    p->horizon_ns += p->bus->bit_ns;
    return answer;
}

enum takt_analysis_status takt_analysis_can_responses_with_offsets(const struct takt_analysis_can_bus *bus,
                                                                   const struct takt_analysis_phase *phases,
                                                                   const struct takt_analysis_can_offsets *work,
                                                                   uint64_t *responses_ns,
                                                                   enum takt_analysis_status *statuses)
{
    struct takta_can_phased phased = {.bus = bus, .phases = phases, .work = work};
    struct takta_can_level level = {.bus = bus, .streams = work->frames};

    if (!takta_can_phases_valid(bus, phases) ||
        takt_analysis_can_responses(bus, work->frames, responses_ns, statuses) != TAKT_ANALYSIS_OK) {
        return TAKT_ANALYSIS_INVALID;
    }
    if (takta_can_has_queues(bus) || takta_can_horizon(&phased) != TAKTA_FOUND) {
        return TAKT_ANALYSIS_OK;
    }
    takta_can_groups(&phased);
    for (size_t i = 0; i < phased.bounded; i++) {
        struct takt_analysis_can_group *group = takta_can_group(&phased, i);
        uint64_t send = bus->frames[i].send_ns;

        if (takta_can_fixed(&phased, i)) {
            takta_can_insert(&phased, i);
        }
        level.blocking_ns = work->frames[i].below_ns;
        level.longest_ns = level.longest_ns < send ? send : level.longest_ns;
        takta_can_streams(&phased, &level, i);
        if (statuses[i] == TAKT_ANALYSIS_OK) {
            takta_can_improve(&phased, &level, i, &responses_ns[i]);
        }
        if (takta_can_fixed(&phased, i) && !group->plain && !takta_can_climb(&phased, i)) {
            group->plain = true;
            group->step_count = 0;
        }
    }
    return TAKT_ANALYSIS_OK;
}
