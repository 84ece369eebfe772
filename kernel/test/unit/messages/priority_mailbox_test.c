/* SPDX-License-Identifier: Apache-2.0 */
/* Mailboxes with priorities: order, waiters of both sorts, urgent messages, broadcast, arrivals, deletion. */
#include "kernel/core/kernel.h"
#include "kernel/test/support/scenario.h"

enum { ROOM = 3, SIZE = 12, NOTES = 32 };

static struct takt_priority_mailbox mailbox;
static uint64_t storage[TAKT_PRIORITY_MAILBOX_BYTES(SIZE, ROOM) / 8 + 1];
static char arrived[NOTES]; /* the first letters of messages, in order */
static char got[NOTES];

struct message {
    char letter;
    char rest[SIZE - 1];
};

static void note(char *notes, char letter)
{
    size_t used = strlen(notes);
    CHECK(used + 1 < NOTES);
    notes[used] = letter;
    notes[used + 1] = '\0';
}

static void on_arrival(const void *message)
{
    note(arrived, ((const struct message *)message)->letter);
}

static struct message make(char letter)
{
    struct message message;
    memset(&message, letter, sizeof message);
    return message;
}

/* The rest of a message came with it. */
static char letter_of(const struct message *message)
{
    for (unsigned byte = 0; byte < sizeof message->rest; byte++) {
        CHECK_EQUAL(message->rest[byte], message->letter);
    }
    return message->letter;
}

static void send(char letter, uint32_t priority)
{
    const struct message message = make(letter);
    CHECK(takt_priority_mailbox_send(&mailbox, &message, priority) == TAKT_OK);
}

static void try_send_is(char letter, uint32_t priority, enum takt_status expected)
{
    const struct message message = make(letter);
    CHECK(takt_priority_mailbox_try_send(&mailbox, &message, priority) == expected);
}

static void send_urgent(char letter)
{
    const struct message message = make(letter);
    CHECK(takt_priority_mailbox_send_urgent(&mailbox, &message) == TAKT_OK);
}

static void receive(void)
{
    struct message message;
    CHECK(takt_priority_mailbox_receive(&mailbox, &message) == TAKT_OK);
    note(got, letter_of(&message));
}

static void try_receive_is(char expected)
{
    struct message message = make('?');
    enum takt_status status = takt_priority_mailbox_try_receive(&mailbox, &message);
    CHECK(status == (expected == '?' ? TAKT_BUSY : TAKT_OK));
    CHECK_EQUAL(letter_of(&message), expected);
}

static void new_scenario(void)
{
    scenario_new();
    takt_priority_mailbox_init(&mailbox, 1, storage, SIZE, ROOM, on_arrival);
    storage[sizeof storage / sizeof *storage - 1] = 77;
    arrived[0] = '\0';
    got[0] = '\0';
}

static void run(const char *expected_arrived, const char *expected_got)
{
    scenario_run(20);
    CHECK_TEXT(arrived, expected_arrived);
    CHECK_TEXT(got, expected_got);
    CHECK_EQUAL(storage[sizeof storage / sizeof *storage - 1], 77);
}

static void add(const char *name, unsigned level, void (*entry)(void *argument))
{
    scenario_task(name, level, entry)->argument = (void *)(uintptr_t)name;
}

/* By priority, equals as they came; what was given back is used again. */
static void every_order(void *argument)
{
    (void)argument;
    for (unsigned round = 0; round < 4; round++) {
        send('c', UINT32_MAX);
        send('a', 0);
        send('b', UINT32_MAX - 1);
        try_send_is('x', 0, TAKT_BUSY);
        try_receive_is('a');
        send('d', UINT32_MAX);
        try_receive_is('b');
        try_receive_is('c');
        send('e', UINT32_MAX);
        send('f', UINT32_MAX);
        try_receive_is('d');
        try_receive_is('e');
        send('g', 7);
        try_receive_is('g');
        try_receive_is('f');
        try_receive_is('?');
    }
}

static void order(void)
{
    new_scenario();
    add("a", 1, every_order);
    run("cabdefgcabdefgcabdefgcabdefg", "");
}

static void urgent_ones(void *argument)
{
    (void)argument;
    const struct message late = make('x');
    send_urgent('1'); /* the first message of all */
    send('2', 0);     /* ... and behind it */
    try_receive_is('1');
    try_receive_is('2');
    send('a', 0);
    send_urgent('b');
    send_urgent('c');
    CHECK(takt_priority_mailbox_try_send_urgent(&mailbox, &late) == TAKT_BUSY);
    CHECK(takt_priority_mailbox_send_urgent_until(&mailbox, &late, TAKT_MS(2)) == TAKT_TIMEOUT);
    try_receive_is('c');
    send('d', 1);
    try_receive_is('b');
    try_receive_is('a');
    CHECK(takt_priority_mailbox_try_send_urgent(&mailbox, &late) == TAKT_OK);
    try_receive_is('x');
    try_receive_is('d');
}

static void urgent(void)
{
    new_scenario();
    add("a", 1, urgent_ones);
    run("12abcdx", "");
}

static void fill(void *argument)
{
    (void)argument;
    send('b', 2);
    send('c', 3);
    send('d', 4);
}

static void send_of_priority_1(void *argument)
{
    (void)argument;
    send('1', 1);
}

static void send_of_priority_9(void *argument)
{
    (void)argument;
    send('9', 9);
}

static void send_urgently(void *argument)
{
    (void)argument;
    send_urgent('u');
}

static void give_up_at_2(void *argument)
{
    (void)argument;
    const struct message message = make('x');
    CHECK(takt_priority_mailbox_send_until(&mailbox, &message, 0, TAKT_MS(2)) == TAKT_TIMEOUT);
}

static void receive_all_at_3(void *argument)
{
    (void)argument;
    struct message message;
    scenario_sleep_to(3);
    for (unsigned letters = 0; letters < 6; letters++) {
        receive();
    }
    CHECK(takt_priority_mailbox_receive_until(&mailbox, &message, TAKT_MS(5)) == TAKT_TIMEOUT);
}

/* Room goes to the best task; its message to where its priority puts it. */
static void senders_wait(void)
{
    new_scenario();
    add("f", 0, fill);
    add("x", 1, give_up_at_2);
    add("p", 2, send_of_priority_9); /* p before q before u */
    add("q", 3, send_of_priority_1);
    add("u", 4, send_urgently);
    add("r", 5, receive_all_at_3);
    run("bcd91u", "bc1ud9");
    if (TAKT_TRACE) {
        CHECK_TEXT(scenario_events(TAKT_EVENT_SEND, 0), "f0 f0 f0 p3 q3 u3");
        CHECK_TEXT(scenario_events(TAKT_EVENT_RECEIVE, 0), "r3 r3 r3 r3 r3 r3");
        CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "f0 x2 p3 q3 u3 r5");
    }
}

static void receive_one(void *argument)
{
    receive();
    note(got, ((const char *)argument)[0]);
}

static void receive_until_2(void *argument)
{
    (void)argument;
    struct message message;
    CHECK(takt_priority_mailbox_receive_until(&mailbox, &message, TAKT_MS(2)) == TAKT_TIMEOUT);
}

static void send_two_at_3(void *argument)
{
    (void)argument;
    scenario_sleep_to(3);
    send('a', 9);
    send_urgent('b');
    try_receive_is('?');
}

static void receivers_wait(void)
{
    new_scenario();
    add("x", 1, receive_until_2);
    add("Q", 3, receive_one);
    add("P", 2, receive_one);
    add("s", 4, send_two_at_3);
    run("ab", "aPbQ");
}

static void broadcast_at_3(void *argument)
{
    (void)argument;
    const struct message message = make('m');
    CHECK_EQUAL(takt_priority_mailbox_broadcast(&mailbox, &message), 0); /* the others have not run */
    scenario_sleep_to(3);
    CHECK_EQUAL(takt_priority_mailbox_broadcast(&mailbox, &message), 3);
    try_receive_is('?');
    CHECK_EQUAL(takt_priority_mailbox_broadcast(&mailbox, &message), 0);
    note(got, 's');
}

/* All that wait get it, in their order; nothing stays. */
static void broadcast(void)
{
    new_scenario();
    add("s", 0, broadcast_at_3);
    add("Q", 3, receive_one);
    add("P", 2, receive_one);
    add("R", 3, receive_one);
    run("m", "smPmQmR");
    if (TAKT_TRACE) {
        CHECK_TEXT(scenario_events(TAKT_EVENT_SEND, 0), "s3");
        CHECK_TEXT(scenario_events(TAKT_EVENT_RECEIVE, 0), "P3 Q3 R3");
    }
}

static void returns_deleted(void *argument)
{
    struct message message = make('x');
    bool sends = ((const char *)argument)[0] == 's';
    enum takt_status status =
        sends ? takt_priority_mailbox_send(&mailbox, &message, 0) : takt_priority_mailbox_receive(&mailbox, &message);
    CHECK(status == TAKT_DELETED);
    note(got, ((const char *)argument)[0]);
}

static void delete_at_4(void *argument)
{
    (void)argument;
    scenario_sleep_to(4);
    takt_priority_mailbox_delete(&mailbox);
    try_receive_is('?');
    for (unsigned messages = 0; messages < ROOM; messages++) {
        try_send_is('n', 1, TAKT_OK);
    }
    try_send_is('n', 1, TAKT_BUSY);
}

static void deletion(void)
{
    new_scenario();
    add("d", 0, delete_at_4);
    add("f", 1, fill);
    add("s", 2, returns_deleted);
    run("bcdnnn", "s");
    new_scenario();
    add("d", 0, delete_at_4);
    add("r", 1, returns_deleted);
    add("t", 2, returns_deleted);
    run("nnn", "rt");
}

/* Without a handler, and as it is defined. */
static uint8_t more[TAKT_PRIORITY_MAILBOX_BYTES(1, 2)] __attribute__((aligned(8)));
static TAKT_PRIORITY_MAILBOX_DEFINE(defined, 2, more, 1, 2, NULL);

static void two_bytes(void *argument)
{
    (void)argument;
    char byte = 'a';
    CHECK(takt_priority_mailbox_send(&defined, &byte, 2) == TAKT_OK);
    byte = 'b';
    CHECK(takt_priority_mailbox_send(&defined, &byte, 1) == TAKT_OK);
    CHECK(takt_priority_mailbox_try_send(&defined, &byte, 1) == TAKT_BUSY);
    CHECK(takt_priority_mailbox_receive(&defined, &byte) == TAKT_OK);
    CHECK_EQUAL(byte, 'b');
    CHECK(takt_priority_mailbox_receive(&defined, &byte) == TAKT_OK);
    CHECK_EQUAL(byte, 'a');
}

static void definition(void)
{
    new_scenario();
    add("a", 1, two_bytes);
    run("", "");
}

/* With a trigger: jobs are released by stored messages, urgent ones too, and receive the first of them unlocked. */
static uint8_t triggering_storage[TAKT_PRIORITY_MAILBOX_BYTES(SIZE, 2)] __attribute__((aligned(8)));
static TAKT_PRIORITY_MAILBOX_TRIGGER_DEFINE(triggering, 3, triggering_storage, SIZE, 2, &scenario.tasks[0]);

static void handle(void *argument)
{
    (void)argument;
    struct message message;
    if (takt_priority_mailbox_try_receive(&triggering, &message) == TAKT_OK) {
        CHECK(takt_now() % 1000000 == 0); /* a call of the kernel: it runs unlocked */
        note(got, letter_of(&message));
    }
}

static void send_to_handler(char letter, bool urgent, enum takt_status expected)
{
    const struct message message = make(letter);
    enum takt_status status = urgent ? takt_priority_mailbox_try_send_urgent(&triggering, &message)
                                     : takt_priority_mailbox_try_send(&triggering, &message, 7);
    CHECK(status == expected);
}

static void send_with_trigger(void *argument)
{
    (void)argument;
    send_to_handler('a', true, TAKT_OK); /* the job of 0: it is better, and runs in this call */
    CHECK_TEXT(got, "a");
    send_to_handler('b', false, TAKT_OK); /* its job of 1 waits for the distance */
    send_to_handler('c', true, TAKT_OK);  /* lost: pending_max is 1 */
    send_to_handler('x', true, TAKT_BUSY);
    const struct message last = make('d');
    CHECK(takt_priority_mailbox_send_until(&triggering, &last, 9, TAKT_MS(2)) ==
          TAKT_OK); /* once the job of 1 took c */
    CHECK_EQUAL(takt_now(), TAKT_MS(1));
    scenario_sleep_to(3); /* storing d released the job of 2 */
    CHECK_TEXT(got, "acb");
    scenario_sleep_to(6); /* r waits */
    send_to_handler('e', true, TAKT_OK);
    CHECK_EQUAL(takt_priority_mailbox_broadcast(&triggering, &last), 0);
}

static void receive_at_5(void *argument)
{
    (void)argument;
    struct message message;
    scenario_sleep_to(5);
    CHECK(takt_priority_mailbox_receive(&triggering, &message) == TAKT_OK);
    CHECK_EQUAL(letter_of(&message), 'd'); /* no job was released for it: that release was lost */
    CHECK(takt_priority_mailbox_receive(&triggering, &message) == TAKT_OK);
    CHECK_EQUAL(letter_of(&message), 'e'); /* handed over: it releases no job */
}

static void trigger(void)
{
    new_scenario();
    (void)scenario_sporadic("h", 0, handle, 1);
    add("r", 1, receive_at_5);
    add("s", 2, send_with_trigger);
    scenario_run(10);
    CHECK_TEXT(got, "acb");
    if (TAKT_TRACE) {
        CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), "h0 h1 h2");
        CHECK_TEXT(scenario_events(TAKT_EVENT_REFUSE, 0), "s0");
        CHECK_TEXT(scenario_events(TAKT_EVENT_LOST, 0), "h0");
    }
    CHECK_TEXT(arrived, "");
}

int main(void)
{
    order();
    urgent();
    senders_wait();
    receivers_wait();
    broadcast();
    deletion();
    definition();
    if (TAKT_JOBS) {
        trigger();
    }
    return 0;
}
