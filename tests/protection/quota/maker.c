/* SPDX-License-Identifier: Apache-2.0 */
/* Each job takes all there is, uses it, and says what became of it; the second and later ones find it given back. */
#include "takt_app.h"

#include "takt/board.h"
#include "takt/create.h"
#include "takt/process.h"

static char line[32];
static unsigned length;
static struct takt_mutex *mutex;
static struct takt_condition *condition;
static struct takt_semaphore *semaphore;
static struct takt_events *events;
static struct takt_mailbox *mailbox;
static struct takt_pipe *pipe;
static struct takt_priority_mailbox *urgent;
static struct takt_alarm *alarm;
static volatile unsigned woken;
static unsigned sum;

static void say(bool right)
{
    line[length++] = right ? '+' : '-';
}

/* Two threads: what the first sends is what the second receives; each adds under the mutex. */
static void add(void *argument)
{
    unsigned number = (unsigned)(uintptr_t)argument;
    uint32_t message = number;
    if (number == 1) {
        if (takt_mailbox_send(mailbox, &message) != TAKT_OK) {
            return;
        }
    } else if (takt_mailbox_receive(mailbox, &message) != TAKT_OK) {
        return;
    }
    if (takt_mutex_lock(mutex) == TAKT_OK) {
        sum += message + number;
        takt_condition_signal(condition);
        takt_mutex_unlock(mutex);
    }
}

void woken_job(void *argument)
{
    (void)argument;
    woken++;
}

static bool create_all(void)
{
    const struct takt_alarm_attributes wakes = {.task = TASK_woken};
    const struct takt_semaphore_attributes counts = {.initial = 1, .maximum = 2};
    const struct takt_mailbox_attributes sizes = {.message_size = 4, .capacity = 4};
    const struct takt_mailbox_attributes one = {.message_size = 4, .capacity = 1};
    return takt_mutex_create(&mutex) == TAKT_OK && takt_condition_create(&condition) == TAKT_OK &&
           takt_semaphore_create(&semaphore, &counts) == TAKT_OK && takt_events_create(&events) == TAKT_OK &&
           takt_mailbox_create(&mailbox, &sizes) == TAKT_OK && takt_priority_mailbox_create(&urgent, &one) == TAKT_OK &&
           takt_pipe_create(&pipe, TAKT_PIPE_CAPACITY_MIN) == TAKT_OK && takt_alarm_create(&alarm, &wakes) == TAKT_OK;
}

static void use_objects(void)
{
    uint8_t bytes[2] = {7, 8};
    struct takt_pipe_count count = {.size = 2, .least = 2};
    struct takt_events_wanted wanted = {.flags = 3, .mode = 0};
    uint32_t letter = 5;
    say(takt_priority_mailbox_try_send(urgent, &letter, 3) == TAKT_OK &&
        takt_priority_mailbox_try_send_urgent(urgent, &letter) == TAKT_BUSY &&
        takt_priority_mailbox_receive(urgent, &letter) == TAKT_OK && letter == 5);
    say(takt_semaphore_post(semaphore) == TAKT_OK && takt_semaphore_post(semaphore) == TAKT_LIMIT);
    takt_events_set(events, 2);
    say(takt_events_try_wait(events, &wanted) == TAKT_OK && wanted.flags == 2);
    say(takt_pipe_try_write(pipe, bytes, &count) == TAKT_OK && takt_pipe_try_read(pipe, bytes, &count) == TAKT_OK);
}

/* It expires while the job waits for threads; a second time not before 8 ms have passed, although it is deleted. */
static void start_alarm(void)
{
    say(takt_alarm_start(alarm, takt_now() + TAKT_US(100)) == TAKT_OK);
}

static void see_alarm(unsigned jobs)
{
    const struct takt_alarm_attributes wakes = {.task = TASK_woken, .period_ns = TAKT_MS(8)};
    say(woken == jobs + 1 && takt_alarm_remaining_ns(alarm) == TAKT_FOREVER && takt_alarm_missed(alarm) == 0);
    takt_alarm_delete(alarm);
    say(takt_alarm_create(&alarm, &wakes) == TAKT_OK && takt_alarm_start(alarm, 0) == TAKT_OK);
    say(takt_alarm_remaining_ns(alarm) > TAKT_MS(3) && woken == jobs + 1);
    takt_alarm_delete(alarm);
}

static void use_threads(void)
{
    struct takt_task *threads[2];
    struct takt_task *none;
    struct takt_thread_attributes attributes = {.entry = add, .stack_size = 512, .level = TAKT_LEVELS - 2};
    bool started = true;
    for (uintptr_t number = 0; number < 2; number++) {
        attributes.argument = (void *)(number + 1);
        started = takt_thread_create(&threads[number], &attributes) == TAKT_OK && started;
    }
    say(started && takt_thread_create(&none, &attributes) == TAKT_LIMIT);
    sum = 0;
    say(takt_thread_join(threads[0]) == TAKT_OK && takt_thread_join(threads[1]) == TAKT_OK && sum == 5);
}

static void end_at_once(void *argument)
{
    (void)argument;
    takt_thread_exit();
}

/* A thread that nobody joins: its slot is free when it has ended, for one more in the same job. */
static void use_detached(void)
{
    struct takt_task *thread;
    const struct takt_thread_attributes attributes = {
        .entry = end_at_once, .stack_size = 512, .level = TAKT_LEVELS - 2};
    for (unsigned number = 0; number < 4; number++) {
        bool right = takt_thread_create(&thread, &attributes) == TAKT_OK;
        if (right) {
            takt_thread_detach(thread);
            takt_delay(TAKT_US(200));
        }
        say(right);
    }
}

/* Zeros at each first attach, whatever was written before; a second one is the same. */
static void use_shared(void)
{
    uint32_t *first = takt_shared_attach(&common);
    say(first != NULL && takt_shared_attach(&common) == first && first[0] == 0 && first[7] == 0);
    if (first != NULL) {
        first[0] = first[7] = 5;
    }
    takt_shared_detach(&common);
    takt_shared_detach(&common);
}

static volatile unsigned beats;

void beat_handler(void)
{
    beats++;
    takt_irq_ack(&beat_line);
}

static void use_device(void)
{
    say(takt_device_map(&registers) == (volatile void *)0x50000000);
    say(takt_irq_attach(&beat_line) == TAKT_STATE);
}

void maker_job(void *argument)
{
    static unsigned jobs;
    struct takt_mutex *other;
    (void)argument;
    length = 0;
    const uint8_t *memory = takt_memory_alloc(64);
    say(jobs >= 6 || (memory != NULL && memory[0] == 0 && memory[63] == 0 && (uintptr_t)memory % TAKT_GRANULE == 0));
    say(takt_memory_alloc(4096) == NULL);
    say(create_all());
    say(takt_mutex_create(&other) == TAKT_LIMIT);
    use_objects();
    start_alarm();
    use_threads();
    use_detached();
    see_alarm(jobs);
    use_shared();
    use_device();
    takt_mutex_delete(mutex);
    takt_condition_delete(condition);
    takt_semaphore_delete(semaphore);
    takt_events_delete(events);
    takt_mailbox_delete(mailbox);
    takt_pipe_delete(pipe);
    takt_priority_mailbox_delete(urgent);
    takt_process_null();
    say(beats == jobs + 1);
    line[length++] = '\n';
    takt_board_console_write(line, length);
    jobs++;
}
