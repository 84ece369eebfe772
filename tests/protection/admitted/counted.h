/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COUNTED_H
#define COUNTED_H

#include <stdint.h>

/* Outlives a restart. */
struct counted {
    uint32_t lives;
    uint32_t jobs;
    uint32_t wrong;
};

#endif
