/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A function of the C library is given a function.
 * 1: left: `qsort` calls a function that is passed to it
 */
#include "tests/hints/program.h"

#include <stdlib.h>

static int compare(const void *one, const void *other)
{
    takt_mutex_lock(&b);
    takt_mutex_unlock(&b);
    return *(const int *)one - *(const int *)other;
}

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        int values[3] = {3, 1, 2};
        takt_semaphore_wait(&go);
        qsort(values, 3, sizeof values[0], compare);
        takt_mutex_lock(&a);
        note((unsigned)values[0] + ++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(sorted, TASK("w", 3, waiter), OWNER);
