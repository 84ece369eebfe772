/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loaded before the C library (LD_PRELOAD): raw CAN sockets of an interface can0 that a test plays. Each is a socket to
 * the path TAKT_CAN_STAND_IN, by which frames go as Linux has them; those that come have a byte with the flags of
 * recvmsg before them: 1: MSG_CONFIRM. Frames are confirmed at once, unless TAKT_CAN_CONFIRMS is set: then by the test.
 * With TAKT_CAN_REFUSES every other call of write finds no room.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/can.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>

static int played = -1; /* one socket */
static int confirms = -1;
static struct sockaddr_un there, own; /* the address of the test, and its own */
static socklen_t own_size = sizeof own;

int socket(int domain, int type, int protocol)
{
    int (*other)(int, int, int) = (int (*)(int, int, int))dlsym(RTLD_NEXT, "socket");
    const char *path = getenv("TAKT_CAN_STAND_IN");
    if (domain != PF_CAN || path == NULL) {
        return other(domain, type, protocol);
    }
    int (*bind_other)(int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "bind");
    there.sun_family = AF_UNIX;
    strncpy(there.sun_path, path, sizeof there.sun_path - 1);
    played = other(AF_UNIX, SOCK_DGRAM | (type & (SOCK_NONBLOCK | SOCK_CLOEXEC)), 0);
    own.sun_family = AF_UNIX;
    confirms = other(AF_UNIX, SOCK_DGRAM, 0);
    if (bind_other(played, (struct sockaddr *)&own, sizeof own.sun_family) != 0 ||
        getsockname(played, (struct sockaddr *)&own, &own_size) != 0) {
        errno = EAFNOSUPPORT;
        return -1;
    }
    return played;
}

int setsockopt(int descriptor, int level, int option, const void *value, socklen_t size)
{
    int (*other)(int, int, int, const void *, socklen_t) = dlsym(RTLD_NEXT, "setsockopt");
    return descriptor == played ? 0 : other(descriptor, level, option, value, size);
}

int bind(int descriptor, const struct sockaddr *address, socklen_t size)
{
    int (*other)(int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "bind");
    return descriptor == played ? 0 : other(descriptor, address, size);
}

int ioctl(int descriptor, unsigned long request, ...)
{
    int (*other)(int, unsigned long, void *) = dlsym(RTLD_NEXT, "ioctl");
    va_list arguments;
    va_start(arguments, request);
    struct ifreq *asked = va_arg(arguments, struct ifreq *);
    va_end(arguments);
    if (descriptor != played || played < 0) {
        return other(descriptor, request, asked);
    }
    if (strcmp(asked->ifr_name, "can0") != 0) {
        errno = ENODEV;
        return -1;
    }
    if (request == SIOCGIFINDEX) {
        asked->ifr_ifindex = 3;
    } else {
        asked->ifr_mtu = CANFD_MTU;
    }
    return 0;
}

ssize_t write(int descriptor, const void *data, size_t size)
{
    ssize_t (*other)(int, const void *, size_t) = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    static int refused;
    if (descriptor != played || played < 0) {
        return other(descriptor, data, size);
    }
    refused = !refused && getenv("TAKT_CAN_REFUSES") != NULL;
    if (refused) {
        errno = ENOBUFS;
        return -1;
    }
    ssize_t written = sendto(played, data, size, 0, (struct sockaddr *)&there, sizeof there);
    if (written > 0 && getenv("TAKT_CAN_CONFIRMS") == NULL) {
        unsigned char confirmed[1 + CANFD_MTU] = {1};
        memcpy(confirmed + 1, data, size);
        (void)sendto(confirms, confirmed, 1 + size, 0, (struct sockaddr *)&own, own_size);
    }
    return written;
}

ssize_t recvmsg(int descriptor, struct msghdr *message, int flags)
{
    ssize_t (*other)(int, struct msghdr *, int) = dlsym(RTLD_NEXT, "recvmsg");
    unsigned char first = 0;
    struct iovec parts[2] = {{&first, 1}, message->msg_iov[0]};
    struct msghdr whole = {.msg_iov = parts, .msg_iovlen = 2};
    if (descriptor != played) {
        return other(descriptor, message, flags);
    }
    ssize_t size = other(descriptor, &whole, flags);
    message->msg_flags = first == 1 ? MSG_CONFIRM | MSG_DONTROUTE : 0;
    message->msg_controllen = 0;
    return size > 0 ? size - 1 : size;
}
