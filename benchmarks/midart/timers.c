/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of timers that all expire at the same time: a thread waits for all of them at once, as a dispatcher does
 * that releases a task at each. Prints a line for each expiry: ns from it until the last is handled, and ns of the
 * processor.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { TIMERS_MAX = 64, SECOND = 1000000000 };

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

static struct timespec of_ns(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / SECOND), (long)(ns % SECOND)};
}

/* 0: as wanted. */
static int start(int poller, int timers, uint64_t first_ns, uint64_t period_ns)
{
    struct itimerspec when = {of_ns(period_ns), of_ns(first_ns)};
    for (int index = 0; index < timers; index++) {
        int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
        struct epoll_event event = {EPOLLIN, {.fd = timer}};
        if (timer < 0 || timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL) != 0 ||
            epoll_ctl(poller, EPOLL_CTL_ADD, timer, &event) != 0) {
            return 1;
        }
    }
    return 0;
}

int main(int count, char **words)
{
    if (count != 4) {
        fprintf(stderr, "TIMERS PERIOD_NS EXPIRIES\n");
        return 2;
    }
    int timers = atoi(words[1]);
    uint64_t period_ns = strtoull(words[2], NULL, 10), expiries = strtoull(words[3], NULL, 10);
    int poller = epoll_create1(EPOLL_CLOEXEC);
    uint64_t due_ns = clock_ns(CLOCK_MONOTONIC) + 2 * period_ns;
    if (timers < 1 || timers > TIMERS_MAX || poller < 0 || start(poller, timers, due_ns, period_ns) != 0) {
        perror("timers");
        return 1;
    }
    for (uint64_t expiry = 0; expiry < expiries; expiry++, due_ns += period_ns) {
        uint64_t spent_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        for (int handled = 0; handled < timers;) {
            struct epoll_event events[TIMERS_MAX];
            int ready = epoll_wait(poller, events, TIMERS_MAX, -1);
            for (int index = 0; index < ready; index++) {
                uint64_t times;
                handled += read(events[index].data.fd, &times, sizeof times) == sizeof times;
            }
        }
        uint64_t end_ns = clock_ns(CLOCK_MONOTONIC);
        printf("%" PRIu64 " %" PRIu64 "\n", end_ns - due_ns, clock_ns(CLOCK_THREAD_CPUTIME_ID) - spent_ns);
    }
    return 0;
}
