/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/src/kernel.h"

#include <string.h>

static void idle_prepare(const struct takt_system *system)
{
    takti_kernel.idle_config = (struct takt_task_config){.name = "idle",
                                                         .stack = system->idle_stack,
                                                         .stack_size = system->idle_stack_size,
                                                         .index = TAKT_TRACE_IDLE,
                                                         .release = TAKT_BACKGROUND};
    struct takt_task *idle = &takti_kernel.idle;
    idle->config = &takti_kernel.idle_config;
    idle->level = TAKT_LEVELS - 1;
    idle->job_number = UINT32_MAX;
    *(uint32_t *)system->idle_stack = TAKT_FAULT_MAGIC; /* guard word */
    idle->trace_identity = (uint32_t)UINT8_MAX << 8 | (uint32_t)TAKT_TRACE_IDLE << 16;
    takt_port_context_init(idle);
}

static void fill_stack(void *stack, uint32_t size)
{
    if (TAKT_TRACE) { /* so that takt_trace_statistics can tell how much was used */
        memset(stack, TAKT_STACK_FILL, size);
    }
}

static void idle_entry(void *argument)
{
    (void)argument;
    uint32_t state = takt_port_lock();
    takti_kernel.started = true;
    takti_timers_program();
    takti_reschedule();
    takt_port_unlock(state);
    if (takti_kernel.system->cooperative) {
        takti_cooperate();
    }
    takti_idle();
}

_Noreturn void takt_start(const struct takt_system *system)
{
    memset(&takti_kernel, 0, sizeof takti_kernel);
    takti_kernel.system = system;
    memcpy(takti_kernel.ready.edf, system->edf_levels, sizeof system->edf_levels);
    TAKT_ASSERT((system->trace_capacity & (system->trace_capacity - 1u)) == 0);
    takti_kernel.trace.records = system->trace_capacity < 128 ? NULL : system->trace_records;
    takti_kernel.trace.mask = system->trace_capacity - 1u;
    takti_kernel.first_miss_deadline_ns = TAKT_FOREVER;
    takti_kernel.running = &takti_kernel.idle;
    takti_timers_init();
    fill_stack(system->idle_stack, system->idle_stack_size);
    idle_prepare(system);
    takti_kernel.idle_config.entry = idle_entry;
    for (uint16_t index = 0; index < system->task_count; index++) {
        fill_stack(system->configs[index].stack, system->configs[index].stack_size);
    }
    takt_port_init();
    uint32_t state = takt_port_lock();
    for (uint16_t index = 0; index < system->task_count; index++) {
        memset(&system->tasks[index], 0, sizeof system->tasks[index]);
        takti_task_prepare(&system->tasks[index], &system->configs[index], 0);
        if (system->admission != NULL) { /* not started: without proof */
            enum takt_status status = system->admission->add(&system->tasks[index], &system->configs[index], state);
            TAKT_ASSERT(status == TAKT_OK); /* capacity >= task_count */
        }
    }
    if (system->init != NULL) {
        system->init();
    }
    while (takti_timer_serve_first(0)) { /* the synchronous first release: at most one per task */
    }
    takti_kernel.clock_runs = true;
    takt_port_start(&takti_kernel.idle);
}
