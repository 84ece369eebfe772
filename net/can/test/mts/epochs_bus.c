/* SPDX-License-Identifier: Apache-2.0 */
/* A bus frame by frame, and controllers with three mailboxes on it. */
#include "net/can/test/mts/epochs.h"

enum { BIT = 1000, DELIMITER = 8, FLAGS_MAX = 12, FLAGS_MIN = 6 };

static uint32_t bit(uint32_t mailbox)
{
    return UINT32_C(1) << mailbox;
}

static struct controller *of(struct takt_can_controller *controller)
{
    return (struct controller *)(void *)controller;
}

static void load(struct takt_can_controller *base, uint8_t mailbox, const struct takt_can_frame *frame)
{
    CHECK((of(base)->loaded & bit(mailbox)) == 0);
    of(base)->frames[mailbox] = *frame;
    of(base)->loaded |= bit(mailbox);
    bus_offered();
}

static void abort_frame(struct takt_can_controller *base, uint8_t mailbox)
{
    struct controller *controller = of(base);
    if (mailbox == controller->on_bus) {
        controller->aborting = true;
    } else if ((controller->loaded & bit(mailbox)) != 0) {
        controller->loaded &= ~bit(mailbox);
        controller->aborted |= bit(mailbox);
    }
}

static void interrupt(struct takt_can_controller *base, uint32_t mailboxes)
{
    of(base)->interrupts = mailboxes;
}

static bool next_event(struct takt_can_controller *base, struct takt_can_controller_event *event)
{
    struct controller *controller = of(base);
    uint32_t *events = controller->sent != 0 ? &controller->sent : &controller->aborted;
    if (*events == 0) {
        return false;
    }
    event->what = controller->sent != 0 ? TAKT_CAN_MAILBOX_SENT : TAKT_CAN_MAILBOX_ABORTED;
    event->mailbox = (uint8_t)__builtin_ctz(*events);
    *events &= *events - 1;
    return true;
}

static const struct takt_can_controller_calls calls = {
    .load = load, .abort = abort_frame, .interrupt = interrupt, .next_event = next_event};

void controller_start(struct controller *controller)
{
    *controller = (struct controller){.controller = {.calls = &calls, .mailboxes = MAILBOXES, .aborts = true},
                                      .on_bus = MAILBOXES};
}

/* The mailbox that it offers, or MAILBOXES. */
static uint32_t best_of(const struct controller *controller)
{
    uint32_t best = MAILBOXES;
    for (uint32_t i = 0; i < MAILBOXES; i++) {
        if ((controller->loaded & bit(i)) != 0 &&
            (best == MAILBOXES || takt_can_frame_compare(&controller->frames[i], &controller->frames[best]) < 0)) {
            best = i;
        }
    }
    return best;
}

/* Between frames all bits of the next are undecided: what is loaded within one of them takes part. */
void bus_offered(void)
{
    if (world.sender == NOWHERE && world.arbitrate_at == NEVER) {
        world.arbitrate_at = world.now < world.free_at ? world.free_at : world.now + up_to(BIT - 1);
    }
}

/* No identifier is in mailboxes of two nodes. */
static void check_identifiers(void)
{
    uint32_t ids[NODES * MAILBOXES], owners[NODES * MAILBOXES], count = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        const struct controller *controller = &world.nodes[i].controller;
        for (uint32_t k = 0; k < MAILBOXES; k++) {
            if ((controller->loaded & bit(k)) == 0) {
                continue;
            }
            for (uint32_t other = 0; other < count; other++) {
                CHECK(ids[other] != controller->frames[k].id || owners[other] == i);
            }
            ids[count] = controller->frames[k].id;
            owners[count++] = i;
        }
    }
}

/* Nodes that have heard the same tick agree on when its epoch began. */
static void check_clocks(void)
{
    const struct node *first = NULL;
    int64_t starts[NODES];
    for (uint32_t i = 0; i < NODES; i++) {
        const struct node *node = &world.nodes[i];
        if (!node->alive || node->mts.state != TAKT_CAN_MTS_IN_EPOCH) {
            continue;
        }
        if (first != NULL && node->mts.counter != first->mts.counter) {
            return;
        }
        first = first == NULL ? node : first;
        starts[i] = (int64_t)(node->mts.grid_ns - local(node, world.now));
        for (uint32_t j = 0; j < i; j++) {
            const struct node *other = &world.nodes[j];
            if (other->alive && other->mts.state == TAKT_CAN_MTS_IN_EPOCH) {
                int64_t apart = starts[i] - starts[j];
                uint64_t distance = (uint64_t)(apart < 0 ? -apart : apart);
                world.apart_max = distance > world.apart_max ? distance : world.apart_max;
            }
        }
    }
}

static void choose_fate(void)
{
    uint64_t draw = up_to(UINT64_C(0xFFFF));
    world.fate = draw < world.faults_per_2_16 ? (draw % 2 == 0 ? FAILED : TWICE) : SENT;
    world.heard = (uint32_t)up_to(bit(NODES) - 1) & ~bit(world.sender);
}

void bus_arbitrate(void)
{
    struct controller *winner = NULL;
    uint32_t mailbox = MAILBOXES;
    uint64_t length;
    world.arbitrate_at = NEVER;
    check_identifiers();
    check_clocks();
    for (uint32_t i = 0; i < NODES; i++) {
        struct controller *controller = &world.nodes[i].controller;
        uint32_t best = best_of(controller);
        if (best != MAILBOXES &&
            (winner == NULL || takt_can_frame_compare(&controller->frames[best], &winner->frames[mailbox]) < 0)) {
            winner = controller;
            mailbox = best;
            world.sender = i;
        }
    }
    if (winner == NULL) {
        return;
    }
    winner->on_bus = mailbox;
    winner->aborting = false;
    choose_fate();
    length = takt_can_length_exact(&winner->frames[mailbox]).nominal_bits * UINT64_C(1000) - 3 * BIT;
    if (world.fate == SENT) {
        world.end_at = world.now + length;
        world.free_at = world.end_at + 3 * BIT;
    } else {
        world.end_at = world.now + (world.fate == TWICE ? length : 15 * BIT + up_to(length - 15 * BIT));
        world.free_at = world.end_at + (FLAGS_MIN + up_to(FLAGS_MAX - FLAGS_MIN) + DELIMITER + 3) * BIT;
        world.disturbed = world.free_at;
    }
}

/* The attempt failed: the frame is sent again, unless its abort was asked for. */
static void give_back(struct controller *controller)
{
    if (controller->aborting) {
        controller->loaded &= ~bit(controller->on_bus);
        controller->aborted |= bit(controller->on_bus);
    }
    controller->on_bus = MAILBOXES;
    controller->aborting = false;
}

static void restart_arbitration(void)
{
    world.sender = NOWHERE;
    world.end_at = NEVER;
    for (uint32_t i = 0; i < NODES; i++) {
        if (world.nodes[i].controller.loaded != 0) {
            bus_offered();
        }
    }
}

void bus_end(void)
{
    uint32_t sender = world.sender;
    struct node *node = &world.nodes[sender];
    struct controller *controller = &node->controller;
    struct takt_can_frame frame = controller->frames[controller->on_bus];
    uint32_t heard = world.fate == SENT ? bit(NODES) - 1 : world.fate == TWICE ? world.heard : 0;
    bool asks = (controller->interrupts & bit(controller->on_bus)) != 0 || world.fate != SENT;

    world.frames++;
    world.errors += world.fate == FAILED;
    world.twice += world.fate == TWICE;
    if (world.fate == SENT) {
        controller->loaded &= ~bit(controller->on_bus);
        controller->sent |= bit(controller->on_bus);
        controller->on_bus = MAILBOXES;
        node_sent(sender, &frame, world.now);
    } else {
        give_back(controller);
    }
    for (uint32_t i = 0; i < NODES; i++) {
        if ((heard >> i & 1) != 0 && world.nodes[i].alive) {
            node_frame(i, &frame, world.now);
        }
    }
    world.sender = NOWHERE;
    world.end_at = NEVER;
    if (asks) {
        takt_can_queue_service(&node->queue); /* within the intermission */
    }
    restart_arbitration();
}

/* If it sends, the others see an error. */
void bus_lose(uint32_t node)
{
    controller_start(&world.nodes[node].controller);
    if (world.sender == node) {
        world.free_at = world.now + (FLAGS_MAX + DELIMITER + 3) * BIT;
        world.disturbed = world.free_at;
        world.errors++;
        restart_arbitration();
    }
}
