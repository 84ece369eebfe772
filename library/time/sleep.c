/* SPDX-License-Identifier: Apache-2.0 */
/* The waits of C by time: those of takt_delay, for the calling task alone. No signal ends them. */
#define _GNU_SOURCE /* of the host's C library: usleep, clock_nanosleep */
#include <errno.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "library/time/of_day.h"
#include "takt/time.h"

unsigned sleep(unsigned seconds)
{
    takt_delay(TAKT_S(seconds));
    return 0;
}

int usleep(useconds_t microseconds)
{
    takt_delay(TAKT_US(microseconds));
    return 0;
}

#if defined(__linux__) /* picolibc declares these for no board */
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left)
{
    uint64_t time_ns;
    (void)left;
    if ((clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) ||
        !takti_time_ns(time->tv_sec, time->tv_nsec, 1, &time_ns)) {
        return EINVAL;
    }
    if ((flags & TIMER_ABSTIME) == 0) {
        takt_delay(time_ns);
        return 0;
    }
    uint64_t origin_ns = clock == CLOCK_REALTIME ? takti_time_of_day_ns() - takt_now() : 0;
    takt_delay_until(time_ns > origin_ns ? time_ns - origin_ns : 0);
    return 0;
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
    errno = clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);
    return errno == 0 ? 0 : -1;
}
#endif
