/* SPDX-License-Identifier: Apache-2.0 */
/* One task waits for a mutex that the other one sleeps with, until just before its next release. */
#include "seed.h"
#include "takt_app.h"

#define MS UINT64_C(1000000)

void late_job(void *argument)
{
    (void)argument;
    if (takt_mutex_lock(&inside) == TAKT_OK) {
        takt_mutex_unlock(&inside);
    }
    for (volatile uint32_t round = 0; round < ROUNDS_OF_100_US * 190; round++) {
    }
}

void waiter_job(void *argument)
{
    (void)argument;
    if (takt_mutex_lock(&inside) == TAKT_OK) {
        takt_delay_until(takt_job_release_ns() + 119 * MS + MS / 2);
        takt_mutex_unlock(&inside);
    }
}
