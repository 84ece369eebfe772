/* SPDX-License-Identifier: Apache-2.0 */
/* A bus that jumps beside one that goes bit by bit: the same events in the same bits, and the same nodes after them. */
#include "net/can/test/random_frame.h"
#include "takt/can_bus.h"

#include <string.h>

enum { NODES_MAX = 6, FRAMES = 4, STEPS = 4000 };

struct side {
    struct takt_can_node nodes[NODES_MAX];
    struct takt_can_bus bus;
};

static struct side jumping, naive;
static struct takt_can_jump jump;
static struct takt_can_frame frames[NODES_MAX][FRAMES]; /* that a node offers */
static uint64_t drawn;

static unsigned draw(unsigned limit)
{
    return (unsigned)(check_random(&drawn) % limit);
}

static void begin(struct side *side, uint32_t count)
{
    side->bus = (struct takt_can_bus){.nodes = side->nodes, .count = count};
    for (uint32_t i = 0; i < count; i++) {
        takt_can_node_init(&side->nodes[i]);
    }
}

/* A frame of its own, or none; identifiers may be equal, and equal up to some bit. */
static void offer(uint32_t node)
{
    struct takt_can_frame *frame = &frames[node][draw(FRAMES)];
    bool used = frame == jumping.nodes[node].pending || frame == jumping.nodes[node].sending;
    if (!used) {
        *frame = random_frame(&drawn);
        frame->id ^= draw(3) == 0 ? 0 : frame->id ^ (UINT32_C(0x155) ^ UINT32_C(1) << draw(9));
    }
    const struct takt_can_frame *offered = draw(4) == 0 ? NULL : frame;
    takt_can_node_offer(&jumping.nodes[node], offered);
    takt_can_node_offer(&naive.nodes[node], offered);
}

/* Bits of the naive side in which nothing happens. */
static void pass(uint64_t bits)
{
    for (uint64_t i = 0; i < bits; i++) {
        CHECK_EQUAL(takt_can_bus_step(&naive.bus, 0), 0);
    }
}

static void check_same(void)
{
    CHECK_EQUAL(jumping.bus.nominal_bits, naive.bus.nominal_bits);
    CHECK_EQUAL(jumping.bus.data_bits, naive.bus.data_bits);
    CHECK_EQUAL(jumping.bus.level, naive.bus.level);
    for (uint32_t i = 0; i < naive.bus.count; i++) {
        const struct takt_can_node *one = &jumping.nodes[i], *other = &naive.nodes[i];
        CHECK_EQUAL(jumping.bus.events[i], naive.bus.events[i]);
        CHECK_EQUAL(one->phase, other->phase);
        CHECK_EQUAL(one->errors.transmit, other->errors.transmit);
        CHECK_EQUAL(one->errors.receive, other->errors.receive);
        CHECK_EQUAL(one->transmitter, other->transmitter);
        CHECK(one->pending == other->pending && one->sending == other->sending);
        if ((naive.bus.events[i] & (TAKT_CAN_TRANSMITTED | TAKT_CAN_STARTED)) != 0) {
            CHECK(takt_can_frame_equals(&one->sent, &other->sent));
        }
        if ((naive.bus.events[i] & TAKT_CAN_RECEIVED) != 0) {
            const struct takt_can_frame *read = &one->parser.frame, *right = &other->parser.frame;
            CHECK(takt_can_frame_equals(read, right));
            CHECK(memcmp(read->data, right->data, sizeof read->data) == 0);
        }
    }
}

/* Idle bits are the caller's to pass. */
static void idle(void)
{
    unsigned bits = 1 + draw(20);
    pass(bits);
    jumping.bus.nominal_bits += bits;
}

static void run(uint32_t count, uint64_t *jumped, uint64_t *steps)
{
    begin(&jumping, count);
    begin(&naive, count);
    takt_can_jump_init(&jump, &jumping.bus);
    if (draw(4) == 0) { /* error-passive for a while */
        jumping.nodes[0].errors.transmit = naive.nodes[0].errors.transmit = 130;
    }
    uint64_t free_bits = 0; /* when a frame may begin, of one that is on the bus */
    for (unsigned i = 0; i < STEPS; i++) {
        struct takt_can_jump_next next = takt_can_jump_next(&jump);
        for (uint32_t node = 0; node < count && next.kind != TAKT_CAN_JUMP_SURE; node++) {
            if (draw(6) == 0) {
                offer(node);
            }
        }
        next = takt_can_jump_next(&jump);
        uint64_t now_free = naive.bus.nominal_bits + next.free.nominal_bits;
        if (free_bits != 0) {
            CHECK_EQUAL(now_free, free_bits);
        }
        free_bits = next.kind == TAKT_CAN_JUMP_SURE ? now_free : 0;
        if (next.kind == TAKT_CAN_JUMP_NOTHING) {
            idle();
            continue;
        }
        uint64_t bits = (uint64_t)next.before.nominal_bits + next.before.data_bits;
        CHECK(next.kind == TAKT_CAN_JUMP_SURE || bits == 0);
        uint64_t some = draw((unsigned)bits + 1);
        pass(some);
        if (next.kind == TAKT_CAN_JUMP_SURE && draw(3) == 0) { /* what is offered meanwhile changes nothing */
            offer(draw(count));
        }
        pass(bits - some);
        unsigned all = takt_can_bus_step(&naive.bus, 0);
        CHECK_EQUAL(takt_can_jump_step(&jump), all);
        check_same();
        *jumped += bits;
        (*steps)++;
    }
}

int main(void)
{
    uint64_t jumped = 0, steps = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        drawn = seed;
        run(2 + (uint32_t)seed % (NODES_MAX - 1), &jumped, &steps);
    }
    CHECK(jumped > 5 * steps); /* most bits are not looked at */
    return 0;
}
