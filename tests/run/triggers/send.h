/* SPDX-License-Identifier: Apache-2.0 */
/* What a process sends, too. */
#include "takt_app.h"

/* Both flags, one after the other; six bytes in two writes, of which the first leaves too few; two signals and two
 * messages in a slot, of which the second has a job that waits. */
static inline void send_shared(void *argument)
{
    (void)argument;
    struct takt_pipe_count few = {.size = 3, .least = 3};
    struct takt_pipe_count rest = few;
    takt_events_set(&flags, 2);
    takt_events_set(&flags, 4);
    enum takt_status first = takt_pipe_try_write(&stream, "abc", &few);
    enum takt_status second = takt_pipe_try_write(&stream, "def", &rest);
    TAKT_ASSERT(first == TAKT_OK && second == TAKT_OK);
    for (uint32_t number = 0; number < 2; number++) {
        struct takt_signal *signal = takt_signal_allocate(&signals, number);
        TAKT_ASSERT(signal != NULL);
        takt_signal_send(&signal, &inbox);
    }
    for (uint32_t order = 0; order < 2; order++) {
        void *buffer = NULL;
        enum takt_status status = takt_slot_try_reserve(&orders, 0, &buffer);
        TAKT_ASSERT(status == TAKT_OK);
        *(uint32_t *)buffer = order;
        takt_slot_commit(&orders, buffer);
    }
}

void call(void *argument)
{
    (void)argument;
    int value = 1;
    for (int calls = 0; calls < 2; calls++) {
        enum takt_status status = takt_rendezvous_call(&meeting, &value, sizeof value);
        TAKT_ASSERT(status == TAKT_OK && value == 2 + calls);
    }
}
