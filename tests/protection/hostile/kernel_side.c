/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's side of the hostile processes: an interrupt that meddles with their tasks, walks the kernel's state and
 * looks at memory that none of them may write: at all of it at the end, with the verdict, a line of JSON. Options of a
 * run: calls=N.
 */
#include "takt_app.h"

#include "kernel/core/kernel.h"
#include "kernel/port.h"
#include "kernel/process/process.h"
#include "takt/board.h"
#include "takt/invariants.h"
#include "tally.h"

#include <string.h>

enum { MEDDLES = 12, WALK_EVERY = 64, CALLS = 4000, STILL = PROCESSES + 1, CODE = 4 << 20 };

extern struct takt_process takti_processes[];
extern const struct takt_process_config takti_process_configs[];
extern struct takt_object takti_objects[];
extern const struct takt_system takt_system;
/* link.ld. The kernel's code lies between a multiple of CODE and the first of these. */
extern uint32_t takti_data_load[], takti_data_start[], takti_data_end[];

static uint32_t kernels[64]; /* memory of the kernel's that it does not change */
static uint64_t seed = 1;
static uint32_t walked; /* calls by then */
static uint32_t walks;
static uint32_t looked_us; /* the longest */
static uint32_t faults_noted;
static uint32_t raised; /* calls of takt_fault_raise that ended their process */
static uint32_t left;   /* of takt_thread_exit that ended their task */

static uint32_t draw(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed >> 33) % below);
}

static void print(const char *text)
{
    takt_board_console_write(text, strlen(text));
}

static void print_number(const char *before, uint32_t value)
{
    char digits[11];
    unsigned first = sizeof digits;
    do {
        digits[--first] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    print(before);
    takt_board_console_write(digits + first, sizeof digits - first);
}

/* Memory that nobody writes, by pieces: what has a deadline goes on between two of them. */
enum { PIECE = 1024, PIECES = 208 };
static struct {
    uintptr_t base;
    uint32_t size;
    uint32_t hash; /* at the start */
} pieces[PIECES];
static unsigned piece_count;

static uint32_t hash_piece(unsigned piece)
{
    uint32_t hash = 2166136261u;
    for (uint32_t word = 0; word < pieces[piece].size / 4; word++) {
        hash = (hash ^ ((const volatile uint32_t *)pieces[piece].base)[word]) * 16777619u;
    }
    return hash;
}

static void guard(uintptr_t base, uint32_t size)
{
    while (size > 0) {
        uint32_t part = size < PIECE ? size : PIECE;
        if (piece_count == PIECES) {
            takt_fault_raise(TAKT_FAULT_ASSERTION, "pieces", PIECES, size);
        }
        pieces[piece_count].base = base;
        pieces[piece_count].size = part;
        pieces[piece_count].hash = hash_piece(piece_count);
        piece_count++;
        base += part;
        size -= part;
    }
}

/* The kernel's text and constants, what its variables start with among them; those of every process; tables in memory
 * that the kernel writes elsewhere; all memory of the process that never runs. */
static void guard_all(void)
{
    uintptr_t code = (uintptr_t)takti_data_load & ~(uintptr_t)(CODE - 1);
    uint32_t data = (uint32_t)((uintptr_t)takti_data_end - (uintptr_t)takti_data_start);
    guard(code, (uint32_t)((uintptr_t)takti_data_load - code) + data / 4 * 4);
    guard((uintptr_t)kernels, sizeof kernels);
    guard((uintptr_t)tally.aims, sizeof tally.aims);
    for (unsigned process = 0; process < takt_system.process_count; process++) {
        const struct takt_process_config *config = &takti_process_configs[process];
        if (process == 0) {
            guard(config->regions[0].base, config->regions[0].size); /* the shared text */
        }
        guard(config->regions[1].base, config->regions[1].size);
        guard((uintptr_t)config->data_load, config->data_size);
    }
    guard(takti_process_configs[STILL].regions[2].base, takti_process_configs[STILL].regions[2].size);
}

/* What the memory of a process begins with, which it leaves alone. Being made anew it is something else for a while. */
static bool begins_as_it_should(unsigned process)
{
    const struct takt_process_config *config = &takti_process_configs[process];
    return takti_processes[process].state != TAKTI_PROCESS_RUNS ||
           memcmp((const void *)config->regions[2].base, config->data_load, config->data_size) == 0;
}

/* All that there is has a handle, or is in a table. */
static struct takt_broken walk(void)
{
    walks++;
    return takt_kernel_broken(&(struct takt_known_objects){.all = UINT16_MAX});
}

static uint32_t sum_of(const uint32_t counts[PROCESSES][MAKERS])
{
    uint32_t sum = 0;
    for (unsigned maker = 0; maker < PROCESSES * MAKERS; maker++) {
        sum += counts[maker / MAKERS][maker % MAKERS];
    }
    return sum;
}

static _Noreturn void end(const char *verdict, uint32_t where)
{
    struct takt_task_statistics watched = takt_task_statistics(TASK_watch);
    print("\nHOSTILE {\"verdict\": \"");
    print(verdict);
    print_number("\", \"where\": ", where);
    print_number(", \"calls\": ", tally_made(&tally));
    print_number(", \"faults\": ", takt_process_faults.count);
    print_number(", \"passed\": ", sum_of(tally.passed));
    print_number(", \"raised\": ", raised);
    print_number(", \"left\": ", left);
    print_number(", \"stale\": ", sum_of(tally.stale));
    print_number(", \"believed\": ", sum_of(tally.believed));
    print_number(", \"believed_last\": [", tally.believed_last[0]);
    print_number(", ", tally.believed_last[1]);
    print_number(", ", tally.believed_last[2]);
    print_number("], \"walks\": ", walks);
    print_number(", \"watched\": ", (uint32_t)watched.jobs_completed);
    print_number(", \"missed\": ", watched.misses + watched.lost);
    print_number(", \"looked_us\": ", looked_us);
    print_number(", \"milliseconds\": ", (uint32_t)(takt_now() / 1000000));
    print(", \"made\": [");
    for (unsigned maker = 0; maker < PROCESSES * MAKERS; maker++) {
        print_number(maker == 0 ? "" : ", ", tally.made[maker / MAKERS][maker % MAKERS]);
    }
    print("], \"succeeded\": [");
    for (unsigned number = 0; number < TAKTI_CALL_COUNT; number++) {
        uint32_t sum = 0;
        for (unsigned maker = 0; maker < PROCESSES * MAKERS; maker++) {
            sum += tally.succeeded[maker / MAKERS][maker % MAKERS][number];
        }
        print_number(number == 0 ? "" : ", ", sum);
    }
    print("]}\n");
    takt_board_exit(0);
}

static void look_at_piece(unsigned piece)
{
    if (hash_piece(piece) != pieces[piece].hash) {
        end("memory that no process may write has changed", (uint32_t)pieces[piece].base);
    }
}

/* What calls that do not come back have done: an assertion of a process's is a fault with a record of its own, and the
 * task that has left is stopped, though its process runs. */
static void note_ends(void)
{
    static struct takt_task *const tasks[PROCESSES][MAKERS] = {
        {TASK_periodic_a, TASK_sporadic_a, TASK_background_a, NULL, TASK_line_a, NULL},
        {TASK_periodic_b, TASK_sporadic_b, TASK_background_b, TASK_alarmed_b, TASK_line_b, NULL},
    };
    for (; faults_noted < takt_process_faults.count; faults_noted++) {
        const struct takt_process_fault_record *record =
            &takt_process_faults.records[faults_noted % TAKT_PROCESS_FAULTS];
        raised += record->cause == TAKT_PROCESS_ASSERTION ? 1 : 0;
    }
    for (unsigned maker = 0; maker < PROCESSES * MAKERS; maker++) {
        const struct takt_task *task = tasks[maker / MAKERS][maker % MAKERS];
        uint32_t *leaves = &tally.leaves[maker / MAKERS][maker % MAKERS];
        if (*leaves != 0 && task != NULL && takti_processes[maker / MAKERS].state == TAKTI_PROCESS_RUNS &&
            takt_task_stopped(task)) {
            *leaves = 0;
            left++;
        }
    }
}

static void look(void)
{
    struct takt_broken broken = walk();
    if (broken.what != NULL) {
        end(broken.what, (uint32_t)(uintptr_t)broken.where);
    }
    look_at_piece(walks % piece_count);
    for (unsigned process = 0; process < PROCESSES + 1; process++) {
        if (!begins_as_it_should(process)) {
            end("memory of a process has changed that it does not write", process);
        }
    }
    if (takti_processes[PROCESSES].state != TAKTI_PROCESS_RUNS || takti_processes[PROCESSES].restarts != 0) {
        end("the third process has faulted", 0);
    }
}

/* Does to tasks what an interrupt may, whether they are in a call or not; and looks after them. */
static void meddle(void)
{
    struct takt_task *task = &takt_tasks[1 + draw(takt_system.task_count - 1u)]; /* not the keeper's */
    switch (draw(6)) {
    case 0:
        takt_task_suspend(task);
        break;
    case 1:
        if (draw(4) == 0) {
            takt_task_stop(task);
        }
        break;
    case 2:
        (void)takt_semaphore_post(&semaphore);
        break;
    case 3:
        takt_events_set(&events, 1 + draw(15));
        break;
    default:
        takt_task_resume(task);
        break;
    }
    note_ends();
    uint32_t calls = tally_made(&tally);
    if (calls - walked >= WALK_EVERY || calls >= tally.calls_max) {
        walked = calls;
        uint64_t before_ns = takt_now();
        look();
        uint32_t took_us = (uint32_t)((takt_now() - before_ns) / 1000);
        looked_us = took_us > looked_us ? took_us : looked_us;
    }
    if (calls >= tally.calls_max) {
        for (unsigned piece = 0; piece < piece_count; piece++) {
            look_at_piece(piece);
        }
        end("good", 0);
    }
}

void takt_app_init(void)
{
    for (unsigned process = 0; process < PROCESSES; process++) {
        const struct takt_region *own = &takti_process_configs[process].regions[2];
        const struct takt_region *others = &takti_process_configs[1 - process].regions[2];
        const uint32_t aims[] = {
            own->base - 1,
            own->base - 8,
            own->base + own->size,
            others->base,
            others->base + others->size - 8,
            (uint32_t)(uintptr_t)takt_system.configs[takti_process_configs[1 - process].tasks[0]].stack,
            takti_process_configs[1 - process].regions[1].base,
            takti_process_configs[PROCESSES].regions[2].base,
            (uint32_t)(uintptr_t)&takti_kernel,
            (uint32_t)(uintptr_t)takt_tasks,
            (uint32_t)(uintptr_t)takti_objects,
            (uint32_t)(uintptr_t)takti_processes,
            (uint32_t)(uintptr_t)&takt_system,
            (uint32_t)(uintptr_t)&lock,
            (uint32_t)(uintptr_t)&mailbox,
            (uint32_t)(uintptr_t)&tally,
            (uint32_t)(uintptr_t)kernels,
            (uint32_t)(uintptr_t)look,
            takti_process_configs[STILL].regions[2].base,
            0x20000000u, /* devices and memory of the boards */
            0x40000000u,
            0x50000000u,
            0x80000000u,
            0xE000ED94u,
            own->base + own->size - 3, /* the last: up to three bytes are its own there */
        };
        memcpy(tally.aims[process], aims, sizeof aims);
        tally.slot_first[process] = takti_process_configs[process].slot_first;
        tally.slot_count[process] = takti_process_configs[process].slot_count;
        tally.aims_count = sizeof aims / sizeof *aims;
    }
    tally.succeeds[TAKTI_CALL_fault_raise] = tally.succeeds[TAKTI_CALL_thread_exit] = 1;
    uint64_t calls;
    (void)takt_board_option("seed", &seed);
    tally.calls_max = takt_board_option("calls", &calls) ? (uint32_t)calls : CALLS;
    for (unsigned word = 0; word < sizeof kernels / sizeof *kernels; word++) {
        kernels[word] = word * 2654435761u;
    }
    guard_all();
    takt_port_irq_attach(MEDDLES, meddle, true);
    takt_board_interrupt_every(MEDDLES, TAKT_US(1300), TAKT_US(1300));
}
