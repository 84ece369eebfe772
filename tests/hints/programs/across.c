/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock is in another file, of a mutex that both know.
 * 1: &across_lock before takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

void across_section(void);
extern struct takt_mutex across_lock;

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_semaphore_wait(&go);
        across_section();
        note(++shared);
    }
}

PROGRAM(across, TASK("w", 3, waiter), OWNER);
