/* SPDX-License-Identifier: Apache-2.0 */
/* The process that is made. */
#include "takt_app.h"

void begin_run(void *argument)
{
    (void)argument;
    ++*(volatile uint32_t *)&begun;
}
