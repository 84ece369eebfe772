/* SPDX-License-Identifier: Apache-2.0 */
/* A task that must notice nothing. */
#include "seed.h"
#include "takt_app.h"

void sharer_job(void *argument)
{
    (void)argument;
    if (takt_mutex_lock(&common) == TAKT_OK) { /* else its owner has died */
        takt_mutex_unlock(&common);
    }
}

void below_job(void *argument)
{
    (void)argument;
    for (volatile uint32_t round = 0; round < ROUNDS_OF_100_US * 9; round++) {
    }
}
