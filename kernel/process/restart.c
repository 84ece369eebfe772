/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a process ends and restarts: in bounded steps from the timer interrupt, so that a task is delayed by at most one
 * step at a time. At the fault each of its tasks is suspended for good. Before any task runs, the mutexes that others
 * wait for are given up, so that no waiter waits while a task below it executes; a later one gets its status when it
 * locks (takti_mutex_broken). Every other step comes STEP_NS or more after the one before, of whichever process,
 * however many end at once. A process that would restart before its next fault may come waits with a timer of its own,
 * so that steps of others come meanwhile. The proof counts all of it (tools/takt/prove/budgets.py).
 */
#include "kernel/process/restart.h"

#include "kernel/process/quota.h"
#include "kernel/sync/mutex.h"

#include <string.h>

enum { PIECE = 1024 }; /* bytes, a multiple of 4 */
#define STEP_NS TAKT_MS(1)
#define REGIONS_NS TAKT_MS(2)  /* before that of TAKTI_PHASE_REGIONS, if the process has others than declared */
#define START_NS (2 * STEP_NS) /* from the end of TAKTI_PHASE_WAIT to the first task, at least: two steps */

static uint64_t last_ns; /* the last step, but of _MUTEXES and _WAIT; owner: the kernel, under its lock */

/* Makes what lies at `from` ... `to` of a process's memory as at the start: data, then zeros; and the quota's zeros. */
static void memory_make(const struct takt_process *process, uint32_t from, uint32_t to)
{
    const struct takt_process_config *config = process->config;
    uint8_t *memory = (uint8_t *)process->memory_base;
    uint32_t data = config->data_size;
    uint32_t zeros = data + config->zero_size;
    uint32_t quota = process->memory_size - config->quota_size;
    if (from < data) {
        memcpy(memory + from, (const uint8_t *)config->data_load + from, (to < data ? to : data) - from);
    }
    uint32_t begin = from > data ? from : data;
    if (to > begin && begin < zeros) {
        memset(memory + begin, 0, (to < zeros ? to : zeros) - begin);
    }
    begin = from > quota ? from : quota;
    if (to > begin) {
        memset(memory + begin, 0, to - begin);
    }
}

void takti_process_regions(struct takt_process *process)
{
    const struct takt_process_config *config = process->config;
    memcpy(process->regions, config->regions, config->region_count * sizeof config->regions[0]);
    process->region_count = config->region_count;
    bool made = takt_port_map_make(&process->map, process->regions, process->region_count);
    TAKT_ASSERT(made); /* the generator placed them so */
    (void)made;
}

void takti_process_make(struct takt_process *process)
{
    const struct takt_system *system = takti_kernel.system;
    last_ns = 0;
    process->restart_call.function = takti_process_step;
    takti_process_regions(process);
    memory_make(process, 0, process->memory_size);
    for (unsigned place = 0; place < system->object_count; place++) {
        if (takti_process_owns(process, &system->objects[place], TAKT_OBJECT_INTERRUPT)) {
            takti_process_attach(process, system->objects[place].object);
        }
    }
}

/* Its tasks, then the threads that there are, by number; NULL: that place has none. */
static unsigned task_count(const struct takt_process *process)
{
    return (unsigned)process->config->task_count + process->config->place_count;
}

static struct takt_task *task_at(const struct takt_process *process, unsigned number)
{
    const struct takt_system *system = takti_kernel.system;
    const struct takt_process_config *config = process->config;
    if (number < config->task_count) {
        return &system->tasks[config->tasks[number]];
    }
    const struct takt_object *place = &system->objects[config->place_first + number - config->task_count];
    return place->kind == TAKT_OBJECT_TASK ? place->object : NULL;
}

/* A task does nothing more: it is held, or will be when its wait is over, and nobody resumes it. */
static void task_hold(struct takt_task *task, uint64_t now_ns)
{
    unsigned state = task->timer.state;
    if (TAKTI_HAS_JOBS(task->config)) {
        takti_job_fail(task, now_ns);
    }
    takti_trace(TAKT_EVENT_STOP, task, TAKT_TRACE_NO_OBJECT, 0); /* for whoever reads that it is stopped from here on */
    task->timer.flags |= TAKTI_FLAG_ENDS;
    takti_budget_ends(task);
    if (state == TAKTI_READY) {
        task->timer.state = TAKTI_SUSPENDED;
        takti_ready_remove(&takti_kernel.ready, task);
    } else if (state != TAKTI_SUSPENDED) {
        task->timer.flags |= TAKTI_FLAG_SUSPENDED;
        if (!TAKT_SINGLE_PATH && state == TAKTI_BLOCKED_DELAY) {
            task->timer.state = TAKTI_BLOCKED; /* in no queue */
            task->wait_queue = NULL;
        }
    }
}

static void phase_begin(struct takt_process *process, unsigned phase)
{
    process->phase = (uint8_t)phase;
    process->at = 0;
}

/* What others wait for, of the tasks from process->at on; or NULL. For what the process created only its own do, which
 * run no more. O(tasks + mutexes that they hold). */
static struct takt_mutex *contended_next(struct takt_process *process)
{
    for (; process->at < task_count(process); process->at++) {
        const struct takt_task *task = task_at(process, process->at);
        if (task != NULL && task->timer.state != TAKTI_DORMANT) {
            struct takt_mutex *mutex = task->timer.contended;
            while (mutex != NULL && mutex->created) {
                mutex = mutex->next_contended;
            }
            if (mutex != NULL) {
                return mutex;
            }
        }
    }
    return NULL;
}

/* When a process that has to wait goes on; 0: it need not. */
static uint64_t wait_ends_ns(const struct takt_process *process, uint64_t now_ns)
{
    uint64_t start_ns = takt_add(process->faulted_ns, process->config->faults_apart_ns);
    return start_ns > takt_add(now_ns, START_NS) ? start_ns - START_NS : 0;
}

/* When the next step comes. */
static void step_arm(struct takt_process *process, uint64_t now_ns)
{
    uint64_t at_ns = now_ns; /* for a mutex that others wait for */
    if (process->phase == TAKTI_PHASE_WAIT) {
        at_ns = wait_ends_ns(process, now_ns);
        if (at_ns == 0) {
            phase_begin(process, TAKTI_PHASE_BROKEN);
        }
    }
    if (process->phase != TAKTI_PHASE_MUTEXES && process->phase != TAKTI_PHASE_WAIT) {
        bool regions = process->phase == TAKTI_PHASE_REGIONS && takti_process_has_attached(process);
        uint64_t apart_ns = regions ? REGIONS_NS : STEP_NS;
        at_ns = takt_add(now_ns > last_ns ? now_ns : last_ns, apart_ns);
        last_ns = at_ns;
    }
    takti_timer_cancel(&process->restart_call.timer);
    takti_call_arm(&process->restart_call, at_ns);
}

/* The mutexes that others wait for come first, if there are any. */
static void phase_mutexes(struct takt_process *process)
{
    if (contended_next(process) == NULL) {
        phase_begin(process, TAKTI_PHASE_TASKS);
    }
}

void takti_process_end(struct takt_process *process)
{
    const struct takt_process_config *config = process->config;
    uint64_t now_ns = takti_clock_ns();
    for (unsigned number = 0; number < task_count(process); number++) {
        struct takt_task *task = task_at(process, number);
        if (task != NULL && task->timer.state != TAKTI_DORMANT) {
            task_hold(task, now_ns);
        }
    }
    process->again = config->on_fault == TAKT_ON_FAULT_RESTART &&
                     (config->restarts_max == UINT8_MAX || process->restarts < config->restarts_max);
    process->restarts += process->again && process->restarts < UINT8_MAX ? 1 : 0;
    process->state = TAKTI_PROCESS_ENDS;
    process->faulted_ns = now_ns;
    phase_begin(process, TAKTI_PHASE_MUTEXES);
    phase_mutexes(process);
    step_arm(process, now_ns);
}

/* A task is stopped, once it holds nothing. */
static unsigned task_end(struct takt_process *process, unsigned room)
{
    struct takt_task *task = task_at(process, process->at);
    if (task == NULL || task->timer.state == TAKTI_DORMANT) {
        process->at++;
        return TAKTI_WORK_LOOK;
    }
    if (task->held != NULL) {
        takti_held_give_up(task, task->held);
        return TAKTI_WORK_MUTEX;
    }
    if (room == TAKTI_WORK) {
        process->at++;
        (void)takti_take_back(task);
        takti_task_end(task);
    }
    return TAKTI_WORK;
}

/* The process has what it was declared with, and stays stopped or is made anew. */
static unsigned end(struct takt_process *process, unsigned room)
{
    if (takti_process_has_attached(process)) {
        if (room < TAKTI_WORK) {
            return TAKTI_WORK;
        }
        takti_process_regions(process);
        takt_port_map_changed();
    }
    process->acknowledged = NULL;
    process->made = 0;
    process->state = process->again ? TAKTI_PROCESS_RESTARTS : TAKTI_PROCESS_STOPPED;
    phase_begin(process, process->again ? TAKTI_PHASE_MEMORY : TAKTI_PHASE_NONE);
    return TAKTI_WORK_OBJECT;
}

/* One that its process has started meanwhile is left as it is. */
static unsigned task_start(struct takt_process *process, unsigned room)
{
    unsigned index = process->config->tasks[process->at];
    struct takt_task *task = &takti_kernel.system->tasks[index];
    const struct takt_task_config *config = &takti_kernel.system->configs[index];
    bool sporadic = config->release == TAKT_SPORADIC;
    if (sporadic != (process->phase == TAKTI_PHASE_SPORADIC) || task->timer.state != TAKTI_DORMANT) {
        process->at++;
        return TAKTI_WORK_LOOK;
    }
    if (room == TAKTI_WORK && task != takti_kernel.ready.running) { /* else its context is still to be saved */
        process->at++;
        takti_task_restart(task, config, takti_clock_ns());
    }
    return TAKTI_WORK;
}

/* How many a phase goes through. */
static unsigned phase_count(const struct takt_process *process)
{
    switch (process->phase) {
    case TAKTI_PHASE_TASKS:
        return task_count(process);
    case TAKTI_PHASE_PLACES:
        return process->config->place_count;
    case TAKTI_PHASE_SPORADIC:
    case TAKTI_PHASE_OTHERS:
        return process->config->task_count;
    case TAKTI_PHASE_REGIONS:
        return 1;
    default:
        return takti_kernel.system->object_count;
    }
}

/* A phase is over. */
static void phase_next(struct takt_process *process)
{
    if (process->phase == TAKTI_PHASE_PLACES) {
        process->quota.memory_used = 0;
        process->quota.buffers_used = 0;
    }
    phase_begin(process, process->phase == TAKTI_PHASE_WATCHDOGS ? TAKTI_PHASE_NONE : process->phase + 1u);
    if (process->phase == TAKTI_PHASE_SPORADIC) {
        process->state = TAKTI_PROCESS_RUNS;
        takti_trace(TAKT_EVENT_PROCESS, NULL, process->config->index, TAKTI_PROCESS_STARTED);
    }
}

/* Some of what is next; returns how much of `room` it took: all, if that needs a step of its own. */
static unsigned step(struct takt_process *process, unsigned room)
{
    if (process->at >= phase_count(process)) {
        phase_next(process);
        return TAKTI_WORK_LOOK;
    }
    switch (process->phase) {
    case TAKTI_PHASE_TASKS:
        return task_end(process, room);
    case TAKTI_PHASE_PLACES:
        takti_quota_handle_end(&process->quota.places[process->at++]);
        return TAKTI_WORK_OBJECT;
    case TAKTI_PHASE_REGIONS:
        return end(process, room);
    case TAKTI_PHASE_SPORADIC:
    case TAKTI_PHASE_OTHERS:
        return task_start(process, room);
    default:
        return takti_process_object(process, &takti_kernel.system->objects[process->at++], room);
    }
}

/* The next bytes of its memory; the lock is open meanwhile. */
static void memory_step(struct takt_process *process, uint32_t lock)
{
    uint32_t rest = process->memory_size - process->made;
    uint32_t to = process->made + (rest < PIECE ? rest : PIECE);
    takt_port_leave(lock);
    memory_make(process, process->made, to);
    process->made = to;
    (void)takt_port_enter();
    if (to == process->memory_size) {
        phase_next(process);
    }
}

static void step_make(struct takt_process *process, uint32_t lock)
{
    if (process->phase == TAKTI_PHASE_MUTEXES) {
        struct takt_mutex *mutex = contended_next(process);
        if (mutex != NULL) {
            takti_held_give_up(mutex->owner, mutex);
        }
        phase_mutexes(process);
    } else if (process->phase == TAKTI_PHASE_MEMORY) {
        memory_step(process, lock);
    } else if (process->phase != TAKTI_PHASE_WAIT) { /* of which step_arm sees the end */
        for (unsigned room = TAKTI_WORK;
             room > 0 && process->phase != TAKTI_PHASE_NONE && process->phase != TAKTI_PHASE_MEMORY;) {
            unsigned work = step(process, room);
            room -= work < room ? work : room;
        }
    }
}

/* In the timer's interrupt, unlocked. */
void takti_process_step(struct takti_call *call)
{
    struct takt_process *process = TAKTI_TIMER_OWNER(call, struct takt_process, restart_call);
    uint32_t lock = takt_port_enter();
    bool left = takti_kernel.ready.running->config->process != process; /* else a context is still to be saved */
    if (takti_timer_armed(&call->timer) || process->phase == TAKTI_PHASE_NONE) {
        takt_port_leave(lock); /* it faulted before the lock closed */
        return;
    }
    if (left || process->state == TAKTI_PROCESS_RUNS || process->phase == TAKTI_PHASE_MUTEXES) {
        step_make(process, lock);
    }
    if (process->phase != TAKTI_PHASE_NONE) {
        step_arm(process, takti_clock_ns());
    }
    (void)takti_reschedule(lock);
}
