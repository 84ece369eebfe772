/* SPDX-License-Identifier: Apache-2.0 */
/* Timers of tasks: the order of equal expiries, what hooks and calls do while they are served; slices, yield. */
#include "kernel/test/support/scenario.h"

#include "kernel/core/kernel.h"
#include "kernel/port.h"
#include "ports/host/host.h"

static struct takt_semaphore semaphore;
static char order[64];

static void note(const char *what)
{
    CHECK(strlen(order) + strlen(what) < sizeof order);
    strcat(order, what);
}

static void work_long(void *argument)
{
    (void)argument;
    scenario_work(100);
}

static void sleep_to_5(void *argument)
{
    (void)argument;
    scenario_sleep_to(5);
    note("t");
}

static void job(void *argument)
{
    (void)argument;
    note("r");
}

static void hook(struct takt_task *task)
{
    note(task == scenario_find("d") ? "d" : "e");
}

static void called(struct takti_call *due)
{
    (void)due;
    note("c");
}

static struct takti_call call;

static void call_at_5(void)
{
    takti_call_at(&call, TAKT_MS(7), called);
    takti_call_at(&call, TAKT_MS(5), called); /* forgets 7 */
}

static void call_at_the_end(void)
{
    takti_call_at(&call, TAKT_FOREVER, called);
    CHECK(!takti_timer_armed(&call.timer));
    for (uint64_t before_ns = 1; before_ns <= UINT64_C(1) << 32; before_ns *= 2) {
        takti_call_at(&call, TAKT_FOREVER - before_ns, called);
        CHECK(takti_timer_armed(&call.timer) && takti_timers_first_ns() == TAKT_FOREVER - before_ns);
    }
    takti_timer_cancel(&call.timer);
    CHECK(!takti_timer_armed(&call.timer) && takti_timers_first_ns() == TAKT_FOREVER);
}

/* The last expiry never comes; those before it do. */
static void last_expiries(void)
{
    scenario_new();
    call = (struct takti_call){.function = NULL};
    scenario.before = call_at_the_end;
    scenario_run(1);
}

/* At 5, armed in this order: a release, a call, two deadlines, a timeout, the end of a slice. */
static void equal_expiries(void)
{
    scenario_new();
    order[0] = '\0';
    scenario.system.level_quanta_ns = scenario.quanta_ns;
    scenario.quanta_ns[2] = TAKT_MS(5);
    struct takt_task_config *release = scenario_periodic("r", 1, job, 50);
    release->offset_ns = TAKT_MS(5);
    (void)scenario_task("t", 1, sleep_to_5);
    (void)scenario_task("w", 2, work_long);
    (void)scenario_task("x", 2, work_long);
    for (unsigned position = 0; position < 2; position++) {
        struct takt_task_config *config = scenario_periodic(position == 0 ? "d" : "e", 3, work_long, 200);
        config->deadline_ns = TAKT_MS(5);
        scenario_on_miss(config, TAKT_MISS_NOTIFY);
        config->miss_hook = hook;
    }
    call = (struct takti_call){.function = NULL};
    scenario.before = call_at_5;
    scenario_run(12);
    CHECK_TEXT(order, "cdert");
    CHECK_TEXT(scenario_events(TAKT_EVENT_MISS, 0), "d5 e5");
    CHECK_TEXT(scenario_runs(), "t0 w0 r5 t5 x5 w10");
}

static unsigned calls;

/* A call that is armed for the expiry that is being served; it arms itself for the same time again, twice. */
static void cancels_and_rearms(struct takti_call *due)
{
    (void)due;
    calls++;
    if (calls <= 2) {
        CHECK(takt_semaphore_post(&semaphore) == (calls == 1 ? TAKT_OK : TAKT_LIMIT));
        takti_call_at(&call, takt_now(), cancels_and_rearms);
    } else if (calls == 3) {
        takti_call_at(&call, takt_now() + TAKT_MS(1), cancels_and_rearms);
    }
}

static void first_timer(struct takt_task *task)
{
    (void)task;
    CHECK(takt_semaphore_post(&semaphore) == TAKT_OK); /* the wait ends before its timeout is served */
    takti_call_at(&call, takt_now(), cancels_and_rearms);
}

static void wait_until_3(void *argument)
{
    (void)argument;
    CHECK(takt_semaphore_wait_until(&semaphore, TAKT_MS(3)) == TAKT_OK);
    CHECK_EQUAL(scenario_now(), 3);
}

static void inside_service(void)
{
    scenario_new();
    calls = 0;
    call = (struct takti_call){.function = NULL};
    takt_semaphore_init(&semaphore, 1, NULL, 0, 1);
    struct takt_task_config *config = scenario_periodic("d", 1, work_long, 200);
    config->deadline_ns = TAKT_MS(3);
    scenario_on_miss(config, TAKT_MISS_NOTIFY);
    config->miss_hook = first_timer;
    (void)scenario_task("t", 0, wait_until_3);
    scenario_run(10);
    CHECK_TEXT(scenario_events(TAKT_EVENT_READY, 1), "t3=0");
    CHECK_EQUAL(calls, 4);
}

static void sleep_to_10(void *argument)
{
    scenario_sleep_to((unsigned)(uintptr_t)argument);
    scenario_sleep_to(10);
}

/* Armed against the order of declaration, and c's first expiry is a's second. */
static void order_of_arming(void)
{
    scenario_new();
    scenario_task("a", 0, sleep_to_10)->argument = (void *)3;
    scenario_task("b", 1, sleep_to_10)->argument = (void *)2;
    scenario_task("c", 2, sleep_to_10)->argument = (void *)1;
    scenario_task("d", 3, sleep_to_10)->argument = (void *)10;
    scenario_run(20);
    CHECK_TEXT(scenario_events(TAKT_EVENT_READY, 0), "c1 b2 a3 d10 c10 b10 a10");
    CHECK_TEXT(scenario_runs(), "a0 b0 c0 d0 -0 c1 -1 b2 -2 a3 -3 a10 b10 c10 d10 -10");
}

static void past(void *argument)
{
    (void)argument;
    scenario_work(2);
    takt_delay_until(TAKT_MS(1)); /* has passed */
    takt_delay_until(TAKT_MS(2)); /* is now */
    CHECK_EQUAL(scenario_now(), 2);
    CHECK(takt_semaphore_wait_until(&semaphore, TAKT_MS(1)) == TAKT_TIMEOUT);
    CHECK_EQUAL(scenario_now(), 2);
    takt_delay(0);
    CHECK_EQUAL(scenario_now(), 2);
    takt_delay(TAKT_MS(3));
    CHECK_EQUAL(scenario_now(), 5);
    CHECK_EQUAL(takt_now(), TAKT_MS(5));
}

/* Expiries that have passed. */
static void expiries_past(void)
{
    scenario_new();
    takt_semaphore_init(&semaphore, 1, NULL, 0, 1);
    (void)scenario_task("a", 0, past);
    scenario_run(10);
    CHECK_TEXT(scenario_events(TAKT_EVENT_BLOCK, 0), "a2 a2 a2");
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "a5");
}

/* Slices: a and b share 2 ms each; c above them takes 1 ms in the midst of a's, which then has 1 ms left. */
static void work_4(void *argument)
{
    (void)argument;
    scenario_work(4);
}

static void work_1_at_1(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    scenario_work(1);
}

static void slices(void)
{
    scenario_new();
    scenario.system.level_quanta_ns = scenario.quanta_ns;
    scenario.quanta_ns[2] = TAKT_MS(2);
    (void)scenario_task("c", 1, work_1_at_1);
    (void)scenario_task("a", 2, work_4);
    (void)scenario_task("b", 2, work_4);
    scenario_run(20);
    CHECK_TEXT(scenario_runs(), "c0 a0 c1 a2 b3 a5 b7 -9");
}

static void yield_twice(void *argument)
{
    (void)argument;
    scenario_work(1);
    takt_task_yield();
    scenario_work(1);
}

/* Gives way to equals in a fixed level, to nobody in an edf level. */
static void yields(void)
{
    for (unsigned edf = 0; edf < 2; edf++) {
        scenario_new();
        if (edf != 0) {
            scenario_edf(1);
        }
        (void)scenario_periodic("a", 1, yield_twice, 20);
        (void)scenario_periodic("b", 1, yield_twice, 20);
        scenario_run(10);
        CHECK_TEXT(scenario_runs(), edf != 0 ? "a0 b2 -4" : "a0 b1 a2 b3 -4");
    }
}

static void yield_in_the_middle(void *argument)
{
    (void)argument;
    scenario_work(2);
    takt_task_yield();
    scenario_work(2);
}

static void work_1(void *argument)
{
    (void)argument;
    scenario_work(1);
}

/* A task that gave way is the last of three, also when a better task has come between. */
static void yields_in_turn(void)
{
    scenario_new();
    scenario_periodic("h", 0, work_1, 50)->offset_ns = TAKT_MS(3);
    (void)scenario_task("a", 1, yield_in_the_middle);
    (void)scenario_task("b", 1, yield_in_the_middle);
    (void)scenario_task("c", 1, yield_in_the_middle);
    scenario_run(20);
    CHECK_TEXT(scenario_runs(), "a0 b2 h3 b4 c5 a7 b9 c11 -13");
}

static void sleep_until(void *argument)
{
    uint64_t until_ns = *(const uint64_t *)argument;
    takt_delay_until(until_ns);
    CHECK_EQUAL(takt_now(), until_ns);
    note(takt_task_running() == scenario_find("a") ? "a" : "b");
}

/* Two expiries that differ in their upper words only. */
static void equal_lower_words(void)
{
    static uint64_t until_ns[] = {TAKT_MS(5), TAKT_MS(5) + (UINT64_C(1) << 32)};
    scenario_new();
    order[0] = '\0';
    scenario_task("a", 0, sleep_until)->argument = &until_ns[0];
    scenario_task("b", 1, sleep_until)->argument = &until_ns[1];
    scenario_run(5000);
    CHECK_TEXT(order, "ab");
}

int main(void)
{
    last_expiries();
    equal_expiries();
    inside_service();
    order_of_arming();
    expiries_past();
    slices();
    yields();
    yields_in_turn();
    equal_lower_words();
    return 0;
}
