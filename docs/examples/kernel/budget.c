/* SPDX-License-Identifier: Apache-2.0 */
#include "docs/examples/say.h"
#include "takt_app.h"

/* Called in an interrupt when a job of a task with on_budget = "notify" has used up its budget. */
void takt_app_budget(struct takt_task *task)
{
    say("budget: used up, %u times so far", (unsigned)takt_task_exhausted(task));
}

static void say_left(void)
{
    say("budget: %u ms are left", (unsigned)(takt_task_budget_ns(takt_task_running()) / TAKT_MS(1)));
}

/* Each job may execute for 20 ms (system.toml). */
void budget_example(void *argument)
{
    (void)argument;
    say_left();
    takt_work(TAKT_MS(8));
    say_left();
}
