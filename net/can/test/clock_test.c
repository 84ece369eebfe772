/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes with clocks of their own: as takt/can_bus.h where these are equal, without an error within the standard's
 * tolerance, and with errors far beyond it. TAKT_CASES: how many buses of each kind. TAKT_VCD: a file for the levels of
 * some frames, which are printed. */
#include "net/can/test/random_frame.h"
#include "takt/can_clock.h"

enum { NODES = 4, FRAMES = 12, BIT_FS = 2000000000, PPM = 1000000 };

static struct takt_can_node nodes[NODES];
static struct takt_can_clock clocks[NODES];
static struct takt_can_clocks bus;
static unsigned long frames, errors, beyond;

static uint32_t between(uint64_t *random, uint32_t low, uint32_t high)
{
    return low + (uint32_t)(check_random(random) % (high - low + 1));
}

/* 8 to 25 quanta, as controllers have them. */
static struct takt_can_timing random_timing(uint64_t *random)
{
    for (;;) {
        struct takt_can_timing timing = {.propagation = (uint8_t)between(random, 1, 8),
                                         .phase1 = (uint8_t)between(random, 1, 8),
                                         .phase2 = (uint8_t)between(random, 2, 8),
                                         .jump = (uint8_t)between(random, 1, 4)};
        uint32_t quanta = takt_can_timing_quanta(&timing);
        if (takt_can_timing_is_valid(&timing) && quanta >= 8 && quanta <= 25) {
            return timing;
        }
    }
}

/* A clock that differs by so many ppm, and begins somewhere in the first bit. */
static struct takt_can_clock clock_of(struct takt_can_timing timing, int64_t ppm, uint64_t begins_fs)
{
    uint64_t quantum = BIT_FS / takt_can_timing_quanta(&timing);
    int64_t more = (int64_t)quantum * ppm / PPM;
    return (struct takt_can_clock){
        .timing = timing, .quantum_fs = (uint64_t)((int64_t)quantum + more), .next_fs = begins_fs};
}

static void begin(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        takt_can_node_init(&nodes[i]);
    }
    bus = (struct takt_can_clocks){.nodes = nodes, .clocks = clocks, .count = count};
    takt_can_clocks_start(&bus);
}

static struct takt_can_frame frame_without_brs(uint64_t *random)
{
    struct takt_can_frame frame = random_frame(random);
    frame.shape.brs = frame.passive = false;
    return frame;
}

static const struct takt_can_timing usual = {.propagation = 3, .phase1 = 6, .phase2 = 6, .jump = 3};

static void test_timings(void)
{
    struct takt_can_timing other = usual;
    CHECK(takt_can_timing_is_valid(&usual));
    CHECK_EQUAL(takt_can_timing_quanta(&usual), 16);
    CHECK_EQUAL(takt_can_timing_tolerance_ppm(&usual), 9375); /* 3 / (20 * 16) */
    other.phase1 = other.phase2 = 3;
    other.propagation = 9;
    other.jump = 3;
    CHECK_EQUAL(takt_can_timing_tolerance_ppm(&other), 4878); /* (3 - 1) / (2 * (13 * 16 - 3)) */
    other.jump = 4;
    CHECK(!takt_can_timing_is_valid(&other));
    other.jump = 0;
    CHECK(!takt_can_timing_is_valid(&other));
    other = usual;
    other.phase1 = 129;
    CHECK(!takt_can_timing_is_valid(&other));
    other = usual;
    other.propagation = 0;
    CHECK(!takt_can_timing_is_valid(&other));
}

/* A node of which the test says the phase, and a wire that becomes dominant in one quantum of time, counted from 0. */
static void begin_wire(enum takt_can_phase phase, uint16_t count)
{
    clocks[0] = (struct takt_can_clock){.timing = usual, .quantum_fs = 1000};
    clocks[1] = (struct takt_can_clock){.timing = usual, .quantum_fs = 1, .next_fs = UINT64_MAX};
    begin(2);
    nodes[0].phase = phase;
    nodes[0].count = count;
    nodes[0].errors.receive = 200; /* its flags are recessive */
    nodes[0].passive = true;
}

/* To the end of that quantum. */
static void run_to(uint64_t quantum)
{
    do {
        (void)takt_can_clocks_step(&bus);
    } while (bus.now_fs < quantum * 1000);
}

/* The number of the quantum behind which it samples next, if the edge is in this quantum. */
static uint64_t sample_after(uint64_t edge)
{
    run_to(edge - 1);
    nodes[1].driven = false;
    (void)takt_can_clocks_step(&bus);
    while (takt_can_clocks_step(&bus) == 0) {
    }
    return bus.now_fs / 1000;
}

/* Bits are of 16 quanta, the sample point is behind the tenth. */
static void test_synchronization(void)
{
    /* of bit 1, which begins at 16: before its sample point, and behind it */
    static const uint64_t soft[][2] = {{16, 26}, {17, 27}, {19, 29}, {20, 29}, {24, 29},
                                       {27, 39}, {28, 39}, {29, 39}, {30, 40}, {31, 41}};
    for (unsigned i = 0; i < sizeof soft / sizeof soft[0]; i++) {
        begin_wire(TAKT_CAN_IN_FLAG, 0);
        uint64_t sample = sample_after(soft[i][0]);
        CHECK_EQUAL(sample, soft[i][1]);
        while (takt_can_clocks_step(&bus) == 0) {
        }
        CHECK_EQUAL(bus.now_fs / 1000, sample + 16);
        begin_wire(TAKT_CAN_IDLE, 0);
        CHECK_EQUAL(sample_after(soft[i][0]), soft[i][0] + 10);
    }
    begin_wire(TAKT_CAN_IN_INTERMISSION, 0);
    CHECK_EQUAL(sample_after(5), 13); /* its first bit */
    begin_wire(TAKT_CAN_IN_INTERMISSION, 1);
    CHECK_EQUAL(sample_after(5), 15);
}

/* One edge between two sample points, after a recessive sample. */
static void test_edges_without_effect(void)
{
    begin_wire(TAKT_CAN_IN_FLAG, 0);
    run_to(16);
    nodes[1].driven = false; /* in quantum 17 */
    run_to(17);
    nodes[1].driven = true;
    run_to(20);
    CHECK_EQUAL(sample_after(22), 27); /* the second one in this bit */
    nodes[1].driven = true;
    run_to(30);
    CHECK_EQUAL(sample_after(35), 43); /* the last sample was dominant */
}

/* A node decides once in a bit what it sends: with the frame of another one it joins as a receiver, or, if its own bit
 * was sampled already, with its own. */
static void test_offer_in_a_bit(void)
{
    static const struct takt_can_frame frame = {.id = 5};
    for (unsigned i = 0; i < 2; i++) {
        begin_wire(TAKT_CAN_IDLE, 0);
        nodes[0].errors.receive = 0;
        run_to(17);
        takt_can_node_offer(&nodes[0], &frame);
        (void)sample_after(i == 0 ? 20 : 29);
        CHECK_EQUAL(nodes[0].phase, TAKT_CAN_IN_FRAME);
        CHECK_EQUAL(nodes[0].transmitter, i == 1);
    }
}

/* Equal clocks: every event is in the bit that it has on the bus with one clock. */
static void test_equal_clocks(uint64_t *random)
{
    static struct takt_can_node others[NODES];
    struct takt_can_bus same = {.nodes = others, .count = NODES};
    struct takt_can_frame sent[NODES];
    struct takt_can_timing timing = random_timing(random);
    for (uint32_t i = 0; i < NODES; i++) {
        sent[i] = frame_without_brs(random);
        sent[i].id = (sent[i].id & ~UINT32_C(3)) | i; /* no two alike */
        clocks[i] = clock_of(timing, 0, 7);
        takt_can_node_init(&others[i]);
    }
    begin(NODES);
    for (uint32_t i = 0; i < NODES; i++) {
        takt_can_node_offer(&nodes[i], &sent[i]);
        takt_can_node_offer(&others[i], &sent[i]);
    }
    for (unsigned bit = 0; bit < 2500;) {
        uint64_t sampled = takt_can_clocks_step(&bus);
        if (sampled == 0) {
            continue;
        }
        CHECK_EQUAL(sampled, (1u << NODES) - 1);
        (void)takt_can_bus_step(&same, 0);
        CHECK_EQUAL(bus.level, same.level);
        for (uint32_t i = 0; i < NODES; i++) {
            CHECK_EQUAL(bus.events[i], same.events[i]);
            CHECK_EQUAL(nodes[i].phase, others[i].phase);
        }
        bit++;
        uint64_t centre = 7 + (bit - 1) * (uint64_t)takt_can_timing_quanta(&timing) * clocks[0].quantum_fs;
        CHECK_EQUAL(bus.now_fs, centre + (1u + timing.propagation + timing.phase1) * clocks[0].quantum_fs);
    }
    for (uint32_t i = 0; i < NODES; i++) {
        CHECK(nodes[i].pending == NULL);
    }
}

/* Sends frames with clocks that differ by up to `ppm`. Returns how many bits brought an error or overload. */
static unsigned long send(uint64_t *random, struct takt_can_timing timing, uint32_t ppm)
{
    struct takt_can_frame sent[NODES];
    unsigned long failed = 0, received = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        int64_t differs = i < 2 ? ppm : between(random, 0, ppm);
        clocks[i] =
            clock_of(timing, (check_random(random) + i) % 2 == 0 ? differs : -differs, check_random(random) % BIT_FS);
    }
    clocks[1].quantum_fs =
        clock_of(timing, clocks[0].quantum_fs > BIT_FS / takt_can_timing_quanta(&timing) ? -(int64_t)ppm : (int64_t)ppm,
                 0)
            .quantum_fs; /* the two that differ most */
    begin(NODES);
    while (bus.now_fs < UINT64_C(20) * BIT_FS) { /* until all have seen an idle bus */
        CHECK_EQUAL(takt_can_clocks_step(&bus) == 0 ? 0 : bus.events[0], 0);
    }
    uint32_t next = 0;
    for (unsigned long steps = 0; next < FRAMES || nodes[(next - 1) % NODES].pending != NULL; steps++) {
        uint32_t node = next % NODES;
        if (next == 0 || (nodes[(next - 1) % NODES].pending == NULL && next < FRAMES)) {
            sent[node] = frame_without_brs(random);
            takt_can_node_offer(&nodes[node], &sent[node]);
            next++;
        }
        uint64_t sampled = takt_can_clocks_step(&bus);
        for (uint32_t i = 0; i < NODES; i++) {
            unsigned events = (sampled >> i & 1) != 0 ? bus.events[i] : 0;
            failed += (events & (TAKT_CAN_FAILED | TAKT_CAN_OVERLOADED)) != 0;
            if ((events & TAKT_CAN_RECEIVED) != 0) {
                received++;
                CHECK(failed > 0 || takt_can_frame_equals(&nodes[i].parser.frame, &sent[(next - 1) % NODES]));
            }
        }
        if (steps > 25ul * NODES * 3000 * FRAMES || (failed > 0 && steps % 1000 == 0)) {
            return failed + 1; /* it went wrong: that is enough */
        }
    }
    CHECK(failed > 0 || received + NODES - 1 >= FRAMES * (NODES - 1)); /* the last one may not have ended for all */
    frames += FRAMES;
    return failed;
}

static void test_tolerance(uint64_t *random)
{
    struct takt_can_timing timing = random_timing(random);
    uint32_t ppm = takt_can_timing_tolerance_ppm(&timing);
    unsigned long failed = send(random, timing, ppm);
    if (failed != 0) {
        printf("%u+%u+%u+%u quanta, jump %u: %u ppm\n", 1u, timing.propagation, timing.phase1, timing.phase2,
               timing.jump, ppm);
    }
    CHECK_EQUAL(failed, 0);
    beyond++;
    errors += send(random, timing, 5 * ppm) > 0;
}

/* Writes the levels of some classic frames as a value change dump, and the frames to standard output. */
static void write_levels(uint64_t *random, FILE *file)
{
    const struct takt_can_timing timing = {.propagation = 5, .phase1 = 7, .phase2 = 7, .jump = 3};
    int64_t ppm = takt_can_timing_tolerance_ppm(&timing);
    bool last = true;
    struct takt_can_frame frame = {0};
    uint64_t idle_fs = UINT64_C(20) * BIT_FS;
    for (uint32_t i = 0; i < NODES; i++) {
        clocks[i] = clock_of(timing, i % 2 == 0 ? ppm : -ppm, check_random(random) % BIT_FS);
    }
    begin(NODES);
    fprintf(file, "$timescale 1 ns $end\n$scope module bus $end\n$var wire 1 ! can $end\n$upscope $end\n"
                  "$enddefinitions $end\n#0\n1!\n");
    for (uint32_t sent = 0; sent < 40;) {
        (void)takt_can_clocks_step(&bus);
        if (bus.level != last) {
            last = bus.level;
            fprintf(file, "#%llu\n%d!\n", (unsigned long long)(bus.now_fs / PPM), last);
        }
        if (nodes[sent % NODES].pending == NULL && bus.now_fs > idle_fs) {
            idle_fs = bus.now_fs + UINT64_C(15) * BIT_FS;
            sent += frame.id != 0;
            frame = frame_without_brs(random);
            frame.shape.fd = frame.shape.remote = false;
            frame.shape.dlc %= 9;
            frame.id |= 1;
            takt_can_node_offer(&nodes[sent % NODES], &frame);
            printf("%u %d ", frame.id, frame.shape.extended);
            for (unsigned i = 0; i < takt_can_bytes(&frame.shape); i++) {
                printf("%02x", frame.data[i]);
            }
            printf("\n");
        }
    }
    fprintf(file, "#%llu\n", (unsigned long long)(bus.now_fs / PPM));
}

int main(void)
{
    uint64_t random = check_seed();
    const char *path = getenv("TAKT_VCD");
    if (path != NULL) {
        FILE *file = fopen(path, "w");
        CHECK(file != NULL);
        write_levels(&random, file);
        CHECK_EQUAL(fclose(file), 0);
        return 0;
    }
    test_timings();
    test_synchronization();
    test_edges_without_effect();
    test_offer_in_a_bit();
    for (unsigned long i = 0; i < check_cases(40); i++) {
        test_equal_clocks(&random);
        test_tolerance(&random);
    }
    printf("%lu frames, errors on %lu of %lu buses beyond the tolerance\n", frames, errors, beyond);
    CHECK(10 * errors > 9 * beyond);
    return 0;
}
