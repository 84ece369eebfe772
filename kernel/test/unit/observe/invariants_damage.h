/* SPDX-License-Identifier: Apache-2.0 */
#ifndef INVARIANTS_DAMAGE_H
#define INVARIANTS_DAMAGE_H

/* Damage to the system of invariants_system.h, one field after the other, and what the walk has to say of it. */
#include <string.h>
#include <unistd.h>

#include "kernel/sync/mutex.h"

#include "invariants_system.h"

enum { HANGS_S = 30 };

static unsigned found, wrong;

/* Says so when the walk finds something else, and goes on. */
static void expect_at(const char *what, unsigned line)
{
    struct takt_broken broken = takti_kernel_broken(&objects);
    const char *broken_text = broken.what == NULL ? "nothing" : broken.what;
    if (strcmp(broken_text, what) != 0) {
        printf("line %u: found    %s\n    expected %s\n", line, broken_text, what);
        wrong++;
    }
    found++;
}

#define expect(what) expect_at(what, __LINE__)

/* One field is another for a while. */
#define BREAKS(position, value, what)          \
    do {                                       \
        __typeof__(position) was = (position); \
        (position) = (value);                  \
        expect(what);                          \
        (position) = was;                      \
    } while (0)

/* A pointer to nothing of the kernel's. */
static void *wild(void)
{
    return (char *)&unknown + 4;
}

#endif
