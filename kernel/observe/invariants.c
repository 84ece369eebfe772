/* SPDX-License-Identifier: Apache-2.0 */
/* The check of the kernel's state: known objects, and each task by itself. */
#include "kernel/observe/invariants.h"
#include "kernel/core/kernel.h"
#include "kernel/core/processes.h"

bool takti_must(struct takti_walk *walk, bool holds, const char *what, const void *where)
{
    if (!holds && walk->found.what == NULL) {
        walk->found = (struct takt_broken){what, where};
    }
    return holds;
}

unsigned takti_walk_count(const struct takti_walk *walk)
{
    return takti_kernel.system->task_count + walk->known;
}

static unsigned walk_given(const struct takti_walk *walk)
{
    return walk->objects == NULL ? 0u : walk->objects->count;
}

struct takt_known takti_walk_known(const struct takti_walk *walk, unsigned number)
{
    unsigned given = walk_given(walk);
    if (TAKT_PROCESSES && number >= given) {
        return takti_walk_handle(number - given);
    }
    return walk->objects->first[number];
}

bool takti_walk_has(const struct takti_walk *walk, unsigned kinds, const void *object)
{
    for (unsigned number = 0; number < walk_given(walk); number++) {
        const struct takt_known *known = &walk->objects->first[number];
        if (known->object == object && (kinds >> known->kind & 1u) != 0) {
            return true;
        }
    }
    return TAKT_PROCESSES && takti_walk_has_handle(kinds, object);
}

const struct takt_task *takti_walk_task(const struct takti_walk *walk, unsigned number)
{
    const struct takt_system *system = takti_kernel.system;
    if (number < system->task_count) {
        return &system->tasks[number];
    }
    unsigned handle = number - walk_given(walk);
    if (handle >= system->task_count && handle < takti_object_count()) { /* most of these are not tasks */
        const struct takt_object *found = &takti_objects()[handle];
        return (found->kind & ~(unsigned)TAKT_OBJECT_FREE) == TAKT_OBJECT_TASK ? found->object : NULL;
    }
    struct takt_known object = takti_walk_known(walk, number - system->task_count);
    return object.kind == TAKT_KNOWN_TASK ? object.object : NULL;
}

bool takti_walk_is_known(const struct takti_walk *walk, const struct takt_task *task)
{
    const struct takt_system *system = takti_kernel.system;
    uintptr_t bytes = (uintptr_t)task - (uintptr_t)system->tasks;
    if (bytes < system->task_count * sizeof *task) {
        return bytes % sizeof *task == 0;
    }
    return task != NULL && takti_walk_has(walk, 1u << TAKT_KNOWN_TASK, task);
}

bool takti_walk_is_task(const struct takti_walk *walk, const struct takt_task *task)
{
    return takti_walk_is_known(walk, task) ||
           (!takti_walk_all(walk, TAKT_KNOWN_TASK) && takti_aligned(task) && task != &takti_kernel.idle);
}

unsigned takti_walk_level(const union takti_level *level)
{
    uintptr_t bytes = (uintptr_t)level - (uintptr_t)takti_kernel.ready.levels;
    bool one = bytes < sizeof takti_kernel.ready.levels && bytes % sizeof *level == 0;
    return one ? (unsigned)(bytes / sizeof *level) : TAKT_LEVELS;
}

static bool walk_runnable(const struct takti_walk *walk, const struct takt_task *task)
{
    return task == &takti_kernel.idle || takti_walk_is_task(walk, task);
}

/* Among equal deadlines of one edf level the running task stays. */
static const struct takt_task *walk_chosen(const struct takt_task *best)
{
    const struct takt_task *running = takti_kernel.ready.running;
    if (TAKT_EDF && running->timer.state == TAKTI_READY && running->level == best->level &&
        best != &takti_kernel.idle && takti_walk_edf(takti_walk_level(best->level)) &&
        takti_key_deadline_ns(running) == takti_key_deadline_ns(best)) {
        return running;
    }
    return best;
}

/* A cooperative kernel maintains no `next`, and one compiled for size not in an interrupt. */
void takti_walk_running(struct takti_walk *walk, const struct takt_task *best)
{
    const struct takti_ready *ready = &takti_kernel.ready;
    if (!takti_must(walk, walk_runnable(walk, ready->running), "the running task is a task or idle", ready->running) ||
        TAKT_COOPERATIVE) {
        return;
    }
    if (!takti_kernel.timers.running) {
        takti_must(walk, ready->running == &takti_kernel.idle, "before the start idle runs", ready->running);
        return;
    }
    if (!TAKT_SINGLE_PATH || !walk->interrupt) {
        takti_must(walk, ready->next == walk_chosen(best), "next is the best ready task", ready->next);
    }
    if (!walk->interrupt) {
        takti_must(walk, ready->running == ready->next, "the running task is next", ready->running);
    }
}

/* Invariants of a started task in any state. */
static void walk_started(struct takti_walk *walk, const struct takt_task *task)
{
    const struct takt_task_config *config = task->config;
    unsigned level = takti_walk_level(task->level);
    unsigned flags = task->timer.flags;
    unsigned state = task->timer.state;
    if (!takti_must(walk, takti_aligned(config), "a started task has a configuration", task) ||
        !takti_must(walk, level < TAKT_LEVELS - 1u, "a task is in one of its system's levels", task)) {
        return;
    }
    takti_must(walk, config->level < TAKT_LEVELS - 1u, "a task's own level is one of its system's", task);
    takti_must(walk, task->level_bit == TAKT_BITMAP_BIT(level), "the bit of a task's level is that of its level", task);
    takti_must(walk, (task->holds & ~(uint32_t)(TAKTI_HOLDS | TAKTI_HOLDS_COUNT)) == 0,
               "a task's count of held mutexes has no other bits", task);
    bool rests = state == TAKTI_READY || state == TAKTI_SUSPENDED || state == TAKTI_BLOCKED_DELAY;
    takti_must(walk, !((flags & TAKTI_FLAG_SUSPENDED) != 0 && rests),
               "a task that is ready, held or only sleeps is not about to be held", task);
    takti_must(walk, state != TAKTI_BLOCKED_DELAY || task->wait_queue == NULL, "a task that sleeps is in no queue",
               task);
    takti_must(walk, !TAKT_STACK_CHECKS || *(const uint32_t *)config->stack == TAKT_FAULT_MAGIC,
               "a stack ends with its guard word", task);
    if (TAKT_TRACE) {
        uint32_t band = takti_kernel.system->level_bands[level];
        takti_must(walk, task->trace->identity == (band << 8 | (uint32_t)config->index << 16),
                   "the trace calls a task by its band and number", task);
    }
}

static void walk_stopped(struct takti_walk *walk, const struct takt_task *task)
{
    takti_must(walk, task->timer.flags == 0, "a stopped task has no flags", task);
    takti_must(walk, (task->holds & TAKTI_HOLDS_COUNT) == 0, "a stopped task holds nothing", task);
}

void takti_walk_tasks(struct takti_walk *walk)
{
    for (unsigned number = 0; number < takti_walk_count(walk); number++) {
        const struct takt_task *task = takti_walk_task(walk, number);
        if (task == NULL) {
            continue;
        }
        takti_must(walk, task->timer.state <= TAKTI_SUSPENDED, "a task has a valid state", task);
        if (TAKT_PROCESSES) {
            takti_walk_process_of(walk, task);
        }
        if (task->timer.state == TAKTI_DORMANT) {
            walk_stopped(walk, task);
        } else {
            walk_started(walk, task);
        }
    }
}

/* Every section of the ring begins with the full time, so that reading can begin there. trace.c */
static void walk_trace(struct takti_walk *walk)
{
    const struct takti_trace *trace = takti_kernel.trace;
    const struct takt_system *system = takti_kernel.system;
    if (trace->records == NULL) {
        return;
    }
    bool fits = trace->records == system->trace_records && trace->mask == system->trace_capacity - 1u;
    if (!takti_must(walk, fits, "the trace ring is that of the table", trace)) {
        return;
    }
    takti_must(walk, trace->lost == 0, "lost records are reported at once", trace);
    const struct takt_trace_record *first = trace->end - TAKTI_TRACE_SECTION;
    bool within = trace->end == &trace->records[trace->begun & trace->mask] + TAKTI_TRACE_SECTION &&
                  trace->next >= first && trace->next <= trace->stop && trace->stop <= trace->end;
    if (!takti_must(walk, within, "the next record is in the section that was begun", trace)) {
        return;
    }
    if (takti_trace_written(trace) != 0) {
        uint64_t time_ns = first->job | (uint64_t)first->object << 32 | (uint64_t)first->value << 48;
        takti_must(walk, first->event == TAKT_EVENT_TIME, "every section begins with the full time", trace);
        takti_must(walk, time_ns <= takti_clock_ns(), "no record has a time in the future", trace);
    }
    takti_must(walk, walk->interrupt || *takti_kernel.interrupts == 0, "no interrupt is active while a task runs",
               trace);
}

struct takt_broken takti_kernel_broken(const struct takt_known_objects *objects)
{
    struct takti_walk walk = {.objects = objects, .interrupt = takt_port_caller(0) != 0};
    const struct takt_system *system = takti_kernel.system;
    if (system == NULL) {
        return walk.found; /* the start has not begun */
    }
    walk.known = objects == NULL ? 0u : objects->count;
    if (TAKT_PROCESSES) {
        walk.known += takti_walk_handles(&walk);
        if (walk.found.what != NULL) {
            return walk.found;
        }
    }
    takti_walk_tasks(&walk);
    if (walk.found.what == NULL) { /* otherwise pointers are invalid */
        takti_walk_ready(&walk);
        takti_walk_timers(&walk);
        takti_walk_waits(&walk);
        takti_walk_jobs(&walk);
        if (TAKT_SERVERS) {
            takti_walk_servers(&walk);
        }
        takti_walk_objects(&walk);
        if (TAKT_PROCESSES) {
            takti_walk_processes(&walk);
        }
        if (TAKT_TRACE) {
            walk_trace(&walk);
        }
    }
    return walk.found;
}

struct takt_broken takt_kernel_broken(const struct takt_known_objects *objects)
{
    uint32_t lock = takt_port_lock();
    struct takt_broken found = takti_kernel_broken(objects);
    takt_port_unlock(lock);
    return found;
}
