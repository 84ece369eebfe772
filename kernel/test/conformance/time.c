/* SPDX-License-Identifier: Apache-2.0 */
/* The clock, the one-shot, idle, work. */
#include "conformance.h"
#include "kernel/src/timer.h"

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

/* Over everything that a 32-bit counter of up to 25 MHz can wrap: sleeping for long, and awake around the places. */
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
    uint32_t state = takt_port_lock(); /* what passed long ago still interrupts at once */
    uint64_t before_ns = takt_port_now_ns();
    CHECK(!takt_port_timer_set(0));
    takt_port_idle(0);
    uint64_t slept_ns = takt_port_now_ns() - before_ns;
    takti_timers_program();
    takt_port_unlock(state);
    CHECK_WITHIN(slept_ns, 0, SLACK_NS);
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

/* An instant that has passed interrupts at once: in idle, where nothing else would, and while a task runs. */
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

static uint64_t not_before_ns;

static void sleep_exactly(void *argument)
{
    (void)argument;
    takt_delay_until(not_before_ns);
    CHECK_WITHIN(takt_now(), not_before_ns, not_before_ns + SLACK_NS);
}

/* What was pending when the one-shot was armed for later does not reach the kernel: nothing is served early or lost. */
void case_timer_early(void)
{
    for (unsigned i = 0; i < 50; i++) {
        not_before_ns = takt_now() + (4000 + i) * INSTRUCTION_NS;
        helper_start(0, sleep_exactly, LEVEL_HIGH);
        uint32_t state = takt_port_lock();
        (void)takt_port_timer_set(takt_port_now_ns() + i * 5 * INSTRUCTION_NS);
        takt_work(i * 5 * INSTRUCTION_NS);
        takti_timers_program();
        takt_port_unlock(state);
        takt_work(500 * INSTRUCTION_NS);
        state = takt_port_lock();
        CHECK(!takt_port_timer_set(0));
        takti_timers_program();
        takt_port_unlock(state);
        CHECK(!helper_stopped(0));
        takt_delay_until(not_before_ns + SLACK_NS);
        CHECK(helper_stopped(0));
    }
}

/* Calls, each with a slot of its own; of whom some are cancelled. `slot`: the next that has not come. */
enum { CALLS = 29 };
static struct takti_call calls[CALLS];
static bool expected[CALLS];
static uint64_t slots_ns;
static unsigned slot;

static uint64_t slot_ns(unsigned which)
{
    return slots_ns + 2 * SLACK_NS * which;
}

static void next_slot(void)
{
    while (slot < CALLS && !expected[slot]) {
        slot++;
    }
}

static void called(struct takti_call *due)
{
    (void)due;
    CHECK_WITHIN(takt_now(), slot_ns(slot), slot_ns(slot) + SLACK_NS);
    slot++;
    next_slot();
}

/* Armed and cancelled in any order, they come in that of their instants: wherever the port moves the kernel's row. */
void case_timer_order(void)
{
    for (unsigned i = 0; i < CALLS - 1; i++) {
        slots_ns = takt_now() + CALLS * SLACK_NS;
        for (unsigned k = 0; k < CALLS; k++) { /* CALLS is a prime: every slot once */
            takti_call_at(&calls[k], slot_ns((k * (i + 1)) % CALLS), called);
        }
        for (unsigned k = 0; k < CALLS; k++) {
            uint32_t state = takt_port_lock();
            expected[(k * (i + 1)) % CALLS] = k % 3 != i % 3;
            if (k % 3 == i % 3) {
                takti_timer_cancel(&calls[k].timer);
            }
            takt_port_unlock(state);
        }
        slot = 0;
        next_slot();
        takt_delay_until(slot_ns(CALLS));
        CHECK_EQUAL(slot, CALLS);
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

/* The same for the port alone, where no switch comes to help: what was pending before it sleeps wakes it. */
void case_idle_wakes(void)
{
    for (unsigned step = 0; step < 200; step++) {
        uint32_t state = takt_port_lock();
        uint64_t before_ns = takt_port_now_ns();
        (void)takt_port_timer_set(before_ns + step * INSTRUCTION_NS);
        takt_port_idle(before_ns + step * INSTRUCTION_NS);
        uint64_t slept_ns = takt_port_now_ns() - before_ns;
        takti_timers_program();
        takt_port_unlock(state);
        CHECK_WITHIN(slept_ns, 0, SLACK_NS);
        takt_work(SLACK_NS);
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
