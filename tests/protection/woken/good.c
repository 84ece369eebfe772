/* SPDX-License-Identifier: Apache-2.0 */
/* When it is released, the trace says. */
#include "takt_app.h"

void victim_job(void *argument)
{
    (void)argument;
}
