/* SPDX-License-Identifier: Apache-2.0 */
/* Entry of every task of a process, in user mode. */
#include "takt/process.h"
#include "takt/task.h"

_Noreturn void takt_user_main(void (*entry)(void *argument), void *argument, uint32_t repeats);

_Noreturn void takt_user_main(void (*entry)(void *argument), void *argument, uint32_t repeats)
{
    for (;;) { /* a task with jobs, until its process ends */
        entry(argument);
        if (repeats == 0) {
            takt_thread_exit();
        }
        if (TAKT_JOBS) {
            takt_job_wait();
        }
    }
}
