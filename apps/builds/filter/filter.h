// SPDX-License-Identifier: Apache-2.0
// The mean of the last values: a library that knows nothing of Takt.
#ifndef FILTER_H
#define FILTER_H

#include <stdint.h>

#define FILTER_VALUES 8

struct filter {
    int32_t values[FILTER_VALUES];
    uint32_t next;
};

int32_t filter_mean(struct filter *filter, int32_t value);

#endif
