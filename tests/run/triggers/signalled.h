/* SPDX-License-Identifier: Apache-2.0 */
/* Signals and messages of a slot that release a task, of a process too: with its restart it forgets which number was
 * the last. */
#include "takt_app.h"

void signal_came(void *argument)
{
    (void)argument;
    static uint32_t last = 2;
    struct takt_signal *signal = NULL;
    enum takt_status status = takt_signal_try_receive(&inbox, NULL, &signal);
    TAKT_ASSERT(status == TAKT_OK);
    TAKT_ASSERT(last == 2 || signal->number == 1 - last);
    last = signal->number;
    takt_signal_free(&signal);
}

void commit_came(void *argument)
{
    (void)argument;
    static uint32_t last = 2;
    void *buffer = NULL;
    enum takt_status status = takt_slot_try_take(&orders, &buffer);
    TAKT_ASSERT(status == TAKT_OK);
    TAKT_ASSERT(last == 2 || *(uint32_t *)buffer == 1 - last);
    last = *(uint32_t *)buffer;
    (void)takt_slot_release(&orders, buffer);
}
