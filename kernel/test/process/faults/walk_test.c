/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk over the kernel's state finds each kind of damage to processes: one that has taken all that there is to
 * take, one that is made anew, and one field after the other changed, looked at, and put back.
 */
#include "kernel/test/support/notes.h"
#include "kernel/test/support/world.h"

#include <string.h>

#include "kernel/observe/invariants.h"
#include "kernel/process/restart.h"

enum { PLACE_FIRST = WORLD_PLACES };

static unsigned found, wrong;
static const struct takt_known_objects all = {.all = UINT16_MAX};

/* What has no handle: of the kernel's own. */
static struct takti_call timer_call;
static struct takt_task spare;
static const struct takt_known given[] = {{&timer_call, TAKT_KNOWN_TIMER_CALL}, {&spare, TAKT_KNOWN_TASK}};
static const struct takt_known_objects more = {given, sizeof given / sizeof given[0], UINT16_MAX};

static void expect_at(const char *what, unsigned line)
{
    struct takt_broken broken = takt_kernel_broken(&all);
    const char *broken_text = broken.what == NULL ? "nothing" : broken.what;
    if (strcmp(broken_text, what) != 0) {
        printf("line %u: found    %s\n    expected %s\n", line, broken_text, what);
        wrong++;
    }
    found++;
}

#define BREAKS(place, value, what)       \
    do {                                 \
        __typeof__(place) was = (place); \
        (place) = (value);               \
        expect_at(what, __LINE__);       \
        (place) = was;                   \
    } while (0)

static void *memory_of_a(void)
{
    return (uint8_t *)world_buffer(0) + 64;
}

/* Threads: the first waits, the second ends at once. */
static void thread_entry(void *argument)
{
    if (argument != NULL) {
        sleep_to(1000);
    }
}

static void create_thread(void *argument)
{
    struct takt_thread_attributes *attributes = (void *)((uint8_t *)memory_of_a() + 16);
    *attributes = (struct takt_thread_attributes){
        .entry = thread_entry, .argument = argument, .stack_size = 256, .level = 3 + TASKS};
    CHECK_EQUAL(CALL2(thread_create, memory_of_a(), attributes), TAKT_OK);
}

/* Process a takes something of everything. */
static void take_all(unsigned task)
{
    (void)task;
    struct takt_mailbox_attributes *attributes = (void *)((uint8_t *)memory_of_a() + 8);
    create_thread(memory_of_a());
    create_thread(NULL);
    (void)CALL1(mutex_create, memory_of_a());
    (void)CALL1(condition_create, memory_of_a());
    *attributes = (struct takt_mailbox_attributes){MESSAGE, 2};
    (void)CALL2(mailbox_create, memory_of_a(), attributes);
    (void)CALL2(pipe_create, memory_of_a(), TAKT_PIPE_CAPACITY_MIN);
    struct takt_alarm_attributes *alarm = (void *)((uint8_t *)memory_of_a() + 8);
    *alarm = (struct takt_alarm_attributes){(void *)world_handle(SPORADIC), TAKT_MS(500)};
    CHECK_EQUAL(CALL2(alarm_create, memory_of_a(), alarm), TAKT_OK);
    CHECK_EQUAL(CALL2(alarm_start, world_handle(PLACE_FIRST + PLACE_ALARM), TAKT_MS(700)), TAKT_OK);
    (void)CALL1(shared_attach, world_handle(WORLD_SHARED));
    (void)CALL1(device_map, world_handle(WORLD_DEVICE));
    note(CALL1(irq_attach, world_handle(WORLD_INTERRUPT)));
    (void)CALL1(thread_join, world_handle(PLACE_FIRST));
}

static void acknowledge(unsigned task)
{
    (void)task;
    (void)CALL1(irq_ack, world_handle(WORLD_INTERRUPT));
    sleep_to(1000);
}

/* Process b ends in a section, and is made anew while the kernel is looked at. */
static void end_in_section(unsigned task)
{
    (void)task;
    (void)CALL1(mutex_lock, world_handle(WORLD_MUTEX));
    sleep_to(4);
    fault();
}

static void break_handles(void)
{
    struct takt_object *objects = world.objects;
    BREAKS(objects[WORLD_MUTEX].object, NULL, "a handle leads to an object");
    BREAKS(objects[WORLD_MUTEX].object, (uint8_t *)&world.mutex + 1, "a handle leads to an object");
    BREAKS(objects[WORLD_MUTEX].kind, TAKT_OBJECT_NONE, "an object has a valid kind");
    BREAKS(objects[WORLD_MUTEX].kind, TAKT_OBJECT_SLOT + 1, "an object has a valid kind");
    BREAKS(objects[WORLD_MUTEX].kind, TAKT_OBJECT_TASK, "a task that is in no quota is in the table");
    BREAKS(objects[WORLD_MUTEX].kind, TAKT_OBJECT_MUTEX | TAKT_OBJECT_FREE, "a declared object is never freed");
    BREAKS(objects[WORLD_MUTEX].generation, 2, "a declared object is never freed");
    BREAKS(objects[PLACE_FIRST].generation, 0, "no handle is 0");
    BREAKS(objects[1].object, &world.tasks[2], "the first handles are those of the tasks");
    BREAKS(objects[1].kind, TAKT_OBJECT_MUTEX, "the first handles are those of the tasks");
    BREAKS(objects[WORLD_MUTEX].owner, PROCESSES, "an object belongs to one process or is shared");
    BREAKS(objects[PLACE_FIRST].owner, 1, "a slot of a quota belongs to its process");
    BREAKS(*world.queues[1].stored, 1, "a queue counts its signals");
    BREAKS(world.queues[1].waiter, &world.tasks[A], "only its owner waits for signals");
    BREAKS(world.queues[1].end, (struct takt_signal **)&objects[0].object,
           "the last signal in a queue is followed by none");
    BREAKS(objects[PLACE_FIRST].kind, TAKT_OBJECT_WATCHDOG, "a slot of a quota belongs to its process");
    BREAKS(world.slot.receivers, &world.tasks[A], "only its owner waits for messages in a slot");
    BREAKS(world.slot.in_process->stored, 1, "a slot counts its messages");
    unsigned process = WORLD_PROCESS_A - takti_kernel.system->task_count;
    CHECK(takti_walk_handle(process).kind == TAKT_KNOWN_KINDS); /* it is walked elsewhere */
}

static void break_state(void)
{
    struct takt_process *a = &world.processes[0];
    struct takt_process *b = &world.processes[1];
    CHECK(a->state == TAKTI_PROCESS_RUNS && b->state == TAKTI_PROCESS_RESTARTS);
    BREAKS(a->config, b->config, "a process has its declared configuration");
    BREAKS(a->rights, b->rights, "a process has its declared configuration");
    BREAKS(a->memory_base, a->memory_base - 1, "a process has its declared configuration");
    BREAKS(a->memory_size, a->memory_size + 1, "a process has its declared configuration");
    BREAKS(a->region_count, 2, "a process has its declared configuration");
    BREAKS(a->region_count, TAKT_PROCESS_REGIONS + 1, "a process has its declared configuration");
    BREAKS(a->state, TAKTI_PROCESS_ENDING + 1, "a process has a valid state");
    BREAKS(a->state, TAKTI_PROCESS_STOPPED, "the tasks of a process end with it");
    BREAKS(a->state, TAKTI_PROCESS_RESTARTS, "the next restart step matches the process's state");
    BREAKS(a->state, TAKTI_PROCESS_ENDING, "tasks end with their process");
    BREAKS(a->phase, TAKTI_PHASE_MEMORY, "the next restart step matches the process's state");
    BREAKS(a->phase, TAKTI_PHASE_OTHERS, "a process that ends or restarts has its next step armed");
    BREAKS(a->phase, TAKTI_PHASE_WATCHDOGS + 1 + TAKT_PROCESS_CONSTRUCTS,
           "the next restart step matches the process's state");
    BREAKS(b->phase, TAKTI_PHASE_TASKS, "the next restart step matches the process's state");
    BREAKS(b->state, TAKTI_PROCESS_RUNS, "the next restart step matches the process's state");
    uint8_t state = b->state;
    b->state = TAKTI_PROCESS_RUNS;
    BREAKS(b->phase, TAKTI_PHASE_NONE, "only a process that ends or restarts has a restart step armed");
    b->state = TAKTI_PROCESS_ENDING;
    BREAKS(b->phase, TAKTI_PHASE_NONE, "the next restart step matches the process's state");
    BREAKS(b->phase, TAKTI_PHASE_REGIONS + 1, "the next restart step matches the process's state");
    b->state = state;
    a->state = TAKTI_PROCESS_ENDING;
    BREAKS(world.tasks[0].timer.flags, world.tasks[0].timer.flags | TAKTI_FLAG_ENDING, "a task that ends does not run");
    a->state = TAKTI_PROCESS_RUNS;
    BREAKS(b->made, MEMORY + 1, "no more memory is initialized than the process has");
    BREAKS(b->restarts, 3, "a process restarts no more often than it may");
    BREAKS(b->quota.memory_used, TAKT_GRANULE, "a process that does not run uses none of its quota");
    BREAKS(b->quota.buffers_used, 8, "a process that does not run uses none of its quota");
    BREAKS(world.objects[PLACE_FIRST + PROCESS_PLACES + PLACE_EVENTS].kind, TAKT_OBJECT_EVENTS,
           "a process that does not run has created nothing");
    struct takt_task_config *config = (struct takt_task_config *)(uintptr_t)world.tasks[0].config;
    BREAKS(config->process, b, "a task belongs to the process that lists it");
}

static void break_regions(void)
{
    struct takt_process *a = &world.processes[0];
    struct takt_region *shared = &a->regions[3];
    CHECK_EQUAL(a->region_count, 5);
    BREAKS(a->regions[1].base, 64, "a process has the regions of its declaration");
    BREAKS(a->regions[2].size, 64, "a process has the regions of its declaration");
    BREAKS(a->regions[0].access, TAKT_ACCESS_WRITE, "a process has the regions of its declaration");
    BREAKS(a->regions[2].device, 1, "a process has the regions of its declaration");
    BREAKS(shared->size, 32, "a process attached what it may use");
    BREAKS(shared->access, TAKT_ACCESS_READ, "a process attached what it may use");
    BREAKS(world.rights[0][WORLD_SHARED], TAKT_RIGHT_GIVE, "a process attached what it may use");
    BREAKS(world.rights[0][WORLD_DEVICE], 0, "a process attached what it may use");
    BREAKS(world.rights[0][WORLD_SHARED], TAKT_RIGHT_USE, "a process attached what it may use");
    BREAKS(a->regions[4], *shared, "a process attaches memory once");
    BREAKS(world.shared.users, 0, "shared memory counts the processes that attached it");
    BREAKS(world.shared.users, 2, "shared memory counts the processes that attached it");
    BREAKS(a->region_count, 3, "shared memory counts the processes that attached it");
}

static void break_interrupts(void)
{
    struct takt_process *a = &world.processes[0];
    struct takt_process_interrupt *interrupt = &world.interrupt;
    CHECK(a->acknowledged == interrupt);
    BREAKS(interrupt->attached, UINT8_MAX, "a process's list of interrupts consists of its own");
    BREAKS(interrupt->acknowledged, false, "a process's list of interrupts consists of its own");
    BREAKS(a->acknowledged, (struct takt_process_interrupt *)((uintptr_t)interrupt + 1),
           "a process's list of interrupts consists of its own");
    BREAKS(interrupt->next, interrupt, "a process's list of interrupts is finite");
    BREAKS(a->acknowledged, NULL, "a process knows what it has acknowledged");
    BREAKS(world.rights[0][WORLD_INTERRUPT], TAKT_RIGHT_GIVE, "an interrupt belongs to a process with the right to it");
    a->acknowledged = NULL;
    BREAKS(interrupt->attached, UINT8_MAX, "an interrupt without a process is not acknowledged");
    BREAKS(interrupt->attached, PROCESSES, "an attached interrupt names an existing process");
    interrupt->acknowledged = false;
    BREAKS(interrupt->attached, 1, "an interrupt belongs to a running process");
    interrupt->acknowledged = true;
    a->acknowledged = interrupt;
}

static void break_quota(void)
{
    struct takt_process *a = &world.processes[0];
    struct takt_quota *quota = &a->quota;
    const char *declared = "a quota has its declared size";
    BREAKS(quota->memory, quota->memory + TAKT_GRANULE, declared);
    BREAKS(quota->memory_size, QUOTA + 1, declared);
    BREAKS(quota->buffers, quota->buffers + 8, declared);
    BREAKS(quota->buffers_size, BUFFERS + 1, declared);
    BREAKS(quota->slots, quota->slots + 1, declared);
    BREAKS(quota->slot_count, 1, declared);
    BREAKS(quota->thread_level, 0, declared);
    BREAKS(quota->memory_used, QUOTA + TAKT_GRANULE, "a process uses whole granules, within its quota");
    BREAKS(quota->memory_used, 512 + 1, "a process uses whole granules, within its quota");
    BREAKS(quota->memory_used, 512 - TAKT_GRANULE, "a thread's stack lies in its process's memory");
    BREAKS(quota->buffers_used, BUFFERS + 8, "a process's buffers fit into its buffer memory");
    BREAKS(quota->buffers_used, 33, "a process's buffers fit into its buffer memory");
    BREAKS(quota->buffers_used, 24, "a buffer lies in its process's memory");
    BREAKS(world.created[0].mailbox.mailbox.storage, NULL, "a created object keeps its data in its buffer");
    BREAKS(world.created[0].mailbox.buffer.size, 8, "a created object keeps its data in its buffer");
    BREAKS(world.created[0].pipe.pipe.storage, NULL, "a created object keeps its data in its buffer");
    BREAKS(world.created[0].pipe.buffer.size, 8, "a created object keeps its data in its buffer");
    BREAKS(world.created[0].mailbox.buffer.size, 24, "stacks and buffers do not overlap");
    BREAKS(world.created[0].events.waiters, &world.tasks[0], "no task waits for a deleted object");
    BREAKS(world.created[1].semaphore.waiters, &world.tasks[0], "no task waits for a deleted object");
    BREAKS(world.created[1].mailbox.mailbox.senders, &world.tasks[0], "no task waits for a deleted object");
    BREAKS(world.created[1].mailbox.mailbox.receivers, &world.tasks[0], "no task waits for a deleted object");
    BREAKS(world.created[1].pipe.pipe.waiters[0], &world.tasks[0], "no task waits for a deleted object");
    BREAKS(world.created[1].pipe.pipe.waiters[1], &world.tasks[0], "no task waits for a deleted object");
    BREAKS(world.created[1].condition.waiting.waiters, &world.tasks[0], "no task waits for a deleted object");
    BREAKS(world.created[1].condition.waits, (void *)&world.tasks[0], "no task waits for a deleted object");
}

static void break_alarms(void)
{
    struct takt_created_alarm *alarm = &world.created[0].alarm;
    struct takt_created_alarm *deleted = &world.created[1].alarm;
    CHECK(alarm->alarm.started && !deleted->alarm.started);
    const char *often = "an alarm of a process expires no more often than is declared";
    const char *releases = "an alarm of a process releases a sporadic task";
    BREAKS(*world.processes[0].quota.alarms_apart_ns, world.process_configs[1].alarms_apart_ns,
           "a quota has its declared size");
    BREAKS(deleted->alarm.started, true, "a deleted alarm is stopped");
    BREAKS(deleted->alarm.call.timer.armed, 1, "a deleted alarm is stopped");
    BREAKS(alarm->alarm.started, false, "an alarm that expires was started");
    BREAKS(alarm->alarm.in_process->earliest_ns, TAKT_MS(700) + 1, "an alarm expires no sooner than it may");
    BREAKS(alarm->alarm.in_process->distance_ns, TAKT_MS(ALARMS_APART_MS) - 1, often);
    BREAKS(alarm->alarm.period_ns, TAKT_MS(ALARMS_APART_MS) - 1, often);
    BREAKS(alarm->task, &world.tasks[PERIODIC], releases);
    BREAKS(alarm->task, NULL, releases);
}

static void break_threads(void)
{
    struct takt_thread *waits = &world.threads[0][0];
    struct takt_thread *ended = &world.threads[0][1];
    struct takt_task_config another = waits->config;
    CHECK(waits->joiners != NULL && ended->task.timer.state == TAKTI_DORMANT);
    BREAKS(ended->config.stack, (uint8_t *)ended->config.stack + 8, "a thread's stack lies in its process's memory");
    BREAKS(ended->config.stack, (uint8_t *)waits->config.stack + 8, "a thread's stack lies in its process's memory");
    BREAKS(waits->config.stack_size, 288, "stacks and buffers do not overlap");
    BREAKS(ended->config.stack, NULL, "a thread has a stack");
    BREAKS(waits->slot, ended->slot, "a thread knows its slot");
    BREAKS(ended->config.process, &world.processes[1], "a thread belongs to its process");
    BREAKS(ended->config.index, 0, "a thread belongs to its process");
    uint16_t index = ended->index;
    ended->config.index = 0;
    BREAKS(ended->index, 0, "a thread belongs to its process");
    ended->config.index = index;
    BREAKS(ended->state, 1, "a thread that ended and is not to be joined is gone");
    BREAKS(ended->state, 2, "a thread that ended and is not to be joined is gone");
    BREAKS(waits->slot->kind, TAKT_OBJECT_TASK | TAKT_OBJECT_FREE, "the slot of a thread that has not ended is in use");
    BREAKS(waits->task.config, &another, "a thread has its own configuration");
    BREAKS(waits->joiners, NULL, "a blocked task is in the queue that it waits in");
    struct takt_task *joiner = waits->joiners;
    waits->joiners = NULL;
    joiner->wait_queue = &ended->joiners;
    BREAKS(ended->joiners, joiner, "no task waits for a thread that has ended");
    joiner->wait_queue = &waits->joiners;
    waits->joiners = joiner;
}

static void break_owners(void)
{
    struct takt_task *task = &world.tasks[PERIODIC];
    CHECK(world.mutex.owner == &takti_kernel.idle);
    BREAKS(*world.mutex.broken_by, PROCESSES, "a process leaves a mutex broken");
    BREAKS(*world.mutex.broken_by, 0, "a mutex is broken until the process runs again");
    BREAKS(world.ceiling.mutex.owner, &takti_kernel.idle, "a mutex is broken until the process runs again");
    BREAKS(world.own_mutex.owner, task, "the count of a task's mutexes is the number that it owns");
    BREAKS(world.ceiling.mutex.owner, task, "the count of a task's mutexes is the number that it owns");
    BREAKS(world.created[1].mutexes[0].owner, task, "the count of a task's mutexes is the number that it owns");
    BREAKS(task->in_process->serving.owner, task, "the count of a task's mutexes is the number that it owns");
    BREAKS(task->in_process->serving.owner, &world.tasks[B], "a task serves its calls itself");
    BREAKS(world.threads[0][0].task.in_process->serving.waiters, task, "no task waits for a free mutex");
    BREAKS(world.semaphore.count, 5, "a semaphore counts to its maximum");
    BREAKS(world.alarm.call.timer.armed, 1, "every timer that is armed is expected");
    BREAKS(world.watchdog.call.timer.armed, 1, "every timer that is armed is expected");
    BREAKS(world.mailbox.capacity, 0, "a mailbox has buffers");
    BREAKS(world.priority_mailbox.buffers.bytes, 0, "a buffer has the size of one message");
    BREAKS(world.pipe.capacity, 0, "a pipe has room");
    BREAKS(world.created[0].pipe.pipe.possible[0], 1, "the room of a pipe is its capacity less its bytes");
    BREAKS(world.condition.waits, (void *)&world.tasks[0], "a waiter for a signal is a task");
    BREAKS(world.events.waiters, task, "a task in a wait queue waits in that queue");
    BREAKS(world.rendezvous.callers, task, "a task in a wait queue waits in that queue");
}

static unsigned came;

/* As in the timer's interrupt between the end of a piece's timer and the piece: nothing is expected yet. */
static void comes(struct takti_call *call)
{
    struct takt_timer *timer = &world.processes[1].restart_call.timer;
    (void)call;
    uint32_t lock = takt_port_enter();
    uint64_t at_ns = timer->at_ns;
    CHECK(timer->armed != 0);
    takti_timer_cancel(timer);
    CHECK(takti_kernel_broken(&more).what == NULL);
    takti_timer_arm(timer, at_ns);
    takt_port_leave(lock);
    came++;
}

/* Besides what has a handle the caller gives what has none. */
static void give_more(void)
{
    const char *unknown = TAKTI_OPTIMIZE_SIZE ? "the list of expiries consists of timers"
                                              : "chains of the sorted timer queue consist of timers";
    struct takt_task **waiters = &world.events.waiters;
    const char *queue = "a queue of waiters consists of tasks";
    CHECK(takt_kernel_broken(&more).what == NULL);
    takti_call_at(&timer_call, TAKT_MS(800), comes);
    CHECK(takt_kernel_broken(&more).what == NULL);
    CHECK_TEXT(takt_kernel_broken(&all).what, unknown);
    *waiters = (void *)&timer_call; /* known, but no task */
    CHECK_TEXT(takt_kernel_broken(&more).what, queue);
    *waiters = (void *)&world.processes[0].restart_call;
    CHECK_TEXT(takt_kernel_broken(&more).what, queue);
    *waiters = (void *)((uintptr_t)&world.processes[0].restart_call + sizeof(void *));
    CHECK_TEXT(takt_kernel_broken(&more).what, queue);
    *waiters = &spare;
    CHECK_TEXT(takt_kernel_broken(&more).what, "a task in a wait queue waits in that queue");
    *waiters = NULL;
}

static void look(void *argument)
{
    (void)argument;
    for (unsigned ms = 5; ms < 30 && world.processes[1].state != TAKTI_PROCESS_RESTARTS; ms++) {
        expect_at("nothing", __LINE__); /* whatever the piece */
        takt_delay_until(TAKT_MS(ms));
    }
    expect_at("nothing", __LINE__);
    break_handles();
    break_state();
    break_regions();
    break_interrupts();
    break_quota();
    break_alarms();
    break_threads();
    break_owners();
    expect_at("nothing", __LINE__);
    give_more();
    takti_call_at(&timer_call, takt_now() + 1, comes);
    takt_delay_until(TAKT_FOREVER);
}

int main(void)
{
    fresh(2);
    world.work[A + BACKGROUND] = take_all;
    world.work[A + SPORADIC] = acknowledge;
    world.work[B + PERIODIC] = end_in_section;
    world_kernel_task(C + BACKGROUND, look);
    world_run(40);
    CHECK(result_count == 1 && results[0] == TAKT_OK);
    printf("%u kinds of damage\n", found);
    CHECK(found > 100 && wrong == 0 && came == 1);
    return 0;
}
