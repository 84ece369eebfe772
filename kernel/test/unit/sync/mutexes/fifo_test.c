/* SPDX-License-Identifier: Apache-2.0 */
/* Objects whose waiters are in FIFO order. Tasks a, b, c ... sleep until their times; a is the highest. */
#include "kernel/test/support/scenario.h"

static uint8_t storage[16] __attribute__((aligned(8)));
static uint8_t blocks[TAKT_POOL_BYTES(16, 1)] __attribute__((aligned(8)));
static uint8_t more[16] __attribute__((aligned(8)));

TAKT_MUTEX_FIFO_DEFINE(defined, 1);
TAKT_MAILBOX_FIFO_DEFINE(mailbox, 2, storage, 8, 2);
TAKT_MAILBOX_FIFO_TRIGGER_DEFINE(releasing, 3, more, 8, 2, &scenario.tasks[0]);
TAKT_POOL_FIFO_DEFINE(pool, 4, blocks, 16, 1);
TAKT_SEMAPHORE_FIFO_DEFINE(semaphore, 5, 0, 3);
static uint8_t letters[TAKT_PRIORITY_MAILBOX_BYTES(8, 2)] __attribute__((aligned(8)));
static uint8_t others[TAKT_PRIORITY_MAILBOX_BYTES(8, 2)] __attribute__((aligned(8)));
TAKT_PRIORITY_MAILBOX_FIFO_DEFINE(urgent, 6, letters, 8, 2, NULL);
TAKT_PRIORITY_MAILBOX_FIFO_TRIGGER_DEFINE(handled, 7, others, 8, 2, &scenario.tasks[0]);
static uint8_t buffers[TAKT_SLOT_BYTES(8, 3)] __attribute__((aligned(8)));
static const struct takt_slot_config slot_config = {
    .storage = buffers, .important = UINT32_MAX, .message_size = 8, .capacity = 3, .id = 8, .in_turn = {true}};
static TAKT_SLOT_DEFINE(slot, &slot_config);

static struct takt_mutex m;
static struct takt_mutex n;
static char notes[200];

/* Who got what it wanted, and when: "d0 c10". */
static void note(const char *name)
{
    size_t length = strlen(notes);
    (void)snprintf(notes + length, sizeof notes - length, "%s%s%u", length == 0 ? "" : " ", name, scenario_now());
}

static void begin(void)
{
    scenario_new();
    notes[0] = 0;
    takt_mutex_init(&m, 1);
    takt_mutex_init(&n, 2);
    m.in_turn[0] = true;
}

/* What a task does: at `at`, it locks m until `until` (0: for ever), sleeps to `sleep` with it, so that worse tasks can
 * come, and works `work`. `outer`: with n. */
struct wish {
    const char *name;
    unsigned at;
    unsigned sleep;
    unsigned work;
    unsigned until;
    bool outer;
    enum takt_status expected;
};

static void locks_m(void *argument)
{
    const struct wish *wish = argument;
    scenario_sleep_to(wish->at);
    if (wish->outer) {
        scenario_lock(&n);
    }
    enum takt_status status = wish->until != 0 ? takt_mutex_lock_until(&m, TAKT_MS(wish->until)) : takt_mutex_lock(&m);
    CHECK_EQUAL(status, wish->expected);
    note(wish->name);
    if (status == TAKT_OK) {
        scenario_sleep_to(wish->sleep);
        scenario_work(wish->work);
        takt_mutex_unlock(&m);
    }
    if (wish->outer) {
        takt_mutex_unlock(&n);
    }
}

static void wishes(const struct wish *wish, unsigned count)
{
    for (unsigned index = 0; index < count; index++) {
        scenario_task(wish[index].name, (unsigned)(wish[index].name[0] - 'a' + 1), locks_m)->argument =
            (void *)(uintptr_t)&wish[index];
    }
}

#define WISHES(...)                                  \
    begin();                                         \
    static const struct wish list[] = {__VA_ARGS__}; \
    wishes(list, sizeof list / sizeof list[0])

/* Works at `at` for 2: when it runs tells how good the owner of m is. */
static void works_at_5(void *argument)
{
    scenario_sleep_to(5);
    note(argument);
    scenario_work(2);
}

/* e owns, then d, b, a in the order of their calls. The owner has the key of a, not that of the first waiter: c, better
 * than d and e, does not run before they have done. Each next owner has the key of the best of those behind it. */
static void in_the_order_of_calls(void)
{
    WISHES({.name = "a", .at = 3, .work = 1}, {.name = "b", .at = 2, .work = 1}, {.name = "d", .at = 1, .work = 1},
           {.name = "e", .work = 10});
    (void)scenario_named("c", 3, works_at_5);
    scenario_run(30);
    CHECK_TEXT(notes, "e0 d10 b11 a12 c13");
    if (TAKT_TRACE) {
        CHECK_TEXT(scenario_events(TAKT_EVENT_KEY, 1), "e1=4 e2=2 e3=1 d10=1 e10=5 b11=1 d11=4 b12=2");
    }
}

/* The same with waiters by priority. */
static void by_priority(void)
{
    WISHES({.name = "a", .at = 3, .work = 1}, {.name = "b", .at = 2, .work = 1}, {.name = "d", .at = 1, .work = 1},
           {.name = "e", .work = 10});
    m.in_turn[0] = false;
    (void)scenario_named("c", 3, works_at_5);
    scenario_run(30);
    CHECK_TEXT(notes, "e0 a10 b11 c12 d14");
}

static void locks_n_at_4(void *argument)
{
    scenario_sleep_to(4);
    scenario_lock(&n);
    note(argument);
    takt_mutex_unlock(&n);
}

/* d, the last waiter, holds n, for which a waits from 4 on: d is as good as a, but stays behind c. The owner of m is as
 * good as a, too: b does not run. */
static void a_better_key_moves_no_waiter(void)
{
    WISHES({.name = "c", .at = 1, .work = 1}, {.name = "d", .at = 2, .work = 1, .outer = true},
           {.name = "e", .sleep = 5, .work = 5});
    (void)scenario_named("a", 1, locks_n_at_4);
    (void)scenario_named("b", 2, works_at_5);
    scenario_run(30);
    CHECK_TEXT(notes, "e0 c10 d11 a12 b12");
}

/* The same with d as the first waiter: it stays before c. */
static void a_better_key_loses_no_turn(void)
{
    WISHES({.name = "c", .at = 2, .work = 1}, {.name = "d", .at = 1, .work = 1, .outer = true},
           {.name = "e", .sleep = 5, .work = 5});
    (void)scenario_named("a", 1, locks_n_at_4);
    (void)scenario_named("b", 2, works_at_5);
    scenario_run(30);
    CHECK_TEXT(notes, "e0 d10 a11 b11 c13");
}

/* a, in the middle, waits until 4: from then on the owner is as good as b, the best of the others, and c waits at 5. */
static void a_timeout_in_the_middle(void)
{
    WISHES({.name = "a", .at = 2, .until = 4, .expected = TAKT_TIMEOUT}, {.name = "c", .at = 1, .work = 1},
           {.name = "d", .at = 3, .work = 1}, {.name = "e", .sleep = 5, .work = 5});
    (void)scenario_named("b", 2, works_at_5);
    scenario_run(30);
    CHECK_TEXT(notes, "e0 a4 b5 c12 d13");
}

static void cancels_a_at_4(void *argument)
{
    (void)argument;
    scenario_sleep_to(4);
    CHECK(takt_task_cancel(scenario_find("a")) == TAKT_OK);
    CHECK(takt_task_cancel(scenario_find("a")) == TAKT_STATE);
}

/* The same by a call from outside. */
static void cancelled_in_the_middle(void)
{
    WISHES({.name = "a", .at = 2, .expected = TAKT_CANCELLED}, {.name = "c", .at = 1, .work = 1},
           {.name = "d", .at = 3, .work = 1}, {.name = "e", .sleep = 5, .work = 5});
    (void)scenario_task("z", 0, cancels_a_at_4);
    (void)scenario_named("b", 2, works_at_5);
    scenario_run(30);
    CHECK_TEXT(notes, "e0 a4 b5 c12 d13");
}

static void stops_a_at_4(void *argument)
{
    (void)argument;
    scenario_sleep_to(4);
    takt_task_stop(scenario_find("a"));
}

static void stopped_in_the_middle(void)
{
    WISHES({.name = "a", .at = 2}, {.name = "c", .at = 1, .work = 1}, {.name = "d", .at = 3, .work = 1},
           {.name = "e", .sleep = 5, .work = 5});
    (void)scenario_task("z", 0, stops_a_at_4);
    (void)scenario_named("b", 2, works_at_5);
    scenario_run(30);
    CHECK_TEXT(notes, "e0 b5 c12 d13");
}

static void unlocks_at_10(void *argument)
{
    scenario_lock(&m);
    note(argument);
    scenario_sleep_to(10);
    takt_mutex_unlock(&m);
    takt_task_stop(scenario_find("c")); /* which has not run since */
    scenario_work(1);
}

/* c was handed the mutex and is stopped before it runs: the next in turn gets it, d, with the key of the last, b. */
static void handed_on(void)
{
    WISHES({.name = "b", .at = 3, .work = 1}, {.name = "c", .at = 1, .work = 1}, {.name = "d", .at = 2, .work = 1});
    (void)scenario_named("a", 1, unlocks_at_10);
    scenario_run(30);
    CHECK_TEXT(notes, "a0 d11 b12");
    if (TAKT_TRACE) {
        CHECK_TEXT(scenario_events(TAKT_EVENT_KEY, 1), "c10=2 d10=2 c10=3 d12=4");
    }
}

static void hinted_at_2(void *argument)
{
    takt_hint_next(&m);
    scenario_sleep_to(2);
    note(argument); /* it was not held back */
    scenario_lock(&m);
    note(argument);
    takt_mutex_unlock(&m);
}

static void holds_to_5(void *argument)
{
    scenario_lock(&m);
    note(argument);
    scenario_work(5);
    takt_mutex_unlock(&m);
}

/* A hint has no effect. */
static void hints(void)
{
    begin();
    (void)scenario_named("a", 1, hinted_at_2);
    (void)scenario_named("b", 2, holds_to_5);
    scenario_run(10);
    CHECK_TEXT(notes, "b0 a2 a5");
}

static void looks_at_2(void *argument)
{
    (void)argument;
    scenario_sleep_to(2);
    CHECK(m.owner == NULL); /* not reserved for b, which is ready */
    CHECK(takt_mutex_try_lock(&m) == TAKT_OK);
    takt_mutex_unlock(&m);
}

static void hint_on_a_free_one(void)
{
    begin();
    (void)scenario_named("a", 1, looks_at_2);
    (void)scenario_named("b", 2, hinted_at_2);
    scenario_run(10);
    CHECK_TEXT(notes, "b2 b2");
}

static struct takt_condition condition;

static void waits_for_a_signal(void *argument)
{
    scenario_lock(&m);
    CHECK(takt_condition_wait(&condition, &m) == TAKT_OK);
    note(argument);
    takt_mutex_unlock(&m);
}

static void broadcasts_at_3(void *argument)
{
    scenario_sleep_to(1);
    scenario_lock(&m);
    note(argument);
    scenario_sleep_to(3); /* meanwhile c begins to wait for m */
    takt_condition_broadcast(&condition);
    takt_mutex_unlock(&m);
}

/* Signalled tasks queue up behind the task that waits already, the best of them first. */
static void conditions(void)
{
    WISHES({.name = "d", .at = 2, .work = 1});
    takt_condition_init(&condition, 6);
    (void)scenario_named("b", 2, waits_for_a_signal);
    (void)scenario_named("a", 1, waits_for_a_signal);
    (void)scenario_named("c", 3, broadcasts_at_3);
    scenario_run(20);
    CHECK_TEXT(notes, "c1 d3 a4 b4");
}

static void deletes_at_4(void *argument)
{
    (void)argument;
    scenario_sleep_to(4);
    takt_mutex_delete(&m);
}

static void holds(void *argument)
{
    (void)argument;
    scenario_lock(&m);
    scenario_work(8);
}

static void deleted(void)
{
    WISHES({.name = "b", .at = 2, .expected = TAKT_DELETED}, {.name = "c", .at = 1, .expected = TAKT_DELETED});
    (void)scenario_task("a", 1, deletes_at_4);
    (void)scenario_task("d", 4, holds);
    scenario_run(6);
    CHECK_TEXT(notes, "b4 c4");
}

/* Of messages, room, blocks and units: by the letter, the time at which it asks. */
struct want {
    const char *name;
    unsigned at;
    enum takt_status (*call)(uint64_t until_ns);
    unsigned until;
};

static enum takt_status receives(uint64_t until_ns)
{
    uint64_t message;
    return takt_mailbox_receive_until(&mailbox, &message, until_ns);
}

static enum takt_status sends(uint64_t until_ns)
{
    uint64_t message = 1;
    return takt_mailbox_send_until(&mailbox, &message, until_ns);
}

static enum takt_status allocates(uint64_t until_ns)
{
    void *block;
    return takt_pool_allocate_until(&pool, &block, until_ns);
}

static enum takt_status receives_urgent(uint64_t until_ns)
{
    uint64_t message;
    return takt_priority_mailbox_receive_until(&urgent, &message, until_ns);
}

static enum takt_status sends_urgent(uint64_t until_ns)
{
    uint64_t message = 1;
    return takt_priority_mailbox_send_until(&urgent, &message, 0, until_ns);
}

static enum takt_status reserves(uint64_t until_ns)
{
    void *buffer;
    return takt_slot_reserve_until(&slot, 0, &buffer, until_ns);
}

static enum takt_status takes(uint64_t until_ns)
{
    return until_ns == TAKT_FOREVER ? takt_semaphore_wait(&semaphore) : takt_semaphore_wait_until(&semaphore, until_ns);
}

static void wants(void *argument)
{
    const struct want *want = argument;
    scenario_sleep_to(want->at);
    enum takt_status status = want->call(want->until != 0 ? TAKT_MS(want->until) : TAKT_FOREVER);
    CHECK(status == (want->until != 0 ? TAKT_TIMEOUT : TAKT_OK));
    note(want->name);
}

static void *held;

static void gives_at_10(void *argument)
{
    enum takt_status (*const call)(uint64_t until_ns) = *(enum takt_status(**)(uint64_t))argument;
    uint64_t message = 1;
    if (call == allocates) {
        held = takt_pool_try_allocate(&pool);
    }
    while (call == sends && takt_mailbox_try_send(&mailbox, &message) == TAKT_OK) { /* up to its capacity */
    }
    while (call == sends_urgent && takt_priority_mailbox_try_send(&urgent, &message, 0) == TAKT_OK) {
    }
    void *reserved[3];
    if (call == reserves) {
        CHECK(takt_slot_allocate(&slot) == TAKT_OK);
        takt_slot_open(&slot);
        for (unsigned count = 0; count < 3; count++) {
            CHECK(takt_slot_try_reserve(&slot, 0, &reserved[count]) == TAKT_OK);
        }
    }
    scenario_sleep_to(10);
    for (unsigned count = 0; count < 3; count++) {
        scenario_sleep_to(10 + count);
        if (call == receives) {
            CHECK(takt_mailbox_try_send(&mailbox, &message) == TAKT_OK);
        } else if (call == sends) {
            CHECK(takt_mailbox_try_receive(&mailbox, &message) == TAKT_OK);
        } else if (call == receives_urgent) {
            CHECK(takt_priority_mailbox_try_send(&urgent, &message, count) == TAKT_OK);
        } else if (call == sends_urgent) {
            CHECK(takt_priority_mailbox_try_receive(&urgent, &message) == TAKT_OK);
        } else if (call == reserves) {
            void *taken;
            takt_slot_commit(&slot, reserved[count]);
            CHECK(takt_slot_try_take(&slot, &taken) == TAKT_OK);
            (void)takt_slot_release(&slot, taken);
        } else if (call == takes) {
            CHECK(takt_semaphore_post(&semaphore) == TAKT_OK);
        } else if (held != NULL) {
            takt_pool_free(&pool, held);
            held = NULL;
        }
    }
}

/* c asks first, a second, and gives up if `until`, b last. */
static const char *served(enum takt_status (*call)(uint64_t until_ns), unsigned until)
{
    static struct want list[3];
    static enum takt_status (*what)(uint64_t);
    const struct want made[] = {{"c", 1, call, 0}, {"a", 2, call, until}, {"b", 3, call, 0}};
    memcpy(list, made, sizeof list);
    what = call;
    begin();
    for (unsigned index = 0; index < 3; index++) {
        scenario_task(list[index].name, (unsigned)(list[index].name[0] - 'a' + 1), wants)->argument = &list[index];
    }
    scenario_task("z", 5, gives_at_10)->argument = &what;
    scenario_run(20);
    return notes;
}

static void messages_and_units(void)
{
    CHECK_TEXT(served(receives, 0), "c10 a11 b12");
    CHECK_TEXT(served(takes, 0), "c10 a11 b12");
    CHECK_TEXT(served(takes, 5), "a5 c10 b11");
    CHECK_TEXT(served(allocates, 0), "c10"); /* which keeps it */
    CHECK_TEXT(served(sends, 0), "c10 a11 b12");
    CHECK_TEXT(served(receives_urgent, 0), "c10 a11 b12");
    CHECK_TEXT(served(sends_urgent, 5), "a5 c10 b11");
    CHECK_TEXT(served(reserves, 0), "c10 a11 b12");
    CHECK(releasing.in_turn[0] && releasing.trigger == &scenario.tasks[0] && defined.in_turn[0]);
    CHECK(handled.in_turn[0] && handled.trigger == &scenario.tasks[0]);
}

int main(void)
{
    in_the_order_of_calls();
    by_priority();
    a_better_key_moves_no_waiter();
    a_better_key_loses_no_turn();
    a_timeout_in_the_middle();
    cancelled_in_the_middle();
    stopped_in_the_middle();
    handed_on();
    hints();
    hint_on_a_free_one();
    conditions();
    deleted();
    messages_and_units();
    return 0;
}
