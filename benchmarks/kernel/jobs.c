/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs among some tasks of a fixed or an edf band. `spinner` holds a job all the time; `short` is released every
 * millisecond with a better key; the others are ready with worse ones. The spinner locks, lets the instant of a release
 * pass, stamps, and unlocks: from there to the job's first instruction is the release (timer interrupt and switch
 * included), and from the job's last instruction back to the spinner the completion.
 */
#include "benchmark.h"
#include "kernel/port.h"

static const uint64_t period_ns = TAKT_MS(1);
static unsigned jobs_run;

static void short_job(void *argument)
{
    (void)argument;
    stamp(1);
    jobs_run++;
    stamp(2);
}

static void other_job(void *argument)
{
    (void)argument;
}

static void spinner_job(void *argument)
{
    uint32_t release_most = 0;
    uint32_t complete_most = 0;
    (void)argument;
    for (unsigned i = 0; i < REPEATS; i++) {
        uint32_t state = takt_port_lock();
        uint64_t until_ns = (takt_port_now_ns() / period_ns + 1) * period_ns;
        while (takt_port_now_ns() < until_ns) {
        }
        stamp(0);
        takt_port_unlock(state);
        stamp(3);
        uint32_t release = instructions_between(stamps[0], stamps[1]);
        uint32_t complete = instructions_between(stamps[2], stamps[3]);
        release_most = release > release_most ? release : release_most;
        complete_most = complete > complete_most ? complete : complete_most;
    }
    benchmark_row("jobs_run", jobs_run);
    benchmark_row("release_until_job_runs", release_most);
    benchmark_row("completion_until_next_runs", complete_most);
    benchmark_end();
}

void jobs_init(void)
{
    uint64_t tasks = benchmark_option("jobs", 4);
    bool edf = benchmark_option("edf", 0) != 0;
    (void)benchmark_task(short_job, edf ? LEVEL_EDF : LEVEL_HIGHER, period_ns, period_ns);
    (void)benchmark_task(spinner_job, edf ? LEVEL_EDF : LEVEL_EQUAL, TAKT_S(10), TAKT_S(5));
    for (uint64_t i = 2; i < tasks; i++) {
        uint64_t deadline_ns = TAKT_S(6) + i * 1000u;
        (void)benchmark_task(other_job, edf ? LEVEL_EDF : LEVEL_FIXED, 2 * deadline_ns, deadline_ns);
    }
}
