/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_SYSTEM_H
#define TAKT_SYSTEM_H

#include "base/bitmap.h"
#include "base/dialect.h"
#include "base/tournament.h"
#include "takt/task.h"
#include "takt/trace.h"

TAKT_C_BEGIN

/*
 * Number of levels. The last is reserved for idle, so a system has at most TAKT_LEVELS - 1. A build defines it to have
 * more levels, or to save memory.
 */
#ifndef TAKT_LEVELS
#define TAKT_LEVELS 32
#endif
#define TAKT_LEVEL_WORDS ((TAKT_LEVELS + 31) / 32)

struct takt_admission;      /* takt/admission.h */
struct takt_object;         /* takt/process.h, as the next one */
struct takt_process_config; /* one for each process */
struct takt_server;         /* takt/server.h */

/* Storage for the edf levels, caller-owned, defined with TAKT_EDF_DEFINE. */
struct takt_edf_space {
    struct takt_tournament *tournaments;   /* one per edf level */
    uint64_t *keys;                        /* per edf level TAKT_TOURNAMENT_KEYS(leaves) */
    struct takt_tournament_group *results; /* per edf level TAKT_TOURNAMENT_GROUPS(leaves) */
    struct takt_task **tasks;              /* `leaves` entries */
    uint16_t levels;
    uint16_t leaves; /* greater than every task's index */
};

#define TAKT_EDF_DEFINE(name, edf_levels, tasks_max)                                                    \
    static struct takt_tournament name##_tournaments[edf_levels];                                       \
    static uint64_t name##_keys[(edf_levels)*TAKT_TOURNAMENT_KEYS(tasks_max)];                          \
    static struct takt_tournament_group name##_results[(edf_levels)*TAKT_TOURNAMENT_GROUPS(tasks_max)]; \
    static struct takt_task *name##_tasks[tasks_max];                                                   \
    static const struct takt_edf_space name = {name##_tournaments, name##_keys, name##_results,         \
                                               name##_tasks,       edf_levels,  tasks_max}

/* Storage for the armed timers, caller-owned, defined with TAKT_TIMERS_DEFINE. */
struct takt_timer_space {
    struct takt_timer **sorted; /* TAKT_TIMERS_MARGIN + capacity + 1 */
    uint16_t capacity;
};

/* Free entries before the sorted timer queue, so that a move of the queue shifts it by this number and one at once. */
#define TAKT_TIMERS_MARGIN 15

/*
 * `timers`: largest number of armed timers: one per task, one more per task with policy stop or notify, and one each
 * for slices, budgets, takti_call_at, every server, every alarm and every watchdog.
 */
#define TAKT_TIMERS_DEFINE(name, timers)                                    \
    static struct takt_timer *name##_storage[TAKTI_TIMERS_STORAGE(timers)]; \
    static const struct takt_timer_space name = {name##_storage, timers}

/* A kernel compiled for size keeps a list, which needs no storage. */
#define TAKTI_TIMERS_STORAGE(timers) (TAKT_SINGLE_PATH ? 0 : TAKT_TIMERS_MARGIN + (timers) + 1)

/*
 * Scheduling order: the better level; within an edf level the earlier absolute deadline. Equals: FIFO in a fixed level;
 * in an edf level the running task, then declaration order. A task is queued behind its equals when it becomes ready,
 * is resumed, yields, has used up its slice, or inherits a better key; a preempted task keeps its position; a task
 * whose key gets worse again is queued before its equals. Waiters for an object are in the same order; a waiter whose
 * key changes is queued behind its new equals. A preempted slice continues afterwards; a task that blocks begins a new
 * one. Timers with equal expiry: in the order in which they were armed; a release is armed when the previous job ends.
 */

/* Description of a system: constant tables, usually generated (`takt generate`). */
struct takt_system {
    const struct takt_task_config *configs; /* task_count of them, in declaration order */
    struct takt_task *tasks;                /* task_count of them, zero */
    uint32_t edf_levels[TAKT_LEVEL_WORDS];  /* bit set (base/bitmap.h): the level is an edf band */
    const struct takt_edf_space *edf;       /* NULL: there is no edf band */
    const uint8_t *level_bands;             /* band of each level, 0 the highest: for the trace and admission */
    const uint64_t *level_quanta_ns;        /* time slice of each level, 0: none; NULL: no level has one */
    const struct takt_timer_space *timers;
    void (*init)(void); /* called at time 0, before any task runs, locked; may make calls that do not block and lock no
                           mutex; or NULL */
    void *idle_stack;   /* aligned to 8; in a cooperative system every job runs on it */
    struct takt_trace_record *trace_records; /* the trace ring; NULL: nothing is traced */
    const struct takt_admission *admission; /* takt_task_start on the running system makes a proof; NULL: it does not */
    uint32_t idle_stack_size;               /* bytes */
    uint32_t trace_capacity;                /* records, a power of two >= 128 */
    uint16_t task_count;
    uint16_t server_count[TAKT_SERVERS];
    struct takt_server *servers[TAKT_SERVERS]; /* the first of server_count, zero except for what they declare */
#if TAKT_PROCESSES
    uint16_t object_count;
    uint16_t process_count;
    struct takt_object *objects;                       /* object_count of them; the first task_count are the tasks */
    struct takt_process *processes;                    /* process_count of them, zero */
    const struct takt_process_config *process_configs; /* process_count of them */
#endif
};

/* Starts the system at time 0: starts every task of the table, makes the releases at 0 together, and runs the best
 * task. Context: main, of the board, once. Blocks: never; does not return. */
TAKT_NORETURN void takt_start(const struct takt_system *system);

/* Called by the kernel in idle before the processor sleeps, unlocked; it must not block or lock a mutex. Weak and
 * empty; the board or the application may define it. Context: idle. Blocks: never. */
void takt_hook_idle(void);

/*
 * Called once, locked, after a fault was recorded and before the machine stops, in presets with trace, to save the
 * contents of the trace ring. Weak and empty. Context: any, that of the fault. Blocks: never.
 */
void takt_hook_fault(void);

/*
 * Begin and end of an interrupt handler that calls the kernel (called by the port's or generator's wrapper). `number`
 * names the interrupt in the trace. A handler must not call the kernel outside them, which presets with trace assert.
 * Context: interrupt, in pairs, which nest. Blocks: never.
 */
void takt_interrupt_enter(uint16_t number);
void takt_interrupt_exit(uint16_t number);

TAKT_C_END

#endif
