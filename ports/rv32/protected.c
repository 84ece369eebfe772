/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/protection.h"
#if TAKT_PROCESSES
#include "kernel/process/process.h"
#include "takt_rv32.h"

/* Contexts of user mode, their faults, and what the PMP is told. The traps are in trap_protected.c. */

#define PMP_TOR 0x08u
#define PMP_NA4 0x10u
#define PMP_NAPOT 0x18u
#define MSTATUS_MPIE (UINT32_C(1) << 7)
#define MSTATUS_MPP (UINT32_C(3) << 11)
#define MSTATUS_TW (UINT32_C(1) << 21) /* WFI of user mode is a fault */

_Static_assert((int)TAKT_ACCESS_READ == 1 && (int)TAKT_ACCESS_WRITE == 2 && (int)TAKT_ACCESS_EXECUTE == 4,
               "the bits of pmpcfg");

void takt_port_init(void)
{
    __asm volatile("csrw mie, zero");
    __asm volatile("csrc mstatus, %0" : : "r"(MSTATUS_MPP));
    __asm volatile("csrs mstatus, %0" : : "r"(MSTATUS_MPIE | MSTATUS_TW));
    takt_rv32_map = NULL; /* a system that starts after another */
}

void takt_port_start(struct takt_task *first)
{
    takt_rv32_clock_start();
    __asm volatile("csrw mie, %0" : : "r"(TAKT_RV32_INTERRUPTS));
    takt_rv32_enter(first);
}

/* Where idle starts, unlocked, s0 = its task. */
static __attribute__((naked, used)) void idle_begin(void)
{
    __asm volatile("mv    a0, s0\n\t"
                   "li    s0, 0\n\t"
                   "li    ra, 0\n\t"
                   "csrsi mstatus, %0\n\t"
                   "tail  takti_task_main"
                   :
                   : "i"(TAKT_RV32_MIE));
}

#define A0 TAKT_RV32_CONTEXT_A0
#define S0 3 /* x8 */

void takt_port_context_init(struct takt_task *task)
{
    const struct takt_task_config *config = task->config;
    struct takt_port_context *context = &task->context;
    *context = (struct takt_port_context){0};
    context->sp = ((uintptr_t)config->stack + config->stack_size) & ~(uintptr_t)15u;
    if (config->process == NULL) {
        context->x5_to_x31[S0] = (uintptr_t)task;
        context->pc = (uintptr_t)idle_begin;
    } else {
        context->guard = (uintptr_t)config->stack >> 2 | (TAKT_RV32_GUARD_SIZE / 8u - 1u);
        context->x5_to_x31[A0] = (uintptr_t)config->entry;
        context->x5_to_x31[A0 + 1] = (uintptr_t)config->argument;
        context->x5_to_x31[A0 + 2] = takti_process_repeats(config);
        context->pc = (uintptr_t)takt_user_main;
        context->tp = (uintptr_t)config->process->config->tls;
    }
    task->stack_pointer = &context->x5_to_x31[A0];
}

void takt_rv32_user_fault(uint32_t cause, uintptr_t address, uintptr_t pc, const struct takt_port_context *context);

/* From trap_protected.c: an exception of the running task, or an interrupt that nobody enabled. */
void takt_rv32_user_fault(uint32_t cause, uintptr_t address, uintptr_t pc, const struct takt_port_context *context)
{
    const uint32_t *a0 = &context->x5_to_x31[A0];
    const uint32_t registers[TAKT_RV32_FAULT_WORDS] = {
        context->ra, context->sp, a0[0], a0[1], a0[2], a0[3], a0[4], a0[5], context->x5_to_x31[S0], pc, cause, address};
    uintptr_t above_guard = address - (context->guard & ~(uintptr_t)(TAKT_RV32_GUARD_SIZE / 8u - 1u)) * 4u;
    bool load = cause == 5;
    bool store = cause == 7;
    enum takt_process_fault what = TAKT_PROCESS_STRAY;
    if (cause >= 12) {
        takt_rv32_fault(pc, registers);
    }
    if (cause == 2 || cause == 3) {
        what = TAKT_PROCESS_ILLEGAL;
    } else if ((load || store) && above_guard < TAKT_RV32_GUARD_SIZE) {
        what = TAKT_PROCESS_STACK;
    }
    takti_process_fault(what, address, pc, TAKT_RV32_FAULT_NAMES, registers);
}

uintptr_t takt_port_call_pc(void)
{
    const struct takt_task *task = takt_task_running();
    return task == NULL ? 0 : task->context.ra;
}

static bool power_of_two(uint32_t value)
{
    return (value & (value - 1u)) == 0;
}

/* The entries of a region, from `next` on; the next after them, or 0: it cannot be said, or there are too few. */
static unsigned region_make(struct takt_port_map *map, const struct takt_region *region, unsigned next)
{
    uint32_t first = region->base >> 2; /* as the PMP's addresses: 34 bits less two */
    uint32_t words = region->size >> 2;
    bool exact = words != 0 && ((region->base | region->size) & 3u) == 0;
    bool wraps = words > (UINT32_C(1) << 30) - first;
    bool may = (region->access & (TAKT_ACCESS_READ | TAKT_ACCESS_WRITE)) != TAKT_ACCESS_WRITE; /* reserved */
    bool aligned = power_of_two(words) && (first & (words - 1u)) == 0;
    bool behind = next > 1 && map->address[next - 1] == first; /* what the entry before says is where it begins */
    unsigned entry = aligned || behind ? next : next + 1;
    if (!exact || wraps || !may || entry >= TAKT_RV32_PMP_ENTRIES) {
        return 0;
    }
    if (entry != next) {
        map->address[next] = first;
    }
    map->address[entry] = aligned ? first | ((words - 1u) >> 1) : first + words;
    uint32_t mode = !aligned ? PMP_TOR : words == 1 ? PMP_NA4 : PMP_NAPOT;
    map->config[entry / 4u] |= (mode | region->access) << (entry % 4u * 8u);
    return entry + 1;
}

bool takt_port_map_make(struct takt_port_map *map, const struct takt_region *regions, unsigned count)
{
    struct takt_port_map made = {.config = {PMP_NAPOT}}; /* the guard: nobody may anything */
    unsigned next = 1;
    for (unsigned i = 0; i < count && next != 0; i++) {
        next = region_make(&made, &regions[i], next);
    }
    if (next == 0) {
        return false;
    }
    made.load = (uintptr_t)takt_rv32_map_load_end - 8u * (next - 1u);
    *map = made;
    return true;
}

void takt_port_map_changed(void)
{
    takt_rv32_map = NULL;
    takt_port_pend_switch();
}
#endif
