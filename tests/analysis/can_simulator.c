/* SPDX-License-Identifier: Apache-2.0 */
#include "can_simulator.h"

#include <string.h>

/* Of a frame: the instance that comes next, and those that are queued, oldest first. */
struct state {
    long nominal, queued;
    bool over;
    long pending[CAN_PENDING];
    int first, count;
};

struct world {
    const struct can_bus *bus;
    const struct can_run *run;
    struct state frames[CAN_FRAMES];
    uint64_t seed;
    long burst_start; /* of the last burst of errors */
    int burst_left;
};

uint64_t can_random(uint64_t *seed)
{
    uint64_t x = *seed += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

long can_between(uint64_t *seed, long low, long high)
{
    return low + (long)(can_random(seed) % (uint64_t)(high - low + 1));
}

/* When the instance with this nominal release is queued; not before the one that came last. */
static long queueing(struct world *w, int frame, long nominal, long last)
{
    long jitter = w->bus->frames[frame].jitter;
    long time = nominal;

    if (w->run->pattern == CAN_CRITICAL) {
        time = nominal < 0 ? 0 : nominal;
    } else {
        time += can_between(&w->seed, 0, 1) ? jitter : can_between(&w->seed, 0, jitter);
    }
    return time < last ? last : time;
}

static void start(struct world *w)
{
    for (int i = 0; i < w->bus->frame_count; i++) {
        const struct can_sender *f = &w->bus->frames[i];
        struct state *s = &w->frames[i];

        s->nominal = -f->jitter;
        if (w->run->pattern == CAN_RANDOM) {
            s->nominal += can_between(&w->seed, 0, f->period + f->jitter);
        }
        s->over = i == w->run->blocker || (f->period == 0 && can_between(&w->seed, 0, 1));
        s->queued = queueing(w, i, s->nominal, s->nominal);
    }
}

/* The instance that comes next is queued, and the one after it is made up. */
static void arrive(struct world *w, int frame)
{
    const struct can_sender *f = &w->bus->frames[frame];
    struct state *s = &w->frames[frame];

    s->pending[(s->first + s->count++) % CAN_PENDING] = s->nominal;
    s->over = f->period == 0 || s->count == CAN_PENDING;
    s->nominal += f->period;
    if (!s->over) {
        s->queued = queueing(w, frame, s->nominal, s->queued);
    }
}

/* Queue all that comes up to `time`, and what joins an arbitration that begins then. */
static void arrive_until(struct world *w, long time)
{
    for (int i = 0; i < w->bus->frame_count; i++) {
        struct state *s = &w->frames[i];

        while (!s->over && s->queued < time + (i < w->run->focus ? w->bus->bit : 1)) {
            arrive(w, i);
        }
    }
}

/* The end of the longest errors that may hit a transmission, which is sent again: 0, if there is none. */
static bool error_hits(struct world *w, long time)
{
    const struct can_bus *bus = w->bus;

    if (bus->error_count == 0) {
        return false;
    }
    if (w->burst_left > 0 && time - w->burst_start <= bus->error_burst) {
        w->burst_left--;
        return true;
    }
    if (time - w->burst_start < bus->error_distance || can_between(&w->seed, 0, 3) == 0) {
        return false;
    }
    w->burst_start = time;
    w->burst_left = bus->error_count - 1;
    return true;
}

static int winner(const struct world *w)
{
    for (int i = 0; i < w->bus->frame_count; i++) {
        if (w->frames[i].count > 0) {
            return i;
        }
    }
    return -1;
}

/* The earliest queueing that is to come; run->end, if there is none before. */
static long next_arrival(const struct world *w)
{
    long time = w->run->end;

    for (int i = 0; i < w->bus->frame_count; i++) {
        const struct state *s = &w->frames[i];

        time = !s->over && s->queued < time ? s->queued : time;
    }
    return time;
}

static long length(struct world *w, int frame)
{
    long longest = w->bus->frames[frame].send;

    return w->run->shorter ? can_between(&w->seed, (longest + 1) / 2, longest) : longest;
}

void can_simulate(const struct can_bus *bus, const struct can_run *run, long *responses)
{
    static struct world w;
    long time = 0;

    memset(&w, 0, sizeof w);
    memset(responses, 0, (size_t)bus->frame_count * sizeof *responses);
    w.bus = bus;
    w.run = run;
    w.seed = run->seed;
    w.burst_start = -bus->error_distance;
    start(&w);
    if (run->blocker >= 0) {
        time = bus->frames[run->blocker].send - 1;
    }
    while (time < run->end) {
        struct state *s;
        int frame;
        long sent;

        arrive_until(&w, time);
        frame = winner(&w);
        if (frame < 0) {
            time = next_arrival(&w);
            continue;
        }
        s = &w.frames[frame];
        sent = length(&w, frame);
        if (error_hits(&w, time + sent - 1)) { /* in its last unit */
            time += sent + bus->error_cost;
            continue;
        }
        time += sent;
        if (responses[frame] < time - s->pending[s->first]) {
            responses[frame] = time - s->pending[s->first];
        }
        s->first = (s->first + 1) % CAN_PENDING;
        s->count--;
    }
}
