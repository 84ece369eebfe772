/* SPDX-License-Identifier: Apache-2.0 */
/* A task that is ready while high waits. */
#include "seed.h"
#include "takt_app.h"

void mid_job(void *argument)
{
    (void)argument;
    for (volatile uint32_t round = 0; round < ROUNDS_OF_100_US * 100; round++) {
    }
}
