/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases that call the port, or the inside of the kernel, as tasks of the kernel's mode can: no process does, so a
 * protected system has none of them. That what they look at holds there too shows in what the other cases see.
 */
#include "conformance.h"
#include "kernel/core/kernel.h"

bool port_was_open(void)
{
    uint32_t state = takt_port_lock();
    takt_port_unlock(state);
    return state == 0;
}

/* The lock is worth what it returned: closing it twice and opening it once leaves it closed. */
void case_lock_by_value(void)
{
    uint32_t open = takt_port_lock();
    uint32_t closed = takt_port_lock();
    CHECK(open != closed);
    takt_port_unlock(closed);
    uint32_t still_closed = takt_port_lock();
    CHECK_EQUAL(still_closed, closed);
    takt_port_unlock(open);
    uint32_t open_again = takt_port_lock();
    CHECK_EQUAL(open_again, open);
    takt_port_unlock(open_again);
}

/* The lock delays what may call the kernel, to the unlock and no longer, and nothing else. */
void case_lock_masks(void)
{
    if (seen.is_virtual) {
        return; /* no time passes while it is locked */
    }
    uint32_t state = takt_port_lock();
    unsigned wakes_before = seen.wakes;
    unsigned frees_before = seen.frees;
    takt_work(4 * WAKE_PERIOD_NS);
    unsigned wakes_locked = seen.wakes - wakes_before;
    unsigned frees_locked = seen.frees - frees_before;
    takt_port_unlock(state);
    takt_work(SLACK_NS);
    CHECK_EQUAL(wakes_locked, 0);
    CHECK_WITHIN(frees_locked, seen.masked ? 0 : 4, seen.masked ? 0 : 7);
    CHECK(seen.wakes > wakes_before);
}

/* An interrupt that wakes the processor is taken at the unlock, not before. */
void case_idle_returns_locked(void)
{
    unsigned before = seen.wakes;
    for (unsigned i = 0; i < 60; i++) {
        uint32_t state = takt_port_lock();
        unsigned wakes_locked = seen.wakes;
        takt_port_idle(TAKT_FOREVER);
        CHECK_EQUAL(seen.wakes, wakes_locked);
        takt_port_unlock(state);
        takt_work(i * INSTRUCTION_NS);
    }
    CHECK(seen.wakes > before);
}

/* Long after the clock has wrapped: what passed at 0 still interrupts at once. */
void case_timer_long_past(void)
{
    CHECK(takt_now() > TAKT_S(200));
    uint32_t state = takt_port_lock();
    uint64_t before_ns = takt_port_now_ns();
    CHECK(!takt_port_timer_set(0));
    takt_port_idle(0);
    uint64_t slept_ns = takt_port_now_ns() - before_ns;
    takti_timers_program();
    takt_port_unlock(state);
    CHECK_WITHIN(slept_ns, 0, SLACK_NS);
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

/* Armed and cancelled in any order, they come in the order of expiry: wherever the port moves the kernel's queue. */
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

static volatile bool helper_in_task;

static void context_helper(void *argument)
{
    (void)argument;
    helper_in_task = !takt_port_in_interrupt();
}

/* takt_port_in_interrupt is false in tasks, also after a switch that an interrupt asked for, and true in handlers. */
void case_context_kind(void)
{
    CHECK(!takt_port_in_interrupt());
    helper_in_task = false;
    helper_start(0, context_helper, LEVEL_HIGH);
    CHECK(helper_in_task);
    unsigned before = seen.frees;
    takt_work(2 * FREE_PERIOD_NS);
    CHECK(seen.frees > before);
    CHECK_EQUAL(seen.confused, 0);
    CHECK(!takt_port_in_interrupt());
}
