/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The idle-time method of seed 004, paper D, 5: idle counts turns; knowing what a turn takes undisturbed, what is
 * missing of its time went to the timekeeper meanwhile.
 */
#include "telecom.h"

enum { STACK_SIZE = 512, CALIBRATION = 10000 };

static struct sleeper {
    struct takt_task task;
    struct takt_task_config config;
    uint64_t stack[STACK_SIZE / sizeof(uint64_t)];
} sleepers[SLEEPERS];

static volatile bool measuring; /* the director's, like the periods */
static volatile uint64_t tick_ns, sleep_ns;
static volatile uint32_t wakes; /* of the tick and the sleepers, which do not preempt each other */
static volatile uint32_t turns; /* idle's, like the rest */
static uint64_t calibration_ns; /* of so many turns */
static uint64_t began_ns;

static void wait(struct takt_semaphore *semaphore)
{
    if (takt_semaphore_wait(semaphore) != TAKT_OK) {
        give_up("a semaphore is gone");
    }
}

static void post(struct takt_semaphore *semaphore)
{
    if (takt_semaphore_post(semaphore) != TAKT_OK) {
        give_up("a semaphore is full");
    }
}

static __attribute__((noinline)) void count(uint32_t limit)
{
    for (turns = 0; measuring && turns < limit; turns++) {
        takt_work(TURN_NS);
    }
}

static uint64_t counting_ns(uint32_t limit)
{
    uint64_t from_ns = takt_now();
    count(limit);
    return takt_now() - from_ns;
}

/* Of two lengths the difference: what it takes to ask for the time is in neither. */
void idle(void *argument)
{
    (void)argument;
    uint64_t once_ns = counting_ns(CALIBRATION);
    calibration_ns = counting_ns(2 * CALIBRATION) - once_ns;
    post(&calibrated);
    for (;;) {
        wait(&idle_goes);
        began_ns = takt_now();
        count(UINT32_MAX);
    }
}

void tick(void *argument)
{
    (void)argument;
    for (;;) {
        wait(&tick_goes);
        for (uint64_t next_ns = takt_now() + tick_ns; tick_ns != 0; next_ns += tick_ns) {
            takt_delay_until(next_ns);
            wakes++;
        }
    }
}

static void sleeper(void *argument)
{
    (void)argument;
    for (;;) {
        wait(&sleepers_go);
        while (sleep_ns != 0) {
            takt_delay(sleep_ns);
            wakes++;
        }
    }
}

void keeping_create(void)
{
    for (unsigned i = 0; i < SLEEPERS; i++) {
        sleepers[i].config.name = "sleeper";
        sleepers[i].config.entry = sleeper;
        sleepers[i].config.stack = sleepers[i].stack;
        sleepers[i].config.stack_size = STACK_SIZE;
        task_start(&sleepers[i].task, &sleepers[i].config, TASK_tick);
    }
    measuring = true;
    wait(&calibrated);
    measuring = false;
}

void keeping_begin(const struct keeping *keeping)
{
    tick_ns = keeping->tick_ns;
    sleep_ns = keeping->sleep_ns;
    wakes = 0;
    measuring = true;
    post(&idle_goes);
    if (tick_ns != 0) {
        post(&tick_goes);
    }
    for (unsigned i = 0; sleep_ns != 0 && i < SLEEPERS; i++) {
        post(&sleepers_go);
    }
}

struct keeping_counts keeping_end(void)
{
    struct keeping_counts counts = {began_ns, turns * calibration_ns / CALIBRATION, wakes};
    measuring = false;
    tick_ns = sleep_ns = 0;
    return counts;
}
