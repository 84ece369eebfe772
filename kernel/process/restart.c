/* SPDX-License-Identifier: Apache-2.0 */
/*
 * End and restart of a process, in bounded steps from the timer interrupt. First its tasks are suspended permanently.
 * Then, before any task runs, its contended mutexes are given up, so that no waiter waits while a lower task executes;
 * a later lock returns the status at once (takti_mutex_broken). Every other step is at least TAKTI_RESTART_STEP_NS
 * after the previous one, of any process, so that a task is delayed by at most one step at a time, for any number of
 * processes that end. A process that would restart before its next fault is permitted waits, with a timer of its own,
 * so that steps of others are made meanwhile. The proof counts all of it (tools/takt/prove/budgets.py).
 */
#include "kernel/process/restart.h"

#include "kernel/core/processes.h"
#include "kernel/process/quota.h"
#include "kernel/sync/mutex.h"

#include <string.h>

/* Minimum time from the end of TAKTI_PHASE_WAIT to the first task: two steps. */
#define START_NS (2 * TAKTI_RESTART_STEP_NS)

static uint64_t last_ns; /* time of the last step, except of _MUTEXES and _WAIT; owner: the kernel, under its lock */

/* Initializes bytes `from` ... `to` of a process's memory: data, then zeros; and the zeros of the quota. */
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
    TAKT_ASSERT(made); /* ensured by the generator */
    (void)made;
}

void takti_process_make(struct takt_process *process)
{
    const struct takt_system *system = takti_kernel.system;
    last_ns = 0;
    process->restart_call.function = takti_process_step;
    takti_process_regions(process);
    if (takti_process_on_call(process)) {
        return; /* both are done when it is started */
    }
    memory_make(process, 0, process->memory_size);
    if (takti_process_constructs(process)) {
        return; /* interrupts come when it has started */
    }
    for (unsigned slot = 0; slot < system->object_count; slot++) {
        if (takti_process_owns(process, &system->objects[slot], TAKT_OBJECT_INTERRUPT)) {
            takti_process_attach(process, system->objects[slot].object);
        }
    }
}

/* Its tasks, then its threads, by number; NULL: that slot has none. */
static unsigned task_count(const struct takt_process *process)
{
    return (unsigned)process->config->task_count + process->config->slot_count;
}

static struct takt_task *task_at(const struct takt_process *process, unsigned number)
{
    const struct takt_system *system = takti_kernel.system;
    const struct takt_process_config *config = process->config;
    if (number < config->task_count) {
        return &system->tasks[config->tasks[number]];
    }
    const struct takt_object *slot = &system->objects[config->slot_first + number - config->task_count];
    return slot->kind == TAKT_OBJECT_TASK ? slot->object : NULL;
}

/* Suspends a task permanently, now or when its wait is over. */
static void task_hold(struct takt_task *task, uint64_t now_ns)
{
    unsigned state = task->timer.state;
    if (TAKTI_HAS_JOBS(task->config)) {
        takti_job_fail(task, now_ns);
    }
    takti_trace(TAKT_EVENT_STOP, task, TAKT_TRACE_NO_OBJECT, 0); /* the trace shows it as stopped from here on */
    task->timer.flags |= TAKTI_FLAG_ENDING;
    takti_budget_ends(task);
    if (state == TAKTI_READY) {
        task->timer.state = TAKTI_SUSPENDED;
        takti_ready_remove(task);
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
    process->within = 0;
}

/* A contended mutex of the tasks from process->at on; or NULL. Mutexes that the process created have only its own tasks
 * as waiters, which no longer run. O(tasks + mutexes that they hold). */
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

/* End of the wait of a process before its restart; 0: no wait. */
static uint64_t wait_ends_ns(const struct takt_process *process, uint64_t now_ns)
{
    if (TAKT_PROCESS_START && !process->ended) {
        return 0;
    }
    uint64_t start_ns = takt_add(process->faulted_ns, process->config->faults_apart_ns);
    return start_ns > takt_add(now_ns, START_NS) ? start_ns - START_NS : 0;
}

/* Arms the next step. */
static void step_arm(struct takt_process *process, uint64_t now_ns)
{
    uint64_t at_ns = now_ns; /* for a contended mutex */
    if (process->phase == TAKTI_PHASE_WAIT) {
        at_ns = wait_ends_ns(process, now_ns);
        if (at_ns == 0) {
            phase_begin(process, TAKTI_PHASE_BROKEN);
        }
    }
    if (process->phase != TAKTI_PHASE_MUTEXES && process->phase != TAKTI_PHASE_WAIT) {
        bool regions = process->phase == TAKTI_PHASE_REGIONS && takti_process_has_attached(process);
        uint64_t apart_ns = regions ? TAKTI_RESTART_REGIONS_NS : TAKTI_RESTART_STEP_NS;
        at_ns = takt_add(now_ns > last_ns ? now_ns : last_ns, apart_ns);
        last_ns = at_ns;
    }
    takti_timer_cancel(&process->restart_call.timer);
    takti_call_arm(&process->restart_call, at_ns);
}

/* Contended mutexes come first, if any. */
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
                     (config->restarts_max == TAKT_RESTARTS_UNLIMITED || process->restarts < config->restarts_max);
    process->restarts += process->again && process->restarts < UINT8_MAX ? 1 : 0;
    process->state = TAKTI_PROCESS_ENDING;
    process->faulted_ns = now_ns;
    if (TAKT_PROCESS_START) {
        process->ended = true;
    }
    phase_begin(process, TAKTI_PHASE_MUTEXES);
    phase_mutexes(process);
    step_arm(process, now_ns);
}

/* Stops a task, once it holds no mutex. */
static unsigned task_end(struct takt_process *process, unsigned room)
{
    struct takt_task *task = task_at(process, process->at);
    if (task == NULL || task->timer.state == TAKTI_DORMANT) {
        process->at++;
        return TAKTI_WORK_LOOK;
    }
    if (*task->held != NULL) {
        takti_held_give_up(task, *task->held);
        return TAKTI_WORK_MUTEX;
    }
    if (room == TAKTI_WORK) {
        process->at++;
        (void)takti_take_back(task);
        takti_task_end(task);
    }
    return TAKTI_WORK;
}

/* Restores the declared state of the process, which then stays stopped or restarts. */
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

/* A task that its process has started meanwhile is left unchanged. */
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

static bool is_constructing(const struct takt_process *process)
{
    return TAKT_PROCESS_CONSTRUCTS && process->phase == TAKTI_PHASE_CONSTRUCT;
}

/* Releases the task that runs the constructors, and then waits until its job is complete: a fault, or the end of its
 * budget, is one of the process. Its other tasks are stopped meanwhile. */
static unsigned construct(struct takt_process *process, unsigned room)
{
    unsigned index = process->config->tasks[*process->config->constructs - 1];
    struct takt_task *task = &takti_kernel.system->tasks[index];
    const struct takt_task_config *config = &takti_kernel.system->configs[index];
    if (process->at == 0 && room == TAKTI_WORK && task != takti_kernel.ready.running) {
        process->at++;
        takti_task_restart(task, config, takti_clock_ns());
        (void)takti_job_arrive(task); /* now, or at its least distance from the last one */
    } else if (process->at != 0 && (task->timer.flags & TAKTI_FLAG_ACTIVE) == 0 && config->arrivals->count == 0) {
        process->at++;
        return TAKTI_WORK_LOOK;
    }
    return TAKTI_WORK;
}

/* Number of items of a phase. */
static unsigned phase_count(const struct takt_process *process)
{
    if (is_constructing(process)) {
        return 2;
    }
    switch (process->phase) {
    case TAKTI_PHASE_TASKS:
        return task_count(process);
    case TAKTI_PHASE_SLOTS:
        return process->config->slot_count;
    case TAKTI_PHASE_SPORADIC:
    case TAKTI_PHASE_OTHERS:
        return process->config->task_count;
    case TAKTI_PHASE_REGIONS:
        return 1;
    default:
        return takti_kernel.system->object_count;
    }
}

/* Ends a phase. */
static void phase_next(struct takt_process *process)
{
    if (process->phase == TAKTI_PHASE_SLOTS) {
        process->quota.memory_used = 0;
        process->quota.buffers_used = 0;
    }
    bool constructed = is_constructing(process);
    if (constructed) {
        phase_begin(process, TAKTI_PHASE_SPORADIC);
    } else if (takti_process_constructs(process) && process->phase == TAKTI_PHASE_BROKEN) {
        phase_begin(process, TAKTI_PHASE_CONSTRUCT);
    } else {
        phase_begin(process, process->phase == TAKTI_PHASE_WATCHDOGS ? TAKTI_PHASE_NONE : process->phase + 1u);
    }
    if (is_constructing(process) || (process->phase == TAKTI_PHASE_SPORADIC && !constructed)) {
        process->state = TAKTI_PROCESS_RUNS;
        takti_trace(TAKT_EVENT_PROCESS, NULL, process->config->index, TAKTI_PROCESS_STARTED);
    }
}

/* Frees a slot. An alarm may have a timer armed. */
static unsigned slot_free(struct takt_object *slot)
{
    bool timer = TAKT_PROCESS_ALARMS && slot->kind == TAKT_OBJECT_ALARM;
    takti_quota_handle_end(slot);
    return timer ? TAKTI_WORK_TIMER : TAKTI_WORK_OBJECT;
}

/* A part of a step; returns its cost, of `room`: all, if it needs a step of its own. */
static unsigned step(struct takt_process *process, unsigned room)
{
    if (process->at >= phase_count(process)) {
        phase_next(process);
        return TAKTI_WORK_LOOK;
    }
    if (is_constructing(process)) {
        return construct(process, room);
    }
    switch (process->phase) {
    case TAKTI_PHASE_TASKS:
        return task_end(process, room);
    case TAKTI_PHASE_SLOTS:
        return slot_free(&process->quota.slots[process->at++]);
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
    uint32_t from = process->made;
    uint32_t rest = process->memory_size - from;
    uint32_t to = from + (rest < TAKTI_RESTART_PIECE ? rest : TAKTI_RESTART_PIECE);
    takt_port_leave(lock);
    memory_make(process, from, to);
    (void)takt_port_enter();
    if (TAKT_PROCESS_START && (process->phase != TAKTI_PHASE_MEMORY || process->made != from)) {
        return; /* an interrupt stopped the process meanwhile, and perhaps started it again */
    }
    process->made = to;
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
    } else if (process->phase != TAKTI_PHASE_WAIT) { /* whose end step_arm arms */
        for (unsigned room = TAKTI_WORK;
             room > 0 && process->phase != TAKTI_PHASE_NONE && process->phase != TAKTI_PHASE_MEMORY;) {
            unsigned work = step(process, room);
            room -= work < room ? work : room;
        }
    }
}

/* In the timer interrupt, unlocked. */
void takti_process_step(struct takti_call *call)
{
    struct takt_process *process = TAKTI_TIMER_OWNER(call, struct takt_process, restart_call);
    uint32_t lock = takt_port_enter();
    bool left = takti_kernel.ready.running->config->process != process; /* otherwise a context must still be saved */
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

#if TAKT_PROCESS_START
/* A process that is not started with the system; or, if it has constructors, in steps from the start of the system on,
 * since an endless loop in one of them needs the timer to end. */
static void process_hold(struct takt_process *process)
{
    for (unsigned number = 0; number < process->config->task_count; number++) {
        takti_task_end(task_at(process, number));
    }
    process->state = TAKTI_PROCESS_STOPPED;
    takti_trace(TAKT_EVENT_PROCESS, NULL, process->config->index, TAKTI_PROCESS_ON_CALL);
    if (TAKT_PROCESS_CONSTRUCTS && !takti_process_on_call(process)) { /* its memory is initialized */
        process->again = true;
        process->state = TAKTI_PROCESS_RESTARTS;
        phase_begin(process, TAKTI_PHASE_BROKEN);
        process->at = (uint16_t)phase_count(process);
        step_arm(process, takti_clock_ns());
    }
}

void takti_processes_hold(const struct takt_system *system)
{
    for (unsigned index = 0; index < system->process_count; index++) {
        struct takt_process *process = &system->processes[index];
        if (takti_process_on_call(process) || takti_process_constructs(process)) {
            process_hold(process);
        }
    }
}

/* Whether it runs, or will. */
static bool is_there(const struct takt_process *process)
{
    return process->state != TAKTI_PROCESS_STOPPED && (process->state != TAKTI_PROCESS_ENDING || process->again);
}

enum takt_status takt_process_start(struct takt_process *process)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takti_allowed(lock));
    if (is_there(process)) {
        takt_port_leave(lock);
        return TAKT_STATE;
    }
    takti_trace_call(TAKT_EVENT_PROCESS, lock, process->config->index, TAKTI_PROCESS_START_CALL);
    process->again = true;
    process->restarts = 0;
    if (process->state == TAKTI_PROCESS_STOPPED) { /* else its end goes on first */
        process->made = 0;
        process->state = TAKTI_PROCESS_RESTARTS;
        phase_begin(process, TAKTI_PHASE_MEMORY);
        step_arm(process, takti_clock_ns());
    }
    takt_port_leave(lock);
    return TAKT_OK;
}

enum takt_status takt_process_stop(struct takt_process *process)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takti_allowed(lock));
    if (!is_there(process)) {
        takt_port_leave(lock);
        return TAKT_STATE;
    }
    takti_trace_call(TAKT_EVENT_PROCESS, lock, process->config->index, TAKTI_PROCESS_STOP_CALL);
    if (process->state == TAKTI_PROCESS_RUNS) {
        takti_process_end(process);
    } else if (process->state == TAKTI_PROCESS_RESTARTS) { /* none of its tasks has run yet */
        takti_timer_cancel(&process->restart_call.timer);
        process->state = TAKTI_PROCESS_STOPPED;
        phase_begin(process, TAKTI_PHASE_NONE);
    }
    process->again = false;
    process->restarts = 0;
    (void)takti_reschedule(lock);
    return TAKT_OK;
}

bool takt_process_stopped(const struct takt_process *process)
{
    uint32_t lock = takt_port_lock();
    bool stopped = process->state == TAKTI_PROCESS_STOPPED;
    takt_port_unlock(lock);
    return stopped;
}
#endif
