/* SPDX-License-Identifier: Apache-2.0 */
/* Signals: pools, order, filters by number and by sender, waiting, owners of signals. */
#include "kernel/core/kernel.h"
#include "kernel/test/support/scenario.h"

enum { SIGNALS = 4, SIZE = 12, NOTES = 32 };

static uint64_t storage[TAKT_SIGNAL_BYTES(SIZE) * SIGNALS / 8 + 1];
static struct takt_signal_pool pool;
static struct takt_signal_queue queue; /* of the first task */
static char notes[NOTES];

static void note(char letter)
{
    size_t used = strlen(notes);
    CHECK(used + 1 < NOTES);
    notes[used] = letter;
    notes[used + 1] = '\0';
}

static void new_scenario(void)
{
    scenario_new();
    takt_signal_pool_init(&pool, storage, SIZE, SIGNALS);
    takt_signal_queue_init(&queue, 1, &scenario.tasks[0]);
    storage[sizeof storage / sizeof *storage - 1] = 77;
    notes[0] = '\0';
}

static void run(const char *expected)
{
    scenario_run(20);
    CHECK_TEXT(notes, expected);
    CHECK_EQUAL(storage[sizeof storage / sizeof *storage - 1], 77);
}

static void send(char letter, uint32_t number)
{
    struct takt_signal *signal = takt_signal_allocate(&pool, number);
    CHECK(signal != NULL && signal->number == number);
    CHECK(((uintptr_t)takt_signal_data(signal) & 7u) == 0);
    memset(takt_signal_data(signal), letter, SIZE);
    takt_signal_send(&signal, &queue);
    CHECK(signal == NULL);
}

static void try_is(const struct takt_signal_filter *filter, char expected)
{
    struct takt_signal *signal = NULL;
    CHECK(takt_signal_try_receive(&queue, filter, &signal) == (expected == '?' ? TAKT_BUSY : TAKT_OK));
    CHECK((signal == NULL) == (expected == '?'));
    if (signal != NULL) {
        const char *data = takt_signal_data(signal);
        CHECK_EQUAL(data[0], expected);
        CHECK_EQUAL(data[SIZE - 1], expected);
        takt_signal_free(&signal);
        CHECK(signal == NULL);
    }
}

static void receive(const struct takt_signal_filter *filter)
{
    struct takt_signal *signal = NULL;
    CHECK(takt_signal_receive(&queue, filter, &signal) == TAKT_OK);
    note(*(char *)takt_signal_data(signal));
    takt_signal_free(&signal);
}

static const uint32_t some[] = {7, 3};
static const struct takt_signal_filter of_3_or_7 = {.numbers = some, .count = 2};
static const struct takt_signal_filter of_7 = {.numbers = some, .count = 1};

static void send_to_itself(void *argument)
{
    (void)argument;
    struct takt_signal *signals[SIGNALS];
    for (unsigned round = 0; round < 3; round++) { /* each buffer is used again */
        for (unsigned position = 0; position < SIGNALS; position++) {
            signals[position] = takt_signal_allocate(&pool, position);
            CHECK(signals[position] != NULL);
        }
        CHECK(takt_signal_allocate(&pool, 0) == NULL);
        for (unsigned position = 0; position < SIGNALS; position++) {
            takt_signal_free(&signals[position]);
        }
    }
    try_is(NULL, '?');
    send('a', 1);
    send('b', 3);
    send('c', 7);
    send('d', 3);
    try_is(&of_7, 'c');
    try_is(&of_7, '?');
    try_is(&of_3_or_7, 'b');
    try_is(&of_3_or_7, 'd'); /* the last leaves, with one before it */
    send('e', 7);
    try_is(NULL, 'a');
    try_is(NULL, 'e');
    try_is(NULL, '?');
    send('f', 1);
    try_is(&of_3_or_7, '?');
    try_is(NULL, 'f');
    note('.');
}

static void queues(void)
{
    new_scenario();
    (void)scenario_named("a", 1, send_to_itself);
    run(".");
}

static void receive_of_c(void *argument)
{
    (void)argument;
    const struct takt_signal_filter of_c = {.sender = &scenario.tasks[2]};
    const struct takt_signal_filter both = {.numbers = some, .count = 2, .sender = &scenario.tasks[1]};
    struct takt_signal *signal = NULL;
    CHECK(takt_signal_receive_until(&queue, &both, &signal, TAKT_MS(1)) == TAKT_TIMEOUT);
    CHECK(signal == NULL);
    receive(&of_c); /* from c at 3: one of b came at 2 */
    receive(&both); /* from b at 4: what it sent at 2 has another number */
    receive(&of_3_or_7);
    CHECK(takt_signal_receive(&queue, NULL, &signal) == TAKT_OK);
    CHECK(signal->sender == &scenario.tasks[1] && signal->number == 1);
    takt_signal_free(&signal);
    CHECK(takt_signal_receive(&queue, NULL, &signal) == TAKT_OK); /* waits */
    CHECK(signal->sender == &scenario.tasks[2] && signal->number == 9);
    takt_signal_free(&signal);
    note('.');
}

static void send_as_b(void *argument)
{
    (void)argument;
    scenario_sleep_to(2);
    send('b', 1);
    scenario_sleep_to(4);
    send('B', 3);
    note('4');
}

static void send_as_c(void *argument)
{
    (void)argument;
    scenario_sleep_to(3);
    send('c', 7);
    send('C', 7);
    note('3');
    scenario_sleep_to(6);
    send('9', 9);
}

/* The receiver waits, and is ready when what passes comes. */
static void filters(void)
{
    new_scenario();
    (void)scenario_named("a", 1, receive_of_c);
    (void)scenario_named("b", 2, send_as_b);
    (void)scenario_named("c", 2, send_as_c);
    run("c3BC4.");
    if (TAKT_TRACE) {
        CHECK_TEXT(scenario_events(TAKT_EVENT_SEND, 0), "b2 c3 c3 b4 c6");
        CHECK_TEXT(scenario_events(TAKT_EVENT_RECEIVE, 0), "a3 a4 a4 a4 a6");
    }
}

/* As they are defined. */
static uint8_t more[TAKT_SIGNAL_BYTES(1) * 2] __attribute__((aligned(8)));
static TAKT_SIGNAL_POOL_DEFINE(defined_pool, more, 1, 2);
static TAKT_SIGNAL_QUEUE_DEFINE(defined_queue, 3, &scenario.tasks[0]);

static void use_defined(void *argument)
{
    (void)argument;
    struct takt_signal *first = takt_signal_allocate(&defined_pool, 5);
    struct takt_signal *second = takt_signal_allocate(&defined_pool, 6);
    CHECK(first != NULL && second != NULL && takt_signal_allocate(&defined_pool, 7) == NULL);
    takt_signal_send(&first, &defined_queue);
    CHECK(takt_signal_receive(&defined_queue, NULL, &first) == TAKT_OK);
    CHECK_EQUAL(first->number, 5);
    takt_signal_free(&first);
    takt_signal_free(&second);
    note('.');
}

static void definition(void)
{
    new_scenario();
    (void)scenario_named("a", 1, use_defined);
    run(".");
}

int main(void)
{
    queues();
    filters();
    definition();
    return 0;
}
