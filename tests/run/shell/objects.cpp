/* SPDX-License-Identifier: Apache-2.0 */
/* A shell in C++. What `objects` shows after `use` is in the test. */
#include "takt/shell.h"

#include "takt_app.h"

static uint32_t value[3];

static void fill_messages()
{
    (void)!takt_mailbox_try_send(&letters, value);
    (void)!takt_mailbox_try_send(&letters, value);
    (void)!takt_priority_mailbox_try_send(&wishes, value, 5);
    struct takt_pipe_count count = {7, 7, 0};
    (void)!takt_pipe_try_write(&bytes, value, &count);
    takt_events_set(&flags, 0xA5);
    void *first = takt_pool_try_allocate(&blocks);
    void *second = takt_pool_try_allocate(&blocks);
    takt_pool_free(&blocks, first);
    takt_pool_free(&blocks, second);
    struct takt_signal *signal = takt_signal_allocate(&signals, 1);
    takt_signal_send(&signal, &inbox);
}

static void fill_rings()
{
    for (unsigned turn = 0; turn < 3; turn++) { /* the second lies behind the end of the storage */
        (void)!takt_ring_put(&some, value, 12);
        (void)!takt_ring_put(&full, value, 8);
        (void)!takt_ring_put(&none, value, 4);
        (void)!takt_ring_get(&none, value, 4);
        if (turn < 2) {
            (void)!takt_ring_get(&some, value, 12);
        }
    }
    (void)!takt_ring_put(&some, value, 12);
}

static void use(int, char *const *)
{
    fill_messages();
    fill_rings();
    (void)!takt_slot_allocate(&tray);
    takt_slot_open(&tray);
    void *message;
    if (takt_slot_try_reserve(&tray, 1, &message) == TAKT_OK) {
        takt_slot_commit(&tray, message);
    }
    (void)!takt_alarm_start(&later, takt_now() + 1000 * 1000 * 1000000ULL);
}

static const struct takt_shell_command commands[] = {{"use", "brings the objects into known states", use}};
static TAKT_SHELL_DEFINE(shell, commands);

extern "C" void shell_step(void *)
{
    takt_shell_step(&shell);
}

extern "C" void holder_loop(void *)
{
    (void)!takt_mutex_lock(&taken);
    takt_delay_until(TAKT_FOREVER / 2);
    takt_mutex_unlock(&taken);
}

extern "C" void released_step(void *)
{
}

extern "C" void came(struct takt_alarm *)
{
}
