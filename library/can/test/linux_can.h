/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_LIBRARY_CAN_TEST_LINUX_CAN_H
#define TAKT_LIBRARY_CAN_TEST_LINUX_CAN_H

/*
 * A stand-in for Linux's calls on one raw CAN socket and one interface, which the linker puts in their place (--wrap).
 * It does what Linux documents (Documentation/networking/can.rst) and what net/can/raw.c and af_can.c do in error
 * cases: an error of the socket is returned once, before what is in its queue.
 */
#include <linux/can.h>
#include <stdbool.h>
#include <stddef.h>

enum { LINUX_DESCRIPTOR = 1000, LINUX_QUEUE_MAX = 300 };

/* A frame in a queue. `flags`: as recvmsg returns them. */
struct linux_frame {
    struct canfd_frame raw;
    size_t size;
    int flags;
    unsigned drops; /* of the socket before it came */
};

struct linux_queue {
    struct linux_frame frames[LINUX_QUEUE_MAX];
    unsigned first, count;
};

/* The interface and the socket: tests set and read all of it. */
struct linux_can {
    const char *name; /* of the interface; NULL: there is none */
    bool up;
    bool fd; /* it takes frames of CAN FD */
    bool bus_off;
    unsigned transmit_max; /* frames that it queues, and the socket for reading */
    unsigned receive_max;
    struct linux_queue transmit; /* what waits in the system */
    struct linux_queue other;    /* what another node received */

    bool open, bound, loopback, own, takes_fd, tells_drops;
    unsigned errors; /* kinds that the socket receives */
    struct can_filter filters[512];
    unsigned filter_count;
    struct linux_queue received;
    unsigned drops;
    int error; /* that the next call returns */

    const char *failing; /* a call that fails, with this error */
    int failing_error;
    unsigned opens, closes, narrowed, accepted; /* calls; frames that passed the filters */
};

extern struct linux_can linux_can;

/* An interface, up, with FD, and no socket. */
void linux_can_init(const char *name);

/* The next frame that waits is sent, and comes back to the socket. False: none waits, or the bus is off. */
bool linux_can_send(void);

/* A frame from the bus, or of an error, to the socket. `size`: CAN_MTU, CANFD_MTU or any other. */
void linux_can_arrive(const struct canfd_frame *raw, size_t size, int flags);

void linux_can_error(canid_t kinds, unsigned char state, unsigned char transmit, unsigned char receive);

/* Bus-off: what waits is dropped. The restart brings it back. */
void linux_can_break(void);
void linux_can_restart(void);

void linux_can_down(void);   /* what waits is dropped */
void linux_can_remove(void); /* the interface is no more */

bool linux_can_take(struct linux_queue *queue, struct linux_frame *frame);

#endif
