/* SPDX-License-Identifier: Apache-2.0 */
/* Process c: its only task faults in each job. */
#include "takt_app.h"

void fails_job(void *argument)
{
    (void)argument;
    *(volatile uint32_t *)0xE0000004u = 1; /* nobody's, on either board */
}
