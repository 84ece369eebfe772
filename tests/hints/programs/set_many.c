/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nine mutexes: a set has eight at most.
 * 1: &many[0], &many[1], &many[2], &many[3], &many[4], &many[5], &many[6], &many[7] before takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

static struct takt_mutex many[9] = {{.id = 10}, {.id = 11}, {.id = 12}, {.id = 13}, {.id = 14},
                                    {.id = 15}, {.id = 16}, {.id = 17}, {.id = 18}};

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_semaphore_wait(&go);
        takt_mutex_lock(&many[0]);
        takt_mutex_lock(&many[1]);
        takt_mutex_lock(&many[2]);
        takt_mutex_lock(&many[3]);
        takt_mutex_lock(&many[4]);
        takt_mutex_lock(&many[5]);
        takt_mutex_lock(&many[6]);
        takt_mutex_lock(&many[7]);
        takt_mutex_lock(&many[8]);
        note(++shared);
        takt_mutex_unlock(&many[8]);
        takt_mutex_unlock(&many[7]);
        takt_mutex_unlock(&many[6]);
        takt_mutex_unlock(&many[5]);
        takt_mutex_unlock(&many[4]);
        takt_mutex_unlock(&many[3]);
        takt_mutex_unlock(&many[2]);
        takt_mutex_unlock(&many[1]);
        takt_mutex_unlock(&many[0]);
    }
}

PROGRAM(set_many, TASK("w", 3, waiter), OWNER);
