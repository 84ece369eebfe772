/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bounds of takt_analysis_clock beside nodes in true time, over seeds: TAKT_CASES of each kind, from TAKT_SEED.
 */
#include "base/test/check.h"
#include "simulation.h"

static struct sim sim;
static uint64_t seed_now;
static uint64_t widest_share, steady_share; /* per mille of the bounds */

static struct takt_analysis_clock draw(uint64_t *random, uint32_t masters)
{
    static const uint64_t intervals[] = {10 * MS, 20 * MS, 100 * MS};
    struct takt_analysis_clock needs = {.interval_ns = intervals[check_random(random) % 3],
                                        .stamp_ns = check_random(random) % (20 * US),
                                        .drift_ppm =
                                            check_random(random) % 2 == 0 ? 100 : 1 + check_random(random) % 200,
                                        .slew_ppm = 500 + check_random(random) % 2000,
                                        .lost = check_random(random) % 4,
                                        .masters = masters};
    needs.tick_ns = 100 * US + check_random(random) % MS;
    needs.follow_up_ns = 100 * US + 2 * needs.stamp_ns + check_random(random) % MS;
    return needs;
}

/* Long enough for all that follows from one change of the master to be over. */
static int64_t calm(void)
{
    return (int64_t)(2 * (sim.bounds.settle_ns + sim.bounds.holdover_ns) + 2 * sim.bounds.takeover_ns);
}

static void check_bounds(void)
{
    CHECK(sim.widest_ns <= sim.bounds.precision_ns);
    CHECK(sim.steady_ns <= sim.bounds.steady_ns);
    uint64_t widest = sim.widest_ns * 1000 / sim.bounds.precision_ns,
             steady = sim.steady_ns * 1000 / sim.bounds.steady_ns;
    widest_share = widest > widest_share ? widest : widest_share;
    steady_share = steady > steady_share ? steady : steady_share;
}

static void check_all_follow(uint32_t master)
{
    bool honest = true;
    for (uint32_t i = 0; i < sim.count; i++) {
        honest &= !sim.nodes[i].faulty;
    }
    for (uint32_t i = 0; i < sim.count; i++) {
        if (!sim.nodes[i].dead && !sim.nodes[i].faulty) {
            CHECK_EQUAL(sim_state(&sim, i), TAKT_CLOCK_SYNCHRONIZED);
            CHECK_EQUAL(takt_clock_master(&sim.nodes[i].clock), master);
            CHECK(!takt_clock_is_voted_out(&sim.nodes[i].clock));
            CHECK(!honest || sim.nodes[i].clock.rejected == 0);
        }
    }
}

static uint32_t lowest_alive(void)
{
    uint32_t node = 0;
    while (sim.nodes[node].dead) {
        node++;
    }
    return node;
}

static void begin(uint64_t seed, uint32_t masters)
{
    uint64_t random = seed;
    struct takt_analysis_clock needs = draw(&random, masters);
    sim_start(&sim, &needs, masters + 3, random);
    sim_run(&sim, calm());
    sim.loss_percent = (uint32_t)(random >> 8) % 40;
}

/* Masters die, alone or two at once, and restart; followers restart; ticks are lost, also in bursts. */
static void test_masters_that_die_and_restart(uint64_t seed)
{
    begin(seed, 1 + seed % 4);
    for (unsigned i = 0; i < 12; i++) {
        uint32_t master = lowest_alive(), node = (uint32_t)sim_below(&sim, sim.count);
        for (uint32_t j = 0; j < sim.count; j++) {
            sim.nodes[j].burst = sim_below(&sim, 2) == 0 ? sim.needs.lost : 0;
        }
        if (node >= sim.needs.masters ||
            sim.nodes[node].dead) { /* one that is a master restarts before it is missed, too */
            sim_node_start(&sim, node);
        } else if (master + 1 < sim.needs.masters) {
            bool both = master + 2 < sim.needs.masters && sim_below(&sim, 2) == 0;
            sim_node_die(&sim, master);
            if (both) {
                sim_node_die(&sim, master + 1);
            } else if (sim_below(&sim, 3) == 0) {
                sim_run(&sim, sim.now_ns + (int64_t)sim_below(&sim, sim.bounds.silence_ns));
                sim_node_start(&sim, master);
            }
        }
        sim_run(&sim, sim.now_ns + calm() + (int64_t)sim_below(&sim, sim.needs.interval_ns));
        CHECK(lowest_alive() < sim.needs.masters);
        check_all_follow(lowest_alive());
    }
    check_bounds();
}

/* More is lost than declared: no time goes back, and in the end all follow. */
static void test_more_losses_than_declared(uint64_t seed)
{
    begin(seed, 3);
    sim.loses_more = true;
    sim.loss_percent = 70;
    sim_run(&sim, sim.now_ns + 5 * calm());
    sim.loses_more = false;
    sim.loss_percent = 5;
    sim_run(&sim, sim.now_ns + 8 * calm());
    for (uint32_t i = 0; i < sim.count; i++) {
        CHECK_EQUAL(sim_state(&sim, i), TAKT_CLOCK_SYNCHRONIZED);
        CHECK_EQUAL(takt_clock_master(&sim.nodes[i].clock), takt_clock_master(&sim.nodes[0].clock));
    }
}

/* The master lies by more than detect_ns: it is voted out, and nobody else notices. */
static void test_a_master_that_jumps(uint64_t seed)
{
    begin(seed, 3 + seed % 2);
    bool by_counter = sim_below(&sim, 2) == 0;
    uint64_t jump = sim.bounds.detect_ns + 1 + sim_below(&sim, by_counter ? sim.config.silence_ns : S / 10);
    sim.nodes[0].faulty = true;
    if (by_counter) {
        sim_jump(&sim, 0, jump);
    } else {
        sim.nodes[0].lies_ns = sim_below(&sim, 2) == 0 ? (int64_t)jump : -(int64_t)jump;
    }
    sim_run(&sim, sim.now_ns + 2 * calm());
    if (by_counter && !takt_clock_is_voted_out(&sim.nodes[0].clock)) { /* to itself it was silent for too long */
        check_all_follow(takt_clock_master(&sim.nodes[1].clock));
    } else {
        CHECK(takt_clock_is_voted_out(&sim.nodes[0].clock));
        check_all_follow(1);
    }
    check_bounds();
}

/* The counter of the master runs beyond its drift: it is voted out within a window, up to which others follow it. */
static void test_a_master_that_drifts(uint64_t seed)
{
    begin(seed, 3 + seed % 2);
    uint64_t window = TAKT_CLOCK_WINDOW * sim.needs.interval_ns;
    uint64_t least_ppm = 4 * sim.needs.drift_ppm + 2 + 8 * sim.needs.stamp_ns * 1000000 / window;
    uint64_t ppm = least_ppm + sim_below(&sim, 5000);
    sim.nodes[0].faulty = true;
    sim_run_wild(&sim, 0, sim_below(&sim, 2) == 0 ? (int64_t)(1000 * ppm) : -(int64_t)(1000 * ppm));
    sim_run(&sim, sim.now_ns + (int64_t)(2 * window) + 3 * calm());
    CHECK(takt_clock_is_voted_out(&sim.nodes[0].clock));
    check_all_follow(1);
    CHECK(sim.widest_ns <= sim.bounds.faulty_ns);
}

/* A node that would be the next master is wrong: it rejects the master, its voice stays alone, and it gives up. */
static void test_another_that_is_wrong(uint64_t seed)
{
    begin(seed, 3);
    sim.nodes[1].faulty = true;
    sim_run_wild(&sim, 1, sim_below(&sim, 2) == 0 ? 20000000 : -20000000);
    sim_run(&sim, sim.now_ns + 3 * calm());
    CHECK(takt_clock_is_voted_out(&sim.nodes[1].clock));
    check_all_follow(0);
    check_bounds();
}

static void over_seeds(const char *name, void (*test)(uint64_t seed), unsigned long cases)
{
    widest_share = steady_share = 0;
    for (unsigned long i = 0; i < cases; i++) {
        uint64_t state = seed_now = check_seed() + i;
        test(check_random(&state));
    }
    printf("%s: %lu seeds, %llu and %llu per mille of the bounds\n", name, cases, (unsigned long long)widest_share,
           (unsigned long long)steady_share);
}

void check_context(void)
{
    printf("case %llu: widest %llu of %llu, steady %llu of %llu\n", (unsigned long long)seed_now,
           (unsigned long long)sim.widest_ns, (unsigned long long)sim.bounds.precision_ns,
           (unsigned long long)sim.steady_ns, (unsigned long long)sim.bounds.steady_ns);
}

int main(void)
{
    unsigned long cases = check_cases(8);
    over_seeds("die and restart", test_masters_that_die_and_restart, cases);
    CHECK(widest_share >= 250 && steady_share >= 400); /* bounds that are not far from what is seen */
    over_seeds("more losses", test_more_losses_than_declared, cases);
    over_seeds("jumps", test_a_master_that_jumps, cases);
    over_seeds("drifts", test_a_master_that_drifts, cases);
    over_seeds("another is wrong", test_another_that_is_wrong, cases);
    return 0;
}
