/* SPDX-License-Identifier: Apache-2.0 */
/* Signals between processes: each has a copy in its own memory, and which signals it holds only the kernel decides. */
#include "kernel/test/support/notes.h"
#include "kernel/test/support/world.h"

#include "kernel/core/kernel.h"
#include "kernel/core/processes.h"

#include <string.h>

enum { NUMBER = 42, AT_VARIABLE = 0, AT_FILTER = 64, AT_NUMBERS = 128 };

static unsigned send_at_ms, receive_at_ms;
static uint32_t wanted;

static struct takt_signal **variable_of(unsigned process)
{
    return world_buffer(process);
}

static uint8_t *data_of(const struct takt_signal *copy)
{
    return (uint8_t *)(uintptr_t)copy + TAKT_SIGNAL_BYTES(0);
}

static void allocate(unsigned process, uint32_t number)
{
    struct takt_signal **variable = variable_of(process);
    *variable = (struct takt_signal *)(uintptr_t)CALL2(signal_allocate, world_handle(WORLD_SIGNALS), number);
    CHECK(*variable != NULL);
}

/* A sends; its copy is of no use to it afterwards. */
static void a_sends(unsigned task)
{
    (void)task;
    allocate(0, NUMBER);
    struct takt_signal *copy = *variable_of(0);
    CHECK((uint8_t *)copy >= world_copies(0) && (uint8_t *)copy < world_copies(0) + COPIES);
    CHECK_EQUAL(copy->number, NUMBER);
    memset(data_of(copy), 7, SIGNAL);
    sleep_to(send_at_ms);
    (void)CALL2(signal_send, variable_of(0), world_handle(WORLD_QUEUE_B));
    CHECK(*variable_of(0) == NULL);
    memset(data_of(copy), 8, SIGNAL); /* the receiver's does not change */
    sleep_to(1000);
}

static const struct takt_signal_filter *filter_for(uint32_t number)
{
    uint8_t *bytes = world_buffer(1);
    struct takt_signal_filter *filter = (void *)(bytes + AT_FILTER);
    uint32_t *numbers = (void *)(bytes + AT_NUMBERS);
    numbers[0] = 1;
    numbers[1] = number;
    *filter = (struct takt_signal_filter){numbers, (struct takt_task *)world_handle(A + BACKGROUND), 2};
    return filter;
}

static void b_receives(unsigned task)
{
    (void)task;
    sleep_to(receive_at_ms);
    note(CALL3(signal_receive, world_handle(WORLD_QUEUE_B), filter_for(wanted), variable_of(1)));
    struct takt_signal *copy = *variable_of(1);
    CHECK((uint8_t *)copy >= world_copies(1) && (uint8_t *)copy < world_copies(1) + COPIES);
    note(copy->number);
    note((uintptr_t)copy->sender);
    note((uintptr_t)copy->pool);
    sleep_to(5);
    note(data_of(copy)[SIGNAL - 1]);
    (void)CALL1(signal_free, variable_of(1));
    CHECK(*variable_of(1) == NULL);
    note(world.signals.left);
    sleep_to(1000);
}

static void begin(unsigned restarts_max)
{
    fresh(restarts_max);
    world.work[A + BACKGROUND] = a_sends;
    world.work[B + PERIODIC] = b_receives;
    send_at_ms = 2;
    receive_at_ms = 1;
    wanted = NUMBER;
}

static void check_received(void)
{
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_NOTES(TAKT_OK, NUMBER, world_handle(A + BACKGROUND), world_handle(WORLD_SIGNALS), 7, SIGNALS);
}

static void test_both_orders(void)
{
    begin(0);
    world_run(9);
    check_received();
    begin(0);
    send_at_ms = 1;
    receive_at_ms = 2;
    world_run(9);
    check_received();
    begin(0);
    wanted = NUMBER + 1; /* it stays in the queue */
    world_run(9);
    CHECK_EQUAL(result_count, 0);
    CHECK(world.queues[1].first != NULL && world.queues[1].waiter == &world.tasks[B + PERIODIC]);
}

/* What the receiver changes in its filter and variable while it waits is not believed. */
static void b_lies(unsigned task)
{
    (void)task;
    sleep_to(1);
    uint32_t *numbers = (void *)((uint8_t *)world_buffer(1) + AT_NUMBERS);
    struct takt_signal_filter *filter = (void *)((uint8_t *)world_buffer(1) + AT_FILTER);
    filter->count = UINT16_MAX;
    filter->numbers = (void *)(uintptr_t)8;
    filter->sender = NULL;
    numbers[0] = 99;
    *variable_of(1) = (void *)world_outside;
    sleep_to(1000);
}

static void test_lies(void)
{
    begin(0);
    world.work[B + BACKGROUND] = b_lies;
    world_run(9);
    check_received();
}

/* One wrong call of a's periodic task, which holds a signal and owns a queue. */
static struct {
    enum takti_call_number number;
    void (*before)(void);
    uintptr_t first, second, third;
} wrong;

static void call_wrong(unsigned task)
{
    (void)task;
    allocate(0, NUMBER);
    if (wrong.before != NULL) {
        wrong.before();
    }
    (void)world_call(wrong.number, wrong.first, wrong.second, wrong.third, 0);
    CHECK(false);
}

static void check_wrong(enum takti_call_number number, void (*before)(void), uintptr_t first, uintptr_t second,
                        uintptr_t third)
{
    fresh(0);
    wrong.number = number;
    wrong.before = before;
    wrong.first = first;
    wrong.second = second;
    wrong.third = third;
    world.work[A + PERIODIC] = call_wrong;
    world_run(5);
    CHECK_REFUSED();
}

static void sent(void)
{
    struct takt_signal *copy = *variable_of(0);
    (void)CALL2(signal_send, variable_of(0), world_handle(WORLD_QUEUE_B));
    *variable_of(0) = copy;
}

static void freed(void)
{
    struct takt_signal *copy = *variable_of(0);
    (void)CALL1(signal_free, variable_of(0));
    *variable_of(0) = copy;
}

/* Inside a signal, and what is there in the kernel looks like one that the task holds. */
static void beside(void)
{
    struct takt_signal *inside = (void *)(world.signals.in_process->storage + 16);
    inside->next = inside;
    inside->holder = &world.tasks[A + PERIODIC];
    inside->pool = &world.signals;
    uint8_t *copy = (uint8_t *)*variable_of(0) + 16;
    ((struct takt_signal *)(void *)copy)->pool = (void *)world_handle(WORLD_SIGNALS);
    *variable_of(0) = (void *)copy;
}

static void next_one(void)
{
    uint8_t *copy = (uint8_t *)*variable_of(0) + TAKT_SIGNAL_BYTES(SIGNAL);
    ((struct takt_signal *)(void *)copy)->pool = (void *)world_handle(WORLD_SIGNALS);
    *variable_of(0) = (void *)copy;
}

static void of_b(void)
{
    *variable_of(0) = (void *)world_copies(1);
}

static void the_kernels(void)
{
    *variable_of(0) = (void *)world.signals.in_process->storage;
}

static void other_pool(void)
{
    (*variable_of(0))->pool = (void *)world_handle(WORLD_SEMAPHORE);
}

static void of_another_task(void)
{
    takti_signal_at(&world.signals, 0)->holder = &world.tasks[A + BACKGROUND];
}

static void nothing(void)
{
    *variable_of(0) = NULL;
}

static void no_copies_there(void)
{
    static uint8_t *const copies[PROCESSES] = {NULL};
    static uint8_t *own[PROCESSES];
    memcpy(own, copies, sizeof own);
    own[0] = world_copies(0);
    world.signals.in_process->copies = own;
}

static void long_filter(void)
{
    struct takt_signal_filter *filter = (void *)((uint8_t *)world_buffer(0) + AT_FILTER);
    *filter = (struct takt_signal_filter){world_buffer(0), NULL, TAKT_PROCESS_NUMBERS_MAX + 1};
}

static void numbers_of_b(void)
{
    struct takt_signal_filter *filter = (void *)((uint8_t *)world_buffer(0) + AT_FILTER);
    *filter = (struct takt_signal_filter){world_buffer(1), NULL, 1};
}

static void unknown_sender(void)
{
    struct takt_signal_filter *filter = (void *)((uint8_t *)world_buffer(0) + AT_FILTER);
    *filter = (struct takt_signal_filter){NULL, (void *)world_handle(WORLD_MUTEX), 0};
}

static void test_wrong(void)
{
    uintptr_t variable = (uintptr_t)variable_of(0);
    uintptr_t filter = variable + AT_FILTER;
    uintptr_t queue_a = WORLD_QUEUE_A | 1u << 16;
    uintptr_t queue_b = WORLD_QUEUE_B | 1u << 16;
    void (*const befores[])(void) = {sent,        freed,      beside,          next_one, of_b,
                                     the_kernels, other_pool, of_another_task, nothing};
    for (unsigned index = 0; index < sizeof befores / sizeof *befores; index++) {
        check_wrong(TAKTI_CALL_signal_send, befores[index], variable, queue_b, 0);
        check_wrong(TAKTI_CALL_signal_free, befores[index], variable, 0, 0);
    }
    check_wrong(TAKTI_CALL_signal_send, NULL, variable, WORLD_SIGNALS | 1u << 16, 0);
    check_wrong(TAKTI_CALL_signal_send, no_copies_there, variable, queue_b, 0);
    check_wrong(TAKTI_CALL_signal_free, NULL, (uintptr_t)variable_of(1), 0, 0);
    check_wrong(TAKTI_CALL_signal_try_receive, NULL, queue_b, 0, variable); /* not its queue */
    check_wrong(TAKTI_CALL_signal_try_receive, NULL, queue_a, 0, (uintptr_t)variable_of(1));
    check_wrong(TAKTI_CALL_signal_try_receive, NULL, queue_a, (uintptr_t)world_outside, variable);
    check_wrong(TAKTI_CALL_signal_try_receive, long_filter, queue_a, filter, variable);
    check_wrong(TAKTI_CALL_signal_try_receive, numbers_of_b, queue_a, filter, variable);
    check_wrong(TAKTI_CALL_signal_try_receive, unknown_sender, queue_a, filter, variable);
}

static void a_holds_two(unsigned task)
{
    (void)task;
    if (takt_process_faults.count == 0) {
        allocate(0, 1);
        (void)CALL2(signal_send, variable_of(0), world_handle(WORLD_QUEUE_B));
        allocate(0, 2);
        allocate(0, 3);
        CHECK_EQUAL(CALL2(signal_allocate, world_handle(WORLD_SIGNALS), 4), 0); /* that was all */
        fault();
    }
    sleep_to(1000);
}

/* What a process held returns to the pool when it ends; what it sent stays sent. */
static void test_held_return(void)
{
    fresh(1);
    world.work[A + BACKGROUND] = a_holds_two;
    world_run(60);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_RUNS);
    CHECK_EQUAL(world.signals.left, SIGNALS - 1);
    CHECK(world.queues[1].first != NULL);
    CHECK_EQUAL(world.queues[1].first->number, 1);
}

static void hand_and_stop(void *argument)
{
    (void)argument;
    takt_delay_until(TAKT_MS(1) + TAKT_US(500));
    takt_task_suspend(&world.tasks[B + PERIODIC]);
    takt_delay_until(TAKT_MS(2) + TAKT_US(500));
    CHECK(world.queues[1].first == NULL); /* it was handed over */
    *variable_of(1) = (void *)world_outside;
    takt_task_stop(&world.tasks[B + PERIODIC]);
    CHECK(world.queues[1].first == takti_signal_at(&world.signals, 0));
    CHECK(!takti_signal_held_by(world.queues[1].first, 1));
    takt_delay_until(TAKT_FOREVER);
}

/* A signal that a task was handed, and which it did not see, is the first in its queue again. */
static void test_handed_back(void)
{
    begin(0);
    world_kernel_task(C + BACKGROUND, hand_and_stop);
    world_run(9);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_EQUAL(result_count, 0);
    CHECK_EQUAL(world.signals.left, SIGNALS - 1);
}

int main(void)
{
    test_both_orders();
    test_lies();
    test_wrong();
    test_held_return();
    test_handed_back();
    return 0;
}
