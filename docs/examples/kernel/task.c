/* SPDX-License-Identifier: Apache-2.0 */
#include "docs/examples/say.h"
#include "takt_app.h"

/* A sporadic task: a job for each release, at least 5 ms after the one before (system.toml). */
void task_served(void *argument)
{
    (void)argument;
    say("task: released at %u ms", (unsigned)(takt_job_release_ns() / TAKT_MS(1)));
}

void task_example(void *argument)
{
    (void)argument;
    takt_job_release(TASK_served);
    takt_job_release(TASK_served); /* waits for the inter-arrival time */
    takt_delay(TAKT_MS(20));
    struct takt_task_statistics statistics = takt_task_statistics(TASK_served);
    say("task: %u jobs done, %u misses", (unsigned)statistics.jobs_completed, (unsigned)statistics.misses);
}
