/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the end of a process and its new start take from others, ns. Options tasks, edf, contended, and own: so many of
 * the tasks are of the process, all others of another. The best task takes all mutexes, of which there are as many as
 * tasks but no more than 32, waits until most others wait for one each (with contended = 1; else for nothing), and
 * faults; there are as many semaphores, which only the process uses. A task of the other process, above all others by
 * then, looks at the clock all the time; a gap between two looks is the kernel's, and is put down to what became of the
 * process meanwhile. The kernel gives up all those mutexes before a task runs: here each waits for a look, so a fault
 * is measured where there are none. The result is one line of JSON with the longest of each sort.
 */
#include <string.h>

#include "benchmarks/print.h"
#include "counter.h"
#include "kernel/core/kernel.h"
#include "kernel/process/restart.h"
#include "protected.h"
#include "takt/board.h"

enum { TASKS_MAX = TAKT_LEVELS - 2, STACK_SIZE = 512, LOOKER = TASKS_MAX, LEVEL_LOOKER = 1, PART = 4096 };
enum { MEMORY = 65536, HELD_MAX = 32, SPARE = 32 };

#define MUTEX_NS TAKT_US(200)

static const uint64_t duration_ns = TAKT_MS(1700);
static const uint64_t period_ns = TAKT_MS(400); /* longer than a restart */
#define LOOKING_TICKS ((uint32_t)(TAKT_MS(370) / TICK_NS))
#define LOOK_TICKS (25u * INSTRUCTION_NS / TICK_NS)

/* The process's: data, zeros, stacks. */
static struct {
    uint8_t data[PART];
    uint8_t zeros[PART];
    uint8_t stacks[TASKS_MAX][STACK_SIZE];
} memory __attribute__((aligned(MEMORY)));
_Static_assert(sizeof memory <= MEMORY, "a region");
static const uint8_t data_load[PART] = {1};

static uint8_t looker_stack[STACK_SIZE] __attribute__((aligned(32)));
static struct takt_task_config task_configs[TASKS_MAX + 1];
static struct takt_task tasks[TASKS_MAX + 1];
static struct takt_task_statistics statistics[TASKS_MAX + 1];
#if TAKT_BUDGETS
static struct takt_budget budgets[TASKS_MAX + 1];
#endif
static struct takt_mutex mutexes[TASKS_MAX];
static uintptr_t mutex_handles[TASKS_MAX];
static struct takt_semaphore semaphores[TASKS_MAX];
static uint16_t mine[TASKS_MAX]; /* tasks of the process */
static uint64_t stack_idle[128];
static const uint8_t level_bands[TAKT_LEVELS];
static struct takt_trace_record records[1024];
static struct takti_call end_call;

static void init(void);
TAKT_TIMERS_DEFINE(timers, 2 * (TASKS_MAX + 1) + 4);
TAKT_EDF_DEFINE(edf_room, 1, TASKS_MAX + 1);
extern struct takt_system takt_system;
extern const uint64_t takt_proof_hash;
const uint64_t takt_proof_hash = 0;
struct takt_system takt_system = {
    .level_bands = level_bands,
    .edf = &edf_room,
    .init = init,
    .idle_stack = stack_idle,
    .idle_stack_size = sizeof stack_idle,
    .timers = &timers,
    .trace_records = records,
    .trace_capacity = sizeof records / sizeof records[0],
};

static struct takt_system started;
static struct takt_process_config process_configs[PROTECTED_PROCESSES];
static struct takt_region regions[TAKT_PROCESS_REGIONS];
static uint8_t spare[TAKT_PROCESS_REGIONS][SPARE] __attribute__((aligned(SPARE)));
static unsigned task_count;
static unsigned mutex_count;
static bool contended;            /* others wait for the mutexes */
static unsigned own_step;         /* every so many-th task is the process's, the first one always */
static volatile uint32_t faulted; /* when */

struct look {
    uint32_t before;
    uint32_t now;
};
static uint32_t fault_most, piece_most, mutex_most, regions_most, restarts;

static uint64_t option(const char *name, uint64_t otherwise)
{
    uint64_t value;
    return takt_board_option(name, &value) ? value : otherwise;
}

void takt_user_fault_raise(uint32_t reason, const char *file, uint32_t line);
uint32_t takt_user_mutex_lock(uintptr_t mutex);
void takt_user_mutex_unlock(uintptr_t mutex);
void takt_user_delay(uint64_t duration_ns);

/* The best: the others begin their jobs while it waits. */
static void faulty(void *argument)
{
    (void)argument;
    for (unsigned i = 0; i < mutex_count; i++) {
        (void)takt_user_mutex_lock(mutex_handles[i]);
    }
    takt_user_delay(TAKT_MS(25));
    faulted = COUNTER;
    takt_user_fault_raise(0, "", 1);
}

static void waiter(void *argument)
{
    uintptr_t mutex = mutex_handles[(uintptr_t)argument % mutex_count];
    if (contended && takt_user_mutex_lock(mutex) == TAKT_OK) {
        takt_user_mutex_unlock(mutex);
    }
}

/* A piece; one that gives up a mutex comes a while after the one before. */
static void piece(struct takti_call *call)
{
    static bool waited;
    waited = protected_processes[0].phase == TAKTI_PHASE_MUTEXES && !waited;
    if (waited) {
        takti_call_at(call, takt_now() + MUTEX_NS, piece);
    } else {
        takti_process_step(call);
    }
}

/* In the kernel's mode, locked. */
static void gap_found(void *argument)
{
    static uint32_t faults, made;
    static uint8_t state, phase;
    static uint16_t at;
    const struct look *look = argument;
    uint32_t gap = look->now - look->before;
    struct takt_process *process = &protected_processes[0];
    uint32_t *most = NULL;
    if (takt_process_faults.count != faults) {
        most = &fault_most;
        gap = look->now - faulted;
        process->regions[process->region_count++] = regions[0]; /* as if it had attached something */
    } else if (process->phase != phase || process->at != at || process->made != made) {
        most = phase == TAKTI_PHASE_MUTEXES ? &mutex_most : phase == TAKTI_PHASE_REGIONS ? &regions_most : &piece_most;
        restarts += process->state == TAKTI_PROCESS_RUNS && state != TAKTI_PROCESS_RUNS ? 1 : 0;
    }
    if (most != NULL && gap > *most) {
        *most = gap;
    }
    faults = takt_process_faults.count;
    state = process->state;
    phase = process->phase;
    at = process->at;
    made = process->made;
}

/* A job: from before the fault until the process has started again. */
static void look_all_the_time(void *argument)
{
    (void)argument;
    uint32_t began = COUNTER;
    for (struct look look = {began, began}; look.now - began < LOOKING_TICKS;) {
        look.now = COUNTER;
        if (look.now - look.before > LOOK_TICKS) {
            in_kernel(gap_found, &look);
            look.now = COUNTER;
        }
        look.before = look.now;
    }
}

static void finish(struct takti_call *due)
{
    (void)due;
    print_number("{\"fault\": ", (uint64_t)fault_most * TICK_NS);
    print_number(", \"piece\": ", (uint64_t)piece_most * TICK_NS);
    print_number(", \"mutex\": ", (uint64_t)mutex_most * TICK_NS);
    print_number(", \"regions\": ", (uint64_t)regions_most * TICK_NS);
    print_number(", \"restarts\": ", restarts);
    print_number(", \"instruction_ns\": ", INSTRUCTION_NS);
    print("}\n");
    takt_board_exit(restarts == 0 || fault_most == 0 || piece_most == 0 || (contended && mutex_most == 0) ||
                    regions_most == 0);
}

static void start(unsigned index, struct takt_task_config config, bool own)
{
    config.name = "restart";
    config.index = (uint16_t)index;
    config.statistics = &statistics[index];
    config.process = &protected_processes[own ? 0 : 1];
    config.stack = index == LOOKER ? looker_stack : memory.stacks[index];
    config.stack_size = STACK_SIZE;
#if TAKT_BUDGETS
    budgets[index] = (struct takt_budget){.full_ns = 2 * duration_ns, .policy = TAKT_BUDGET_NOTIFY};
    config.budget = &budgets[index];
#endif
    task_configs[index] = config;
    (void)protected_handle(&tasks[index], TAKT_OBJECT_TASK);
    if (takt_task_start(&tasks[index], &task_configs[index]) != TAKT_OK) {
        takt_board_exit(2);
    }
}

static uintptr_t owned(void *object, enum takt_object_kind kind)
{
    uintptr_t handle = protected_handle(object, kind);
    started.objects[handle & UINT16_MAX].owner = 0;
    return handle;
}

static void init(void)
{
    bool edf = option("edf", 0) != 0;
    for (unsigned i = 0; i < task_count; i++) {
        start(i,
              (struct takt_task_config){
                  .entry = i == 0 ? faulty : waiter,
                  .argument = (void *)(uintptr_t)i,
                  .release = TAKT_PERIODIC,
                  .level = (uint8_t)(edf || i == 0 ? 0 : LEVEL_LOOKER + i),
                  .period_ns = period_ns,
                  .deadline_ns = period_ns - 100000 + i * 1000,
                  .offset_ns = TAKT_MS(5) + (i == 0 ? 0 : TAKT_MS(10) - i * TAKT_US(100)),
              },
              i % own_step == 0);
        takt_mutex_init(&mutexes[i], (uint16_t)i);
        mutex_handles[i] = owned(&mutexes[i], TAKT_OBJECT_MUTEX);
        takt_semaphore_init(&semaphores[i], (uint16_t)i, NULL, 0, 1);
        (void)owned(&semaphores[i], TAKT_OBJECT_SEMAPHORE);
    }
    start(LOOKER,
          (struct takt_task_config){
              .entry = look_all_the_time,
              .release = TAKT_PERIODIC,
              .level = (uint8_t)(edf ? 0 : LEVEL_LOOKER),
              .period_ns = period_ns,
              .deadline_ns = period_ns - TAKT_MS(20), /* sooner than the waiters', later than that of the best */
              .offset_ns = TAKT_MS(25),
          },
          false);
    takti_call_at(&end_call, duration_ns, finish);
    protected_processes[0].restart_call.function = piece;
    started.configs = task_configs;
    started.tasks = tasks;
    started.task_count = TASKS_MAX + 1;
    started.object_count = (uint16_t)(1 + 1 + 3 * task_count);
}

_Noreturn void __real_takt_start(const struct takt_system *system);
_Noreturn void __wrap_takt_start(const struct takt_system *system);

/* The linker puts this before the kernel's: the process is not as others of these measurements. */
_Noreturn void __wrap_takt_start(const struct takt_system *system)
{
    static struct takt_edf_space room;
    task_count = (unsigned)option("tasks", TASKS_MAX);
    own_step = task_count / (unsigned)option("own", task_count);
    mutex_count = task_count < HELD_MAX ? task_count : HELD_MAX;
    contended = option("contended", 1) != 0;
    started = *system;
    room = edf_room;
    started.edf = &room;
    started.edf_levels[0] = option("edf", 0) != 0 ? TAKT_BITMAP_BIT(0) : 0;
    protected_declare(&started);
    memcpy(process_configs, started.process_configs, sizeof process_configs);
    memcpy(regions, process_configs[0].regions, process_configs[0].region_count * sizeof regions[0]);
    regions[3] = regions[2]; /* all of the memory, which its files are in */
    regions[2] = (struct takt_region){(uintptr_t)&memory, MEMORY, TAKT_ACCESS_READ | TAKT_ACCESS_WRITE, false};
    regions[4] = process_configs[0].regions[3];                          /* the counter */
    while (process_configs[0].region_count < TAKT_PROCESS_REGIONS - 1) { /* as many as can be declared, less one */
        unsigned number = process_configs[0].region_count++;
        regions[number] = (struct takt_region){(uintptr_t)spare[number], SPARE, TAKT_ACCESS_READ, false};
    }
    for (unsigned i = 0; i < task_count; i += own_step) {
        mine[process_configs[0].task_count++] = (uint16_t)i;
    }
    process_configs[0].regions = regions;
    process_configs[0].tasks = mine;
    process_configs[0].data_load = data_load;
    process_configs[0].data_size = PART;
    process_configs[0].zero_size = PART;
    process_configs[0].on_fault = TAKT_ON_FAULT_RESTART;
    process_configs[0].restarts_max = UINT8_MAX;
    started.process_configs = process_configs;
    __real_takt_start(&started);
}
