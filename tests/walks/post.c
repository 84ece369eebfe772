/* SPDX-License-Identifier: Apache-2.0 */
/* A post that wakes a better task, from the call to the task that it wakes. */
#include "kernel/test/support/scenario.h"
#include "walk.h"

static struct takt_semaphore semaphore;

static void wait(void *argument)
{
    (void)argument;
    CHECK(takt_semaphore_wait(&semaphore) == TAKT_OK);
    walk_end();
    walk_print();
}

static void post(void *argument)
{
    (void)argument;
    walk_begin();
    (void)takt_semaphore_post(&semaphore);
}

int main(void)
{
    scenario_new();
    takt_semaphore_init(&semaphore, 0, NULL, 0, 1);
    scenario_task("w", 0, wait);
    scenario_task("p", 1, post);
    scenario_run(1);
    return 1;
}
