/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_WIDE_H
#define TAKTI_WIDE_H

/* What the stubs of WIDE calls (calls.h) hand over by address, in the process's memory. */
#include <stdint.h>

struct takti_wide_pipe {
    void *bytes; /* only read, when it writes */
    struct takt_pipe_count *count;
    uint64_t until_ns;
};

struct takti_wide_priority {
    const void *message;
    uint64_t until_ns;
    uint32_t priority;
};

struct takti_wide_rendezvous {
    void *data;
    uint64_t until_ns;
    uint32_t size;
};

#endif
