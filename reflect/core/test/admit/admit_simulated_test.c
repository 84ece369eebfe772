/* SPDX-License-Identifier: Apache-2.0 */
/* Admission against what happens (admit_model.h): random sets that are admitted never miss, in no stage; of those that
 * are refused some do; and so do some that seed 002's printed form admits. TAKT_CASES: how many admitted sets. */
#include "admit_random.h"

enum { RUNS = 2 * MODEL_PHASES, RULED = RUNS, ALL_RUNS = 2 * RUNS }; /* ruled ones first, then unruly ones */

static uint64_t longest_period(void)
{
    uint64_t longest = 0;
    for (size_t i = 0; i < set.channel_count; i++) {
        model_greatest(&longest, channels[i].period_ns);
    }
    return longest;
}

/* Plays the set in one way. */
static void play(unsigned run, struct model_seen *seen)
{
    static struct model model;
    model = (struct model){.set = &set,
                           .results = results,
                           .phases = run % MODEL_PHASES,
                           .unruly = run >= RULED,
                           .sparing = run % RUNS >= MODEL_PHASES,
                           .horizon_ns = 2 * longest_period(),
                           .random = check_random(&random_state)};
    model_run(&model, seen);
}

/* True if a deadline is missed in one of the ways. */
static bool misses(void)
{
    struct model_seen seen[MODEL_CHANNELS];
    for (unsigned run = 0; run < RUNS; run++) {
        play(run, seen);
        for (size_t i = 0; i < set.channel_count; i++) {
            if (channels[i].deadline_ns != 0 && (seen[i].whole_ns > channels[i].deadline_ns || seen[i].overlaps)) {
                return true;
            }
        }
    }
    return false;
}

/* Every stage of an admitted set keeps its bound, and something is seen of it. Returns the greatest part, in percent,
 * of a bound that was reached. */
static uint64_t keeps(void)
{
    uint64_t reached = 0, messages = 0;
    struct model_seen seen[MODEL_CHANNELS];
    for (unsigned run = 0; run < ALL_RUNS; run++) {
        play(run, seen);
        for (size_t i = 0; i < set.channel_count; i++) {
            messages += seen[i].messages;
            if (channels[i].deadline_ns != 0 && seen[i].messages > 0) {
                CHECK(seen[i].behind_ns <= results[i].receive_ns);
                if (run >= RULED && i % 2 == 0 && channels[i].push == TAKT_ADMIT_SYNCHRONOUS) {
                    continue; /* it has been written too often: what is behind the port is as it was */
                }
                CHECK(!seen[i].overlaps && !seen[i].left_out);
                CHECK(seen[i].at_port_ns <= results[i].push_ns + results[i].network_ns);
                CHECK(seen[i].whole_ns <= results[i].bound_ns);
                CHECK(results[i].bound_ns <= channels[i].deadline_ns);
                model_greatest(&reached, seen[i].whole_ns * 100 / results[i].bound_ns);
            }
        }
    }
    CHECK(messages > 0);
    return reached;
}

/* Of what is in no group, some are of one of their writer's. */
static void group_writers(void)
{
    for (size_t i = 0; i < set.channel_count; i++) {
        channels[i].writer_group = (uint16_t)(channels[i].group == 0 && below(3) == 0 ? 1 + below(2) : 0);
    }
}

static void test_random_sets(void)
{
    const char *full = getenv("TAKT_TEST_FULL");
    unsigned long wanted = check_cases(full != NULL && *full != '\0' ? 1000 : 300), admitted = 0, refused = 0,
                  missing = 0, close = 0;
    unsigned long printed = 0, printed_missing = 0, promoted_later = 0;

    while (admitted < wanted) {
        enum takt_admit_status status;
        case_number++;
        random_set();
        group_writers();
        set.jitter_shares = below(3) == 0 ? 0 : below(TAKT_ADMIT_SHARES + 1);
        status = takt_admit(&set, &space, results);
        CHECK(status == TAKT_ADMIT_OK || status == TAKT_ADMIT_REFUSED);
        if (status == TAKT_ADMIT_OK) {
            admitted++;
            close += keeps() >= 90;
            for (size_t i = 0; i < set.channel_count; i++) {
                promoted_later += results[i].promotion_ns > 0;
            }
        } else {
            refused++;
            missing += misses();
        }
        if (takt_admit_printed(&set, &space, results) == TAKT_ADMIT_OK) {
            printed++;
            printed_missing += misses();
        }
    }
    printf("%lu admitted sets of %lu keep every bound; in %lu of them a bound is reached to 90 %%\n", admitted,
           case_number, close);
    printf("%lu of %lu refused sets miss; so do %lu of %lu that the printed form admits\n", missing, refused,
           printed_missing, printed);
    CHECK(close > 0 && promoted_later > 0 && missing > 0 && missing < refused);
}

/* `count` nodes push the same to another one; each has something without a deadline too, for a node that is the last.
 */
static void loaded_set(uint16_t count, uint64_t period_ns, uint64_t deadline_ns)
{
    set.control_ns = 0;
    set.node_count = (size_t)count + 2;
    set.channel_count = 2 * (size_t)count;
    for (size_t i = 0; i < set.node_count; i++) {
        nodes[i] = (struct takt_admit_node){.link = {.rate_bps = UINT64_C(8000000000), .mtu = 1500}, .block_size = 854};
    }
    for (uint16_t i = 0; i < set.channel_count; i++) {
        bool ruled = i < count;
        channels[i] = (struct takt_admit_channel){.writer = i % count,
                                                  .reader = ruled ? count : count + 1,
                                                  .push = TAKT_ADMIT_ASYNCHRONOUS,
                                                  .read = TAKT_ADMIT_POLLING,
                                                  .ends = TAKT_ADMIT_MEMORIES,
                                                  .size = ruled ? 5 * 854 : 554,
                                                  .period_ns = ruled ? period_ns : 700,
                                                  .deadline_ns = ruled ? deadline_ns : 0};
    }
}

/* As printed, each push may take all but the execution times of its own stages behind it; so the pushes of two nodes
 * end together, and the port has time for one of them alone. */
static void test_printed_form_misses(void)
{
    struct model_seen seen[MODEL_CHANNELS];

    loaded_set(2, 100000, 30000);
    CHECK_EQUAL(takt_admit_printed(&set, &space, results), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[0].push_ns, 25000);
    CHECK_EQUAL(results[0].bound_ns, 15000); /* it says, and: */
    for (int sound = 0; sound < 2; sound++) {
        play(MODEL_DEADLINES, seen);
        printf("as %s: %llu ns of 30000\n", sound ? "admitted" : "printed", (unsigned long long)seen[1].whole_ns);
        CHECK((seen[0].whole_ns <= 30000 && seen[1].whole_ns <= 30000) == (sound == 1));
        CHECK_EQUAL(takt_admit(&set, &space, results), TAKT_ADMIT_OK);
    }
    CHECK_EQUAL(results[0].push_ns, 23000); /* 5000 by each link are through after 3000, and 7000 are left then */
    CHECK_EQUAL(results[0].bound_ns, 30000);
}

/* Three nodes push as late as they may, as others have their links; then these are quiet, and the next pushes go at
 * once: the port gets two messages of each with nothing between. */
static void test_late_then_early(void)
{
    struct model_seen seen[MODEL_CHANNELS];

    loaded_set(3, 20000, 60000);
    CHECK_EQUAL(takt_admit(&set, &space, results), TAKT_ADMIT_OK);
    play(MODEL_DEADLINES + MODEL_PHASES, seen);
    printf("late, then early: %llu ns behind a port of %llu\n", (unsigned long long)seen[0].behind_ns,
           (unsigned long long)results[0].receive_ns);
    for (size_t i = 0; i < 3; i++) {
        CHECK(seen[i].messages >= 3);
        CHECK(seen[i].behind_ns > 3 * 5000 + 2000); /* more than one message of each, and blocks at both ends */
        CHECK(seen[i].behind_ns <= results[i].receive_ns);
        CHECK(seen[i].whole_ns <= results[i].bound_ns);
    }
}

int main(void)
{
    random_state = check_seed();
    test_random_sets();
    test_printed_form_misses();
    test_late_then_early();
    return 0;
}
