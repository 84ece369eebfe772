/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/core/kernel.h"
#include "kernel/core/processes.h"

#include <string.h>

/* Idle is always ready, in the last level. Until the system has started it precedes every task. */
static void idle_prepare(const struct takt_system *system)
{
    struct takt_task *idle = &takti_kernel.idle;
    takti_kernel.idle_config.stack = system->idle_stack;
    takti_kernel.idle_config.stack_size = system->idle_stack_size;
    idle->config = &takti_kernel.idle_config;
    idle->level = &takti_kernel.ready.levels[TAKT_LEVELS - 1];
    idle->level_bit = TAKT_BITMAP_BIT(TAKT_LEVELS - 1);
    idle->timer.state = TAKTI_READY;
    (void)takti_ready_insert(idle, TAKTI_LAST);
    if (!TAKTI_OPTIMIZE_SIZE) {
        idle->level = NULL;
    }
    if (TAKT_TRACE) {
        takti_kernel.idle_config.name = "idle";
        takti_kernel.idle_config.index = TAKT_TRACE_IDLE;
        idle->trace->job_number = TAKT_TRACE_NO_JOB;
        idle->trace->identity = (uint32_t)TAKT_TRACE_NO_BAND << 8 | (uint32_t)TAKT_TRACE_IDLE << 16;
    }
    if (TAKT_STACK_CHECKS) {
        *(uint32_t *)system->idle_stack = TAKT_FAULT_MAGIC; /* guard word */
    }
    takt_port_context_init(idle);
}

static void fill_stack(void *stack, uint32_t size)
{
    if (TAKT_TRACE) { /* so that takt_trace_statistics can measure the use */
        memset(stack, TAKT_STACK_FILL, size);
    }
}

static void idle_entry(void *argument)
{
    (void)argument;
    uint32_t lock = takt_port_enter();
    if (!TAKTI_OPTIMIZE_SIZE) {
        takti_kernel.idle.level = &takti_kernel.ready.levels[TAKT_LEVELS - 1];
    }
    takti_kernel.timers.running = true;
    takti_timers_program();
    (void)takti_reschedule(lock);
    if (TAKT_COOPERATIVE) {
        takti_cooperate();
    }
    takti_idle();
}

/* Checks the tables against the build of the kernel. */
static void check_system(const struct takt_system *system)
{
    uint32_t edf = 0;
    for (unsigned word = 0; word < TAKT_LEVEL_WORDS; word++) {
        edf |= system->edf_levels[word];
    }
    TAKT_ASSERT(TAKT_EDF || edf == 0);
    TAKT_ASSERT(TAKT_JOBS || system->admission == NULL);
    TAKT_ASSERT(TAKT_SLICES || system->level_quanta_ns == NULL);
    TAKT_ASSERT((system->trace_capacity & (system->trace_capacity - 1u)) == 0);
}

static void tasks_start(const struct takt_system *system)
{
    const struct takt_task_config *config = system->configs;
    const struct takt_task_config *end = config + system->task_count;
    for (struct takt_task *task = system->tasks; config != end; task++, config++) {
        fill_stack(config->stack, config->stack_size);
        (void)takti_task_start(task, config);
        if (TAKT_JOBS && system->admission != NULL) { /* before the start: without proof */
            enum takt_status status = system->admission->add(task, config, 0);
            TAKT_ASSERT(status == TAKT_OK); /* capacity >= task_count */
        }
    }
}

/* Resets the kernel's state to that at power-on. */
void takti_reset(void)
{
    memset(&takti_kernel, 0, sizeof takti_kernel);
}

_Noreturn void takt_start(const struct takt_system *system)
{
    takti_kernel.system = system;
    takti_kernel.ready.running = &takti_kernel.idle;
    takti_kernel.ready.next = &takti_kernel.idle;
    check_system(system);
    if (TAKT_SLICES) {
        takti_kernel.slice->state = TAKTI_TIMER_SLICE;
    }
    if (TAKT_BUDGETS) {
        takti_kernel.budgets->timer.state = TAKTI_TIMER_BUDGET;
    }
    if (TAKT_TRACE) {
        takti_trace_start(system->trace_records, system->trace_capacity);
    }
    takti_engine_init();
    takt_port_init();
    fill_stack(system->idle_stack, system->idle_stack_size);
    idle_prepare(system);
    takti_kernel.idle_config.entry = idle_entry;
    if (TAKT_PROCESSES) {
        takti_processes_start(system);
    }
    if (TAKT_SERVERS) {
        takti_servers_start(system);
    }
    tasks_start(system);
    if (TAKT_PROCESS_START) {
        takti_processes_hold(system);
    }
    if (TAKT_SERVERS) {
        takti_servers_started(system);
    }
    if (system->init != NULL) {
        system->init();
    }
    if (TAKT_PROCESSES) {
        takti_processes_declare(system);
    }
    if (TAKT_JOBS) { /* the synchronous first release */
        takti_timers_serve(takt_port_enter());
    }
    (void)takt_port_enter();
    takti_kernel.ready.next = &takti_kernel.idle;
    takti_kernel.clock_runs = true;
    takt_port_start(&takti_kernel.idle);
}

uint64_t takt_now(void)
{
    uint32_t lock = takt_port_lock();
    uint64_t now_ns = takti_clock_ns();
    takt_port_unlock(lock);
    return now_ns;
}
