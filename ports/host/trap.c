/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of processes. A trap of the host is a change to the kernel's stack, and its end one to the task that goes on:
 * as on a processor, a waiting task has left nothing there.
 */
#include "kernel/port.h"

#if TAKT_PROCESSES
#include "kernel/process/process.h"
#include "ports/host/host.h"
#include "ports/host/trap.h"

static struct takt_task *running(void)
{
    return *(struct takt_task **)(void *)((uint8_t *)&takti_kernel + TAKTI_RUNNING);
}

static struct {
    uintptr_t words[4];
    uint32_t number;
    uintptr_t pc;
} trap; /* that is under way */

static void trap_serve(void)
{
    struct takt_task *task = running();
    takti_call_entry entry = trap.number < TAKTI_CALL_COUNT ? takti_call_table[trap.number] : NULL;
    uint64_t result = entry != NULL ? entry(trap.words[0], trap.words[1], trap.words[2], trap.words[3])
                                    : takti_call_unknown(trap.number);
    (void)takt_port_lock();
    if (takti_call_ended(task)) {
        takt_host_context_result_set(task->stack_pointer, result);
    }
}

static void trap_main(void *argument)
{
    (void)argument;
    for (;;) { /* one trap after the other */
        trap_serve();
        takt_host_trap_leave(running());
    }
}

uint64_t takt_host_call(uintptr_t first, uintptr_t second, uintptr_t third, uintptr_t fourth, uint32_t number)
{
    trap.words[0] = first;
    trap.words[1] = second;
    trap.words[2] = third;
    trap.words[3] = fourth;
    trap.number = number;
    trap.pc = (uintptr_t)__builtin_return_address(0); /* the stub jumped here */
    return takt_host_trap_enter(trap_main);
}

uintptr_t takt_port_call_pc(void)
{
    return trap.pc;
}

const char *takt_port_user_registers(const struct takt_task *task, uint32_t *registers, uintptr_t *pc)
{
    (void)task;
    (void)registers;
    *pc = 0;
    return NULL;
}

bool takt_host_owns(uintptr_t address, uintptr_t size)
{
    const struct takt_task *task = running();
    return (task->config->process->memory_size == 0 && address != 0) ||
           takt_host_context_owns(task->stack_pointer, address, size);
}

bool takt_port_map_make(struct takt_port_map *map, const struct takt_region *regions, unsigned count)
{
    (void)regions;
    map->regions = count;
    return true;
}

void takt_port_map_changed(void)
{
}

void takt_host_task_begin(const struct takt_task *task)
{
    const struct takt_task_config *config = task->config;
    takt_user_main(config->entry, config->argument, takti_process_repeats(config));
}
#endif
