/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's side: hands out what is to be tried, one a process at a time, and notes what came of it. The list is
 * written into the image once it is linked. At the end the console has a letter for each: y done, n refused, s refused
 * as the stack's guard, o another fault, w no end of it.
 */
#include "takt_app.h"

#include "kernel/core/kernel.h"
#include "kernel/port.h"
#include "kernel/process/process.h"
#include "takt/board.h"
#include "tries.h"
#include "tries_system.h"

enum { TRIES_MAX = 12000, PATIENCE_NS = 2000000000 };

extern const volatile struct tries_order tries[TRIES_MAX];
extern const volatile uint32_t tries_count;
const volatile struct tries_order tries[TRIES_MAX] = {{.address = 1}};
const volatile uint32_t tries_count = 0;

extern struct takt_process takti_processes[];

#define ONE_OF_EACH(name) {&tries_orders_##name, &tries_done_##name, TASK_tries_##name},
static const struct {
    struct takt_mailbox *orders;
    struct takt_semaphore *done;
    const struct takt_task *task;
} sides[] = {TRIES_PROCESSES(ONE_OF_EACH)};
enum { SIDES = sizeof sides / sizeof *sides };

static struct {
    uint32_t next;   /* of tries */
    uint32_t faults; /* of all, when its command was sent */
    uint64_t sent_ns;
    bool sent;
} at[SIDES];
static bool planted; /* and no other gets a command: texts are shared */
static uint32_t planted_over;
static char letters[TRIES_MAX + 1];
static uint32_t others; /* faults of other tasks */

#ifdef __arm__
enum { RETURN = 0x47704770 }; /* bx lr, twice */
#else
#define RETURN 0x80828082u /* c.jr ra, twice */
#endif

static void note_result(unsigned side, char letter)
{
    const volatile struct tries_order *order = &tries[at[side].next];
    if (order->plant != 0) {
        *(volatile uint32_t *)(uintptr_t)order->address = planted_over;
        planted = false;
    }
    letters[at[side].next++] = letter;
    at[side].sent = false;
}

static char letter_of(const struct takt_process_fault_record *fault, const volatile struct tries_order *order)
{
    uintptr_t where = order->access == TRY_EXECUTE ? fault->pc & ~(uintptr_t)1 : fault->address & ~(uintptr_t)3;
    bool there = where == order->address;
    return there && fault->cause == TAKT_PROCESS_STRAY ? 'n' : there && fault->cause == TAKT_PROCESS_STACK ? 's' : 'o';
}

static void look(unsigned side)
{
    const volatile struct tries_order *order = &tries[at[side].next];
    for (; at[side].faults != takt_process_faults.count; at[side].faults++) {
        const struct takt_process_fault_record *fault =
            &takt_process_faults.records[at[side].faults % TAKT_PROCESS_FAULTS];
        if (fault->process != side) {
            continue;
        }
        if (fault->task == sides[side].task->config->index) {
            note_result(side, letter_of(fault, order));
        } else {
            others++;
            note_result(side, 'y');
            at[side].next--; /* once more */
        }
        return;
    }
    if (takt_semaphore_try_wait(sides[side].done) == TAKT_OK) {
        note_result(side, 'y');
    } else if (takt_now() - at[side].sent_ns > PATIENCE_NS) {
        note_result(side, 'w');
    }
}

/* All tasks of the process have started. */
static bool runs(unsigned side)
{
    return takti_processes[side].state == TAKTI_PROCESS_RUNS && takti_processes[side].phase == 0;
}

/* No command is sent, and no task starts, which could go through what is planted. */
static bool all_quiet(void)
{
    bool quiet = true;
    for (unsigned side = 0; side < SIDES; side++) {
        quiet = quiet && runs(side) && !at[side].sent;
    }
    return quiet;
}

static void tell(unsigned side)
{
    const volatile struct tries_order *order = &tries[at[side].next];
    if (planted || !(order->plant != 0 ? all_quiet() : runs(side))) {
        return;
    }
    const struct tries_order given = {.address = order->address, .access = order->access, .attach = order->attach};
    if (takt_mailbox_try_send(sides[side].orders, &given) != TAKT_OK) {
        return;
    }
    if (order->plant != 0) {
        volatile uint32_t *word = (volatile uint32_t *)(uintptr_t)order->address;
        planted_over = *word;
        *word = RETURN;
        planted = true;
    }
    at[side].faults = takt_process_faults.count;
    at[side].sent_ns = takt_now();
    at[side].sent = true;
}

void tries_tick(void)
{
    bool all = true;
    for (unsigned side = 0; side < SIDES; side++) {
        if (at[side].sent) {
            look(side);
        }
        while (!at[side].sent && at[side].next < tries_count && tries[at[side].next].process != side) {
            at[side].next++;
        }
        if (!at[side].sent && at[side].next < tries_count) {
            tell(side);
        }
        all = all && at[side].next >= tries_count;
    }
    if (all) {
        static const char head[] = "\nTRIES {\"letters\": \"";
        takt_board_console_write(head, sizeof head - 1);
        takt_board_console_write(letters, tries_count);
        takt_board_console_write("\"}\n", 3);
        takt_board_exit(others > 200 ? 1 : 0);
    }
}
