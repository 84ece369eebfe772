/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time of C: what has passed since the start, and for the time of day from what settimeofday said. With processes,
 * which share no variable, it begins at 0 for all, and nobody may set it. O(1), no mutex.
 */
#if defined(__linux__)
#include "library/time/host_names.h"
#endif

#include <errno.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

#include "kernel/port.h"
#include "takt/time.h"

#define SECOND_NS TAKT_S(1)
#define MICROSECOND_NS TAKT_US(1)

#if TAKT_PROCESSES
static uint64_t time_of_day_ns(void)
{
    return takt_now();
}

int settimeofday(const struct timeval *now, const struct timezone *zone)
{
    (void)now;
    (void)zone;
    errno = EPERM;
    return -1;
}
#else
static uint64_t origin_ns; /* time of day at the start, modulo 2^64: kernel lock, it is two words */

static uint64_t time_of_day_ns(void)
{
    uint32_t lock = takt_port_lock();
    uint64_t from_ns = origin_ns;
    takt_port_unlock(lock);
    return from_ns + takt_now();
}

int settimeofday(const struct timeval *now, const struct timezone *zone)
{
    (void)zone;
    if (now == NULL || now->tv_sec < 0 || (uint64_t)now->tv_sec > INT64_MAX / SECOND_NS || now->tv_usec < 0 ||
        now->tv_usec >= 1000000) {
        errno = EINVAL;
        return -1;
    }
    uint64_t now_ns = (uint64_t)now->tv_sec * SECOND_NS + (uint64_t)now->tv_usec * MICROSECOND_NS;
    uint64_t from_ns = now_ns - takt_now();
    uint32_t lock = takt_port_lock();
    origin_ns = from_ns;
    takt_port_unlock(lock);
    return 0;
}
#endif

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    uint64_t now_ns = time_of_day_ns();
    (void)zone;
    now->tv_sec = (time_t)(now_ns / SECOND_NS);
    now->tv_usec = (suseconds_t)(now_ns % SECOND_NS / MICROSECOND_NS);
    return 0;
}

time_t time(time_t *now)
{
    time_t seconds = (time_t)(time_of_day_ns() / SECOND_NS);
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

#if defined(__linux__) /* picolibc declares it for no board */
int clock_gettime(clockid_t which, struct timespec *now)
{
    uint64_t now_ns = which == CLOCK_REALTIME ? time_of_day_ns() : takt_now();
    now->tv_sec = (time_t)(now_ns / SECOND_NS);
    now->tv_nsec = (long)(now_ns % SECOND_NS);
    return 0;
}
#endif
