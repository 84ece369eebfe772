/* SPDX-License-Identifier: Apache-2.0 */
/* Event flags: what satisfies whom, what is cleared and when, every status, misuse. */
#include "kernel/test/support/misuse.h"

static struct takt_events events;
TAKT_EVENTS_DEFINE(defined, 2);
static char order[16]; /* in which waits ended */

static void end(const void *name)
{
    strcat(order, name);
}

static uint32_t got(uint32_t flags, uint32_t mode)
{
    struct takt_events_wanted wanted = {flags, mode};
    CHECK(takt_events_wait(&events, &wanted) == TAKT_OK);
    return wanted.flags;
}

static enum takt_status tried(uint32_t flags, uint32_t mode, uint32_t *got_flags)
{
    struct takt_events_wanted wanted = {flags, mode};
    enum takt_status status = takt_events_try_wait(&events, &wanted);
    *got_flags = wanted.flags;
    return status;
}

/* What is there needs no waiting. */
static void take_what_is_there(void *argument)
{
    uint32_t flags;
    (void)argument;
    takt_events_set(&events, 0x80000016u);
    CHECK(takt_events_get(&events) == 0x80000016u);
    CHECK(got(0x13, 0) == 0x12);
    CHECK(got(0x12, TAKT_EVENTS_ALL) == 0x12);
    CHECK(got(0x13, TAKT_EVENTS_ONE) == 0x2);
    CHECK(tried(0x13, TAKT_EVENTS_ALL, &flags) == TAKT_BUSY && flags == 0x13);
    CHECK(tried(0x9, TAKT_EVENTS_ONE, &flags) == TAKT_BUSY && flags == 0x9);
    CHECK(takt_events_get(&events) == 0x80000016u);
    CHECK(got(0x14, TAKT_EVENTS_ONE | TAKT_EVENTS_CLEAR) == 0x4);
    CHECK(takt_events_get(&events) == 0x80000012u);
    CHECK(got(0x80000001u, TAKT_EVENTS_CLEAR) == 0x80000000u);
    takt_events_clear(&events, 0x3);
    CHECK(takt_events_get(&events) == 0x10);
    CHECK(tried(0x10, TAKT_EVENTS_ALL | TAKT_EVENTS_CLEAR, &flags) == TAKT_OK && flags == 0x10);
    struct takt_events_wanted wanted = {0x20, TAKT_EVENTS_CLEAR};
    CHECK(takt_events_wait_until(&events, &wanted, TAKT_MS(5)) == TAKT_TIMEOUT && wanted.flags == 0x20);
    CHECK(scenario_now() == 5);
    takt_events_set(&defined, 1);
    CHECK(takt_events_get(&defined) == 1 && takt_events_get(&events) == 0);
    end("a");
}

static void no_wait(void)
{
    scenario_new();
    takt_events_init(&events, 1);
    order[0] = '\0';
    (void)scenario_task("a", 1, take_what_is_there);
    scenario_run(10);
    CHECK_TEXT(order, "a");
}

static void all_clear(void *argument)
{
    CHECK(got(0x3, TAKT_EVENTS_ALL | TAKT_EVENTS_CLEAR) == 0x3);
    CHECK(takt_events_get(&events) == 0x14);
    end(argument);
}

static void any(void *argument)
{
    CHECK(got(0x7, 0) == 0x5);
    end(argument);
    CHECK(got(0x8, 0) == 0x8);
    end(argument);
}

static void one_clear(void *argument)
{
    CHECK(got(0x6, TAKT_EVENTS_ONE | TAKT_EVENTS_CLEAR) == 0x4);
    end(argument);
}

static void set_step_by_step(void *argument)
{
    (void)argument;
    takt_events_set(&events, 0x10);
    CHECK_TEXT(order, "");
    takt_events_set(&events, 0x5); /* b and c see 4, which c clears; a waits on */
    CHECK_TEXT(order, "bc");
    CHECK(takt_events_get(&events) == 0x11);
    takt_events_set(&events, 0x6);
    CHECK_TEXT(order, "bca");
    CHECK(takt_events_get(&events) == 0x14);
    takt_events_set(&events, 0x8);
    CHECK_TEXT(order, "bcab");
    CHECK(takt_events_get(&events) == 0x1C);
}

/* All that a set satisfies see the same flags; what is cleared is cleared after them. */
static void waiters(void)
{
    scenario_new();
    takt_events_init(&events, 1);
    order[0] = '\0';
    (void)scenario_named("s", 5, set_step_by_step);
    (void)scenario_named("c", 3, one_clear);
    (void)scenario_named("b", 2, any);
    (void)scenario_named("a", 1, all_clear);
    scenario_run(10);
    CHECK_TEXT(order, "bcab");
}

static void one_of_two_clears(void *argument)
{
    CHECK(got(0x3, TAKT_EVENTS_CLEAR) == 0x1);
    end(argument);
    struct takt_events_wanted wanted = {0x1, 0};
    CHECK(takt_events_wait_until(&events, &wanted, TAKT_MS(20)) == TAKT_OK && wanted.flags == 0x1);
    end(argument);
}

static void waits_for_deletion(void *argument)
{
    struct takt_events_wanted wanted = {0x3, TAKT_EVENTS_ALL};
    CHECK(takt_events_wait(&events, &wanted) == TAKT_DELETED && wanted.flags == 0x3);
    end(argument);
}

static void set_and_delete(void *argument)
{
    (void)argument;
    takt_events_set(&events, 0x1);
    CHECK(takt_events_get(&events) == 0);
    CHECK_TEXT(order, "a");
    scenario_sleep_to(2);
    takt_events_set(&events, 0x1);
    CHECK_TEXT(order, "aa");
    takt_events_delete(&events);
    CHECK_TEXT(order, "aab");
}

/* A set for one waiter among two; a timed waiter that gets what it wants; deletion. */
static void ends(void)
{
    scenario_new();
    takt_events_init(&events, 1);
    order[0] = '\0';
    (void)scenario_named("s", 5, set_and_delete);
    (void)scenario_named("b", 3, waits_for_deletion);
    (void)scenario_named("a", 1, one_of_two_clears);
    scenario_run(10);
    CHECK_TEXT(order, "aab");
}

static void call_wait(void)
{
    (void)got(1, 0);
}

static void call_wait_for_nothing(void)
{
    (void)got(0, 0);
}

static void call_wait_for_all_and_one(void)
{
    (void)got(1, TAKT_EVENTS_ALL | TAKT_EVENTS_ONE);
}

static void call_wait_until(void)
{
    struct takt_events_wanted wanted = {1, 0};
    CHECK(takt_events_wait_until(&events, &wanted, 0) == TAKT_TIMEOUT);
}

static void call_try(void)
{
    uint32_t flags;
    CHECK(tried(1, 0, &flags) == TAKT_BUSY);
}

static void call_set(void)
{
    takt_events_set(&events, 1);
}

static void call_clear(void)
{
    takt_events_clear(&events, 1);
}

static void call_delete(void)
{
    takt_events_delete(&events);
}

#define EVENTS_FILE "kernel/sync/events.c"
static const struct misuse misuses[] = {
    {call_wait, INTERRUPT, EVENTS_FILE, BANDS},
    {call_wait, IDLE, "kernel/core/kernel.h", BANDS},
    {call_wait, INIT, "kernel/core/kernel.h", BANDS},
    {call_wait_for_nothing, TASK, EVENTS_FILE, BANDS},
    {call_wait_for_all_and_one, TASK, EVENTS_FILE, BANDS},
    {call_wait_until, INTERRUPT, EVENTS_FILE, BANDS},
    {call_try, FREE_INTERRUPT, EVENTS_FILE, BANDS},
    {call_set, FREE_INTERRUPT, EVENTS_FILE, BANDS},
    {call_clear, FREE_INTERRUPT, EVENTS_FILE, BANDS},
    {call_delete, INTERRUPT, EVENTS_FILE, BANDS},
};

static void prepare(const struct misuse *next)
{
    (void)next;
    takt_events_init(&events, 1);
}

int main(void)
{
    no_wait();
    waiters();
    ends();
    return TAKT_ASSERTIONS ? misuse_run(misuses, sizeof misuses / sizeof *misuses, prepare) : 0;
}
