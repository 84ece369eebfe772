/* SPDX-License-Identifier: Apache-2.0 */
/* Becomes lib/libfilter.a, an archive that others made. */
#include "brought/filter.h"

int filter_step(struct filter *filter, int value)
{
    filter->state += (value - filter->state) / filter->order;
    return filter->state;
}
