/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three nodes under virtual time, links that delay, lose, repeat and reorder, clocks that differ, nodes that start
 * again, readers that switch between writers, and an attacker that receives all packets and replays them, changed or
 * not. What a reader finds is held against what was written.
 */
#include "reflect/core/test/stand_in.h"
#include "takt/node.h"

#define MS UINT64_C(1000000)

enum { NODES = 3, CHANNELS = 7, SIZE_MAX_HERE = 9000, DEPTH = 8, BLOCK = 512, FLYING = 4096, HEARD = 64 };
enum { ROOM = TAKT_NODE_ROOM(BLOCK) };

/* Channels by number, from 1. 5 and 6 write into one area. */
static const struct {
    unsigned writer, reader, area;
    enum takt_push_kind kind;
    bool every;
    uint32_t size;
    uint64_t period_ns;
} declared[CHANNELS] = {
    {0, 2, 0, TAKT_PUSH_SYNC, false, 100, 10 * MS}, {0, 2, 1, TAKT_PUSH_ASYNC, false, 3000, 40 * MS},
    {0, 2, 2, TAKT_PUSH_SYNC, true, 600, 5 * MS},   {0, 2, 3, TAKT_PUSH_BULK, false, 9000, 1},
    {0, 2, 4, TAKT_PUSH_SYNC, false, 700, 10 * MS}, {1, 2, 4, TAKT_PUSH_ASYNC, false, 700, 20 * MS},
    {2, 0, 5, TAKT_PUSH_SYNC, false, 64, 5 * MS}};
enum { AREAS = 6, SWITCHED = 4 };

static const struct takt_pace_link link = {.rate_bps = 20000000, .mtu = 1500, .burst_ns = 100000};
static struct takt_node_keys keys[CHANNELS];
static bool keyed;

/* What the applications have. */
static uintptr_t written_memory[CHANNELS][TAKT_AREA_BYTES(SIZE_MAX_HERE, DEPTH) / sizeof(uintptr_t)]
    __attribute__((aligned(64)));
static uintptr_t read_memory[AREAS][TAKT_AREA_BYTES(SIZE_MAX_HERE, DEPTH) / sizeof(uintptr_t)]
    __attribute__((aligned(64)));
static struct takt_area written[CHANNELS], reflected[AREAS];
static struct takt_area_reader readers[AREAS];
static uint64_t newest[CHANNELS], seen[CHANNELS], values[CHANNELS], written_at[CHANNELS]; /* numbers, and when */

/* The nodes, and the world between them. */
static struct takt_node nodes[NODES];
static struct takt_node_sender senders[NODES][CHANNELS];
static struct takt_node_receiver receivers[NODES][CHANNELS];
static uint8_t sender_values[CHANNELS][SIZE_MAX_HERE], rooms[CHANNELS][TAKT_ASSEMBLE_BYTES(SIZE_MAX_HERE)];
static uint64_t came[CHANNELS][TAKT_ASSEMBLE_WORDS(SIZE_MAX_HERE)];
static uint64_t delivered[NODES]; /* packets */

struct packet {
    uint64_t at;
    size_t length;
    unsigned to;
    uint8_t bytes[ROOM];
};
static struct packet flying[FLYING], heard[HEARD];
static unsigned flying_count, heard_count;

static uint64_t now, random_state, case_seed, reader_started, late_ns;
static int64_t skew_ppm[NODES];
static uint64_t offset_ns[NODES];
static unsigned loss, repeats, hostile; /* of 1000 */
static uint64_t delay_min, delay_more;

void check_context(void)
{
    printf("seed of the case %llu, at %llu ns\n", (unsigned long long)case_seed, (unsigned long long)now);
}

static uint64_t below(uint64_t bound)
{
    return check_random(&random_state) % bound;
}

static uint64_t local(unsigned node)
{
    return offset_ns[node] + now * (uint64_t)(1000000 + skew_ppm[node]) / 1000000;
}

/* When it is that late at a node. */
static uint64_t global(unsigned node, uint64_t local_time)
{
    if (local_time == UINT64_MAX) {
        return UINT64_MAX;
    }
    uint64_t rate = (uint64_t)(1000000 + skew_ppm[node]);
    return local_time <= offset_ns[node] ? now : ((local_time - offset_ns[node]) * 1000000 + rate - 1) / rate;
}

static uint8_t byte_of(unsigned channel, uint64_t number, uint32_t at)
{
    uint64_t state = (number << 8) + channel + ((uint64_t)(at / 8) << 40);
    return (uint8_t)(check_random(&state) >> at % 8 * 8);
}

/* A value: its number, then bytes that nobody else has. */
static void write_value(unsigned channel, bool tell)
{
    uint8_t value[SIZE_MAX_HERE];
    uint64_t number = ++newest[channel];
    uint32_t length = 8 + (uint32_t)below(declared[channel].size - 7);
    memcpy(value, &number, 8);
    for (uint32_t i = 8; i < length; i++) {
        value[i] = byte_of(channel, number, i);
    }
    unsigned node = declared[channel].writer;
    struct takt_area_stamp stamp = {.time_ns = now, .length = length};
    CHECK_EQUAL(takt_area_write(&written[channel], value, &stamp), TAKT_OK);
    written_at[channel] = now;
    for (uint32_t i = 0; tell && i < nodes[node].sender_count; i++) {
        if (senders[node][i].channel == channel + 1) {
            takt_node_written(&nodes[node], i, local(node));
        }
    }
}

static uint32_t index_of(unsigned node, unsigned channel)
{
    for (uint32_t i = 0; i < nodes[node].receiver_count; i++) {
        if (receivers[node][i].channel == channel + 1) {
            return i;
        }
    }
    return UINT32_MAX;
}

/* What came into an area: whole, of whom it says, of a channel that is active, and no older than what came before. */
static void look(unsigned area)
{
    uint8_t value[SIZE_MAX_HERE];
    struct takt_area_value found;
    while (takt_area_take(&readers[area], value, &found) == TAKT_OK) {
        unsigned channel = found.stamp.source - 1;
        CHECK(channel < CHANNELS && declared[channel].area == area);
        unsigned node = declared[channel].reader;
        CHECK_EQUAL(receivers[node][index_of(node, channel)].internal.phase, TAKT_NODE_ACTIVE);
        uint64_t number;
        CHECK(found.stamp.length >= 8);
        memcpy(&number, value, 8);
        for (uint32_t i = 8; i < found.stamp.length; i++) {
            CHECK_EQUAL(value[i], byte_of(channel, number, i));
        }
        CHECK(number <= newest[channel] && number >= seen[channel]);
        CHECK(!declared[channel].every || number > seen[channel]);
        if (channel == 0 && number == newest[0] && number > seen[0] && now - written_at[0] > late_ns) {
            late_ns = now - written_at[0];
        }
        seen[channel] = number;
        values[channel]++;
    }
    CHECK_EQUAL(readers[area].lost, 0);
}

static void check_node(unsigned node)
{
    const struct takt_node_counters *counters = &nodes[node].counters;
    CHECK_EQUAL(counters->blocks_received + counters->subscriptions + counters->answers + counters->malformed +
                    counters->unknown + counters->forged + counters->replayed + counters->unanswered +
                    counters->inactive + counters->old + counters->twice + counters->unfit,
                delivered[node]);
}

/* One of the area that is switched at most has its link in use, except what was before a start of the reader's node.
 */
static void check_switched(void)
{
    bool sends[2] = {false, false};
    unsigned active = 0;
    for (unsigned i = 0; i < 2; i++) {
        for (uint32_t j = 0; j < nodes[i].sender_count; j++) {
            const struct takt_node_sender *sender = &senders[i][j];
            sends[i] |= declared[sender->channel - 1].area == SWITCHED && sender->internal.wanted &&
                        local(i) < sender->internal.lease_ns;
        }
        active += receivers[2][index_of(2, 4 + i)].internal.phase != TAKT_NODE_IDLE;
    }
    CHECK(active <= 1);
    CHECK(!(sends[0] && sends[1]) || now < reader_started + 2 * TAKT_NODE_LEASE_NS);
}

static void put(unsigned to, const uint8_t *bytes, size_t length, uint64_t delay)
{
    CHECK(flying_count < FLYING);
    struct packet *packet = &flying[flying_count++];
    packet->at = now + delay;
    packet->length = length;
    packet->to = to;
    memcpy(packet->bytes, bytes, length);
}

static void over_link(unsigned to, const uint8_t *bytes, size_t length)
{
    struct packet *kept = &heard[heard_count++ % HEARD];
    kept->to = to;
    kept->length = length;
    memcpy(kept->bytes, bytes, length);
    for (unsigned copies = below(1000) < repeats ? 2 : 1; copies > 0; copies--) {
        if (below(1000) >= loss) {
            put(to, bytes, length, delay_min + below(delay_more + 1));
        }
    }
}

static void node_sends(unsigned node)
{
    uint8_t bytes[ROOM];
    struct takt_node_address to;
    for (;;) {
        bool free = takt_pace_until(&nodes[node].pace) <= local(node);
        uint64_t blocks = nodes[node].counters.blocks_sent;
        size_t length = takt_node_send(&nodes[node], bytes, &to, local(node));
        if (length == 0) {
            break;
        }
        CHECK(length <= ROOM);
        CHECK(free || nodes[node].counters.blocks_sent == blocks);
        over_link(to.bytes[0], bytes, length);
    }
    CHECK(takt_node_until(&nodes[node]) > local(node)); /* there is something to do then */
}

static void node_receives(unsigned node, const struct packet *packet)
{
    struct takt_node_address from = {.bytes = {(uint8_t)declared[0].writer}, .length = 1};
    uint32_t channel; /* the address is whose channel it says it is: others are of no account, as tags are */
    memcpy(&channel, packet->bytes + 4, 4);
    if (packet->length >= 8 && channel >= 1 && channel <= CHANNELS) {
        from.bytes[0] = (uint8_t)(node == declared[channel - 1].writer ? declared[channel - 1].reader
                                                                       : declared[channel - 1].writer);
    }
    uint8_t *exact = malloc(packet->length + 1); /* so that the sanitizer sees a byte too many */
    memcpy(exact + 1, packet->bytes, packet->length);
    takt_node_receive(&nodes[node], exact + 1, packet->length, &from, local(node));
    free(exact);
    delivered[node]++;
    check_node(node);
    for (unsigned area = 0; area < AREAS; area++) {
        look(area);
    }
}

/* Begins a node, or begins it again: what its memory holds is new, areas are as they were. */
static void start(unsigned node)
{
    nodes[node] = (struct takt_node){.senders = senders[node], .receivers = receivers[node], .block = BLOCK};
    delivered[node] = 0;
    for (unsigned i = 0; i < CHANNELS; i++) {
        if (declared[i].writer == node) {
            struct takt_node_sender *sender = &senders[node][nodes[node].sender_count++];
            *sender = (struct takt_node_sender){.channel = i + 1,
                                                .kind = declared[i].kind,
                                                .every = declared[i].every,
                                                .period_ns = declared[i].period_ns,
                                                .promotion_ns = i == 0 ? 0 : 3 * MS,
                                                .level = i,
                                                .keys = keyed ? &keys[i] : NULL,
                                                .value = sender_values[i]};
            CHECK_EQUAL(takt_area_attach(&sender->area, written_memory[i], sizeof written_memory[i]), TAKT_OK);
        }
        if (declared[i].reader == node) {
            receivers[node][nodes[node].receiver_count++] =
                (struct takt_node_receiver){.channel = i + 1,
                                            .source = i + 1,
                                            .pause_ns = 7 * MS,
                                            .keys = keyed ? &keys[i] : NULL,
                                            .writer = {.bytes = {(uint8_t)declared[i].writer}, .length = 1},
                                            .area = &reflected[declared[i].area],
                                            .assemble = {.bytes = rooms[i], .came = came[i], .size = declared[i].size}};
        }
    }
    takt_node_init(&nodes[node], &link, check_random(&random_state));
    for (uint32_t i = 0; i < nodes[node].receiver_count; i++) {
        if (receivers[node][i].channel != 6) {
            takt_node_start(&nodes[node], i, local(node));
        }
    }
    reader_started = node == 2 ? now : reader_started;
}

/* Somebody sends what he heard: as it was, changed, cut, or many times; or what he makes up. */
static void hostile_act(void)
{
    struct packet packet = heard[below(heard_count < HEARD ? heard_count : HEARD)];
    unsigned kind = (unsigned)below(6), times = kind == 0 ? 50 : 1;
    unsigned to = below(4) == 0 ? (unsigned)below(NODES) : packet.to;
    if (kind == 1) {
        packet.bytes[below(packet.length)] ^= (uint8_t)(1 << below(8));
    } else if (kind == 2) {
        packet.length = below(packet.length);
    } else if (kind == 3 && packet.length + 9 < ROOM) {
        packet.length += 1 + below(8);
    } else if (kind == 4) {
        for (size_t i = below(packet.length); i < packet.length; i++) {
            packet.bytes[i] = (uint8_t)below(256);
        }
    }
    for (; times > 0; times--) {
        put(to, packet.bytes, packet.length, below(MS));
    }
}

static void act(bool calm)
{
    unsigned what = (unsigned)below(1000);
    if (hostile > 0 && heard_count > 0 && below(1000) < hostile) {
        hostile_act();
    } else if (!calm && what < 2) {
        unsigned node = (unsigned)below(NODES);
        start(node);
    } else if (!calm && what < 10) {
        uint32_t index = index_of(2, 4 + (unsigned)below(2));
        if (below(4) == 0) {
            takt_node_stop(&nodes[2], index, local(2));
        } else {
            takt_node_start(&nodes[2], index, local(2));
        }
    } else if (!calm && what < 14) {
        unsigned node = (unsigned)below(NODES);
        if (nodes[node].sender_count > 0) {
            (below(3) == 0 ? takt_node_sender_stop : takt_node_sender_start)(
                &nodes[node], (uint32_t)below(nodes[node].sender_count), local(node));
        }
    } else {
        unsigned channel = (unsigned)below(CHANNELS);
        if (channel != 3 || below(8) == 0) {
            write_value(channel, true);
            if (below(4) == 0) { /* two of them, and word of both comes after the second */
                write_value(channel, false);
                write_value(channel, true);
            }
        }
    }
}

/* Until that time; `calm`: nobody starts again, or is switched; `silent`: nothing is written either. */
static void run(uint64_t end, bool calm, bool silent)
{
    uint64_t next_act = now;
    while (now < end) {
        uint64_t next = silent ? end : next_act;
        for (unsigned node = 0; node < NODES; node++) {
            node_sends(node);
            uint64_t until = global(node, takt_node_until(&nodes[node]));
            next = until < next ? until : next;
        }
        check_switched();
        unsigned first = FLYING;
        for (unsigned i = 0; i < flying_count; i++) {
            if (flying[i].at <= next) {
                next = flying[i].at;
                first = i;
            }
        }
        now = next > now ? next : now;
        if (first < FLYING) {
            struct packet packet = flying[first];
            flying[first] = flying[--flying_count];
            node_receives(packet.to, &packet);
        } else if (!silent && now >= next_act) {
            act(calm);
            next_act = now + 1 + below(4 * MS);
        }
    }
}

static void begin(uint64_t seed, bool with_keys)
{
    case_seed = random_state = seed;
    keyed = with_keys;
    now = 0;
    flying_count = heard_count = 0;
    late_ns = 0;
    memset(newest, 0, sizeof newest);
    memset(seen, 0, sizeof seen);
    memset(values, 0, sizeof values);
    for (unsigned i = 0; i < CHANNELS; i++) {
        struct takt_area_shape shape = {declared[i].size, DEPTH};
        CHECK_EQUAL(takt_area_init(&written[i], written_memory[i], shape), TAKT_OK);
        CHECK_EQUAL(takt_area_init(&reflected[declared[i].area], read_memory[declared[i].area], shape), TAKT_OK);
        for (unsigned j = 0; j < sizeof keys[i]; j++) {
            ((uint8_t *)&keys[i])[j] = (uint8_t)check_random(&random_state);
        }
    }
    for (unsigned i = 0; i < AREAS; i++) {
        CHECK_EQUAL(takt_area_attach(&readers[i], read_memory[i], sizeof read_memory[i]), TAKT_OK);
    }
    for (unsigned i = 0; i < NODES; i++) {
        skew_ppm[i] = (int64_t)below(401) - 200;
        offset_ns[i] = below(UINT64_C(1) << 50);
        start(i);
    }
}

/* With links and nodes that are well each reader comes to have what its writer has, and `every` misses nothing. */
static void check_well(void)
{
    loss = repeats = hostile = 0;
    delay_min = delay_more = MS;
    for (unsigned i = 0; i < NODES; i++) {
        for (uint32_t j = 0; j < nodes[i].sender_count; j++) {
            takt_node_sender_start(&nodes[i], j, local(i));
        }
    }
    for (unsigned i = 0; i < nodes[2].receiver_count; i++) {
        if (receivers[2][i].channel != 6) {
            takt_node_start(&nodes[2], i, local(2));
        }
    }
    run(now + 5 * TAKT_NODE_LEASE_NS / 2, true, true);
    uint64_t before = values[2];
    for (unsigned i = 0; i < 5; i++) {
        write_value(2, true);
        run(now + 20 * MS, true, true);
    }
    CHECK_EQUAL(values[2], before + 5);
    for (unsigned i = 0; i < CHANNELS; i++) {
        CHECK(i == 5 || seen[i] == newest[i]);
        CHECK(i == 5 || values[i] > 0);
    }
}

static void test_all_kinds_of_trouble(void)
{
    uint64_t seeds = check_seed();
    unsigned long cases = check_cases(5);
    for (unsigned long i = 0; i < cases; i++) {
        begin(check_random(&seeds), true);
        loss = (unsigned)below(300);
        repeats = (unsigned)below(200);
        hostile = (unsigned)below(300);
        delay_min = below(50 * MS);
        delay_more = below(3) == 0 ? below(150 * MS) : below(5 * MS);
        run(4000 * MS, false, false);
        check_well();
    }
}

/* Nothing is lost, nobody is hostile, with and without keys: the most urgent channel is as fast as the link allows. */
static void test_in_time(void)
{
    for (unsigned i = 0; i < 2; i++) {
        begin(check_seed() + i, i == 0);
        loss = repeats = hostile = 0;
        delay_min = 2 * MS;
        delay_more = MS;
        run(1000 * MS, true, false);
        /* A block that is on its way, its own, answers and subscriptions of all channels, the delay, and the distance
         * of releases for the second of two writes: it may wait a quarter longer for a third. */
        uint64_t block = takt_pace_wire_ns(&link, ROOM);
        uint64_t own = takt_pace_wire_ns(&link, TAKT_NODE_ROOM(100)) + 2 * CHANNELS * takt_pace_wire_ns(&link, 80);
        CHECK(late_ns > 2 * MS && late_ns <= block + own + 3 * MS + declared[0].period_ns * 5 / 4 + 10000);
        for (unsigned node = 0; node < NODES; node++) {
            const struct takt_node_counters *counters = &nodes[node].counters;
            CHECK_EQUAL(counters->malformed + counters->unknown + counters->forged + counters->unfit, 0);
        }
    }
}

int main(void)
{
    test_in_time();
    test_all_kinds_of_trouble();
    return 0;
}
