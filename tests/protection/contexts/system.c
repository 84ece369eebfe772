/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's side: tables. */
#include "kernel_side.h"
#include "target.h"

#define READ_EXECUTE (TAKT_ACCESS_READ | TAKT_ACCESS_EXECUTE)
#define READ_WRITE (TAKT_ACCESS_READ | TAKT_ACCESS_WRITE)
uint8_t contexts_lent[LENT_SIZE] __attribute__((aligned(LENT_SIZE)));
static const struct takt_region a_regions[] = {
    {(uintptr_t)user_shared_start, SHARED_SIZE, READ_EXECUTE, false},
    {(uintptr_t)user_a_text_start, TEXT_SIZE, READ_EXECUTE, false},
    {(uintptr_t)user_a_memory_start, A_SIZE, READ_WRITE, false},
    TARGET_INTERRUPT,
    {(uintptr_t)contexts_lent + LENT_SIZE / 8, LENT_SIZE / 8 * 5, TAKT_ACCESS_READ, false},
};
static const struct takt_region b_regions[] = {
    {(uintptr_t)user_shared_start, SHARED_SIZE, READ_EXECUTE, false},
    {(uintptr_t)user_b_text_start, TEXT_SIZE, READ_EXECUTE, false},
    {(uintptr_t)user_b_memory_start, B_SIZE, READ_WRITE, false},
    TARGET_INTERRUPT,
    {(uintptr_t)contexts_lent, LENT_SIZE / 8 * 3, READ_WRITE, false},
    {(uintptr_t)contexts_lent + LENT_SIZE / 8 * 3, LENT_SIZE / 8 * 2, READ_WRITE, false},
    {(uintptr_t)contexts_lent + LENT_SIZE / 8 * 5, LENT_SIZE / 8 * 3, READ_WRITE, false},
};
static const uint16_t a_tasks[] = {TASK_FIRST, TASK_LOW, TASK_TWIN};
static const uint16_t b_tasks[] = {TASK_OTHER};
static const uint8_t no_rights[TASKS];
static const struct takt_process_config process_configs[] = {
    {.name = "a",
     .regions = a_regions,
     .region_count = 5,
     .rights = no_rights,
     .zero_size = A_SIZE,
     .tls = user_a_memory_start,
     .tasks = a_tasks,
     .task_count = 3,
     .index = 0},
    {.name = "b",
     .regions = b_regions,
     .region_count = 7,
     .rights = no_rights,
     .zero_size = B_SIZE,
     .tls = user_b_memory_start,
     .tasks = b_tasks,
     .task_count = 1,
     .index = 1},
};
static struct takt_process processes[] = {{.config = &process_configs[0]}, {.config = &process_configs[1]}};

const struct takt_task_config contexts_configs[TASKS] = {
    {.release = TAKT_PERIODIC,
     .style = TAKT_STYLE_LOOP,
     .on_miss = TAKT_MISS_SKIP,
     .level = 1,
     .index = TASK_FIRST,
     .stack_size = STACK,
     .name = "first",
     .entry = first_entry,
     .argument = (void *)FIRST_ARGUMENT,
     .stack = A_STACK_FIRST,
     .period_ns = TAKT_MS(1),
     .deadline_ns = TAKT_MS(1),
     .process = &processes[0]},
    {.level = 2,
     .index = TASK_OTHER,
     .stack_size = STACK,
     .name = "other",
     .entry = other_entry,
     .stack = B_STACK,
     .process = &processes[1]},
    {.level = 2,
     .index = TASK_LOW,
     .stack_size = STACK,
     .name = "low",
     .entry = low_entry,
     .argument = (void *)LOW_ARGUMENT,
     .stack = A_STACK_LOW,
     .process = &processes[0]},
    {.level = 2,
     .index = TASK_TWIN,
     .stack_size = STACK,
     .name = "twin",
     .entry = twin_entry,
     .stack = A_STACK_TWIN,
     .process = &processes[0]},
};

struct takt_task contexts_tasks[TASKS];
static struct takt_object objects[TASKS];
static uint64_t idle_stack[128];
static const uint8_t level_bands[TAKT_LEVELS];
TAKT_TIMERS_DEFINE(timers, 16);
struct takt_semaphore contexts_semaphores[SEMAPHORES];

/* A device's interrupt all the time. */
enum { DEVICE = 20 };
static volatile uint32_t interrupts;

static void device_handler(void)
{
    interrupts++;
    if (contexts_storming()) {
        contexts_fault(FAULT_INTERRUPT);
    }
}

void takt_hook_idle(void)
{
    contexts_fault(FAULT_IDLE);
}

static void wake_first(void)
{
#ifdef TARGET_ACKNOWLEDGE
    TARGET_ACKNOWLEDGE;
#endif
    (void)takt_semaphore_post(&contexts_semaphores[FIRST]);
}

static void restart_due(struct takti_call *due)
{
    (void)due;
    contexts_posts++;
    uint32_t lock = takt_port_enter();
    takti_task_stop(&contexts_tasks[TASK_OTHER]);
    (void)takti_task_start(&contexts_tasks[TASK_OTHER], &contexts_configs[TASK_OTHER]);
    (void)takti_reschedule(lock);
}

uint64_t contexts_restart(uintptr_t after_ns, uintptr_t b, uintptr_t c, uintptr_t d)
{
    static struct takti_call timer;
    (void)b;
    (void)c;
    (void)d;
    takti_call_at(&timer, takt_now() + after_ns, restart_due);
    return 0;
}

static void init(void)
{
    target_kernel_init();
    takt_port_irq_attach(TARGET_IRQ, wake_first, true);
    for (unsigned i = 0; i < 2; i++) {
        struct takt_process *process = &processes[i];
        process->region_count = process->config->region_count;
        memcpy(process->regions, process->config->regions, process->region_count * sizeof process->regions[0]);
        if (!takt_port_map_make(&process->map, process->regions, process->region_count)) {
            contexts_report("regions", "do not fit");
        }
    }
    for (unsigned i = 0; i < SEMAPHORES; i++) {
        takt_semaphore_init(&contexts_semaphores[i], (uint16_t)i, NULL, 0, 1000);
    }
    takt_port_irq_attach(DEVICE, device_handler, true);
    takt_board_interrupt_every(DEVICE, 1000, 47300);
}

extern const struct takt_system takt_system;
extern const uint64_t takt_proof_hash;
const uint64_t takt_proof_hash = 0;
const struct takt_system takt_system = {
    .configs = contexts_configs,
    .tasks = contexts_tasks,
    .task_count = TASKS,
    .level_bands = level_bands,
    .init = init,
    .idle_stack = idle_stack,
    .idle_stack_size = sizeof idle_stack,
    .timers = &timers,
    .object_count = TASKS,
    .process_count = 2,
    .objects = objects,
    .processes = processes,
    .process_configs = process_configs,
};
