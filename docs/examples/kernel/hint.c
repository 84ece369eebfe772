/* SPDX-License-Identifier: Apache-2.0 */
#include "docs/examples/say.h"
#include "takt_app.h"

static TAKT_MUTEX_DEFINE(sample, 7);
static TAKT_SEMAPHORE_DEFINE(fresh, 8, 0, 1);

/* Locks the mutex after each wait, and says so before: it is not woken only to wait for the mutex. */
void hint_example(void *argument)
{
    (void)argument;
    takt_hint_next(&sample);
    if (takt_semaphore_wait(&fresh) == TAKT_OK && takt_mutex_lock(&sample) == TAKT_OK) {
        say("hint: runs with the mutex");
        takt_mutex_unlock(&sample);
    }
}

void hint_other(void *argument)
{
    (void)argument;
    if (takt_mutex_lock(&sample) == TAKT_OK) {
        takt_semaphore_post(&fresh); /* without the hint this would switch twice */
        say("hint: the owner still runs");
        takt_mutex_unlock(&sample);
    }
}
