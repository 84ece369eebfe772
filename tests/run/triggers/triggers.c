/* SPDX-License-Identifier: Apache-2.0 */
#include "released.h"
#include "send.h"

/* Two signals and two commits: of each the second has a job that waits. */
void send_all(void *argument)
{
    send_shared(argument);
    for (uint32_t number = 0; number < 2; number++) {
        struct takt_signal *signal = takt_signal_allocate(&signals, number);
        void *buffer = NULL;
        enum takt_status status = takt_slot_try_reserve(&orders, 0, &buffer);
        TAKT_ASSERT(signal != NULL && status == TAKT_OK);
        takt_signal_send(&signal, &inbox);
        takt_slot_commit(&orders, buffer);
    }
}

void signal_came(void *argument)
{
    (void)argument;
    static uint32_t next;
    struct takt_signal *signal = NULL;
    enum takt_status status = takt_signal_try_receive(&inbox, NULL, &signal);
    TAKT_ASSERT(status == TAKT_OK && signal->number == next % 2);
    next++;
    takt_signal_free(&signal);
}

void commit_came(void *argument)
{
    (void)argument;
    void *buffer = NULL;
    enum takt_status status = takt_slot_try_take(&orders, &buffer);
    TAKT_ASSERT(status == TAKT_OK);
    (void)takt_slot_release(&orders, buffer);
}
