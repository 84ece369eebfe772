/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CONSISTENT_H
#define CONSISTENT_H

/* At a point where the lock is open: whether everything that the kernel keeps agrees. */
#include "base/test/check.h"
#include "kernel/observe/invariants.h"

static inline void check_consistent(const struct takt_known_objects *objects)
{
    struct takt_broken broken = takti_kernel_broken(objects);
    if (broken.what != NULL) {
        printf("not so: %s (TAKT_SEED=%llu)\n", broken.what, (unsigned long long)check_seed());
        check_failed();
    }
}

#endif
