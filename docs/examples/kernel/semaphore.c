/* SPDX-License-Identifier: Apache-2.0 */
#include "docs/examples/say.h"
#include "takt_app.h"

static TAKT_SEMAPHORE_DEFINE(units, 2, 0, 10); /* none at the start, at most 10 */

/* Waits for two units. */
void semaphore_example(void *argument)
{
    (void)argument;
    if (takt_semaphore_try_wait(&units) == TAKT_BUSY) {
        say("semaphore: none is there");
    }
    for (int i = 0; i < 2; i++) {
        if (takt_semaphore_wait(&units) == TAKT_OK) {
            say("semaphore: got one");
        }
    }
}

void semaphore_other(void *argument)
{
    (void)argument;
    takt_semaphore_post(&units);
    takt_semaphore_post(&units);
    takt_semaphore_post(&units);
    say("semaphore: %u left", (unsigned)takt_semaphore_count(&units));
}
