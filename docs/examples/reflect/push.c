/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "takt/push.h"

/* A push with a deadline: until its promotion it is served after those without one, then before them. */
int main(void)
{
    static const struct takt_push_rule rule = {.kind = TAKT_PUSH_SYNC, .period_ns = 1000, .promotion_ns = 300};
    struct takt_push push = {0};
    takt_push_start(&push, &rule, 0);
    takt_push_written(&push, 5000);
    printf("push: ready: %d, at first in band %d\n", takt_push_is_ready(&push, 5000), takt_push_band(&push, 5000));
    printf("push: 300 ns later in band %d\n", takt_push_band(&push, 5300));
    takt_push_begin(&push, 5300);
    takt_push_end(&push, 5400);
    takt_push_written(&push, 5500); /* too soon: held back */
    printf("push: the next one is ready at %u ns\n", (unsigned)takt_push_until(&push));
    return 0;
}
