/* SPDX-License-Identifier: Apache-2.0 */
/* Admission against what happens (admit_model.h): random sets that are admitted never miss, in no stage; of those that
 * are refused some do; and so do some that seed 002's printed form admits. TAKT_CASES: how many admitted sets. */
#include "admit_model.h"

enum { RUNS = 2 * MODEL_PHASES };

static struct takt_admit_node nodes[MODEL_NODES];
static struct takt_admit_channel channels[MODEL_CHANNELS];
static struct takt_admit_work works[MODEL_CHANNELS];
static struct takt_analysis_task tasks[MODEL_CHANNELS + 1];
static uint64_t responses[MODEL_CHANNELS];
static enum takt_analysis_status statuses[MODEL_CHANNELS];
static struct takt_admit_result results[MODEL_CHANNELS];
static struct takt_admit_set set = {nodes, 0, channels, 0, 100000, 0};
static const struct takt_admit_space space = {works, tasks, responses, statuses};
static unsigned long case_number;
static uint64_t state;

void check_context(void)
{
    printf("set %lu, %zu nodes, %zu channels\n", case_number, set.node_count, set.channel_count);
}

static uint64_t below(uint64_t most)
{
    return check_random(&state) % most;
}

static void random_node(struct takt_admit_node *node)
{
    static const uint64_t RATES[] = {10000000, 100000000, 100000000, 1000000000};
    static const uint32_t BLOCKS[] = {400, 1392, 1392, 8192};
    *node = (struct takt_admit_node){.link = {.rate_bps = RATES[below(4)], .mtu = 1500},
                                     .block_size = BLOCKS[below(4)],
                                     .propagation_ns = below(5000),
                                     .send_ns = below(30000),
                                     .send_message_ns = below(10000),
                                     .receive_ns = below(30000),
                                     .receive_message_ns = below(10000),
                                     .wake_ns = below(100000)};
    node->link.burst_ns = (uint32_t)(node->wake_ns + below(2) * below(200000));
}

static void random_channel(struct takt_admit_channel *channel)
{
    uint64_t kind = below(6);
    *channel = (struct takt_admit_channel){.writer = (uint16_t)below(set.node_count),
                                           .push = kind < 3 ? TAKT_ADMIT_SYNCHRONOUS : TAKT_ADMIT_ASYNCHRONOUS,
                                           .read = kind < 3 ? TAKT_ADMIT_BLOCKING : TAKT_ADMIT_POLLING,
                                           .ends = kind < 2 ? TAKT_ADMIT_APPLICATIONS : TAKT_ADMIT_MEMORIES,
                                           .size = (uint32_t)(1 + below(UINT64_C(1) << (4 + below(12)))),
                                           .period_ns = (1 + below(16)) * 2500000,
                                           .write_ns = below(200000),
                                           .read_ns = below(200000)};
    channel->reader = (uint16_t)((channel->writer + 1 + below(set.node_count - 1)) % set.node_count);
    channel->group = (uint16_t)(below(4) == 0 ? 1 + below(2) : 0);
    channel->deadline_ns = below(5) == 0 ? 0 : channel->period_ns / 20 * (2 + below(25));
}

static void random_set(void)
{
    set.control_ns = below(2) * 50000000;
    set.node_count = 2 + (size_t)below(MODEL_NODES - 1);
    set.channel_count = 2 + (size_t)below(MODEL_CHANNELS - 1);
    for (size_t i = 0; i < set.node_count; i++) {
        random_node(&nodes[i]);
    }
    for (size_t i = 0; i < set.channel_count; i++) {
        random_channel(&channels[i]);
    }
    if (below(10) == 0) { /* each node has something without a deadline that takes its whole link */
        for (size_t i = 0; i < set.node_count && i < set.channel_count; i++) {
            channels[i].writer = (uint16_t)i;
            channels[i].reader = (uint16_t)((i + 1 + below(set.node_count - 1)) % set.node_count);
            channels[i].deadline_ns = 0;
            channels[i].size = 50000;
            channels[i].period_ns = 50000 * UINT64_C(8000000000) / nodes[i].link.rate_bps;
        }
    }
}

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
                           .sparing = run >= MODEL_PHASES,
                           .horizon_ns = 2 * longest_period(),
                           .random = check_random(&state)};
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
    for (unsigned run = 0; run < RUNS; run++) {
        play(run, seen);
        for (size_t i = 0; i < set.channel_count; i++) {
            messages += seen[i].messages;
            if (channels[i].deadline_ns != 0 && seen[i].messages > 0) {
                CHECK(!seen[i].overlaps);
                CHECK(seen[i].at_port_ns <= results[i].push_ns + results[i].network_ns);
                CHECK(seen[i].behind_ns <= results[i].receive_ns);
                CHECK(seen[i].whole_ns <= results[i].bound_ns);
                CHECK(results[i].bound_ns <= channels[i].deadline_ns);
                model_greatest(&reached, seen[i].whole_ns * 100 / results[i].bound_ns);
            }
        }
    }
    CHECK(messages > 0);
    return reached;
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
    CHECK_EQUAL(results[0].push_ns, 20000);
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
    state = check_seed();
    test_random_sets();
    test_printed_form_misses();
    test_late_then_early();
    return 0;
}
