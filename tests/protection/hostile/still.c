/* SPDX-License-Identifier: Apache-2.0 */
/* The fourth process: nobody releases its task, so its memory stays as it was. */
#include "takt_app.h"

extern uint32_t untouched_still[32];
uint32_t untouched_still[32] = {4, 5, 6};

void still_job(void *argument)
{
    (void)argument;
    untouched_still[0]++;
}
