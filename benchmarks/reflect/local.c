/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a value is on its way from a process that writes it to one that waits for it: an area of reflective memory,
 * beside the least that can be done, shared memory with a futex, and beside datagrams of the system. The carriers take
 * turns value by value, so that what else the machine does is there for all. Prints a line each: carrier, bytes, ns
 * from before the write until the reader has its copy.
 *
 *   local VALUES GAP_US SIZE...
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "takt/reflect.h"

enum { LARGEST = 65000, CARRIERS = 5, AREAS = 2 };

static const char *const names[CARRIERS] = {"area", "deep", "futex", "unix", "udp"};
static const char *const areas[AREAS] = {"area", "deep"};
static const uint32_t depths[AREAS] = {2, 8};
static unsigned char value[LARGEST], copy[LARGEST];

/* Shared memory with a futex: nothing is kept of it, checked, or found by name. */
static struct plain {
    _Atomic uint32_t number;
    unsigned char bytes[LARGEST];
} * plain;
static uint32_t plain_seen;

static struct takt_writer *writers[AREAS];
static struct takt_reader *readers[AREAS];
static int unix_ends[2], udp_ends[2];

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, errno != 0 ? strerror(errno) : takt_reflect_error());
    exit(1);
}

static void send_value(unsigned carrier, size_t size)
{
    switch (carrier) {
    case 0:
    case 1:
        if (takt_writer_write(writers[carrier], value, size) != TAKT_OK) {
            fail("write");
        }
        break;
    case 2:
        memcpy(plain->bytes, value, size);
        atomic_fetch_add_explicit(&plain->number, 1, memory_order_release);
        syscall(SYS_futex, &plain->number, FUTEX_WAKE, 1, NULL, NULL, 0);
        break;
    default:
        if (send(carrier == 3 ? unix_ends[0] : udp_ends[0], value, size, 0) != (ssize_t)size) {
            fail("send");
        }
    }
}

static void receive_value(unsigned carrier, size_t size)
{
    struct takt_area_value found;
    switch (carrier) {
    case 0:
    case 1:
        if (takt_reader_wait(readers[carrier], TAKT_REFLECT_FOREVER) != TAKT_OK ||
            takt_reader_take(readers[carrier], copy, sizeof copy, &found) != TAKT_OK || found.stamp.length != size) {
            fail("take");
        }
        break;
    case 2:
        while (atomic_load_explicit(&plain->number, memory_order_acquire) == plain_seen) {
            syscall(SYS_futex, &plain->number, FUTEX_WAIT, plain_seen, NULL, NULL, 0);
        }
        plain_seen++;
        memcpy(copy, plain->bytes, size);
        break;
    default:
        if (recv(carrier == 3 ? unix_ends[1] : udp_ends[1], copy, sizeof copy, 0) != (ssize_t)size) {
            fail("receive");
        }
    }
}

static void open_sockets(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;
    udp_ends[0] = socket(AF_INET, SOCK_DGRAM, 0);
    udp_ends[1] = socket(AF_INET, SOCK_DGRAM, 0);
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, unix_ends) != 0 ||
        bind(udp_ends[1], (struct sockaddr *)&address, length) != 0 ||
        getsockname(udp_ends[1], (struct sockaddr *)&address, &length) != 0 ||
        connect(udp_ends[0], (struct sockaddr *)&address, length) != 0) {
        fail("sockets");
    }
}

/* A reader for each value in its turn; a byte back through the pipe says that it waits for the next one. */
static _Noreturn void read_all(unsigned values, char **sizes, int ready)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (unsigned i = 0; i < AREAS; i++) {
        if (takt_reader_open(&readers[i], areas[i]) != TAKT_OK) {
            fail("reader");
        }
    }
    for (char **at = sizes; *at != NULL; at++) {
        size_t size = strtoul(*at, NULL, 10);
        for (unsigned i = 0; i < values * CARRIERS; i++) {
            if (write(ready, "", 1) != 1) {
                fail("pipe");
            }
            receive_value(i % CARRIERS, size);
            uint64_t came = takt_reflect_now();
            uint64_t sent;
            memcpy(&sent, copy, sizeof sent);
            printf("%s %zu %llu\n", names[i % CARRIERS], size, (unsigned long long)(came - sent));
        }
    }
    fflush(stdout);
    _exit(0);
}

int main(int count, char **words)
{
    if (count < 4) {
        fprintf(stderr, "local VALUES GAP_US SIZE...\n");
        return 2;
    }
    unsigned values = (unsigned)strtoul(words[1], NULL, 10);
    unsigned gap_us = (unsigned)strtoul(words[2], NULL, 10);
    int ready[2];
    plain = mmap(NULL, sizeof *plain, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (plain == MAP_FAILED || pipe(ready) != 0) {
        fail("memory");
    }
    for (unsigned i = 0; i < AREAS; i++) {
        if (takt_writer_open(&writers[i], areas[i], (struct takt_area_shape){LARGEST, depths[i]}) != TAKT_OK) {
            fail("area");
        }
    }
    memset(plain, 0, sizeof *plain); /* there before the first value, as the area's is */
    open_sockets();
    pid_t other = fork();
    if (other == 0) {
        read_all(values, words + 3, ready[1]);
    }
    close(ready[1]);
    for (char **at = words + 3; *at != NULL; at++) {
        size_t size = strtoul(*at, NULL, 10);
        for (unsigned i = 0; i < values * CARRIERS; i++) {
            char byte;
            if (read(ready[0], &byte, 1) != 1) {
                fail("the reader ended");
            }
            usleep(gap_us); /* it waits by then */
            uint64_t now = takt_reflect_now();
            memcpy(value, &now, sizeof now);
            send_value(i % CARRIERS, size);
        }
    }
    int how;
    waitpid(other, &how, 0);
    for (unsigned i = 0; i < AREAS; i++) {
        takt_writer_close(writers[i]);
    }
    return WIFEXITED(how) && WEXITSTATUS(how) == 0 ? 0 : 1;
}
