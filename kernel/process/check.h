/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_CHECK_H
#define TAKTI_CHECK_H

/*
 * What the kernel asks before it does for a process what it asks of unprotected callers by assertions. Called locked,
 * in a trap: the running task is the caller. Whatever refuses has faulted the process; its entry returns 0 at once.
 */
#include "kernel/core/kernel.h"
#include "kernel/core/processes.h"
#include "kernel/process/process.h"
#include "kernel/process/quota.h"

/* A fault of the running task: `value` is the handle, pointer or number that was wrong. */
__attribute__((noinline, cold)) void takti_call_refuse(uintptr_t value);

/* The beginning of an entry of the table: calls.h has its name, process.h what it takes and returns. */
#define TAKTI_ENTRY(name, ...)                \
    uint64_t takti_entry_##name(__VA_ARGS__); \
    uint64_t takti_entry_##name(__VA_ARGS__)

static inline struct takt_process *takti_process_running(void)
{
    return takti_kernel.ready.running->config->process;
}

/* What the handle means to the running process, if it is of that kind and the process has the right; else NULL. */
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

/* Whether `size` bytes at `address`, which is aligned to `alignment`, lie in a region. */
static inline bool takti_within(uintptr_t base, uintptr_t region_size, uintptr_t address, uintptr_t size)
{
    return size <= region_size && address - base <= region_size - size;
}

/* A port whose tasks have stacks elsewhere than in the memory of their process says which other memory is theirs. */
#ifndef TAKT_PORT_OWNS
#define TAKT_PORT_OWNS(address, size) false
#endif

/* Whether the running process may write there: in its own memory. `alignment`: a power of two. */
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

/* Whether it may read there: in its own memory, its text or the shared text. */
static inline bool takti_readable(const void *pointer, uintptr_t size, uintptr_t alignment)
{
    const struct takt_process *process = takti_process_running();
    uintptr_t address = (uintptr_t)pointer;
    return ((address & (alignment - 1)) == 0 &&
            takti_within(process->memory_base, process->memory_size, address, size)) ||
           takti_readable_text(pointer, size, alignment);
}

/* Asks what the caller has to see to. */
static inline bool takti_required(bool condition, uintptr_t value)
{
    if (!condition) {
        takti_call_refuse(value);
    }
    return condition;
}

static inline bool takti_holds_most(const struct takt_task *task)
{
    return (task->holds & TAKTI_HOLDS_COUNT) == TAKTI_HOLDS_COUNT;
}

#endif
