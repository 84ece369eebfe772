/* SPDX-License-Identifier: Apache-2.0 */
/* The process that is started and stopped. */
#include "takt_app.h"

#include "takt/process.h"

static uint32_t jobs; /* 0 in each life, with protection */

void sample_job(void *argument)
{
    (void)argument;
    if (jobs++ == 0) {
        seen.lives++;
    }
    if (takt_memory_alloc(64) != NULL) {
        seen.allocated++;
    }
    seen.samples++;
    seen.out_of_phase += takt_job_release_ns() % TAKT_MS(10) != TAKT_MS(5);
}

void serve_job(void *argument)
{
    (void)argument;
    uint32_t order;
    if (takt_mailbox_try_receive(&orders, &order) == TAKT_OK) {
        seen.orders++;
    }
}

void leave_job(void *argument)
{
    (void)argument;
    (void)!takt_process_stop(PROCESS_guest);
    takt_fault_raise(TAKT_FAULT_ASSERTION, "it came back", 1, 0);
}
