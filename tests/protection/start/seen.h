/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SEEN_H
#define SEEN_H

#include <stdint.h>

/* What the guest writes: shared memory stays when it stops. */
struct seen {
    uint32_t samples;
    uint32_t out_of_phase; /* releases that are not 5 ms behind a multiple of 10 ms */
    uint32_t orders;
    uint32_t lives;     /* how often its memory was as at the start of the system */
    uint32_t allocated; /* how often it got all that it may allocate */
};

#endif
