/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/can_node.h"

#include <stddef.h>

#include "takt/can_length.h"

enum {
    FLAG = 6,       /* bits of a flag */
    DELIMITER = 8,  /* bits of the delimiter of an error or overload frame */
    TOLERATED = 8,  /* dominant bits after a flag, at each of which the counters rise */
    SUSPENSION = 8, /* bits */
    INTEGRATION = 11
};

static void enter(struct takt_can_node *node, enum takt_can_phase phase)
{
    node->phase = phase;
    node->count = 0;
}

void takt_can_node_init(struct takt_can_node *node)
{
    *node = (struct takt_can_node){.phase = TAKT_CAN_INTEGRATING, .driven = true};
}

void takt_can_node_offer(struct takt_can_node *node, const struct takt_can_frame *frame)
{
    node->pending = frame;
}

/* Counts, and takes the node off the bus if that is the result. */
static unsigned count(struct takt_can_node *node, enum takt_can_count what)
{
    enum takt_can_state before = takt_can_errors_state(&node->errors);
    takt_can_errors_count(&node->errors, what);
    enum takt_can_state after = takt_can_errors_state(&node->errors);
    if (after == TAKT_CAN_BUS_OFF) {
        enter(node, TAKT_CAN_OFF);
    }
    return before != after ? TAKT_CAN_CHANGED : 0;
}

/* An error of 8 points, to the counter of its role. */
static unsigned count_severe(struct takt_can_node *node)
{
    return count(node, node->transmitter ? TAKT_CAN_COUNT_TRANSMITTER_ERROR : TAKT_CAN_COUNT_RECEIVER_SEVERE);
}

/* Begins an error flag. The error that makes a node error-passive is still announced by an active flag. */
static void begin_flag(struct takt_can_node *node)
{
    node->passive = takt_can_errors_state(&node->errors) == TAKT_CAN_PASSIVE;
    node->overload = false;
    node->unacknowledged = false;
    node->sending = NULL;
    enter(node, TAKT_CAN_IN_FLAG);
}

static unsigned fail(struct takt_can_node *node, enum takt_can_error error)
{
    node->error = error;
    begin_flag(node);
    bool transmitter = node->transmitter;
    return TAKT_CAN_FAILED |
           count(node, transmitter ? TAKT_CAN_COUNT_TRANSMITTER_ERROR : TAKT_CAN_COUNT_RECEIVER_ERROR);
}

/* An error that is not counted, or not yet. */
static unsigned fail_uncounted(struct takt_can_node *node, enum takt_can_error error)
{
    node->error = error;
    begin_flag(node);
    return TAKT_CAN_FAILED;
}

static unsigned begin_overload(struct takt_can_node *node)
{
    node->passive = false;
    node->overload = true;
    enter(node, TAKT_CAN_IN_FLAG);
    return TAKT_CAN_OVERLOADED;
}

/* Begins a frame, of its own if one is pending and `may_send`. */
static void begin_frame(struct takt_can_node *node, bool may_send)
{
    takt_can_parser_start(&node->parser);
    enter(node, TAKT_CAN_IN_FRAME);
    node->transmitter = may_send && node->pending != NULL;
    node->sending = node->transmitter ? node->pending : NULL;
    if (node->transmitter) {
        node->sent = *node->pending;
        node->sent.passive = node->sent.shape.fd && takt_can_errors_state(&node->errors) == TAKT_CAN_PASSIVE;
    }
}

bool takt_can_node_drive(struct takt_can_node *node)
{
    if (node->phase == TAKT_CAN_IDLE && node->pending != NULL) {
        begin_frame(node, true);
    }
    if (node->phase == TAKT_CAN_IN_FRAME) {
        bool acknowledges = node->parser.field == TAKT_CAN_ACK && !node->parser.wrong;
        node->driven = node->transmitter ? takt_can_parser_next(&node->parser, &node->sent) : !acknowledges;
    } else {
        node->driven = node->phase != TAKT_CAN_IN_FLAG || node->passive;
    }
    return node->driven;
}

/* A bit of a frame in which the bus has another level than the node sends. Returns events; `phase` tells whether it was
 * an error. */
static unsigned sample_other(struct takt_can_node *node)
{
    enum takt_can_field field = node->parser.field;
    bool overwritten = node->driven;
    if (!overwritten || !node->transmitter) {
        return node->driven ? 0 : fail(node, TAKT_CAN_ERROR_BIT);
    }
    if (takt_can_parser_is_arbitration(&node->parser)) {
        node->transmitter = false;
        node->sending = NULL;
        return TAKT_CAN_LOST;
    }
    if (field == TAKT_CAN_ACK) {
        return 0;
    }
    if (field <= TAKT_CAN_RTR_LOW) { /* a stuff bit in the arbitration: another node is faulty */
        return fail_uncounted(node, TAKT_CAN_ERROR_STUFF);
    }
    return fail(node, TAKT_CAN_ERROR_BIT);
}

/* The missing acknowledgement of an error-passive node counts only if its flag meets a dominant bit: a node that is
 * alone never goes bus-off. */
static unsigned fail_acknowledgement(struct takt_can_node *node)
{
    if (takt_can_errors_state(&node->errors) != TAKT_CAN_PASSIVE) {
        return fail(node, TAKT_CAN_ERROR_ACK);
    }
    unsigned events = fail_uncounted(node, TAKT_CAN_ERROR_ACK);
    node->unacknowledged = true;
    return events;
}

/* After the last bit of a frame. */
static unsigned end_frame(struct takt_can_node *node, bool level)
{
    if (!level) { /* of a receiver: to a transmitter it is a bit error */
        return begin_overload(node);
    }
    enter(node, TAKT_CAN_IN_INTERMISSION);
    if (!node->transmitter) {
        return 0;
    }
    if (node->pending == node->sending) {
        node->pending = NULL;
    }
    node->sending = NULL;
    return TAKT_CAN_TRANSMITTED | count(node, TAKT_CAN_COUNT_TRANSMITTED);
}

static unsigned sample_frame(struct takt_can_node *node, bool level)
{
    struct takt_can_parser *parser = &node->parser;
    enum takt_can_field field = parser->field;
    unsigned events = field == TAKT_CAN_START && node->transmitter ? TAKT_CAN_STARTED : 0;
    if (node->driven != level) {
        events |= sample_other(node);
        if (node->phase != TAKT_CAN_IN_FRAME) {
            return events;
        }
    }
    switch (takt_can_parser_take(parser, level)) {
    case TAKT_CAN_COMPLETE:
        return events | end_frame(node, level);
    case TAKT_CAN_STUFF_ERROR:
        return events | fail(node, TAKT_CAN_ERROR_STUFF);
    case TAKT_CAN_FORM_ERROR:
        return events | fail(node, TAKT_CAN_ERROR_FORM);
    case TAKT_CAN_CRC_ERROR:
        return events | fail(node, TAKT_CAN_ERROR_CRC);
    default:
        break;
    }
    if (field == TAKT_CAN_ACK && node->transmitter && level) {
        return events | fail_acknowledgement(node);
    }
    if (!node->transmitter && parser->field == TAKT_CAN_END && parser->left == 1) {
        events |= TAKT_CAN_RECEIVED | count(node, TAKT_CAN_COUNT_RECEIVED);
    }
    return events;
}

/* A bit of a flag: an active one is dominant on the bus, a passive one ends after 6 equal bits. */
static unsigned sample_flag(struct takt_can_node *node, bool level)
{
    unsigned events = 0;
    if (node->passive) {
        if (!level && node->unacknowledged) {
            node->unacknowledged = false;
            events = count(node, TAKT_CAN_COUNT_TRANSMITTER_ERROR);
        }
        node->count = level == node->last && node->count > 0 ? node->count + 1 : 1;
        node->last = level;
    } else if (level) {
        node->error = TAKT_CAN_ERROR_BIT;
        begin_flag(node);
        return TAKT_CAN_FAILED | count_severe(node);
    } else {
        node->count++;
    }
    if (node->phase == TAKT_CAN_IN_FLAG && node->count == FLAG) {
        enter(node, TAKT_CAN_AFTER_FLAG);
    }
    return events;
}

/* A bit after a flag: those of other nodes may still be dominant. */
static unsigned sample_after_flag(struct takt_can_node *node, bool level)
{
    if (level) {
        enter(node, TAKT_CAN_IN_DELIMITER);
        node->count = 1;
        return 0;
    }
    unsigned events = 0;
    node->count++;
    if (node->count == 1 && !node->overload && !node->transmitter) {
        events = count(node, TAKT_CAN_COUNT_RECEIVER_SEVERE); /* others saw the error after this node did */
    }
    if (node->count % TOLERATED == 0) {
        node->count = TOLERATED; /* again after as many */
        events |= count_severe(node);
    }
    return events;
}

static unsigned sample_delimiter(struct takt_can_node *node, bool level)
{
    if (!level) {
        return node->count == DELIMITER - 1 ? begin_overload(node) : fail(node, TAKT_CAN_ERROR_FORM);
    }
    if (++node->count == DELIMITER) {
        enter(node, TAKT_CAN_IN_INTERMISSION);
    }
    return 0;
}

/* Whether it waits after the intermission: it sent the last frame, and is error-passive. */
static bool is_suspended(const struct takt_can_node *node)
{
    return node->transmitter && takt_can_errors_state(&node->errors) == TAKT_CAN_PASSIVE;
}

/* A start bit of another node. */
static unsigned join_frame(struct takt_can_node *node, bool may_send)
{
    begin_frame(node, may_send);
    (void)takt_can_parser_take(&node->parser, false);
    return node->transmitter ? TAKT_CAN_STARTED : 0;
}

static unsigned sample_intermission(struct takt_can_node *node, bool level)
{
    if (!level) { /* in its third bit a frame begins, in which a node that is ready takes part */
        bool third = node->count == TAKT_CAN_INTERMISSION - 1;
        return third ? join_frame(node, !is_suspended(node)) : begin_overload(node);
    }
    if (++node->count == TAKT_CAN_INTERMISSION) {
        enter(node, is_suspended(node) ? TAKT_CAN_SUSPENDED : TAKT_CAN_IDLE);
    }
    return 0;
}

/* A bit of a node that does not send and waits for `recessive` of them. */
static unsigned sample_waiting(struct takt_can_node *node, bool level, unsigned recessive)
{
    node->count = level ? node->count + 1 : 0;
    if (node->count == recessive) {
        enter(node, TAKT_CAN_IDLE);
    }
    return 0;
}

unsigned takt_can_node_sample(struct takt_can_node *node, bool level)
{
    switch (node->phase) {
    case TAKT_CAN_INTEGRATING:
        return sample_waiting(node, level, INTEGRATION);
    case TAKT_CAN_IDLE:
        return level ? 0 : join_frame(node, false);
    case TAKT_CAN_IN_FRAME:
        return sample_frame(node, level);
    case TAKT_CAN_IN_FLAG:
        return sample_flag(node, level);
    case TAKT_CAN_AFTER_FLAG:
        return sample_after_flag(node, level);
    case TAKT_CAN_IN_DELIMITER:
        return sample_delimiter(node, level);
    case TAKT_CAN_IN_INTERMISSION:
        return sample_intermission(node, level);
    case TAKT_CAN_SUSPENDED:
        return level ? sample_waiting(node, level, SUSPENSION) : join_frame(node, false);
    default: /* OFF */
        if (!takt_can_errors_recover(&node->errors, level)) {
            return 0;
        }
        enter(node, TAKT_CAN_IDLE);
        return TAKT_CAN_CHANGED;
    }
}

bool takt_can_node_is_fast(const struct takt_can_node *node)
{
    return node->phase == TAKT_CAN_IN_FRAME && takt_can_parser_is_fast(&node->parser);
}
