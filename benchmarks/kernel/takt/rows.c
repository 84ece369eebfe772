/* SPDX-License-Identifier: Apache-2.0 */
#include "rows.h"

#include "harness.h"

enum { RELEASED_MAX = 64 };
static const uint64_t apart_ns = 1000; /* expiries that are distinct, and all come before the interrupt is let in */

/*
 * The release of a periodic job until it runs, and from its end back to the task that it preempted. That one holds the
 * interrupt back until the expiry has passed.
 */
static const uint64_t period_ns = TAKT_MS(1);
static struct thread job_thread;
static volatile uint64_t job_released_ns;

static void job(void *argument)
{
    (void)argument;
    stamp_end(1);
    job_released_ns = takt_job_release_ns();
    effects++;
    stamp_begin(2);
}

static void job_setup(void)
{
    job_prepare(&job_thread, job, LEVEL_ABOVE, period_ns, 0);
    thread_create_prepared(&job_thread, job, LEVEL_ABOVE);
}

static void job_once(void)
{
    expiry_await(job_released_ns + period_ns, job_released_ns + period_ns);
    stamp_begin(0);
    expiry_pass();
    stamp_end(3);
}

static void job_drop(void)
{
    thread_delete(&job_thread);
}

/* Sleepers as in due_n, each with an expiry of its own. */
static volatile uint64_t due_first;
static unsigned sleepers;
static volatile unsigned asleep;

static void sleeper(void *argument)
{
    (void)argument;
    for (;;) {
        thread_sleep_until(due_first + apart_ns * asleep++);
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

static void due_apart_setup(unsigned count)
{
    sleepers = count;
    asleep = 0;
    due_first = expiry_ahead(count);
    for (unsigned i = 0; i < count; i++) {
        thread_take(sleeper, LEVEL_BELOW);
    }
    thread_take(returner, LEVEL_RETURN);
}

static void due_apart_8_setup(void)
{
    due_apart_setup(8);
}

static void due_apart_32_setup(void)
{
    due_apart_setup(32);
}

static void due_apart_64_setup(void)
{
    due_apart_setup(64);
}

static void due_apart_once(void)
{
    asleep = 0;
    due_first = expiry_ahead(sleepers);
    thread_suspend_self(&runner);
    expiry_await(due_first, due_first + apart_ns * sleepers);
    stamp_begin(0);
    expiry_pass();
    stamp_end(1);
}

static const struct row job_rows[] = {
    {"job_release", job_setup, job_once, 1, 0, 1, false, 0},
    {"job_complete", job_setup, job_once, 1, 2, 3, false, 0},
};

static const struct row due_rows[] = {
    {"due_8_distinct", due_apart_8_setup, due_apart_once, 8, 0, 1, false, 9},
    {"due_32_distinct", due_apart_32_setup, due_apart_once, 32, 0, 1, false, 33},
    {"due_64_distinct", due_apart_64_setup, due_apart_once, 64, 0, 1, false, 65},
};

void own_rows_measure(void)
{
    for (unsigned i = 0; i < 2; i++) {
        harness_measure(&job_rows[i], 1);
        job_drop();
    }
    harness_measure(due_rows, sizeof due_rows / sizeof due_rows[0]);
    message_rows_measure();
    buffer_rows_measure();
    alarm_rows_measure();
    lock_rows_measure();
}

/* Jobs below the runner, which run between two rounds. */
static struct thread released[RELEASED_MAX];
static unsigned released_count;
static uint64_t last_offset_ns;
static uint64_t released_period_ns;

static void released_job(void *argument)
{
    (void)argument;
    effects++;
}

void releases_init(unsigned count, bool distinct)
{
    released_count = count;
    released_period_ns = TAKT_US(120) * (4u + count);
    for (unsigned i = 0; i < count; i++) {
        last_offset_ns = distinct ? apart_ns * i : 0;
        job_prepare(&released[i], released_job, LEVEL_BELOW, released_period_ns, last_offset_ns);
        thread_create_prepared(&released[i], released_job, LEVEL_BELOW);
    }
}

static uint64_t release_next_ns(void)
{
    return (takt_now() / released_period_ns + 1u) * released_period_ns;
}

/* Goes on soon after a release, so that the next is far enough. */
static void releases_setup(void)
{
    thread_take(returner, LEVEL_RETURN);
    takt_work(release_next_ns() + last_offset_ns + TAKT_US(1) - takt_now());
}

static void releases_once(void)
{
    thread_suspend_self(&runner);
    uint64_t next_ns = release_next_ns();
    expiry_await(next_ns, next_ns + last_offset_ns);
    stamp_begin(0);
    expiry_pass();
    stamp_end(1);
}

void releases_measure(void)
{
    const struct row row = {"release", releases_setup, releases_once, released_count, 0, 1, false, 1};
    harness_measure(&row, 1);
}
