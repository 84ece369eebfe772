/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that are started and stopped in a build without protection. */
#include "kernel/test/support/scenario.h"
#include "takt/create.h"
#include "takt/process.h"

#include <string.h>

enum { QUOTA = 1024, SLOTS = 3 };

/* Process 0 has tasks p (periodic), s (sporadic) and b; process 1, on call, q; m is of none. */
static _Alignas(TAKT_GRANULE) uint8_t memory[QUOTA];
static struct takt_thread threads[1];
static struct takt_mutex mutexes[1], shared;
static struct takt_created_alarm alarms[1];
static const uint64_t alarms_apart_ns = TAKT_MS(5);
static struct takt_object slots[SLOTS];
static struct takt_quota quotas[2];
static const uint8_t of_tasks[] = {0, 0, 0, 1, UINT8_MAX};
const struct takt_quotas takt_quotas = {quotas, of_tasks};
static const uint16_t first_tasks[] = {0, 1, 2}, second_tasks[] = {3};
static struct takt_process processes[2];
const struct takt_managed_processes takt_managed_processes = {processes, 2};

static uint64_t notes[16];
static unsigned note_count;
static unsigned jobs_ms[64];
static unsigned job_count;
static unsigned lives; /* of b */
static uint8_t *bytes;
static struct takt_mutex *created;
static unsigned thread_runs;
static void (*work)(void); /* of m */

static void note(uint64_t value)
{
    notes[note_count++] = value;
}

static void job(void *argument)
{
    (void)argument;
    jobs_ms[job_count++] = scenario_now();
}

static void thread_entry(void *argument)
{
    (void)argument;
    thread_runs++;
    for (;;) {
        takt_delay(TAKT_MS(1));
    }
}

/* It uses all that there is, in each life. */
static void background(void *argument)
{
    (void)argument;
    struct takt_task *thread;
    const struct takt_thread_attributes attributes = {.entry = thread_entry, .stack_size = 256, .level = 12};
    lives++;
    bytes = takt_memory_alloc(512);
    CHECK(bytes != NULL && bytes[0] == 0 && bytes[511] == 0);
    memset(bytes, 1, 512);
    CHECK_EQUAL(takt_mutex_create(&created), TAKT_OK);
    CHECK_EQUAL(takt_thread_create(&thread, &attributes), TAKT_OK);
    for (;;) {
        takt_delay(TAKT_MS(50));
    }
}

static void manager(void *argument)
{
    (void)argument;
    work();
    scenario_sleep_to(1000);
}

static void run(void (*what)(void), void (*of_b)(void *argument), unsigned end_ms)
{
    scenario_new();
    memset(threads, 0, sizeof threads);
    memset(processes, 0, sizeof processes);
    memset(memory, 0, sizeof memory);
    threads[0].index = 10;
    slots[0] = (struct takt_object){&threads[0], 1, TAKT_OBJECT_TASK | TAKT_OBJECT_FREE, 0};
    slots[1] = (struct takt_object){&mutexes[0], 1, TAKT_OBJECT_MUTEX | TAKT_OBJECT_FREE, 0};
    memset(alarms, 0, sizeof alarms);
    slots[2] = (struct takt_object){&alarms[0], 1, TAKT_OBJECT_ALARM | TAKT_OBJECT_FREE, 0};
    quotas[0] = (struct takt_quota){.memory = (uintptr_t)memory,
                                    .memory_size = QUOTA,
                                    .slots = slots,
                                    .slot_count = SLOTS,
                                    .thread_level = 5,
                                    .alarms_apart_ns = {&alarms_apart_ns}};
    quotas[1] = (struct takt_quota){.thread_level = 5};
    processes[0] = (struct takt_process){.tasks = first_tasks, .quota = &quotas[0], .task_count = 3};
    processes[1] = (struct takt_process){.tasks = second_tasks, .task_count = 1, .on_call = true};
    (void)scenario_periodic("p", 3, job, 10);
    (void)scenario_sporadic("s", 4, job, 5);
    (void)scenario_task("b", 6, of_b);
    (void)scenario_periodic("q", 2, job, 7);
    (void)scenario_task("m", 8, manager);
    takt_mutex_init(&shared, 50);
    work = what;
    note_count = job_count = lives = thread_runs = 0;
    scenario_run(end_ms);
}

static void start_second(void)
{
    note(takt_process_stop(&processes[1])); /* it never ran */
    note(takt_process_stopped(&processes[1]));
    scenario_sleep_to(10);
    note(takt_process_start(&processes[1]));
    note(takt_process_start(&processes[1]));
    note(takt_process_stopped(&processes[1]));
    scenario_sleep_to(30);
    note(takt_process_stop(&processes[1]));
    note(takt_process_stopped(&processes[1]));
}

static void rest(void *argument)
{
    (void)argument;
    scenario_sleep_to(1000);
}

static void test_on_call(void)
{
    run(start_second, rest, 45);
    const uint64_t expected[] = {TAKT_STATE, true, TAKT_OK, TAKT_STATE, false, TAKT_OK, true};
    CHECK(memcmp(notes, expected, sizeof expected) == 0);
    const unsigned jobs[] = {0, 10, 14, 20, 21, 28, 30, 40}; /* with those of p */
    CHECK_EQUAL(job_count, 8);
    CHECK(memcmp(jobs_ms, jobs, sizeof jobs) == 0);
}

static void twice(void)
{
    scenario_sleep_to(12);
    takt_job_release(scenario_find("s"));
    note(takt_process_stop(&processes[0]));
    note(takt_process_stopped(&processes[0]));
    takt_job_release(scenario_find("s")); /* no effect */
    scenario_sleep_to(14);
    note(takt_process_start(&processes[0]));
    takt_job_release(scenario_find("s")); /* 5 ms after its last */
    scenario_sleep_to(25);
}

/* Its quota is as at the start, and its releases keep their distance. */
static void test_again(void)
{
    run(twice, background, 35);
    const uint64_t expected[] = {TAKT_OK, true, TAKT_OK};
    CHECK(memcmp(notes, expected, sizeof expected) == 0);
    CHECK_EQUAL(lives, 2);
    CHECK_EQUAL(thread_runs, 2);
    const unsigned jobs[] = {0, 10, 12, 17, 20, 30};
    unsigned own = 0;
    for (unsigned one = 0; one < job_count; one++) {
        CHECK_EQUAL(jobs_ms[one], jobs[own++]);
    }
    CHECK_EQUAL(own, 6);
}

static void hold_for_long(void *argument)
{
    (void)argument;
    lives++;
    scenario_lock(&shared);
    scenario_sleep_to(lives == 1 ? 20 : 1000);
    takt_mutex_unlock(&shared);
    CHECK(false);
}

static void stop_in_section(void)
{
    scenario_sleep_to(5);
    note(takt_process_stop(&processes[0]));
    note(takt_process_stopped(&processes[0]));
    note(takt_process_start(&processes[0])); /* a task is still in its section */
    scenario_sleep_to(22);
    note(takt_process_stopped(&processes[0]));
    note(takt_process_start(&processes[0]));
}

static void test_in_a_section(void)
{
    run(stop_in_section, hold_for_long, 40);
    const uint64_t expected[] = {TAKT_OK, false, TAKT_STATE, true, TAKT_OK};
    CHECK(memcmp(notes, expected, sizeof expected) == 0);
    CHECK_EQUAL(lives, 2);
}

static void stop_own(void *argument)
{
    (void)argument;
    lives++;
    takt_delay(TAKT_MS(3));
    (void)!takt_process_stop(&processes[0]);
    CHECK(false);
}

static void start_after(void)
{
    scenario_sleep_to(15);
    note(takt_process_stopped(&processes[0]));
    note(takt_process_start(&processes[0]));
}

static void test_its_own(void)
{
    run(start_after, stop_own, 25);
    const uint64_t expected[] = {true, TAKT_OK};
    CHECK(memcmp(notes, expected, sizeof expected) == 0);
    CHECK_EQUAL(lives, 2);
}

static struct takt_alarm *alarm;

static void with_alarm(void *argument)
{
    (void)argument;
    const struct takt_alarm_attributes attributes = {.task = scenario_find("s"), .period_ns = TAKT_MS(5)};
    lives++;
    CHECK_EQUAL(takt_alarm_create(&alarm, &attributes), TAKT_OK);
    CHECK_EQUAL(takt_alarm_start(alarm, lives == 1 ? TAKT_MS(6) : 0), TAKT_OK);
    scenario_sleep_to(1000);
}

static void stop_alarm(void)
{
    scenario_sleep_to(12);
    note(takt_alarm_remaining_ns(alarm));
    note(takt_process_stop(&processes[0]));
    note(takt_alarm_remaining_ns(alarm));
    scenario_sleep_to(13);
    note(takt_process_start(&processes[0]));
    note(takt_alarm_remaining_ns(alarm));
}

/* An alarm that it created stops with it; the next one keeps the distance from its last expiry. */
static void test_alarm(void)
{
    run(stop_alarm, with_alarm, 33);
    const uint64_t expected[] = {TAKT_MS(4), TAKT_OK, TAKT_FOREVER, TAKT_OK, TAKT_MS(3)};
    CHECK(memcmp(notes, expected, sizeof expected) == 0);
    CHECK_EQUAL(lives, 2);
    const unsigned jobs[] = {0, 6, 10, 11, 16, 20, 21, 26, 30, 31};
    CHECK_EQUAL(job_count, 10);
    CHECK(memcmp(jobs_ms, jobs, sizeof jobs) == 0);
}

int main(void)
{
    test_alarm();
    test_on_call();
    test_again();
    test_in_a_section();
    test_its_own();
    return 0;
}
