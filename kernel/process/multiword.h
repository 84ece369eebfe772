/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_MULTIWORD_H
#define TAKTI_MULTIWORD_H

/* What the stubs of MULTIWORD calls (calls.h) hand over by address, in the process's memory; and how much at once. */
#include <stdint.h>

/* Bytes of one trap, in which no task is switched: the console's stub makes as many as it needs. What goes over the
 * serial line at one instant, either way, is one. */
enum { TAKTI_CONSOLE_MAX = 64, TAKTI_SERIAL_MAX = 256 };

/* In place of an address: a piece of the memory was made, and the stub asks again. */
enum { TAKTI_SHARED_GOES_ON = 1 };

struct takti_multiword_pipe {
    void *bytes; /* only read, when it writes */
    struct takt_pipe_count *count;
    uint64_t until_ns;
};

struct takti_multiword_priority {
    const void *message;
    uint64_t until_ns;
    uint32_t priority;
};

struct takti_multiword_rendezvous {
    void *data;
    uint64_t until_ns;
    uint32_t size;
};

#endif
