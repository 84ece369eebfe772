/* SPDX-License-Identifier: Apache-2.0 */
/* What tasks of processes take and create in a build without protection: the same quota and slots, called directly. */
#include "kernel/test/support/scenario.h"
#include "takt/admission.h"
#include "takt/create.h"
#include "takt/process.h"

#include <string.h>

enum { QUOTA = 1024, BUFFERS = 64, SLOTS = 9, SHARED = 32 };

static _Alignas(TAKT_GRANULE) uint8_t memory[2][QUOTA];
static _Alignas(8) uint8_t buffers[BUFFERS];
static struct takt_thread threads[2];
static struct takt_mutex mutexes[1];
static struct takt_condition conditions[1];
static struct takt_events events[1];
static struct takt_semaphore semaphores[1];
static struct takt_created_mailbox mailboxes[1];
static struct takt_created_pipe pipes[1];
static struct takt_created_alarm alarms[1];
static const uint64_t alarms_apart_ns = TAKT_MS(4);
static struct takt_object slots[SLOTS];
static struct takt_quota quotas[2];
static const uint8_t of_tasks[] = {0, 1, UINT8_MAX, 0};
const struct takt_quotas takt_quotas = {quotas, of_tasks};
static uint8_t shared_bytes[SHARED];
static struct takt_shared shared;
static unsigned ended;

static void slot_make(unsigned index, enum takt_object_kind kind, void *object)
{
    slots[index] = (struct takt_object){object, 1, (uint8_t)(kind | TAKT_OBJECT_FREE), 0};
}

static void fresh(void)
{
    scenario_new();
    memset(threads, 0, sizeof threads);
    memset(mailboxes, 0, sizeof mailboxes);
    memset(pipes, 0, sizeof pipes);
    memset(alarms, 0, sizeof alarms);
    threads[0].index = 10;
    threads[1].index = 11;
    slot_make(0, TAKT_OBJECT_TASK, &threads[0]);
    slot_make(1, TAKT_OBJECT_TASK, &threads[1]);
    slot_make(2, TAKT_OBJECT_MUTEX, &mutexes[0]);
    slot_make(3, TAKT_OBJECT_CONDITION, &conditions[0]);
    slot_make(4, TAKT_OBJECT_EVENTS, &events[0]);
    slot_make(5, TAKT_OBJECT_SEMAPHORE, &semaphores[0]);
    slot_make(6, TAKT_OBJECT_MAILBOX, &mailboxes[0]);
    slot_make(7, TAKT_OBJECT_PIPE, &pipes[0]);
    slot_make(8, TAKT_OBJECT_ALARM, &alarms[0]);
    quotas[0] = (struct takt_quota){.memory = (uintptr_t)memory[0],
                                    .memory_size = QUOTA,
                                    .buffers = buffers,
                                    .buffers_size = BUFFERS,
                                    .slots = slots,
                                    .slot_count = SLOTS,
                                    .thread_level = 5,
                                    .alarms_apart_ns = {&alarms_apart_ns}};
    quotas[1] = (struct takt_quota){.memory = (uintptr_t)memory[1], .memory_size = QUOTA, .thread_level = 5};
    memset(shared_bytes, 1, sizeof shared_bytes);
    shared = (struct takt_shared){.region = {(uintptr_t)shared_bytes, SHARED, TAKT_ACCESS_READ, 0}};
    ended = 0;
}

static void adds(void *argument)
{
    takt_process_null();
    CHECK(takt_memory_alloc(1) != NULL); /* of its process */
    ended += (unsigned)(uintptr_t)argument;
}

static void create_objects(void)
{
    struct takt_mutex *mutex = NULL, *second = NULL;
    struct takt_condition *condition = NULL;
    struct takt_events *flags = NULL;
    struct takt_semaphore *semaphore = NULL;
    struct takt_mailbox *mailbox = NULL;
    struct takt_pipe *pipe = NULL;
    CHECK(takt_mutex_create(&mutex) == TAKT_OK && mutex == &mutexes[0]);
    CHECK(takt_mutex_create(&second) == TAKT_LIMIT && second == NULL);
    CHECK(takt_condition_create(&condition) == TAKT_OK && condition == &conditions[0]);
    CHECK(takt_condition_create(&condition) == TAKT_LIMIT);
    CHECK(takt_events_create(&flags) == TAKT_OK && flags == &events[0]);
    CHECK(takt_events_create(&flags) == TAKT_LIMIT);
    const struct takt_semaphore_attributes counts = {1, 2};
    CHECK(takt_semaphore_create(&semaphore, &counts) == TAKT_OK && takt_semaphore_count(semaphore) == 1);
    CHECK(takt_semaphore_create(&semaphore, &counts) == TAKT_LIMIT);
    const struct takt_mailbox_attributes sizes = {4, 4};
    CHECK(takt_mailbox_create(&mailbox, &sizes) == TAKT_OK && mailbox == &mailboxes[0].mailbox);
    CHECK(takt_mailbox_create(&mailbox, &sizes) == TAKT_LIMIT);
    CHECK(takt_pipe_create(&pipe, BUFFERS) == TAKT_LIMIT && takt_pipe_create(&pipe, TAKT_PIPE_CAPACITY_MIN) == TAKT_OK);
    takt_mutex_delete(mutex);
    takt_mutex_delete(mutex); /* it is not there any more */
    CHECK(takt_mutex_create(&second) == TAKT_OK && second == mutex && slots[2].generation == 2);
}

/* Expiries keep their distance without protection too, whatever becomes of the alarm; it stops when it is deleted. */
static struct takt_alarm *create_alarm(void)
{
    struct takt_alarm *alarm = NULL, *second = NULL;
    const struct takt_alarm_attributes attributes = {.task = scenario_find("s"), .period_ns = TAKT_MS(4)};
    CHECK(takt_alarm_create(&alarm, &attributes) == TAKT_OK && alarm == &alarms[0].alarm);
    CHECK(takt_alarm_create(&second, &attributes) == TAKT_LIMIT && second == NULL);
    CHECK_EQUAL(takt_alarm_start(alarm, 0), TAKT_OK);
    scenario_sleep_to(7);
    takt_alarm_restart(alarm, 0);
    CHECK_EQUAL(takt_alarm_remaining_ns(alarm), TAKT_MS(3));
    takt_alarm_delete(alarm);
    CHECK_EQUAL(takt_alarm_remaining_ns(alarm), TAKT_FOREVER);
    CHECK(takt_alarm_create(&second, &attributes) == TAKT_OK && second == alarm);
    CHECK_EQUAL(takt_alarm_start(alarm, 0), TAKT_OK);
    CHECK_EQUAL(takt_alarm_remaining_ns(alarm), TAKT_MS(3));
    return alarm;
}

static enum takt_status refuse(const struct takt_task *task, const struct takt_task_config *config, uint32_t lock)
{
    (void)task;
    (void)config;
    (void)lock;
    return TAKT_LIMIT;
}

/* One that may not start leaves its slot as it was. */
static void start_refused(const struct takt_thread_attributes *attributes)
{
    static const struct takt_admission refuses = {.add = refuse};
    struct takt_task *task = NULL;
    scenario.system.admission = &refuses;
    CHECK(takt_thread_create(&task, attributes) == TAKT_LIMIT && task == NULL);
    scenario.system.admission = NULL;
    CHECK((slots[0].kind & slots[1].kind & TAKT_OBJECT_FREE) != 0);
}

static enum takt_status accept(const struct takt_task *task, const struct takt_task_config *config, uint32_t lock)
{
    (void)task;
    (void)lock;
    return config->period_ns == TAKT_MS(2) && config->wcet_ns == 1 ? TAKT_OK : TAKT_REFUSED;
}

static void forget(const struct takt_task *task)
{
    (void)task;
}

static unsigned jobs;

static void count_job(void *argument)
{
    jobs += (unsigned)(uintptr_t)argument;
}

/* One with a deadline is admitted, and called once per job. */
static void start_periodic(void)
{
    static const struct takt_admission accepts = {.add = accept, .remove = forget};
    struct takt_task *task = NULL;
    struct takt_thread_attributes attributes = {count_job, (void *)3, 256, 4, TAKT_MS(2), TAKT_MS(2), 1};
    CHECK(takt_thread_create(&task, &attributes) == TAKT_REFUSED && task == NULL); /* there is no admission */
    scenario.system.admission = &accepts;
    CHECK(takt_thread_create(&task, &attributes) == TAKT_OK);
    uint64_t now_ns = takt_now();
    takt_delay_until(now_ns + TAKT_MS(5));
    CHECK_EQUAL(jobs, 9);
    takt_task_stop(task);
    takt_thread_detach(task);
    attributes.wcet_ns = 2;
    CHECK(takt_thread_create(&task, &attributes) == TAKT_REFUSED);
    scenario.system.admission = NULL;
    CHECK((slots[0].kind & slots[1].kind & TAKT_OBJECT_FREE) != 0);
}

static void start_threads(void)
{
    struct takt_task *first = NULL, *second = NULL, *third = NULL;
    struct takt_thread_attributes attributes = {.entry = adds, .argument = (void *)1, .stack_size = 256, .level = 6};
    CHECK(takt_thread_create(&first, &attributes) == TAKT_OK && first == &threads[0].task);
    attributes.argument = (void *)2;
    CHECK(takt_thread_create(&second, &attributes) == TAKT_OK);
    CHECK(takt_thread_create(&third, &attributes) == TAKT_LIMIT && third == NULL);
    takt_thread_detach(second);
    CHECK(takt_thread_join_until(first, TAKT_MS(1)) == TAKT_OK || takt_thread_join(first) == TAKT_OK);
    scenario_sleep_to(4);
    CHECK_EQUAL(ended, 10000 + 1000 + 3);
    attributes.argument = (void *)4;
    CHECK(takt_thread_create(&third, &attributes) == TAKT_OK && takt_thread_join(third) == TAKT_OK);
    CHECK(ended == 10000 + 1000 + 7 && (slots[0].kind & slots[1].kind & TAKT_OBJECT_FREE) != 0);
    start_refused(&attributes);
}

static struct takt_task *long_one;

static void works(void *argument)
{
    (void)argument;
    scenario_work(8);
}

/* A thread that is stopped while it is ready wakes the task that joins it. */
static void join_stopped(void)
{
    const struct takt_thread_attributes attributes = {.entry = works, .stack_size = 256, .level = 6};
    scenario_sleep_to(13);
    CHECK(takt_thread_create(&long_one, &attributes) == TAKT_OK && takt_thread_join(long_one) == TAKT_OK);
    CHECK(takt_now() == TAKT_MS(15) && (slots[0].kind & slots[1].kind & TAKT_OBJECT_FREE) != 0);
}

static void of_first(void *argument)
{
    (void)argument;
    CHECK(takt_memory_alloc(40) == memory[0] && takt_memory_alloc(QUOTA) == NULL);
    create_objects();
    start_threads();
    CHECK(takt_shared_attach(&shared) == shared_bytes && shared.users == 1 && shared_bytes[3] == 0);
    shared_bytes[3] = 7;
    CHECK(takt_shared_attach(&shared) == shared_bytes && shared.users == 1); /* it counts once */
    scenario_sleep_to(6);
    struct takt_alarm *alarm = create_alarm();
    jobs = 0;
    start_periodic();
    takt_shared_detach(&shared);
    takt_shared_detach(&shared);
    CHECK(shared.users == 1);
    takt_alarm_delete(alarm); /* after its expiries at 6 and 10 ms */
    join_stopped();
    ended += 10;
    takt_thread_exit();
}

static void of_second(void *argument)
{
    (void)argument;
    scenario_sleep_to(5);
    CHECK(takt_memory_alloc(1) == memory[1]);
    CHECK(takt_shared_attach(&shared) == shared_bytes && shared.users == 2 && shared_bytes[3] == 7);
    ended += 100;
}

static void of_none(void *argument)
{
    struct takt_region device = {(uintptr_t)shared_bytes, SHARED, TAKT_ACCESS_READ, 1};
    struct takt_process_interrupt interrupt = {.attached = UINT8_MAX};
    struct takt_mutex *mutex = NULL;
    (void)argument;
    CHECK(takt_memory_alloc(1) == NULL && takt_shared_attach(&shared) == NULL);
    takt_shared_detach(&shared);
    CHECK(shared.users == 0 && takt_mutex_create(&mutex) == TAKT_LIMIT);
    CHECK(takt_device_map(&device) == (volatile void *)shared_bytes);
    CHECK(takt_irq_attach(&interrupt) == TAKT_STATE);
    takt_irq_ack(&interrupt);
    ended += 1000;
    scenario_sleep_to(15);
    takt_task_stop(long_one);
}

static void of_alarm(void *argument)
{
    (void)argument;
    ended += 100000;
}

/* Not of the table, and no thread: of no process. */
static void of_extra(void *argument)
{
    (void)argument;
    CHECK(takt_memory_alloc(1) == NULL);
    ended += 10000;
}

static uint64_t extra_stack[SCENARIO_STACK / 8];
static const struct takt_task_config extra_config = {
    .name = "x", .entry = of_extra, .stack = extra_stack, .stack_size = SCENARIO_STACK, .index = 4, .level = 9};
static struct takt_task extra;

static void start_extra(void)
{
    CHECK_EQUAL(takt_task_start(&extra, &extra_config), TAKT_OK);
}

int main(void)
{
    fresh();
    (void)scenario_task("a", 2, of_first);
    (void)scenario_task("b", 3, of_second);
    (void)scenario_task("k", 1, of_none);
    (void)scenario_sporadic("s", 0, of_alarm, 1);
    scenario.before = start_extra;
    scenario_run(20);
    CHECK_EQUAL(ended, 2 * 100000 + 10000 + 1000 + 100 + 10 + 7);
    return 0;
}
