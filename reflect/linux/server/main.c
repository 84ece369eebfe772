/* SPDX-License-Identifier: Apache-2.0 */
/* takt-reflectd: reads a plan from its standard input (plan.h), and serves it until SIGTERM or SIGINT. `takt reflectd`
 * writes the plan. Exit code 2: there is something wrong with the plan, or with what it asks for.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "control.h"

enum { LOOK_MS = 50, BUFFER = 4 << 20, THREADS = 3 };

static struct takti_server server = {.folder = -1, .socket = -1};

static bool fail(const char *what)
{
    takti_fail(TAKT_STATE, "%s: %s", what, strerror(errno));
    return false;
}

static bool read_plan(void)
{
    static char text[TAKTI_PLAN_MAX];
    size_t length = 0;
    for (ssize_t count = 1; count > 0 && length < sizeof text; length += (size_t)count) {
        count = read(STDIN_FILENO, text + length, sizeof text - length);
        if (count < 0) {
            return fail("the plan");
        }
    }
    bool read = takti_plan_read(&server.plan, text, length);
    sodium_memzero(text, sizeof text);
    return read;
}

static bool open_socket(void)
{
    const struct sockaddr *address = (const struct sockaddr *)(const void *)server.plan.address.bytes;
    int buffer = BUFFER;
    int yes = 1;
    struct timeval at_most = {.tv_usec = 200000}; /* then the receiver looks whether it shall end */
    server.six = address->sa_family == AF_INET6;
    server.socket = socket(address->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (server.socket < 0 || bind(server.socket, address, server.plan.address.length) != 0) {
        return fail("the address of the node");
    }
    setsockopt(server.socket, SOL_SOCKET, SO_RCVTIMEO, &at_most, sizeof at_most);
    setsockopt(server.socket, SOL_SOCKET, SO_RXQ_OVFL, &yes, sizeof yes);
    if (setsockopt(server.socket, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer) != 0) {
        setsockopt(server.socket, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    }
    return true;
}

/* Real-time priority and memory that stays, where the system permits them, and a word where not. */
static void become_real_time(void)
{
    struct sched_param param = {.sched_priority = (int)server.plan.priority + 3};
    prctl(PR_SET_TIMERSLACK, 1);
    if (server.plan.priority == 0) {
        fprintf(stderr, "takt-reflectd: without real-time priority, as asked for\n");
        return;
    }
    server.real_time = sched_setscheduler(0, SCHED_FIFO, &param) == 0;
    if (!server.real_time) {
        fprintf(stderr,
                "takt-reflectd: without real-time priority (%s): deadlines hold as far as other programs let them; "
                "give it CAP_SYS_NICE, or RLIMIT_RTPRIO of %d\n",
                strerror(errno), param.sched_priority);
    } else if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
        fprintf(stderr, "takt-reflectd: its memory may be paged out (%s): raise RLIMIT_MEMLOCK\n", strerror(errno));
    }
    struct sched_param usual = {0};
    sched_setscheduler(0, SCHED_OTHER, &usual);
}

static bool has_waitv(void)
{
    return syscall(SYS_futex_waitv, NULL, 0, 0, NULL, CLOCK_MONOTONIC) == 0 || errno != ENOSYS;
}

static bool make_lock(void)
{
    pthread_mutexattr_t inherit;
    bool made = pthread_mutexattr_init(&inherit) == 0 &&
                pthread_mutexattr_setprotocol(&inherit, PTHREAD_PRIO_INHERIT) == 0 &&
                pthread_mutex_init(&server.lock, &inherit) == 0;
    return made || fail("a mutex");
}

static bool begin(void)
{
    if (!has_waitv()) {
        takti_fail(TAKT_STATE,
                   "this system cannot wait for several areas (futex_waitv): Linux 5.16 or newer is needed");
        return false;
    }
    server.folder = takti_folder_open();
    return server.folder >= 0 && make_lock() && open_socket();
}

/* Looks for writers and answers the tool, until a signal. */
static void serve(int signals, int listening)
{
    struct pollfd events[] = {{.fd = signals, .events = POLLIN}, {.fd = listening, .events = POLLIN}};
    takti_channels_look(&server, true);
    while (poll(events, 2, LOOK_MS) >= 0 && events[0].revents == 0) {
        takti_channels_look(&server, false);
        if (events[1].revents != 0) {
            takti_control_answer(&server, listening);
        }
    }
}

static bool run(int signals, int listening)
{
    static void *(*const bodies[THREADS])(void *) = {takti_pusher, takti_receiver, takti_dispatcher};
    static const int above[THREADS] = {-1, 2, 3};
    pthread_t threads[THREADS];
    int started = 0;
    pthread_mutex_lock(&server.lock); /* they begin when all are there */
    while (started < THREADS && pthread_create(&threads[started], NULL, bodies[started], &server) == 0) {
        takti_set_priority(&server, threads[started], above[started]);
        started++;
    }
    server.pusher = threads[0];
    server.ending = started < THREADS;
    pthread_mutex_unlock(&server.lock);
    if (started == THREADS) {
        printf("takt-reflectd: %s serves %u channels out and %u in\n", server.plan.node, server.plan.sender_count,
               server.plan.receiver_count);
        fflush(stdout);
        serve(signals, listening);
    }
    pthread_mutex_lock(&server.lock);
    server.ending = true;
    pthread_mutex_unlock(&server.lock);
    takti_kick(&server.push);
    takti_kick(&server.dispatch);
    shutdown(server.socket, SHUT_RD); /* wakes the receiver, though it says that it cannot */
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    return started == THREADS || fail("a thread");
}

int main(void)
{
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    bool good = sodium_init() >= 0 && sigprocmask(SIG_BLOCK, &ends, NULL) == 0 && read_plan() && begin();
    int signals = signalfd(-1, &ends, SFD_CLOEXEC);
    int listening = good ? takti_control_open(&server) : -1;
    good = good && listening >= 0 && takti_channels_open(&server);
    if (good) {
        become_real_time();
        good = run(signals, listening);
    }
    if (!good) {
        fprintf(stderr, "takt-reflectd: %s\n", takt_reflect_error());
    }
    takti_channels_close(&server);
    if (listening >= 0) {
        takti_control_close(&server, listening);
    }
    takti_plan_free(&server.plan);
    return good ? 0 : 2;
}
