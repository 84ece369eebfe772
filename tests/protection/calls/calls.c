/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every call, by its name, from user mode: `tester` makes it and looks at what it returns; `server`, below it, does
 * what lets it go on when it waits. The console has the lines that were wrong.
 */
#include "takt_app.h"

#include "takt/board.h"
#include "takt/process.h"

#include <stdlib.h>

enum command { HOLD, SIGNAL, BROADCAST, POST, SET, SEND, SEND_URGENT, WRITE, READ, ACCEPT, CALL, DELETE };

static enum command command;
static unsigned wrong;
static unsigned sporadics, wakes, lines, threads, sleeps;
static struct takt_task *created;

static void print_line(unsigned line)
{
    char text[] = "calls: line 0000 is wrong\n";
    for (unsigned index = 15; index > 11; index--, line /= 10) {
        text[index] = (char)('0' + line % 10);
    }
    takt_board_console_write(text, sizeof text - 1);
}

static void check_line(unsigned line, uint64_t found, uint64_t low, uint64_t high)
{
    if (found < low || found > high) {
        wrong++;
        print_line(line);
    }
}
#define GIVES(call, wanted) check_line(__LINE__, (uint64_t)(call), (uint64_t)(wanted), (uint64_t)(wanted))
#define GIVES_WITHIN(call, low, high) check_line(__LINE__, (uint64_t)(call), (low), (high))
#define HOLDS(condition) GIVES((condition) ? 1 : 0, 1)

void sporadic_job(void *argument)
{
    (void)argument;
    sporadics++;
}

void woken_job(void *argument)
{
    (void)argument;
    wakes++;
}

void line_handler(void)
{
    lines++;
}

void sleeper_loop(void *argument)
{
    (void)argument;
    for (;;) {
        sleeps++;
        takt_delay(TAKT_MS(1));
    }
}

static void serve(void)
{
    struct takt_rendezvous_accepted accepted;
    struct takt_pipe_count count = {.size = 4, .least = 4};
    uint32_t word = 77;
    switch (command) {
    case HOLD:
        GIVES(takt_mutex_lock(&lock), TAKT_OK);
        takt_delay(TAKT_MS(2));
        takt_mutex_unlock(&lock);
        break;
    case SIGNAL:
        takt_condition_signal(&condition);
        break;
    case BROADCAST:
        takt_condition_broadcast(&condition);
        break;
    case POST:
        GIVES(takt_semaphore_post(&tokens), TAKT_OK);
        break;
    case SET:
        takt_events_set(&events, 6);
        break;
    case SEND:
        GIVES(takt_mailbox_send(&mailbox, &word), TAKT_OK);
        break;
    case SEND_URGENT:
        GIVES(takt_priority_mailbox_broadcast(&urgent, &word), 1);
        break;
    case WRITE:
        GIVES(takt_pipe_write(&pipe, &word, &count), TAKT_OK);
        break;
    case READ:
        GIVES(takt_pipe_read(&pipe, &word, &count), TAKT_OK);
        break;
    case ACCEPT:
        GIVES(takt_rendezvous_accept(&meet, &accepted), TAKT_OK);
        HOLDS(accepted.size == 4 && *(uint32_t *)accepted.data == 5);
        *(uint32_t *)accepted.data = 6;
        takt_rendezvous_complete(&accepted);
        break;
    case CALL:
        GIVES(takt_rendezvous_call(&meet, &word, sizeof word), TAKT_OK);
        GIVES(word, 78);
        break;
    default:
        takt_semaphore_delete(&tokens);
        break;
    }
}

void server_loop(void *argument)
{
    (void)argument;
    for (;;) {
        GIVES(takt_semaphore_wait(&go), TAKT_OK);
        serve();
    }
}

/* The server does it when the tester waits. */
static void order(enum command what)
{
    command = what;
    GIVES(takt_semaphore_post(&go), TAKT_OK);
}

static uint64_t soon(void)
{
    return takt_now() + TAKT_MS(1);
}

static void tasks_and_time(void)
{
    struct takt_task_statistics statistics = takt_task_statistics(TASK_sleeper);
    takt_process_null();
    GIVES((uintptr_t)takt_task_running(), (uintptr_t)TASK_tester);
    takt_task_yield();
    uint64_t before_ns = takt_now();
    takt_delay(TAKT_MS(3));
    GIVES_WITHIN(takt_now() - before_ns, TAKT_MS(3), TAKT_MS(3) + TAKT_US(500));
    before_ns = takt_now();
    takt_delay_until(before_ns + TAKT_MS(2));
    GIVES_WITHIN(takt_now() - before_ns, TAKT_MS(2), TAKT_MS(2) + TAKT_US(500));
    GIVES(statistics.jobs_completed, 0);
    HOLDS(sleeps > 3);
    takt_task_suspend(TASK_sleeper);
    unsigned slept = sleeps;
    takt_delay(TAKT_MS(3));
    GIVES(sleeps, slept);
    takt_task_resume(TASK_sleeper);
    takt_delay(TAKT_MS(3));
    HOLDS(sleeps > slept);
    slept = sleeps;
    GIVES(takt_task_cancel(TASK_sleeper), TAKT_OK);
    GIVES(takt_task_cancel(TASK_tester), TAKT_STATE);
    takt_delay(TAKT_US(50));
    GIVES(sleeps, slept + 1);
    GIVES(takt_task_stopped(TASK_sleeper), false);
    GIVES(takt_task_start(TASK_sleeper, NULL), TAKT_STATE);
    takt_task_stop(TASK_sleeper);
    GIVES(takt_task_stopped(TASK_sleeper), true);
    GIVES(takt_task_start(TASK_sleeper, NULL), TAKT_OK);
    takt_task_delete(TASK_sleeper);
    GIVES(takt_task_stopped(TASK_sleeper), true);
    GIVES(takt_job_release_ns(), 0);
    GIVES(takt_job_deadline_ns(), TAKT_MS(200));
    takt_job_release(TASK_sporadic);
    takt_delay(TAKT_MS(2));
    GIVES(sporadics, 1);
    before_ns = takt_now();
    takt_job_release_at(TASK_sporadic, before_ns + TAKT_MS(2));
    takt_delay(TAKT_MS(3));
    GIVES(sporadics, 2);
    GIVES_WITHIN(takt_task_budget_ns(TASK_tester), 1, TAKT_MS(60));
    GIVES(takt_task_exhausted(TASK_tester), 0);
}

static void locks(void)
{
    GIVES(takt_mutex_try_lock(&lock), TAKT_OK);
    takt_mutex_unlock(&lock);
    order(HOLD);
    takt_delay(TAKT_MS(1));
    GIVES(takt_mutex_try_lock(&lock), TAKT_BUSY);
    GIVES(takt_mutex_lock_until(&lock, takt_now() + TAKT_US(100)), TAKT_TIMEOUT);
    GIVES(takt_mutex_lock(&lock), TAKT_OK);
    order(SIGNAL);
    GIVES(takt_condition_wait(&condition, &lock), TAKT_OK);
    order(BROADCAST);
    GIVES(takt_condition_wait_until(&condition, &lock, TAKT_FOREVER), TAKT_OK);
    GIVES(takt_condition_wait_until(&condition, &lock, soon()), TAKT_TIMEOUT);
    takt_mutex_unlock(&lock);
    struct takt_mutex *const mutexes[] = {&lock};
    struct takt_hint_set set = {.mutexes = mutexes, .count = 1};
    takt_hint_next_set(&set);
    takt_delay(TAKT_MS(1));
    takt_hint_next(&lock);
    order(POST);
    takt_semaphore_flush(&tokens);
    GIVES(takt_mutex_lock_until(&lock, soon()), TAKT_OK);
    takt_mutex_unlock(&lock);
    takt_condition_delete(&condition);
    takt_mutex_delete(&lock);
    GIVES(takt_mutex_lock(&lock), TAKT_OK);
    takt_mutex_unlock(&lock);
    GIVES(takt_ceiling_lock(&roof), TAKT_OK);
    takt_ceiling_unlock(&roof);
    GIVES(takt_ceiling_lock_until(&roof, soon()), TAKT_OK);
    takt_ceiling_unlock(&roof);
    GIVES(takt_ceiling_try_lock(&roof), TAKT_OK);
    takt_ceiling_unlock(&roof);
    takt_ceiling_delete(&roof);
    takt_delay(TAKT_MS(1));
}

static void semaphores_and_events(void)
{
    struct takt_events_wanted wanted = {3, TAKT_EVENTS_CLEAR};
    while (takt_semaphore_try_wait(&tokens) == TAKT_OK) {
    }
    GIVES(takt_semaphore_count(&tokens), 0);
    GIVES(takt_semaphore_try_wait(&tokens), TAKT_BUSY);
    GIVES(takt_semaphore_wait_until(&tokens, soon()), TAKT_TIMEOUT);
    order(POST);
    GIVES(takt_semaphore_wait(&tokens), TAKT_OK);
    order(POST);
    GIVES(takt_semaphore_wait_in_turn(&tokens, takt_now() + TAKT_MS(5)), TAKT_OK);
    order(DELETE);
    GIVES(takt_semaphore_wait(&tokens), TAKT_DELETED);
    GIVES(takt_semaphore_post(&tokens), TAKT_OK);
    GIVES(takt_semaphore_count(&tokens), 1);
    takt_semaphore_flush(&tokens);
    GIVES(takt_events_get(&events), 0);
    GIVES(takt_events_try_wait(&events, &wanted), TAKT_BUSY);
    GIVES(takt_events_wait_until(&events, &wanted, soon()), TAKT_TIMEOUT);
    order(SET);
    GIVES(takt_events_wait(&events, &wanted), TAKT_OK);
    GIVES(wanted.flags, 2);
    GIVES(takt_events_get(&events), 4);
    takt_events_clear(&events, 4);
    GIVES(takt_events_get(&events), 0);
    takt_events_set(&events, 1);
    takt_events_delete(&events);
}

static void messages(void)
{
    uint32_t word = 1;
    GIVES(takt_mailbox_count(&mailbox), 0);
    GIVES(takt_mailbox_try_receive(&mailbox, &word), TAKT_BUSY);
    GIVES(takt_mailbox_receive_until(&mailbox, &word, soon()), TAKT_TIMEOUT);
    order(SEND);
    GIVES(takt_mailbox_receive(&mailbox, &word), TAKT_OK);
    GIVES(word, 77);
    GIVES(takt_mailbox_try_send(&mailbox, &word), TAKT_OK);
    GIVES(takt_mailbox_send_until(&mailbox, &word, soon()), TAKT_OK);
    GIVES(takt_mailbox_send_until(&mailbox, &word, soon()), TAKT_TIMEOUT);
    GIVES(takt_mailbox_try_send(&mailbox, &word), TAKT_BUSY);
    takt_mailbox_delete(&mailbox);
    GIVES(takt_mailbox_try_receive(&mailbox, &word), TAKT_BUSY);
    for (word = 1; word < 4; word++) {
        GIVES(word == 1   ? takt_priority_mailbox_send(&urgent, &word, 9)
              : word == 2 ? takt_priority_mailbox_try_send(&urgent, &word, 3)
                          : takt_priority_mailbox_try_send_urgent(&urgent, &word),
              TAKT_OK);
    }
    GIVES(takt_priority_mailbox_send_until(&urgent, &word, 1, soon()), TAKT_TIMEOUT);
    GIVES(takt_priority_mailbox_send_urgent_until(&urgent, &word, soon()), TAKT_TIMEOUT);
    GIVES(takt_priority_mailbox_receive(&urgent, &word), TAKT_OK);
    GIVES(word, 3);
    GIVES(takt_priority_mailbox_send_urgent(&urgent, &word), TAKT_OK);
    GIVES(takt_priority_mailbox_try_receive(&urgent, &word), TAKT_OK);
    GIVES(takt_priority_mailbox_receive_until(&urgent, &word, soon()), TAKT_OK);
    GIVES(word, 2);
    GIVES(takt_priority_mailbox_try_receive(&urgent, &word), TAKT_OK);
    GIVES(takt_priority_mailbox_receive_until(&urgent, &word, soon()), TAKT_TIMEOUT);
    order(SEND_URGENT);
    GIVES(takt_priority_mailbox_receive(&urgent, &word), TAKT_OK);
    GIVES(word, 77);
    takt_priority_mailbox_delete(&urgent);
}

static void streams_and_meetings(void)
{
    uint8_t bytes[32] = {5};
    struct takt_pipe_count count = {.size = 32, .least = 32};
    struct takt_rendezvous_accepted accepted;
    uint32_t word = 5;
    GIVES(takt_pipe_try_read(&pipe, bytes, &count), TAKT_BUSY);
    GIVES(takt_pipe_try_write(&pipe, bytes, &count), TAKT_OK);
    GIVES(count.done, 32);
    GIVES(takt_pipe_write_until(&pipe, bytes, &count, soon()), TAKT_TIMEOUT);
    count.least = 4;
    order(READ);
    GIVES(takt_pipe_write(&pipe, bytes, &count), TAKT_OK);
    GIVES(count.done, 4);
    GIVES(takt_pipe_read(&pipe, bytes, &count), TAKT_OK);
    GIVES(takt_pipe_read_until(&pipe, bytes, &count, soon()), TAKT_TIMEOUT);
    order(WRITE);
    GIVES(takt_pipe_read_until(&pipe, bytes, &count, TAKT_FOREVER), TAKT_OK);
    GIVES(bytes[0], 77);
    takt_pipe_delete(&pipe);
    order(ACCEPT);
    GIVES(takt_rendezvous_call(&meet, &word, sizeof word), TAKT_OK);
    GIVES(word, 6);
    GIVES(takt_rendezvous_call_until(&meet, &word, sizeof word, soon()), TAKT_TIMEOUT);
    GIVES(takt_rendezvous_try_accept(&meet, &accepted), TAKT_BUSY);
    GIVES(takt_rendezvous_accept_until(&meet, &accepted, soon()), TAKT_TIMEOUT);
    order(CALL);
    GIVES(takt_rendezvous_accept(&meet, &accepted), TAKT_OK);
    ++*(uint32_t *)accepted.data;
    takt_rendezvous_complete(&accepted);
    takt_delay(TAKT_MS(1));
    takt_rendezvous_delete(&meet);
}

static void signals_sent(void)
{
    struct takt_signal *signal = takt_signal_allocate(&signals, 5);
    HOLDS(signal != NULL && signal->number == 5);
    *(uint32_t *)takt_signal_data(signal) = 6;
    takt_signal_send(&signal, &signalled);
    HOLDS(signal == NULL);
    GIVES(takt_signal_receive(&signalled, NULL, &signal), TAKT_OK);
    GIVES(*(uint32_t *)takt_signal_data(signal), 6);
    struct takt_signal *other = NULL;
    GIVES(takt_signal_try_receive(&signalled, NULL, &other), TAKT_BUSY);
    GIVES(takt_signal_receive_until(&signalled, NULL, &other, soon()), TAKT_TIMEOUT);
    takt_signal_free(&signal);
    HOLDS(signal == NULL);
}

static void blocks_used(void)
{
    void *first = NULL;
    void *third = NULL;
    GIVES(takt_pool_allocate(&blocks, &first), TAKT_OK);
    uint64_t *second = takt_pool_try_allocate(&blocks);
    HOLDS(first != NULL && second != NULL && first != second);
    *(uint64_t *)first = 1;
    *second = 2;
    GIVES(*(uint64_t *)first, 1);
    GIVES((uintptr_t)takt_pool_try_allocate(&blocks), 0);
    GIVES(takt_pool_allocate_until(&blocks, &third, soon()), TAKT_TIMEOUT);
    takt_pool_free(&blocks, first);
    takt_pool_free(&blocks, second);
    takt_pool_delete(&blocks);
}

static void slot_passed(void)
{
    void *first = NULL;
    void *second = NULL;
    void *taken = NULL;
    GIVES(takt_slot_allocate(&tray), TAKT_OK);
    GIVES(takt_slot_allocate(&tray), TAKT_STATE);
    GIVES(takt_slot_try_reserve(&tray, 0, &first), TAKT_STATE);
    takt_slot_open(&tray);
    GIVES(takt_slot_try_take(&tray, &taken), TAKT_BUSY);
    GIVES(takt_slot_take_until(&tray, &taken, soon()), TAKT_TIMEOUT);
    GIVES(takt_slot_reserve(&tray, 0, &first), TAKT_OK);
    GIVES(takt_slot_try_reserve(&tray, 0, &second), TAKT_OK);
    GIVES(takt_slot_reserve_until(&tray, 0, &taken, soon()), TAKT_TIMEOUT);
    *(uint32_t *)first = 7;
    takt_slot_commit(&tray, first);
    takt_slot_commit(&tray, second);
    GIVES(takt_slot_info(&tray).committed, 2);
    GIVES(takt_slot_take(&tray, &taken), TAKT_OK);
    GIVES(*(uint32_t *)taken, 7);
    GIVES(takt_slot_deallocate(&tray), TAKT_STATE);
    GIVES(takt_slot_close(&tray), 2);
    GIVES(takt_slot_release(&tray, taken), 1);
    GIVES(takt_slot_flush(&tray), 0);
    GIVES(takt_slot_deallocate(&tray), TAKT_OK);
}

static void messages_of_the_log(void)
{
    const uint32_t words[] = {1, 2, 3};
    takt_log_put(4, 1, 2);
    takt_log_put_words(4, words, 3);
}

static void alarms_and_states(void)
{
    messages_of_the_log();
    uint8_t message[SIZE_news] = {4, 5, 6};
    GIVES(takt_alarm_start(&alarm, takt_now() + TAKT_MS(2)), TAKT_OK);
    GIVES(takt_alarm_start(&alarm, takt_now() + TAKT_MS(2)), TAKT_STATE);
    GIVES_WITHIN(takt_alarm_remaining_ns(&alarm), TAKT_US(1500), TAKT_MS(2));
    takt_alarm_restart(&alarm, takt_now() + TAKT_MS(1));
    takt_delay(TAKT_MS(2));
    GIVES(wakes, 1);
    GIVES(takt_alarm_stop(&alarm), TAKT_STATE);
    GIVES(takt_alarm_missed(&alarm), 0);
    takt_watchdog_kick(&dog);
    GIVES(takt_watchdog_expired(&dog), 0);
    GIVES(takt_watchdog_stop(&dog), TAKT_OK);
    GIVES(takt_watchdog_start(&dog), TAKT_OK);
    takt_state_write(&news, message, SIZE_news);
    message[1] = 0;
    GIVES(news_read_locked(message), TAKT_OK);
    GIVES(message[1], 5);
}

static void thread(void *argument)
{
    threads += (uintptr_t)argument;
    takt_thread_exit();
}

static void memory_and_threads(void)
{
    struct takt_thread_attributes attributes = {.entry = thread, .stack_size = 256, .level = TAKT_LEVELS - 2};
    uint8_t byte = 1;
    uint8_t *memory = takt_memory_alloc(64);
    HOLDS(memory != NULL && memory[63] == 0);
    HOLDS(takt_memory_alloc(4096) == NULL);
    uint8_t *block = malloc(100);
    HOLDS(block != NULL && malloc(500) == NULL && realloc(block, 200) == block);
    free(block);
    uint8_t *attached = takt_shared_attach(&lent);
    HOLDS(attached != NULL && attached[0] == 0);
    attached[0] = 9;
    HOLDS(takt_shared_attach(&lent) == attached && attached[0] == 9);
    takt_shared_detach(&lent);
    HOLDS((uintptr_t)takt_device_map(&device) == 0x50000000);
    GIVES(takt_irq_attach(&line_line), TAKT_STATE);
    attributes.argument = (void *)10;
    GIVES(takt_thread_create(&created, &attributes), TAKT_OK);
    GIVES(takt_thread_join_until(created, takt_now() + TAKT_MS(5)), TAKT_OK);
    GIVES(takt_thread_create(&created, &attributes), TAKT_OK);
    GIVES(takt_thread_join(created), TAKT_OK);
    GIVES(takt_thread_create(&created, &attributes), TAKT_OK);
    takt_thread_detach(created);
    takt_delay(TAKT_MS(2));
    GIVES(threads, 30);
    HOLDS(lines > 2); /* each acknowledged, or there would be one: takt_irq_ack */
    GIVES(takt_board_link_exchange(&byte, 1, &byte, 1), 0);
}

static void process_started(void)
{
    GIVES(takt_process_stopped(PROCESS_other), 1);
    GIVES(takt_process_stop(PROCESS_other), TAKT_STATE);
    GIVES(takt_process_start(PROCESS_other), TAKT_OK);
    GIVES(takt_process_start(PROCESS_other), TAKT_STATE);
    takt_delay(TAKT_MS(15));
    GIVES(takt_process_stopped(PROCESS_other), 0);
    GIVES(takt_process_stop(PROCESS_other), TAKT_OK);
    GIVES(takt_process_stop(PROCESS_other), TAKT_STATE);
}

void tester_loop(void *argument)
{
    (void)argument;
    tasks_and_time();
    locks();
    semaphores_and_events();
    messages();
    streams_and_meetings();
    signals_sent();
    blocks_used();
    slot_passed();
    alarms_and_states();
    memory_and_threads();
    process_started();
    takt_job_wait();
    GIVES(takt_job_release_ns(), TAKT_MS(200));
    static const char right[] = "calls: all are right\n";
    if (wrong == 0) {
        takt_board_console_write(right, sizeof right - 1);
    }
    takt_fault_raise(TAKT_FAULT_ASSERTION, "the end", 42, 0);
}
