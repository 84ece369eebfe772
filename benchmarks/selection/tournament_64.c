/* SPDX-License-Identifier: Apache-2.0 */
/* Tournament of 64 leaves, whatever the number of tasks. */
#include <stdint.h>

static uint16_t leaves_for(unsigned count)
{
    (void)count;
    return 64;
}

#include "tournament.h"
