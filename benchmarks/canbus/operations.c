/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operations of tables 7.3 and 7.4 of seed 000, ours and those of its update as it prints it.
 *
 *     operations NAME WAITING COUNT
 *
 * does the operation NAME so often, each time prepared anew, in `measured`: Callgrind counts the instructions there.
 * WAITING: messages that wait in the queue, or are ready. The controller is memory with registers as TouCAN has them.
 * `nothing` is what `measured` itself takes. Exit code 2: misuse.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/canbus/printed_update.h"
#include "takt/can_mts.h"
#include "takt/can_queue.h"

enum { US = 1000, MS = 1000000, OWN = 7, SHARED = 3, REFILL = 2, STREAMS = 64, BIT_ID = 0x200 };
enum { NOTHING, IDENTIFIER, NEW_EPOCH, DEDICATED, QUEUED, PREEMPT, INTERRUPT, LOAD, RECEIVE, MEANING, TICK, FRAME };
enum { PRINTED_BEGIN = FRAME + 1, PRINTED_LOOKUP, PRINTED_REWRITE, OPERATIONS };
static const char *const names[OPERATIONS] = {
    "nothing", "identifier", "new_epoch", "dedicated", "queued",        "preempt",        "interrupt",      "load",
    "receive", "meaning",    "tick",      "frame",     "printed_begin", "printed_lookup", "printed_rewrite"};

/* Registers: control, identifier and eight bytes of each buffer; flags and mask of the interrupts. */
static struct {
    volatile uint16_t control, high, low;
    volatile uint8_t data[8];
} buffers[TAKT_CAN_MAILBOXES_MAX], received;
static volatile uint16_t flags, mask;
static uint32_t aborted;

static enum takt_status start(struct takt_can_controller *controller)
{
    (void)controller;
    return TAKT_OK;
}

static void stop(struct takt_can_controller *controller)
{
    (void)controller;
}

static void load(struct takt_can_controller *controller, uint8_t mailbox, const struct takt_can_frame *frame)
{
    (void)controller;
    buffers[mailbox].control = 8; /* inactive */
    buffers[mailbox].high = (uint16_t)(frame->id << 5);
    unsigned bytes = takt_can_bytes(&frame->shape);
    for (unsigned i = 0; i < bytes; i++) {
        buffers[mailbox].data[i] = frame->data[i];
    }
    buffers[mailbox].control = (uint16_t)(12 << 4 | frame->shape.dlc);
}

static void abort_one(struct takt_can_controller *controller, uint8_t mailbox)
{
    (void)controller;
    buffers[mailbox].control = 8;
    aborted |= UINT32_C(1) << mailbox;
}

static void interrupt(struct takt_can_controller *controller, uint32_t mailboxes)
{
    (void)controller;
    mask = (uint16_t)mailboxes;
}

static bool next_event(struct takt_can_controller *controller, struct takt_can_controller_event *event)
{
    uint32_t sent = flags, pending = sent | aborted;

    (void)controller;
    if (pending == 0) {
        return false;
    }
    event->mailbox = (uint8_t)__builtin_ctz(pending);
    if ((aborted >> event->mailbox & 1) != 0) {
        event->what = TAKT_CAN_MAILBOX_ABORTED;
        aborted &= aborted - 1;
    } else {
        event->what = TAKT_CAN_MAILBOX_SENT;
        flags = (uint16_t)(sent & (sent - 1));
    }
    return true;
}

static bool receive(struct takt_can_controller *controller, struct takt_can_frame *frame)
{
    (void)controller;
    frame->shape = (struct takt_can_shape){.dlc = received.control & 15};
    frame->id = received.high >> 5;
    for (unsigned i = 0; i < 8; i++) {
        frame->data[i] = received.data[i];
    }
    return true;
}

static const struct takt_can_controller_calls calls = {.start = start,
                                                       .stop = stop,
                                                       .load = load,
                                                       .abort = abort_one,
                                                       .interrupt = interrupt,
                                                       .next_event = next_event,
                                                       .receive = receive};
static struct takt_can_controller controller = {.calls = &calls, .mailboxes = OWN + SHARED, .aborts = true};

static struct takt_can_stream streams[STREAMS];
static struct takt_can_stream_state states[STREAMS];
static struct takt_can_slot slots[STREAMS];
static struct takt_can_queue queue;
static struct takt_can_frame frame = {.shape = {.dlc = 8}};

static struct takt_can_mts_bus mts_bus = {
    .layout = {.deadline_bits = 5, .unique_bits = 5}, .masters = 2, .regions = 16, .region_ns = 200 * US};
static struct takt_can_mts mts;
static struct takt_can_mts_message message;
static uint64_t now;

static struct printed_message ready[STREAMS];
static uint8_t lengths[PRINTED_STREAMS_MAX];
static struct printed_node printed = {.messages = ready, .lengths = lengths, .region = 125};

static volatile uint32_t result;

__attribute__((noinline)) void measured(unsigned operation)
{
    switch (operation) {
    case IDENTIFIER:
    case NEW_EPOCH:
        result = takt_can_mts_high(&mts, 3, &message);
        break;
    case DEDICATED:
        result = takt_can_queue_send(&queue, 0, &frame, now);
        break;
    case QUEUED:
    case PREEMPT:
        result = takt_can_queue_send(&queue, STREAMS - 1, &frame, now);
        break;
    case INTERRUPT:
        takt_can_queue_service(&queue);
        break;
    case LOAD:
        load(&controller, 0, &frame);
        break;
    case RECEIVE:
        (void)receive(&controller, &frame);
        break;
    case MEANING:
        result = takt_can_mts_meaning(&mts_bus, frame.id).number;
        break;
    case TICK:
        takt_can_mts_tick(&mts, 1, (uint8_t)(16 * (1 + mts.counter)), now);
        break;
    case FRAME:
        takt_can_mts_frame(&mts, now);
        break;
    case PRINTED_BEGIN:
        printed_begin(&printed);
        break;
    case PRINTED_LOOKUP:
        result = printed_is_signal(&printed, &frame);
        break;
    case PRINTED_REWRITE:
        printed_restore(&printed);
        printed_rewrite(&printed, 2000);
        break;
    default:
        break;
    }
}

static void send(uint32_t stream, uint32_t id)
{
    frame.id = id;
    if (takt_can_queue_send(&queue, stream, &frame, now) != TAKT_OK) {
        fprintf(stderr, "operations: a frame was refused\n");
        exit(1);
    }
}

/* All shared mailboxes are loaded, and `waiting` frames wait behind them. */
static void prepare_queue(unsigned operation, unsigned waiting)
{
    const struct takt_can_queue_config config = {.controller = &controller,
                                                 .streams = streams,
                                                 .states = states,
                                                 .stream_count = STREAMS,
                                                 .slots = slots,
                                                 .slot_count = STREAMS,
                                                 .refill_at = REFILL};
    flags = mask = 0;
    aborted = 0;
    for (unsigned i = 0; i < STREAMS; i++) {
        streams[i] = (struct takt_can_stream){.depth = 1, .mailbox = i < OWN ? (uint8_t)i : TAKT_CAN_SHARED};
    }
    takt_can_queue_init(&queue, &config);
    for (unsigned i = 0; operation != DEDICATED && i < SHARED + waiting; i++) {
        send(OWN + i, BIT_ID + i);
    }
    if (operation == INTERRUPT) {
        flags = mask & (uint16_t)-mask; /* the one that asks */
    }
    frame.id = operation == PREEMPT ? BIT_ID - 1 : operation == QUEUED ? BIT_ID + STREAMS : 1;
}

static void prepare_mts(unsigned operation)
{
    takt_can_mts_start(&mts, &mts_bus, TAKT_CAN_MTS_NO_RANK, 0);
    now = 1000 * MS;
    for (unsigned i = 1; i < 4; i++, now += 16 * 200 * US) {
        takt_can_mts_tick(&mts, 1, (uint8_t)(16 * i), now);
        for (unsigned j = 0; j < mts_bus.plan.frames; j++) {
            takt_can_mts_frame(&mts, now + (j + 1) * 111 * US);
        }
        takt_can_mts_timer(&mts, now + 1 * MS);
    }
    message = (struct takt_can_mts_message){.begin_ns = now + 1 * MS};
    if (operation == NEW_EPOCH) {
        result = takt_can_mts_high(&mts, 3, &message);
        takt_can_mts_tick(&mts, 1, 16 * 4, now);
        takt_can_mts_timer(&mts, now + 1 * MS);
    }
    if (operation == FRAME) {
        takt_can_mts_tick(&mts, 1, 16 * 4, now);
        now += 111 * US;
    }
}

static void prepare_printed(unsigned waiting)
{
    printed.count = waiting;
    printed.start = 0;
    for (unsigned i = 0; i < waiting; i++) {
        ready[i] = (struct printed_message){
            .frame = {.shape = {.dlc = 7}}, .begin = 2500 + i, .unique = i, .dlc = 7, .high = true, .ready = true};
        ready[i].frame.id = printed_id(&printed, &ready[i]);
        lengths[i] = 7;
    }
}

int main(int count, char **arguments)
{
    unsigned operation = OPERATIONS;
    unsigned long waiting = count == 4 ? strtoul(arguments[2], NULL, 10) : 0;
    unsigned long times = count == 4 ? strtoul(arguments[3], NULL, 10) : 0;
    const struct takt_can_mts_needs needs = {.layout = mts_bus.layout,
                                             .rates = {1000000, 1000000},
                                             .masters = 2,
                                             .clock_ppm = 100,
                                             .stamp_ns = US,
                                             .react_ns = 5 * US,
                                             .prepare_ns = 40 * US,
                                             .write_ns = 20 * US,
                                             .longest_ns = 135 * US,
                                             .deadline_ns = 2 * MS,
                                             .epoch_max_ns = 10 * MS};

    for (unsigned i = 0; count == 4 && i < OPERATIONS; i++) {
        operation = strcmp(arguments[1], names[i]) == 0 ? i : operation;
    }
    if (operation == OPERATIONS || waiting > STREAMS - OWN - SHARED - 1 || times < 1) {
        fprintf(stderr, "operations: NAME, WAITING of 0 to %d, COUNT of 1 or more\n", STREAMS - OWN - SHARED - 1);
        return 2;
    }
    if (!takt_can_mts_plan(&needs, &mts_bus.plan) || !takt_can_mts_bus_is_valid(&mts_bus)) {
        fprintf(stderr, "operations: no such bus\n");
        return 1;
    }
    for (unsigned long i = 0; i < times; i++) {
        prepare_mts(operation);
        prepare_queue(operation, (unsigned)waiting);
        prepare_printed((unsigned)waiting);
        measured(operation);
    }
    return 0;
}
