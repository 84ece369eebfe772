/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_TIME_OF_DAY_H
#define TAKTI_TIME_OF_DAY_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "takt/time.h"

/* Between the files of the time of C. */

/* The time of day in ns: what has passed since the start, and the origin. Context: any. O(1). */
uint64_t takti_time_of_day_ns(void);

/* A time in seconds and parts of a second of `part_ns` each, in ns; false: it is negative, has a whole second in its
 * parts, or is later than INT64_MAX ns. Context: any. O(1). */
static inline bool takti_time_ns(time_t seconds, long parts, uint32_t part_ns, uint64_t *time_ns)
{
    if (seconds < 0 || (uint64_t)seconds >= INT64_MAX / TAKT_S(1) || parts < 0 ||
        (uint64_t)parts >= TAKT_S(1) / part_ns) {
        return false;
    }
    *time_ns = TAKT_S(seconds) + (uint64_t)parts * part_ns;
    return true;
}

#endif
