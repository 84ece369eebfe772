/* SPDX-License-Identifier: Apache-2.0 */
/* Alarms that a process creates: they release a sporadic task, keep their distance, and end with their process. */
#include "kernel/test/support/notes.h"
#include "kernel/test/support/world.h"

#include "kernel/core/kernel.h"
#include "takt/invariants.h"

enum { APART = ALARMS_APART_MS };

static void *memory_of(unsigned process)
{
    return (uint8_t *)world_buffer(process) + 64;
}

/* In a task: an alarm that releases `task`. Returns the status; the handle is in the memory of the process. */
static uint64_t create_for(uintptr_t task, uint64_t period_ns)
{
    unsigned process = takti_kernel.ready.running->config->process->config->index;
    uint8_t *memory = memory_of(process);
    struct takt_alarm_attributes *attributes = (void *)(memory + 8);
    *attributes = (struct takt_alarm_attributes){(void *)task, period_ns};
    return CALL2(alarm_create, memory, attributes);
}

static uintptr_t handle(unsigned process)
{
    return *(const uintptr_t *)memory_of(process);
}

/* The calls take 64 bits in a register on the host. */
static uint64_t start(unsigned at_ms)
{
    return CALL2(alarm_start, handle(0), TAKT_MS(at_ms));
}

static void note_time(unsigned task)
{
    (void)task;
    note(takt_now() / 1000000u);
}

static void check_kernel(void)
{
    struct takt_broken broken = takt_kernel_broken(NULL);
    CHECK(broken.what == NULL);
}

static void periodic_alarm(unsigned task)
{
    (void)task;
    CHECK_EQUAL(create_for(world_handle(A + SPORADIC), TAKT_MS(10)), TAKT_OK);
    CHECK_EQUAL(CALL1(alarm_remaining_ns, handle(0)), TAKT_FOREVER);
    CHECK_EQUAL(start(3), TAKT_OK);
    CHECK_EQUAL(start(3), TAKT_STATE);
    sleep_to(24);
    CHECK_EQUAL(CALL1(alarm_stop, handle(0)), TAKT_OK);
    CHECK_EQUAL(CALL1(alarm_stop, handle(0)), TAKT_STATE);
    CHECK_EQUAL(CALL1(alarm_missed, handle(0)), 0);
    sleep_to(40);
    (void)CALL2(alarm_restart, handle(0), TAKT_MS(41));
    sleep_to(42);
    check_kernel();
    CHECK_EQUAL(CALL1(alarm_delete, handle(0)), 0); /* it is started */
    check_kernel();
    sleep_to(1000);
}

/* Each expiry releases its task, until the alarm is stopped or deleted. */
static void test_release(void)
{
    fresh(0);
    world.work[A + BACKGROUND] = periodic_alarm;
    world.work[A + SPORADIC] = note_time;
    world_run(80);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_NOTES(3, 13, 23, 41);
}

static void often(unsigned task)
{
    (void)task;
    CHECK_EQUAL(create_for(world_handle(A + SPORADIC), 0), TAKT_OK);
    CHECK_EQUAL(start(2), TAKT_OK);
    sleep_to(3);
    CHECK_EQUAL(start(3), TAKT_OK);
    note(CALL1(alarm_remaining_ns, handle(0)));
    CHECK_EQUAL(create_for(world_handle(A + SPORADIC), 0), TAKT_LIMIT); /* that is the only one */
    CHECK_EQUAL(CALL1(alarm_delete, handle(0)), 0);
    CHECK_EQUAL(create_for(world_handle(A + SPORADIC), TAKT_MS(APART)), TAKT_OK);
    CHECK_EQUAL(start(0), TAKT_OK);
    note(CALL1(alarm_remaining_ns, handle(0)));
    (void)CALL2(alarm_restart, handle(0), TAKT_MS(4));
    note(CALL1(alarm_remaining_ns, handle(0)));
    sleep_to(1000);
}

/* However often a process starts, deletes and creates an alarm, its expiries keep their distance. */
static void test_distance(void)
{
    fresh(0);
    world.work[A + BACKGROUND] = often;
    world_run(8);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_NOTES(TAKT_MS(APART - 1), TAKT_MS(APART - 1), TAKT_MS(APART - 1));
    CHECK_EQUAL(world.created[0].alarm.alarm.call.timer.at_ns, TAKT_MS(2 + APART));
}

static unsigned lives;

static void wake_other(unsigned task)
{
    (void)task;
    lives++;
    CHECK_EQUAL(create_for(world_handle(B + SPORADIC), TAKT_MS(APART)), TAKT_OK);
    if (lives == 2) {
        CHECK_EQUAL(CALL2(alarm_start, handle(0), takt_now()), TAKT_OK);
        note(CALL1(alarm_remaining_ns, handle(0)) / 1000000u); /* it expires at once: the last one is long ago */
        sleep_to(1000);
    }
    CHECK_EQUAL(start(1), TAKT_OK);
    sleep_to(9);
    fault();
}

/* At the end of its process an alarm stops, that releases a task of another one too; then it can be created again. */
static void test_restart(void)
{
    fresh(1);
    lives = 0;
    world.work[A + BACKGROUND] = wake_other;
    world.work[B + SPORADIC] = note_time;
    world_run(40);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(lives, 2);
    CHECK_NOTES(1, 1 + APART, 0, 31, 31 + APART); /* its restart ends at 31 ms */
    check_kernel();
}

static void end_soon(unsigned task)
{
    (void)task;
    CHECK_EQUAL(create_for(world_handle(A + SPORADIC), TAKT_MS(APART)), TAKT_OK);
    CHECK_EQUAL(start(2), TAKT_OK);
    sleep_to(3);
    fault();
}

/* One of a process that stays stopped has no timer. */
static void test_stop(void)
{
    fresh(0);
    world.work[A + BACKGROUND] = end_soon;
    world.work[A + SPORADIC] = note_time;
    world_run(40);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_NOTES(2);
    CHECK(!world.created[0].alarm.alarm.started && world.created[0].alarm.alarm.call.timer.armed == 0);
    CHECK((world.objects[WORLD_PLACES + PLACE_ALARM].kind & TAKT_OBJECT_FREE) != 0);
}

static struct takt_created_alarm many[PROCESS_PLACES];
static unsigned wanted;
static uint64_t again_ns;

static void create_many(unsigned task)
{
    (void)task;
    if (++lives == 2) {
        again_ns = takt_now();
        sleep_to(1000);
    }
    for (unsigned number = 0; number < wanted; number++) {
        CHECK_EQUAL(create_for(world_handle(A + SPORADIC), 0), TAKT_OK);
        CHECK_EQUAL(start(50), TAKT_OK);
    }
    sleep_to(3);
    fault();
}

/* The time of the restart of a process, which has the slots of c, all for alarms, when it has started some. */
static uint64_t restart_ns(unsigned alarms)
{
    fresh(1);
    lives = 0;
    wanted = alarms;
    memset(many, 0, sizeof many);
    for (unsigned slot = 0; slot < PROCESS_PLACES; slot++) {
        unsigned index = WORLD_PLACES + 2 * PROCESS_PLACES + slot;
        world.objects[index] = (struct takt_object){&many[slot], 1, TAKT_OBJECT_ALARM | TAKT_OBJECT_FREE, 0};
        world.rights[0][index] = TAKT_RIGHT_USE | TAKT_RIGHT_GIVE | TAKT_RIGHT_MANAGE;
        world.rights[2][index] = 0;
    }
    world.process_configs[0].slot_first = WORLD_PLACES + 2 * PROCESS_PLACES;
    world.process_configs[2].slot_count = 0;
    world.work[A + BACKGROUND] = create_many;
    world_run(49);
    CHECK_EQUAL(lives, 2);
    CHECK_EQUAL(takt_process_faults.count, 1);
    return again_ns;
}

/* A step stops few of them, since a timer may be far back in its queue. */
static void test_steps(void)
{
    uint64_t none_ns = restart_ns(0);
    CHECK_EQUAL(restart_ns(PROCESS_PLACES), none_ns + TAKT_MS(2));
}

static struct takt_alarm_attributes bad;

static void create_badly(unsigned task)
{
    (void)task;
    (void)create_for((uintptr_t)bad.task, bad.period_ns);
    note(0);
}

static void delete_declared(unsigned task)
{
    (void)task;
    (void)CALL1(alarm_delete, world_handle(WORLD_ALARM));
    note(0);
}

static void delete_twice(unsigned task)
{
    (void)task;
    CHECK_EQUAL(create_for(world_handle(A + SPORADIC), 0), TAKT_OK);
    (void)CALL1(alarm_delete, handle(0));
    (void)CALL1(alarm_delete, handle(0));
    note(0);
}

static void start_never(unsigned task)
{
    (void)task;
    CHECK_EQUAL(create_for(world_handle(A + SPORADIC), 0), TAKT_OK);
    (void)CALL2(alarm_start, handle(0), TAKT_FOREVER);
    note(0);
}

static void elsewhere(unsigned task)
{
    (void)task;
    (void)CALL2(alarm_create, memory_of(1), memory_of(0));
    note(0);
}

static void from_elsewhere(unsigned task)
{
    (void)task;
    (void)CALL2(alarm_create, memory_of(0), memory_of(1));
    note(0);
}

static void check_refused(void (*work)(unsigned task))
{
    fresh(0);
    world.work[A + BACKGROUND] = work;
    world_run(8);
    CHECK_EQUAL(result_count, 0);
    CHECK_REFUSED();
    check_kernel();
}

/* One that may not release the task has no alarm that does; nor is there one that expires more often than declared. */
static void test_refused(void)
{
    world_new(0);
    const struct takt_alarm_attributes cases[] = {
        {(void *)world_handle(A + SPORADIC), TAKT_MS(APART) - 1},
        {(void *)world_handle(A + SPORADIC), 1},
        {(void *)world_handle(A + PERIODIC), 0},
        {(void *)world_handle(A + BACKGROUND), 0},
        {(void *)world_handle(C + SPORADIC), 0}, /* without the right */
        {(void *)(world_handle(A + SPORADIC) + 0x10000), 0},
        {NULL, 0},
        {&world.tasks[A + SPORADIC], 0},
    };
    for (unsigned which = 0; which < sizeof cases / sizeof *cases; which++) {
        bad = cases[which];
        check_refused(create_badly);
    }
    check_refused(delete_declared);
    check_refused(delete_twice);
    check_refused(start_never);
    check_refused(elsewhere);
    check_refused(from_elsewhere);
}

static void lend(unsigned task)
{
    (void)task;
    CHECK_EQUAL(create_for(world_handle(A + SPORADIC), 0), TAKT_OK);
    sleep_to(1000);
}

static void borrow(unsigned task)
{
    (void)task;
    sleep_to(2);
    (void)CALL2(alarm_start, handle(0), TAKT_MS(3));
    note(0);
}

/* Its process alone has a right to it. */
static void test_of_others(void)
{
    fresh(0);
    world.work[A + BACKGROUND] = lend;
    world.work[B + BACKGROUND] = borrow;
    world.work[A + SPORADIC] = note_time;
    world_run(8);
    CHECK_EQUAL(result_count, 0);
    CHECK_REFUSED();
    CHECK_EQUAL(takt_process_faults.records[0].process, 1);
}

int main(void)
{
    test_release();
    test_distance();
    test_restart();
    test_stop();
    test_steps();
    test_refused();
    test_of_others();
    return 0;
}
