/* SPDX-License-Identifier: Apache-2.0 */
/* What only one process uses: as at the start when it starts again. And what a process may have: up to its regions. */
#include "kernel/test/support/notes.h"
#include "kernel/test/support/world.h"

#include "kernel/core/kernel.h"

enum { WRITTEN = 3 };

static bool again; /* the process runs for the second time */

/* Objects that several use by default. */
static void give_to_a(unsigned object)
{
    world.objects[object].owner = 0;
    world.rights[1][object] = 0;
}

static void *bytes_of_a(void)
{
    return (uint8_t *)world_buffer(0) + 32;
}

static struct takt_pipe_count *count_of_a(uint32_t least)
{
    struct takt_pipe_count *count = world_buffer(0);
    *count = (struct takt_pipe_count){.size = WRITTEN, .least = least};
    return count;
}

/* Each object is left otherwise than it was at the start. */
static void use_all(void)
{
    CHECK_EQUAL(CALL1(semaphore_wait, world_handle(WORLD_SEMAPHORE)), TAKT_OK);
    (void)CALL2(events_set, world_handle(WORLD_EVENTS), 5);
    CHECK_EQUAL(CALL2(mailbox_send, world_handle(WORLD_MAILBOX), bytes_of_a()), TAKT_OK);
    CHECK_EQUAL(CALL3(priority_mailbox_send, world_handle(WORLD_PRIORITY_MAILBOX), bytes_of_a(), 1), TAKT_OK);
    CHECK_EQUAL(CALL3(pipe_write, world_handle(WORLD_PIPE), bytes_of_a(), count_of_a(WRITTEN)), TAKT_OK);
    CHECK_EQUAL(CALL1(watchdog_start, world_handle(WORLD_WATCHDOG)), TAKT_STATE);
    CHECK_EQUAL(CALL2(alarm_start, world_handle(WORLD_ALARM), TAKT_MS(100)), TAKT_OK);
    CHECK_EQUAL(CALL1(mutex_lock, world_handle(WORLD_MUTEX)), TAKT_OK);
    CHECK_EQUAL(CALL1(ceiling_lock, world_handle(WORLD_CEILING)), TAKT_OK);
}

static void find_as_at_the_start(void)
{
    CHECK_EQUAL(CALL1(semaphore_count, world_handle(WORLD_SEMAPHORE)), 1);
    CHECK_EQUAL(CALL1(events_get, world_handle(WORLD_EVENTS)), 0);
    CHECK_EQUAL(CALL2(mailbox_try_receive, world_handle(WORLD_MAILBOX), bytes_of_a()), TAKT_BUSY);
    CHECK_EQUAL(CALL2(priority_mailbox_try_receive, world_handle(WORLD_PRIORITY_MAILBOX), bytes_of_a()), TAKT_BUSY);
    CHECK_EQUAL(CALL3(pipe_try_read, world_handle(WORLD_PIPE), bytes_of_a(), count_of_a(1)), TAKT_BUSY);
    CHECK_EQUAL(CALL1(mutex_try_lock, world_handle(WORLD_MUTEX)), TAKT_OK);
    CHECK_EQUAL(CALL1(ceiling_try_lock, world_handle(WORLD_CEILING)), TAKT_OK);
    CHECK(CALL1(alarm_remaining_ns, world_handle(WORLD_ALARM)) == TAKT_FOREVER);
    note(true);
}

static void live_twice(unsigned task)
{
    (void)task;
    if (again) {
        find_as_at_the_start();
        sleep_to(1000);
    }
    again = true;
    use_all();
    sleep_to(3);
    fault();
}

static bool watches(void)
{
    return world.watchdog.call.timer.armed != 0;
}

/* Another process sees what becomes of the line and the watchdog meanwhile. */
static void look_on(unsigned task)
{
    (void)task;
    sleep_to(2);
    CHECK(world.interrupt.attached == 0 && watches());
    for (unsigned ms = 4; ms < 20 && world.processes[0].state != TAKTI_PROCESS_RESTARTS; ms++) {
        sleep_to(ms);
    }
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_RESTARTS);
    CHECK(world.interrupt.attached == UINT8_MAX && !watches());
    CHECK(world.condition.waits == NULL);
    sleep_to(45);
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_RUNS);
    CHECK(world.interrupt.attached == 0 && watches());
    note(true);
    sleep_to(1000);
}

static void declare_watchdog(void)
{
    CHECK_EQUAL(takt_watchdog_start(&world.watchdog), TAKT_OK);
}

static void test_own_objects(void)
{
    fresh(UINT8_MAX);
    again = false;
    world.declare = declare_watchdog;
    for (unsigned object = WORLD_MUTEX; object <= WORLD_WATCHDOG; object++) {
        give_to_a(object);
    }
    give_to_a(WORLD_INTERRUPT);
    world_fifo();
    world.work[A + BACKGROUND] = live_twice;
    world.work[B + BACKGROUND] = look_on;
    world_run(60);
    CHECK(!TAKT_FIFO_WAITERS || (*world.mutex.in_turn && *world.semaphore.in_turn && *world.mailbox.in_turn));
    CHECK(!TAKT_FIFO_WAITERS || *world.priority_mailbox.in_turn);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(result_count, 2);
}

/* A task that does not watch when it ends does not when it starts again. */
static void never_watch(unsigned task)
{
    (void)task;
    if (!again) {
        again = true;
        fault();
    }
    CHECK(!watches());
    note(true);
    sleep_to(1000);
}

static void test_stopped_watchdog(void)
{
    fresh(UINT8_MAX);
    again = false;
    give_to_a(WORLD_WATCHDOG);
    world.work[A + BACKGROUND] = never_watch;
    world_run(60);
    CHECK_EQUAL(result_count, 1);
}

enum { ALARM_FIRST = 7, ALARM_PERIOD = 20 }; /* ms */

static void declare_both(void)
{
    declare_watchdog();
    CHECK_EQUAL(takt_alarm_start(&world.alarm, TAKT_MS(ALARM_FIRST)), TAKT_OK);
}

/* What it does in its first life to what is declared to be started, in two ways. */
static void stop_both(void)
{
    CHECK_EQUAL(CALL1(alarm_stop, world_handle(WORLD_ALARM)), TAKT_OK);
    CHECK_EQUAL(CALL1(watchdog_stop, world_handle(WORLD_WATCHDOG)), TAKT_OK);
}

static void start_anew(void)
{
    (void)CALL2(alarm_restart, world_handle(WORLD_ALARM), TAKT_MS(900));
    CHECK_EQUAL(CALL1(watchdog_stop, world_handle(WORLD_WATCHDOG)), TAKT_OK);
    CHECK_EQUAL(CALL1(watchdog_start, world_handle(WORLD_WATCHDOG)), TAKT_OK);
}

static void (*disarrange)(void);

static void disarrange_and_die(unsigned task)
{
    (void)task;
    if (!again) {
        again = true;
        disarrange();
        fault();
    }
    sleep_to(40);
    CHECK(watches());
    CHECK_EQUAL(CALL1(alarm_remaining_ns, world_handle(WORLD_ALARM)), TAKT_MS(ALARM_FIRST + 2 * ALARM_PERIOD - 40));
    note(true);
    sleep_to(1000);
}

/* Its own, or those of several that it was the last to start or stop: as declared when it begins anew. */
static void test_declared(void)
{
    static void (*const ways[])(void) = {stop_both, start_anew};
    for (unsigned way = 0; way < 4; way++) {
        fresh(UINT8_MAX);
        again = false;
        world.declare = declare_both;
        takt_alarm_init(&world.alarm, world.alarm.id, world.alarm.handler, TAKT_MS(ALARM_PERIOD));
        disarrange = ways[way % 2];
        for (unsigned object = WORLD_ALARM; way < 2 && object <= WORLD_WATCHDOG; object++) {
            give_to_a(object);
        }
        world.work[A + BACKGROUND] = disarrange_and_die;
        world_run(60);
        CHECK_EQUAL(takt_process_faults.count, 1);
        CHECK_EQUAL(result_count, 1);
    }
}

enum { ALARM_MOVED = 15 }; /* ms: to when the first life moves it */

static void note_alarm(struct takt_alarm *alarm)
{
    (void)alarm;
    times_ns[time_count++] = takt_now();
}

static void declare_alarm_late(void)
{
    CHECK_EQUAL(takt_alarm_start(&world.alarm, TAKT_MS(world.alarm.period_ns != 0 ? ALARM_FIRST : 2 * ALARM_MOVED)),
                TAKT_OK);
}

/* Its alarm comes when the first life has it come, and the process faults directly after that. */
static void move_and_die(unsigned task)
{
    (void)task;
    if (!again) {
        again = true;
        (void)CALL2(alarm_restart, world_handle(WORLD_ALARM), TAKT_MS(ALARM_MOVED));
        sleep_to(ALARM_MOVED + 1);
        fault();
    }
    (void)CALL2(alarm_start, world_handle(WORLD_ALARM), 0); /* at once, if it is not started as declared */
    sleep_to(1000);
}

/* Between the last expiry in one life and the first in the next there is the declared distance: an alarm with a period
 * comes at the next of its expiries that is so late. */
static void test_distance(void)
{
    static const unsigned next_ms[] = {ALARM_MOVED + ALARM_PERIOD, ALARM_FIRST + 2 * ALARM_PERIOD};
    for (unsigned periodic = 0; periodic < 2; periodic++) {
        fresh(UINT8_MAX);
        again = false;
        world.declare = declare_alarm_late;
        takt_alarm_init(&world.alarm, world.alarm.id, note_alarm, periodic != 0 ? TAKT_MS(ALARM_PERIOD) : 0);
        TAKT_ALARM_KEEP_DISTANCE(world.alarm, TAKT_MS(ALARM_PERIOD));
        give_to_a(WORLD_ALARM);
        world.work[A + BACKGROUND] = move_and_die;
        world_run(60);
        CHECK_EQUAL(takt_process_faults.count, 1);
        CHECK(time_count >= 2);
        CHECK_EQUAL(times_ns[0], TAKT_MS(ALARM_MOVED));
        CHECK_EQUAL(times_ns[1], TAKT_MS(next_ms[periodic]));
        CHECK(time_count == 2 || times_ns[2] == times_ns[1] + TAKT_MS(ALARM_PERIOD));
    }
}

/* The first of two regions goes: the other stays. */
static void attach_two(unsigned task)
{
    struct takt_process *process = &world.processes[0];
    (void)task;
    process->region_count = TAKT_PROCESS_REGIONS; /* as if it had attached as many */
    CHECK_EQUAL(CALL1(shared_attach, world_handle(WORLD_SHARED)), 0);
    CHECK_EQUAL(CALL1(device_map, world_handle(WORLD_DEVICE)), 0);
    process->region_count = 3;
    CHECK_EQUAL(world.shared.users, 0);
    CHECK_EQUAL(CALL1(shared_attach, world_handle(WORLD_SHARED)), (uintptr_t)world_shared);
    CHECK_EQUAL(CALL1(device_map, world_handle(WORLD_DEVICE)), (uintptr_t)world_outside);
    CHECK_EQUAL(process->regions[3].access, TAKT_ACCESS_READ | TAKT_ACCESS_WRITE);
    (void)CALL1(shared_detach, world_handle(WORLD_SHARED));
    CHECK_EQUAL(process->region_count, 4);
    CHECK_EQUAL(process->regions[3].base, (uintptr_t)world_outside);
    note(true);
    sleep_to(1000);
}

static void attach_to_read(unsigned task)
{
    (void)task;
    CHECK_EQUAL(CALL1(shared_attach, world_handle(WORLD_SHARED)), (uintptr_t)world_shared);
    CHECK_EQUAL(world.processes[1].regions[3].access, TAKT_ACCESS_READ);
    note(true);
    sleep_to(1000);
}

static void test_regions(void)
{
    fresh(0);
    world.rights[1][WORLD_SHARED] = TAKT_RIGHT_USE;
    world.work[A + BACKGROUND] = attach_two;
    world.work[B + BACKGROUND] = attach_to_read;
    world_run(10);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_EQUAL(result_count, 2);
    CHECK_EQUAL(world.shared.users, 1);
}

/* One that its writer has damaged is no message; one of a word is where others say which place is the newest. */
static void read_states(unsigned task)
{
    (void)task;
    uintptr_t handle = world_handle(WORLD_STATE);
    TAKTI_STATE_NEWEST(&world.state) = 3;
    CHECK_EQUAL(CALL3(state_read_locked, handle, bytes_of_a(), 16), TAKT_OVERTAKEN);
    world.state.size = 4;
    TAKTI_STATE_NEWEST(&world.state) = 1234;
    CHECK_EQUAL(CALL3(state_read_locked, handle, bytes_of_a(), 4), TAKT_OK);
    CHECK_EQUAL(*(uint32_t *)bytes_of_a(), 1234);
    CHECK(takti_call_begins());
    note(true);
    sleep_to(1000);
}

static void test_states(void)
{
    fresh(0);
    world.work[A + BACKGROUND] = read_states;
    world_run(10);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_EQUAL(result_count, 1);
}

int main(void)
{
    test_own_objects();
    test_stopped_watchdog();
    test_declared();
    test_distance();
    test_regions();
    test_states();
    return 0;
}
