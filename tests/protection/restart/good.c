/* SPDX-License-Identifier: Apache-2.0 */
#include "takt_app.h"

void poster_job(void *argument)
{
    (void)argument;
    (void)takt_semaphore_post(&go);
}
