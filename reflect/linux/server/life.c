/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "server.h"

enum { BUFFER = 4 << 20, DESCRIPTORS_MIN = 64 };

bool taktr_fail_errno(const char *what)
{
    taktr_fail(TAKT_STATE, "%s: %s", what, strerror(errno));
    return false;
}

bool taktr_server_signalled(const struct taktr_server *server)
{
    struct pollfd signals = {.fd = server->signals, .events = POLLIN};
    return server->signals >= 0 && poll(&signals, 1, 0) > 0;
}

void taktr_say(int descriptor, const char *words, ...)
{
    char text[1024] = "takt-reflectd: "; /* less than a pipe that has room for anything takes at once */
    size_t length = strlen(text);
    struct pollfd reader = {.fd = descriptor, .events = POLLOUT};
    va_list arguments;
    va_start(arguments, words);
    vsnprintf(text + length, sizeof text - length - 1, words, arguments);
    va_end(arguments);
    length = strlen(text);
    text[length] = '\n';
    if (poll(&reader, 1, 0) > 0 && (reader.revents & POLLOUT) != 0) {
        ssize_t written = write(descriptor, text, length + 1);
        (void)written; /* its reader has gone */
    }
}

static bool open_socket(struct taktr_server *server)
{
    const struct sockaddr *address = (const struct sockaddr *)(const void *)server->plan.address.bytes;
    int buffer = BUFFER;
    int yes = 1;
    struct timeval at_most = {.tv_usec = 200000}; /* then the receiver looks whether it shall end */
    server->six = address->sa_family == AF_INET6;
    server->socket = socket(address->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (server->socket < 0 || bind(server->socket, address, server->plan.address.length) != 0) {
        return taktr_fail_errno("the address of the node");
    }
    setsockopt(server->socket, SOL_SOCKET, SO_RCVTIMEO, &at_most, sizeof at_most);
    setsockopt(server->socket, SOL_SOCKET, SO_RXQ_OVFL, &yes, sizeof yes);
    if (setsockopt(server->socket, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer) != 0) {
        setsockopt(server->socket, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    }
    return true;
}

static bool has_waitv(void)
{
    return syscall(SYS_futex_waitv, NULL, 0, 0, NULL, CLOCK_MONOTONIC) == 0 || errno != ENOSYS;
}

static bool make_lock(struct taktr_server *server)
{
    pthread_mutexattr_t inherit;
    bool made = pthread_mutexattr_init(&inherit) == 0 &&
                pthread_mutexattr_setprotocol(&inherit, PTHREAD_PRIO_INHERIT) == 0 &&
                pthread_mutex_init(&server->lock, &inherit) == 0;
    return made || taktr_fail_errno("a mutex");
}

/* Areas that are written here take three descriptors each, and each client one: all that the user may have. */
static bool raise_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return taktr_fail_errno("the limit of open files");
    }
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_max < DESCRIPTORS_MIN) {
        taktr_fail(TAKT_STATE, "at most %u files may be open (ulimit -n), but a server needs %d, and 3 for each area",
                   (unsigned)limit.rlim_max, DESCRIPTORS_MIN);
        return false;
    }
    return true;
}

bool taktr_server_begin(struct taktr_server *server)
{
    if (!has_waitv()) {
        taktr_fail(TAKT_STATE,
                   "this system cannot wait for several areas (futex_waitv): Linux 5.16 or newer is needed");
        return false;
    }
    return taktr_folder_open(&server->folder) && raise_descriptors() && make_lock(server) && open_socket(server);
}

void taktr_server_look(struct taktr_server *server)
{
    bool lost = taktr_folder_look(&server->folder, true) == TAKTR_FOLDER_GONE;
    for (uint32_t i = 0; i < server->reflected_count && !lost; i++) {
        if (i % TAKTR_AT_ONCE == 0 && taktr_server_signalled(server)) {
            return;
        }
        lost = taktr_writer_look(server->reflected[i].writer, takt_reflect_now()) != TAKT_OK;
    }
    if (lost && !server->nameless) {
        taktr_say(STDERR_FILENO, "%s", takt_reflect_error());
    } else if (server->nameless && !lost) {
        taktr_say(STDERR_FILENO, "the folder of names is available again");
    }
    server->nameless = lost;
}

void taktr_server_real_time(struct taktr_server *server)
{
    struct sched_param param = {.sched_priority = (int)server->plan.priority + 3};
    prctl(PR_SET_TIMERSLACK, 1);
    if (server->plan.priority == 0) {
        taktr_say(STDERR_FILENO, "it runs without real-time priority, as requested");
        return;
    }
    server->real_time = sched_setscheduler(0, SCHED_FIFO, &param) == 0;
    if (!server->real_time) {
        taktr_say(STDERR_FILENO,
                  "without real-time priority (%s): deadlines hold as far as other programs let them; give it "
                  "CAP_SYS_NICE, or RLIMIT_RTPRIO of %d",
                  strerror(errno), param.sched_priority);
    } else if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
        taktr_say(STDERR_FILENO, "its memory may be paged out (%s): raise RLIMIT_MEMLOCK", strerror(errno));
    }
    struct sched_param usual = {0};
    sched_setscheduler(0, SCHED_OTHER, &usual);
}

bool taktr_server_start(struct taktr_server *server)
{
    static void *(*const bodies[TAKTR_THREADS])(void *) = {taktr_pusher, taktr_receiver, taktr_dispatcher};
    static const int above[TAKTR_THREADS] = {-1, 2, 3};
    pthread_mutex_lock(&server->lock); /* they begin when all are there */
    while (server->started < TAKTR_THREADS &&
           pthread_create(&server->threads[server->started], NULL, bodies[server->started], server) == 0) {
        taktr_set_priority(server, server->threads[server->started], above[server->started]);
        server->started++;
    }
    bool all = server->started == TAKTR_THREADS;
    server->ending = !all;
    pthread_mutex_unlock(&server->lock);
    return all || taktr_fail_errno("a thread");
}

void taktr_server_end(struct taktr_server *server)
{
    pthread_mutex_lock(&server->lock);
    server->ending = true;
    pthread_mutex_unlock(&server->lock);
    taktr_wake(&server->push);
    taktr_wake(&server->dispatch);
    /* Wakes the receiver, though it says that it cannot, and the pusher, if the link takes nothing. */
    shutdown(server->socket, SHUT_RDWR);
    for (int i = 0; i < server->started; i++) {
        pthread_join(server->threads[i], NULL);
    }
    server->started = 0;
}
