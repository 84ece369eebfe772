/* SPDX-License-Identifier: Apache-2.0 */
/* Tournament with as many leaves as the tasks need. */
#include <stdint.h>

static uint16_t leaves_for(unsigned count)
{
    uint16_t leaves = 2;
    while (leaves < count) { /* log2(count) times */
        leaves *= 2;
    }
    return leaves;
}

#include "tournament.h"
