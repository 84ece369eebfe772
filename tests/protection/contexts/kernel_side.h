/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNEL_SIDE_H
#define KERNEL_SIDE_H

/* What the kernel's side knows: system.c has the tables, calls.c the calls and what they report. */
#include "contexts.h"
#include "kernel/core/kernel.h"
#include "kernel/process/process.h"
#include "takt/board.h"
#include "takt/semaphore.h"
#include "takt/system.h"

#include <string.h>

/* processes.ld's. */
extern uint8_t user_shared_start[], user_a_text_start[], user_b_text_start[];
extern uint8_t user_a_memory_start[], user_b_memory_start[];
#define SHARED_SIZE 0x1000u
#define TEXT_SIZE 0x1000u
#define A_SIZE 0x2000u
#define B_SIZE 0x1000u

enum { STACK = 1024, TASK_FIRST = 0, TASK_OTHER, TASK_LOW, TASK_TWIN, TASKS };
#define A_STACK_FIRST (user_a_memory_start + A_SIZE - STACK)
#define A_STACK_LOW (user_a_memory_start + A_SIZE - 2 * STACK)
#define A_STACK_TWIN (user_a_memory_start + A_SIZE - 3 * STACK)
#define B_STACK \
    (user_b_memory_start + B_SIZE - 2 * STACK) /* above it another, which a stack pointer may leave it for */

extern const struct takt_task_config contexts_configs[TASKS];
extern struct takt_task contexts_tasks[TASKS];
extern struct takt_semaphore contexts_semaphores[SEMAPHORES];

/* calls.c: whether user mode executes what it tells user_storm about. */
bool contexts_storming(void);
extern uint8_t contexts_lent[LENT_SIZE];
extern volatile uint32_t contexts_posts; /* in the timer's interrupt */

/* CALL_RESTART. */
uint64_t contexts_restart(uintptr_t after_ns, uintptr_t b, uintptr_t c, uintptr_t d);

/* report.c */
void contexts_print(const char *text);
void contexts_print_hex(const char *what, uint32_t value);
void contexts_log(char letter);                     /* what tasks log, in order */
const char *contexts_log_check(const char *wanted); /* NULL, or what the log was instead; it is empty afterwards */
void contexts_figure(enum figure figure, uint32_t found); /* the least counts: no interrupt got between */
int contexts_end(void); /* prints the figures; whether everything passed, as exit status */
/* A fault of the kernel itself, if the option `fault` asks for one there. */
enum fault_context { FAULT_INTERRUPT = 1, FAULT_CALL, FAULT_IDLE };
void contexts_fault(enum fault_context context);
/* "PASS name", or "FAIL name: wrong" unless `wrong` is NULL. */
void contexts_report(const char *name, const char *wrong);

#endif
