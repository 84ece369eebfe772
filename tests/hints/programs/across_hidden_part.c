/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The other file of `across_hidden`.
 */
#include "tests/hints/program.h"

void across_hidden_section(void);
static struct takt_mutex hidden = {.id = 9};

void across_hidden_section(void)
{
    takt_mutex_lock(&hidden);
    takt_work(TAKT_US(50));
    takt_mutex_unlock(&hidden);
}
