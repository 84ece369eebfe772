// SPDX-License-Identifier: Apache-2.0
#include "filter.h"
#include "takt_app.h"

static struct filter filter;
static int32_t last;

void sample_step(void *argument)
{
    (void)argument;
    static int32_t value;
    value = (value * 13 + 7) % 1000;
    last = filter_mean(&filter, value);
}

void report_step(void *argument)
{
    (void)argument;
    takt_log_info("mean %d of %d samples", (int)last, SAMPLES);
}
