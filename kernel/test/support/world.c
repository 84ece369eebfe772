/* SPDX-License-Identifier: Apache-2.0 */
#include "world.h"

#include "base/bitmap.h"
#include "base/heap.h"
#include "kernel/port.h"
#include "ports/host/host.h"
#include "ports/host/trap.h"

enum { END_SOURCE = 0, IRQ = 5, LEVEL_FIRST = 3 };

struct world world;
_Alignas(64) uint8_t world_memory[PROCESSES][MEMORY];
_Alignas(64) uint8_t world_shared[256];
const uint8_t world_text[64] = {1, 2, 3};
uint8_t world_outside[256];

static struct takt_task_config configs[TASKS];
static const uint8_t own_text[PROCESSES][64];
static uint8_t load[GUARD];
static struct takt_region regions[PROCESSES][3];
static uint16_t task_indices[PROCESSES][PROCESS_TASKS];
static struct takt_task_statistics statistics[TASKS];
static struct takt_arrivals arrivals[PROCESSES];
static uint64_t pending_ns[PROCESSES][4];
static uint64_t stacks[TASKS + 1][STACK / 8];
static uint8_t level_bands[TAKT_LEVELS];
static struct takt_trace_record ring[1 << 12];
struct takti_hint_copy takti_hint_copies[TASKS + PROCESSES * PLACES];
static uint8_t mailbox_storage[MESSAGE * 4];
static uint64_t priority_storage[8 * 4];
static uint8_t pipe_storage[16];
static uint64_t signal_storage[COPIES / 8];
static uint8_t *copies[PROCESSES];
static uint64_t pool_storage[(TAKT_POOL_BYTES(sizeof(struct takti_pool_token), BLOCKS) + 7) / 8];
static uint8_t *blocks[PROCESSES];
static uint64_t slot_storage[TAKT_SLOT_BYTES(MESSAGE, SLOT_MESSAGES) / 8];
static uint8_t *slot_copies[PROCESSES];
static uint8_t slot_holders[SLOT_MESSAGES];
static struct takt_slot_config slot_config = {
    .storage = slot_storage, .important = UINT32_MAX, .message_size = MESSAGE, .capacity = SLOT_MESSAGES, .id = 38};
static uint64_t state_storage[(TAKT_STATE_BYTES(16, 3) + 7) / 8];
TAKT_TIMERS_DEFINE(timers, 64);
#if TAKT_EDF
TAKT_EDF_DEFINE(edf, 1, TASKS + PROCESSES * PLACES);
#endif
static uint64_t buffers[PROCESSES][BUFFERS / 8];
static struct takt_system world_system;

uintptr_t world_handle(unsigned object)
{
    return object | (uintptr_t)world.objects[object].generation << 16;
}

const struct taktb_heap takti_heaps[PROCESSES]; /* as generated */
const struct taktb_heap takti_heaps[PROCESSES] = {{world_memory[0] + HEAP_AT, HEAP}, {world_memory[1] + HEAP_AT, HEAP}};

uint8_t *world_heap(unsigned process)
{
    return world_memory[process] + HEAP_AT;
}

void *world_buffer(unsigned process)
{
    return world_memory[process] + GUARD;
}

uint8_t *world_copies(unsigned process)
{
    return world_memory[process] + MEMORY - QUOTA - COPIES;
}

uint8_t *world_blocks(unsigned process)
{
    return world_copies(process) - BLOCK * BLOCKS;
}

uint8_t *world_slot_copies(unsigned process)
{
    return world_blocks(process) - sizeof slot_storage;
}

uint64_t world_call(enum takti_call_number number, uintptr_t first, uintptr_t second, uintptr_t third, uintptr_t fourth)
{
    return takt_host_call(first, second, third, fourth, (uint32_t)number);
}

static void task_entry(void *argument)
{
    unsigned task = (unsigned)(uintptr_t)argument;
    if (world.work[task] != NULL) {
        world.work[task](task);
    }
}

static void irq_comes(void)
{
    takti_process_interrupt(&world.interrupt);
}

static void alarm_comes(struct takt_alarm *alarm)
{
    (void)alarm;
}

static void at_end(void)
{
    takt_host_leave();
}

static void init(void)
{
    takt_port_irq_attach(END_SOURCE, at_end, true);
    takt_host_interrupt_every(END_SOURCE, world.end_ns, 0);
    takt_host_interrupt_every(IRQ, TAKT_MS(2), TAKT_MS(2));
    if (world.declare != NULL) {
        world.declare();
    }
}

static void task_make(unsigned process, unsigned kind)
{
    unsigned index = process * PROCESS_TASKS + kind;
    task_indices[process][kind] = (uint16_t)index;
    configs[index] = (struct takt_task_config){.release = TAKT_BACKGROUND,
                                               .style = TAKT_STYLE_ENTRY,
                                               .level = (uint8_t)(LEVEL_FIRST + index),
                                               .index = (uint16_t)index,
                                               .stack_size = STACK,
                                               .name = "t",
                                               .entry = task_entry,
                                               .argument = (void *)(uintptr_t)index,
                                               .stack = stacks[index],
                                               .statistics = &statistics[index],
                                               .process = &world.processes[process]};
    if (TAKT_JOBS && kind == PERIODIC) {
        configs[index].release = TAKT_PERIODIC;
        configs[index].period_ns = TAKT_MS(10);
        configs[index].deadline_ns = TAKT_MS(10);
    }
    if (TAKT_JOBS && kind == SPORADIC) {
        arrivals[process] = (struct takt_arrivals){.releases_ns = pending_ns[process], .capacity = 4};
        configs[index].release = TAKT_SPORADIC;
        configs[index].period_ns = TAKT_MS(5);
        configs[index].deadline_ns = TAKT_MS(5);
        configs[index].arrivals = &arrivals[process];
    }
}

static void object_make(unsigned index, enum takt_object_kind kind, void *object, unsigned owner)
{
    world.objects[index] = (struct takt_object){object, 1, (uint8_t)kind, (uint8_t)owner};
    for (unsigned process = 0; process < PROCESSES; process++) {
        bool may = owner == UINT8_MAX ? process < 2 : owner == process;
        world.rights[process][index] = may ? TAKT_RIGHT_USE | TAKT_RIGHT_GIVE | TAKT_RIGHT_MANAGE : 0;
    }
    if (index >= world.objects_used) {
        world.objects_used = index + 1;
    }
}

static void objects_init(void)
{
    takt_mutex_init(&world.mutex, 20);
    takt_mutex_init(&world.own_mutex, 21);
    takt_ceiling_init(&world.ceiling, 22, 2, 0);
    takt_semaphore_init(&world.semaphore, 23, NULL, 1, 4);
    takt_semaphore_init(&world.own_semaphore, 24, NULL, 2, 4);
#if TAKT_JOBS
    takt_semaphore_init(&world.trigger, 25, &world.tasks[SPORADIC], 0, 1);
#else
    takt_semaphore_init(&world.trigger, 25, NULL, 0, 1);
#endif
    takt_condition_init(&world.condition, 26);
    takt_events_init(&world.events, 27);
    takt_mailbox_init(&world.mailbox, 28, mailbox_storage, MESSAGE, 4, NULL);
    takt_priority_mailbox_init(&world.priority_mailbox, 29, priority_storage, MESSAGE, 4, NULL);
    takt_pipe_init(&world.pipe, 30, pipe_storage, sizeof pipe_storage);
    takt_rendezvous_init(&world.rendezvous, 31);
    takt_rendezvous_init(&world.exchange, 34);
    world.exchange.request_size = REQUEST;
    world.exchange.reply_size = REPLY;
    takt_signal_pool_init(&world.signals, signal_storage, SIGNAL, SIGNALS);
    copies[0] = world_copies(0);
    copies[1] = world_copies(1);
    *world.signals.in_process =
        (struct takti_signal_copies){(uint8_t *)signal_storage, copies, WORLD_SIGNALS | (uintptr_t)1 << 16};
    blocks[0] = world_blocks(0);
    blocks[1] = world_blocks(1);
    takt_pool_init(&world.pool, 37, pool_storage, sizeof(struct takti_pool_token), BLOCKS);
    *world.pool.in_process = (struct takti_pool_blocks){blocks, BLOCK};
    memset(pool_storage, 0, sizeof pool_storage);
    slot_copies[0] = world_slot_copies(0);
    slot_copies[1] = world_slot_copies(1);
    if (TAKT_FIFO_WAITERS) {
        *slot_config.in_turn = false;
    }
    takt_slot_init(&world.slot, &slot_config);
    *world.slot.in_process = (struct takti_slot_in_process){slot_copies, slot_holders, 0};
    memset(slot_holders, 0, sizeof slot_holders);
    memset(slot_storage, 0, sizeof slot_storage);
    takt_signal_queue_init(&world.queues[0], 35, &world.tasks[PERIODIC]);
    takt_signal_queue_init(&world.queues[1], 36, &world.tasks[PROCESS_TASKS + PERIODIC]);
    takt_alarm_init(&world.alarm, 32, alarm_comes, 0);
    takt_watchdog_init(&world.watchdog, 33, &world.tasks[PERIODIC], TAKT_S(100), TAKT_WATCHDOG_STOP, NULL);
    takt_state_init(&world.state, state_storage, 16, 3);
    world.shared.region =
        (struct takt_region){(uintptr_t)world_shared, sizeof world_shared, TAKT_ACCESS_READ | TAKT_ACCESS_WRITE, 0};
    world.device = (struct takt_region){(uintptr_t)world_outside, 32, TAKT_ACCESS_READ | TAKT_ACCESS_WRITE, 1};
    world.interrupt = (struct takt_process_interrupt){
        .handler = irq_comes, .task = &world.tasks[SPORADIC], .number = IRQ, .attached = UINT8_MAX};
}

void world_fifo(void)
{
    if (TAKT_FIFO_WAITERS) {
        *world.mutex.in_turn = *world.own_mutex.in_turn = true;
        *world.semaphore.in_turn = *world.own_semaphore.in_turn = true;
        *world.mailbox.in_turn = *world.priority_mailbox.in_turn = *slot_config.in_turn = true;
        *world.pool.in_turn = true;
    }
}

static void place_make(unsigned process, unsigned place, enum takt_object_kind kind, void *object)
{
    object_make(WORLD_PLACES + process * PROCESS_PLACES + place, kind, object, process);
    world.objects[WORLD_PLACES + process * PROCESS_PLACES + place].kind |= TAKT_OBJECT_FREE;
}

static void places_make(unsigned process)
{
    for (unsigned place = 0; place < PLACES; place++) {
        world.threads[process][place].index = (uint16_t)(TASKS + process * PLACES + place);
        place_make(process, place, TAKT_OBJECT_TASK, &world.threads[process][place]);
    }
    for (unsigned mutex = 0; mutex < 2; mutex++) {
        place_make(process, PLACE_MUTEX + mutex, TAKT_OBJECT_MUTEX, &world.created[process].mutexes[mutex]);
    }
    place_make(process, PLACE_CONDITION, TAKT_OBJECT_CONDITION, &world.created[process].condition);
    place_make(process, PLACE_EVENTS, TAKT_OBJECT_EVENTS, &world.created[process].events);
    place_make(process, PLACE_SEMAPHORE, TAKT_OBJECT_SEMAPHORE, &world.created[process].semaphore);
    place_make(process, PLACE_MAILBOX, TAKT_OBJECT_MAILBOX, &world.created[process].mailbox);
    place_make(process, PLACE_PIPE, TAKT_OBJECT_PIPE, &world.created[process].pipe);
    place_make(process, PLACE_PRIORITY_MAILBOX, TAKT_OBJECT_PRIORITY_MAILBOX, &world.created[process].priority_mailbox);
    world.created[process].alarm.alarm.id = (uint16_t)(40 + process);
    place_make(process, PLACE_ALARM, TAKT_OBJECT_ALARM, &world.created[process].alarm);
}

static void objects_make(void)
{
    for (unsigned task = 0; task < TASKS; task++) {
        object_make(task, TAKT_OBJECT_TASK, &world.tasks[task], task / PROCESS_TASKS < 2 ? UINT8_MAX : 2);
    }
    object_make(WORLD_MUTEX, TAKT_OBJECT_MUTEX, &world.mutex, UINT8_MAX);
    object_make(WORLD_CEILING, TAKT_OBJECT_CEILING, &world.ceiling, UINT8_MAX);
    object_make(WORLD_SEMAPHORE, TAKT_OBJECT_SEMAPHORE, &world.semaphore, UINT8_MAX);
    object_make(WORLD_TRIGGER, TAKT_OBJECT_SEMAPHORE, &world.trigger, UINT8_MAX);
    object_make(WORLD_CONDITION, TAKT_OBJECT_CONDITION, &world.condition, UINT8_MAX);
    object_make(WORLD_EVENTS, TAKT_OBJECT_EVENTS, &world.events, UINT8_MAX);
    object_make(WORLD_MAILBOX, TAKT_OBJECT_MAILBOX, &world.mailbox, UINT8_MAX);
    object_make(WORLD_PRIORITY_MAILBOX, TAKT_OBJECT_PRIORITY_MAILBOX, &world.priority_mailbox, UINT8_MAX);
    object_make(WORLD_PIPE, TAKT_OBJECT_PIPE, &world.pipe, UINT8_MAX);
    object_make(WORLD_RENDEZVOUS, TAKT_OBJECT_RENDEZVOUS, &world.rendezvous, UINT8_MAX);
    object_make(WORLD_ALARM, TAKT_OBJECT_ALARM, &world.alarm, UINT8_MAX);
    object_make(WORLD_WATCHDOG, TAKT_OBJECT_WATCHDOG, &world.watchdog, UINT8_MAX);
    object_make(WORLD_STATE, TAKT_OBJECT_STATE, &world.state, UINT8_MAX);
    object_make(WORLD_SHARED, TAKT_OBJECT_SHARED, &world.shared, UINT8_MAX);
    object_make(WORLD_DEVICE, TAKT_OBJECT_DEVICE, &world.device, UINT8_MAX);
    object_make(WORLD_INTERRUPT, TAKT_OBJECT_INTERRUPT, &world.interrupt, UINT8_MAX);
    object_make(WORLD_EXCHANGE, TAKT_OBJECT_RENDEZVOUS, &world.exchange, UINT8_MAX);
    object_make(WORLD_SIGNALS, TAKT_OBJECT_SIGNAL_POOL, &world.signals, UINT8_MAX);
    object_make(WORLD_QUEUE_A, TAKT_OBJECT_SIGNAL_QUEUE, &world.queues[0], UINT8_MAX);
    object_make(WORLD_QUEUE_B, TAKT_OBJECT_SIGNAL_QUEUE, &world.queues[1], UINT8_MAX);
    object_make(WORLD_POOL, TAKT_OBJECT_POOL, &world.pool, UINT8_MAX);
    object_make(WORLD_SLOT, TAKT_OBJECT_SLOT, &world.slot, UINT8_MAX);
    object_make(WORLD_OWN_MUTEX, TAKT_OBJECT_MUTEX, &world.own_mutex, 0);
    object_make(WORLD_OWN_SEMAPHORE, TAKT_OBJECT_SEMAPHORE, &world.own_semaphore, 0);
    object_make(WORLD_PROCESS_A, TAKT_OBJECT_PROCESS, &world.processes[0], UINT8_MAX);
    object_make(WORLD_PROCESS_B, TAKT_OBJECT_PROCESS, &world.processes[1], UINT8_MAX);
    object_make(WORLD_PROCESS_C, TAKT_OBJECT_PROCESS, &world.processes[2], 2);
    for (unsigned process = 0; process < PROCESSES; process++) {
        places_make(process);
    }
}

static void process_make(unsigned index, unsigned restarts_max)
{
    uint8_t access = TAKT_ACCESS_READ | TAKT_ACCESS_EXECUTE;
    regions[index][0] = (struct takt_region){(uintptr_t)world_text, sizeof world_text, access, 0};
    regions[index][1] = (struct takt_region){(uintptr_t)own_text[index], sizeof own_text[index], access, 0};
    regions[index][2] =
        (struct takt_region){(uintptr_t)world_memory[index], MEMORY, TAKT_ACCESS_READ | TAKT_ACCESS_WRITE, 0};
    world.process_configs[index] =
        (struct takt_process_config){.name = "p",
                                     .regions = regions[index],
                                     .rights = world.rights[index],
                                     .data_load = load,
                                     .data_size = GUARD,
                                     .zero_size = MEMORY - GUARD - QUOTA,
                                     .quota_size = QUOTA,
                                     .tasks = task_indices[index],
                                     .task_count = PROCESS_TASKS,
                                     .buffers = (uint8_t *)buffers[index],
                                     .buffers_size = BUFFERS,
                                     .slot_first = (uint16_t)(WORLD_PLACES + index * PROCESS_PLACES),
                                     .slot_count = PROCESS_PLACES,
                                     .thread_level = LEVEL_FIRST + TASKS,
                                     .board = index < 2 ? TAKT_BOARD_CONSOLE | TAKT_BOARD_SERIAL : 0,
                                     .region_count = 3,
                                     .index = (uint8_t)index,
                                     .on_fault = restarts_max == 0 ? TAKT_ON_FAULT_STOP : TAKT_ON_FAULT_RESTART,
                                     .restarts_max = (uint8_t)restarts_max,
                                     .alarms_apart_ns = {TAKT_MS(ALARMS_APART_MS)}};
}

void world_new(unsigned restarts_max)
{
    memset(&world, 0, sizeof world);
    memset(&takt_process_faults, 0, sizeof takt_process_faults);
    memset(statistics, 0, sizeof statistics);
    for (unsigned byte = 0; byte < GUARD; byte++) {
        load[byte] = (uint8_t)(byte * 7 + 1);
    }
    memset(world_outside, 0x5A, sizeof world_outside);
    for (unsigned process = 0; process < PROCESSES; process++) {
        process_make(process, restarts_max);
        for (unsigned kind = 0; kind < PROCESS_TASKS; kind++) {
            task_make(process, kind);
        }
    }
    objects_init();
    objects_make();
    world_system = (struct takt_system)
    {
        .configs = configs, .tasks = world.tasks, .level_bands = level_bands, .init = init,
#if TAKT_EDF
        .edf = &edf,
#endif
        .timers = &timers, .idle_stack = stacks[TASKS], .idle_stack_size = STACK, .trace_records = ring,
        .trace_capacity = 1 << 12, .task_count = TASKS, .object_count = (uint16_t)world.objects_used,
        .process_count = PROCESSES, .objects = world.objects, .processes = world.processes,
        .process_configs = world.process_configs
    };
    takt_host_reset();
}

void world_admission(const struct takt_admission *admission)
{
    world_system.admission = admission;
}

void world_wcet(unsigned task, uint64_t wcet_ns)
{
    configs[task].wcet_ns = wcet_ns;
}

#if TAKT_PROCESS_START
void world_on_call(unsigned process)
{
    *world.process_configs[process].on_call = true;
}
#endif

void world_odd_quota(unsigned process)
{
    regions[process][2].size -= TAKT_GRANULE / 2;
    world.process_configs[process].quota_size -= TAKT_GRANULE / 2;
}

void world_promote(unsigned task, unsigned level)
{
    configs[task].level = (uint8_t)level;
}

void world_kernel_task(unsigned task, void (*entry)(void *argument))
{
    unsigned process = task / PROCESS_TASKS;
    configs[task].process = NULL;
    configs[task].level = 0;
    configs[task].entry = entry;
    world.process_configs[process].task_count--; /* it was the last */
}

#if TAKT_BUDGETS
void world_limit(unsigned task, struct takt_budget *budget)
{
    configs[task].budget = budget;
}
#endif

void world_no_memory(unsigned process)
{
    struct takt_process_config *config = &world.process_configs[process];
    regions[process][2].size = 0;
    config->data_size = config->zero_size = config->quota_size = 0;
}

void world_all_data(unsigned process, const uint8_t *bytes)
{
    struct takt_process_config *config = &world.process_configs[process];
    config->data_load = bytes;
    config->data_size += config->zero_size;
    config->zero_size = 0;
}

#if TAKT_JOBS
void world_deadline(unsigned task, struct takt_deadline_timer *timer, void (*hook)(struct takt_task *task))
{
    configs[task].on_miss = TAKT_MISS_NOTIFY;
    configs[task].deadline_timer = timer;
    configs[task].miss_hook = hook;
}
#endif

void world_loop(unsigned task)
{
    configs[task].style = TAKT_STYLE_LOOP;
}

#if TAKT_EDF
void world_edf(unsigned level)
{
    takt_bitmap_set(world_system.edf_levels, TAKT_LEVEL_WORDS, level);
}
#endif

static void start(void *argument)
{
    (void)argument;
    takt_start(&world_system);
}

void world_run(unsigned end_ms)
{
    world.end_ns = TAKT_MS(end_ms);
    takt_host_enter(start, NULL);
}
