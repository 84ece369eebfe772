/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The other file of `across`; the lock is all it has.
 */
#include "tests/hints/program.h"

void across_section(void);
struct takt_mutex across_lock = {.id = 9};

void across_section(void)
{
    takt_mutex_lock(&across_lock);
    takt_work(TAKT_US(50));
    takt_mutex_unlock(&across_lock);
}
