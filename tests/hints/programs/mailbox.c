/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages: both ends wait, and both lock.
 * 1: &a before takt_mailbox_receive(&box, &value);
 * 2: &b before takt_mailbox_send(&box, &value);
 */
#include "tests/hints/program.h"

static uint8_t storage[8];
static TAKT_MAILBOX_DEFINE(box, 20, storage, 4, 2);

static void receiver(void *argument)
{
    uint32_t value;
    (void)argument;
    for (;;) {
        takt_mailbox_receive(&box, &value);
        takt_mutex_lock(&a);
        note(value);
        takt_mutex_unlock(&a);
    }
}

static void sender(void *argument)
{
    (void)argument;
    for (uint32_t value = 0; value < ROUNDS; value++) {
        takt_mailbox_send(&box, &value);
        takt_mutex_lock(&b);
        note(++shared);
        takt_mutex_unlock(&b);
    }
}

PROGRAM(mailbox, TASK("r", 4, receiver), TASK("s", 3, sender), OWNER);
