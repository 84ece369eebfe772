/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the printed update of identifiers fails: nodes on a bus that is simulated bit by bit, at 1 Mbit/s, so that a bit
 * is 1 us.
 *
 *     printed_update VARIANT STREAMS EPOCHS SEED
 *
 * STREAMS high-speed and LOW low-speed periodic streams of seed 000, 7.5.1, whose nodes begin each epoch of 2 ms by
 * clocks that are exact. VARIANT:
 *
 *     ideal      identifiers change at once in all nodes, without a signal
 *     first      during the frame after the signal, at once
 *     slow       65 us after the end of the signal, which is table 7.4's time for five messages
 *     second     computed during the first frame after the signal, written during the second one
 *     skew       the same, but a node begins its update up to 88 us late: clocks differ by 20 us (7.3.5), and the task
 *                that begins it takes 68 us (table 7.4)
 *     disturbed  the same without skew, but a node sees a wrong bit in the end of each signal, and rejects it
 *
 * Prints, each with its name: frames of high-speed messages; those that began after their latest start (late); those
 * that won although a high-speed message was ready whose latest start was more than a region earlier (inverted); those
 * that were overwritten by the next of their stream (lost); epochs; those at whose end a node had heard no signal
 * (unheard), and at whose end the nodes had not all the same epoch (apart). Exit code 2: misuse.
 */
#include "benchmarks/canbus/printed_update.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "takt/can_bus.h"

enum { NODES = 5, HIGH_MAX = 20, LOW = 25, EPOCH = 2000, SKEW = 88, SLOW = 65, WRITE_AFTER = 25 };
enum { EACH = (HIGH_MAX + LOW + NODES - 1) / NODES + 1 };
enum variant { IDEAL, FIRST, SLOWER, SECOND, SKEWED, DISTURBED, VARIANTS };
static const char *const names[VARIANTS] = {"ideal", "first", "slow", "second", "skew", "disturbed"};

struct stream {
    uint64_t period, deadline, next, released;
};

struct station {
    struct printed_node update;
    struct printed_message messages[EACH];
    struct stream streams[EACH];
    struct printed_message *on_bus;
    uint64_t wakes;  /* begins the update */
    uint64_t writes; /* UINT64_MAX: no new identifiers are to be written */
    unsigned left;   /* frames until then */
};

static struct station stations[NODES];
static struct takt_can_node nodes[NODES];
static struct takt_can_bus bus = {.nodes = nodes, .count = NODES};
static uint8_t lengths[PRINTED_STREAMS_MAX];
static uint64_t now, began, state; /* began: the frame that is on the bus */
static uint64_t sent, late, inverted, lost, unheard, apart;

static uint32_t draw(uint32_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % below);
}

static void add(unsigned number, bool high, uint64_t least, uint64_t most)
{
    struct station *station = &stations[number % NODES];
    unsigned at = station->update.count++;
    uint64_t deadline = least + draw((uint32_t)(most - least)), period = deadline + draw((uint32_t)deadline / 2);
    uint8_t dlc = (uint8_t)draw(9);
    station->streams[at] = (struct stream){.period = period, .deadline = deadline, .next = draw((uint32_t)period)};
    station->messages[at] = (struct printed_message){.frame = {.shape = {.dlc = dlc}}, .dlc = dlc, .high = high};
}

/* By deadline: the order among those of one region, and of low-speed ones. */
static void number_streams(bool high, uint32_t first)
{
    for (unsigned i = 0; i < NODES; i++) {
        for (unsigned j = 0; j < stations[i].update.count; j++) {
            struct printed_message *one = &stations[i].messages[j];
            if (one->high != high) {
                continue;
            }
            one->unique = first;
            for (unsigned k = 0; k < NODES; k++) {
                for (unsigned l = 0; l < stations[k].update.count; l++) {
                    uint64_t mine = stations[i].streams[j].deadline, theirs = stations[k].streams[l].deadline;
                    bool before = theirs < mine || (theirs == mine && (k < i || (k == i && l < j)));
                    one->unique += stations[k].messages[l].high == high && before;
                }
            }
            lengths[one->unique] = one->dlc;
        }
    }
}

static void release(struct station *station)
{
    for (unsigned i = 0; i < station->update.count; i++) {
        struct stream *stream = &station->streams[i];
        struct printed_message *one = &station->messages[i];
        if (now < stream->next) {
            continue;
        }
        stream->next += stream->period;
        if (one == station->on_bus) {
            lost++; /* the new one: the old one is being sent */
            continue;
        }
        lost += one->ready;
        one->ready = true;
        stream->released = now;
        one->begin = now + stream->deadline - (47 + 8 * (uint64_t)one->dlc);
        one->frame.id = printed_id(&station->update, one);
    }
}

static struct station *winner(uint32_t *index)
{
    for (uint32_t i = 0; i < NODES; i++) {
        if ((bus.events[i] & TAKT_CAN_TRANSMITTED) != 0) {
            *index = i;
            return &stations[i];
        }
    }
    return NULL;
}

static void count_frame(const struct printed_message *one)
{
    bool inversion = false;
    if (!one->high) {
        return;
    }
    for (unsigned i = 0; i < NODES; i++) {
        for (unsigned j = 0; j < stations[i].update.count; j++) {
            const struct printed_message *other = &stations[i].messages[j];
            inversion |= other->ready && other->high && stations[i].streams[j].released + 2 < began &&
                         other->begin + stations[i].update.region < one->begin;
        }
    }
    sent++;
    late += began > one->begin;
    inverted += inversion;
}

/* The end of a frame that the station has received or sent. */
static void hear(struct station *station, const struct takt_can_frame *frame, enum variant variant)
{
    if (station->left > 0 && --station->left == 0) {
        station->writes = now + WRITE_AFTER;
    }
    if (station->update.begun && printed_is_signal(&station->update, frame)) {
        printed_restore(&station->update);
        station->left = variant >= SECOND;
        if (variant < SECOND) {
            station->writes = now + (variant == SLOWER ? SLOW : 0);
        }
    }
}

static void wake(struct station *station, enum variant variant)
{
    uint64_t epoch = now / EPOCH * EPOCH;
    if (variant == IDEAL) {
        printed_rewrite(&station->update, epoch);
    } else {
        printed_restore(&station->update);
        printed_begin(&station->update);
    }
    station->wakes = epoch + EPOCH + (variant == SKEWED ? draw(SKEW + 1) : 0);
}

/* Nodes that are to see a wrong bit: one, in the last bit but one of a signal, which it does not take as received. */
static uint64_t disturb(enum variant variant)
{
    static uint64_t last;
    for (uint32_t i = 0; variant == DISTURBED && i < NODES; i++) {
        const struct takt_can_parser *parser = &nodes[i].parser;
        if (nodes[i].phase == TAKT_CAN_IN_FRAME && !nodes[i].transmitter && parser->field == TAKT_CAN_END &&
            parser->left == 2 && stations[i].update.begun && printed_is_signal(&stations[i].update, &parser->frame) &&
            last / EPOCH != now / EPOCH) {
            last = now;
            return UINT64_C(1) << i;
        }
    }
    return 0;
}

static void end_frame(enum variant variant)
{
    uint32_t index = 0;
    struct station *station = winner(&index);
    const struct takt_can_frame frame = nodes[index].sent;

    for (uint32_t i = 0; i < NODES; i++) {
        if ((bus.events[i] & TAKT_CAN_RECEIVED) != 0) {
            hear(&stations[i], &nodes[i].parser.frame, variant);
        }
    }
    if (station) {
        station->on_bus->ready = false;
        count_frame(station->on_bus);
        station->update.raised = station->update.raised == station->on_bus ? 0 : station->update.raised;
        station->on_bus->frame.shape.dlc = station->on_bus->dlc;
        station->on_bus = 0;
        hear(station, &frame, variant);
    }
}

static void step(enum variant variant)
{
    for (uint32_t i = 0; i < NODES; i++) {
        struct station *station = &stations[i];
        if (now >= station->wakes) {
            wake(station, variant);
        }
        if (now >= station->writes) {
            printed_rewrite(&station->update, now / EPOCH * EPOCH);
            station->writes = UINT64_MAX;
        }
        release(station);
        struct printed_message *best = printed_best(&station->update);
        takt_can_node_offer(&nodes[i], best ? &best->frame : NULL);
    }
    unsigned events = takt_can_bus_step(&bus, disturb(variant));
    for (uint32_t i = 0; i < NODES; i++) {
        if ((bus.events[i] & TAKT_CAN_STARTED) != 0) {
            stations[i].on_bus = printed_best(&stations[i].update);
            began = now;
        }
        if ((bus.events[i] & (TAKT_CAN_LOST | TAKT_CAN_FAILED)) != 0) {
            stations[i].on_bus = 0;
        }
    }
    if ((events & (TAKT_CAN_TRANSMITTED | TAKT_CAN_RECEIVED)) != 0) {
        end_frame(variant);
    }
    now++;
}

/* At the end of an epoch. */
static void compare_epochs(void)
{
    bool differ = false, waits = false;
    for (unsigned i = 0; i < NODES; i++) {
        differ |= stations[i].update.start != stations[0].update.start;
        waits |= stations[i].update.begun;
    }
    apart += differ;
    unheard += waits;
}

int main(int count, char **arguments)
{
    unsigned variant = VARIANTS;
    long streams = count == 5 ? strtol(arguments[2], NULL, 10) : 0, epochs = count == 5 ? atol(arguments[3]) : 0;

    for (unsigned i = 0; count == 5 && i < VARIANTS; i++) {
        variant = strcmp(arguments[1], names[i]) == 0 ? i : variant;
    }
    if (variant == VARIANTS || streams < 1 || streams > HIGH_MAX || epochs < 1 || epochs > 1000000) {
        fprintf(stderr, "printed_update: VARIANT, STREAMS of 1 to %d, EPOCHS of 1 to 1000000, SEED\n", HIGH_MAX);
        return 2;
    }
    state = strtoull(arguments[4], NULL, 10);
    for (unsigned i = 0; i < (unsigned)streams; i++) {
        add(i, true, 500, 2000);
    }
    for (unsigned i = 0; i < LOW; i++) {
        add(i, false, 2000, 100000);
    }
    number_streams(true, 0);
    number_streams(false, 32);
    for (unsigned i = 0; i < NODES; i++) {
        stations[i].update.messages = stations[i].messages;
        stations[i].update.lengths = lengths;
        stations[i].update.region = (EPOCH + 2000) / PRINTED_FIELDS;
        stations[i].writes = UINT64_MAX;
        takt_can_node_init(&nodes[i]);
    }
    for (uint64_t end = (uint64_t)epochs * EPOCH; now < end;) {
        step(variant);
        if (now % EPOCH == 0) {
            compare_epochs();
        }
    }
    printf("frames %" PRIu64 "\nlate %" PRIu64 "\ninverted %" PRIu64 "\nlost %" PRIu64 "\n", sent, late, inverted,
           lost);
    printf("epochs %ld\nunheard %" PRIu64 "\napart %" PRIu64 "\n", epochs, unheard, apart);
    return 0;
}
