/* SPDX-License-Identifier: Apache-2.0 */
/* What ports do in traps, and what may be true of processes of some: faults with registers, and those that come late.
 */
#include "kernel/test/support/notes.h"
#include "kernel/test/support/world.h"

#include <stdlib.h>

#include "kernel/core/kernel.h"
#include "ports/host/host.h"

static void (*in_trap)(void); /* while a call is under way, unlocked */
static bool refuses;          /* the processor can't say one more region */

void takt_board_console_write(const char *text, size_t length); /* runner/include/takt/board.h */

void takt_board_console_write(const char *text, size_t length)
{
    (void)text;
    (void)length;
    if (in_trap != NULL) {
        in_trap();
    }
}

bool __real_takt_port_map_make(struct takt_port_map *map, const struct takt_region *regions, unsigned count);
bool __wrap_takt_port_map_make(struct takt_port_map *map, const struct takt_region *regions, unsigned count);

bool __wrap_takt_port_map_make(struct takt_port_map *map, const struct takt_region *regions, unsigned count)
{
    return !refuses && __real_takt_port_map_make(map, regions, count);
}

static void trap(unsigned task)
{
    (void)CALL2(board_console_write, world_buffer(task / PROCESS_TASKS), 4);
    note(1);
    sleep_to(1000);
}

static void begin(void (*function)(void))
{
    fresh(0);
    in_trap = function;
    world.work[A + BACKGROUND] = trap;
}

static void fault_as_port(void)
{
    static const uint32_t registers[] = {11, 12, 13};
    takti_process_fault(TAKT_PROCESS_STRAY, 0x123, 0x456, "pc lr sp", registers);
}

/* The record of a fault has as many registers as there are names. */
static void test_registers(void)
{
    begin(fault_as_port);
    world_run(3);
    const struct takt_process_fault_record *record = &takt_process_faults.records[0];
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(result_count, 0);
    CHECK_EQUAL(record->cause, TAKT_PROCESS_STRAY);
    CHECK_EQUAL(record->address, 0x123);
    CHECK_EQUAL(record->pc, 0x456);
    CHECK_TEXT(record->register_names, "pc lr sp");
    for (unsigned number = 0; number < TAKT_PROCESS_FAULT_REGISTERS; number++) {
        CHECK_EQUAL(record->registers[number], number < 3 ? 11 + number : 0);
    }
}

static void stop_it(struct takti_call *call)
{
    (void)call;
    takt_task_stop(&world.tasks[A + BACKGROUND]);
}

static void arm_stop(void *argument)
{
    static struct takti_call call;
    (void)argument;
    memset(&call, 0, sizeof call);
    takti_call_at(&call, TAKT_MS(1), stop_it);
    takt_delay_until(TAKT_FOREVER);
}

static void fault_late(void)
{
    takt_work(TAKT_MS(2));
    fault_as_port();
}

/* An interrupt stopped the task meanwhile: what it did is no fault any more. */
static void test_stopped_meanwhile(void)
{
    begin(fault_late);
    world_kernel_task(C + BACKGROUND, arm_stop);
    world_run(5);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_RUNS);
    CHECK_EQUAL(world.tasks[A + BACKGROUND].timer.state, TAKTI_DORMANT);
    CHECK_EQUAL(result_count, 0);
}

static void attach(unsigned task)
{
    (void)task;
    refuses = true;
    note(CALL1(shared_attach, world_handle(WORLD_SHARED)));
    note(world.processes[0].region_count);
    refuses = false;
    note(CALL1(shared_attach, world_handle(WORLD_SHARED)));
    sleep_to(1000);
}

/* A region that the processor can't say besides the others is not attached. */
static void test_refused(void)
{
    fresh(0);
    world.work[A + BACKGROUND] = attach;
    world_run(5);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_NOTES(0, 3, (uintptr_t)world_shared);
    CHECK_EQUAL(world.shared.users, 1);
}

static void send_anything(unsigned task)
{
    (void)task;
    note(CALL2(mailbox_try_send, world_handle(WORLD_MAILBOX), world_outside));
    (void)CALL2(mailbox_try_send, world_handle(WORLD_MAILBOX), NULL);
    note(1);
}

/* Where the host does not know a process's memory, as in applications there, all but nothing is taken for its own. */
static void test_no_memory(void)
{
    fresh(0);
    world_no_memory(0);
    world.work[A + BACKGROUND] = send_anything;
    world_run(5);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_NOTES(TAKT_OK);
}

static struct {
    struct takt_task task;
    struct takt_object *place[8]; /* no thread: nothing of what such has lies behind it */
} extra;
static uint64_t extra_stack[STACK / 8];
static struct takt_task_config extra_config;
static unsigned extra_ran;

static void end_at_once(void *argument)
{
    (void)argument;
    extra_ran++;
}

static void start_extra(void *argument)
{
    (void)argument;
    CHECK_EQUAL(takt_task_start(&extra.task, &extra_config), TAKT_OK);
    takt_delay_until(TAKT_MS(2));
    CHECK(takt_task_stopped(&extra.task));
    takt_delay_until(TAKT_FOREVER);
}

/* A task that the kernel starts besides those of the table is no thread. */
static void test_extra(void)
{
    fresh(0);
    memset(&extra, 0, sizeof extra);
    extra_config = (struct takt_task_config){.name = "x",
                                             .entry = end_at_once,
                                             .level = 20,
                                             .index = TASKS + PROCESSES * PLACES,
                                             .stack = extra_stack,
                                             .stack_size = STACK};
    world_kernel_task(C + BACKGROUND, start_extra);
    world_run(5);
    CHECK_EQUAL(extra_ran, 1);
    for (unsigned place = 0; place < 8; place++) {
        CHECK(extra.place[place] == NULL);
    }
}

static void own_stack(unsigned task)
{
    const struct takt_host_context *context = world.tasks[task].stack_pointer;
    uintptr_t here = (uintptr_t)&context;
    note(takt_host_context_owns(context, here, sizeof context));
    note(takt_host_context_owns(context, here, UINTPTR_MAX));
    note(takt_host_context_owns(context, (uintptr_t)&world, sizeof context));
    sleep_to(1000);
}

/* A stack of the host's is its task's as far as it goes. */
static void test_own_stack(void)
{
    fresh(0);
    world.work[A + BACKGROUND] = own_stack;
    world_run(5);
    CHECK_EQUAL(result_count, 3);
    CHECK(results[0] == true && results[1] == false && results[2] == false);
}

static bool halts; /* as it should */

_Noreturn void __wrap_takt_port_halt(void);

_Noreturn void __wrap_takt_port_halt(void)
{
    CHECK(halts && takt_process_faults.count == 0);
    CHECK_EQUAL(takt_fault_record.address, 0x123);
    exit(0);
}

static void fault_of_the_kernel(void *argument)
{
    (void)argument;
    halts = true;
    fault_as_port();
}

/* What a task of the kernel's does wrong is the kernel's own fault, and ends the system. Does not return. */
static void test_kernel_fault(void)
{
    fresh(0);
    world_kernel_task(C + BACKGROUND, fault_of_the_kernel);
    world_run(5);
}

#if TAKT_JOBS
static void loop(unsigned task)
{
    (void)task;
    for (;;) {
        note(CALL0(now));
        (void)CALL0(job_wait);
    }
}

/* The entry of a task may wait for its jobs itself. */
static void test_loop(void)
{
    fresh(0);
    world_loop(A + PERIODIC);
    world.work[A + PERIODIC] = loop;
    world_run(25);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_EQUAL(result_count, 3);
    for (unsigned job = 0; job < 3; job++) {
        CHECK_EQUAL(results[job], TAKT_MS(10 * job));
    }
}
#endif

#if TAKT_BUDGETS
static struct takt_budget budget;

static void limit(unsigned task, enum takt_budget_policy policy)
{
    budget = (struct takt_budget){.full_ns = TAKT_MS(1), .policy = (uint8_t)policy};
    world_limit(task, &budget);
}

/* The task's budget ended in the trap, and its process with it: what it did then is no second fault. */
static void test_exhausted_meanwhile(void)
{
    begin(fault_late);
    limit(A + BACKGROUND, TAKT_BUDGET_STOP);
    world_run(3);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(takt_process_faults.records[0].cause, TAKT_PROCESS_BUDGET);
    CHECK_EQUAL(takt_process_faults.records[0].time_ns, TAKT_MS(1));
    CHECK_EQUAL(result_count, 0);
}

static void work_2(void)
{
    takt_work(TAKT_MS(2));
}

static void work_in_kernel(void *argument)
{
    (void)argument;
    takt_work(TAKT_MS(2));
    note(2);
    takt_delay_until(TAKT_FOREVER);
}

/* A budget that only notes, and that of a task of no process, end no process. */
static void test_other_budgets(void)
{
    begin(work_2);
    limit(A + BACKGROUND, TAKT_BUDGET_NOTIFY);
    world_run(5);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_EQUAL(budget.exhausted, 1);
    CHECK_EQUAL(result_count, 1);
    fresh(0);
    world_kernel_task(C + BACKGROUND, work_in_kernel);
    limit(C + BACKGROUND, TAKT_BUDGET_STOP);
    world_run(5);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_EQUAL(budget.exhausted, 1);
    CHECK_EQUAL(result_count, 0);
    CHECK_EQUAL(world.tasks[C + BACKGROUND].timer.state, TAKTI_DORMANT);
}

static void hold(unsigned task)
{
    (void)task;
    note(CALL1(mutex_lock, world_handle(WORLD_MUTEX)));
    takt_work(TAKT_MS(2));
    note(1);
}

static void hold_in_kernel(void *argument)
{
    (void)argument;
    note(takt_mutex_lock(&world.mutex));
    takt_work(TAKT_MS(2));
    note(1);
}

/* A section that is too long ends the process, whatever its budget does else: only so is the mutex whole again. */
static void test_section_too_long(void)
{
    fresh(0);
    world.work[A + BACKGROUND] = hold;
    limit(A + BACKGROUND, TAKT_BUDGET_DEMOTE);
    budget.full_ns = TAKT_MS(50);
    budget.hold_ns = TAKT_MS(1);
    world_run(5);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(takt_process_faults.records[0].cause, TAKT_PROCESS_BUDGET);
    CHECK_EQUAL(takt_process_faults.records[0].time_ns, TAKT_MS(1));
    CHECK_EQUAL(result_count, 1);
    fresh(0);
    world_kernel_task(C + BACKGROUND, hold_in_kernel); /* of a task of no process it stays broken */
    limit(C + BACKGROUND, TAKT_BUDGET_DEMOTE);
    budget.full_ns = TAKT_MS(50);
    budget.hold_ns = TAKT_MS(1);
    world_run(5);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_EQUAL(result_count, 1);
    CHECK_EQUAL(world.tasks[C + BACKGROUND].timer.state, TAKTI_DORMANT);
    CHECK(takti_mutex_broken(&world.mutex));
}
#endif

int main(void)
{
    test_registers();
    test_stopped_meanwhile();
    test_refused();
    test_no_memory();
    test_extra();
#if TAKT_JOBS
    test_loop();
#endif
#if TAKT_BUDGETS
    test_exhausted_meanwhile();
    test_other_budgets();
    test_section_too_long();
#endif
    test_own_stack();
    test_kernel_fault();
    return 1;
}
