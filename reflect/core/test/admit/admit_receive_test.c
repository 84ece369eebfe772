/* SPDX-License-Identifier: Apache-2.0 */
/* What waits in ports and behind them, against sums made by hand: links that bring it, groups, packets without a value,
 * and what that leaves for the pushes. */
#include "admit_hand.h"

/* The reader's server takes 1500 for each block, so 500 more than the link, or 1000 more for one of 500: by one link
 * come no more than d + 2000 + 1500 for each command, and 2000 for each of the others. Promoted at once a command may
 * come 4000 after its time, and another one 6000 after it: 6000 + 2000 + 2 * 1500 + 2000 wait 7000, and a block's
 * 1000 are left behind the port. When commands may come x later and the others y, the next of these is there after
 * 14500 - y, and of 4 * 4500 is left 3500 + y: 4597 + 8384 is in time, one part more is not. */
static void test_part_of_the_time(void)
{
    begin();
    nodes[1].receive_ns = 1500;
    set.channel_count = 2;
    channels[1].deadline_ns = 13000;
    channels[1].size = lasts(3000);
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[1].response_ns, 4000);
    CHECK_EQUAL(results[1].push_ns, 4000 + 1000 * 153 / 256);
    CHECK_EQUAL(results[1].receive_ns, 8384);
    CHECK_EQUAL(results[1].bound_ns, 12981);
    CHECK_EQUAL(results[0].response_ns, 5500);
    CHECK_EQUAL(results[0].push_ns, 5500 + 6500 * 153 / 256);
    CHECK_EQUAL(results[0].receive_ns, 8384);
    set.iterations = 2; /* as far as two messages tell */
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[1].push_ns, 4000 + 1000 * 39 / 256);
    set.iterations = 1;
    CHECK_EQUAL(judge(), TAKT_ADMIT_UNDECIDED);
    set.iterations = 1000;
    channels[1].deadline_ns = 12000;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[1].promotion_ns, 0);
    CHECK_EQUAL(results[0].promotion_ns, 6500 * 137 / 256); /* as it delays nothing until then */
    channels[1].deadline_ns = 90000;
    channels[0].deadline_ns = 90000;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK(results[1].push_ns <= 10000 && results[0].push_ns <= 20000); /* never longer than a period */
}

/* Of a command that takes 1000 of its link and of the port, two are at the port at once if the second may be released
 * late enough before its nominal time: then 2000 wait there, and else as much less as the second one comes later. What
 * is pushed by time has no jitter, and a group waits for that of what is started. */
static void test_jitter(void)
{
    static const struct {
        uint64_t deadline_ns, jitter_ns;
    } rows[] = {{3000, 10000},
                {2999, UINT64_C(10000) * 230 / 256},
                {2500, UINT64_C(10000) * 217 / 256},
                {2000, UINT64_C(10000) * 204 / 256}};
    begin();
    set.jitter_shares = TAKT_ADMIT_SHARES;
    set.channel_count = 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        channels[0] = channel(TAKT_ADMIT_SYNCHRONOUS, lasts(1000), 10000, rows[i].deadline_ns);
        CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
        CHECK_EQUAL(results[0].jitter_ns, rows[i].jitter_ns);
        CHECK(results[0].bound_ns <= rows[i].deadline_ns);
    }
    channels[0].deadline_ns = 1999;
    CHECK_EQUAL(judge(), TAKT_ADMIT_REFUSED);
    CHECK_EQUAL(results[0].jitter_ns, 0);
    channels[0].deadline_ns = 5000;
    channels[0].group = 3;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[0].pause_ns, 20000);
    channels[0].push = TAKT_ADMIT_ASYNCHRONOUS;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[0].jitter_ns, 0);
    CHECK_EQUAL(results[0].pause_ns, 10000);
    channels[0].deadline_ns = 0;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[0].jitter_ns, 10000);
    set.jitter_shares = TAKT_ADMIT_SHARES + 1;
    CHECK_EQUAL(judge(), TAKT_ADMIT_INVALID);
}

/* Links that fill a port together: more is left while two of them bring something, as much while one does. */
static void test_links(void)
{
    begin();
    for (uint16_t i = 0; i < 3; i++) {
        channels[i] = channel(TAKT_ADMIT_ASYNCHRONOUS, lasts(5000 - 1000u * i), 100000, 50000);
        channels[i].writer = i == 0 ? 0 : (uint16_t)(i + 1);
    }
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[0].receive_ns, 4000 + 4000 + 3000 - 2000); /* after 2000, when the second is through */
    CHECK_EQUAL(results[1].receive_ns, 9000);
    channels[2].writer = 2; /* two by one link: 5000 are through after 3000, and then it is one */
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[2].receive_ns, 5000 + 3000 + 2000 - 3000);
    nodes[2].propagation_ns = 700; /* so much more is ahead on the one */
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[2].receive_ns, 7700);
    nodes[1].receive_message_ns = 10; /* of one message, and of two */
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[2].receive_ns, 7700 + 30 + 10);
    channels[2].writer = 0; /* they are sorted by writer, wherever they are declared */
    nodes[1].receive_message_ns = 0;
    nodes[2].propagation_ns = 0;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[2].receive_ns, 4000 + 2000 + 2000 - 2000);
}

/* A command beside a megabyte that comes by the same link waits for two packets of it; by another link as well. */
static void test_beside_a_long_message(void)
{
    for (uint16_t writer = 0; writer <= 2; writer += 2) {
        begin();
        channels[0] = channel(TAKT_ADMIT_SYNCHRONOUS, 854 * 1200, 20000000, 0);
        channels[0].writer = writer;
        channels[1].deadline_ns = 4000;
        channels[1].period_ns = 5000000; /* another one comes when two such messages are through */
        set.channel_count = 2;
        CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
        CHECK_EQUAL(results[1].response_ns, writer == 0 ? 2000 : 1000);
        CHECK_EQUAL(results[1].receive_ns, writer == 0 ? 2000 : 3000);
    }
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
    begin(); /* candidates of two nodes come by no one link; what else one of these sends comes by its own */
    channels[0] = channel(TAKT_ADMIT_ASYNCHRONOUS, lasts(2500), 100000, 50000);
    channels[1] = channels[2] = channels[3] = channels[0];
    channels[1].group = channels[2].group = 7;
    channels[1].size = channels[2].size = lasts(5000);
    channels[2].writer = 2;
    set.channel_count = 4;
    CHECK_EQUAL(judge(), TAKT_ADMIT_OK);
    CHECK_EQUAL(results[3].receive_ns, 5000 + 2000);
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
    CHECK_EQUAL(results[1].receive_ns, 2000 + 50 + 6 * 146 + 10); /* 50: as the network may hold back */
    set.control_ns = 876;                                         /* all the time there is */
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

int main(void)
{
    test_part_of_the_time();
    test_jitter();
    test_links();
    test_beside_a_long_message();
    test_groups();
    test_control();
    return 0;
}
