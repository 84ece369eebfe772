/* SPDX-License-Identifier: Apache-2.0 */
/* Processes: their start, what happens when one faults, and how it starts again. docs/decisions/0016-processes.md */
#include "kernel/process/process.h"

#include "kernel/src/mutex.h"
#include "kernel/src/quota.h"

#include <string.h>

/*
 * Memory is made as at the start by pieces, so that whoever has deadlines is delayed by one at a time: in the timer's
 * interrupt, unlocked.
 */
enum { PIECE = 512 }; /* bytes, a multiple of 4 */
#define PIECE_NS TAKT_MS(1)

struct takt_process_faults takt_process_faults;

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

/* It has the regions of its declaration. */
static void regions_declared(struct takt_process *process)
{
    const struct takt_process_config *config = process->config;
    memcpy(process->regions, config->regions, config->region_count * sizeof config->regions[0]);
    process->region_count = config->region_count;
    bool made = takt_port_map_make(&process->map, process->regions, process->region_count);
    TAKT_ASSERT(made); /* the generator placed them so */
    (void)made;
}

/* Its own interrupts come to its tasks as soon as they run: takt_irq_attach is for those that several may serve. */
static void interrupts_attach(const struct takt_process *process)
{
    const struct takt_system *system = takti_kernel.system;
    for (unsigned place = 0; place < system->object_count; place++) {
        const struct takt_object *object = &system->objects[place];
        if (object->kind == TAKT_OBJECT_INTERRUPT && object->owner == process->config->index) {
            struct takt_process_interrupt *interrupt = object->object;
            interrupt->attached = process->config->index;
            takt_port_irq_attach(interrupt->number, interrupt->handler, true);
            takt_port_irq_mask(interrupt->number, false);
        }
    }
}

static void remake(struct takti_call *call);

void takti_processes_start(const struct takt_system *system)
{
    TAKT_ASSERT(!TAKT_COOPERATIVE && system->admission == NULL);
    for (unsigned index = 0; index < system->process_count; index++) {
        const struct takt_process_config *config = &system->process_configs[index];
        struct takt_process *process = &system->processes[index];
        TAKT_ASSERT(config->index == index && config->region_count >= 3);
        TAKT_ASSERT(config->region_count <= TAKT_PROCESS_REGIONS && config->quota_size <= config->regions[2].size);
        uintptr_t quota = config->regions[2].base + config->regions[2].size - config->quota_size;
        TAKT_ASSERT(config->quota_size == 0 || quota % TAKT_GRANULE == 0);
        process->config = config;
        process->rights = config->rights;
        process->memory_base = config->regions[2].base;
        process->memory_size = config->regions[2].size;
        process->quota = (struct takt_quota){.memory = quota,
                                             .memory_size = config->quota_size,
                                             .buffers = config->buffers,
                                             .buffers_size = config->buffers_size,
                                             .places = system->objects + config->place_first,
                                             .place_count = config->place_count,
                                             .thread_level = config->thread_level};
        process->remake.function = remake;
        regions_declared(process);
        memory_make(process, 0, process->memory_size);
        interrupts_attach(process);
    }
}

bool takti_process_runs(const struct takt_task *task)
{
    const struct takt_process *process = task->config == NULL ? NULL : task->config->process;
    return process == NULL || process->state == TAKTI_PROCESS_RUNS;
}

/* An object that only the process uses is as at the start: all its tasks are stopped, so nobody waits for it. */
static void object_renew(const struct takt_object *place)
{
    void *object = place->object;
    switch ((enum takt_object_kind)place->kind) {
    case TAKT_OBJECT_MUTEX:
        takt_mutex_init(object, ((struct takt_mutex *)object)->id);
        break;
    case TAKT_OBJECT_CEILING:
        takt_mutex_init(object, ((struct takt_ceiling *)object)->mutex.id);
        break;
    case TAKT_OBJECT_SEMAPHORE: {
        struct takt_semaphore *semaphore = object;
        takt_semaphore_init(semaphore, semaphore->id, semaphore->trigger, semaphore->initial, semaphore->maximum);
        break;
    }
    case TAKT_OBJECT_CONDITION:
        takt_condition_init(object, ((struct takt_condition *)object)->waiting.id);
        break;
    case TAKT_OBJECT_EVENTS:
        takt_events_init(object, ((struct takt_events *)object)->id);
        break;
    case TAKT_OBJECT_MAILBOX: {
        struct takt_mailbox *mailbox = object;
        takt_mailbox_init(mailbox, mailbox->id, mailbox->storage, mailbox->message_size, mailbox->capacity,
                          mailbox->trigger);
        break;
    }
    case TAKT_OBJECT_PRIORITY_MAILBOX: {
        struct takt_priority_mailbox *mailbox = object;
        takt_priority_mailbox_init(mailbox, mailbox->id, mailbox->storage, mailbox->message_size, mailbox->capacity,
                                   mailbox->arrival);
        break;
    }
    case TAKT_OBJECT_PIPE: {
        struct takt_pipe *pipe = object;
        takt_pipe_init(pipe, pipe->id, pipe->storage, pipe->capacity);
        break;
    }
    case TAKT_OBJECT_WATCHDOG:
        takti_watchdog_pause(object);
        break;
    default: /* tasks are stopped one by one; alarms are instants that go on */
        break;
    }
}

/* A task of a process that ends: what it holds is given up. O(mutexes held + waiters). */
static void task_end(struct takt_task *task)
{
    if (task->timer.state != TAKTI_STOPPED) {
        takti_held_give_up(task);
        takti_task_end(task);
    }
}

/* Nobody uses memory, devices and interrupts of the process any more. */
static void resources_free(struct takt_process *process)
{
    const struct takt_system *system = takti_kernel.system;
    for (unsigned place = 0; place < system->object_count; place++) {
        struct takt_object *object = &system->objects[place];
        if (object->kind == TAKT_OBJECT_INTERRUPT) {
            struct takt_process_interrupt *interrupt = object->object;
            if (interrupt->attached == process->config->index) {
                takt_port_irq_mask(interrupt->number, true);
                interrupt->attached = UINT8_MAX;
                interrupt->acknowledged = false;
            }
        } else if (object->kind == TAKT_OBJECT_SHARED) {
            struct takt_shared *shared = object->object;
            for (unsigned region = process->config->region_count; region < process->region_count; region++) {
                shared->users -= process->regions[region].base == shared->region.base ? 1 : 0;
            }
        } else if (object->owner == process->config->index && (object->kind & TAKT_OBJECT_FREE) == 0) {
            object_renew(object);
        }
    }
    process->acknowledged = NULL;
    regions_declared(process);
    takt_port_map_changed();
}

/* Stops all its tasks and threads, and frees what they took. */
static void tasks_end(struct takt_process *process)
{
    const struct takt_system *system = takti_kernel.system;
    const struct takt_process_config *config = process->config;
    for (unsigned task = 0; task < config->task_count; task++) {
        task_end(&system->tasks[config->tasks[task]]);
    }
    for (unsigned place = config->place_first; place < config->place_first + config->place_count; place++) {
        struct takt_object *object = &system->objects[place];
        if (object->kind == TAKT_OBJECT_TASK) {
            task_end(object->object);
        }
    }
    takti_quota_end(&process->quota);
}

/* The process ends. O(its tasks, what they hold and who waits for that, and objects). Afterwards any task can be the
 * best one. */
static void process_end(struct takt_process *process)
{
    const struct takt_process_config *config = process->config;
    bool again = config->on_fault == TAKT_ON_FAULT_RESTART &&
                 (config->restarts_max == UINT8_MAX || process->restarts < config->restarts_max);
    tasks_end(process);
    resources_free(process);
    process->state = again ? TAKTI_PROCESS_RESTARTS : TAKTI_PROCESS_STOPPED;
    if (again) {
        process->restarts += process->restarts < UINT8_MAX ? 1 : 0;
        process->made = 0;
        takti_call_arm(&process->remake, takt_add(takti_clock_ns(), PIECE_NS));
    }
}

static void record(enum takt_process_fault cause, const struct takt_task *task, uintptr_t address, uintptr_t pc,
                   const char *names, const uint32_t *registers)
{
    const struct takt_process *process = task->config->process;
    struct takt_process_fault_record *place =
        &takt_process_faults.records[takt_process_faults.count % TAKT_PROCESS_FAULTS];
    unsigned count = names == NULL ? 0 : 1;
    for (const char *letter = names; letter != NULL && *letter != '\0'; letter++) { /* bounded by the port's constant */
        count += *letter == ' ' ? 1 : 0;
    }
    place->time_ns = takt_port_now_ns();
    place->address = address;
    place->pc = pc;
    place->register_names = names;
    for (unsigned number = 0; number < TAKT_PROCESS_FAULT_REGISTERS; number++) {
        place->registers[number] = number < count ? registers[number] : 0;
    }
    place->task = task->config->index;
    place->process = process->config->index;
    place->cause = (uint8_t)cause;
    place->restarted = process->state == TAKTI_PROCESS_RESTARTS;
    takt_process_faults.count++;
    takti_trace(TAKT_EVENT_PROCESS, task, process->config->index, cause);
}

void takti_process_fault(enum takt_process_fault cause, uintptr_t address, uintptr_t pc, const char *names,
                         const uint32_t *registers)
{
    (void)takt_port_enter();
    struct takt_task *task = takti_kernel.ready.running;
    struct takt_process *process = task->config->process;
    if (process == NULL) {
        takt_fault_raise_exception(address, names, registers); /* idle: the kernel's own */
    }
    if (process->state != TAKTI_PROCESS_RUNS || task->timer.state == TAKTI_STOPPED) {
        return; /* an interrupt was faster, and asked for the switch */
    }
    process_end(process);
    record(cause, task, address, pc, names, registers);
    takti_kernel.ready.next = takti_select();
    (void)takti_switch_to(takti_kernel.ready.next, task, 0);
}

#if TAKT_BUDGETS
bool takti_process_exhausted(struct takt_task *task)
{
    struct takt_process *process = task->config->process;
    if (process == NULL || task->config->budget->policy != TAKT_BUDGET_STOP) {
        return false;
    }
    uint32_t registers[TAKT_PROCESS_FAULT_REGISTERS];
    uintptr_t pc = 0;
    const char *names = takt_port_user_registers(task, registers, &pc);
    process_end(process);
    record(TAKT_PROCESS_BUDGET, task, 0, pc, names, registers);
    return true;
}
#endif

void takti_task_restart(struct takt_task *task, const struct takt_task_config *config, uint64_t now_ns)
{
    uint64_t last_ns = config->arrivals != NULL ? config->arrivals->last_ns : TAKT_FOREVER;
    uint64_t release_ns = task->job_deadline_ns != 0 ? task->job_deadline_ns - config->deadline_ns : task->timer.at_ns;
    (void)takti_task_start(task, config);
    if (config->arrivals != NULL) {
        config->arrivals->last_ns = last_ns;
    } else if (TAKTI_HAS_JOBS(config)) {
        (void)takt_pass(&release_ns, now_ns, config->period_ns);
        takti_timer_cancel(&task->timer);
        takti_timer_arm(&task->timer, release_ns);
    }
}

/* What it left broken can be locked again, and its watchdogs watch. */
static void objects_restart(const struct takt_process *process)
{
    const struct takt_system *system = takti_kernel.system;
    for (unsigned place = 0; place < system->object_count; place++) {
        const struct takt_object *object = &system->objects[place];
        if (object->kind == TAKT_OBJECT_MUTEX || object->kind == TAKT_OBJECT_CEILING) { /* a ceiling begins with one */
            struct takt_mutex *mutex = object->object;
            if (takti_mutex_broken(mutex) && mutex->broken_by == process->config->index) {
                mutex->owner = NULL;
            }
        } else if (object->kind == TAKT_OBJECT_WATCHDOG && object->owner == process->config->index) {
            takti_watchdog_continue(object->object);
        }
    }
}

static void process_restart(struct takt_process *process)
{
    const struct takt_system *system = takti_kernel.system;
    uint64_t now_ns = takti_clock_ns();
    process->state = TAKTI_PROCESS_RUNS;
    objects_restart(process);
    interrupts_attach(process);
    for (unsigned task = 0; task < process->config->task_count; task++) {
        unsigned index = process->config->tasks[task];
        takti_task_restart(&system->tasks[index], &system->configs[index], now_ns);
    }
    takti_trace(TAKT_EVENT_PROCESS, NULL, process->config->index, TAKTI_PROCESS_STARTED);
}

/* The next piece. In the timer's interrupt, unlocked. */
static void remake(struct takti_call *call)
{
    struct takt_process *process = TAKTI_TIMER_OWNER(call, struct takt_process, remake);
    uint32_t lock = takt_port_enter();
    bool left = takti_kernel.ready.running->config->process != process; /* else a context is still to be saved */
    if (process->state != TAKTI_PROCESS_RESTARTS) {
        takt_port_leave(lock);
        return;
    }
    if (left && process->made == process->memory_size) {
        process_restart(process);
        (void)takti_reschedule(lock);
        return;
    }
    if (left) {
        uint32_t rest = process->memory_size - process->made;
        uint32_t to = process->made + (rest < PIECE ? rest : PIECE);
        takt_port_leave(lock);
        memory_make(process, process->made, to);
        process->made = to;
        (void)takt_port_enter();
    }
    takti_call_arm(call, takt_add(takti_clock_ns(), PIECE_NS));
    takt_port_leave(lock);
}

bool takti_is_thread(const struct takt_task *task)
{
    return task->config->index >= takti_kernel.system->task_count && task->config->process != NULL;
}

struct takt_quota *takti_quota_running(void)
{
    struct takt_process *process = takti_kernel.ready.running->config->process;
    return process == NULL ? NULL : &process->quota;
}

void takti_process_interrupt(struct takt_process_interrupt *interrupt)
{
    uint32_t lock = takt_port_enter();
    takt_port_irq_mask(interrupt->number, true);
    takt_port_leave(lock);
#if TAKT_JOBS
    takt_job_release(interrupt->task);
#endif
}
