/* SPDX-License-Identifier: Apache-2.0 */
/* The edges: storage that was never started, the clock before the start, the end of time, two callers at once. */
#include "kernel/core/kernel.h"
#include "kernel/port.h"
#include "kernel/test/support/scenario.h"
#include "ports/host/host.h"

static struct takt_task spare;
static struct takt_semaphore semaphore;
static unsigned jobs;

static void count_job(void *argument)
{
    (void)argument;
    jobs++;
}

static struct takt_task_config *sporadic(unsigned gap_ms)
{
    scenario_new();
    jobs = 0;
    return scenario_sporadic("s", 0, count_job, gap_ms);
}

/* A trigger may come before its task was ever started: nobody listens. */
static void post_twice(void *argument)
{
    (void)argument;
    CHECK(takt_semaphore_post(&semaphore) == TAKT_OK);
    CHECK_EQUAL(takt_task_statistics(&spare).jobs_completed, 0);
    CHECK(takt_task_start(&spare, &scenario.configs[1]) == TAKT_OK);
    CHECK(takt_semaphore_post(&semaphore) == TAKT_OK);
}

static void trigger_never_started(void)
{
    scenario_new();
    jobs = 0;
    memset(&spare, 0, sizeof spare);
    takt_semaphore_init(&semaphore, 1, &spare, 0, 1);
    (void)scenario_task("a", 1, post_twice);
    (void)scenario_sporadic("s", 0, count_job, 5);
    scenario.system.task_count = 1;
    scenario_run(10);
    CHECK_EQUAL(jobs, 1);
}

/* Before the start it is 0, however far the port's clock has come. */
static void release_early(void)
{
    scenario_work(3);
    takt_job_release(scenario_find("s"));
}

static void released_in_init(void)
{
    (void)sporadic(5);
    scenario.before = release_early;
    scenario_run(10);
    CHECK_EQUAL(jobs, 1);
    CHECK_EQUAL(scenario_figure("s", TAKT_EVENT_STAT_RESPONSE_MAX), 0);
    CHECK_EQUAL(scenario_figure("s", TAKT_EVENT_STAT_MISSES), 0);
}

static void stop_early(void)
{
    takt_job_release(scenario_find("s"));
    scenario_work(6);
    takt_task_stop(scenario_find("s"));
}

static void stopped_in_init(void)
{
    (void)sporadic(5);
    scenario.before = stop_early;
    scenario_run(10);
    CHECK_EQUAL(jobs, 0);
    CHECK_EQUAL(scenario_figure("s", TAKT_EVENT_STAT_MISSES), 0);
}

/* A minimum distance beyond the end of time: the second release never comes, nor does anything after it. */
static void release_four(void *argument)
{
    (void)argument;
    for (unsigned release = 0; release < 4; release++) {
        scenario_sleep_to(1 + release);
        takt_job_release(scenario_find("s"));
    }
}

static void once_for_ever(void)
{
    struct takt_task_config *config = sporadic(5);
    config->period_ns = TAKT_FOREVER;
    config->arrivals->capacity = 4;
    (void)scenario_task("a", 1, release_four);
    scenario_run(10);
    CHECK_EQUAL(jobs, 1);
    CHECK_EQUAL(scenario_figure("s", TAKT_EVENT_STAT_LOST), 3);
}

static void start_late(void *argument)
{
    (void)argument;
    scenario_sleep_to(2);
    CHECK(takt_task_start(&spare, &scenario.configs[1]) == TAKT_OK);
}

static void first_release_never(void)
{
    scenario_new();
    jobs = 0;
    memset(&spare, 0, sizeof spare);
    (void)scenario_task("a", 1, start_late);
    scenario_periodic("p", 0, count_job, 5)->offset_ns = TAKT_FOREVER;
    scenario.system.task_count = 1;
    scenario_run(20);
    CHECK_EQUAL(jobs, 0);
}

/* What comes just before the next call locks the kernel, once it has started: linked with --wrap=takt_port_enter. */
uint32_t __real_takt_port_enter(void);
uint32_t __wrap_takt_port_enter(void);
static void (*other)(void);

uint32_t __wrap_takt_port_enter(void)
{
    void (*call)(void) = other;
    if (call != NULL && takti_kernel.clock_runs) {
        other = NULL;
        call();
    }
    return __real_takt_port_enter();
}

/* Just before it is looked at another task starts it. */
static void start_spare(void)
{
    CHECK(takt_task_start(&spare, &scenario.configs[1]) == TAKT_OK);
}

static void start_behind_another(void *argument)
{
    (void)argument;
    other = start_spare;
    CHECK(takt_task_start(&spare, &scenario.configs[1]) == TAKT_STATE);
}

static void started_by_two(void)
{
    scenario_new();
    jobs = 0;
    memset(&spare, 0, sizeof spare);
    (void)scenario_task("a", 1, start_behind_another);
    (void)scenario_periodic("p", 0, count_job, 50);
    scenario.system.task_count = 1;
    scenario_run(10);
    CHECK_EQUAL(jobs, 1);
}

/* An interrupt that was pending all through the start comes before the kernel's first lock, with the clock running. */
static void first_interrupt(void)
{
    scenario_work(1);
    takt_interrupt_enter(1);
    takt_job_release(scenario_find("s"));
    takt_interrupt_exit(1);
}

static void pending_at_start(void)
{
    other = first_interrupt;
}

static void interrupt_at_the_start(void)
{
    (void)sporadic(5);
    scenario.before = pending_at_start;
    scenario_run(10);
    CHECK_EQUAL(jobs, 1);
    CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), "s1");
    CHECK_EQUAL(scenario_figure("s", TAKT_EVENT_STAT_RESPONSE_MAX), 0);
}

/* A system that prepares nothing. */
static void leave(void)
{
    takt_host_leave();
}

static void without_init(void)
{
    scenario_new();
    jobs = 0;
    (void)scenario_periodic("a", 0, count_job, 4);
    scenario.system.init = NULL;
    takt_port_irq_attach(0, leave, false);
    takt_host_interrupt_every(0, TAKT_MS(5), 0);
    scenario_run(10);
    CHECK_EQUAL(jobs, 2);
}

/* A slice that is over is over, also when a better task takes the processor at that very time. */
static void post_at_the_end(void *argument)
{
    (void)argument;
    for (;;) {
        scenario_work(5);
        CHECK(takt_semaphore_post(&semaphore) == TAKT_OK);
    }
}

static void wait_on(void *argument)
{
    (void)argument;
    for (;;) {
        CHECK(takt_semaphore_wait(&semaphore) == TAKT_OK);
    }
}

static void work_on(void *argument)
{
    (void)argument;
    for (;;) {
        scenario_work(1);
    }
}

static void slice_ends_at_a_preemption(void)
{
    scenario_new();
    scenario.quanta_ns[1] = TAKT_MS(5);
    scenario.system.level_quanta_ns = scenario.quanta_ns;
    takt_semaphore_init(&semaphore, 1, NULL, 0, 1);
    (void)scenario_task("a", 1, post_at_the_end);
    (void)scenario_task("b", 1, work_on);
    (void)scenario_task("h", 0, wait_on);
    scenario_run(19);
    CHECK_TEXT(scenario_runs(), "h0 a0 h5 b5 a10 h15 b15");
}

int main(void)
{
    static void (*const all[])(void) = {
        trigger_never_started,  released_in_init,    stopped_in_init,
        once_for_ever,          first_release_never, started_by_two,
        interrupt_at_the_start, without_init,        slice_ends_at_a_preemption,
    };
    for (unsigned position = 0; position < sizeof all / sizeof *all; position++) {
        all[position]();
    }
    return 0;
}
