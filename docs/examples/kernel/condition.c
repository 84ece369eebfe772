/* SPDX-License-Identifier: Apache-2.0 */
#include "docs/examples/say.h"
#include "takt_app.h"

static TAKT_MUTEX_DEFINE(lock, 3);
static TAKT_CONDITION_DEFINE(changed, 4);
static int level;

/* Waits until the level is 3: the test is in a loop, since the level may have changed again. */
void condition_example(void *argument)
{
    (void)argument;
    enum takt_status status = takt_mutex_lock(&lock);
    while (status == TAKT_OK && level < 3) {
        status = takt_condition_wait(&changed, &lock); /* owns the mutex again when it returns */
    }
    say("condition: the level is %d", level);
    takt_mutex_unlock(&lock);
}

void condition_other(void *argument)
{
    (void)argument;
    for (int i = 0; i < 3; i++) {
        if (takt_mutex_lock(&lock) == TAKT_OK) {
            level++;
            takt_condition_signal(&changed);
            takt_mutex_unlock(&lock);
        }
    }
}
