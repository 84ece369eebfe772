/* SPDX-License-Identifier: Apache-2.0 */
/* A task that must notice nothing. */
#include "seed.h"
#include "takt_app.h"

static void work(uint32_t rounds)
{
    for (volatile uint32_t round = 0; round < rounds; round++) {
    }
}

void high_job(void *argument)
{
    (void)argument;
    work(ROUNDS_OF_100_US * 2);
}

void mid_job(void *argument)
{
    (void)argument;
    work(ROUNDS_OF_100_US * 6);
}

void low_job(void *argument)
{
    (void)argument;
    work(ROUNDS_OF_100_US * 18);
}

void knocked_job(void *argument)
{
    (void)argument;
    work(ROUNDS_OF_100_US);
}
