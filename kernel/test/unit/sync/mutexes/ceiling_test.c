/* SPDX-License-Identifier: Apache-2.0 */
/* Mutexes with immediate ceiling: the running task while one is owned, every status, several at once, stops, misuse. */
#include "kernel/core/kernel.h"
#include "kernel/test/support/misuse.h"
#include "takt/ceiling.h"

enum { TOP = 3, MIDDLE = 5, LOW = 7 };

static struct takt_ceiling ceiling;
static struct takt_ceiling second;
TAKT_CEILING_DEFINE(defined, 9, TOP, 0);
static char order[32];

static void note(const void *what)
{
    strcat(order, what);
}

static void new_scenario(void)
{
    scenario_new();
    takt_ceiling_init(&ceiling, 1, TOP, 0);
    takt_ceiling_init(&second, 2, MIDDLE, 0);
    order[0] = '\0';
}

static void lock(struct takt_ceiling *which)
{
    CHECK(takt_ceiling_lock(which) == TAKT_OK);
}

/* The last record: the priority that was lent is no task's. */
static void check_lender(void)
{
#if TAKT_TRACE
    const struct takti_trace *trace = takti_kernel.trace;
    const struct takt_trace_record *record = trace->next - 1;
    CHECK_EQUAL(record->event, TAKT_EVENT_KEY);
    CHECK_EQUAL(record->object, TAKT_TRACE_IDLE);
#endif
}

static void own_from_0_to_3(void *argument)
{
    lock(&ceiling);
    check_lender();
    scenario_work(3);
    note(argument);
    takt_ceiling_unlock(&ceiling);
    note(argument);
}

static void work_at_1(void *argument)
{
    scenario_sleep_to(1);
    note(argument);
}

static void lock_at_2(void *argument)
{
    scenario_sleep_to(2);
    lock(&ceiling);
    note(argument);
    takt_ceiling_unlock(&ceiling);
}

/* Its owner runs before all users, and before all in between; a better one than they are preempts it. */
static void ceiling_is_immediate(void)
{
    new_scenario();
    (void)scenario_named("l", LOW, own_from_0_to_3);
    (void)scenario_named("m", MIDDLE, work_at_1);
    (void)scenario_named("t", TOP, lock_at_2);
    (void)scenario_named("b", TOP - 1, work_at_1);
    scenario_run(10);
    CHECK_TEXT(order, "bltml");
    CHECK(!TAKT_TRACE || strcmp(scenario_events(TAKT_EVENT_BLOCK, 0), "b0 t0 m0") == 0); /* nobody waits for it */
}

/* Two at once, given back in either order: the better ceiling lasts as long as its mutex is owned. */
static void own_both(void *argument)
{
    lock(&second);
    lock(&ceiling);
    scenario_work(2);
    takt_ceiling_unlock(*(const char *)argument == 'l' ? &ceiling : &second);
    note(argument);
    takt_ceiling_unlock(*(const char *)argument == 'l' ? &second : &ceiling);
    note(argument);
}

static void two_at_once(void)
{
    new_scenario();
    (void)scenario_named("l", LOW, own_both);
    (void)scenario_named("m", MIDDLE, work_at_1);
    (void)scenario_named("t", TOP, work_at_1);
    scenario_run(10);
    CHECK_TEXT(order, "tlml");
    new_scenario();
    (void)scenario_named("k", LOW, own_both);
    (void)scenario_named("m", MIDDLE, work_at_1);
    (void)scenario_named("t", TOP, work_at_1);
    scenario_run(10);
    CHECK_TEXT(order, "ktmk");
}

/* An owner that sleeps: then others wait, and it inherits nothing that it has not already. */
static void own_and_sleep(void *argument)
{
    lock(&ceiling);
    scenario_sleep_to(4);
    note(argument);
    takt_ceiling_unlock(&ceiling);
    note(argument);
}

static void busy_then_late(void *argument)
{
    scenario_sleep_to(1);
    CHECK(takt_ceiling_try_lock(&ceiling) == TAKT_BUSY);
    CHECK(takt_ceiling_lock_until(&ceiling, TAKT_MS(2)) == TAKT_TIMEOUT);
    note(argument);
    CHECK(takt_ceiling_lock_until(&ceiling, TAKT_MS(9)) == TAKT_OK);
    note(argument);
    takt_ceiling_unlock(&ceiling);
    CHECK(takt_ceiling_try_lock(&ceiling) == TAKT_OK);
    takt_ceiling_unlock(&ceiling);
}

/* It gets the mutex, and with it the ceiling, from another's unlock. */
static void get_ceiling(void *argument)
{
    scenario_sleep_to(1);
    lock(&ceiling);
    scenario_work(2);
    note(argument);
    takt_ceiling_unlock(&ceiling);
    note(argument);
}

static void work_at_5(void *argument)
{
    scenario_sleep_to(5);
    note(argument);
}

static void waiters(void)
{
    new_scenario();
    (void)scenario_named("l", LOW, own_and_sleep);
    (void)scenario_named("t", TOP, busy_then_late);
    scenario_run(10);
    CHECK_TEXT(order, "tltl");
    new_scenario();
    (void)scenario_named("k", LOW, own_and_sleep);
    (void)scenario_named("l", LOW - 1, get_ceiling);
    (void)scenario_named("m", MIDDLE, work_at_5);
    scenario_run(10);
    CHECK_TEXT(order, "klmlk");
}

static void wait_for_deletion(void *argument)
{
    scenario_sleep_to(1);
    CHECK(takt_ceiling_lock(&ceiling) == TAKT_DELETED);
    note(argument);
}

static void own_and_delete(void *argument)
{
    lock(&ceiling);
    scenario_sleep_to(2);
    takt_ceiling_delete(&ceiling); /* the ceiling is no longer its key */
    note(argument);
    takt_ceiling_delete(&ceiling); /* nobody owns it */
}

static void stop_l(void *argument)
{
    scenario_sleep_to(2);
    takt_task_stop(scenario_find("l"));
    CHECK(!takt_task_stopped(scenario_find("l")));
    scenario_sleep_to(5);
    CHECK(takt_task_stopped(scenario_find("l")));
    note(argument);
}

static void deletion_and_stops(void)
{
    new_scenario();
    (void)scenario_named("l", LOW, own_and_delete);
    (void)scenario_named("t", TOP, wait_for_deletion);
    scenario_run(10);
    CHECK_TEXT(order, "tl");
    new_scenario();
    (void)scenario_named("l", LOW, own_from_0_to_3); /* stopped at its unlock */
    (void)scenario_named("t", TOP - 1, stop_l);
    scenario_run(10);
    CHECK_TEXT(order, "lt");
}

/* In an edf level: a floor of the deadline, from the lock on. */
#if TAKT_EDF
static void lock_and_work(void *argument)
{
    scenario_sleep_to(2);
    lock(&ceiling); /* the floor: 2 + 10 */
    scenario_work(3);
    note(argument);
    takt_ceiling_unlock(&ceiling);
    scenario_work(1);
    note(argument);
}

static void short_job(void *argument)
{
    scenario_work(1);
    note(argument);
}

static void deadline_floor(void)
{
    new_scenario();
    scenario_edf(TOP);
    takt_ceiling_init(&ceiling, 1, TOP, TAKT_MS(10));
    struct takt_task_config *config = scenario_periodic("l", TOP, lock_and_work, 100);
    config->argument = (void *)(uintptr_t) "l";
    config = scenario_periodic("d", TOP, short_job, 50); /* released at 3, due at 13: after the floor */
    config->argument = (void *)(uintptr_t) "d";
    config->offset_ns = TAKT_MS(3);
    config->deadline_ns = TAKT_MS(10);
    config = scenario_periodic("c", TOP, short_job, 50); /* released at 4, due at 11 */
    config->argument = (void *)(uintptr_t) "c";
    config->offset_ns = TAKT_MS(4);
    config->deadline_ns = TAKT_MS(7);
    scenario_run(20);
    CHECK_TEXT(order, "cldl");
}
#endif

static void lock_all(void *argument)
{
    for (unsigned times = 0; times < 2; times++) {
        lock(&ceiling);
        CHECK(takt_ceiling_try_lock(&second) == TAKT_OK && takt_ceiling_lock_until(&defined, 0) == TAKT_OK);
        scenario_work(2);
        takt_ceiling_unlock(&ceiling);
        takt_ceiling_delete(&second);
        takt_ceiling_unlock(&defined);
    }
    note(argument);
}

/* In a cooperative system nobody comes between, and nobody's key changes. */
static void cooperative(void)
{
    new_scenario();
    takt_ceiling_init(&second, 2, TOP, 0);
    (void)scenario_named("l", LOW, lock_all);
    scenario_periodic("t", TOP, lock_all, 100)->offset_ns = TAKT_MS(1);
    scenario.configs[1].argument = (void *)(uintptr_t) "t";
    scenario_run(20);
    CHECK_TEXT(order, "lt");
    CHECK_TEXT(scenario_runs(), "l0 t4 -8");
    CHECK_TEXT(scenario_events(TAKT_EVENT_KEY, 0), "");
    CHECK_TEXT(scenario_events(TAKT_EVENT_UNLOCK, 0), "l2 l2 l2 l4 l4 l4 t6 t6 t6 t8 t8 t8");
}

static uint64_t floor_ns;

static void lock_with_floor(void *argument)
{
    (void)argument;
    takt_ceiling_init(&ceiling, 1, TOP, floor_ns);
    lock(&ceiling);
    takt_ceiling_unlock(&ceiling);
}

/* The floor is at most the deadline of a user in the ceiling's level. */
static void user_with_deadline_of_6(void)
{
    scenario_edf(TOP);
    (void)scenario_periodic("s", TOP, lock_with_floor, 6);
}

static void deadline_as_short(void)
{
    new_scenario();
    floor_ns = TAKT_MS(6);
    user_with_deadline_of_6();
    scenario_run(8);
    CHECK_EQUAL(scenario_figure("s", TAKT_EVENT_STAT_JOBS), 2);
}

static void call_with_shorter_deadline(void)
{
    floor_ns = TAKT_MS(6) + 1;
    user_with_deadline_of_6();
}

static void call_lock(void)
{
    (void)!takt_ceiling_lock(&defined);
}

static void call_try_lock(void)
{
    (void)!takt_ceiling_try_lock(&defined);
}

static void call_unlock(void)
{
    takt_ceiling_unlock(&defined);
}

static void call_delete(void)
{
    takt_ceiling_delete(&defined);
}

static void call_lock_twice(void)
{
    (void)!takt_ceiling_lock(&second);
    (void)!takt_ceiling_lock(&second);
}

static void call_better_than_ceiling(void)
{
    (void)!takt_ceiling_lock(&ceiling);
}

#define CEILING_FILE "kernel/sync/ceiling.c"
static const struct misuse misuses[] = {
    {call_lock, INTERRUPT, CEILING_FILE, BANDS},
    {call_lock, IDLE, CEILING_FILE, BANDS},
    {call_try_lock, INTERRUPT, CEILING_FILE, BANDS},
    {call_unlock, TASK, CEILING_FILE, BANDS}, /* not its owner */
    {call_unlock, INTERRUPT, CEILING_FILE, BANDS},
    {call_delete, INTERRUPT, CEILING_FILE, BANDS},
    {call_lock_twice, TASK, CEILING_FILE, BANDS},
    {call_better_than_ceiling, TASK, CEILING_FILE, BANDS},
    {call_with_shorter_deadline, CONFIGURED, CEILING_FILE, BANDS},
};

static void prepare(const struct misuse *next)
{
    (void)next;
    takt_ceiling_init(&defined, 9, 0, 0);
    takt_ceiling_init(&second, 2, 0, 0);
    takt_ceiling_init(&ceiling, 1, TOP, 0); /* the misuser is at level 1 */
}

int main(void)
{
    if (TAKT_COOPERATIVE) {
        cooperative();
        return 0;
    }
    ceiling_is_immediate();
    two_at_once();
    waiters();
    deletion_and_stops();
#if TAKT_EDF
    deadline_floor();
#endif
    if (TAKT_EDF) {
        deadline_as_short();
    }
    return TAKT_ASSERTIONS && TAKT_EDF ? misuse_run(misuses, sizeof misuses / sizeof *misuses, prepare) : 0;
}
