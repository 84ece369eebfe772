/* SPDX-License-Identifier: Apache-2.0 */
/* Calls on messages with priorities, slots, signals and pipes that an assertion guards against, by context. */
#include "kernel/core/kernel.h"
#include "kernel/test/support/misuse.h"

static struct takt_priority_mailbox mailbox;
static uint64_t storage[TAKT_PRIORITY_MAILBOX_BYTES(4, 1) / 8];
static uint32_t message;

static void send(void)
{
    CHECK(takt_priority_mailbox_send(&mailbox, &message, 0) == TAKT_OK);
}

static void send_twice(void)
{
    send();
    send();
}

static void send_urgent(void)
{
    CHECK(takt_priority_mailbox_send_urgent(&mailbox, &message) == TAKT_OK);
}

static void try_send(void)
{
    CHECK(takt_priority_mailbox_try_send(&mailbox, &message, 0) == TAKT_OK);
}

static void receive(void)
{
    CHECK(takt_priority_mailbox_receive(&mailbox, &message) == TAKT_OK);
}

static void receive_what_is_there(void)
{
    try_send();
    receive();
}

static void try_receive(void)
{
    CHECK(takt_priority_mailbox_try_receive(&mailbox, &message) == TAKT_BUSY);
}

static void broadcast(void)
{
    CHECK_EQUAL(takt_priority_mailbox_broadcast(&mailbox, &message), 0);
}

static void delete_mailbox(void)
{
    takt_priority_mailbox_delete(&mailbox);
}

static void mailbox_nowhere(void)
{
    takt_priority_mailbox_init(&mailbox, 1, NULL, 4, 1, NULL);
}

static void mailbox_not_aligned(void)
{
    takt_priority_mailbox_init(&mailbox, 1, (uint8_t *)storage + 4, 4, 1, NULL);
}

static void mailbox_of_nothing(void)
{
    takt_priority_mailbox_init(&mailbox, 1, storage, 0, 1, NULL);
}

static void mailbox_without_room(void)
{
    takt_priority_mailbox_init(&mailbox, 1, storage, 4, 0, NULL);
}

/* Slots. `h`, above all, owns the second one. */
static uint64_t storages[2][TAKT_SLOT_BYTES(4, 2) / 8];
static uint8_t levels[1];
static TAKT_SLOT_INHERITANCE_DEFINE(inheritance, levels, 1);
static struct takt_slot_config slot_config;
static const struct takt_slot_config other_config = {
    .storage = storages[1], .important = UINT32_MAX, .message_size = 4, .capacity = 2};
static struct takt_slot slot;
static struct takt_slot other;
static struct takt_task h;

static void allocate(void)
{
    CHECK(takt_slot_allocate(&slot) == TAKT_OK);
}

static void open_slot(void)
{
    takt_slot_open(&slot);
}

static void open_other(void)
{
    takt_slot_open(&other);
}

static void close_other(void)
{
    CHECK_EQUAL(takt_slot_close(&other), 0);
}

static void deallocate_other(void)
{
    CHECK(takt_slot_deallocate(&other) == TAKT_STATE);
}

static void deallocate_free(void)
{
    CHECK(takt_slot_deallocate(&slot) == TAKT_STATE);
}

static void flush_other(void)
{
    CHECK_EQUAL(takt_slot_flush(&other), 0);
}

static void *reserve(void)
{
    void *buffer = NULL;
    CHECK(takt_slot_reserve(&other, 0, &buffer) == TAKT_OK);
    return buffer;
}

static void reserve_only(void)
{
    (void)reserve();
}

static void try_reserve(void)
{
    void *buffer = NULL;
    CHECK(takt_slot_try_reserve(&other, 0, &buffer) == TAKT_OK);
}

static void commit_twice(void)
{
    void *buffer = reserve();
    takt_slot_commit(&other, buffer);
    takt_slot_commit(&other, buffer);
}

static void take_other(void)
{
    void *buffer = NULL;
    takt_slot_commit(&other, reserve());
    CHECK(takt_slot_try_take(&other, &buffer) == TAKT_OK);
}

static void allocate_and_use(void (*use)(void *buffer))
{
    void *buffer = NULL;
    allocate();
    takt_slot_open(&slot);
    CHECK(takt_slot_reserve(&slot, 0, &buffer) == TAKT_OK);
    use(buffer);
}

static void release(void *buffer)
{
    (void)takt_slot_release(&slot, buffer);
}

static void release_what_is_reserved(void)
{
    allocate_and_use(release);
}

static void twice(void *buffer)
{
    takt_slot_commit(&slot, buffer);
    CHECK(takt_slot_take(&slot, &buffer) == TAKT_OK);
    release(buffer);
    release(buffer);
}

static void release_twice(void)
{
    allocate_and_use(twice);
}

static void commit_to(void *buffer)
{
    takt_slot_commit(&slot, buffer);
}

static void lend_idle_s_level(void)
{
    levels[0] = TAKT_LEVELS - 1;
    slot_config.inheritance = &inheritance;
    allocate_and_use(commit_to);
}

static void lend_an_edf_level(void)
{
    levels[0] = 5;
#if TAKT_EDF
    takt_bitmap_set(takti_kernel.ready.edf, TAKT_LEVEL_WORDS, levels[0]);
#endif
    slot_config.inheritance = &inheritance;
    allocate_and_use(commit_to);
}

static void slot_nowhere(void)
{
    slot_config.storage = NULL;
    allocate();
}

static void slot_not_aligned(void)
{
    slot_config.storage = (uint8_t *)storages[0] + 4;
    allocate();
}

static void slot_of_nothing(void)
{
    slot_config.message_size = 0;
    allocate();
}

static void slot_without_room(void)
{
    slot_config.capacity = 0;
    allocate();
}

/* Signals. The queue is that of task a; h has sent a signal to it, and holds another. */
static uint64_t signal_storage[TAKT_SIGNAL_BYTES(4) * 3 / 8];
static struct takt_signal_pool pool;
static struct takt_signal_queue queue;
static struct takt_signal_queue queue_of_h;
static struct takt_signal *held;

static struct takt_signal *received(void)
{
    struct takt_signal *signal = NULL;
    CHECK(takt_signal_receive(&queue, NULL, &signal) == TAKT_OK);
    return signal;
}

static void use_after_send(void)
{
    struct takt_signal *signal = received();
    struct takt_signal *copy = signal;
    takt_signal_send(&signal, &queue);
    (void)takt_signal_data(copy);
}

static void use_of_null(void)
{
    struct takt_signal *signal = received();
    takt_signal_send(&signal, &queue);
    (void)takt_signal_data(signal);
}

static void send_twice_signal(void)
{
    struct takt_signal *signal = received();
    struct takt_signal *copy = signal;
    takt_signal_send(&signal, &queue);
    takt_signal_send(&copy, &queue);
}

static void free_twice(void)
{
    struct takt_signal *signal = received();
    struct takt_signal *copy = signal;
    takt_signal_free(&signal);
    takt_signal_free(&copy);
}

static void free_after_send(void)
{
    struct takt_signal *signal = received();
    struct takt_signal *copy = signal;
    takt_signal_send(&signal, &queue_of_h);
    takt_signal_free(&copy);
}

static void use_what_h_holds(void)
{
    (void)takt_signal_data(held);
}

static void send_what_h_holds(void)
{
    takt_signal_send(&held, &queue);
}

static void free_what_h_holds(void)
{
    takt_signal_free(&held);
}

static void allocate_signal(void)
{
    CHECK(takt_signal_allocate(&pool, 1) != NULL);
}

static void receive_for_h(void)
{
    struct takt_signal *signal = NULL;
    CHECK(takt_signal_try_receive(&queue_of_h, NULL, &signal) == TAKT_BUSY);
}

static void receive_signal(void)
{
    (void)received();
}

static void pool_nowhere(void)
{
    takt_signal_pool_init(&pool, NULL, 4, 1);
}

static void pool_not_aligned(void)
{
    takt_signal_pool_init(&pool, (uint8_t *)signal_storage + 4, 4, 1);
}

static void pool_without_room(void)
{
    takt_signal_pool_init(&pool, signal_storage, 4, 0);
}

static void queue_of_nobody(void)
{
    takt_signal_queue_init(&queue, 1, NULL);
}

/* Pipes, of two bytes. */
static struct takt_pipe bytes_of_2;
static uint8_t pipe_storage[2];

static void write_bytes(uint32_t size, uint32_t least)
{
    struct takt_pipe_count count = {.size = size, .least = least};
    CHECK(takt_pipe_write(&bytes_of_2, "abc", &count) == TAKT_OK);
}

static void write_one(void)
{
    write_bytes(1, 1);
}

static void write_three(void)
{
    write_bytes(3, 3);
}

static void write_nothing(void)
{
    write_bytes(0, 0);
}

static void write_more_than_all(void)
{
    write_bytes(1, 2);
}

static void try_read_one(void)
{
    char byte;
    struct takt_pipe_count count = {.size = 1, .least = 1};
    CHECK(takt_pipe_try_read(&bytes_of_2, &byte, &count) == TAKT_BUSY);
}

static void delete_pipe(void)
{
    takt_pipe_delete(&bytes_of_2);
}

static void pipe_nowhere(void)
{
    takt_pipe_init(&bytes_of_2, 1, NULL, 2);
}

static void pipe_without_room(void)
{
    takt_pipe_init(&bytes_of_2, 1, pipe_storage, 0);
}

static void own_the_other(void *argument)
{
    (void)argument;
    CHECK(takt_slot_allocate(&other) == TAKT_OK);
    takt_slot_open(&other);
    struct takt_signal *signal = takt_signal_allocate(&pool, 1);
    takt_signal_send(&signal, &queue);
    held = takt_signal_allocate(&pool, 2);
    takt_task_suspend(&h);
}

static const struct misuse misuses[] = {
    {send, INTERRUPT, "priority_mailbox.c", 0}, /* although there is room */
    {send_urgent, INTERRUPT, "priority_mailbox.c", 0},
    {receive, INTERRUPT, "priority_mailbox.c", 0},
    {receive_what_is_there, INTERRUPT, "priority_mailbox.c", 0},
    {receive, IDLE, "kernel.h", 0},
    {send_twice, INIT, "kernel.h", 0},
    {receive, TASK, "kernel.h", COOPERATIVE},
    {try_send, FREE_INTERRUPT, "priority_mailbox.c", 0},
    {try_receive, FREE_INTERRUPT, "priority_mailbox.c", 0},
    {broadcast, FREE_INTERRUPT, "priority_mailbox.c", 0},
    {delete_mailbox, INTERRUPT, "priority_mailbox.c", 0},
    {mailbox_nowhere, INIT, "priority_mailbox.c", 0},
    {mailbox_not_aligned, INIT, "priority_mailbox.c", 0},
    {mailbox_of_nothing, INIT, "priority_mailbox.c", 0},
    {mailbox_without_room, INIT, "priority_mailbox.c", 0},
    {allocate, INTERRUPT, "slot.c", 0},
    {allocate, IDLE, "slot.c", 0},
    {open_slot, TASK, "slot.c", 0}, /* which is free */
    {open_other, TASK, "slot.c", 0},
    {open_other, INTERRUPT, "slot.c", 0},
    {close_other, TASK, "slot.c", 0},
    {deallocate_other, TASK, "slot.c", 0},
    {deallocate_free, TASK, "slot.c", 0},
    {flush_other, TASK, "slot.c", 0},
    {take_other, TASK, "slot.c", 0},
    {reserve_only, INTERRUPT, "slot.c", 0},
    {try_reserve, FREE_INTERRUPT, "slot.c", 0},
    {commit_twice, TASK, "slot.c", 0},
    {release_what_is_reserved, TASK, "slot.c", 0},
    {release_twice, TASK, "slot.c", 0},
    {lend_idle_s_level, TASK, "slot.c", 0},
    {lend_an_edf_level, TASK, "slot.c", 0},
    {slot_nowhere, TASK, "slot.c", 0},
    {slot_not_aligned, TASK, "slot.c", 0},
    {slot_of_nothing, TASK, "slot.c", 0},
    {slot_without_room, TASK, "slot.c", 0},
    {use_after_send, TASK, "signal.c", 0},
    {use_of_null, TASK, "signal.c", 0},
    {send_twice_signal, TASK, "signal.c", 0},
    {free_twice, TASK, "signal.c", 0},
    {free_after_send, TASK, "signal.c", 0},
    {use_what_h_holds, TASK, "signal.c", 0},
    {send_what_h_holds, TASK, "signal.c", 0},
    {free_what_h_holds, INTERRUPT, "signal.c", 0},
    {allocate_signal, FREE_INTERRUPT, "signal.c", 0},
    {receive_for_h, TASK, "signal.c", 0},
    {receive_signal, INTERRUPT, "signal.c", 0},
    {pool_nowhere, INIT, "signal.c", 0},
    {pool_not_aligned, INIT, "signal.c", 0},
    {pool_without_room, INIT, "signal.c", 0},
    {queue_of_nobody, INIT, "signal.c", 0},
    {write_one, INTERRUPT, "pipe.c", 0}, /* although there is room */
    {write_three, IDLE, "kernel.h", 0},
    {write_nothing, TASK, "pipe.c", 0},
    {write_more_than_all, TASK, "pipe.c", 0},
    {try_read_one, FREE_INTERRUPT, "pipe.c", 0},
    {delete_pipe, INTERRUPT, "pipe.c", 0},
    {pipe_nowhere, INIT, "pipe.c", 0},
    {pipe_without_room, INIT, "pipe.c", 0},
};

static void prepare(const struct misuse *next)
{
    static uint64_t stack[SCENARIO_STACK / 8];
    static const struct takt_task_config config = {
        .name = "h", .entry = own_the_other, .stack = stack, .stack_size = sizeof stack, .index = 2};
    (void)next;
    takt_priority_mailbox_init(&mailbox, 1, storage, 4, 1, NULL);
    slot_config = other_config;
    slot_config.storage = storages[0];
    takt_slot_init(&slot, &slot_config);
    takt_slot_init(&other, &other_config);
    takt_pipe_init(&bytes_of_2, 1, pipe_storage, sizeof pipe_storage);
    takt_signal_pool_init(&pool, signal_storage, 4, 3);
    takt_signal_queue_init(&queue, 1, &scenario.tasks[0]);
    takt_signal_queue_init(&queue_of_h, 1, &h);
    if (!TAKT_COOPERATIVE) {
        CHECK(takt_task_start(&h, &config) == TAKT_OK);
    }
}

int main(void)
{
    return misuse_run(misuses, sizeof misuses / sizeof *misuses, prepare);
}
