/* SPDX-License-Identifier: Apache-2.0 */
#include "released.h"
#include "send.h"
#include "signalled.h"

/* Two commits: the second has a job that waits. */
void send_all(void *argument)
{
    send_shared(argument);
    for (unsigned order = 0; order < 2; order++) {
        void *buffer = NULL;
        enum takt_status status = takt_slot_try_reserve(&orders, 0, &buffer);
        TAKT_ASSERT(status == TAKT_OK);
        takt_slot_commit(&orders, buffer);
    }
}

void commit_came(void *argument)
{
    (void)argument;
    void *buffer = NULL;
    enum takt_status status = takt_slot_try_take(&orders, &buffer);
    TAKT_ASSERT(status == TAKT_OK);
    (void)takt_slot_release(&orders, buffer);
}
