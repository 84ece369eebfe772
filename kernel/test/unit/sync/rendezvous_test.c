/* SPDX-License-Identifier: Apache-2.0 */
/* Rendezvous: pairs of callers and acceptors, what the acceptor inherits, timeouts, stops, deletion, misuse. */
#include "kernel/test/support/misuse.h"

static struct takt_rendezvous rendezvous;
TAKT_RENDEZVOUS_DEFINE(defined, 9);
static char order[16]; /* in which things ended */

static void end(const void *name)
{
    strcat(order, name);
}

static void new_scenario(void)
{
    scenario_new();
    takt_rendezvous_init(&rendezvous, 1);
    order[0] = '\0';
}

static void call(void *argument)
{
    uint32_t value = 5;
    CHECK(takt_rendezvous_call(&rendezvous, &value, sizeof value) == TAKT_OK);
    CHECK(value == 15);
    end(argument);
}

static void call_at_1(void *argument)
{
    scenario_sleep_to(1);
    call(argument);
}

/* Accepts one and works; what is served is multiplied by 3. */
static void accept_and_work(const void *name)
{
    struct takt_rendezvous_accepted accepted;
    CHECK(takt_rendezvous_accept(&rendezvous, &accepted) == TAKT_OK);
    CHECK(accepted.size == sizeof(uint32_t) && *(uint32_t *)accepted.data == 5);
    scenario_work(2);
    *(uint32_t *)accepted.data *= 3;
    end(name);
    takt_rendezvous_complete(&accepted);
}

static void accept_two(void *argument)
{
    accept_and_work(argument);
    accept_and_work(argument);
}

static void work_at_1(void *argument)
{
    scenario_sleep_to(1);
    end(argument);
}

/* The acceptor serves with the caller's key, whether it waited for the call or the call for it: m comes between two. */
static void inherits(void)
{
    new_scenario();
    (void)scenario_named("s", 5, accept_two);
    (void)scenario_named("m", 4, work_at_1);
    (void)scenario_named("b", 3, call);
    (void)scenario_named("a", 2, call);
    scenario_run(10);
    CHECK_TEXT(order, "samsb");
    new_scenario();
    (void)scenario_named("s", 5, accept_two);
    (void)scenario_named("m", 4, work_at_1);
    (void)scenario_named("b", 3, call_at_1);
    (void)scenario_named("a", 2, call_at_1);
    scenario_run(10);
    CHECK_TEXT(order, "samsb");
}

static void try_and_time_out(void *argument)
{
    struct takt_rendezvous_accepted accepted = {.size = 77};
    CHECK(takt_rendezvous_try_accept(&rendezvous, &accepted) == TAKT_BUSY && accepted.size == 77);
    CHECK(takt_rendezvous_try_accept(&defined, &accepted) == TAKT_BUSY);
    CHECK(takt_rendezvous_accept_until(&rendezvous, &accepted, TAKT_MS(2)) == TAKT_TIMEOUT && accepted.size == 77);
    CHECK(scenario_now() == 2);
    CHECK(takt_rendezvous_call_until(&rendezvous, &accepted, 1, TAKT_MS(3)) == TAKT_TIMEOUT);
    CHECK(scenario_now() == 3);
    scenario_sleep_to(5);
    CHECK(takt_rendezvous_try_accept(&rendezvous, &accepted) == TAKT_OK && accepted.size == 4);
    scenario_sleep_to(8); /* b's limit was for the acceptance only */
    *(uint32_t *)accepted.data *= 3;
    takt_rendezvous_complete(&accepted);
    end(argument);
}

static void call_until_6(void *argument)
{
    uint32_t value = 5;
    scenario_sleep_to(4);
    CHECK(takt_rendezvous_call_until(&rendezvous, &value, sizeof value, TAKT_MS(6)) == TAKT_OK && value == 15);
    CHECK(scenario_now() == 8);
    end(argument);
}

static void timeouts(void)
{
    new_scenario();
    (void)scenario_named("a", 2, try_and_time_out);
    (void)scenario_named("b", 3, call_until_6);
    scenario_run(20);
    CHECK_TEXT(order, "ab");
}

static void stop_both(void *argument)
{
    scenario_sleep_to(3);
    takt_task_stop(scenario_find("c")); /* the caller: s falls back below m */
    takt_task_stop(scenario_find("s")); /* it serves, and is stopped when it has completed */
    CHECK(takt_task_stopped(scenario_find("c")) && !takt_task_stopped(scenario_find("s")));
    end(argument);
}

static void serve_slow_path(void *argument)
{
    struct takt_rendezvous_accepted accepted;
    CHECK(takt_rendezvous_accept(&rendezvous, &accepted) == TAKT_OK);
    scenario_work(6);
    end(argument);
    takt_rendezvous_complete(&accepted);
    CHECK(0);
}

static void stops(void)
{
    new_scenario();
    (void)scenario_named("x", 1, stop_both);
    (void)scenario_named("c", 2, call_at_1);
    (void)scenario_named("m", 4, work_at_1);
    (void)scenario_named("s", 5, serve_slow_path);
    scenario_run(20);
    CHECK_TEXT(order, "xms");
    CHECK(takt_task_stopped(scenario_find("s")));
}

static void accept_deleted(void *argument)
{
    struct takt_rendezvous_accepted accepted;
    CHECK(takt_rendezvous_accept(&rendezvous, &accepted) == TAKT_DELETED);
    end(argument);
}

static void call_deleted(void *argument)
{
    scenario_sleep_to(2);
    CHECK(takt_rendezvous_call(&rendezvous, NULL, 0) == TAKT_DELETED);
    end(argument);
}

static void delete_twice(void *argument)
{
    (void)argument;
    takt_rendezvous_delete(&rendezvous);
    CHECK_TEXT(order, "a");
    scenario_sleep_to(3);
    takt_rendezvous_delete(&rendezvous);
    CHECK_TEXT(order, "ac");
}

static void deletions(void)
{
    new_scenario();
    (void)scenario_named("d", 5, delete_twice);
    (void)scenario_named("c", 4, call_deleted);
    (void)scenario_named("a", 3, accept_deleted);
    scenario_run(10);
    CHECK_TEXT(order, "ac");
}

static struct takt_rendezvous_accepted unused;

static void do_call(void)
{
    (void)!takt_rendezvous_call(&rendezvous, NULL, 0);
}

static void do_accept(void)
{
    (void)!takt_rendezvous_accept(&rendezvous, &unused);
}

static void do_try_accept(void)
{
    (void)!takt_rendezvous_try_accept(&rendezvous, &unused);
}

static void do_complete(void)
{
    takt_rendezvous_complete(&unused);
}

static void do_delete(void)
{
    takt_rendezvous_delete(&rendezvous);
}

#define RENDEZVOUS_FILE "kernel/sync/rendezvous.c"
static const struct misuse misuses[] = {
    {do_call, INTERRUPT, RENDEZVOUS_FILE, BANDS},       {do_call, IDLE, "kernel/core/kernel.h", BANDS},
    {do_accept, INTERRUPT, RENDEZVOUS_FILE, BANDS},     {do_accept, INIT, "kernel/core/kernel.h", BANDS},
    {do_try_accept, INTERRUPT, RENDEZVOUS_FILE, BANDS}, {do_complete, TASK, RENDEZVOUS_FILE, BANDS},
    {do_complete, INTERRUPT, RENDEZVOUS_FILE, BANDS},   {do_delete, INTERRUPT, RENDEZVOUS_FILE, BANDS},
};

static void prepare(const struct misuse *next)
{
    (void)next;
    takt_rendezvous_init(&rendezvous, 1);
}

int main(void)
{
    inherits();
    timeouts();
    stops();
    deletions();
    return TAKT_ASSERTIONS ? misuse_run(misuses, sizeof misuses / sizeof *misuses, prepare) : 0;
}
