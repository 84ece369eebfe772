/* SPDX-License-Identifier: Apache-2.0 */
/* Systems with protection: handles, and the state, quota, memory and interrupts of each process. */
#include "kernel/observe/invariants.h"
#include "kernel/process/quota.h"

#if TAKT_PROCESSES
#include "kernel/process/restart.h"

enum { NOBODY = UINT8_MAX };

static unsigned kind_of(const struct takt_object *entry)
{
    return entry->kind & ~(unsigned)TAKT_OBJECT_FREE;
}

/* An object with a handle, except tasks of the table. In a free slot only a task or mutex is still an object. */
static struct takt_known walk_in_table(const struct takt_object *entry)
{
    static const uint8_t kinds[] = {
        [TAKT_OBJECT_NONE] = TAKT_KNOWN_KINDS,
        [TAKT_OBJECT_TASK] = TAKT_KNOWN_TASK,
        [TAKT_OBJECT_MUTEX] = TAKT_KNOWN_MUTEX,
        [TAKT_OBJECT_CEILING] = TAKT_KNOWN_CEILING,
        [TAKT_OBJECT_SEMAPHORE] = TAKT_KNOWN_SEMAPHORE,
        [TAKT_OBJECT_CONDITION] = TAKT_KNOWN_CONDITION,
        [TAKT_OBJECT_EVENTS] = TAKT_KNOWN_EVENTS,
        [TAKT_OBJECT_MAILBOX] = TAKT_KNOWN_MAILBOX,
        [TAKT_OBJECT_PIPE] = TAKT_KNOWN_PIPE,
        [TAKT_OBJECT_PRIORITY_MAILBOX] = TAKT_KNOWN_PRIORITY_MAILBOX,
        [TAKT_OBJECT_RENDEZVOUS] = TAKT_KNOWN_RENDEZVOUS,
        [TAKT_OBJECT_ALARM] = TAKT_KNOWN_ALARM,
        [TAKT_OBJECT_WATCHDOG] = TAKT_KNOWN_WATCHDOG,
        [TAKT_OBJECT_STATE] = TAKT_KNOWN_KINDS,
        [TAKT_OBJECT_SHARED] = TAKT_KNOWN_KINDS,
        [TAKT_OBJECT_DEVICE] = TAKT_KNOWN_KINDS,
        [TAKT_OBJECT_INTERRUPT] = TAKT_KNOWN_KINDS,
        [TAKT_OBJECT_SIGNAL_POOL] = TAKT_KNOWN_KINDS,
        [TAKT_OBJECT_SIGNAL_QUEUE] = TAKT_KNOWN_SIGNAL_QUEUE,
        [TAKT_OBJECT_POOL] = TAKT_KNOWN_KINDS,
        [TAKT_OBJECT_PROCESS] = TAKT_KNOWN_KINDS,
        [TAKT_OBJECT_SLOT] = TAKT_KNOWN_SLOT,
    };
    unsigned kind = entry->kind & ~(unsigned)TAKT_OBJECT_FREE;
    bool there = kind == entry->kind || kind == TAKT_OBJECT_TASK || kind == TAKT_OBJECT_MUTEX;
    return (struct takt_known){entry->object, there && kind < sizeof kinds ? kinds[kind] : TAKT_KNOWN_KINDS};
}

struct takt_known takti_walk_handle(unsigned number)
{
    const struct takt_system *system = takti_kernel.system;
    unsigned handles = (unsigned)system->object_count - system->task_count;
    if (number < handles) {
        return walk_in_table(&system->objects[system->task_count + number]);
    }
    return (struct takt_known){&system->processes[number - handles].restart_call, TAKT_KNOWN_TIMER_CALL};
}

bool takti_walk_has_handle(unsigned kinds, const void *object)
{
    const struct takt_system *system = takti_kernel.system;
    uintptr_t bytes = (uintptr_t)object - (uintptr_t)&system->processes[0].restart_call;
    if (bytes < system->process_count * sizeof system->processes[0]) {
        return bytes % sizeof system->processes[0] == 0 && (kinds >> TAKT_KNOWN_TIMER_CALL & 1u) != 0;
    }
    for (unsigned index = system->task_count; index < system->object_count; index++) {
        if (system->objects[index].object == object) {
            return (kinds >> walk_in_table(&system->objects[index]).kind & 1u) != 0;
        }
    }
    return false;
}

/* Invariants of a task and its process. */
void takti_walk_process_of(struct takti_walk *walk, const struct takt_task *task)
{
    const struct takt_process *process = task->config == NULL ? NULL : task->config->process;
    unsigned state = process == NULL ? TAKTI_PROCESS_RUNS : process->state;
    bool stopped = task->timer.state == TAKTI_DORMANT;
    bool ends = (task->timer.flags & TAKTI_FLAG_ENDING) != 0;
    bool rests = task->timer.state == TAKTI_SUSPENDED || (task->timer.flags & TAKTI_FLAG_SUSPENDED) != 0;
    takti_must(walk, stopped || ends == (state == TAKTI_PROCESS_ENDING), "tasks end with their process", task);
    takti_must(walk, !ends || rests, "a task that ends does not run", task);
}

/* The process whose quota a slot belongs to; NOBODY: it was declared. */
static unsigned walk_quota_of(unsigned index)
{
    const struct takt_system *system = takti_kernel.system;
    for (unsigned process = 0; process < system->process_count; process++) {
        const struct takt_process_config *config = &system->process_configs[process];
        if (index - config->slot_first < config->slot_count) {
            return process;
        }
    }
    return NOBODY;
}

/* Whether a process creates objects of that kind. */
static bool walk_creates(unsigned kind)
{
    return kind == TAKT_OBJECT_TASK || kind == TAKT_OBJECT_MUTEX || kind == TAKT_OBJECT_CONDITION ||
           kind == TAKT_OBJECT_EVENTS || kind == TAKT_OBJECT_SEMAPHORE || kind == TAKT_OBJECT_MAILBOX ||
           kind == TAKT_OBJECT_PRIORITY_MAILBOX || kind == TAKT_OBJECT_PIPE ||
           (TAKT_PROCESS_ALARMS && kind == TAKT_OBJECT_ALARM);
}

unsigned takti_walk_handles(struct takti_walk *walk)
{
    const struct takt_system *system = takti_kernel.system;
    for (unsigned number = 0; number < system->object_count; number++) {
        const struct takt_object *entry = &system->objects[number];
        unsigned kind = kind_of(entry);
        unsigned quota = walk_quota_of(number);
        bool task = entry->object == &system->tasks[number] && entry->kind == TAKT_OBJECT_TASK;
        takti_must(walk, takti_aligned(entry->object), "a handle leads to an object", entry);
        takti_must(walk, kind > TAKT_OBJECT_NONE && kind <= TAKT_OBJECT_SLOT, "an object has a valid kind", entry);
        takti_must(walk, entry->generation != 0, "no handle is 0", entry);
        if (number < system->task_count) {
            takti_must(walk, task, "the first handles are those of the tasks", entry);
        } else if (quota == NOBODY) {
            takti_must(walk, kind != TAKT_OBJECT_TASK, "a task that is in no quota is in the table", entry);
        }
        if (quota == NOBODY) {
            takti_must(walk, entry->kind == kind && entry->generation == 1, "a declared object is never freed", entry);
            takti_must(walk, entry->owner < system->process_count || entry->owner == NOBODY,
                       "an object belongs to one process or is shared", entry);
        } else {
            takti_must(walk, walk_creates(kind) && entry->owner == quota, "a slot of a quota belongs to its process",
                       entry);
        }
    }
    return (unsigned)system->object_count - system->task_count + system->process_count;
}

/* Whether the end of a process has not yet reached a phase; or a slot, in that phase. */
static bool walk_before(const struct takt_process *process, unsigned phase, unsigned index)
{
    return process->state == TAKTI_PROCESS_RUNS ||
           (process->state == TAKTI_PROCESS_ENDING &&
            (process->phase < phase || (process->phase == phase && process->at <= index)));
}

static void walk_shared(struct takti_walk *walk, const struct takt_shared *shared, unsigned index)
{
    const struct takt_system *system = takti_kernel.system;
    unsigned users = 0;
    for (unsigned number = 0; number < system->process_count; number++) {
        const struct takt_process *process = &system->processes[number];
        for (unsigned region = process->config->region_count; region < process->region_count; region++) {
            bool left = !walk_before(process, TAKTI_PHASE_OBJECTS, index);
            users += !left && process->regions[region].base == shared->region.base ? 1 : 0;
        }
    }
    takti_must(walk, shared->users == users, "shared memory counts the processes that attached it", shared);
}

static void walk_interrupt(struct takti_walk *walk, const struct takt_process_interrupt *interrupt, unsigned index)
{
    const struct takt_system *system = takti_kernel.system;
    if (interrupt->attached == NOBODY) {
        takti_must(walk, !interrupt->acknowledged, "an interrupt without a process is not acknowledged", interrupt);
        return;
    }
    if (!takti_must(walk, interrupt->attached < system->process_count,
                    "an attached interrupt names an existing process", interrupt)) {
        return;
    }
    const struct takt_process *process = &system->processes[interrupt->attached];
    takti_must(walk, walk_before(process, TAKTI_PHASE_OBJECTS, index), "an interrupt belongs to a running process",
               interrupt);
    takti_must(walk, (process->rights[index] & TAKT_RIGHT_USE) != 0,
               "an interrupt belongs to a process with the right to it", interrupt);
}

static void walk_broken(struct takti_walk *walk, const struct takt_mutex *mutex)
{
    const struct takt_system *system = takti_kernel.system;
    if (mutex->owner == &takti_kernel.idle && *mutex->broken_by != UINT8_MAX &&
        takti_must(walk, *mutex->broken_by < system->process_count, "a process leaves a mutex broken", mutex)) {
        takti_must(walk, system->processes[*mutex->broken_by].state != TAKTI_PROCESS_RUNS,
                   "a mutex is broken until the process runs again", mutex);
    }
}

/* The list of acknowledged interrupts of a process, and its completeness. */
static void walk_acknowledged(struct takti_walk *walk, const struct takt_process *process)
{
    const struct takt_system *system = takti_kernel.system;
    unsigned listed = 0;
    unsigned expected = 0;
    if (!walk_before(process, TAKTI_PHASE_OBJECTS, 0)) {
        return; /* no longer read */
    }
    for (const struct takt_process_interrupt *one = process->acknowledged; one != NULL; one = one->next) {
        if (!takti_must(walk, takti_aligned(one) && one->attached == process->config->index && one->acknowledged,
                        "a process's list of interrupts consists of its own", process) ||
            !takti_must(walk, ++listed <= system->object_count, "a process's list of interrupts is finite", process)) {
            return;
        }
    }
    for (unsigned index = 0; index < system->object_count; index++) {
        const struct takt_process_interrupt *one = system->objects[index].object;
        expected += system->objects[index].kind == TAKT_OBJECT_INTERRUPT && one->attached == process->config->index &&
                            one->acknowledged
                        ? 1
                        : 0;
    }
    takti_must(walk, listed == expected, "a process knows what it has acknowledged", process);
}

static bool walk_same_region(const struct takt_region *a, const struct takt_region *b, unsigned access)
{
    return a->base == b->base && a->size == b->size && a->access == access && a->device == b->device;
}

/* Whether the process may have attached a region, or mapped it. */
static bool walk_may_have(const struct takt_process *process, const struct takt_region *region)
{
    const struct takt_system *system = takti_kernel.system;
    for (unsigned index = 0; index < system->object_count; index++) {
        const struct takt_object *object = &system->objects[index];
        unsigned rights = process->rights[index];
        const struct takt_region *of = object->object; /* the first member of a takt_shared */
        bool reads = object->kind == TAKT_OBJECT_SHARED && (rights & TAKT_RIGHT_GIVE) == 0;
        if ((object->kind == TAKT_OBJECT_SHARED || object->kind == TAKT_OBJECT_DEVICE) &&
            (rights & TAKT_RIGHT_USE) != 0 && walk_same_region(region, of, reads ? TAKT_ACCESS_READ : of->access)) {
            return true;
        }
    }
    return false;
}

static void walk_regions(struct takti_walk *walk, const struct takt_process *process)
{
    const struct takt_process_config *config = process->config;
    for (unsigned number = 0; number < process->region_count; number++) {
        const struct takt_region *region = &process->regions[number];
        if (number < config->region_count) {
            takti_must(walk, walk_same_region(region, &config->regions[number], config->regions[number].access),
                       "a process has the regions of its declaration", process);
            continue;
        }
        takti_must(walk, walk_may_have(process, region), "a process attached what it may use", process);
        for (unsigned other = config->region_count; other < number; other++) {
            takti_must(walk, process->regions[other].base != region->base, "a process attaches memory once", process);
        }
    }
}

/* Parts of a range, which must not overlap. */
struct walk_part {
    uintptr_t base;
    uint32_t size; /* 0: none */
};

static bool walk_part_fits(const struct walk_part *part, uintptr_t base, uint32_t used, uint32_t alignment)
{
    return part->size == 0 ||
           (part->size <= used && part->base - base <= used - part->size && part->base % alignment == 0);
}

/* The stack of a thread, in memory; or the buffer of a mailbox or pipe, among buffers. */
static struct walk_part walk_part_of(const struct takt_object *entry, bool stack)
{
    const struct takt_buffer *buffer = NULL;
    if (kind_of(entry) == TAKT_OBJECT_TASK && stack) {
        const struct takt_task_config *config = &((const struct takt_thread *)entry->object)->config;
        return (struct walk_part){(uintptr_t)config->stack, config->stack == NULL ? 0 : config->stack_size};
    }
    if (kind_of(entry) == TAKT_OBJECT_MAILBOX && !stack) {
        buffer = &((const struct takt_created_mailbox *)entry->object)->buffer;
    } else if (kind_of(entry) == TAKT_OBJECT_PRIORITY_MAILBOX && !stack) {
        buffer = &((const struct takt_created_priority_mailbox *)entry->object)->buffer;
    } else if (kind_of(entry) == TAKT_OBJECT_PIPE && !stack) {
        buffer = &((const struct takt_created_pipe *)entry->object)->buffer;
    }
    return buffer == NULL ? (struct walk_part){0, 0} : (struct walk_part){(uintptr_t)buffer->bytes, buffer->size};
}

static void walk_parts(struct takti_walk *walk, const struct takt_quota *quota, unsigned index)
{
    for (unsigned stack = 0; stack < 2; stack++) {
        struct walk_part part = walk_part_of(&quota->slots[index], stack != 0);
        bool fits = stack != 0
                        ? walk_part_fits(&part, quota->memory, quota->memory_used, TAKT_GRANULE)
                        : walk_part_fits(&part, (uintptr_t)quota->buffers, quota->buffers_used, TAKTI_BUFFER_ALIGNMENT);
        takti_must(walk, fits,
                   stack != 0 ? "a thread's stack lies in its process's memory"
                              : "a buffer lies in its process's memory",
                   &quota->slots[index]);
        for (unsigned other = 0; other < index; other++) {
            struct walk_part earlier = walk_part_of(&quota->slots[other], stack != 0);
            bool apart = part.size == 0 || earlier.size == 0 || part.base + part.size <= earlier.base ||
                         earlier.base + earlier.size <= part.base;
            takti_must(walk, apart, "stacks and buffers do not overlap", &quota->slots[index]);
        }
    }
}

static void walk_thread(struct takti_walk *walk, const struct takt_process *process, const struct takt_object *entry)
{
    const struct takt_thread *thread = entry->object;
    bool stopped = thread->task.timer.state == TAKTI_DORMANT;
    (void)takti_walk_queue(walk, &thread->joiners, NULL, NULL);
    takti_must(walk, !stopped || thread->joiners == NULL, "no task waits for a thread that has ended", thread);
    if ((entry->kind & TAKT_OBJECT_FREE) != 0) {
        takti_must(walk, stopped, "the slot of a thread that has not ended is in use", thread);
        return;
    }
    takti_must(walk, thread->slot == entry, "a thread knows its slot", thread);
    takti_must(walk,
               thread->config.process == process && thread->config.index == thread->index &&
                   thread->index >= takti_kernel.system->task_count,
               "a thread belongs to its process", thread);
    takti_must(walk, stopped || thread->task.config == &thread->config, "a thread has its own configuration", thread);
    bool left = thread->state == TAKTI_THREAD_JOINABLE || (thread->state == TAKTI_THREAD_DETACHED && !stopped);
    takti_must(walk, left, "a thread that ended and is not to be joined is gone", thread);
    takti_must(walk, thread->config.stack != NULL, "a thread has a stack", thread);
}

static bool walk_waited_for(const struct takt_object *entry)
{
    const void *object = entry->object;
    switch (kind_of(entry)) {
    case TAKT_OBJECT_CONDITION:
        return ((const struct takt_condition *)object)->waiting.waiters != NULL ||
               ((const struct takt_condition *)object)->waits != NULL;
    case TAKT_OBJECT_MAILBOX:
        return ((const struct takt_mailbox *)object)->receivers != NULL ||
               ((const struct takt_mailbox *)object)->senders != NULL;
    case TAKT_OBJECT_PRIORITY_MAILBOX:
        return ((const struct takt_priority_mailbox *)object)->receivers != NULL ||
               ((const struct takt_priority_mailbox *)object)->senders != NULL;
    case TAKT_OBJECT_PIPE:
        return ((const struct takt_pipe *)object)->waiters[0] != NULL ||
               ((const struct takt_pipe *)object)->waiters[1] != NULL;
    case TAKT_OBJECT_EVENTS:
        return ((const struct takt_events *)object)->waiters != NULL;
    case TAKT_OBJECT_SEMAPHORE:
        return ((const struct takt_semaphore *)object)->waiters != NULL;
    default: /* a mutex and a thread are checked even in a free slot */
        return false;
    }
}

/* Whether a created object stores its bytes in the buffer of its slot. */
static bool walk_stored(const struct takt_object *entry)
{
    if (entry->kind == TAKT_OBJECT_MAILBOX) {
        const struct takt_created_mailbox *created = entry->object;
        uint32_t size = (uint32_t)created->mailbox.message_size * created->mailbox.capacity;
        return created->mailbox.storage == created->buffer.bytes && size <= created->buffer.size;
    }
    if (entry->kind == TAKT_OBJECT_PRIORITY_MAILBOX) {
        const struct takt_created_priority_mailbox *created = entry->object;
        uint32_t size = (uint32_t)TAKT_PRIORITY_MAILBOX_BYTES(created->mailbox.message_size, created->mailbox.capacity);
        return created->mailbox.storage == created->buffer.bytes && size <= created->buffer.size;
    }
    if (entry->kind == TAKT_OBJECT_PIPE) {
        const struct takt_created_pipe *created = entry->object;
        return created->pipe.storage == created->buffer.bytes && created->pipe.capacity <= created->buffer.size;
    }
    return true;
}

static void walk_quota(struct takti_walk *walk, const struct takt_process *process)
{
    const struct takt_process_config *config = process->config;
    const struct takt_quota *quota = &process->quota;
    uintptr_t memory = process->memory_base + process->memory_size - config->quota_size;
    bool declared = quota->memory == memory && quota->memory_size == config->quota_size &&
                    quota->buffers == config->buffers && quota->buffers_size == config->buffers_size &&
                    quota->slots == takti_kernel.system->objects + config->slot_first &&
                    quota->slot_count == config->slot_count && quota->thread_level == config->thread_level &&
                    quota->mutexes_inherit == config->mutexes_inherit;
#if TAKT_PROCESS_ALARMS
    declared = declared && *quota->alarms_apart_ns == config->alarms_apart_ns;
#endif
    bool within = quota->memory_used <= quota->memory_size && quota->memory_used % TAKT_GRANULE == 0;
    if (!takti_must(walk, declared, "a quota has its declared size", process)) {
        return;
    }
    takti_must(walk, within, "a process uses whole granules, within its quota", process);
    takti_must(walk, quota->buffers_used <= quota->buffers_size && quota->buffers_used % TAKTI_BUFFER_ALIGNMENT == 0,
               "a process's buffers fit into its buffer memory", process);
    bool has = walk_before(process, TAKTI_PHASE_SLOTS, UINT16_MAX);
    takti_must(walk, has || (quota->memory_used == 0 && quota->buffers_used == 0),
               "a process that does not run uses none of its quota", process);
    for (unsigned number = 0; number < quota->slot_count; number++) {
        const struct takt_object *entry = &quota->slots[number];
        bool free = (entry->kind & TAKT_OBJECT_FREE) != 0;
        takti_must(walk, free || walk_before(process, TAKTI_PHASE_SLOTS, number),
                   "a process that does not run has created nothing", entry);
        takti_must(walk, !free || !walk_waited_for(entry), "no task waits for a deleted object", entry);
        takti_must(walk, walk_stored(entry), "a created object keeps its data in its buffer", entry);
        walk_parts(walk, quota, number);
        if (kind_of(entry) == TAKT_OBJECT_TASK) {
            walk_thread(walk, process, entry);
        } else if (kind_of(entry) == TAKT_OBJECT_ALARM) {
            takti_walk_alarm_slot(walk, entry, quota);
        }
    }
}

static void walk_tasks_of(struct takti_walk *walk, const struct takt_process *process)
{
    const struct takt_process_config *config = process->config;
    for (unsigned number = 0; number < config->task_count; number++) {
        const struct takt_task *task = &takti_kernel.system->tasks[config->tasks[number]];
        bool stopped = task->timer.state == TAKTI_DORMANT;
        takti_must(walk, stopped || walk_before(process, TAKTI_PHASE_TASKS, number),
                   "the tasks of a process end with it", task);
        takti_must(walk, stopped || task->config->process == process, "a task belongs to the process that lists it",
                   task);
    }
}

/* Whether the phase is possible in the state of the process. */
static bool walk_phase(const struct takt_process *process)
{
    unsigned phase = process->phase;
    switch (process->state) {
    case TAKTI_PROCESS_RUNS:
        return phase == TAKTI_PHASE_NONE ||
               (phase >= TAKTI_PHASE_SPORADIC && phase <= TAKTI_PHASE_WATCHDOGS + TAKT_PROCESS_CONSTRUCTS);
    case TAKTI_PROCESS_RESTARTS:
        return phase >= TAKTI_PHASE_MEMORY && phase <= TAKTI_PHASE_BROKEN;
    case TAKTI_PROCESS_ENDING:
        return phase >= TAKTI_PHASE_MUTEXES && phase <= TAKTI_PHASE_REGIONS;
    default: /* stopped */
        return phase == TAKTI_PHASE_NONE;
    }
}

/* While the timer interrupt makes a step the next one is not armed yet. */
static void walk_state(struct takti_walk *walk, const struct takt_process *process)
{
    const struct takt_process_config *config = process->config;
    bool left = process->phase != TAKTI_PHASE_NONE;
    bool armed = process->restart_call.timer.armed != 0;
    takti_must(walk, process->state <= TAKTI_PROCESS_ENDING, "a process has a valid state", process);
    takti_must(walk, walk_phase(process), "the next restart step matches the process's state", process);
    takti_must(walk, !armed || left, "only a process that ends or restarts has a restart step armed", process);
    takti_must(walk, armed || !left || walk->interrupt, "a process that ends or restarts has its next step armed",
               process);
    takti_must(walk, process->made <= process->memory_size, "no more memory is initialized than the process has",
               process);
    takti_must(walk, config->restarts_max == TAKT_RESTARTS_UNLIMITED || process->restarts <= config->restarts_max,
               "a process restarts no more often than it may", process);
}

/* The fields that other checks rely on. */
static bool walk_is_its_own(const struct takt_process *process, const struct takt_process_config *config)
{
    return process->config == config && process->rights == config->rights &&
           process->memory_base == config->regions[2].base && process->memory_size == config->regions[2].size &&
           process->region_count >= config->region_count && process->region_count <= TAKT_PROCESS_REGIONS;
}

void takti_walk_processes(struct takti_walk *walk)
{
    const struct takt_system *system = takti_kernel.system;
    for (unsigned number = 0; number < system->process_count; number++) {
        const struct takt_process *process = &system->processes[number];
        if (!takti_must(walk, walk_is_its_own(process, &system->process_configs[number]),
                        "a process has its declared configuration", process)) {
            return;
        }
        walk_state(walk, process);
        walk_tasks_of(walk, process);
        walk_regions(walk, process);
        walk_quota(walk, process);
        walk_acknowledged(walk, process);
    }
    for (unsigned number = 0; number < system->object_count; number++) {
        const struct takt_object *entry = &system->objects[number];
        if (entry->kind == TAKT_OBJECT_SHARED) {
            walk_shared(walk, entry->object, number);
        } else if (entry->kind == TAKT_OBJECT_INTERRUPT) {
            walk_interrupt(walk, entry->object, number);
        } else if (kind_of(entry) == TAKT_OBJECT_MUTEX || kind_of(entry) == TAKT_OBJECT_CEILING) {
            walk_broken(walk, entry->object); /* the first member of a ceiling */
        }
    }
}
#endif
