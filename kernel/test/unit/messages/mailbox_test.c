/* SPDX-License-Identifier: Apache-2.0 */
/* Mailboxes: contents, waiters that give up, deletion, triggers, messages of any size on any alignment. */
#include "kernel/test/support/scenario.h"

static struct takt_semaphore semaphore;
static struct takt_mailbox mailbox;
static uint64_t storage[2];
static uint16_t message_size; /* 4, or 8: then most messages take a shorter way */

static uint64_t receive(void)
{
    uint64_t message = 0; /* of which 4 bytes are written, or all */
    CHECK(takt_mailbox_receive(&mailbox, &message) == TAKT_OK);
    return message;
}

static void send(uint64_t message)
{
    CHECK(takt_mailbox_send(&mailbox, &message) == TAKT_OK);
}

static void send_five(void *argument)
{
    (void)argument;
    for (uint64_t message = 1; message <= 5; message++) {
        send(message); /* the third waits for room */
    }
    scenario_sleep_to(5);
    send(6); /* a receiver waits */
}

static void receive_six(void *argument)
{
    (void)argument;
    uint64_t message = 0;
    scenario_sleep_to(1);
    CHECK(takt_mailbox_try_receive(&mailbox, &message) == TAKT_OK);
    CHECK_EQUAL(message, 1);
    for (uint64_t expected = 2; expected <= 6; expected++) {
        CHECK_EQUAL(receive(), expected);
    }
    CHECK(takt_mailbox_try_receive(&mailbox, &message) == TAKT_BUSY);
    CHECK(takt_mailbox_receive_until(&mailbox, &message, TAKT_MS(7)) == TAKT_TIMEOUT);
}

static void contents(void)
{
    for (unsigned receiver_first = 0; receiver_first < 2; receiver_first++) {
        scenario_new();
        takt_mailbox_init(&mailbox, 1, storage, message_size, 2, NULL);
        (void)scenario_task("s", 2, send_five);
        (void)scenario_task("r", receiver_first != 0 ? 1 : 3, receive_six);
        scenario_run(10);
        CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "s5 r7");
    }
}

static void returns_deleted(void *argument)
{
    uint64_t message = 0;
    if (argument == NULL) {
        CHECK(takt_mailbox_receive(&mailbox, &message) == TAKT_DELETED);
    } else {
        CHECK(takt_semaphore_wait(&semaphore) == TAKT_DELETED);
    }
}

static void full_then_deleted(void *argument)
{
    (void)argument;
    uint64_t message = 0;
    send(1);
    send(2);
    CHECK(takt_mailbox_try_send(&mailbox, &message) == TAKT_BUSY);
    CHECK(takt_mailbox_send_until(&mailbox, &message, TAKT_MS(3)) == TAKT_TIMEOUT);
    CHECK(takt_mailbox_send(&mailbox, &message) == TAKT_DELETED);
    CHECK(takt_mailbox_try_receive(&mailbox, &message) == TAKT_BUSY); /* what was in it is gone */
}

static void delete_at_4(void *argument)
{
    (void)argument;
    scenario_sleep_to(4);
    takt_mailbox_delete(&mailbox);
    takt_semaphore_delete(&semaphore);
}

static void deletion(void)
{
    scenario_new();
    takt_mailbox_init(&mailbox, 1, storage, message_size, 2, NULL);
    takt_semaphore_init(&semaphore, 2, NULL, 0, 1);
    (void)scenario_task("d", 0, delete_at_4);
    (void)scenario_task("s", 1, full_then_deleted);
    scenario_task("w", 1, returns_deleted)->argument = &semaphore;
    scenario_run(10);
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "d4 s4 w4");
    scenario_new();
    takt_mailbox_init(&mailbox, 1, storage, message_size, 2, NULL);
    (void)scenario_task("d", 0, delete_at_4);
    (void)scenario_task("r", 1, returns_deleted);
    scenario_run(10);
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "d4 r4");
}

static unsigned done;

static void take_message(void *argument)
{
    (void)argument;
    uint64_t message = 0;
    CHECK(takt_mailbox_try_receive(&mailbox, &message) == TAKT_OK);
    CHECK_EQUAL(message, ++done);
}

static void trigger_all(void *argument)
{
    (void)argument;
    for (uint64_t message = 1; message <= 3; message++) {
        send(message);
        scenario_sleep_to(message);
    }
    CHECK(takt_semaphore_post(&semaphore) == TAKT_OK);
    CHECK(takt_semaphore_try_wait(&semaphore) == TAKT_BUSY); /* a trigger does not count */
}

static void nothing(void *argument)
{
    (void)argument;
}

/* Each message, and each post, releases a job. */
static void triggers(void)
{
    scenario_new();
    takt_mailbox_init(&mailbox, 1, storage, message_size, 2, &scenario.tasks[0]);
    takt_semaphore_init(&semaphore, 2, &scenario.tasks[1], 0, 1);
    done = 0;
    (void)scenario_sporadic("m", 1, take_message, 1);
    (void)scenario_sporadic("p", 1, nothing, 1);
    (void)scenario_task("t", 2, trigger_all);
    scenario_run(10);
    CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), "m0 m1 m2 p3");
    CHECK_EQUAL(done, 3);
}

static void send_until(uint64_t message, unsigned until_ms, enum takt_status expected)
{
    CHECK(takt_mailbox_send_until(&mailbox, &message, TAKT_MS(until_ms)) == expected);
}

static void send_9_until_2(void *argument)
{
    (void)argument;
    send_until(9, 2, TAKT_TIMEOUT);
}

static void send_3(void *argument)
{
    (void)argument;
    send(3);
}

static void fill(void *argument)
{
    (void)argument;
    send(1);
    send(2);
}

static void try_send_is(uint64_t message, enum takt_status expected)
{
    CHECK(takt_mailbox_try_send(&mailbox, &message) == expected);
}

static void try_receive_is(uint64_t expected)
{
    uint64_t message = 0;
    CHECK(takt_mailbox_try_receive(&mailbox, &message) == TAKT_OK);
    CHECK_EQUAL(message, expected);
}

static void nothing_to_receive(void)
{
    uint64_t message = 0;
    CHECK(takt_mailbox_try_receive(&mailbox, &message) == TAKT_BUSY);
}

static void look_at_3(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    try_send_is(8, TAKT_BUSY); /* although nothing that is counted is in it */
    scenario_sleep_to(3);
    try_send_is(8, TAKT_BUSY);
    try_receive_is(1);
    try_send_is(4, TAKT_OK);
    try_send_is(5, TAKT_BUSY);
    try_receive_is(2);
    try_receive_is(4);
    nothing_to_receive();
    try_send_is(6, TAKT_OK);
    try_send_is(7, TAKT_OK);
    try_send_is(8, TAKT_BUSY);
    CHECK_EQUAL(receive(), 6);
}

/* The only sender that waited gives up: its message never comes, and what is in the mailbox counts again. */
static void sender_times_out(void)
{
    scenario_new();
    takt_mailbox_init(&mailbox, 1, storage, message_size, 2, NULL);
    (void)scenario_task("f", 0, fill);
    (void)scenario_task("s", 1, send_9_until_2);
    (void)scenario_task("l", 2, look_at_3);
    scenario_run(10);
    CHECK_TEXT(scenario_events(TAKT_EVENT_SEND, 0), "f0 f0 l3 l3 l3");
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "f0 s2 l3");
}

static void receive_three_at_3(void *argument)
{
    (void)argument;
    scenario_sleep_to(3);
    try_receive_is(1); /* makes room for 3 */
    try_send_is(4, TAKT_BUSY);
    try_receive_is(2);
    try_send_is(4, TAKT_OK);
    try_receive_is(3);
    try_receive_is(4);
    nothing_to_receive();
}

/* One of two senders gives up; the other's message comes in its turn. */
static void one_sender_times_out(void)
{
    scenario_new();
    takt_mailbox_init(&mailbox, 1, storage, message_size, 2, NULL);
    (void)scenario_task("f", 0, fill);
    (void)scenario_task("s", 1, send_9_until_2);
    (void)scenario_task("t", 1, send_3);
    (void)scenario_task("l", 2, receive_three_at_3);
    scenario_run(10);
    CHECK_TEXT(scenario_events(TAKT_EVENT_SEND, 0), "f0 f0 t3 l3");
}

static void receive_until_2(void *argument)
{
    (void)argument;
    uint64_t message = 0;
    CHECK(takt_mailbox_receive_until(&mailbox, &message, TAKT_MS(2)) == TAKT_TIMEOUT);
}

static void send_two_at_3(void *argument)
{
    (void)argument;
    scenario_sleep_to(3);
    try_send_is(1, TAKT_OK);
    try_send_is(2, TAKT_OK);
    try_send_is(3, TAKT_BUSY);
    CHECK_EQUAL(receive(), 1);
    CHECK_EQUAL(receive(), 2);
    nothing_to_receive();
}

/* The only receiver that waited gives up: what is sent is stored. */
static void receiver_times_out(void)
{
    scenario_new();
    takt_mailbox_init(&mailbox, 1, storage, message_size, 2, NULL);
    (void)scenario_task("r", 1, receive_until_2);
    (void)scenario_task("s", 2, send_two_at_3);
    scenario_run(10);
    CHECK_TEXT(scenario_events(TAKT_EVENT_RECEIVE, 0), "s3 s3");
}

static void receive_5(void *argument)
{
    (void)argument;
    CHECK_EQUAL(receive(), 5);
}

static void with_trigger(void *argument)
{
    (void)argument;
    try_send_is(1, TAKT_OK); /* a job at 0 */
    scenario_sleep_to(1);
    try_send_is(2, TAKT_OK); /* at 1 */
    send_until(3, 2, TAKT_TIMEOUT);
    try_send_is(3, TAKT_BUSY);
    scenario_sleep_to(4);
    try_receive_is(1); /* s has waited: its message is stored, and releases the job of 4 */
    scenario_sleep_to(5);
    try_receive_is(2);
    try_receive_is(3);
    nothing_to_receive();
    scenario_sleep_to(6);
    try_send_is(5, TAKT_OK); /* r waits: nothing is stored, and no job released */
    try_send_is(6, TAKT_OK); /* at 6 */
    takt_mailbox_delete(&mailbox);
    nothing_to_receive();
    try_send_is(7, TAKT_OK); /* at 7, for the distance */
    try_receive_is(7);
}

static void send_3_at_3(void *argument)
{
    (void)argument;
    scenario_sleep_to(3);
    send(3);
}

static void receive_5_at_6(void *argument)
{
    scenario_sleep_to(6);
    receive_5(argument);
}

/* Jobs are released by stored messages, whichever task sent them; what goes straight to a receiver releases none. */
static void mailbox_trigger(void)
{
    scenario_new();
    takt_mailbox_init(&mailbox, 1, storage, message_size, 2, &scenario.tasks[0]);
    (void)scenario_sporadic("a", 0, nothing, 1);
    (void)scenario_task("s", 1, send_3_at_3);
    (void)scenario_task("r", 2, receive_5_at_6);
    (void)scenario_task("t", 3, with_trigger);
    scenario_run(10);
    CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), "a0 a1 a4 a6 a7");
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "s4 r6 t6");
}

/*
 * Messages of every small size, with the storage and the caller's message on any alignment: three rounds through a ring
 * of three, and, by a receiver and a sender that wait, from task to task.
 */
enum { LONGEST = 24 };

static uint8_t bytes[3 * LONGEST + 4];
static uint8_t sent[LONGEST + 4];
static uint8_t got[LONGEST + 8];
static unsigned size;
static unsigned offset; /* of the storage */
static unsigned shift;  /* of the message */

static void make_message(unsigned first)
{
    for (unsigned byte = 0; byte < size; byte++) {
        sent[shift + byte] = (uint8_t)(first + byte);
    }
    memset(got, 0xEE, sizeof got);
}

static void check_message(unsigned first)
{
    for (unsigned byte = 0; byte < sizeof got; byte++) {
        bool inside = byte >= shift && byte < shift + size;
        CHECK_EQUAL(got[byte], inside ? (uint8_t)(first + byte - shift) : 0xEE);
    }
    for (unsigned byte = 0; byte < sizeof bytes; byte++) {
        CHECK((byte >= offset && byte < offset + 3 * size) || bytes[byte] == 0xEE);
    }
}

static void receive_one(void *argument)
{
    (void)argument;
    CHECK(takt_mailbox_receive(&mailbox, got + shift) == TAKT_OK);
}

static void send_one_more(void *argument)
{
    (void)argument;
    uint8_t own[LONGEST + 4];
    memset(own, 100, sizeof own);
    CHECK(takt_mailbox_send(&mailbox, own + shift) == TAKT_OK);
}

static void try_size(void)
{
    memset(bytes, 0xEE, sizeof bytes);
    takt_mailbox_init(&mailbox, 1, bytes + offset, (uint16_t)size, 3, NULL);
    for (unsigned round = 0; round < 9; round++) {
        make_message(round * 20);
        CHECK(takt_mailbox_try_send(&mailbox, sent + shift) == TAKT_OK);
        CHECK(takt_mailbox_try_receive(&mailbox, got + shift) == TAKT_OK);
        check_message(round * 20);
    }
    CHECK(takt_task_start(&scenario.tasks[1], &scenario.configs[1]) == TAKT_OK); /* it waits */
    make_message(7);
    CHECK(takt_mailbox_send(&mailbox, sent + shift) == TAKT_OK);
    check_message(7);
    for (unsigned message = 0; message < 3; message++) {
        make_message(message);
        CHECK(takt_mailbox_send(&mailbox, sent + shift) == TAKT_OK);
    }
    CHECK(takt_task_start(&scenario.tasks[2], &scenario.configs[2]) == TAKT_OK); /* and so does this one */
    for (unsigned message = 0; message < 4; message++) {
        memset(got, 0xEE, sizeof got);
        CHECK(takt_mailbox_receive(&mailbox, got + shift) == TAKT_OK);
        CHECK_EQUAL(got[shift], message < 3 ? message : 100);
        CHECK_EQUAL(got[shift + size - 1], message < 3 ? message + size - 1 : 100);
    }
}

static void any_size(void *argument)
{
    (void)argument;
    for (size = 1; size <= LONGEST; size++) {
        for (unsigned position = 0; position < 16; position++) {
            offset = position / 4;
            shift = position % 4;
            try_size();
        }
    }
}

static void message_sizes(void)
{
    scenario_new();
    (void)scenario_task("a", 1, any_size);
    (void)scenario_task("r", 0, receive_one);
    (void)scenario_task("s", 0, send_one_more);
    scenario.system.task_count = 1; /* a starts the others */
    scenario_run(1);
    CHECK_EQUAL(size, LONGEST + 1);
}

int main(void)
{
    for (message_size = 4; message_size <= 8; message_size += 4) {
        contents();
        deletion();
        sender_times_out();
        one_sender_times_out();
        receiver_times_out();
        triggers();
        mailbox_trigger();
    }
    message_sizes();
    return 0;
}
