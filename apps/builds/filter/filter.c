// SPDX-License-Identifier: Apache-2.0
#include "filter.h"

int32_t filter_mean(struct filter *filter, int32_t value)
{
    filter->values[filter->next++ % FILTER_VALUES] = value;
    int32_t sum = 0;
    for (uint32_t index = 0; index < FILTER_VALUES; index++) {
        sum += filter->values[index];
    }
    return sum / FILTER_VALUES;
}
