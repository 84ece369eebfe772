// SPDX-License-Identifier: Apache-2.0
#include "filter.h"
#include "takt_app.h"

static struct filter filter;

void sample_step(void *argument)
{
    (void)argument;
    static int32_t value;
    value = (value * 13 + 7) % 1000;
    int32_t newest = filter_mean(&filter, value);
    mean_write(&newest);
}

void report_step(void *argument)
{
    (void)argument;
    int32_t newest;
    if (mean_read(&newest) == TAKT_OK) {
        takt_log_info("mean %d of %d samples", (int)newest, SAMPLES);
    }
}
