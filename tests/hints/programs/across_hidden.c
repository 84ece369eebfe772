/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mutex is known to the other file only.
 * 1: left: `hidden` is not declared here
 */
#include "tests/hints/program.h"

void across_hidden_section(void);

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_semaphore_wait(&go);
        across_hidden_section();
        note(++shared);
    }
}

PROGRAM(across_hidden, TASK("w", 3, waiter), OWNER);
