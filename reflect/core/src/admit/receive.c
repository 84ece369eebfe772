/* SPDX-License-Identifier: Apache-2.0 */
/* Arrivals at a node, and a bound of their time in its port and server, which serve them in order of arrival. */
#include "internal.h"

/* True if a channel before this one has the same group and reader's node. */
static bool taktr_grouped(const struct takt_admit_set *set, size_t channel)
{
    const struct takt_admit_channel *self = &set->channels[channel];

    for (size_t i = 0; i < channel && self->group != 0; i++) {
        if (set->channels[i].group == self->group && set->channels[i].reader == self->reader) {
            return true;
        }
    }
    return false;
}

void taktr_sort_by_writer(const struct takt_admit_set *set, const struct takt_admit_space *space)
{
    for (size_t i = 0; i < set->channel_count; i++) {
        size_t position = i;

        for (; position > 0 && set->channels[space->works[position - 1].by_writer].writer > set->channels[i].writer;
             position--) {
            space->works[position].by_writer = space->works[position - 1].by_writer;
        }
        space->works[position].by_writer = i;
    }
}

/* One stream for a channel and the later ones of its group into the same node, with their largest cost. */
static struct takt_admit_stream taktr_stream(const struct takt_admit_set *set, const struct takt_admit_space *space,
                                             size_t first)
{
    const struct takt_admit_channel *self = &set->channels[first];
    struct takt_admit_stream stream = {.period_ns = self->period_ns, .writer = self->writer};

    for (size_t i = first; i < set->channel_count; i++) {
        const struct takt_admit_channel *other = &set->channels[i];
        const struct takt_admit_work *work = &space->works[i];

        if (i == first || (self->group != 0 && other->group == self->group && other->reader == self->reader)) {
            stream.work_ns = taktr_greater(stream.work_ns, work->receive_ns);
            stream.excess_ns = taktr_greater(stream.excess_ns, work->excess_ns);
            stream.late_ns = taktr_greater(stream.late_ns, work->late_ns);
            stream.ahead_ns = taktr_greater(stream.ahead_ns, work->network_ns + 2 * work->packet_ns);
            stream.period_ns = taktr_less(stream.period_ns, other->period_ns);
            stream.writer = stream.writer == other->writer ? stream.writer : SIZE_MAX;
        }
    }
    return stream;
}

size_t taktr_streams(const struct takt_admit_set *set, const struct takt_admit_space *space, size_t node)
{
    size_t count = 0;

    for (size_t position = 0; position < set->channel_count; position++) {
        size_t i = space->works[position].by_writer;

        if (set->channels[i].reader == node && !taktr_grouped(set, i)) {
            space->streams[count++] = taktr_stream(set, space, i);
        }
    }
    if (count > 0 && set->control_ns != 0) { /* with the longest delay of any link */
        struct takt_admit_stream control = {
            .work_ns = taktr_control_ns(set, node, true), .period_ns = set->control_ns, .writer = SIZE_MAX};

        for (size_t i = 0; i < set->node_count; i++) {
            const struct takt_admit_node *other = &set->nodes[i];

            control.late_ns = taktr_greater(control.late_ns, taktr_network_ns(other) + other->wake_ns);
        }
        space->streams[count++] = control;
    }
    return count;
}

/* Largest work that may arrive in a window, by messages whose writers' times are in a shorter window. */
struct taktr_arrived {
    uint64_t work_ns;
    size_t filling;   /* links on which more arrives in a longer window */
    uint64_t next_ns; /* shortest window with another message */
};

/* The part of it that arrives on one link. */
struct taktr_brought {
    size_t writer;      /* node of the link; SIZE_MAX: none yet */
    uint64_t work_ns;   /* of all messages */
    uint64_t excess_ns; /* of them */
    uint64_t ahead_ns;
};

/* Adds the smaller of two bounds: the work of all messages, and the time that the wire carries in the window, plus
 * messages that arrive at once, plus the excess. */
static void taktr_bring(struct taktr_arrived *arrived, const struct taktr_brought *link, uint64_t time)
{
    uint64_t wire_ns = takt_add(link->excess_ns, takt_add(time, link->ahead_ns));

    arrived->filling += wire_ns < link->work_ns;
    arrived->work_ns = takt_add(arrived->work_ns, taktr_less(wire_ns, link->work_ns));
}

/* Work that arrives in a window `time`, by the messages of a window `begun`. */
static struct taktr_arrived taktr_arrived(const struct takt_admit_stream *streams, size_t count, uint64_t begun,
                                          uint64_t time)
{
    struct taktr_arrived arrived = {.next_ns = TAKT_SATURATED};
    struct taktr_brought link = {.writer = SIZE_MAX};

    for (size_t i = 0; i < count; i++) {
        const struct takt_admit_stream *stream = &streams[i];
        uint64_t messages = (begun + stream->late_ns) / stream->period_ns + 1;
        uint64_t work_ns = takt_multiply(messages, stream->work_ns);

        arrived.next_ns = taktr_less(arrived.next_ns, messages * stream->period_ns - stream->late_ns);
        if (stream->writer == SIZE_MAX) {
            arrived.work_ns = takt_add(arrived.work_ns, work_ns);
            continue;
        }
        if (stream->writer != link.writer) {
            taktr_bring(&arrived, &link, time);
            link = (struct taktr_brought){.writer = stream->writer};
        }
        link.work_ns = takt_add(link.work_ns, work_ns);
        link.excess_ns = takt_add(link.excess_ns, takt_multiply(messages, stream->excess_ns));
        link.ahead_ns = taktr_greater(link.ahead_ns, stream->ahead_ns);
    }
    taktr_bring(&arrived, &link, time);
    return arrived;
}

/* Largest difference of arrived work and window, for windows from `begun` to before the next message. It grows while
 * two links still deliver, so the largest is where only one of them does. */
static uint64_t taktr_excess(const struct takt_admit_stream *streams, size_t count, uint64_t begun,
                             const struct taktr_arrived *arrived)
{
    uint64_t growing = begun, still = arrived->next_ns;

    if (arrived->filling < 2) {
        return takt_subtract(arrived->work_ns, begun);
    }
    while (still - growing > 1) {
        uint64_t time = growing + (still - growing) / 2;

        if (taktr_arrived(streams, count, begun, time).filling >= 2) {
            growing = time;
        } else {
            still = time;
        }
    }
    return takt_subtract(taktr_arrived(streams, count, begun, still).work_ns, still);
}

/* Longest response in order of arrival: the largest difference of the work that may arrive in a window and the window.
 * False: not found. */
bool taktr_wait(const struct takt_admit_stream *streams, size_t count, uint32_t iterations, uint64_t *wait_ns)
{
    uint64_t time = 0;

    *wait_ns = 0;
    for (uint32_t step = 0; step < iterations; step++) {
        struct taktr_arrived arrived = taktr_arrived(streams, count, time, time);

        *wait_ns = taktr_greater(*wait_ns, taktr_excess(streams, count, time, &arrived));
        if (taktr_arrived(streams, count, time, arrived.next_ns).work_ns <= arrived.next_ns) {
            return true; /* the queue is empty before the next message */
        }
        if (arrived.next_ns > TAKT_ANALYSIS_TIME_MAX_NS) {
            return false;
        }
        time = arrived.next_ns;
    }
    return false;
}
