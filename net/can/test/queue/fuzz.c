/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For libFuzzer: a transmit queue above a controller that ends, aborts and fails frames whenever the input says so. No
 * order of events loads a mailbox twice, breaks the order within an identifier, also where that changes while frames
 * wait, or loses the count of a frame; and once the controller has nothing more to abort, no frame that waits is better
 * than one in a shared mailbox.
 */
#include "base/test/fuzz.h"
#include "takt/can_queue.h"

enum { STREAMS = 5, SLOTS = 16, EVENTS = 64, PER_ID = 8 };

static struct takt_can_controller controller;
static struct takt_can_queue queue;
static struct takt_can_stream streams[STREAMS];
static struct takt_can_stream_state states[STREAMS];
static struct takt_can_slot slots[SLOTS];
static struct takt_can_frame loaded[TAKT_CAN_MAILBOXES_MAX];
static uint32_t busy, aborting;
static struct takt_can_controller_event events[EVENTS];
static unsigned event_first, event_last;
static bool off;
static unsigned serial, last_of[STREAMS][PER_ID]; /* numbers of frames */
static bool rekeys[STREAMS];                      /* all frames that wait have one identifier, which changes */
static uint32_t current[STREAMS];

static void add_event(enum takt_can_happening what, uint8_t mailbox)
{
    if (event_last == EVENTS) {
        event_last -= event_first;
        memmove(events, events + event_first, event_last * sizeof *events);
        event_first = 0;
    }
    CHECK(event_last < EVENTS);
    events[event_last++] = (struct takt_can_controller_event){what, mailbox};
}

static void end(uint8_t mailbox, enum takt_can_happening what)
{
    const struct takt_can_frame *frame = &loaded[mailbox];
    if (what == TAKT_CAN_MAILBOX_SENT) { /* of one stream and identifier in the order of their numbers */
        uint8_t stream = frame->data[0];
        unsigned *last = &last_of[stream][rekeys[stream] ? 0 : frame->id % PER_ID];
        unsigned number = frame->data[1] * 256u + frame->data[2];
        CHECK(number > *last);
        *last = number;
    }
    busy &= ~(1u << mailbox);
    aborting &= ~(1u << mailbox);
    add_event(what, mailbox);
}

static enum takt_status start(struct takt_can_controller *of)
{
    (void)of;
    return TAKT_OK;
}

static void load(struct takt_can_controller *of, uint8_t mailbox, const struct takt_can_frame *frame)
{
    CHECK(mailbox < of->mailboxes && (busy >> mailbox & 1) == 0);
    for (unsigned i = event_first; i < event_last; i++) { /* its last event was returned */
        CHECK(events[i].what >= TAKT_CAN_WENT_OFF || events[i].mailbox != mailbox);
    }
    for (unsigned i = 0; i < of->mailboxes; i++) {
        CHECK((busy >> i & 1) == 0 || takt_can_frame_compare(&loaded[i], frame) != 0);
    }
    if (!off) {
        busy |= 1u << mailbox;
        loaded[mailbox] = *frame;
    }
}

static void abort_frame(struct takt_can_controller *of, uint8_t mailbox)
{
    (void)of;
    CHECK((aborting >> mailbox & 1) == 0);
    if ((busy >> mailbox & 1) == 0) {
        return; /* it has just ended */
    }
    if (byte() % 4 == 0) { /* it is on the bus */
        aborting |= 1u << mailbox;
    } else {
        end(mailbox, TAKT_CAN_MAILBOX_ABORTED);
    }
}

static void interrupt(struct takt_can_controller *of, uint32_t mailboxes)
{
    CHECK(mailboxes >> of->mailboxes == 0);
}

static bool next_event(struct takt_can_controller *of, struct takt_can_controller_event *event)
{
    (void)of;
    if (event_first == event_last) {
        event_first = event_last = 0;
        return false;
    }
    *event = events[event_first++];
    return true;
}

static void recover(struct takt_can_controller *of)
{
    (void)of;
    if (off) {
        off = false;
        add_event(TAKT_CAN_CAME_BACK, 0);
    }
}

static const struct takt_can_controller_calls calls = {
    .start = start,
    .load = load,
    .abort = abort_frame,
    .interrupt = interrupt,
    .next_event = next_event,
    .recover = recover,
};

/* What waits in no mailbox is there since the shared ones have better frames, or others of its identifier. */
static void check_waiting(uint16_t slot)
{
    bool is_held = streams[slots[slot].stream].mailbox != TAKT_CAN_SHARED, is_better = false;
    for (unsigned i = 0; i < controller.mailboxes; i++) {
        bool shared = (busy >> i & 1) != 0 && (queue.shared >> i & 1) != 0;
        bool follows = takt_can_frame_compare(&slots[slot].frame, &loaded[i]) == 0;
        follows |= streams[slots[slot].stream].state && loaded[i].data[0] == slots[slot].stream;
        is_held |= (busy >> i & 1) != 0 && follows;
        is_better |= shared && takt_can_frame_compare(&slots[slot].frame, &loaded[i]) < 0;
    }
    CHECK(is_held || (!is_better && (queue.shared & ~busy) == 0));
}

static void check_queue(void)
{
    for (unsigned i = 0; i < STREAMS; i++) {
        const struct takt_can_counters *of = takt_can_queue_counters(&queue, i);
        CHECK_EQUAL(of->queued, of->sent + of->replaced + of->cancelled + of->lost + states[i].waiting);
        CHECK(states[i].waiting <= (streams[i].state ? 2 : streams[i].depth));
    }
    if (off || event_first != event_last || aborting != 0) {
        return;
    }
    for (unsigned i = 0; i < STREAMS; i++) {
        for (uint16_t slot = states[i].first; slot <= TAKT_CAN_SLOTS_MAX; slot = slots[slot].next) {
            check_waiting(slot);
        }
    }
}

/* Streams have different ones. */
static uint32_t any_id(uint8_t stream)
{
    uint32_t id = (uint32_t)(byte() % PER_ID * STREAMS + stream) * PER_ID;
    return id + id / PER_ID / STREAMS;
}

static void rekey(uint8_t stream)
{
    if (rekeys[stream]) {
        current[stream] = any_id(stream);
        takt_can_queue_rekey(&queue, stream, current[stream]);
        for (uint16_t slot = states[stream].first; slot <= TAKT_CAN_SLOTS_MAX; slot = slots[slot].next) {
            CHECK(slots[slot].frame.id == current[stream]);
        }
        takt_can_queue_service(&queue);
    }
}

static void happen(void)
{
    uint8_t what = byte(), which = byte() % TAKT_CAN_MAILBOXES_MAX;
    bool is_busy = (busy >> which & 1) != 0;
    if (what < 100) {
        uint8_t stream = which % STREAMS;
        struct takt_can_frame frame = {.shape = {.dlc = 3}};
        frame.id = rekeys[stream] ? current[stream] : any_id(stream);
        frame.data[0] = stream;
        serial++;
        frame.data[1] = (uint8_t)(serial >> 8);
        frame.data[2] = (uint8_t)serial;
        (void)takt_can_queue_send(&queue, stream, &frame, serial);
    } else if (what < 190 && is_busy) {
        end(which, what < 160 || (aborting >> which & 1) == 0 ? TAKT_CAN_MAILBOX_SENT : TAKT_CAN_MAILBOX_ABORTED);
    } else if (what < 220) {
        takt_can_queue_service(&queue);
    } else if (what < 230) {
        rekey(which % STREAMS);
    } else if (what < 237) {
        takt_can_queue_cancel(&queue, which % STREAMS);
    } else if (what < 242 && !off) {
        off = true;
        busy = aborting = 0;
        add_event(TAKT_CAN_WENT_OFF, 0);
    } else {
        takt_can_queue_recover(&queue);
    }
    if (event_last - event_first > EVENTS / 2) {
        takt_can_queue_service(&queue);
    }
    check_queue();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input = data;
    left = size;
    busy = aborting = event_first = event_last = 0;
    off = false;
    serial = 0;
    memset(last_of, 0, sizeof last_of);
    controller = (struct takt_can_controller){.calls = &calls, .mailboxes = 1 + byte() % TAKT_CAN_MAILBOXES_MAX};
    for (unsigned i = 0; i < STREAMS; i++) {
        uint8_t kind = byte();
        streams[i] = (struct takt_can_stream){
            .depth = 1 + kind % 3, .state = kind & 8, .confirmed = kind & 16, .mailbox = TAKT_CAN_SHARED};
        rekeys[i] = kind & 64;
        current[i] = any_id((uint8_t)i);
        streams[i].mailbox = (kind & 32) != 0 && i + 1 < controller.mailboxes ? (uint8_t)i : TAKT_CAN_SHARED;
    }
    struct takt_can_queue_config config = {.controller = &controller,
                                           .streams = streams,
                                           .states = states,
                                           .stream_count = STREAMS,
                                           .slots = slots,
                                           .slot_count = SLOTS,
                                           .refill_at = byte() % 4};
    if (!takt_can_queue_config_is_valid(&config)) {
        config.refill_at = 0;
    }
    CHECK(takt_can_queue_config_is_valid(&config));
    takt_can_queue_init(&queue, &config);
    while (left > 0) {
        happen();
    }
    takt_can_queue_service(&queue);
    check_queue();
    return 0;
}
