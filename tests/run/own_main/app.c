/* SPDX-License-Identifier: Apache-2.0 */
#include "sensor.h"
#include "takt/fault.h"
#include "takt/time.h"
#include "takt_app.h"

static int zero_point; /* written before the system starts, then read only */

bool sensor_calibrate(void)
{
    zero_point = 42;
    return true;
}

void sample_job(void *argument)
{
    (void)argument;
    TAKT_ASSERT(zero_point == 42);
    takt_work(UINT64_C(500000));
}
