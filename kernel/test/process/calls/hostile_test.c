/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random calls with hostile arguments from the tasks of two processes. Whatever they do the kernel's state agrees, no
 * memory changes that nobody gave for that, and the third process misses nothing. A kernel task releases tasks that
 * wait too long.
 */
enum { ANY_ENTRY = 0, THREAD_STACK = 256 };
#include "kernel/test/support/hostile.h"
#include "kernel/test/support/world.h"

#include "kernel/core/kernel.h"
#include "kernel/port.h"
#include "ports/host/host.h"
#include "ports/host/trap.h"
#include "takt/invariants.h"

enum { CASES = 150000, CALLS_MOST = 4 * CASES, WALK_EVERY = 8, MEDDLES = 6 };

static unsigned long calls;
static unsigned long calls_max;
static unsigned long calls_noticed;
static unsigned long refused;              /* faults of calls */
static uint8_t succeeds[TAKTI_CALL_COUNT]; /* it has, or is not expected to: it does not come back, or there is none */
static unsigned long undisturbed;
static bool finished;

/* Memory of the process that calls, each in its place: nobody minds what lies there. */
static uint8_t *place_at(unsigned process, unsigned offset)
{
    return (uint8_t *)world_buffer(process) + offset;
}

/* That of an object which the process created, if there is one; or 0. */
static uintptr_t created_for(char letter, unsigned process)
{
    static const char letters[] = "mkesbpra";
    static const unsigned slots[] = {PLACE_MUTEX,   PLACE_CONDITION, PLACE_EVENTS,           PLACE_SEMAPHORE,
                                     PLACE_MAILBOX, PLACE_PIPE,      PLACE_PRIORITY_MAILBOX, PLACE_ALARM};
    const char *found = strchr(letters, letter);
    unsigned index = found == NULL ? 0 : WORLD_PLACES + process * PROCESS_PLACES + slots[found - letters];
    index += letter == 'm' ? draw(2) : 0;
    return found == NULL || (world.objects[index].kind & TAKT_OBJECT_FREE) != 0 ? 0 : world_handle(index);
}

static uintptr_t handle_for(char letter, unsigned process)
{
    if (letter == 'q' || letter == 'j') {
        return world_handle(WORLD_QUEUE_A + (letter == 'j' ? process : draw(2)));
    }
    uintptr_t created = draw(4) == 0 ? created_for(letter, process) : 0;
    if (created != 0) {
        return created;
    }
    switch (letter) {
    case 't':
        return world_handle(draw(2 * PROCESS_TASKS));
    case 'g':
        return world_handle(draw(2) * PROCESS_TASKS + SPORADIC);
    case 'x':
        return world_handle(WORLD_PLACES + process * PROCESS_PLACES + draw(PLACES));
    case 'm':
        return world_handle(process == 0 && draw(3) == 0 ? WORLD_OWN_MUTEX : WORLD_MUTEX);
    case 'o':
        return world_handle(WORLD_MUTEX);
    case 's':
        return world_handle(draw(4) == 0 ? WORLD_TRIGGER : WORLD_SEMAPHORE);
    case '1':
        return world_handle(WORLD_PROCESS_A + draw(2));
    case 'z':
        return world_handle(draw(2) == 0 ? WORLD_RENDEZVOUS : WORLD_EXCHANGE);
    default:
        break;
    }
    static const char letters[] = "cskebr"
                                  "pawyhdifv2";
    static const unsigned objects[] = {
        WORLD_CEILING,   WORLD_SEMAPHORE, WORLD_CONDITION, WORLD_EVENTS, WORLD_MAILBOX, WORLD_PRIORITY_MAILBOX,
        WORLD_PIPE,      WORLD_ALARM,     WORLD_WATCHDOG,  WORLD_STATE,  WORLD_SHARED,  WORLD_DEVICE,
        WORLD_INTERRUPT, WORLD_SIGNALS,   WORLD_POOL,      WORLD_SLOT};
    return world_handle(objects[strchr(letters, letter) - letters]);
}

/* That of an object which stood in a place of the process, if there was one. */
static uintptr_t stale_handle(unsigned process)
{
    unsigned index = WORLD_PLACES + process * PROCESS_PLACES + draw(PROCESS_PLACES);
    return world_handle(index) - (world.objects[index].generation > 1 ? 0x10000 : 0);
}

static uintptr_t bad_address(unsigned process)
{
    unsigned other = 1 - process;
    const uintptr_t choices[] = {
        (uintptr_t)world_memory[other],
        (uintptr_t)world_buffer(other),
        (uintptr_t)world_memory[process] - 1,
        (uintptr_t)world_memory[process] - 8,
        (uintptr_t)world_memory[process] + MEMORY - 3,
        (uintptr_t)world_memory[process] + MEMORY,
        (uintptr_t)world_buffer(process) + 1,
        (uintptr_t)world_text,
        (uintptr_t)world_outside + 64,
        (uintptr_t)world_shared,
        (uintptr_t)&takti_kernel,
        (uintptr_t)world.objects,
        (uintptr_t)&world.mutex,
        world_handle(draw(world.objects_used)) + 0x10000, /* stale */
        world_handle(draw(world.objects_used)),
        stale_handle(process),
    };
    return choices[draw(sizeof choices / sizeof *choices)];
}

static bool has_succeeded(unsigned number)
{
    return succeeds[number] != 0;
}

static uintptr_t block_of(unsigned process, unsigned index)
{
    return (uintptr_t)world_blocks(process) + (uintptr_t)index * BLOCK;
}

static uintptr_t heap_got[2]; /* the last block that each process got; or 0 */

static uintptr_t heap_block(unsigned process)
{
    return heap_got[process];
}

/* What a process may do to its heap, which is its own memory. */
static void overwrite_heap(unsigned process)
{
    uint32_t *word = (uint32_t *)(void *)world_heap(process) + draw(HEAP / 4);
    const uint32_t values[] = {0, 1, *word ^ 1, *word + 8, HEAP, HEAP - 8, draw(UINT32_MAX), UINT32_MAX};
    *word = values[draw(sizeof values / sizeof *values)];
}

static unsigned thread_level(void)
{
    return 3 + TASKS;
}

/* Of all that the processes do not write themselves: a caller gives none of it as memory of its own. */
static void check_memory(void)
{
    for (unsigned process = 0; process < PROCESSES; process++) {
        for (unsigned byte = 0; byte < GUARD; byte++) {
            CHECK_EQUAL(world_memory[process][byte], (uint8_t)(byte * 7 + 1));
        }
    }
    for (unsigned byte = 0; byte < sizeof world_outside; byte++) {
        CHECK_EQUAL(world_outside[byte], 0x5A);
        CHECK_EQUAL(world_shared[byte], 0);
    }
    CHECK(world_text[0] == 1 && world_text[2] == 3 && world_text[3] == 0);
}

static void check_kernel(void)
{
    const struct takt_known_objects objects = {.all = UINT16_MAX}; /* none but what has a handle */
    struct takt_broken broken = takt_kernel_broken(&objects);
    if (broken.what != NULL) {
        printf("after %lu calls: %s (%p)\n", calls, broken.what, broken.where);
        check_failed();
    }
}

/* What the task can do that most tasks cannot: it owns something, or serves. */
static unsigned special_call(const struct takt_task *task)
{
    if (task->in_process->serving.owner == task && draw(3) == 0) {
        return TAKTI_CALL_rendezvous_complete;
    }
    if (world.ceiling.mutex.owner == task && draw(3) == 0) {
        return TAKTI_CALL_ceiling_unlock;
    }
    if (world.mutex.owner == task && draw(3) == 0) {
        static const unsigned choices[] = {TAKTI_CALL_mutex_unlock, TAKTI_CALL_condition_wait,
                                           TAKTI_CALL_condition_wait_until};
        return CALL_OF(choices);
    }
    if (world.slot.state != TAKT_SLOT_FREE && world.slot.owner == task && draw(2) == 0) {
        return owner_call(world.slot.taken != NULL, world.slot.buffers.first != NULL);
    }
    unsigned process = task->config->process->config->index;
    bool has = *(uintptr_t *)(void *)place_at(process, SENT + 8 * maker_drawn) != 0;
    if (world.slot.state == TAKT_SLOT_OPEN && draw(has ? 2 : 8) == 0) {
        return sender_call(has);
    }
    const struct takt_object *slots = &world.objects[task->config->process->config->slot_first];
    for (unsigned place = 0; place < PLACES; place++) {
        const struct takt_task *thread = slots[place].object;
        if (slots[place].kind == TAKT_OBJECT_TASK && thread->timer.state == TAKTI_DORMANT && draw(3) == 0) {
            return draw(2) == 0 ? TAKTI_CALL_thread_join : TAKTI_CALL_thread_join_until;
        }
    }
    if (*(uintptr_t *)(void *)place_at(process, 512 + 8 * maker_drawn) != 0 && draw(4) == 0) {
        return signal_call();
    }
    if (heap_got[process] != 0 && draw(16) == 0) {
        return draw(2) == 0 ? TAKTI_CALL_heap_free : TAKTI_CALL_heap_resize;
    }
    if (draw(8) == 0) {
        return meeting_call();
    }
    unsigned lacking = draw(8) == 0 ? call_lacking() : TAKTI_CALL_COUNT;
    if (lacking < TAKTI_CALL_COUNT) {
        return lacking;
    }
    return draw(100) == 0 ? TAKTI_CALL_COUNT + draw(9) : draw(TAKTI_CALL_COUNT);
}

static void one_call(unsigned process)
{
    const struct takt_task *task = takti_kernel.ready.running;
    unsigned index = task->config->index;
    maker_drawn = index < TASKS ? index % PROCESS_TASKS : PROCESS_TASKS + (index - TASKS) % PLACES;
    unsigned number = special_call(task);
    bool ends = number == TAKTI_CALL_fault_raise || number == TAKTI_CALL_thread_exit;
    if (ends && draw(8) != 0) {
        return;
    }
    uint64_t words[ARGUMENTS];
    bool hostile = draw_hostile();
    uintptr_t *held = (void *)place_at(process, 512 + 8 * maker_drawn);
    draw_arguments(number, process, hostile, words);
    if (number == TAKTI_CALL_mutex_unlock && world.mutex.owner == task && !hostile) {
        words[0] = world_handle(WORLD_MUTEX);
    }
    if (number == TAKTI_CALL_condition_wait || number == TAKTI_CALL_condition_wait_until) {
        words[1] = hostile ? words[1] : world_handle(WORLD_MUTEX);
    }
    forget_buffer(number, process);
    heap_got[process] = number == TAKTI_CALL_heap_free ? 0 : heap_got[process];
    if (draw(128) == 0) {
        overwrite_heap(process);
    }
    calls++;
    if (calls % WALK_EVERY == 0) {
        check_kernel();
    }
    uint64_t result = world_call(number, (uintptr_t)words[0], (uintptr_t)words[1], (uintptr_t)words[2], 0);
    if (number == TAKTI_CALL_signal_allocate && result != 0) {
        *held = (uintptr_t)result;
    }
    if (number == TAKTI_CALL_heap_allocate && result != 0) {
        heap_got[process] = (uintptr_t)result;
        CHECK(heap_got[process] - (uintptr_t)world_heap(process) < HEAP);
    }
    if (number < TAKTI_CALL_COUNT && means_success(number, (uint32_t)(result | result >> 32))) {
        succeeds[number] = 1;
    }
}

static void make_calls(unsigned process)
{
    for (unsigned call = 0; calls < calls_max && (call < 4 || draw(4) != 0); call++) {
        one_call(process);
        if (calls % 64 == 0) {
            check_memory();
        }
        takt_work(20000);
    }
    while (calls >= calls_max) {
        (void)CALL1(delay_until, TAKT_FOREVER);
    }
}

static void thread_entry(void *argument)
{
    make_calls((unsigned)(uintptr_t)argument);
}

static void hostile(unsigned task)
{
    make_calls(task / PROCESS_TASKS);
}

static void undisturbed_job(unsigned task)
{
    (void)task;
    undisturbed++;
#if TAKT_JOBS
    CHECK_EQUAL(CALL0(job_release_ns), TAKT_MS(10) * (undisturbed - 1));
#endif
}

/* Time passes in calls too, and interrupts come where the lock is open there. */
void __real_takt_port_leave(uint32_t entered);
void __wrap_takt_port_leave(uint32_t entered);

void __wrap_takt_port_leave(uint32_t entered)
{
    __real_takt_port_leave(entered);
    if (takt_host_in_trap() && draw(4) == 0) {
        takt_work(draw(40000));
    }
}

/* An interrupt that does to tasks what it may, whether they are in a call or not. */
static void meddle(void)
{
    struct takt_task *task = &world.tasks[draw(2 * PROCESS_TASKS)];
    switch (draw(6)) {
    case 0:
        takt_task_suspend(task);
        break;
    case 1:
        if (draw(4) == 0) {
            takt_task_stop(task);
        }
        break;
    case 2:
        (void)takt_semaphore_post(&world.semaphore);
        break;
    case 3:
        takt_events_set(&world.events, 1 + draw(15));
        break;
    default:
        takt_task_resume(task);
        break;
    }
}

static void meddle_from_now_on(void)
{
    takt_port_irq_attach(MEDDLES, meddle, true);
    takt_host_interrupt_every(MEDDLES, TAKT_US(300), TAKT_US(170));
}

/* Sometimes starts a process that another has stopped. */
static void start_stopped(void)
{
#if TAKT_PROCESS_START
    if (draw(4) == 0) {
        (void)!takt_process_start(&world.processes[draw(2)]); /* unless it runs */
    }
#endif
}

/* Ends every wait without a timeout. In a task of the kernel's, which calls it directly. */
static void let_go(void)
{
    for (unsigned task = 0; task < 2 * PROCESS_TASKS; task++) {
        takt_task_resume(&world.tasks[task]);
        if (world.processes[task / PROCESS_TASKS].state == TAKTI_PROCESS_RUNS) {
            (void)!takt_task_start(&world.tasks[task], world.tasks[task].config); /* unless it runs */
        }
    }
    for (unsigned process = 0; process < 2; process++) {
        for (unsigned place = 0; place < PLACES; place++) {
            if (!takt_task_stopped(&world.threads[process][place].task)) {
                takt_task_resume(&world.threads[process][place].task);
            }
        }
    }
    takt_mutex_delete(&world.mutex);
    takt_mutex_delete(&world.own_mutex);
    takt_ceiling_delete(&world.ceiling);
    takt_semaphore_delete(&world.semaphore);
    takt_condition_delete(&world.condition);
    takt_events_delete(&world.events);
    takt_mailbox_delete(&world.mailbox);
    takt_priority_mailbox_delete(&world.priority_mailbox);
    takt_pipe_delete(&world.pipe);
    takt_rendezvous_delete(&world.rendezvous);
    takt_rendezvous_delete(&world.exchange);
    takt_pool_delete(&world.pool);
    struct takt_task *const *const waiters[] = {&world.slot.receivers, &world.slot.senders}; /* it is not deleted */
    for (unsigned tasks = 0; tasks < 4 * PROCESS_TASKS; tasks++) {
        struct takt_task *waiter = *waiters[tasks % 2];
        if (waiter != NULL) {
            (void)!takt_task_cancel(waiter);
        }
    }
    for (unsigned queue = 0; queue < 2; queue++) {
        bool waits = world.queues[queue].waiter != NULL; /* otherwise it would stay in the queue for ever */
        struct takt_signal *signal = waits ? takt_signal_allocate(&world.signals, draw(8)) : NULL;
        if (signal != NULL) {
            takt_signal_send(&signal, &world.queues[queue]);
        }
    }
}

/* One that returns and has not succeeded so far, or TAKTI_CALL_COUNT. */
static unsigned never_succeeded(void)
{
    for (unsigned number = 0; number < TAKTI_CALL_COUNT; number++) {
        if (succeeds[number] == 0) {
            return number;
        }
    }
    return TAKTI_CALL_COUNT;
}

/* A rare one may need more calls than others: which are drawn depends on where this program lies in memory. */
static void prolong(void)
{
    if (calls_max - calls < CASES / 4 && calls_max >= CASES && calls_max < CALLS_MOST &&
        never_succeeded() < TAKTI_CALL_COUNT) {
        calls_max += CASES / 4;
    }
}

static void mind(void *argument)
{
    (void)argument;
    uint32_t faults = 0;
    meddle_from_now_on();
    while (calls < calls_max) {
        takt_delay(TAKT_MS(2));
        start_stopped();
        if (calls == calls_noticed) {
            let_go();
        }
        calls_noticed = calls;
        prolong();
        faults = takt_process_faults.count;
    }
    refused = faults;
    finished = true;
    takt_host_interrupt_every(MEDDLES, UINT64_MAX, 0);
    check_memory();
    check_kernel();
    takt_delay_until(TAKT_FOREVER);
}

int main(void)
{
    seed = check_seed();
    calls_max = check_cases(CASES);
    for (unsigned number = 0; number < TAKTI_CALL_COUNT; number++) {
        succeeds[number] = takti_call_table[number] == NULL;
    }
    succeeds[TAKTI_CALL_fault_raise] = succeeds[TAKTI_CALL_thread_exit] = 1;
    world_new(UINT8_MAX);
    if (seed % 2 != 0) {
        world_fifo();
    }
    world.process_configs[1].mutexes_inherit = true;
    for (unsigned task = 0; task < 2 * PROCESS_TASKS; task++) {
        world.work[task] = hostile;
    }
    world.work[2 * PROCESS_TASKS] = undisturbed_job;
    world_promote(2 * PROCESS_TASKS, 1);
    world_kernel_task(2 * PROCESS_TASKS + BACKGROUND, mind);
    world_run(3000 * 1000);
    CHECK(finished);
    CHECK_EQUAL(world.processes[2].restarts, 0);
#if TAKT_JOBS
    CHECK_EQUAL(undisturbed, 300 * 1000);
#endif
    printf("%lu calls, %lu faults of their processes\n", calls, refused);
    CHECK(calls - refused >= calls * 3 / 10);
    if (calls_max >= CASES && never_succeeded() < TAKTI_CALL_COUNT) {
        printf("call %u never succeeded\n", never_succeeded());
        check_failed();
    }
    return 0;
}
