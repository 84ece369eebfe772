/* SPDX-License-Identifier: Apache-2.0 */
/* Slots: their life, order, the last position, and waiters of both sorts. */
#include "slots.h"

static void reserve_is(uint32_t priority, enum takt_status expected)
{
    void *buffer = NULL;
    CHECK(takt_slot_try_reserve(&slot, priority, &buffer) == expected);
    CHECK(buffer == NULL);
}

static void take_is(enum takt_status expected)
{
    void *buffer = NULL;
    CHECK(takt_slot_try_take(&slot, &buffer) == expected);
    CHECK(buffer == NULL);
}

static void info_is(enum takt_slot_state state, unsigned reserved, unsigned committed, unsigned taken)
{
    struct takt_slot_info info = takt_slot_info(&slot);
    CHECK(info.config == &config && info.state == state);
    CHECK(info.owner == (state == TAKT_SLOT_FREE ? NULL : &scenario.tasks[0]));
    CHECK_EQUAL(info.reserved, reserved);
    CHECK_EQUAL(info.committed, committed);
    CHECK_EQUAL(info.taken, taken);
}

static void whole_life(void *argument)
{
    (void)argument;
    reserve_is(0, TAKT_STATE); /* it is free */
    info_is(TAKT_SLOT_FREE, 0, 0, 0);
    CHECK(takt_slot_allocate(&slot) == TAKT_OK);
    CHECK(takt_slot_allocate(&slot) == TAKT_STATE);
    reserve_is(0, TAKT_STATE); /* not yet open */
    CHECK_EQUAL(takt_slot_close(&slot), 0);
    takt_slot_open(&slot);
    CHECK(takt_slot_deallocate(&slot) == TAKT_STATE);
    take_is(TAKT_BUSY);
    char *late = reserve(7);
    send('b', 2);
    send('a', 1);
    info_is(TAKT_SLOT_OPEN, 1, 2, 0);
    reserve_is(0, TAKT_BUSY);
    char *first = take('a');
    char *second = take('b');
    take_is(TAKT_BUSY);
    CHECK_EQUAL(takt_slot_release(&slot, first), 2); /* taken and reserved ones remain */
    CHECK_EQUAL(takt_slot_close(&slot), 2);
    info_is(TAKT_SLOT_CLOSED, 1, 0, 1);
    reserve_is(0, TAKT_STATE);
    take_is(TAKT_BUSY); /* one is still to come */
    CHECK_EQUAL(takt_slot_release(&slot, second), 1);
    CHECK(takt_slot_deallocate(&slot) == TAKT_STATE);
    *late = 'c';
    takt_slot_commit(&slot, late);
    late = take('c');
    take_is(TAKT_STATE);
    CHECK(takt_slot_deallocate(&slot) == TAKT_STATE);
    CHECK_EQUAL(takt_slot_release(&slot, late), 0);
    CHECK(takt_slot_take(&slot, (void **)&late) == TAKT_STATE);
    CHECK(takt_slot_deallocate(&slot) == TAKT_OK);
    begin(); /* and again */
    send('d', 0);
    consume('d', 0);
    note('.');
}

static void life(void)
{
    new_scenario();
    add("a", 5, whole_life);
    run(".");
}

static void in_order(void *argument)
{
    (void)argument;
    begin();
    send('b', 5);
    char *last = reserve(5);
    send('a', config.by_priority ? 1 : 6);
    *last = 'c';
    takt_slot_commit(&slot, last); /* what counts is the commit */
    if (config.by_priority) {
        consume('a', 2);
        consume('b', 1);
    } else {
        consume('b', 2);
        consume('a', 1);
    }
    consume('c', 0);
    send('x', 1);
    send('y', 0);
    last = reserve(3);
    CHECK_EQUAL(takt_slot_flush(&slot), 1); /* what is reserved stays */
    take_is(TAKT_BUSY);
    *last = 'z';
    takt_slot_commit(&slot, last);
    send('u', 9);
    send('v', 9);
    consume('z', 2);
    consume('u', 1);
    consume('v', 0);
    note('.');
}

static void order(void)
{
    for (unsigned by_priority = 0; by_priority < 2; by_priority++) {
        new_scenario();
        config.by_priority = by_priority != 0;
        add("a", 5, in_order);
        run(".");
    }
}

static void last_message(void *argument)
{
    (void)argument;
    begin();
    send('b', 5);
    send('c', 5);
    reserve_is(5, TAKT_BUSY);
    reserve_is(5, TAKT_BUSY);
    send('a', 4);
    reserve_is(0, TAKT_BUSY);
    consume('a', 2);
    reserve_is(5, TAKT_BUSY);
    consume('b', 1);
    send('d', 5);
    note('.');
}

static void important(void)
{
    new_scenario();
    config.important = 4;
    add("a", 5, last_message);
    run(".");
}

static void send_priority(char letter, uint32_t priority)
{
    send(letter, priority);
    note(letter);
}

static void send_4(void *argument)
{
    scenario_sleep_to(1);
    send_priority(((const char *)argument)[0], 4);
}

static void send_5(void *argument)
{
    scenario_sleep_to(1);
    send_priority(((const char *)argument)[0], 5);
}

static void give_up_at_2(void *argument)
{
    (void)argument;
    void *buffer = NULL;
    scenario_sleep_to(1);
    CHECK(takt_slot_reserve_until(&slot, 0, &buffer, TAKT_MS(2)) == TAKT_TIMEOUT);
    CHECK(buffer == NULL);
}

static void returns_closed(void *argument)
{
    void *buffer = NULL;
    scenario_sleep_to(1);
    CHECK(takt_slot_reserve(&slot, 9, &buffer) == TAKT_STATE);
    CHECK(buffer == NULL);
    note(((const char *)argument)[0]);
}

static void receive_from_3(void *argument)
{
    (void)argument;
    void *buffer = NULL;
    begin();
    send('1', 5);
    send('2', 5);
    send('0', 0);
    scenario_sleep_to(3);
    consume('0', 3); /* s has the message: p and q may not have the last */
    consume('s', 2); /* nobody */
    consume('1', 2); /* p: then one is left, which is not for q */
    consume('2', 2); /* q */
    CHECK_EQUAL(takt_slot_close(&slot), 2);
    consume('p', 1);
    consume('q', 0);
    CHECK(takt_slot_take_until(&slot, &buffer, TAKT_MS(5)) == TAKT_STATE);
    takt_slot_open(&slot);
    CHECK(takt_slot_take_until(&slot, &buffer, TAKT_MS(5)) == TAKT_TIMEOUT);
    note('.');
}

/* A position goes to the best task that may have it. */
static void senders_wait(void)
{
    new_scenario();
    config.important = 4;
    add("r", 8, receive_from_3);
    add("x", 2, give_up_at_2);
    add("p", 3, send_5);
    add("q", 4, send_5);
    add("s", 5, send_4);
    add("t", 6, returns_closed);
    run("spqt.");
    if (TAKT_TRACE) {
        CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "x2 s3 p3 q3 t3 r5");
    }
}

static void receive_two(void *argument)
{
    (void)argument;
    begin();
    consume('a', 0); /* waits for each */
    note('1');
    consume('b', 0);
    note('2');
}

static void send_two(void *argument)
{
    (void)argument;
    send('a', 7);
    note('a');
    send('b', 7);
    note('b');
}

static void owner_waits(void)
{
    new_scenario();
    add("r", 1, receive_two);
    add("s", 2, send_two);
    run("1a2b");
}

int main(void)
{
    life();
    order();
    important();
    senders_wait();
    owner_waits();
    return 0;
}
