/* SPDX-License-Identifier: Apache-2.0 */
/* Messages with priorities, slots and signals. */
#include "harness.h"
#include "rows.h"

enum { CAPACITY = 4, MESSAGE = 8 };

static uint64_t storage[TAKT_SLOT_BYTES(MESSAGE, CAPACITY) / sizeof(uint64_t)];
static uint32_t message[MESSAGE / sizeof(uint32_t)];
static uint32_t received[MESSAGE / sizeof(uint32_t)];

static struct takt_priority_mailbox mailbox;

static void priority_mailbox_setup(void)
{
    takt_priority_mailbox_init(&mailbox, 4, storage, MESSAGE, CAPACITY, NULL);
}

static void priority_mailbox_pair(void)
{
    message[0]++;
    stamp_begin(0);
    (void)!takt_priority_mailbox_send(&mailbox, message, 1);
    (void)!takt_priority_mailbox_receive(&mailbox, received);
    stamp_end(1);
    effects += received[0] == message[0];
}

/* The message is written between reserve and commit, and read between take and release: that is not counted. */
static const struct takt_slot_config config = {.storage = storage,
                                               .important = UINT32_MAX,
                                               .message_size = MESSAGE,
                                               .capacity = CAPACITY,
                                               .id = 5,
                                               .by_priority = true};
static struct takt_slot slot;

static void slot_setup(void)
{
    takt_slot_init(&slot, &config);
    (void)!takt_slot_allocate(&slot);
    takt_slot_open(&slot);
}

static void slot_once(void)
{
    void *buffer = NULL;
    stamp_begin(0);
    (void)!takt_slot_reserve(&slot, 1, &buffer);
    takt_slot_commit(&slot, buffer);
    stamp_end(1);
    *(uint32_t *)buffer = ++message[0];
    buffer = NULL;
    stamp_begin(2);
    (void)!takt_slot_take(&slot, &buffer);
    (void)takt_slot_release(&slot, buffer);
    stamp_end(3);
    effects += *(uint32_t *)buffer == message[0];
}

static void slot_owner(void *argument)
{
    (void)argument;
    slot_setup();
    for (;;) {
        void *buffer = NULL;
        (void)!takt_slot_take(&slot, &buffer);
        stamp_end(1);
        effects++;
        (void)takt_slot_release(&slot, buffer);
    }
}

static void slot_owner_setup(void)
{
    thread_take(slot_owner, LEVEL_ABOVE);
}

static void slot_to_owner(void)
{
    void *buffer = NULL;
    stamp_begin(0);
    (void)!takt_slot_reserve(&slot, 1, &buffer);
    takt_slot_commit(&slot, buffer);
}

/* Allocated before: from the send until the receiver runs. */
static uint64_t signals[TAKT_SIGNAL_BYTES(MESSAGE) * CAPACITY / sizeof(uint64_t)];
static struct takt_signal_pool pool;
static struct takt_signal_queue signal_queue;

static void signal_receiver(void *argument)
{
    (void)argument;
    takt_signal_queue_init(&signal_queue, 6, takt_task_running());
    for (;;) {
        struct takt_signal *signal = NULL;
        (void)!takt_signal_receive(&signal_queue, NULL, &signal);
        stamp_end(1);
        effects += signal->number;
        takt_signal_free(&signal);
    }
}

static void signal_setup(void)
{
    takt_signal_pool_init(&pool, signals, MESSAGE, CAPACITY);
    thread_take(signal_receiver, LEVEL_ABOVE);
}

static void signal_to_receiver(void)
{
    struct takt_signal *signal = takt_signal_allocate(&pool, 1);
    stamp_begin(0);
    takt_signal_send(&signal, &signal_queue);
}

static void signal_allocate_free(void)
{
    stamp_begin(0);
    struct takt_signal *signal = takt_signal_allocate(&pool, 1);
    takt_signal_free(&signal);
    stamp_end(1);
    effects += signal == NULL;
}

static const struct row rows[] = {
    {"priority_mailbox_8", priority_mailbox_setup, priority_mailbox_pair, 1, 0, 1, false, 0},
    {"slot_reserve_commit", slot_setup, slot_once, 1, 0, 1, false, 0},
    {"slot_take_release", slot_setup, slot_once, 1, 2, 3, false, 0},
    {"slot_to_owner", slot_owner_setup, slot_to_owner, 1, 0, 1, false, 0},
    {"signal_to_receiver", signal_setup, signal_to_receiver, 1, 0, 1, false, 0},
    {"signal_allocate_free", signal_setup, signal_allocate_free, 1, 0, 1, false, 0},
};

void buffer_rows_measure(void)
{
    harness_measure(rows, sizeof rows / sizeof rows[0]);
}
