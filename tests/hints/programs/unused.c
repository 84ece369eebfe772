/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nobody calls the function.
 * 1: left: no task calls `nobody`
 */
#include "tests/hints/program.h"

void nobody(void);

void nobody(void)
{
    takt_semaphore_wait(&go);
}

static void waiter(void *argument)
{
    (void)argument;
    note(1);
}

PROGRAM(unused, TASK("w", 3, waiter));
