/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mixed traffic scheduler for many epochs: clocks whose rates differ by 100 ppm, nodes that die and restart, and
 * then frames that fail or come twice as well. No two nodes ever send one identifier; all live nodes come back into an
 * epoch; and no message of a node with an epoch is late, unless an error on the bus excuses it.
 *
 * TAKT_CASES: epochs, in all settings together. TAKT_SEED.
 */
#include "net/can/test/mts/epochs.h"
#include "takt/analysis_can.h"
#include "takt/analysis_can_deadline.h"

enum { US = 1000, MS = 1000000 };

struct world world;

static const struct stream STREAM_TABLE[STREAMS] = {
    {0, 2 * MS, 2 * MS, 4},    {1, 2500 * US, 2500 * US, 8}, {2, 2500 * US, 2500 * US, 8}, {3, 3 * MS, 3 * MS, 8},
    {0, 3 * MS, 3 * MS, 6},    {1, 4 * MS, 3500 * US, 8},    {2, 4 * MS, 4 * MS, 8},       {3, 4 * MS, 4 * MS, 2},
    {0, 5 * MS, 4500 * US, 8}, {1, 5 * MS, 5 * MS, 8},       {2, 5 * MS, 5 * MS, 8},       {3, 6 * MS, 5 * MS, 8},
    {0, 9 * MS, 5 * MS, 8},    {1, 9 * MS, 5 * MS, 0},       {2, 10 * MS, 5 * MS, 8},      {3, 10 * MS, 5 * MS, 1},
    {0, 20 * MS, 20 * MS, 8},  {1, 25 * MS, 25 * MS, 8},     {2, 30 * MS, 30 * MS, 8},     {3, 40 * MS, 40 * MS, 8},
    {0, 50 * MS, 50 * MS, 8},  {1, 60 * MS, 60 * MS, 8},     {2, 80 * MS, 80 * MS, 8},     {3, 150 * US, 0, 8},
};

uint64_t up_to(uint64_t limit)
{
    uint64_t value = check_random(&world.random);
    return limit == UINT64_MAX ? value : value % (limit + 1);
}

static uint64_t length_of(uint8_t bytes)
{
    const struct takt_can_shape shape = {.dlc = bytes};
    return takt_can_length_ns(takt_can_length_max(&shape), &world.needs.rates);
}

static uint64_t epoch_ns(void)
{
    return world.bus.regions * world.bus.region_ns;
}

static struct stream streams_of[STREAMS];

/* Periods and deadlines of high-speed messages at this part of those of the table. */
static void scale(unsigned percent)
{
    for (unsigned i = 0; i < STREAMS; i++) {
        streams_of[i] = STREAM_TABLE[i];
        streams_of[i].period = STREAM_TABLE[i].period / 100 * (i < HIGHS ? percent : 100);
        streams_of[i].deadline = STREAM_TABLE[i].deadline / 100 * (i < HIGHS ? percent : 100);
    }
}

/* Whether the condition holds for all messages with deadlines in their identifiers. */
static bool is_proved(void)
{
    bool proved = true;
    struct takt_analysis_can_stream streams[HIGHS];
    enum takt_analysis_verdict verdicts[HIGHS];
    struct takt_analysis_can_deadlines deadlines = {
        .streams = streams,
        .stream_count = HIGHS,
        .bit_ns = 1000,
        .region_ns = world.bus.region_ns,
        .error_ns = world.bus.plan.error_ns,
        .blocking_ns = length_of(8),
        .above_ns = world.bus.plan.tick_max_ns,
        .above_period_ns = epoch_ns() - world.bus.plan.error_ns,
        .above_jitter_ns = world.bus.masters * world.bus.plan.stagger_ns,
        .iterations = 1000000,
    };
    for (unsigned i = 0; i < HIGHS; i++) {
        const struct stream *of = &streams_of[i];
        streams[i] = (struct takt_analysis_can_stream){length_of(of->bytes), of->period, of->deadline, 0};
    }
    CHECK_EQUAL(takt_analysis_can_deadlines(&deadlines, verdicts, NULL), TAKT_ANALYSIS_OK);
    for (unsigned i = 0; i < HIGHS; i++) {
        proved &= verdicts[i] == TAKT_ANALYSIS_FEASIBLE;
    }
    return proved;
}

/* As much as is proved, to a percent. */
static void load_bus(void)
{
    unsigned percent = 100;
    for (scale(percent); is_proved(); scale(--percent)) {
        CHECK(percent > 1);
    }
    CHECK(percent < 100);
    scale(++percent);
    CHECK(is_proved());
    printf("periods and deadlines at %u %%: ", percent);
}

static void set_up(uint8_t masters, uint64_t prepare_ns)
{
    world.needs = (struct takt_can_mts_needs){.layout = {.deadline_bits = 5, .unique_bits = 5},
                                              .rates = {1000000, 1000000},
                                              .masters = masters,
                                              .clock_ppm = 100,
                                              .stamp_ns = 1 * US,
                                              .react_ns = 5 * US,
                                              .prepare_ns = prepare_ns,
                                              .write_ns = 20 * US,
                                              .longest_ns = 135 * US,
                                              .deadline_ns = 5 * MS,
                                              .epoch_max_ns = 10 * MS};
    world.bus = (struct takt_can_mts_bus){.layout = world.needs.layout, .masters = masters};
    CHECK(takt_can_mts_plan(&world.needs, &world.bus.plan));
    world.bus.regions = 14;
    world.bus.region_ns = takt_divide_up(world.bus.plan.rest_ns, world.bus.plan.fields - world.bus.regions);
    CHECK(takt_can_mts_bus_is_valid(&world.bus));
    load_bus();
}

/* Nodes die and restart; a master too, and all of them at times. */
static void change_a_node(void)
{
    uint32_t index = (uint32_t)up_to(NODES - 1);
    for (uint32_t i = 0; i < NODES && up_to(3) > 0; i++) { /* usually one that is dead restarts */
        index = world.nodes[i].alive ? index : i;
    }
    if (world.nodes[index].alive) {
        world.nodes[index].alive = false;
        bus_lose(index);
    } else {
        node_start(index);
    }
}

/* The next high-speed messages of all nodes come almost at once, not before any of them may. */
static void gather(void)
{
    uint64_t at = world.now + 10 * MS, apart = up_to(2) * 200 * US;
    for (uint32_t i = 0; i < HIGHS; i++) {
        struct node *node = &world.nodes[streams_of[i].node];
        node->next[i] = at + up_to(apart);
    }
}

static bool settled(void)
{
    bool all = true, master = false;
    for (uint32_t i = 0; i < NODES; i++) {
        all &= !world.nodes[i].alive || world.nodes[i].mts.state == TAKT_CAN_MTS_IN_EPOCH;
        master |= world.nodes[i].alive && i < world.bus.masters;
    }
    return all || !master;
}

static uint64_t deaths;

static void run(uint64_t epochs, uint32_t faults_per_2_16)
{
    uint64_t end = epochs * epoch_ns(), change_at = 20 * epoch_ns(), gather_at = 0, apart_since = 0;

    world.faults_per_2_16 = faults_per_2_16;
    while (world.now < end) {
        uint64_t next = change_at < gather_at ? change_at : gather_at, of_nodes[NODES];
        next = world.arbitrate_at < next ? world.arbitrate_at : next;
        next = world.end_at < next ? world.end_at : next;
        for (uint32_t i = 0; i < NODES; i++) {
            of_nodes[i] = node_next(&world.nodes[i]);
            next = of_nodes[i] < next ? of_nodes[i] : next;
        }
        CHECK(next >= world.now);
        world.now = next;
        if (next == world.end_at) {
            bus_end();
        }
        for (uint32_t i = 0; i < NODES; i++) {
            if (of_nodes[i] == next) {
                node_act(i);
            }
        }
        if (next == world.arbitrate_at) {
            bus_arbitrate();
        }
        if (next == gather_at) {
            gather();
            gather_at += up_to(6 * epoch_ns());
        }
        if (next == change_at) {
            change_a_node();
            deaths++;
            change_at += up_to(40 * epoch_ns());
            apart_since = next;
        }
        if (settled() || world.disturbed > apart_since) {
            apart_since = next;
        }
        CHECK(next - apart_since < 12 * epoch_ns());
    }
}

static void start_all(uint64_t seed)
{
    struct takt_can_mts_bus bus = world.bus;
    struct takt_can_mts_needs needs = world.needs;
    static const int64_t ppm[NODES] = {-50, 50, 50, -20};
    world = (struct world){.bus = bus, .needs = needs, .streams = streams_of, .random = seed, .sender = NOWHERE};
    world.arbitrate_at = world.end_at = NEVER;
    for (uint32_t i = 0; i < NODES; i++) {
        world.nodes[i].ppm = ppm[i];
        node_start(i);
    }
}

static void tell(const char *name, uint64_t epochs)
{
    printf("%s: %llu epochs, %llu frames, %llu ticks (%llu of other masters), %llu fillers, %llu deaths and restarts, "
           "%llu errors, %llu frames twice, %llu messages in time, %llu late and excused, %llu with fixed identifiers, "
           "clocks %llu of %llu ns apart, the longest at %llu permille of its deadline\n",
           name, (unsigned long long)epochs, (unsigned long long)world.frames, (unsigned long long)world.ticks,
           (unsigned long long)world.takeovers, (unsigned long long)world.fillers, (unsigned long long)deaths,
           (unsigned long long)world.errors, (unsigned long long)world.twice, (unsigned long long)world.checked,
           (unsigned long long)world.excused, (unsigned long long)world.shared, (unsigned long long)world.apart_max,
           (unsigned long long)world.bus.plan.error_ns, (unsigned long long)world.longest);
    fflush(stdout);
    CHECK(world.takeovers > 0 && world.fillers > 0 && world.shared > 0 && world.checked > epochs);
}

int main(void)
{
    uint64_t epochs = check_cases(2000) / 4, seed = check_seed();

    for (unsigned i = 0; i < 4; i++) {
        bool errors = i % 2 != 0;

        set_up(i < 2 ? 2 : 3, i < 2 ? 40 * US : 100 * US);
        deaths = 0;
        start_all(seed + i);
        run(epochs, errors ? 200 : 0);
        tell(i < 2 ? "two masters, second frame" : "three masters, fourth frame", epochs);
        CHECK(errors || world.apart_max < world.bus.plan.error_ns);
    }
    return 0;
}
