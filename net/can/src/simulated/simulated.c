/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/can_simulated.h"

#include <stddef.h>

#include "net/can/src/simulated/receive.h"

enum { NO_MAILBOX = TAKT_CAN_MAILBOXES_MAX, THREE = 3 };

static uint32_t bit(uint32_t mailbox)
{
    return UINT32_C(1) << mailbox;
}

static struct takt_can_simulated *of(struct takt_can_controller *controller)
{
    return (struct takt_can_simulated *)(void *)controller; /* its first member */
}

static struct takt_can_node *node_of(const struct takt_can_simulated *simulated)
{
    return &simulated->bus->nodes[simulated->node];
}

/* Offers the loaded frame that wins the arbitration; of equal ones that of the lowest mailbox. */
static void offer(struct takt_can_simulated *simulated)
{
    uint8_t best = NO_MAILBOX;
    for (uint8_t i = 0; i < simulated->controller.mailboxes; i++) {
        bool is_loaded = (simulated->loaded & bit(i)) != 0;
        if (is_loaded &&
            (best == NO_MAILBOX || takt_can_frame_compare(&simulated->frames[i], &simulated->frames[best]) < 0)) {
            best = i;
        }
    }
    simulated->offered = best;
    takt_can_node_offer(node_of(simulated), best == NO_MAILBOX ? NULL : &simulated->frames[best]);
}

static void clear(struct takt_can_simulated *simulated)
{
    simulated->loaded = simulated->sent = simulated->aborted = simulated->aborting = 0;
    simulated->on_bus = NO_MAILBOX;
    offer(simulated);
}

static enum takt_status start(struct takt_can_controller *controller)
{
    struct takt_can_simulated *simulated = of(controller);
    if (simulated->running) {
        return TAKT_STATE;
    }
    takt_can_node_init(node_of(simulated));
    simulated->bus->dead &= ~(UINT64_C(1) << simulated->node);
    simulated->running = true;
    simulated->off = simulated->recovers = simulated->went_off = simulated->came_back = simulated->raised = false;
    simulated->interrupts = 0;
    taktc_simulated_empty(simulated);
    clear(simulated);
    return TAKT_OK;
}

static void stop(struct takt_can_controller *controller)
{
    struct takt_can_simulated *simulated = of(controller);
    simulated->bus->dead |= UINT64_C(1) << simulated->node;
    simulated->running = simulated->off = simulated->went_off = simulated->came_back = simulated->raised = false;
    taktc_simulated_empty(simulated);
    clear(simulated);
}

static void load(struct takt_can_controller *controller, uint8_t mailbox, const struct takt_can_frame *frame)
{
    struct takt_can_simulated *simulated = of(controller);
    if (!simulated->running || simulated->off) {
        return;
    }
    simulated->frames[mailbox] = *frame;
    simulated->loaded |= bit(mailbox);
    offer(simulated);
}

/* An event of a mailbox, which is free now. */
static void end(struct takt_can_simulated *simulated, uint8_t mailbox, uint32_t *events)
{
    *events |= bit(mailbox);
    simulated->loaded &= ~bit(mailbox);
    simulated->aborting &= ~bit(mailbox);
    simulated->raised |= (simulated->interrupts & bit(mailbox)) != 0;
}

static void abort_frame(struct takt_can_controller *controller, uint8_t mailbox)
{
    struct takt_can_simulated *simulated = of(controller);
    if ((simulated->loaded & bit(mailbox)) == 0) {
        return;
    }
    if (mailbox == simulated->on_bus) {
        simulated->aborting |= bit(mailbox);
        return;
    }
    end(simulated, mailbox, &simulated->aborted);
    offer(simulated);
}

static void interrupt(struct takt_can_controller *controller, uint32_t mailboxes)
{
    of(controller)->interrupts = mailboxes;
}

static bool next_of(struct takt_can_simulated *simulated, uint32_t *events, enum takt_can_happening what,
                    struct takt_can_controller_event *event)
{
    for (uint8_t i = 0; i < simulated->controller.mailboxes; i++) {
        if ((*events & bit(i)) != 0) {
            *events &= ~bit(i);
            *event = (struct takt_can_controller_event){what, i};
            return true;
        }
    }
    return false;
}

static bool next_event(struct takt_can_controller *controller, struct takt_can_controller_event *event)
{
    struct takt_can_simulated *simulated = of(controller);
    if (next_of(simulated, &simulated->sent, TAKT_CAN_MAILBOX_SENT, event) ||
        next_of(simulated, &simulated->aborted, TAKT_CAN_MAILBOX_ABORTED, event)) {
        return true;
    }
    if (simulated->went_off) {
        simulated->went_off = false;
        *event = (struct takt_can_controller_event){TAKT_CAN_WENT_OFF, 0};
        return true;
    }
    if (simulated->came_back) {
        simulated->came_back = false;
        *event = (struct takt_can_controller_event){TAKT_CAN_CAME_BACK, 0};
        return true;
    }
    return false;
}

static bool receive(struct takt_can_controller *controller, struct takt_can_frame *frame)
{
    return taktc_simulated_take(of(controller), frame);
}

static enum takt_status filter(struct takt_can_controller *controller, const struct takt_can_filter *filters,
                               uint32_t count)
{
    return taktc_simulated_filter(of(controller), filters, count);
}

static void recover(struct takt_can_controller *controller)
{
    of(controller)->recovers = of(controller)->off;
}

static struct takt_can_errors errors(const struct takt_can_controller *controller)
{
    return node_of((const struct takt_can_simulated *)(const void *)controller)->errors;
}

static const struct takt_can_controller_calls calls = {
    .start = start,
    .stop = stop,
    .load = load,
    .abort = abort_frame,
    .interrupt = interrupt,
    .next_event = next_event,
    .receive = receive,
    .filter = filter,
    .recover = recover,
    .errors = errors,
};

void takt_can_simulated_init(struct takt_can_simulated *simulated, const struct takt_can_simulated_config *config)
{
    bool is_toucan = config->kind == TAKT_CAN_TOUCAN;
    *simulated = (struct takt_can_simulated){.bus = config->bus, .node = config->node, .kind = config->kind};
    simulated->controller.calls = &calls;
    simulated->controller.mailboxes = is_toucan ? config->transmit : THREE;
    simulated->controller.fd = !is_toucan;
    simulated->controller.aborts = true;
    simulated->filter_count = UINT32_MAX;
    stop(&simulated->controller);
}

/* The end of an attempt: the frame was not transmitted, and is sent again if nobody wants it back. */
static void fail(struct takt_can_simulated *simulated)
{
    uint8_t mailbox = simulated->on_bus;
    simulated->on_bus = NO_MAILBOX;
    if (mailbox != NO_MAILBOX && (simulated->aborting & bit(mailbox)) != 0) {
        end(simulated, mailbox, &simulated->aborted);
    }
}

static void change_state(struct takt_can_simulated *simulated)
{
    bool is_off = takt_can_errors_state(&node_of(simulated)->errors) == TAKT_CAN_BUS_OFF;
    if (is_off == simulated->off) {
        return;
    }
    simulated->off = is_off;
    simulated->raised = true;
    if (is_off) {
        uint32_t sent = simulated->sent, aborted = simulated->aborted;
        clear(simulated);
        simulated->sent = sent; /* what was not asked for yet */
        simulated->aborted = aborted;
        simulated->went_off = true;
    } else {
        simulated->recovers = false;
        simulated->came_back = true;
    }
}

void takt_can_simulated_note(struct takt_can_simulated *simulated)
{
    struct takt_can_node *node = node_of(simulated);
    unsigned events = simulated->bus->events[simulated->node];
    if (simulated->off && !simulated->recovers) {
        node->errors.sequences = node->errors.recessive = 0; /* it waits to be asked to recover */
    }
    if (events == 0) {
        return;
    }
    if ((events & TAKT_CAN_STARTED) != 0) {
        simulated->on_bus = simulated->offered;
    }
    if ((events & TAKT_CAN_TRANSMITTED) != 0) {
        uint8_t mailbox = simulated->on_bus;
        simulated->on_bus = NO_MAILBOX;
        end(simulated, mailbox, &simulated->sent);
    } else if ((events & (TAKT_CAN_LOST | TAKT_CAN_FAILED)) != 0) {
        fail(simulated);
    }
    if ((events & TAKT_CAN_RECEIVED) != 0) {
        taktc_simulated_put(simulated, &node->parser.frame);
        simulated->raised = true;
    }
    if ((events & TAKT_CAN_CHANGED) != 0) {
        change_state(simulated);
    }
    offer(simulated);
}

bool takt_can_simulated_interrupt(struct takt_can_simulated *simulated)
{
    bool raised = simulated->raised;
    simulated->raised = false;
    return raised;
}

bool takt_can_simulated_waits(const struct takt_can_simulated *simulated)
{
    bool events = simulated->sent != 0 || simulated->aborted != 0 || simulated->went_off || simulated->came_back;
    return events || taktc_simulated_holds(simulated);
}
