/* SPDX-License-Identifier: Apache-2.0 */
/* A rendezvous whose data the kernel copies between processes: what goes over, what is refused, and either end dies. */
#include "kernel/test/support/notes.h"
#include "kernel/test/support/world.h"

#include "kernel/core/kernel.h"
#include "kernel/process/multiword.h"

#include <string.h>

enum { AT_DATA = 64, ROOM = 32, MARK = 0xEE };

static unsigned call_at_ms, accept_at_ms, complete_at_ms;

static uint8_t *data_of(unsigned process)
{
    return (uint8_t *)world_buffer(process) + AT_DATA;
}

/* Bytes 1, 2, ... of the caller come back doubled. */
static void b_calls(unsigned task)
{
    (void)task;
    uint8_t *data = data_of(1);
    if (takt_process_faults.count > 0) {
        sleep_to(1000);
    }
    memset(data, MARK, ROOM);
    for (unsigned byte = 0; byte < REQUEST; byte++) {
        data[byte] = (uint8_t)(byte + 1);
    }
    sleep_to(call_at_ms);
    note(CALL3(rendezvous_call, world_handle(WORLD_EXCHANGE), data, REQUEST));
    note(data[0]);
    note(data[REPLY - 1]);
    note(data[REPLY]);
    note(data[REQUEST]);
    sleep_to(1000);
}

static struct takt_rendezvous_accepted *a_accepts(void)
{
    struct takt_rendezvous_accepted *accepted = world_buffer(0);
    memset(data_of(0), MARK, ROOM);
    accepted->data = data_of(0);
    sleep_to(accept_at_ms);
    CHECK_EQUAL(CALL2(rendezvous_accept, world_handle(WORLD_EXCHANGE), accepted), TAKT_OK);
    CHECK(accepted->data == data_of(0));
    CHECK_EQUAL(accepted->size, REQUEST);
    CHECK_EQUAL(data_of(0)[0], 1);
    CHECK_EQUAL(data_of(0)[REQUEST - 1], REQUEST);
    CHECK_EQUAL(data_of(0)[REQUEST], MARK);
    return accepted;
}

static void a_serves(unsigned task)
{
    (void)task;
    struct takt_rendezvous_accepted *accepted = a_accepts();
    for (unsigned byte = 0; byte < REQUEST; byte++) {
        data_of(0)[byte] *= 2;
    }
    sleep_to(complete_at_ms);
    accepted->data = data_of(1); /* nobody believes it: the buffer is that of the accept */
    accepted->size = 1000;
    (void)CALL1(rendezvous_complete, accepted);
    sleep_to(1000);
}

static void begin(unsigned restarts_max)
{
    fresh(restarts_max);
    world.work[A + BACKGROUND] = a_serves;
    world.work[B + BACKGROUND] = b_calls;
    call_at_ms = 2;
    accept_at_ms = 1;
    complete_at_ms = 3;
}

static void check_exchanged(void)
{
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_NOTES(TAKT_OK, 2, 2 * REPLY, REPLY + 1, MARK);
}

/* The one or the other is there first. */
static void test_both_orders(void)
{
    begin(0);
    world_run(10);
    check_exchanged();
    begin(0);
    call_at_ms = 1;
    accept_at_ms = 2;
    world_run(10);
    check_exchanged();
}

static struct {
    enum takti_call_number number;
    uint8_t *data;
    uint32_t size;
} wrong;

static void call_wrong(unsigned task)
{
    (void)task;
    struct takti_multiword_rendezvous *wide = world_buffer(0);
    struct takt_rendezvous_accepted *accepted = world_buffer(0);
    uintptr_t handle = world_handle(WORLD_EXCHANGE);
    uintptr_t second = (uintptr_t)wrong.data;
    if (wrong.number == TAKTI_CALL_rendezvous_call_until) {
        *wide = (struct takti_multiword_rendezvous){wrong.data, 1, wrong.size};
        second = (uintptr_t)wide;
    } else if (wrong.number != TAKTI_CALL_rendezvous_call) {
        accepted->data = wrong.data;
        second = (uintptr_t)accepted;
    }
    note(world_call(wrong.number, handle, second, wrong.number == TAKTI_CALL_rendezvous_call ? wrong.size : 1, 0));
    sleep_to(1000);
}

static void check_wrong(enum takti_call_number number, uint8_t *data, uint32_t size, bool allowed)
{
    fresh(0);
    wrong.number = number;
    wrong.data = data;
    wrong.size = size;
    world.work[A + BACKGROUND] = call_wrong;
    world_run(5);
    CHECK_EQUAL(takt_process_faults.count, allowed ? 0 : 1);
    bool too_long = size > REQUEST && number <= TAKTI_CALL_rendezvous_call_until;
    CHECK(allowed || takt_process_faults.records[0].address == (too_long ? size : (uintptr_t)data));
}

/* Data of others, at the end of the own memory, of a text, or longer than declared. */
static void test_wrong(void)
{
    uint8_t *end = world_memory[0] + MEMORY;
    check_wrong(TAKTI_CALL_rendezvous_call, data_of(0), REQUEST + 1, false);
    check_wrong(TAKTI_CALL_rendezvous_call, data_of(1), REQUEST, false);
    check_wrong(TAKTI_CALL_rendezvous_call, end - REQUEST + 1, REQUEST, false);
    check_wrong(TAKTI_CALL_rendezvous_call, end - REPLY + 1, 1, false);
    check_wrong(TAKTI_CALL_rendezvous_call, (uint8_t *)(uintptr_t)world_text, 1, false); /* for the reply */
    check_wrong(TAKTI_CALL_rendezvous_call, world_shared, REQUEST, false);
    check_wrong(TAKTI_CALL_rendezvous_call_until, data_of(0), REQUEST + 1, false);
    check_wrong(TAKTI_CALL_rendezvous_call_until, data_of(1), REQUEST, false);
    check_wrong(TAKTI_CALL_rendezvous_call_until, end - REQUEST, REQUEST, true);
    check_wrong(TAKTI_CALL_rendezvous_try_accept, data_of(1), 0, false);
    check_wrong(TAKTI_CALL_rendezvous_try_accept, end - REQUEST + 1, 0, false);
    check_wrong(TAKTI_CALL_rendezvous_try_accept, end - REQUEST, 0, true);
    check_wrong(TAKTI_CALL_rendezvous_accept_until, (uint8_t *)(uintptr_t)world_text, 0, false);
}

static void b_faults(unsigned task)
{
    (void)task;
    if (takt_process_faults.count == 0) {
        sleep_to(3);
        fault();
    }
}

static void check_caller_dead(unsigned complete_ms)
{
    begin(1);
    complete_at_ms = complete_ms;
    world.work[B + PERIODIC] = b_faults;
    world_run(90);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(takt_process_faults.records[0].process, 1);
    CHECK_EQUAL(world.processes[1].state, TAKTI_PROCESS_RUNS);
    CHECK(world.tasks[A + BACKGROUND].in_process->serving.owner == NULL);
    for (unsigned byte = 0; byte < ROOM; byte++) {
        CHECK_EQUAL(data_of(1)[byte], 0); /* no reply after the restart */
    }
}

/* The server completes a call of a process that is ending, of one whose tasks are gone, and of one that runs again. */
static void test_caller_dies(void)
{
    begin(1);
    world_run(1);
    for (unsigned complete_ms = 3; complete_ms < 60; complete_ms++) {
        check_caller_dead(complete_ms);
    }
}

static void a_faults(unsigned task)
{
    (void)task;
    (void)a_accepts();
    data_of(0)[0] = 99;
    fault();
}

/* The caller learns that its server has died, and no byte comes back. */
static void test_server_dies(void)
{
    begin(0);
    world.work[A + BACKGROUND] = a_faults;
    world_run(10);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(result_count, 5);
    CHECK_EQUAL(results[0], TAKT_OWNER_DIED);
    CHECK_EQUAL(results[1], 1);
}

static void a_waits_better(unsigned task)
{
    struct takt_rendezvous_accepted *accepted = world_buffer(0);
    if (task == A + PERIODIC && takt_process_faults.count == 0) {
        accepted->data = (uint8_t *)world_buffer(0) + 256;
        (void)CALL2(rendezvous_accept, world_handle(WORLD_EXCHANGE), accepted);
        CHECK(false); /* it was handed the call, and ends before it runs */
    }
}

static void hand_and_end(void *argument)
{
    (void)argument;
    takt_delay_until(TAKT_MS(1) + TAKT_US(500));
    takt_task_suspend(&world.tasks[A + PERIODIC]);
    takt_delay_until(TAKT_MS(2) + TAKT_US(500));
    CHECK_EQUAL(((uint8_t *)world_buffer(0))[256], 1);
    takt_task_stop(&world.tasks[A + PERIODIC]);
    takt_delay_until(TAKT_FOREVER);
}

/* A call that an acceptor was handed, which is then stopped, goes to the next one, with its data. */
static void test_handed_on(void)
{
    begin(0);
    world.work[A + PERIODIC] = a_waits_better;
    accept_at_ms = 1;
    complete_at_ms = 5;
    world_kernel_task(C + BACKGROUND, hand_and_end);
    world_run(9);
    check_exchanged();
}

int main(void)
{
    test_both_orders();
    test_wrong();
    test_caller_dies();
    test_server_dies();
    test_handed_on();
    return 0;
}
