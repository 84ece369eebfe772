/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traffic frame by frame, beside a naive driver of the same bus bit by bit: each event of each node, with its time.
 * TAKT_CASES: how many buses of some dozen frames each.
 */
#include "takt/can_traffic.h"

#include "net/can/test/naive_traffic.h"
#include "takt/can_length.h"

static struct events fast;

static struct takt_can_message messages[MESSAGES];
static struct takt_can_sender senders[NODES];
static struct takt_can_entry entries[NODES][MESSAGES * INSTANCES];
static struct takt_can_release releases[MESSAGES];
static struct takt_can_record records[TAKT_CAN_RECORDS_LEAST + 20];

static void keep(struct takt_can_traffic *traffic)
{
    for (uint32_t i = 0; i < traffic->record_count; i++) {
        const struct takt_can_record *one = &records[i];
        add(&fast, (struct event){one->start, one->end, one->released, one->kind, one->node, one->message, one->detail,
                                  one->frame});
    }
    traffic->record_count = 0;
}

static void run_until(struct takt_can_traffic *traffic, uint64_t until)
{
    while (!takt_can_traffic_run(traffic, until)) {
        keep(traffic);
    }
    keep(traffic);
}

static uint64_t run_fast(struct takt_can_traffic *traffic)
{
    *traffic = (struct takt_can_traffic){
        .bus = {.nodes = nodes, .count = given.nodes},
        .senders = senders,
        .messages = messages,
        .message_count = given.messages,
        .releases = releases,
        .nominal_ticks = NOMINAL,
        .data_ticks = DATA,
        .flips = given.flip,
        .flip_count = given.flips,
        .records = records,
        .record_capacity = sizeof records / sizeof records[0],
    };
    start_nodes();
    fast.count = 0;
    memcpy(messages, given.message, sizeof messages);
    memcpy(senders, given.sender, sizeof senders);
    for (uint32_t n = 0; n < given.nodes; n++) {
        senders[n].fifo = entries[n];
    }
    takt_can_traffic_start(traffic);
    uint64_t stops[] = {given.killed_at, given.stuck_at, given.revived_at, given.released_at, BITS * NOMINAL};
    for (unsigned i = 0; i < 5; i++) { /* the first four in pairs, some beyond the end */
        if (stops[i] > BITS * NOMINAL) {
            continue;
        }
        run_until(traffic, stops[i]);
        if (i == 0) {
            takt_can_traffic_kill(traffic, given.killed);
        } else if (i == 1) {
            traffic->bus.stuck = given.stuck;
        } else if (i == 2) {
            takt_can_traffic_revive(traffic, given.killed);
        } else if (i == 3) {
            traffic->bus.stuck = 0;
        }
    }
    return takt_can_traffic_now(traffic);
}

static void draw_messages(uint64_t *random)
{
    for (uint32_t m = 0; m < given.messages; m++) {
        struct takt_can_message *message = &given.message[m];
        *message = (struct takt_can_message){.frame = random_frame(random), .content = TAKT_CAN_LISTED};
        message->frame.passive = false;
        uint32_t slot = m;
        for (; slot > 0 && takt_can_frame_compare(&given.message[slot - 1].frame, &message->frame) >= 0; slot--) {
        }
        if (slot < m && takt_can_frame_compare(&given.message[slot].frame, &message->frame) == 0) {
            m--; /* another one: two may not send the same */
            continue;
        }
        struct takt_can_message one = *message;
        memmove(&given.message[slot + 1], &given.message[slot], (m - slot) * sizeof one);
        given.message[slot] = one;
    }
    /* A remote frame of an identifier loses against its data frame: instances do not change which one it is. */
    uint64_t spread = check_random(random) % 4 == 0 ? 100 : BITS * NOMINAL / INSTANCES / 2;
    bool together = check_random(random) % 2 == 0;
    for (uint32_t m = 0; m < given.messages; m++) {
        uint64_t at = check_random(random) % (2 * spread);
        given.message[m].node = (uint32_t)(check_random(random) % given.nodes);
        given.message[m].instances = given.instance[m];
        given.message[m].data = given.data[m][0];
        given.message[m].instance_count = INSTANCES;
        for (unsigned i = 0; i < INSTANCES; i++) {
            struct takt_can_frame content = random_frame(random);
            at -= together ? at % (100 * NOMINAL) : 0; /* many at once */
            given.instance[m][i] = (struct takt_can_instance){at, i * TAKT_CAN_DATA_MAX, content.shape.dlc,
                                                              given.message[m].frame.shape.remote};
            memcpy(given.data[m][i], content.data, TAKT_CAN_DATA_MAX);
            at += check_random(random) % 3 == 0 ? 0 : NOMINAL * 100 + check_random(random) % (4 * spread);
        }
    }
}

static void draw(uint64_t *random, unsigned long i)
{
    memset(&given, 0, sizeof given);
    given.nodes = 2 + (uint32_t)(check_random(random) % (NODES - 1));
    given.messages = 1 + (uint32_t)(check_random(random) % MESSAGES);
    draw_messages(random);
    for (uint32_t n = 0; n < given.nodes; n++) {
        given.sender[n].order = (enum takt_can_order)(check_random(random) % 3);
        given.sender[n].buffers = 1 + (uint32_t)(check_random(random) % 4);
        given.sender[n].fifo_size = 1 + (uint32_t)(check_random(random) % 20);
        if (i % 8 == 1) {
            given.transmit[n] = (uint16_t)(check_random(random) % 256);
            given.receive[n] = (uint16_t)(check_random(random) % 256);
        }
    }
    uint64_t bit = 0, distance = i % 16 == 3 ? 40 : 800; /* near ones take nodes off the bus */
    given.flips = i % 4 == 0 ? 0 : (uint32_t)(check_random(random) % FLIPS);
    for (uint32_t f = 0; f < given.flips; f++) {
        bit += 1 + check_random(random) % distance;
        uint64_t one = UINT64_C(1) << check_random(random) % given.nodes;
        given.flip[f] = (struct takt_can_flip){bit, check_random(random) % 2 == 0 ? UINT64_MAX : one};
    }
    given.killed_at = given.stuck_at = given.revived_at = given.released_at = UINT64_MAX;
    if (i % 5 == 0) {
        given.killed = UINT64_C(1) << check_random(random) % given.nodes;
        given.killed_at = check_random(random) % (BITS * NOMINAL / 2);
        given.revived_at = given.killed_at + check_random(random) % (BITS * NOMINAL);
    }
    if (i % 5 == 1) {
        given.stuck = UINT64_C(1) << check_random(random) % given.nodes;
        given.stuck_at = check_random(random) % (BITS * NOMINAL / 2);
        given.released_at = given.stuck_at + check_random(random) % (NOMINAL * 2000);
    }
}

/* Of a failed check. */
static uint32_t compared;
void check_context(void)
{
    for (uint32_t i = compared < 2 ? 0 : compared - 2; i < compared + 3; i++) {
        const struct events *both[] = {&fast, &naive};
        for (unsigned side = 0; side < 2; side++) {
            const struct event *one = &both[side]->event[i];
            printf("%s %u: kind %u node %u message %d detail %u start %llu end %llu\n", side == 0 ? "fast " : "naive",
                   i, one->kind, one->node, (int)one->message, one->detail, (unsigned long long)one->start,
                   (unsigned long long)one->end);
        }
    }
}

static void compare(void)
{
    for (uint32_t i = 0; i < naive.count && i < fast.count; i++) {
        const struct event *a = &fast.event[i], *b = &naive.event[i];
        compared = i;
        CHECK_EQUAL(a->kind, b->kind);
        CHECK_EQUAL(a->end, b->end);
        CHECK_EQUAL(a->node, b->node);
        CHECK_EQUAL(a->detail, b->detail);
        CHECK_EQUAL(a->message, b->message);
        CHECK_EQUAL(a->start, b->start);
        CHECK_EQUAL(a->released, b->released);
        if (a->kind == TAKT_CAN_RECORD_SENT) {
            struct takt_can_frame sent = a->frame;
            sent.passive = false; /* it says what the sender's state was */
            CHECK(takt_can_frame_equals(&sent, &b->frame));
        }
    }
    CHECK_EQUAL(fast.count, naive.count);
}

static void test_equal_to_bit_by_bit(void)
{
    uint64_t random = check_seed(), frames = 0, errors = 0, off = 0, skipped = 0;
    for (unsigned long i = 0; i < check_cases(120); i++) {
        struct takt_can_traffic traffic;
        draw(&random, i);
        uint64_t end = run_fast(&traffic);
        uint16_t transmit[NODES], receive[NODES];
        for (uint32_t n = 0; n < given.nodes; n++) {
            transmit[n] = nodes[n].errors.transmit;
            receive[n] = nodes[n].errors.receive;
        }
        uint64_t naive_end = run_naive();
        compare();
        CHECK_EQUAL(naive_end, end);
        for (uint32_t n = 0; n < given.nodes; n++) {
            CHECK_EQUAL(nodes[n].errors.transmit, transmit[n]);
            CHECK_EQUAL(nodes[n].errors.receive, receive[n]);
        }
        uint64_t sent = 0, lost = 0;
        for (uint32_t m = 0; m < given.messages; m++) {
            sent += messages[m].sent;
            lost += messages[m].lost;
        }
        for (uint32_t e = 0; e < fast.count; e++) {
            frames += fast.event[e].kind == TAKT_CAN_RECORD_SENT;
            errors += fast.event[e].kind == TAKT_CAN_RECORD_FAILED;
            off += fast.event[e].kind == TAKT_CAN_RECORD_STATE && fast.event[e].detail == TAKT_CAN_BUS_OFF;
            sent -= fast.event[e].kind == TAKT_CAN_RECORD_SENT;
        }
        CHECK_EQUAL(sent, 0);
        skipped += lost;
    }
    printf("%llu frames, %llu errors, %llu times bus-off, %llu lost\n", (unsigned long long)frames,
           (unsigned long long)errors, (unsigned long long)off, (unsigned long long)skipped);
    CHECK(check_cases(120) < 100 || (frames > 3000 && errors > 1000 && off > 0 && skipped > 0));
}

/* Messages with periods: when they are released, what they have as data, and how long they take; of one seed always
 * the same, and bit by bit, too. */
static void test_periods(void)
{
    enum { PERIOD = 900, JITTER = 500, OFFSET = 60, LENGTH = 40000, SENT = (LENGTH - OFFSET) / PERIOD };
    static struct takt_can_record kept[2][4 * SENT];
    uint32_t counts[2] = {0};
    for (unsigned run = 0; run < 2; run++) {
        struct takt_can_traffic traffic = {
            .bus = {.nodes = nodes, .count = 2}, .senders = senders, .messages = messages};
        given = (struct given){.nodes = 2};
        start_nodes();
        memset(messages, 0, sizeof messages);
        memset(senders, 0, sizeof senders);
        messages[0] = (struct takt_can_message){.frame = {.id = 5, .shape = {.dlc = 8}}, .node = 1, .offset = OFFSET};
        messages[0].period = PERIOD;
        messages[0].jitter = JITTER;
        messages[0].content = TAKT_CAN_RANDOM;
        messages[1] =
            (struct takt_can_message){.frame = {.id = 6, .shape = {.dlc = 2}, .data = {7, 8}}, .offset = 1000};
        traffic.message_count = 2;
        traffic.releases = releases;
        traffic.nominal_ticks = traffic.data_ticks = 1;
        traffic.seed = check_seed();
        traffic.records = records;
        traffic.record_capacity = sizeof records / sizeof records[0];
        traffic.bit_by_bit = run == 1;
        takt_can_traffic_start(&traffic);
        for (bool more = true; more;) {
            more = !takt_can_traffic_run(&traffic, LENGTH);
            for (uint32_t i = 0; i < traffic.record_count; i++) {
                kept[run][counts[run]++] = records[i];
            }
            traffic.record_count = 0;
        }
        CHECK_EQUAL(messages[1].sent, 1);
        CHECK(messages[0].released >= SENT && messages[0].sent >= SENT - 1);
    }
    CHECK_EQUAL(counts[0], counts[1]);
    uint64_t number = 0, late_max = 0, same = 0;
    for (uint32_t i = 0; i < counts[0]; i++) {
        const struct takt_can_record *a = &kept[0][i], *b = &kept[1][i];
        CHECK(a->start == b->start && a->end == b->end && a->message == b->message);
        CHECK(takt_can_frame_equals(&a->frame, &b->frame));
        struct takt_can_length length = takt_can_length_exact(&a->frame);
        CHECK_EQUAL(a->end - a->start, length.nominal_bits - TAKT_CAN_INTERMISSION);
        if (a->message == 1) {
            CHECK_EQUAL(a->frame.data[0] << 8 | a->frame.data[1], 0x0708);
            continue;
        }
        CHECK_EQUAL(a->released, OFFSET + PERIOD * number++);
        CHECK(a->start >= a->released && a->start <= a->released + JITTER + 200);
        late_max = a->start - a->released > late_max ? a->start - a->released : late_max;
        same += i > 0 && memcmp(a->frame.data, kept[0][i - 1].frame.data, 8) == 0;
    }
    CHECK(late_max > JITTER / 2);
    CHECK_EQUAL(same, 0);
    CHECK(messages[0].response_max >= late_max + 100 && messages[0].response_max <= JITTER + 400);
    CHECK(messages[0].response_sum > messages[0].response_max);
}

/* What is released in the last bit of a frame comes when its buffer is free, and after one that waited. */
static void test_released_at_the_end(void)
{
    struct takt_can_traffic traffic = {.bus = {.nodes = nodes, .count = 2}, .senders = senders, .messages = messages};
    given = (struct given){.nodes = 2};
    start_nodes();
    memset(messages, 0, sizeof messages);
    memset(senders, 0, sizeof senders);
    messages[1] = (struct takt_can_message){.frame = {.id = 2}, .offset = 11};
    uint64_t end = 11 + takt_can_length_exact(&messages[1].frame).nominal_bits - TAKT_CAN_INTERMISSION;
    messages[0] = (struct takt_can_message){.frame = {.id = 1}, .offset = end};
    messages[2] = (struct takt_can_message){.frame = {.id = 3}, .offset = end - 5};
    senders[0] = (struct takt_can_sender){.order = TAKT_CAN_BUFFERED, .buffers = 1};
    traffic.message_count = 3;
    traffic.releases = releases;
    traffic.nominal_ticks = traffic.data_ticks = 1;
    takt_can_traffic_start(&traffic);
    CHECK(takt_can_traffic_run(&traffic, 1000));
    CHECK_EQUAL(messages[1].response_max, end + TAKT_CAN_INTERMISSION - 11);
    CHECK(messages[0].response_max > messages[2].response_max);
}

/* A node that is alone is not acknowledged: each attempt fails. With many messages each is found. */
static void test_alone_and_many(void)
{
    static struct takt_can_message many[TAKT_CAN_MESSAGES_MAX];
    static struct takt_can_release heap[TAKT_CAN_MESSAGES_MAX];
    given = (struct given){.nodes = 2};
    for (uint32_t i = 0; i < TAKT_CAN_MESSAGES_MAX; i++) {
        many[i] = (struct takt_can_message){.frame = {.id = i}, .node = i % 2};
    }
    struct takt_can_traffic traffic = {.bus = {.nodes = nodes, .count = 2, .dead = 2},
                                       .senders = senders,
                                       .messages = many,
                                       .message_count = TAKT_CAN_MESSAGES_MAX,
                                       .releases = heap,
                                       .nominal_ticks = 1,
                                       .data_ticks = 1};
    memset(senders, 0, sizeof senders);
    start_nodes();
    takt_can_traffic_start(&traffic);
    CHECK(takt_can_traffic_run(&traffic, 5000));
    CHECK_EQUAL(nodes[0].errors.transmit, 128);
    CHECK(many[0].sent == 0 && many[0].failed > 40 && many[1].lost == 1);
    CHECK(traffic.errors == many[0].failed && traffic.busy > 3000 && traffic.busy < 5000);
    takt_can_traffic_revive(&traffic, 2);
    CHECK(takt_can_traffic_run(&traffic, 1000 * 1000));
    for (uint32_t i = 0; i < TAKT_CAN_MESSAGES_MAX; i++) {
        CHECK_EQUAL(many[i].sent, i % 2 == 0);
        CHECK_EQUAL(many[i].lost, i % 2);
    }
}

int main(void)
{
    test_equal_to_bit_by_bit();
    test_periods();
    test_released_at_the_end();
    test_alone_and_many();
    return 0;
}
