/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time of C: what has passed since the start, and for the time of day from what settimeofday said. With processes,
 * which share no variable, it begins at 0 for all, and nobody may set it. O(1), no mutex. On host these come before the
 * machine's C library for whatever is linked, so that nothing reads or sets the machine's clock.
 */
#define _GNU_SOURCE /* of the host's C library: clock_settime */
#include <errno.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

#include "kernel/port.h"
#include "library/time/of_day.h"
#include "takt/time.h"

#define SECOND_NS TAKT_S(1)
#define MICROSECOND_NS TAKT_US(1)

#if TAKT_PROCESSES
uint64_t takti_time_of_day_ns(void)
{
    return takt_now();
}

static int set_ns(uint64_t now_ns)
{
    (void)now_ns;
    errno = EPERM;
    return -1;
}
#else
static uint64_t origin_ns; /* time of day at the start, modulo 2^64: kernel lock, it is two words */

uint64_t takti_time_of_day_ns(void)
{
    uint32_t lock = takt_port_lock();
    uint64_t from_ns = origin_ns;
    takt_port_unlock(lock);
    return from_ns + takt_now();
}

static int set_ns(uint64_t now_ns)
{
    uint64_t from_ns = now_ns - takt_now();
    uint32_t lock = takt_port_lock();
    origin_ns = from_ns;
    takt_port_unlock(lock);
    return 0;
}
#endif

int settimeofday(const struct timeval *now, const struct timezone *zone)
{
    uint64_t now_ns;
    (void)zone;
    if (now == NULL || !takti_time_ns(now->tv_sec, now->tv_usec, MICROSECOND_NS, &now_ns)) {
        errno = EINVAL;
        return -1;
    }
    return set_ns(now_ns);
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    uint64_t now_ns = takti_time_of_day_ns();
    (void)zone;
    now->tv_sec = (time_t)(now_ns / SECOND_NS);
    now->tv_usec = (suseconds_t)(now_ns % SECOND_NS / MICROSECOND_NS);
    return 0;
}

time_t time(time_t *now)
{
    time_t seconds = (time_t)(takti_time_of_day_ns() / SECOND_NS);
    if (now != NULL) {
        *now = seconds;
    }
    return seconds;
}

/* Of all tasks together, idle's included: none knows how much of it was its own. */
clock_t clock(void)
{
    return (clock_t)(takt_now() / (SECOND_NS / CLOCKS_PER_SEC));
}

#if defined(__linux__) /* picolibc declares these for no board */
int clock_gettime(clockid_t which, struct timespec *now)
{
    bool of_day = which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE;
    uint64_t now_ns = of_day ? takti_time_of_day_ns() : takt_now();
    now->tv_sec = (time_t)(now_ns / SECOND_NS);
    now->tv_nsec = (long)(now_ns % SECOND_NS);
    return 0;
}

int clock_settime(clockid_t which, const struct timespec *now)
{
    uint64_t now_ns;
    if (which != CLOCK_REALTIME || !takti_time_ns(now->tv_sec, now->tv_nsec, 1, &now_ns)) {
        errno = EINVAL;
        return -1;
    }
    return set_ns(now_ns);
}

int timespec_get(struct timespec *now, int base)
{
    return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, now) == 0 ? base : 0;
}
#endif
