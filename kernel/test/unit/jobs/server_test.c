/* SPDX-License-Identifier: Apache-2.0 */
/* Servers: each kind, when the budget comes back, sections, tasks that end, edf bands, late interrupts. */
#include "kernel/core/kernel.h"
#include "kernel/test/support/budget_scenario.h"

enum { SERVED_MAX = 4 };

static struct takt_server servers[2];
static struct takt_task *served[2][SERVED_MAX];

/* Server `number` with `ms` of budget in each `period_ms`, which serves nothing yet. */
static struct takt_server *server(unsigned number, enum takt_server_kind kind, unsigned ms, unsigned period_ms)
{
    struct takt_server *one = &servers[number];
    *one = (struct takt_server){.budget_ns = TAKT_MS(ms),
                                .period_ns = TAKT_MS(period_ms),
                                .deadline_ns = TAKT_MS(period_ms),
                                .tasks = served[number],
                                .kind = (uint8_t)kind};
    *scenario.system.servers = servers;
    *scenario.system.server_count = (uint16_t)(number + 1u);
    return one;
}

static struct takt_budget *serve(struct takt_server *one, struct takt_task_config *config)
{
    struct takt_budget *budget = limit(config, TAKT_BUDGET_SERVER, 1);
    *budget->server = one;
    served[one - servers][one->task_count++] = &scenario.tasks[config->index];
    return budget;
}

/* The invariant that is broken, or "". */
static const char *broken(void)
{
    const char *what = takt_kernel_broken(NULL).what;
    return what == NULL ? "" : what;
}

static void check_kernel(void)
{
    CHECK_TEXT(broken(), "");
}

static void flood(void *argument)
{
    (void)argument;
    for (;;) {
        scenario_work(1);
        check_kernel();
    }
}

static void work_2(void *argument)
{
    (void)argument;
    scenario_work(2);
}

/* What floods gets its budget at once in each period, and what is left of the processor. */
static void floods(enum takt_server_kind kind)
{
    fresh();
    (void)serve(server(0, kind, 3, 10), scenario_task("a", 1, flood));
    (void)scenario_periodic("b", 2, work_5, 10);
    scenario_run(25);
    CHECK_TEXT(scenario_runs(), "a0 b3 a8 b13 a18 b23");
    bool polls = kind == TAKT_SERVER_POLLING; /* its first budget comes at 0, too */
    CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 1) + (polls ? 5 : 0), "a3=4 a10=5 a13=4 a20=5 a23=4");
    CHECK_TEXT(scenario_events(TAKT_EVENT_KEY, 1) + (polls ? 10 : 0), "a3=9 a10=1 a13=9 a20=1 a23=9");
    CHECK_EQUAL(takt_task_exhausted(scenario_find("a")), 3);
    CHECK_EQUAL(servers[0].exhaustions, 3);
    CHECK_EQUAL(takt_task_budget_ns(scenario_find("a")), 0);
}

/* Several tasks share it: the one that runs at the end of the budget stays the first of them. */
static void shared(void)
{
    fresh();
    struct takt_server *one = server(0, TAKT_SERVER_DEFERRABLE, 3, 10);
    (void)serve(one, scenario_sporadic("a", 1, work_2, 10));
    (void)serve(one, scenario_task("b", 1, flood));
    (void)serve(one, scenario_task("c", 1, flood));
    (void)scenario_periodic("h", 2, work_5, 10);
    scenario_run(25);
    CHECK_TEXT(scenario_runs(), "b0 h3 b8 h13 b18 h23");
    CHECK_EQUAL(takt_task_exhausted(scenario_find("c")), 0);
}

static void sleeps(void *argument)
{
    const unsigned *wakes = argument;
    for (; *wakes != 0; wakes += 2) {
        scenario_sleep_to(wakes[0]);
        check_kernel();
        scenario_work(wakes[1]);
    }
}

/* Work that comes late in a period has the whole budget, and the next one right behind it: but no third. */
static void deferrable(void)
{
    static unsigned wakes[] = {8, 9, 0};
    fresh();
    struct takt_task_config *a = scenario_task("a", 1, sleeps);
    a->argument = wakes;
    (void)serve(server(0, TAKT_SERVER_DEFERRABLE, 3, 10), a);
    (void)scenario_periodic("b", 2, work_5, 40);
    scenario_periodic("c", 3, work_5, 40)->offset_ns = TAKT_MS(9);
    scenario_run(29);
    CHECK_TEXT(scenario_runs(), "a0 b0 -5 a8 c13 a18 -22");
    CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 1), "a10=5 a13=4 a20=5");
}

/* What is not used when the work is done is lost, and so is a budget that finds nothing. */
static void polling(void)
{
    static unsigned wakes[] = {4, 2, 18, 4, 24, 2, 0};
    fresh();
    struct takt_task_config *a = scenario_task("a", 1, sleeps);
    a->argument = wakes;
    (void)serve(server(0, TAKT_SERVER_POLLING, 3, 10), a);
    struct takt_task_config *b = scenario_periodic("b", 2, work_5, 10);
    b->offset_ns = TAKT_MS(3);
    scenario_periodic("c", 3, work_2, 40)->offset_ns = TAKT_MS(21);
    scenario_run(39);
    CHECK_TEXT(scenario_runs(), "a0 -0 b3 a8 -10 b13 -18 a18 c22 b23 c28 a29 -31 b33 -38");
    CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 1), "a0=5 a0=6 a10=6 a20=5 a22=6 a30=5 a31=6");
}

/* Each part comes back a period after the activation in which it was used. */
static void sporadic(void)
{
    static unsigned wakes[] = {2, 1, 6, 9, 30, 3, 0};
    fresh();
    struct takt_task_config *a = scenario_task("a", 1, sleeps);
    a->argument = wakes;
    (void)serve(server(0, TAKT_SERVER_SPORADIC, 3, 10), a);
    (void)scenario_periodic("b", 2, work_5, 10);
    scenario_run(39);
    CHECK_TEXT(scenario_runs(), "a0 b0 a2 b3 -6 a6 b10 a12 b13 a16 -20 b20 -25 a30 b33 -38");
    CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 1), "a8=4 a12=5 a13=4 a16=5 a18=4 a22=5");
}

/* More parts than there are: the last two come back together, at the later time. */
static void parts(void)
{
    static unsigned wakes[] = {1, 1, 3, 1, 5, 1, 7, 1, 9, 1, 11, 1, 24, 9, 0};
    fresh();
    struct takt_task_config *a = scenario_task("a", 1, sleeps);
    a->argument = wakes;
    (void)serve(server(0, TAKT_SERVER_SPORADIC, 6, 20), a);
    (void)scenario_periodic("b", 2, work_5, 10);
    scenario_run(39);
    /* What was used from 1, 3, 5, 7, 9 and 11 comes back at 21, 23, 29 (three times) and 31. */
    CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 1), "a26=4 a29=5 a33=4");
    CHECK_TEXT(scenario_runs(), "a0 b0 a1 b2 a3 b4 a5 b6 a7 b8 -9 a9 -10 b10 a11 b12 -16 b20 a24 b26 a27 b33 a38 -39");
}

static void locks_for(unsigned ms)
{
    scenario_lock(&m);
    scenario_work(ms);
    check_kernel();
    takt_mutex_unlock(&m);
}

static void flood_in_sections(void *argument)
{
    (void)argument;
    for (;;) {
        locks_for(2);
        check_kernel();
    }
}

/* A section is finished before the demotion; one that is long after the budget is back, too. */
static void section(void)
{
    fresh();
    struct takt_server *one = server(0, TAKT_SERVER_DEFERRABLE, 3, 10);
    serve(one, scenario_task("a", 1, flood_in_sections))->hold_ns = TAKT_MS(2);
    (void)serve(one, scenario_task("c", 1, flood));
    (void)scenario_periodic("b", 2, work_5, 10);
    scenario_run(25);
    CHECK_TEXT(scenario_runs(), "a0 b4 a9 b15 a20 b24");
    CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 1), "a3=4 a10=5 a13=4 a20=5 a23=4");
    CHECK_TEXT(scenario_events(TAKT_EVENT_KEY, 1), "c3=9 a4=9 a10=1 c10=1 c13=9 a15=9 a20=1 c20=1 c23=9 a24=9");
}

static void long_section(void *argument)
{
    (void)argument;
    for (;;) {
        locks_for(12);
    }
}

/* The budget comes back in the section: at its end nothing is demoted. */
static void section_across(void)
{
    fresh();
    serve(server(0, TAKT_SERVER_DEFERRABLE, 3, 10), scenario_task("a", 1, long_section))->hold_ns = TAKT_MS(20);
    (void)scenario_periodic("b", 2, work_5, 10);
    scenario_run(25);
    CHECK_TEXT(scenario_runs(), "a0 b24");
    CHECK_TEXT(scenario_events(TAKT_EVENT_KEY, 1), "a24=9");
    CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 1), "a3=4 a10=5 a13=4 a20=5 a23=4");
}

/* A section that is longer than the hold ends with its task; others go on with the server. */
static void overrun(void)
{
    fresh();
    struct takt_server *one = server(0, TAKT_SERVER_DEFERRABLE, 3, 10);
    serve(one, scenario_task("a", 1, long_section))->hold_ns = TAKT_MS(5);
    (void)serve(one, scenario_task("c", 1, flood));
    (void)scenario_periodic("b", 2, work_5, 10);
    scenario_run(25);
    CHECK_TEXT(scenario_runs(), "a0 b5 c10 b13 c18 b23");
    CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 1), "a3=4 a5=3 a10=5 c13=4 a20=5 c23=4");
}

static void waiter(void *argument)
{
    (void)argument;
    scenario_sleep_to(6);
    locks_for(1);
}

static void sleeps_in_section(void *argument)
{
    (void)argument;
    scenario_lock(&m);
    scenario_sleep_to(2);
    scenario_work(3);
    takt_mutex_unlock(&m);
    flood(NULL);
}

/* A task that waits in its section is demoted like the others when another one uses the budget up, and inherits. */
static void inherits(void)
{
    fresh();
    struct takt_server *one = server(0, TAKT_SERVER_DEFERRABLE, 3, 10);
    (void)scenario_task("w", 0, waiter);
    serve(one, scenario_task("a", 1, sleeps_in_section))->hold_ns = TAKT_MS(9);
    (void)serve(one, scenario_task("c", 1, flood));
    (void)scenario_periodic("b", 2, work_5, 10);
    scenario_run(25);
    CHECK_TEXT(scenario_runs(), "w0 a0 c0 b3 w6 a6 w9 b10 a10 b13 a20 b23");
    CHECK_TEXT(scenario_events(TAKT_EVENT_KEY, 1),
               "a3=9 c3=9 a6=0 a9=9 a10=1 c10=1 c13=9 a13=9 a20=1 c20=1 c23=9 a23=9");
}

static void manage(void *argument)
{
    (void)argument;
    struct takt_task *a = scenario_find("a");
    scenario_sleep_to(1);
    takt_task_suspend(a);
    check_kernel();
    CHECK_EQUAL(servers[0].ready, 1);
    scenario_sleep_to(2);
    takt_task_stop(scenario_find("c"));
    check_kernel();
    CHECK_EQUAL(servers[0].ready, 0);
    CHECK_EQUAL(takt_task_budget_ns(scenario_find("c")), 0);
    CHECK_EQUAL(takt_task_budget_ns(a), TAKT_MS(1));
    scenario_sleep_to(4);
    takt_task_resume(a);
    check_kernel();
    scenario_sleep_to(7);
    CHECK(takt_task_start(scenario_find("c"), scenario_find("c")->config) == TAKT_OK); /* it is exhausted */
    check_kernel();
    scenario_sleep_to(8);
    takt_task_stop(a);
    check_kernel();
}

/* Served tasks that are suspended, stopped and started: what has been executed is gone, in whichever of them. */
static void managed(void)
{
    fresh();
    struct takt_server *one = server(0, TAKT_SERVER_DEFERRABLE, 3, 10);
    (void)scenario_task("m", 0, manage);
    (void)serve(one, scenario_task("a", 1, flood));
    (void)serve(one, scenario_task("c", 1, flood));
    (void)scenario_periodic("b", 2, work_5, 10);
    scenario_run(25);
    CHECK_TEXT(scenario_runs(), "m0 a0 m1 c1 m2 b2 m4 a4 b5 m7 b7 a8 m8 c8 b13 c18 b23");
    CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 1), "a5=4 a10=5 c13=4 a20=5 c23=4");
}

/* In an edf band: the deadline is that of the server, from the activation or from the replenishment on. */
static void edf(enum takt_server_kind kind, const char *runs, const char *budgets_used)
{
    static unsigned wakes[] = {1, 9, 0};
    fresh();
    scenario_edf(1);
    struct takt_server *one = server(0, kind, 3, 10);
    one->deadline_ns = TAKT_MS(8);
    struct takt_task_config *a = scenario_task("a", 1, sleeps);
    a->argument = wakes;
    (void)serve(one, a);
    struct takt_task_config *b = scenario_periodic("b", 1, work_5, 40);
    b->deadline_ns = TAKT_MS(12);
    struct takt_task_config *c = scenario_periodic("c", 1, work_5, 40);
    c->offset_ns = TAKT_MS(9);
    c->deadline_ns = TAKT_MS(10); /* at 19; the server's from 10 on at 18, a sporadic one's from 11 on at 19 */
    scenario_run(29);
    CHECK_TEXT(scenario_runs(), runs);
    CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 1), budgets_used);
}

static void lock_across(void *argument)
{
    (void)argument;
    scenario_sleep_to(8);
    scenario_work(1);
    uint32_t lock = takt_port_lock(); /* to 12: the interrupt comes 2 ms late */
    scenario_work(3);
    takt_port_unlock(lock);
    flood(NULL);
}

/* A late interrupt: what was executed since the budget should have been back is taken off it. */
static void late(void)
{
    fresh();
    (void)serve(server(0, TAKT_SERVER_DEFERRABLE, 5, 10), scenario_task("a", 1, lock_across));
    (void)scenario_periodic("b", 2, work_5, 40);
    scenario_periodic("c", 3, work_5, 40)->offset_ns = TAKT_MS(9);
    scenario_run(29);
    CHECK_TEXT(scenario_runs(), "a0 b0 -5 a8 c15 a20");
    CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 1), "a12=5 a15=4 a20=5 a25=4");
}

static void naps(void *argument)
{
    (void)argument;
    for (;;) {
        takt_delay(TAKT_US(100));
        check_kernel();
    }
}

/* A wait costs what the proof counts for it, and so does not go on for ever. */
static void waits(void)
{
    fresh();
    serve(server(0, TAKT_SERVER_DEFERRABLE, 3, 10), scenario_task("a", 1, naps))->wait_ns = 1000000;
    (void)scenario_periodic("b", 2, work_5, 10);
    scenario_run(19);
    CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 1), "a0=4 a10=5 a10=4");
}

static void release_a_at(void)
{
    takt_job_release(scenario_find("a"));
}

static void release_a(void)
{
    takt_port_irq_attach(1, release_a_at, true);
    takt_host_interrupt_every(1, TAKT_MS(1), TAKT_MS(3));
}

/* The end of a job costs a switch. */
static void jobs(void)
{
    fresh();
    struct takt_task_config *a = scenario_sporadic("a", 1, work_2, 1);
    a->arrivals->capacity = 4;
    serve(server(0, TAKT_SERVER_DEFERRABLE, 5, 20), a)->yield_ns = 1000000;
    scenario.before = release_a;
    scenario_run(19);
    CHECK_TEXT(scenario_runs(), "a1 -3 a4 -6 a7 -9 a10 -12 a13 -15 a16 -18");
    CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 1), "a6=4");
}

/* Two servers, of which one uses up its budget in the same interrupt in which the other's comes back. */
static void two(void)
{
    fresh();
    (void)serve(server(0, TAKT_SERVER_DEFERRABLE, 2, 5), scenario_task("a", 1, flood));
    (void)serve(server(1, TAKT_SERVER_SPORADIC, 3, 10), scenario_task("c", 2, flood));
    (void)scenario_periodic("b", 3, work_5, 20);
    scenario_run(25);
    CHECK_TEXT(scenario_runs(), "a0 c2 a5 b7 a10 c12 a15 b17 a19 c22");
    CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 1),
               "a2=4 a5=5 c5=4 a7=4 a10=5 c10=5 a12=4 a15=5 c15=4 a17=4 a20=5 c20=5 a22=4 a25=5 c25=4");
}

/* What the invariants say of a server in which one thing is wrong. */
#define SAYS(field, wrong, text)       \
    do {                               \
        typeof(field) right = (field); \
        (field) = (wrong);             \
        CHECK_TEXT(broken(), (text));  \
        (field) = right;               \
        check_kernel();                \
    } while (0)

static void damage(void *argument)
{
    struct takt_server *one = &servers[0]; /* sporadic: 1 ms was used from 1 on, and 1 ms from 3 on */
    struct takt_budget *budget = takti_budget_of(*one->tasks);
    (void)argument;
    scenario_sleep_to(5);
    CHECK_EQUAL(one->part_count, 3);
    SAYS(one->ready, 1, "a server counts its tasks that are ready");
    SAYS(budget->state, TAKTI_BUDGET_READY, "a server knows which of its tasks are ready");
    SAYS(one->exhausted, true, "an exhausted server charges nothing");
    SAYS(one->left_ns, TAKT_MS(6), "what a server has left is at most its budget");
    SAYS(one->finishing, scenario_find("a"), "a task that finishes its section after the exhaustion is in one");
    SAYS(one->part_count, 0, "a server has one part of its budget at least, and no more than it can");
    SAYS(one->part_count, TAKT_SERVER_PARTS + 1,
         "a server has one part of its budget at least, and no more than it can");
    SAYS(one->parts[2].at_ns, one->parts[1].at_ns, "parts of a budget come one after another");
    SAYS(one->parts[1].amount_ns, 1, "the parts of a budget add up to it");
    SAYS(one->parts[2].at_ns, TAKT_MS(14), "a part of a budget comes back in a period");
    SAYS(one->settled_ns, TAKT_MS(1), "what is left of a budget is of its first part");
    SAYS(servers[1].left_ns, TAKT_MS(1), "an exhausted server charges nothing");
    servers[1].left_ns = TAKT_MS(1);
    servers[1].exhausted = false;
    CHECK_TEXT(broken(), "a polling server without work has no budget");
    servers[1].left_ns = TAKT_FOREVER;
    servers[1].exhausted = true;
    check_kernel();
}

static void damaged(void)
{
    static unsigned wakes[] = {1, 1, 3, 1, 8, 1, 0};
    fresh();
    (void)scenario_task("d", 0, damage);
    struct takt_task_config *a = scenario_task("a", 1, sleeps);
    a->argument = wakes;
    (void)serve(server(0, TAKT_SERVER_SPORADIC, 5, 10), a);
    (void)serve(server(1, TAKT_SERVER_POLLING, 2, 10), scenario_sporadic("p", 2, work_2, 10));
    scenario_run(6);
}

int main(void)
{
    floods(TAKT_SERVER_DEFERRABLE);
    floods(TAKT_SERVER_SPORADIC);
    floods(TAKT_SERVER_POLLING);
    shared();
    deferrable();
    polling();
    sporadic();
    parts();
    section();
    section_across();
    overrun();
    inherits();
    managed();
    edf(TAKT_SERVER_DEFERRABLE, "a0 b0 a1 b4 a8 c9 a10 c13 a17 -19", "a4=4 a10=5 a13=4 a20=5");
    edf(TAKT_SERVER_POLLING, "a0 b0 a5 c9 a10 c13 a17 -19", "a0=5 a0=6 a10=5 a13=4 a20=6");
    edf(TAKT_SERVER_SPORADIC, "a0 b0 a1 b4 a8 c9 a14 -19", "a4=4 a11=5 a17=4 a21=5");
    late();
    waits();
    jobs();
    two();
    damaged();
    return 0;
}
