/* SPDX-License-Identifier: Apache-2.0 */
/* What the owner of a slot inherits from messages. */
#include "slots.h"

static struct takt_mutex mutex;

/* The owner at 5 is lent 1 by a message of priority 0, 3 by one of 1, and nothing by others: its own level is better.
 */
static void inheriting_owner(void *argument)
{
    (void)argument;
    begin();
    scenario_work(2); /* b has come at 1 */
    note('o');
    char *b = take('b');
    scenario_work(2); /* c and a have come at 3 */
    if (!config.by_priority) {
        consume('c', 2);
    }
    char *a = take('a');
    note('p');
    CHECK_EQUAL(takt_slot_release(&slot, a), config.by_priority ? 2 : 1);
    note('q'); /* before x, which has the level of b now */
    (void)takt_slot_release(&slot, b);
    note('r');
}

static void send_at_1_and_3(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    send('b', 1);
    scenario_sleep_to(3);
    send('c', 2);
    send('a', 0);
}

static void note_at_1(void *argument)
{
    scenario_sleep_to(1);
    note(((const char *)argument)[0]);
}

static void note_at_3(void *argument)
{
    scenario_sleep_to(3);
    note(((const char *)argument)[0]);
}

static void inheriting(void)
{
    for (unsigned by_priority = 0; by_priority < 2; by_priority++) {
        new_scenario();
        config.inheritance = &inheritance;
        config.by_priority = by_priority != 0;
        add("o", 5, inheriting_owner);
        add("s", 0, send_at_1_and_3);
        add("z", 4, note_at_1);
        add("y", 2, note_at_3);
        add("x", 3, note_at_3);
        run("opyqxzr");
    }
}

static void waiting_owner(void *argument)
{
    (void)argument;
    begin();
    char *a = take('a');
    note('1'); /* before the sender goes on */
    CHECK_EQUAL(takt_slot_release(&slot, a), 0);
    char *b = take('b');
    note('2'); /* before z, but not before the sender */
    CHECK_EQUAL(takt_slot_release(&slot, b), 0);
    note('3');
    consume('c', 0);
    note('4');
    scenario_work(2);
    CHECK_EQUAL(takt_slot_flush(&slot), 0); /* d has come meanwhile, and lends no more */
    note('5');
}

static void send_at_1(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    send('a', 0);
    note('a');
    send('b', 1);
    note('b');
}

static void send_at_2(void *argument)
{
    (void)argument;
    scenario_sleep_to(2);
    send('c', 3); /* for which there is no level */
    scenario_sleep_to(3);
    send('d', 0);
}

/* The owner inherits before it is ready, and no longer than it has the message. */
static void inheriting_by_a_waiter(void)
{
    new_scenario();
    config.inheritance = &inheritance;
    add("o", 5, waiting_owner);
    add("s", 2, send_at_1);
    add("z", 4, note_at_1);
    add("t", 0, send_at_2);
    add("y", 4, note_at_3);
    run("1ab2z34y5");
}

static void lock_for_others(void *argument)
{
    (void)argument;
    scenario_lock(&mutex);
    scenario_work(4);
    note('m');
    takt_mutex_unlock(&mutex);
    note('n');
}

static void own_and_lock(void *argument)
{
    (void)argument;
    begin();
    scenario_sleep_to(1);
    scenario_lock(&mutex);
    note('o');
    takt_mutex_unlock(&mutex);
    consume('a', 0);
}

static void send_a_at_2(void *argument)
{
    (void)argument;
    scenario_sleep_to(2);
    send('a', 0);
}

/* What a message lends goes on to the task that its receiver waits for. */
static void inheriting_along_a_chain(void)
{
    new_scenario();
    takt_mutex_init(&mutex, 2);
    config.inheritance = &inheritance;
    add("o", 5, own_and_lock);
    add("l", 6, lock_for_others);
    add("s", 0, send_a_at_2);
    add("z", 3, note_at_3);
    run("mozn");
}

static void owner_to_stop(void *argument)
{
    (void)argument;
    if (slot.owner == NULL) {
        begin();
    }
    scenario_work(4);
    note('o');
}

static void stop_and_start(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    send('a', 0);
    takt_task_stop(&scenario.tasks[0]);
    send('b', 0); /* to no task that could inherit */
    CHECK(takt_task_start(&scenario.tasks[0], &scenario.configs[0]) == TAKT_OK);
    scenario_sleep_to(4);
    send('c', 0);
}

static void note_at_4(void *argument)
{
    scenario_sleep_to(4);
    scenario_work(1);
    note(((const char *)argument)[0]);
}

/* An owner that was stopped has forgotten what it was lent; the next message lends again. */
static void inheriting_after_a_stop(void)
{
    new_scenario();
    config.inheritance = &inheritance;
    add("o", 5, owner_to_stop);
    add("s", 0, stop_and_start);
    add("z", 4, note_at_1); /* before o at 1 ... */
    add("y", 2, note_at_3);
    add("x", 2, note_at_4);
    run("zyox"); /* ... and after it at 4 */
}

int main(void)
{
    inheriting();
    inheriting_by_a_waiter();
    inheriting_along_a_chain();
    inheriting_after_a_stop();
    return 0;
}
