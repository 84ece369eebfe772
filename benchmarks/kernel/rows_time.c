/* SPDX-License-Identifier: Apache-2.0 */
/* Delays: going to sleep, and what the interrupt does that ends them. */
#include "harness.h"

/*
 * Sleepers below the runner, whose expiry comes with the next interrupt of the timer: from there until the runner goes
 * on, they are made ready.
 */
static volatile uint64_t due;
static unsigned sleepers;

static void sleeper(void *argument)
{
    (void)argument;
    for (;;) {
        thread_sleep_until(due);
        effects++;
    }
}

static void returner(void *argument)
{
    (void)argument;
    for (;;) {
        thread_resume(&runner);
    }
}

static void due_setup(unsigned count)
{
    sleepers = count;
    due = expiry_ahead(count);
    for (unsigned i = 0; i < count; i++) {
        thread_take(sleeper, LEVEL_BELOW);
    }
    thread_take(returner, LEVEL_RETURN);
}

#define DUE_SETUP(count)                  \
    static void due_##count##_setup(void) \
    {                                     \
        due_setup(count);                 \
    }
DUE_SETUP(0)
DUE_SETUP(1)
DUE_SETUP(8)
DUE_SETUP(32)
DUE_SETUP(64)

static void due_once(void)
{
    due = expiry_ahead(sleepers);
    thread_suspend_self(&runner);
    expiry_await(due, due);
    stamp_begin(0);
    expiry_pass();
    stamp_end(1);
}

/*
 * A delay, until the lower one goes on. The others sleep, each until an expiry of its own; the delay ends where that
 * is most expensive for this kernel: of all positions among them. Or before them: then the hardware's timer is armed
 * anew.
 */
static struct thread delayer;

static void delayer_entry(void *argument)
{
    (void)argument;
    thread_suspend_self(&delayer);
    effects++;
    stamp_begin(0);
    thread_sleep_until(due);
}

static void sleep_long(void *argument)
{
    (void)argument;
    thread_sleep_until(due);
}

static void delay_once(void)
{
    thread_create(&delayer, delayer_entry, LEVEL_ABOVE);
    thread_resume(&delayer);
    stamp_end(1);
    thread_delete(&delayer);
}

static void delay_setup(void)
{
    uint64_t first = expiry_far(0);
    uint64_t worst = first - 1u;
    uint32_t most = 0;
    for (unsigned i = 0; i < others; i++) {
        due = first + 2u * i;
        thread_take(sleep_long, LEVEL_ABOVE);
    }
    for (unsigned i = 0; i <= others; i++) {
        due = first + 2u * i - 1u;
        delay_once();
        uint32_t count = stamp_difference(stamps[0], stamps[1]);
        if (count > most) {
            most = count;
            worst = due;
        }
    }
    due = worst;
}

static void rearm_setup(void)
{
    delay_setup();
    due = expiry_first();
}

static const struct row due_rows[] = {
    {"due_none", due_0_setup, due_once, 0, 0, 1, false, 0},  {"due_1", due_1_setup, due_once, 1, 0, 1, false, 0},
    {"due_8", due_8_setup, due_once, 8, 0, 1, false, 9},     {"due_32", due_32_setup, due_once, 32, 0, 1, false, 33},
    {"due_64", due_64_setup, due_once, 64, 0, 1, false, 65},
};

static const struct row delay_rows[] = {
    {"delay_insert", delay_setup, delay_once, 1, 0, 1, false, OTHERS_MORE},
    {"rearm", rearm_setup, delay_once, 1, 0, 1, false, OTHERS_MORE},
};

void time_rows_measure(void)
{
    if (holds_interrupts()) {
        harness_measure(due_rows, sizeof due_rows / sizeof due_rows[0]);
    }
    harness_measure(delay_rows, sizeof delay_rows / sizeof delay_rows[0]);
}
