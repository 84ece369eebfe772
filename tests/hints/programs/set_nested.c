/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three in each other; the first once more behind the others.
 * 1: &a, &b, &device.lock in while
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    while (takt_semaphore_wait(&go) == TAKT_OK) {
        if (takt_mutex_lock(&a) != TAKT_OK) {
            return;
        }
        if (takt_mutex_lock(&b) == TAKT_OK) {
            note(++shared);
            if (takt_mutex_lock(&device.lock) == TAKT_OK) {
                takt_mutex_unlock(&device.lock);
            }
            takt_mutex_unlock(&b);
        }
        takt_mutex_unlock(&a);
        if (takt_mutex_lock(&a) == TAKT_OK) {
            takt_mutex_unlock(&a);
        }
    }
}

PROGRAM(set_nested, TASK("w", 3, waiter), OWNER);
