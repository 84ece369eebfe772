/* SPDX-License-Identifier: Apache-2.0 */
/* A node: what a driver does with the mixed traffic scheduler and the transmit queue, as late as it may. */
#include "net/can/test/mts/epochs.h"

enum { MILLION = 1000000, FIRST_LOW = 32 };

/* Streams have a slot each: nothing is sent while the last one waits. */
static struct takt_can_stream queue_streams[QUEUED];

uint64_t local(const struct node *node, uint64_t time)
{
    return node->base + time + (uint64_t)((int64_t)time * node->ppm / MILLION);
}

/* When its clock first has this time. */
static uint64_t global(const struct node *node, uint64_t time)
{
    int64_t span = (int64_t)(time - node->base);
    uint64_t found = (uint64_t)(span - span * node->ppm / (MILLION + node->ppm));
    while ((int64_t)(local(node, found) - time) < 0) {
        found++;
    }
    return found;
}

static void offer(struct node *node, uint32_t stream, bool offers, bool offered, const struct takt_can_frame *frame)
{
    if (offered) {
        takt_can_queue_cancel(&node->queue, stream);
    }
    if (offers) {
        enum takt_status status = takt_can_queue_send(&node->queue, stream, frame, 0);
        CHECK(status == TAKT_OK || status == TAKT_FULL); /* the last one is on the bus */
    }
}

/* After each call: what it offers, and whether identifiers are to change. */
static void follow(struct node *node)
{
    struct takt_can_mts_offers offers = takt_can_mts_offers(&node->mts), last = node->offered;
    uint64_t due = takt_can_mts_due(&node->mts);

    if (offers.tick != last.tick || (offers.tick && offers.tick_frame.data[0] != last.tick_frame.data[0])) {
        offer(node, TICK, offers.tick, last.tick, &offers.tick_frame);
    }
    if (offers.filler != last.filler) {
        offer(node, FILLER, offers.filler, last.filler, &offers.filler_frame);
    }
    node->offered = offers;
    if (node->mts.version != node->version && node->write_at == NEVER) {
        node->write_at = world.now + up_to(world.needs.write_ns);
    }
    if (node->mts.state != TAKT_CAN_MTS_IN_EPOCH) {
        node->in_since = NEVER;
    } else if (node->in_since == NEVER) {
        node->in_since = world.now;
    }
    if (due == TAKT_SATURATED) {
        node->timer_at = NEVER;
    } else if (node->timer_at == NEVER || due != node->due) {
        uint64_t at = global(node, due);
        node->timer_at = (at < world.now ? world.now : at) + up_to(world.needs.react_ns);
    }
    node->due = due;
}

/* All that waits gets its identifier of now. */
static void write_identifiers(struct node *node)
{
    node->version = node->mts.version;
    node->write_at = NEVER;
    for (uint32_t i = 0; i < HIGHS; i++) {
        if (node->pending[i]) {
            takt_can_queue_rekey(&node->queue, i, takt_can_mts_high(&node->mts, i, &node->messages[i]));
        }
    }
    takt_can_queue_service(&node->queue);
}

void node_start(uint32_t index)
{
    struct node *node = &world.nodes[index];
    struct takt_can_queue_config config = {.controller = &node->controller.controller,
                                           .streams = queue_streams,
                                           .states = node->states,
                                           .stream_count = QUEUED,
                                           .slots = node->slots,
                                           .slot_count = QUEUED};
    for (uint32_t i = 0; i < QUEUED; i++) {
        queue_streams[i] = (struct takt_can_stream){.depth = 1, .mailbox = TAKT_CAN_SHARED};
    }
    *node = (struct node){.alive = true, .ppm = node->ppm, .base = up_to(UINT64_C(1) << 40)};
    node->end_at = node->timer_at = node->write_at = node->in_since = NEVER;
    controller_start(&node->controller);
    takt_can_queue_init(&node->queue, &config);
    for (uint32_t i = 0; i < STREAMS; i++) {
        bool own = world.streams[i].node == index;
        node->next[i] = own ? world.now + up_to(world.streams[i].period) : NEVER;
    }
    takt_can_mts_start(&node->mts, &world.bus, index < world.bus.masters ? (uint8_t)index : TAKT_CAN_MTS_NO_RANK,
                       local(node, world.now));
    node->version = node->mts.version;
    follow(node);
}

void node_frame(uint32_t index, const struct takt_can_frame *frame, uint64_t end)
{
    struct node *node = &world.nodes[index];
    uint64_t react = up_to(world.needs.react_ns), stamp = world.needs.stamp_ns < react ? world.needs.stamp_ns : react;
    CHECK_EQUAL(node->end_at, NEVER);
    node->frame = *frame;
    node->end_stamp = end + up_to(stamp);
    node->end_at = end + react;
}

/* Its message arrived: in time? If it was not, was anything amiss that excuses it? */
static void judge(const struct node *node, uint32_t stream, uint64_t end)
{
    const struct stream *of = &world.streams[stream];
    uint64_t grace = 4 * world.bus.regions * world.bus.region_ns, released = node->released[stream];
    bool excused = node->in_since > released || world.disturbed + grace > released;

    if (stream == BEST_EFFORT) {
        return;
    }
    if (excused && (world.faults_per_2_16 > 0 || node->in_since > released)) {
        world.excused += end > released + of->deadline;
        return;
    }
    world.checked++;
    if (stream < HIGHS && (end - released) * 1000 / of->deadline > world.longest) {
        world.longest = (end - released) * 1000 / of->deadline;
    }
    if (end > released + of->deadline) {
        printf("stream %u of node %u, released at %llu, ends %llu ns late\n", stream, of->node,
               (unsigned long long)released, (unsigned long long)(end - released - of->deadline));
        CHECK(!"in time");
    }
}

void node_sent(uint32_t index, const struct takt_can_frame *frame, uint64_t end)
{
    struct node *node = &world.nodes[index];
    struct takt_can_mts_meaning meaning = takt_can_mts_meaning(&world.bus, frame->id);
    uint32_t stream = meaning.kind == TAKT_CAN_MTS_OTHER ? BEST_EFFORT
                      : meaning.kind == TAKT_CAN_MTS_LOW ? HIGHS + meaning.number - FIRST_LOW
                                                         : meaning.number;
    if (meaning.kind == TAKT_CAN_MTS_TICK) {
        world.ticks++;
        world.takeovers += meaning.number > 0;
        CHECK_EQUAL(meaning.number, index);
        return;
    }
    if (meaning.kind == TAKT_CAN_MTS_FILLER) {
        world.fillers++;
        CHECK_EQUAL(meaning.number, index);
        return;
    }
    CHECK(stream < STREAMS && world.streams[stream].node == index && node->pending[stream]);
    world.shared += meaning.kind == TAKT_CAN_MTS_HIGH && frame->id >= 0x400;
    node->pending[stream] = false;
    judge(node, stream, end + 3000);
}

static void release(struct node *node, uint32_t stream)
{
    const struct stream *of = &world.streams[stream];
    struct takt_can_frame frame = {.shape = {.extended = world.bus.layout.extended, .dlc = of->bytes}};
    uint64_t value = up_to(UINT64_MAX);

    /* Some come later than they may: sporadic. */
    node->next[stream] += of->period + (value % 8 == 0 ? up_to(of->period / 2) : 0);
    if (node->pending[stream]) {
        judge(node, stream, world.now);
        return; /* the old one still waits */
    }
    node->pending[stream] = true;
    node->released[stream] = world.now;
    memcpy(frame.data, &value, of->bytes);
    if (stream < HIGHS) {
        uint64_t send = takt_can_length_ns(takt_can_length_max(&frame.shape), &world.needs.rates);
        node->messages[stream] =
            (struct takt_can_mts_message){.begin_ns = local(node, world.now) + of->deadline - send};
        frame.id = takt_can_mts_high(&node->mts, stream, &node->messages[stream]);
    } else if (stream == BEST_EFFORT) {
        frame.id = takt_can_mts_other(&world.bus.layout, 0);
        /* Phases with a full bus, and with an idle one. */
        node->next[stream] = world.now + (value % 512 == 0 ? UINT64_C(100) * MILLION : of->period);
    } else {
        frame.id = takt_can_mts_low(&world.bus.layout, FIRST_LOW + stream - HIGHS);
    }
    CHECK_EQUAL(takt_can_queue_send(&node->queue, stream, &frame, 0), TAKT_OK);
}

uint64_t node_next(const struct node *node)
{
    uint64_t next = node->end_at < node->timer_at ? node->end_at : node->timer_at;
    next = node->write_at < next ? node->write_at : next;
    for (uint32_t i = 0; i < STREAMS; i++) {
        next = node->next[i] < next ? node->next[i] : next;
    }
    return node->alive ? next : NEVER;
}

void node_act(uint32_t index)
{
    struct node *node = &world.nodes[index];

    if (node->end_at == world.now) {
        struct takt_can_mts_meaning meaning = takt_can_mts_meaning(&world.bus, node->frame.id);
        node->end_at = NEVER;
        if (meaning.kind == TAKT_CAN_MTS_TICK) {
            takt_can_mts_tick(&node->mts, (uint8_t)meaning.number, node->frame.data[0], local(node, node->end_stamp));
        } else {
            takt_can_mts_frame(&node->mts, local(node, node->end_stamp));
        }
        follow(node);
    }
    if (node->timer_at == world.now) {
        node->timer_at = NEVER;
        takt_can_mts_timer(&node->mts, local(node, world.now));
        follow(node);
    }
    if (node->write_at == world.now) {
        write_identifiers(node);
    }
    for (uint32_t i = 0; i < STREAMS; i++) {
        if (node->next[i] == world.now) {
            release(node, i);
        }
    }
}
