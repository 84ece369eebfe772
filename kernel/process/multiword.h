/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_MULTIWORD_H
#define TAKTI_MULTIWORD_H

/* Arguments that the stubs of MULTIWORD calls (calls.h) pass by address, in the process's memory, and their limits. */
#include <stdint.h>

/* Bytes per trap, in which no task is switched: the console's stub makes as many traps as it needs. An exchange over
 * the serial line is one trap, in either direction. */
enum { TAKTI_CONSOLE_MAX = 64, TAKTI_SERIAL_MAX = 256 };

/* In place of an address: a piece of the memory was zeroed, and the stub calls again. */
enum { TAKTI_SHARED_GOES_ON = 1 };

struct takti_multiword_pipe {
    void *bytes; /* only read in a write */
    struct takt_pipe_count *count;
    uint64_t until_ns;
};

struct takti_multiword_priority {
    const void *message;
    uint64_t until_ns;
    uint32_t priority;
};

struct takti_multiword_signal {
    const struct takt_signal_filter *filter;
    struct takt_signal **signal;
    uint64_t until_ns;
};

struct takti_multiword_slot {
    void **buffer;
    uint64_t until_ns;
    uint32_t priority;
};

struct takti_multiword_rendezvous {
    void *data;
    uint64_t until_ns;
    uint32_t size;
};

#endif
