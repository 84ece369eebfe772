/* SPDX-License-Identifier: Apache-2.0 */
/* Processes: their start, and the record of a fault. docs/decisions/0016-processes.md */
#include "kernel/core/kernel.h"
#include "kernel/core/processes.h"
#include "kernel/process/again.h"
#include "kernel/process/quota.h"
#include "kernel/process/restart.h"

struct takt_process_faults takt_process_faults;

void takti_processes_start(const struct takt_system *system)
{
    TAKT_ASSERT(!TAKT_COOPERATIVE && (TAKT_BUDGETS || system->admission == NULL));
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
                                             .slots = system->objects + config->slot_first,
                                             .slot_count = config->slot_count,
                                             .thread_level = config->thread_level,
                                             .mutexes_inherit = config->mutexes_inherit};
#if TAKT_PROCESS_ALARMS
        *process->quota.alarms_apart_ns = config->alarms_apart_ns;
#endif
#if TAKT_BUDGETS
        *process->quota.thread_budget = *config->thread_budget;
#endif
        takti_process_make(process);
    }
}

bool takti_process_runs(const struct takt_task *task)
{
    const struct takt_process *process = task->config->process;
    return process == NULL || process->state == TAKTI_PROCESS_RUNS;
}

bool takti_process_whole(const struct takt_task *task)
{
    const struct takt_process *process = task->config->process;
    return process == NULL || (process->state == TAKTI_PROCESS_RUNS && process->phase == TAKTI_PHASE_NONE);
}

void takti_processes_declare(const struct takt_system *system)
{
    for (unsigned slot = 0; slot < system->object_count; slot++) {
        const struct takt_object *object = &system->objects[slot];
        if (object->kind == TAKT_OBJECT_ALARM) {
            struct takt_alarm *alarm = object->object;
            alarm->in_process->declared_ns = alarm->started ? alarm->call.timer.at_ns : TAKT_FOREVER;
        } else if (object->kind == TAKT_OBJECT_WATCHDOG) {
            takti_watchdog_declare(object->object);
            if (TAKT_PROCESS_START && !takti_process_runs(((struct takt_watchdog *)object->object)->task)) {
                takti_watchdog_pause(object->object);
            }
        }
    }
}

static void record(enum takt_process_fault cause, const struct takt_task *task, uintptr_t address, uintptr_t pc,
                   const char *names, const uint32_t *registers)
{
    const struct takt_process *process = task->config->process;
    struct takt_process_fault_record *slot =
        &takt_process_faults.records[takt_process_faults.count % TAKT_PROCESS_FAULTS];
    unsigned count = names == NULL ? 0 : 1;
    for (const char *letter = names; letter != NULL && *letter != '\0'; letter++) { /* bounded by the port's constant */
        count += *letter == ' ' ? 1 : 0;
    }
    slot->time_ns = takt_port_now_ns();
    slot->address = address;
    slot->pc = pc;
    slot->register_names = names;
    for (unsigned number = 0; number < TAKT_PROCESS_FAULT_REGISTERS; number++) {
        slot->registers[number] = number < count ? registers[number] : 0;
    }
    slot->task = task->config->index;
    slot->process = process->config->index;
    slot->cause = (uint8_t)cause;
    slot->restarted = process->again;
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
    if (process->state != TAKTI_PROCESS_RUNS || task->timer.state == TAKTI_DORMANT) {
        return; /* an interrupt was faster, and requested the switch */
    }
    takti_process_end(process);
    record(cause, task, address, pc, names, registers);
    takti_kernel.ready.next = takti_select();
    (void)takti_switch_to(takti_kernel.ready.next, task, 0);
}

/* Ends the process for a fault of its task outside of a trap. */
static void fault_noticed(enum takt_process_fault cause, struct takt_task *task, uintptr_t address)
{
    uint32_t registers[TAKT_PROCESS_FAULT_REGISTERS];
    uintptr_t pc = 0;
    const char *names = takt_port_user_registers(task, registers, &pc);
    takti_process_end(task->config->process);
    record(cause, task, address, pc, names, registers);
}

struct takt_task *takti_process_stack_left(struct takt_task *task, uintptr_t stack_pointer, struct takt_task *next)
{
    if (!takti_process_runs(task) || task->timer.state == TAKTI_DORMANT) {
        return next; /* it was stopped, and its stack may be in use by another task */
    }
    fault_noticed(TAKT_PROCESS_STACK, task, stack_pointer);
    takti_kernel.ready.next = takti_select();
    return takti_kernel.ready.next;
}

bool takti_process_exhausted(struct takt_task *task, bool in_section, bool waited)
{
    struct takt_process *process = task->config->process;
    if (!TAKT_BUDGETS || process == NULL || (takti_budget_of(task)->policy != TAKT_BUDGET_STOP && !in_section)) {
        return false; /* only a restart repairs a mutex broken in a section, so the process must end */
    }
    TAKT_ASSERT(process->state == TAKTI_PROCESS_RUNS); /* later tasks have no budget: takti_budget_ends */
    fault_noticed(TAKT_PROCESS_BUDGET, task, waited ? 1 : 0);
    return true;
}

void takti_task_restart(struct takt_task *task, const struct takt_task_config *config, uint64_t now_ns)
{
    takti_task_start_again(task, config, now_ns);
    task->in_process->managed_by = 0;
}

bool takti_may_give_back(const struct takt_task *task, const void *object)
{
    const struct takt_system *system = takti_kernel.system;
    const struct takt_process *own = task->config->process;
    unsigned index = system->task_count;
    while (index < system->object_count && system->objects[index].object != object) {
        index++;
    }
    if (own == NULL || index == system->object_count) {
        return own == NULL;
    }
    bool others = false;
    for (unsigned number = 0; number < system->process_count; number++) {
        const struct takt_process *process = &system->processes[number];
        others = others || (process != own && (process->rights[index] & TAKT_RIGHT_USE) != 0);
    }
    return !others || (own->rights[index] & TAKT_RIGHT_GIVE) != 0;
}

uint8_t takti_process_index(const struct takt_task *task)
{
    const struct takt_process *process = task->config->process;
    return process == NULL ? UINT8_MAX : process->config->index;
}

uintptr_t takti_task_handle(const struct takt_task *task)
{
    const struct takt_object *objects = takti_kernel.system->objects;
    uintptr_t index =
        takti_is_thread(task) ? (uintptr_t)(((const struct takt_thread *)task)->slot - objects) : task->config->index;
    return index | (uintptr_t)objects[index].generation << 16;
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
    if (TAKT_JOBS) {
        takt_job_release(interrupt->task);
    }
}
