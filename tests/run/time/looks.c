/* SPDX-License-Identifier: Apache-2.0 */
/* At 1.75 s and 2.25 s, within 10 ms. */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>

#include "takt_app.h"

void looks_job(void *argument)
{
    (void)argument;
    struct timeval now;
    time_t stored;
    time_t seconds = time(&stored);
    int whole = gettimeofday(&now, NULL);
    unsigned hundredths = (unsigned)(clock() / (CLOCKS_PER_SEC / 100));
    printf("time %ld %ld of day %d %ld.%02ld clock %u\n", (long)seconds, (long)stored, whole, (long)now.tv_sec,
           (long)now.tv_usec / 10000, hundredths);
#if defined(__linux__)
    struct timespec exact;
    (void)clock_gettime(CLOCK_MONOTONIC, &exact);
    printf("exact %ld.%02ld\n", (long)exact.tv_sec, exact.tv_nsec / 10000000);
#endif
}
