/* SPDX-License-Identifier: Apache-2.0 */
#include "can_queues.h"

#include <string.h>

struct instance {
    int64_t nominal, queued;
};

/* A frame: the instance that comes next, and those that wait, oldest first. */
struct line {
    int64_t nominal, queued;
    struct instance waiting[QUEUE_PENDING];
    int first, count;
    bool buffered; /* the oldest is in a buffer */
};

struct play {
    const struct queue_bus *bus;
    const struct queue_arrivals *arrivals;
    struct line lines[QUEUE_FRAMES];
    int sending; /* or -1 */
    bool full;
};

static struct instance *oldest(struct line *line)
{
    return &line->waiting[line->first];
}

static int buffered(const struct play *p, int node)
{
    int count = 0;

    for (int i = 0; i < p->bus->frame_count; i++) {
        count += p->bus->frames[i].node == node && p->lines[i].buffered;
    }
    return count;
}

/* The highest of a node that waits without a buffer, and has no other instance in one; or -1. */
static int best_outside(const struct play *p, int node)
{
    for (int i = 0; i < p->bus->frame_count; i++) {
        if (p->bus->frames[i].node == node && p->lines[i].count > 0 && !p->lines[i].buffered) {
            return i;
        }
    }
    return -1;
}

static void fill(struct play *p, int node)
{
    const struct queue_node *n = &p->bus->nodes[node];
    int best;

    while ((n->kind == QUEUE_BUFFERS || n->kind == QUEUE_ABORTABLE) && buffered(p, node) < n->buffers &&
           (best = best_outside(p, node)) >= 0) {
        p->lines[best].buffered = true;
    }
}

/* The lowest in a buffer that is not being sent; or -1. */
static int lowest_buffered(const struct play *p, int node)
{
    for (int i = p->bus->frame_count - 1; i >= 0; i--) {
        if (p->bus->frames[i].node == node && p->lines[i].buffered && i != p->sending) {
            return i;
        }
    }
    return -1;
}

/* What has waited for the abort takes the buffer of the lowest. */
static void abort_lower(struct play *p, int node, int64_t time)
{
    for (int i = 0; i < p->bus->frame_count; i++) {
        struct line *line = &p->lines[i];
        int lowest;

        if (p->bus->frames[i].node != node || line->count == 0 || line->buffered ||
            oldest(line)->queued + p->bus->nodes[node].abort > time) {
            continue;
        }
        lowest = lowest_buffered(p, node);
        if (lowest > i) {
            p->lines[lowest].buffered = false;
            line->buffered = true;
        }
    }
}

static void arrive(struct play *p, int frame)
{
    struct line *line = &p->lines[frame];
    int64_t next;

    line->waiting[(line->first + line->count++) % QUEUE_PENDING] = (struct instance){line->nominal, line->queued};
    p->full = p->full || line->count == QUEUE_PENDING;
    line->nominal += p->bus->frames[frame].period;
    next = line->nominal + p->arrivals[frame].later;
    line->queued = next < line->queued ? line->queued : next;
    fill(p, p->bus->frames[frame].node);
}

/* The frame that comes next, of all or of the nodes that join: by time, then by `order`; or -1. */
static int next_frame(const struct play *p, bool joining)
{
    int best = -1;

    for (int i = 0; i < p->bus->frame_count; i++) {
        if (p->lines[i].queued != QUEUE_NEVER && (!joining || p->arrivals[i].joins) &&
            (best < 0 || p->lines[i].queued < p->lines[best].queued ||
             (p->lines[i].queued == p->lines[best].queued && p->arrivals[i].order < p->arrivals[best].order))) {
            best = i;
        }
    }
    return best;
}

/* All that is queued up to `time`. */
static void arrive_until(struct play *p, int64_t time, bool joining)
{
    int frame;

    while (!p->full && (frame = next_frame(p, joining)) >= 0 && p->lines[frame].queued <= time) {
        arrive(p, frame);
    }
}

/* The frame that a node offers; or -1. */
static int offered(struct play *p, int node)
{
    int best = -1;

    for (int i = 0; i < p->bus->frame_count; i++) {
        struct line *line = &p->lines[i];
        bool earlier;

        if (p->bus->frames[i].node != node || line->count == 0) {
            continue;
        }
        switch (p->bus->nodes[node].kind) {
        case QUEUE_FIFO:
            earlier = best < 0 || oldest(line)->queued < oldest(&p->lines[best])->queued ||
                      (oldest(line)->queued == oldest(&p->lines[best])->queued &&
                       p->arrivals[i].order < p->arrivals[best].order);
            best = earlier ? i : best;
            break;
        case QUEUE_PRIORITY:
            best = best < 0 ? i : best;
            break;
        default:
            best = best < 0 && line->buffered ? i : best;
        }
    }
    return best;
}

static int winner(struct play *p, int64_t time)
{
    int best = -1;

    for (int node = 0; node < p->bus->node_count; node++) {
        int frame;

        if (p->bus->nodes[node].kind == QUEUE_ABORTABLE) {
            abort_lower(p, node, time);
        }
        frame = offered(p, node);
        best = frame >= 0 && (best < 0 || frame < best) ? frame : best;
    }
    return best;
}

static void sent(struct play *p, int frame)
{
    struct line *line = &p->lines[frame];

    line->first = (line->first + 1) % QUEUE_PENDING;
    line->count--;
    line->buffered = false;
    p->sending = -1;
    fill(p, p->bus->frames[frame].node);
}

/* Aborts that end while a frame is being sent, in the order of their times. */
static void abort_until(struct play *p, int64_t time)
{
    for (int node = 0; node < p->bus->node_count; node++) {
        if (p->bus->nodes[node].kind == QUEUE_ABORTABLE) {
            abort_lower(p, node, time);
        }
    }
}

void queue_play(const struct queue_bus *bus, const struct queue_run *run, long *responses, struct queue_seen *seen)
{
    static struct play p;
    const struct queue_arrivals *arrivals = run->arrivals;
    int64_t time = QUEUE_NEVER, error = run->errors_from;
    int starts = 0;

    memset(&p, 0, sizeof p);
    memset(seen, 0, sizeof *seen);
    p.bus = bus;
    p.arrivals = arrivals;
    p.sending = -1;
    for (int i = 0; i < bus->frame_count; i++) {
        p.lines[i].queued = arrivals[i].first;
        p.lines[i].nominal = arrivals[i].first == QUEUE_NEVER ? 0 : arrivals[i].first - arrivals[i].lag;
        time = arrivals[i].first < time ? arrivals[i].first : time;
        responses[i] = 0;
    }
    while (time < run->end && !p.full) {
        struct instance *instance;
        int frame;

        arrive_until(&p, time, false);
        frame = winner(&p, time);
        if (frame < 0) {
            int next = next_frame(&p, false);

            time = next < 0 ? run->end : p.lines[next].queued;
            continue;
        }
        arrive_until(&p, time + bus->bit - 1, true);
        frame = winner(&p, time);
        instance = oldest(&p.lines[frame]);
        p.sending = frame;
        if (starts < QUEUE_STARTS) {
            seen->starts[starts++] = time;
        }
        arrive_until(&p, time + bus->frames[frame].send - 1, false);
        abort_until(&p, time + bus->frames[frame].send - 1);
        if (bus->error_distance > 0 && time + bus->frames[frame].send > error) {
            error = time + bus->frames[frame].send - 1 + bus->error_distance;
            time += bus->frames[frame].send + bus->error_cost;
            p.sending = -1;
            continue;
        }
        if (responses[frame] < time + bus->frames[frame].send - instance->nominal) {
            responses[frame] = time + bus->frames[frame].send - instance->nominal;
            if (frame == run->watched) {
                seen->response = responses[frame];
                seen->queued = instance->queued;
                seen->started = time;
                seen->start_count = starts;
            }
        }
        time += bus->frames[frame].send;
        sent(&p, frame);
    }
}
