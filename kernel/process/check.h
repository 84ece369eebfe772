/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_CHECK_H
#define TAKTI_CHECK_H

/*
 * Checks of the calls of processes, in place of the assertions on unprotected callers. Called locked, in a trap: the
 * running task is the caller. A check that fails has faulted the process; the entry then returns 0 at once.
 */
#include "kernel/core/kernel.h"
#include "kernel/core/processes.h"
#include "kernel/process/process.h"
#include "kernel/process/quota.h"

/* A fault of the running task: `value` is the handle, pointer or number that was wrong. */
__attribute__((noinline, cold)) void takti_call_refuse(uintptr_t value);

/* The beginning of an entry of the table: calls.h has its name, process.h its arguments and result. */
#define TAKTI_ENTRY(name, ...)                \
    uint64_t takti_entry_##name(__VA_ARGS__); \
    uint64_t takti_entry_##name(__VA_ARGS__)

static inline struct takt_process *takti_process_running(void)
{
    return takti_kernel.ready.running->config->process;
}

/* The object of a handle, if it is of that kind and the running process has the right; otherwise NULL. */
static inline void *takti_object(uintptr_t handle, enum takt_object_kind kind, enum takt_right right)
{
    const struct takt_system *system = takti_kernel.system;
    uintptr_t index = handle & UINT16_MAX;
    if (index < system->object_count) {
        const struct takt_object *object = &system->objects[index];
        if (object->generation == handle >> 16 && object->kind == kind &&
            (takti_process_running()->rights[index] & right) != 0) {
            return object->object;
        }
    }
    takti_call_refuse(handle);
    return NULL;
}

/* Whether `size` bytes at `address`, which is aligned to `alignment`, are in a region. */
static inline bool takti_within(uintptr_t base, uintptr_t region_size, uintptr_t address, uintptr_t size)
{
    return size <= region_size && address - base <= region_size - size;
}

/* A port whose tasks have stacks outside the memory of their process defines which other memory belongs to them. */
#ifndef TAKT_PORT_OWNS
#define TAKT_PORT_OWNS(address, size) false
#endif

/* Whether the range is writable for the running process: in its own memory. `alignment`: a power of two. */
static inline bool takti_writable(const volatile void *pointer, uintptr_t size, uintptr_t alignment)
{
    const struct takt_process *process = takti_process_running();
    uintptr_t address = (uintptr_t)pointer;
    if ((address & (alignment - 1)) == 0 &&
        (takti_within(process->memory_base, process->memory_size, address, size) || TAKT_PORT_OWNS(address, size))) {
        return true;
    }
    takti_call_refuse(address);
    return false;
}

bool takti_readable_text(const void *pointer, uintptr_t size, uintptr_t alignment);

/* Whether the range is readable for it: in its own memory, its code or the shared code. */
static inline bool takti_readable(const void *pointer, uintptr_t size, uintptr_t alignment)
{
    const struct takt_process *process = takti_process_running();
    uintptr_t address = (uintptr_t)pointer;
    return ((address & (alignment - 1)) == 0 &&
            takti_within(process->memory_base, process->memory_size, address, size)) ||
           takti_readable_text(pointer, size, alignment);
}

/* Checks a requirement on the caller. */
static inline bool takti_required(bool condition, uintptr_t value)
{
    if (!condition) {
        takti_call_refuse(value);
    }
    return condition;
}

/* A sporadic task that the process may release, or NULL. */
static inline struct takt_task *takti_releasable(uintptr_t handle)
{
    struct takt_task *task = takti_object(handle, TAKT_OBJECT_TASK, TAKT_RIGHT_GIVE);
    bool sporadic = task != NULL && task->config->release == TAKT_SPORADIC;
    return task != NULL && takti_required(sporadic, handle) ? task : NULL;
}

static inline bool takti_holds_most(const struct takt_task *task)
{
    return (task->holds & TAKTI_HOLDS_COUNT) == TAKTI_HOLDS_COUNT;
}

#endif
