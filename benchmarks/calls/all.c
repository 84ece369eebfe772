/* SPDX-License-Identifier: Apache-2.0 */
/* Every call but those of budgets.c. */
#include "calls.h"

void measure_calls(void)
{
    measure_tasks();
    measure_timers();
    measure_locks();
    measure_ceilings();
    measure_events();
    measure_mailboxes();
    measure_streams();
    measure_slots();
    measure_console();
    measure_without_lock();
    if (TAKTI_HINTS) {
        measure_hints(); /* from the first hint on others look for them */
    }
}
