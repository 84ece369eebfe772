/* SPDX-License-Identifier: Apache-2.0 */
/* Admission against sums made by hand, every rule of its input, every inequality that can fail. */
#include "takt/admit.h"

#include "base/test/check.h"

enum { CHANNELS = 8, NODES = 4 };

#define MOST TAKT_ADMIT_TIME_MAX_NS

static struct takt_admit_node nodes[NODES];
static struct takt_admit_channel channels[CHANNELS];
static struct takt_admit_work works[CHANNELS];
static struct takt_analysis_task tasks[CHANNELS + 1];
static uint64_t responses[CHANNELS];
static enum takt_analysis_status statuses[CHANNELS];
static struct takt_admit_result results[CHANNELS];
static struct takt_admit_set set;
static const struct takt_admit_space space = {works, tasks, responses, statuses};

/* At 8 Gbit/s a byte takes a nanosecond. A block of 854 bytes takes a microsecond: 64 and 16 of our own, 28 of UDP and
 * IP, 38 of Ethernet besides. The rest costs nothing. */
static const struct takt_admit_node PLAIN = {.link = {.rate_bps = UINT64_C(8000000000), .mtu = 1500},
                                             .block_size = 854};

/* Bytes of a value that takes the link so long. */
static uint32_t lasts(uint32_t time_ns)
{
    return time_ns / 1000 * 854 + (time_ns % 1000 != 0 ? time_ns % 1000 - 146 : 0);
}

static struct takt_admit_channel channel(uint16_t push, uint32_t size, uint64_t period_ns, uint64_t deadline_ns)
{
    return (struct takt_admit_channel){.writer = 0,
                                       .reader = 1,
                                       .push = push,
                                       .read = TAKT_ADMIT_POLLING,
                                       .ends = TAKT_ADMIT_MEMORIES,
                                       .size = size,
                                       .period_ns = period_ns,
                                       .deadline_ns = deadline_ns};
}

/* A trend graph, a command, and what has no deadline. */
static void begin(void)
{
    for (size_t i = 0; i < NODES; i++) {
        nodes[i] = PLAIN;
    }
    channels[0] = channel(TAKT_ADMIT_ASYNCHRONOUS, lasts(2500), 20000, 20000);
    channels[1] = channel(TAKT_ADMIT_SYNCHRONOUS, lasts(1000), 10000, 9000);
    channels[2] = channel(TAKT_ADMIT_SYNCHRONOUS, lasts(800), 40000, 0);
    set = (struct takt_admit_set){nodes, NODES, channels, 3, 1000, 0};
    memset(results, 0xA5, sizeof results);
}

static enum takt_admit_status judge(void)
{
    return takt_admit(&set, &space, results);
}

static void fails(size_t i, enum takt_admit_inequality inequality, enum takt_admit_stage stage, uint64_t left,
                  uint64_t right)
{
    CHECK_EQUAL(results[i].inequality, inequality);
    CHECK_EQUAL(results[i].stage, stage);
    CHECK_EQUAL(results[i].left_ns, left);
    CHECK_EQUAL(results[i].right_ns, right);
}

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
    /* One of each, and two of what has no deadline: 1000 + 2500 + 2 * 800. */
    CHECK_EQUAL(results[0].receive_ns, 5100);
    CHECK_EQUAL(results[1].receive_ns, 5100);
    CHECK_EQUAL(results[1].push_ns, 3900);
    CHECK_EQUAL(results[1].promotion_ns, 1900);
    CHECK_EQUAL(results[1].network_ns, 0);
    CHECK_EQUAL(results[1].bound_ns, 9000);
    CHECK_EQUAL(results[0].push_ns, 14900);
    CHECK_EQUAL(results[0].promotion_ns, 10600);
    CHECK_EQUAL(results[0].bound_ns, 20000);
    fails(0, TAKT_ADMIT_FITS, TAKT_ADMIT_WRITE, 0, 0);
    CHECK_EQUAL(results[0].pause_ns, 0);
    CHECK_EQUAL(results[2].bound_ns, 0);
    channels[1].deadline_ns = 2000 + 5100;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[1].promotion_ns, 0);
    channels[1].deadline_ns--;
    CHECK_EQUAL(judge(), TAKT_ADMIT_REFUSED);
    fails(1, TAKT_ADMIT_DEADLINE, TAKT_ADMIT_RECEIVE, 7100, 7099);
    fails(0, TAKT_ADMIT_FITS, TAKT_ADMIT_WRITE, 0, 0);
    CHECK_EQUAL(results[0].promotion_ns, 0); /* nothing is given away where one is too late */
}

/* Promoted at once a command comes after 4000 ns, and 5500 more are enough. When it may come L later, two of them may
 * come within 6000 - L, and the second waits 8500 - (6000 - L): 7240 + 5740 is in time, one part more is not. */
static void test_part_of_the_time(void)
{
    begin();
    set.channel_count = 2;
    channels[1].deadline_ns = 13000;
    channels[1].size = lasts(3000);
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[1].response_ns, 4000);
    CHECK_EQUAL(results[1].push_ns, 4000 + 3500 * 237 / 256);
    CHECK_EQUAL(results[1].receive_ns, 5740);
    CHECK_EQUAL(results[1].bound_ns, 12980);
    CHECK_EQUAL(results[0].response_ns, 5500);
    CHECK_EQUAL(results[0].push_ns, 5500 + 9000 * 237 / 256);
    CHECK_EQUAL(results[0].receive_ns, 5740);
    set.iterations = 1; /* as far as one sum tells */
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[1].push_ns, 4000 + 3500 * 36 / 256);
    set.iterations = 1000;
    channels[1].deadline_ns = 9500;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[1].promotion_ns, 0);
    CHECK_EQUAL(results[0].promotion_ns, 9000); /* as it delays nothing */
    channels[1].deadline_ns = 90000;
    channels[0].deadline_ns = 90000;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK(results[1].push_ns <= 10000 && results[0].push_ns <= 20000); /* never longer than a period */
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
    channels[3].deadline_ns = 7000; /* equals by their place */
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

/* Three candidates of one reader's memory count as the greatest of them; into another node a number is another group.
 */
static void test_groups(void)
{
    begin();
    for (uint16_t i = 0; i < 4; i++) {
        channels[i] = channel(TAKT_ADMIT_ASYNCHRONOUS, lasts(500 + 100u * i), 10000 + 100u * i, 10000);
        channels[i].writer = i == 0 || i == 3 ? 0 : (uint16_t)(i + 1);
        channels[i].group = 7;
    }
    channels[3].reader = 2;
    set.channel_count = 4;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[0].receive_ns, 700);
    CHECK_EQUAL(results[1].receive_ns, 700);
    CHECK_EQUAL(results[2].receive_ns, 700);
    CHECK_EQUAL(results[3].receive_ns, 800);
    CHECK_EQUAL(results[0].pause_ns, 10000);
    CHECK_EQUAL(results[3].pause_ns, 10300);
    channels[1].group = 8;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[0].receive_ns, 700 + 600);
    channels[1].group = 0;
    channels[2].group = 0;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[0].receive_ns, 500 + 600 + 700);
    CHECK_EQUAL(results[2].pause_ns, 0);
    channels[0].push = TAKT_ADMIT_SYNCHRONOUS;
    channels[0].read = TAKT_ADMIT_BLOCKING;
    channels[0].ends = TAKT_ADMIT_APPLICATIONS;
    channels[0].write_ns = 30;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[0].pause_ns, 10030); /* its first write may begin before it is started */
}

/* Two packets of 146 bytes for each end: six of them before a push, and before what comes into the reader's node. */
static void test_control(void)
{
    begin();
    nodes[0].send_ns = 20;
    nodes[1].receive_ns = 10;
    nodes[0].propagation_ns = 30;
    set.control_ns = 100000;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[1].response_ns, 2000 + 6 * 146);
    CHECK_EQUAL(results[0].response_ns, 4300 + 6 * 146);
    CHECK_EQUAL(results[1].receive_ns, 5100 + 6 * 146 + 10);
    set.control_ns = 876; /* all the time there is */
    CHECK_EQUAL(judge(), TAKT_ADMIT_REFUSED);
    fails(1, TAKT_ADMIT_LOAD, TAKT_ADMIT_PUSH, 1100000001, 1000000000);
    set.control_ns = 2000;
    nodes[1].receive_ns = MOST;
    CHECK_EQUAL(judge(), TAKT_ADMIT_INVALID);
    channels[0].writer = 3;
    nodes[1].receive_ns = 0;
    nodes[3].wake_ns = nodes[3].link.burst_ns =
        900; /* late, so twice at once: but nothing of this node is read there */
    set.control_ns = 1500;
    set.channel_count = 2;
    channels[0].deadline_ns = channels[1].deadline_ns = channels[0].period_ns = channels[1].period_ns = 100000;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK(results[0].receive_ns >= 3500 + 2 * 4 * 146);
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
    channels[0] = (struct takt_admit_channel){0, 1, 0, 0, 0, 0, 1, MOST, MOST, MOST, MOST};
    set.channel_count = 1;
    CHECK_EQUAL(judge(), TAKT_ADMIT_REFUSED);
    fails(0, TAKT_ADMIT_OVERLAP, TAKT_ADMIT_PUSH, MOST + 1000000000 + MOST / 4, MOST);
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
    test_part_of_the_time();
    test_costs();
    test_order();
    test_push_refused();
    test_receive_refused();
    test_late_stage();
    test_groups();
    test_control();
    test_rules();
    test_greatest();
    test_printed();
    return 0;
}
