/* SPDX-License-Identifier: Apache-2.0 */
/* The clock, the one-shot, idle, work. */
#include "conformance.h"

void case_clock_monotonic(void)
{
    uint64_t last_ns = takt_now();
    for (unsigned i = 0; i < 2000; i++) {
        uint64_t now_ns = takt_now();
        CHECK(now_ns >= last_ns);
        CHECK(now_ns - last_ns < SLACK_NS);
        last_ns = now_ns;
        takt_work(i);
    }
}

/* Over everything that a 32-bit counter of up to 25 MHz can wrap: sleeping for long, and awake around the times of
 * wrapping. */
void case_clock_wraps(void)
{
    for (unsigned i = 0; i < 20; i++) {
        uint64_t until_ns = takt_now() + TAKT_S(9) + 7919u * i;
        takt_delay_until(until_ns);
        uint64_t woken_ns = takt_now();
        CHECK_WITHIN(woken_ns, until_ns, until_ns + SLACK_NS);
        takt_work(10000);
        CHECK_WITHIN(takt_now() - woken_ns, 9000, 10000 + SLACK_NS);
    }
    uint64_t until_ns = takt_now() + TAKT_S(100);
    takt_delay_until(until_ns);
    CHECK_WITHIN(takt_now(), until_ns, until_ns + SLACK_NS);
}

/* Never early, and late by the kernel's own time only; short and long, alone and behind another timer. */
void case_delay_exact(void)
{
    uint64_t duration_ns = 1;
    for (unsigned i = 0; i < 40; i++) {
        uint64_t until_ns = takt_now() + duration_ns;
        takt_delay_until(until_ns);
        CHECK_WITHIN(takt_now(), until_ns, until_ns + SLACK_NS);
        uint64_t before_ns = takt_now();
        takt_delay(duration_ns);
        CHECK_WITHIN(takt_now(), before_ns + duration_ns, before_ns + duration_ns + SLACK_NS);
        duration_ns += duration_ns * 3 / 5 + 1;
    }
}

/* An expiry that has passed interrupts at once: in idle, where nothing else would, and while a task runs. */
void case_timer_past(void)
{
    for (unsigned i = 0; i < 100; i++) {
        uint64_t before_ns = takt_now();
        takt_delay_until(0);
        takt_delay_until(before_ns);
        takt_delay_until(before_ns + i * INSTRUCTION_NS);
        CHECK_WITHIN(takt_now(), before_ns, before_ns + 3 * SLACK_NS);
    }
}

/* The interrupt falls on each instruction of going to sleep; a lost one would be seen as a late one. */
void case_idle_never_misses(void)
{
    for (unsigned step = 0; step < 1500; step++) {
        uint64_t until_ns = takt_now() + step * INSTRUCTION_NS;
        takt_delay_until(until_ns);
        CHECK_WITHIN(takt_now(), until_ns, until_ns + SLACK_NS);
    }
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Of some tries the shortest, less the shortest pair of stamps: interrupts lengthen the others. */
static uint64_t shortest_work(uint64_t duration_ns)
{
    uint64_t work_ns = UINT64_MAX;
    uint64_t stamps_ns = UINT64_MAX;
    for (unsigned i = 0; i < 8; i++) {
        uint64_t before_ns = takt_now();
        takt_work(duration_ns);
        uint64_t after_ns = takt_now();
        uint64_t stamped_ns = takt_now();
        work_ns = least(work_ns, after_ns - before_ns);
        stamps_ns = least(stamps_ns, stamped_ns - after_ns);
    }
    return work_ns - least(work_ns, stamps_ns);
}

/* Never over, and under by a few instructions, for every remainder of the loop; at most 31 cannot be had exactly. */
void case_work_exact(void)
{
    const uint64_t few_ns = 9 * INSTRUCTION_NS;
    for (uint64_t duration_ns = 31 * INSTRUCTION_NS; duration_ns < 64 * INSTRUCTION_NS; duration_ns += 29) {
        CHECK_WITHIN(shortest_work(duration_ns), duration_ns - few_ns, duration_ns);
    }
    CHECK_WITHIN(shortest_work(123456), 123456 - few_ns, UINT64_C(123456));
    CHECK_WITHIN(shortest_work(0), 0, 31 * INSTRUCTION_NS);
}

static volatile uint64_t preempting_ns;

static void busy(void *argument)
{
    (void)argument;
    for (;;) {
        takt_delay(TAKT_US(300));
        takt_work(TAKT_US(300));
        preempting_ns += TAKT_US(299); /* a little under what it takes */
    }
}

/* Preemption is not taken for execution. */
void case_work_preempted(void)
{
    preempting_ns = 0;
    helper_start(0, busy, LEVEL_HIGH);
    uint64_t before_ns = takt_now();
    takt_work(TAKT_MS(20));
    uint64_t elapsed_ns = takt_now() - before_ns;
    CHECK(preempting_ns > TAKT_MS(10));
    CHECK(elapsed_ns >= TAKT_MS(20) - 1000 + preempting_ns);
}
