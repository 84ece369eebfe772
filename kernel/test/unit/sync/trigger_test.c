/* SPDX-License-Identifier: Apache-2.0 */
/* Event flags, signals, slots, pipes and calls that release jobs of a sporadic task. */
#include "kernel/test/support/scenario.h"

enum { ROOM = 4, SIGNALS = 4 };

static TAKT_EVENTS_TRIGGER_DEFINE(any, 1, 6, 0, &scenario.tasks[0]);
static TAKT_EVENTS_TRIGGER_DEFINE(all, 2, 6, TAKT_EVENTS_ALL, &scenario.tasks[0]);
static uint8_t bytes[ROOM];
static TAKT_PIPE_TRIGGER_DEFINE(pipe, 3, bytes, ROOM, 2, &scenario.tasks[0]);
static TAKT_RENDEZVOUS_TRIGGER_DEFINE(meeting, 4, 0, 0, &scenario.tasks[0]);
static TAKT_SIGNAL_QUEUE_TRIGGER_DEFINE(signals, 5, &scenario.tasks[0]);
static uint64_t signal_memory[TAKT_SIGNAL_BYTES(1) * SIGNALS / 8];
static TAKT_SIGNAL_POOL_DEFINE(pool, (uint8_t *)signal_memory, 1, SIGNALS);
static uint8_t slot_memory[TAKT_SLOT_BYTES(1, 2)] __attribute__((aligned(8)));
static TAKT_SLOT_TRIGGER_DEFINE(owner, NULL, 0, &scenario.tasks[0]);
static const struct takt_slot_config config = {
    .storage = slot_memory, .inheritance = &owner, .important = UINT32_MAX, .message_size = 1, .capacity = 2, .id = 6};
static TAKT_SLOT_OPEN_DEFINE(slot, &config, slot_memory, 1, 2, &scenario.tasks[0]);

static unsigned jobs;

static void nothing(void *argument)
{
    (void)argument;
    jobs++;
}

/* What released jobs, and when; without a trace their number. */
static void jobs_are(const char *expected, unsigned number)
{
    if (TAKT_TRACE) {
        CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), expected);
    }
    CHECK_EQUAL(jobs, number);
    jobs = 0;
}

static void refused_is(const char *expected)
{
    if (TAKT_TRACE) {
        CHECK_TEXT(scenario_events(TAKT_EVENT_REFUSE, 0), expected);
    }
}

static void run(void (*job)(void *argument), void (*sends)(void *argument), const char *expected, unsigned number)
{
    scenario_new();
    (void)scenario_sporadic("j", 0, job, 1);
    (void)scenario_task("s", 1, sends);
    scenario_run(20);
    jobs_are(expected, number);
}

/* Only a set that makes the flags satisfied releases a job. */
static void set_flags(void *argument)
{
    (void)argument;
    takt_events_set(&any, 1); /* not one of them */
    scenario_sleep_to(1);
    takt_events_set(&any, 2); /* a job at 1 */
    scenario_sleep_to(2);
    takt_events_set(&any, 6); /* it is satisfied already */
    scenario_sleep_to(3);
    takt_events_clear(&any, 2);
    takt_events_set(&any, 2); /* and still: 4 is set */
    takt_events_clear(&any, 6);
    takt_events_set(&any, 4); /* a job at 3 */
    takt_events_set(&all, 2);
    scenario_sleep_to(5);
    takt_events_set(&all, 3); /* not both of them */
    scenario_sleep_to(6);
    takt_events_set(&all, 4); /* a job at 6 */
    struct takt_events_wanted wanted = {.flags = 6, .mode = TAKT_EVENTS_ALL | TAKT_EVENTS_CLEAR};
    CHECK(takt_events_try_wait(&all, &wanted) == TAKT_OK);
    scenario_sleep_to(8);
    takt_events_set(&all, 6); /* a job at 8 */
}

/* A write that leaves two bytes or more. */
static void write_bytes(const char *text, uint32_t size, uint32_t least, enum takt_status expected)
{
    struct takt_pipe_count count = {.size = size, .least = least};
    CHECK(takt_pipe_try_write(&pipe, text, &count) == expected);
}

static void read_bytes(uint32_t size)
{
    char text[ROOM];
    struct takt_pipe_count count = {.size = size};
    CHECK(takt_pipe_try_read(&pipe, text, &count) == TAKT_OK);
    CHECK_EQUAL(count.done, size);
}

static void write_pipe(void *argument)
{
    (void)argument;
    write_bytes("a", 1, 1, TAKT_OK);
    scenario_sleep_to(1);
    write_bytes("b", 1, 1, TAKT_OK); /* a job at 1 */
    scenario_sleep_to(2);
    write_bytes("c", 1, 1, TAKT_OK); /* and at 2: there are three */
    scenario_sleep_to(3);
    write_bytes("de", 2, 2, TAKT_BUSY); /* nothing came into it */
    read_bytes(3);
    write_bytes("d", 1, 1, TAKT_OK);
    scenario_sleep_to(4);
    write_bytes("efg", 3, 3, TAKT_OK); /* at 4 */
    struct takt_pipe_count count = {.size = 2, .least = 2};
    CHECK(takt_pipe_write_until(&pipe, "hi", &count, TAKT_MS(9)) == TAKT_OK); /* full: r makes room at 6 */
}

static void read_at_6(void *argument)
{
    (void)argument;
    scenario_sleep_to(6);
    read_bytes(2); /* the bytes of the writer that waited come in: a job at 6 */
    scenario_sleep_to(7);
    read_bytes(1); /* nothing comes in */
}

static void pipes(void)
{
    scenario_new();
    (void)scenario_sporadic("j", 0, nothing, 1);
    (void)scenario_task("r", 1, read_at_6);
    (void)scenario_task("s", 2, write_pipe);
    scenario_run(20);
    jobs_are("j1 j2 j4 j6", 4);
    refused_is("s3");
}

/* A call is accepted by the job that it releases, at once. */
static void accept(void *argument)
{
    nothing(argument);
    struct takt_rendezvous_accepted accepted;
    enum takt_status status = takt_rendezvous_try_accept(&meeting, &accepted);
    if (status == TAKT_OK) {
        *(int *)accepted.data += 1;
        takt_rendezvous_complete(&accepted);
    }
}

static void call(void *argument)
{
    (void)argument;
    int value = 3;
    CHECK(takt_rendezvous_call(&meeting, &value, sizeof value) == TAKT_OK);
    CHECK_EQUAL(value, 4);
    CHECK_EQUAL(scenario_now(), 0);
    CHECK(takt_rendezvous_call(&meeting, &value, sizeof value) == TAKT_OK); /* for the distance, at 1 */
    CHECK_EQUAL(value, 5);
    CHECK_EQUAL(scenario_now(), 1);
}

/* An acceptor that waits is handed the call. */
static void accept_at_0(void *argument)
{
    (void)argument;
    struct takt_rendezvous_accepted accepted;
    CHECK(takt_rendezvous_accept(&meeting, &accepted) == TAKT_OK);
    takt_rendezvous_complete(&accepted);
}

static void call_once(void *argument)
{
    (void)argument;
    int value = 0;
    CHECK(takt_rendezvous_call(&meeting, &value, sizeof value) == TAKT_OK);
}

static void call_at_2(void *argument)
{
    scenario_sleep_to(2);
    call_once(argument);
    CHECK_EQUAL(scenario_now(), 3);
}

static void stop_the_acceptor(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    takt_task_suspend(scenario_find("a"));
    scenario_sleep_to(3);
    takt_task_stop(scenario_find("a"));
}

static void calls(void)
{
    run(accept, call, "j0 j1", 2);
    scenario_new();
    (void)scenario_sporadic("j", 0, nothing, 1);
    (void)scenario_task("a", 1, accept_at_0);
    (void)scenario_task("s", 2, call_once);
    scenario_run(20);
    jobs_are("", 0);
    scenario_new(); /* a call that was handed to an acceptor that is stopped before it runs is one that comes then */
    (void)scenario_sporadic("j", 0, accept, 1);
    (void)scenario_task("k", 1, stop_the_acceptor);
    (void)scenario_task("s", 2, call_at_2);
    (void)scenario_task("a", 3, accept_at_0);
    scenario_run(20);
    jobs_are("j3", 1);
}

static unsigned received;

static void receive(void *argument)
{
    nothing(argument);
    struct takt_signal *signal;
    if (takt_signal_try_receive(&signals, NULL, &signal) == TAKT_OK) {
        received++;
        takt_signal_free(&signal);
    }
}

static void send_signals(void *argument)
{
    (void)argument;
    for (uint32_t number = 0; number < 3; number++) {
        struct takt_signal *signal = takt_signal_allocate(&pool, number);
        takt_signal_send(&signal, &signals);
        CHECK_EQUAL(received, number + 1); /* the job ran in the send */
        scenario_sleep_to(2 * (number + 1));
    }
}

static void take(void *argument)
{
    nothing(argument);
    void *buffer;
    if (takt_slot_try_take(&slot, &buffer) == TAKT_OK) {
        received++;
        (void)takt_slot_release(&slot, buffer);
    }
}

static void commit(void *argument)
{
    (void)argument;
    void *buffers[3];
    CHECK(takt_slot_info(&slot).owner == &scenario.tasks[0]);
    CHECK(takt_slot_info(&slot).state == TAKT_SLOT_OPEN);
    CHECK(takt_slot_reserve(&slot, 0, &buffers[0]) == TAKT_OK); /* no job has run yet */
    CHECK(takt_slot_try_reserve(&slot, 0, &buffers[1]) == TAKT_OK);
    CHECK(takt_slot_try_reserve(&slot, 0, &buffers[2]) == TAKT_BUSY);
    takt_slot_commit(&slot, buffers[0]);
    CHECK_EQUAL(received, 1);
    takt_slot_commit(&slot, buffers[1]); /* for the distance, at 1 */
    CHECK_EQUAL(received, 1);
    scenario_sleep_to(2);
    CHECK_EQUAL(received, 2);
}

static void slots(void)
{
    received = 0;
    scenario_new();
    (void)scenario_sporadic("j", 0, take, 1);
    (void)scenario_task("s", 1, commit);
    scenario_run(20);
    jobs_are("j0 j1", 2);
    refused_is("s0");
}

int main(void)
{
    run(nothing, set_flags, "j1 j3 j6 j8", 4);
    pipes();
    calls();
    run(receive, send_signals, "j0 j2 j4", 3);
    CHECK_EQUAL(received, 3);
    slots();
    return 0;
}
