/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call in the first part of a for, which comes once.
 * 1: &a before for (enum takt_status status = takt_semaphore_wait(&go); status == TAKT_OK; status = TAKT_BUSY) {
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        for (enum takt_status status = takt_semaphore_wait(&go); status == TAKT_OK; status = TAKT_BUSY) {
            note(7);
        }
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(for_first, TASK("w", 3, waiter), OWNER);
