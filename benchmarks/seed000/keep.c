/* SPDX-License-Identifier: Apache-2.0 */
/* The process that keeps a segment attached. */
#include "takt_app.h"

#include "takt/process.h"

void keep_run(void *argument)
{
    (void)argument;
    (void)takt_shared_attach(&kept);
}
