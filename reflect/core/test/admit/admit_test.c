/* SPDX-License-Identifier: Apache-2.0 */
/* Admission against sums made by hand, every rule of its input, every inequality that can fail. */
#include "admit_hand.h"

static void test_by_hand(void)
{
    begin();
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[1].band, TAKT_ADMIT_HIGHEST);
    CHECK_EQUAL(results[0].band, TAKT_ADMIT_HIGH);
    CHECK_EQUAL(results[2].band, TAKT_ADMIT_MID);
    CHECK_EQUAL(results[1].level, 0);
    CHECK_EQUAL(results[0].level, 1);
    CHECK_EQUAL(results[2].level, 2);
    CHECK_EQUAL(results[1].response_ns, 1000 + 1000);       /* a block of the trend graph is in front */
    CHECK_EQUAL(results[0].response_ns, 2500 + 800 + 1000); /* and of the last one, and a command */
    /* All three, and what has no deadline once more, come by one link, which brings two packets at once at most. */
    CHECK_EQUAL(results[0].receive_ns, 2000);
    CHECK_EQUAL(results[1].receive_ns, 2000);
    CHECK_EQUAL(results[1].push_ns, 7000);
    CHECK_EQUAL(results[1].promotion_ns, 5000);
    CHECK_EQUAL(results[1].network_ns, 0);
    CHECK_EQUAL(results[1].bound_ns, 9000);
    CHECK_EQUAL(results[0].push_ns, 18000);
    CHECK_EQUAL(results[0].promotion_ns, 13700);
    CHECK_EQUAL(results[0].bound_ns, 20000);
    fails(0, TAKT_ADMIT_FITS, TAKT_ADMIT_WRITE, 0, 0);
    CHECK_EQUAL(results[0].pause_ns, 0);
    CHECK_EQUAL(results[2].bound_ns, 0);
    channels[1].deadline_ns = 2000 + 2000;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[1].promotion_ns, 0);
    channels[1].deadline_ns--;
    CHECK_EQUAL(judge(), TAKT_ADMIT_REFUSED);
    fails(1, TAKT_ADMIT_DEADLINE, TAKT_ADMIT_RECEIVE, 4000, 3999);
    fails(0, TAKT_ADMIT_FITS, TAKT_ADMIT_WRITE, 0, 0);
    CHECK_EQUAL(results[0].promotion_ns, 0); /* nothing is given away where one is too late */
}

static void test_costs(void)
{
    begin();
    nodes[0].link.burst_ns = 50;
    nodes[0].propagation_ns = 7;
    nodes[0].send_ns = 600;
    nodes[0].send_message_ns = 11;
    nodes[0].wake_ns = 3;
    nodes[1].link.rate_bps = UINT64_C(4000000000);
    nodes[1].receive_ns = 1100;
    nodes[1].receive_message_ns = 13;
    nodes[1].link.burst_ns = 20;
    nodes[1].wake_ns = 2;
    channels[0] = channel(TAKT_ADMIT_SYNCHRONOUS, lasts(2500), 100000, 90000);
    channels[0].read = TAKT_ADMIT_BLOCKING;
    channels[0].ends = TAKT_ADMIT_APPLICATIONS;
    channels[0].write_ns = 40;
    channels[0].read_ns = 17;
    set.channel_count = 1;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[0].response_ns, 40 + 3 + 11 + 2 * 1000 + 600); /* the server makes no more of the last */
    CHECK_EQUAL(results[0].network_ns, 3 + 11 + 600 + 7);
    CHECK_EQUAL(results[0].receive_ns, 2 * 2000 + 1100 + 13 + 1113 + 2); /* of half the rate */
    CHECK_EQUAL(results[0].bound_ns, 90000);
    CHECK_EQUAL(results[0].push_ns, 90000 - 17 - 621 - 6228);
    nodes[0].link.burst_ns = 5000; /* for threads that are later than they ever should */
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[0].network_ns, 3 + 11 + 600 + 7);
    channels[0].size = lasts(700);
    nodes[1].receive_message_ns = 5000;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[0].response_ns, 40 + 3 + 11 + 700); /* one block, of less than a whole one */
    CHECK_EQUAL(results[0].receive_ns, 1400 + 5000 + 1400 + 2);
    channels[0].ends = TAKT_ADMIT_MEMORIES;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[0].response_ns, 3 + 11 + 700);
    nodes[1].receive_message_ns = 0;
    nodes[0].block_size = 1392; /* in one frame, and then in two, behind which the server has work */
    channels[0].size = 1392;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[0].receive_ns, 2 * 1538 + 1100 + 2);
    nodes[0].block_size = channels[0].size = 1393;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[0].receive_ns, 2 * (1538 + 84) + 1100 + 1100 + 2);
    for (size_t i = 0; i < NODES; i++) {
        nodes[i].link.ipv6 = true; /* of which a head is 20 bytes longer */
    }
    nodes[0].block_size = channels[0].size = 1372;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[0].receive_ns, 2 * 1538 + 1100 + 2);
    nodes[0].block_size = channels[0].size = 1373;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK(results[0].receive_ns > 2 * 1538 + 1100 + 1100);
}

static void test_order(void)
{
    static const uint32_t LEVELS[] = {3, 1, 0, 2, 5, 4};
    begin();
    channels[0] = channel(TAKT_ADMIT_ASYNCHRONOUS, 1, 90000, 7000);
    channels[1] = channel(TAKT_ADMIT_SYNCHRONOUS, 1, 90000, 80000);
    channels[2] = channel(TAKT_ADMIT_SYNCHRONOUS, 1, 90000, 6000);
    channels[3] = channel(TAKT_ADMIT_ASYNCHRONOUS, 1, 90000, 6000);
    channels[4] = channel(TAKT_ADMIT_ASYNCHRONOUS, 1, 90000, 0);
    channels[5] = channel(TAKT_ADMIT_SYNCHRONOUS, 1, 80000, 0);
    set.channel_count = 6;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    for (size_t i = 0; i < 6; i++) {
        CHECK_EQUAL(results[i].level, LEVELS[i]);
    }
    channels[3].deadline_ns = 7000; /* equals by their position */
    channels[5].period_ns = 90000;
    channels[2].writer = 2; /* and each node for itself */
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[0].level, 1);
    CHECK_EQUAL(results[1].level, 0);
    CHECK_EQUAL(results[2].level, 0);
    CHECK_EQUAL(results[3].level, 2);
    CHECK_EQUAL(results[4].level, 3);
    CHECK_EQUAL(results[5].level, 4);
}

static void test_push_refused(void)
{
    begin();
    channels[1].size = lasts(9500);
    CHECK_EQUAL(judge(), TAKT_ADMIT_REFUSED);
    fails(1, TAKT_ADMIT_OVERLAP, TAKT_ADMIT_PUSH, 10500, 10000);
    fails(0, TAKT_ADMIT_LOAD, TAKT_ADMIT_PUSH, 1075000001, 1000000000);
    begin();
    set.iterations = 0;
    CHECK_EQUAL(judge(), TAKT_ADMIT_UNDECIDED);
    fails(0, TAKT_ADMIT_UNKNOWN, TAKT_ADMIT_PUSH, 0, 0);
    channels[1].size = lasts(9500); /* where another is refused, so is the set */
    CHECK_EQUAL(judge(), TAKT_ADMIT_REFUSED);
}

static void test_receive_refused(void)
{
    begin();
    channels[1].writer = 2; /* two links into one port of a quarter of their rate */
    channels[1].size = lasts(1500);
    nodes[1].link.rate_bps /= 4;
    CHECK_EQUAL(judge(), TAKT_ADMIT_REFUSED);
    fails(0, TAKT_ADMIT_LOAD, TAKT_ADMIT_RECEIVE, 1180000001, 1000000000);
    fails(1, TAKT_ADMIT_LOAD, TAKT_ADMIT_RECEIVE, 1180000001, 1000000000);
    channels[0].size = lasts(1500); /* .6 + .3 + .08: below, but not found in so few steps */
    set.iterations = 3;
    CHECK_EQUAL(judge(), TAKT_ADMIT_UNDECIDED);
    fails(0, TAKT_ADMIT_UNKNOWN, TAKT_ADMIT_RECEIVE, 0, 0);
    set.iterations = 1000;
    CHECK_EQUAL(judge(), TAKT_ADMIT_REFUSED);
    CHECK_EQUAL(results[1].inequality, TAKT_ADMIT_DEADLINE);
    begin();
    set.channel_count = 1;
    channels[0] = channel(TAKT_ADMIT_ASYNCHRONOUS, 1, MOST, MOST);
    nodes[1].receive_message_ns = MOST - 147; /* of all the time there is */
    CHECK_EQUAL(judge(), TAKT_ADMIT_UNDECIDED);
    fails(0, TAKT_ADMIT_UNKNOWN, TAKT_ADMIT_RECEIVE, 0, 0);
    nodes[1].receive_message_ns = MOST;
    CHECK_EQUAL(judge(), TAKT_ADMIT_INVALID);
    nodes[1].receive_message_ns = 0;
    nodes[0].send_message_ns = MOST;
    CHECK_EQUAL(judge(), TAKT_ADMIT_INVALID);
}

static void test_late_stage(void)
{
    static const struct {
        uint64_t deadline_ns;
        enum takt_admit_stage stage;
    } CASES[] = {
        {49, TAKT_ADMIT_WRITE},     {50, TAKT_ADMIT_PUSH},      {1049, TAKT_ADMIT_PUSH},
        {1050, TAKT_ADMIT_NETWORK}, {1058, TAKT_ADMIT_NETWORK}, {1059, TAKT_ADMIT_RECEIVE},
        {2058, TAKT_ADMIT_RECEIVE}, {2059, TAKT_ADMIT_READ},    {2061, TAKT_ADMIT_READ},
    };
    begin();
    set.channel_count = 1;
    nodes[0].propagation_ns = 9;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        channels[0] = channel(TAKT_ADMIT_SYNCHRONOUS, lasts(1000), 10000, CASES[i].deadline_ns);
        channels[0].read = TAKT_ADMIT_BLOCKING;
        channels[0].ends = TAKT_ADMIT_APPLICATIONS;
        channels[0].write_ns = 50;
        channels[0].read_ns = 3;
        CHECK_EQUAL(judge(), TAKT_ADMIT_REFUSED);
        fails(0, TAKT_ADMIT_DEADLINE, CASES[i].stage, 2062, CASES[i].deadline_ns);
    }
    channels[0].deadline_ns = 2062;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
}

#define REFUSES(field, value)                                                       \
    do {                                                                            \
        begin();                                                                    \
        (field) = (value);                                                          \
        results[0].bound_ns = 4711;                                                 \
        CHECK_EQUAL(judge(), TAKT_ADMIT_INVALID);                                   \
        CHECK_EQUAL(results[0].bound_ns, 4711);                                     \
        CHECK_EQUAL(takt_admit_printed(&set, &space, results), TAKT_ADMIT_INVALID); \
    } while (0)

#define TAKES(field, value)                   \
    do {                                      \
        begin();                              \
        (field) = (value);                    \
        CHECK(judge() != TAKT_ADMIT_INVALID); \
    } while (0)

static void test_rules(void)
{
    REFUSES(set.node_count, 65536);
    REFUSES(set.channel_count, TAKT_ADMIT_CHANNELS_MAX + 1);
    REFUSES(set.control_ns, MOST + 1);
    REFUSES(nodes[1].link.rate_bps, 999);
    TAKES(nodes[1].link.rate_bps, 1000);
    REFUSES(nodes[1].link.rate_bps, UINT64_C(1000000000001));
    TAKES(nodes[1].link.rate_bps, UINT64_C(1000000000000));
    REFUSES(nodes[0].link.mtu, 575);
    REFUSES(nodes[0].link.mtu, 65536);
    REFUSES(nodes[1].link.mtu, 1501); /* another one than the first node's */
    REFUSES(nodes[1].link.ipv6, true);
    REFUSES(nodes[1].link.burst_ns, 1000000001);
    TAKES(nodes[1].link.burst_ns, 1000000000);
    REFUSES(nodes[1].block_size, 0);
    REFUSES(nodes[1].block_size, TAKT_ADMIT_BLOCK_MAX + 1);
    TAKES(nodes[0].block_size, TAKT_ADMIT_BLOCK_MAX);
    TAKES(nodes[0].block_size, 1);
    REFUSES(nodes[1].propagation_ns, MOST + 1);
    TAKES(nodes[0].propagation_ns, MOST);
    REFUSES(nodes[1].send_ns, MOST + 1);
    REFUSES(nodes[1].send_message_ns, MOST + 1);
    REFUSES(nodes[1].receive_ns, MOST + 1);
    REFUSES(nodes[1].receive_message_ns, MOST + 1);
    REFUSES(nodes[1].wake_ns, 1); /* longer than the burst */
    REFUSES(channels[1].writer, NODES);
    REFUSES(channels[1].reader, NODES);
    REFUSES(channels[1].reader, 0); /* its writer's */
    REFUSES(channels[1].push, 2);
    REFUSES(channels[1].read, 2);
    REFUSES(channels[1].ends, 2);
    REFUSES(channels[1].ends, TAKT_ADMIT_APPLICATIONS); /* it polls */
    channels[1].read = TAKT_ADMIT_BLOCKING;
    CHECK(judge() != TAKT_ADMIT_INVALID);
    channels[1].push = TAKT_ADMIT_ASYNCHRONOUS;
    CHECK_EQUAL(judge(), TAKT_ADMIT_INVALID);
    begin();
    channels[1].read = TAKT_ADMIT_BLOCKING;
    channels[1].ends = 2;
    CHECK_EQUAL(judge(), TAKT_ADMIT_INVALID);
    REFUSES(channels[1].size, 0);
    REFUSES(channels[1].size, (UINT32_C(1) << 26) + 1);
    TAKES(channels[1].size, UINT32_C(1) << 26);
    REFUSES(channels[1].period_ns, 0);
    REFUSES(channels[1].period_ns, MOST + 1);
    TAKES(channels[1].period_ns, MOST);
    REFUSES(channels[1].deadline_ns, MOST + 1);
    REFUSES(channels[1].write_ns, MOST + 1);
    REFUSES(channels[1].read_ns, MOST + 1);
    TAKES(channels[1].read_ns, MOST);
    begin();
    set.channel_count = 0;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
}

/* The greatest numbers of all fields at once end in a word, not in a number that has wrapped. */
static void test_greatest(void)
{
    begin();
    for (size_t i = 0; i < NODES; i++) {
        nodes[i] = (struct takt_admit_node){.link = {1000, 576, 1000000000, true},
                                            .block_size = TAKT_ADMIT_BLOCK_MAX,
                                            .propagation_ns = MOST,
                                            .send_ns = MOST,
                                            .send_message_ns = MOST,
                                            .receive_ns = MOST,
                                            .receive_message_ns = MOST,
                                            .wake_ns = 1000000000};
    }
    CHECK_EQUAL(judge(), TAKT_ADMIT_INVALID);
    nodes[0].send_message_ns = nodes[0].send_ns = nodes[1].receive_ns = nodes[1].receive_message_ns = MOST / 8;
    channels[0] = (struct takt_admit_channel){0, 1, 0, 0, 0, 0, 0, 1, MOST, MOST, MOST, MOST};
    set.channel_count = 1;
    CHECK_EQUAL(judge(), TAKT_ADMIT_REFUSED);
    fails(0, TAKT_ADMIT_OVERLAP, TAKT_ADMIT_PUSH, MOST + 1000000000 + MOST / 4, MOST);
}

/* Two channels of a writer's group take the link of what is below as the greater of them does, and each other none. */
static void test_writers_group(void)
{
    begin();
    channels[0] = channel(TAKT_ADMIT_SYNCHRONOUS, lasts(2000), 20000, 9000);
    channels[1] = channel(TAKT_ADMIT_SYNCHRONOUS, lasts(3000), 10000, 12000);
    channels[2] = channel(TAKT_ADMIT_ASYNCHRONOUS, lasts(1000), 40000, 30000);
    channels[1].reader = 2;
    channels[2].reader = 3;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[0].response_ns, 1000 + 2000);
    CHECK_EQUAL(results[1].response_ns, 1000 + 2000 + 3000);
    CHECK_EQUAL(results[2].response_ns, 2000 + 3000 + 1000);
    CHECK_EQUAL(results[0].pause_ns, 0);
    channels[0].writer_group = channels[1].writer_group = 7;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    for (unsigned i = 0; i < 2; i++) {
        CHECK_EQUAL(results[i].response_ns, 1000 + 3000);
        CHECK_EQUAL(results[i].level, 0);
        CHECK_EQUAL(results[i].pause_ns, 10000);
    }
    CHECK_EQUAL(results[2].response_ns, 3000 + 1000);
    CHECK_EQUAL(results[2].level, 2);
    channels[2] = channel(TAKT_ADMIT_ASYNCHRONOUS, lasts(8000), 40000, 30000);
    channels[2].reader = 3;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[2].response_ns, 3000 + 3000 + 8000); /* it comes again with the least period */
    channels[2] = channel(TAKT_ADMIT_ASYNCHRONOUS, lasts(1000), 40000, 30000);
    channels[2].reader = 3;
    channels[1].writer = 3; /* another node's group of that number is another one */
    channels[1].reader = 1;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[2].response_ns, 2000 + 1000);
}

static void test_printed(void)
{
    begin();
    CHECK_EQUAL(takt_admit_printed(&set, &space, results), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[1].response_ns, 2000);
    CHECK_EQUAL(results[1].push_ns, 9000 - 1000); /* D_DPA = D_read - C_read - C_DRA - C_ntwk */
    CHECK_EQUAL(results[1].promotion_ns, 6000);   /* equation 1 */
    CHECK_EQUAL(results[1].receive_ns, 4300);     /* one of each: what has no deadline is thought to come at once */
    CHECK_EQUAL(results[1].bound_ns, 5300);       /* and the jitter of this stage is an execution time */
    channels[1].deadline_ns = 5299;
    CHECK_EQUAL(takt_admit_printed(&set, &space, results), TAKT_ADMIT_REFUSED);
    fails(1, TAKT_ADMIT_DEADLINE, TAKT_ADMIT_RECEIVE, 5300, 5299);
    channels[1].deadline_ns = 2999;
    CHECK_EQUAL(takt_admit_printed(&set, &space, results), TAKT_ADMIT_REFUSED);
    fails(1, TAKT_ADMIT_DEADLINE, TAKT_ADMIT_PUSH, 3000, 2999);
    begin();
    channels[1].size = lasts(9500);
    CHECK_EQUAL(takt_admit_printed(&set, &space, results), TAKT_ADMIT_REFUSED);
    CHECK_EQUAL(results[1].inequality, TAKT_ADMIT_OVERLAP);
    begin();
    channels[1].writer = 2;
    channels[1].size = lasts(1500);
    nodes[1].link.rate_bps /= 4;
    CHECK_EQUAL(takt_admit_printed(&set, &space, results), TAKT_ADMIT_UNDECIDED); /* it does not ask for the load */
    fails(0, TAKT_ADMIT_UNKNOWN, TAKT_ADMIT_RECEIVE, 0, 0);
}

int main(void)
{
    test_by_hand();
    test_costs();
    test_order();
    test_push_refused();
    test_receive_refused();
    test_late_stage();
    test_rules();
    test_greatest();
    test_writers_group();
    test_printed();
    return 0;
}
