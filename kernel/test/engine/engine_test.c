/* SPDX-License-Identifier: Apache-2.0 */
/* The suite with the kernel's own queues: its clock stands still but for what the suite lets pass. */
#include <stdio.h>

#include "kernel/test/engine/suite.h"

static uint64_t clock_ns;
static uint64_t one_shot_ns = TAKT_FOREVER;

uint64_t __wrap_takt_port_now_ns(void);
uint64_t __wrap_takt_port_now_ns(void)
{
    return clock_ns;
}

bool __wrap_takt_port_timer_set(uint64_t until_ns);
bool __wrap_takt_port_timer_set(uint64_t until_ns)
{
    one_shot_ns = until_ns;
    return until_ns > clock_ns;
}

/* The one-shot is always for the first expiry. */
void engine_suite_pass(uint64_t until_ns)
{
    if (takti_kernel.timers.running && one_shot_ns != takti_timers_first_ns()) {
        printf("the one-shot is for %llu, the first expiry is %llu\n", (unsigned long long)one_shot_ns,
               (unsigned long long)takti_timers_first_ns());
        one_shot_ns = 0;
    }
    clock_ns = until_ns;
}

int main(void)
{
    for (uint32_t seed = 1; seed <= 20; seed++) {
        unsigned line = engine_suite(seed, 3000);
        if (line != 0 || one_shot_ns == 0) {
            printf("suite.c:%u, seed %u, step %u\n", line, (unsigned)seed, engine_suite_step);
            return 1;
        }
    }
    return 0;
}
