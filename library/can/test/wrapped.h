/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_LIBRARY_CAN_TEST_WRAPPED_H
#define TAKT_LIBRARY_CAN_TEST_WRAPPED_H

/* The calls on a CAN socket for which the linker takes those of a test (--wrap). */
#include <sys/ioctl.h>
#include <sys/socket.h>

int __wrap_socket(int domain, int type, int protocol);
int __wrap_setsockopt(int descriptor, int level, int option, const void *value, socklen_t size);
int __wrap_ioctl(int descriptor, unsigned long request, ...);
int __wrap_bind(int descriptor, const struct sockaddr *address, socklen_t size);
ssize_t __wrap_write(int descriptor, const void *data, size_t size);
ssize_t __wrap_recvmsg(int descriptor, struct msghdr *message, int flags);
int __wrap_close(int descriptor);

#endif
