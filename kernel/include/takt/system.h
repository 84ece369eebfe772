/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_SYSTEM_H
#define TAKT_SYSTEM_H

#include "takt/task.h"
#include "takt/trace.h"

/* Levels of the bitmap, a multiple of 32. A build that needs more defines it. */
#ifndef TAKT_LEVELS
#define TAKT_LEVELS 32
#endif
#define TAKT_LEVEL_WORDS (TAKT_LEVELS / 32)

struct takt_admission; /* takt/admission.h */

/* Work space of the timers, the caller's; define it with TAKT_TIMERS_DEFINE. */
struct takt_timer_space {
    uint64_t *keys;
    uint16_t *winners;
    struct takt_task **tasks;
    uint16_t leaves; /* a power of two, >= 2; every task's index is below leaves - 1 */
};

#define TAKT_TIMERS_DEFINE(name, leaf_count)           \
    static uint64_t name##_keys[leaf_count];           \
    static uint16_t name##_winners[leaf_count];        \
    static struct takt_task *name##_tasks[leaf_count]; \
    static const struct takt_timer_space name = {name##_keys, name##_winners, name##_tasks, leaf_count}

/*
 * Who goes first: the better level; within an edf level the earlier absolute deadline. Equals: in a fixed level first
 * in, first out; in an edf level the running task, then declaration order. A task goes behind its equals when it
 * becomes ready, is resumed, yields, has used up its slice, or inherits a better key; a preempted one stays where it
 * is; one whose key gets worse again goes before its equals. Waiters for an object stand in the same order; one whose
 * key changes goes behind its new equals. A slice that a preemption interrupts goes on afterwards; a task that blocks
 * begins a new one. Equal instants: in declaration order; of one task its deadline, timeout, release; last
 * the end of the slice.
 */

/* A whole system: constant tables, usually generated (tools: `takt generate`). */
struct takt_system {
    const struct takt_task_config *configs; /* task_count of them, in declaration order */
    struct takt_task *tasks;                /* task_count of them */
    uint32_t edf_levels[TAKT_LEVEL_WORDS];  /* bit set (base/bitmap.h): the level is an edf band */
    const uint8_t *level_bands;             /* per level its band, 0 the highest: for the trace and admission */
    const uint64_t *level_quanta_ns; /* per level the time slice among equals, 0: none; or NULL: no level has one */
    const struct takt_timer_space *timers;
    void (*init)(void); /* at time 0, before any task runs, locked: calls that never block and lock nothing; or NULL */
    void *idle_stack;   /* aligned to 8; with `cooperative` every job runs on it */
    struct takt_trace_record *trace_records; /* the trace ring; NULL: nothing is traced */
    const struct takt_admission *admission;  /* takt_task_start on the running system proves first; or NULL */
    uint32_t idle_stack_size;                /* bytes */
    uint32_t trace_capacity;                 /* records, a power of two >= 128 */
    uint16_t task_count;
    bool cooperative; /* jobs are never preempted, one stack, no blocking calls */
};

/*
 * Starts the system at time 0: every task of the table is started, releases at 0 happen together, and the best task
 * runs. Context: the board's main, once. Does not return.
 */
_Noreturn void takt_start(const struct takt_system *system);

/*
 * Called in idle before the processor sleeps, unlocked; may not block or lock a mutex. Weak and empty: the board's or
 * application's.
 */
void takt_hook_idle(void);

/*
 * Interrupt handlers that call the kernel run between these two (the port's or generator's wrapper does it).
 * `number` names the interrupt in the trace. An interrupt that is not between them may not call the kernel: an
 * assertion in presets with trace. Context: that interrupt, in pairs; they nest.
 */
void takt_interrupt_enter(uint16_t number);
void takt_interrupt_exit(uint16_t number);

#endif
