/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_PROCESS_H
#define TAKTI_PROCESS_H

/* Processes, for the kernel's own files and for ports. */
#include "kernel/port.h"
#include "kernel/process/calls.h"
#include "takt/hint.h"
#include "takt/process.h"

#if TAKT_PROCESSES
/* takt_process.state */
enum {
    TAKTI_PROCESS_RUNS,
    TAKTI_PROCESS_STOPPED,  /* permanently */
    TAKTI_PROCESS_RESTARTS, /* its memory is being initialized; all its tasks are stopped */
    TAKTI_PROCESS_ENDING    /* its tasks do not run, and are stopped one by one */
};

/* State of a process. Owner: the kernel, under its lock. */
struct takt_process {
    struct takt_port_map map; /* the port's: map of the protection unit, loaded at a switch. Must stay first. */
    const uint8_t *rights;    /* copy of config->rights, for speed */
    uintptr_t memory_base;    /* base of regions[2], likewise */
    uint32_t memory_size;
    const struct takt_process_config *config;
    struct takt_region regions[TAKT_PROCESS_REGIONS]; /* current ones: declared, then attached */
    struct takt_quota quota;
    uint8_t region_count;
    uint8_t state;
    uint8_t restarts;    /* so far, including one in progress */
    uint8_t phase;       /* of its end and restart: restart.c */
    bool again;          /* it restarts after its last end */
    bool ended;          /* it has ended before; with TAKT_PROCESS_START */
    uint16_t at;         /* progress of the phase */
    uint16_t within;     /* progress at one object: during the end the signals or blocks of a pool that were looked at;
                            during the start the jobs that it is still to release, and one */
    uint64_t faulted_ns; /* time of the last fault */
    uint32_t made;       /* bytes of its memory initialized so far */
    struct takt_process_interrupt *acknowledged; /* their lines are unmasked when the jobs of their tasks end */
    struct takti_call restart_call; /* next step of its end or restart: needs an entry of TAKT_TIMERS_DEFINE */
};

/*
 * The entry of each call, NULL for one that this kernel does not have. Each takes up to four words as the processor's
 * calling convention has the arguments, and returns up to two. Called by the port in a trap from user mode, with the
 * lock closed; returns with the lock open or closed. Then the trap ends, locked: the result goes to the task if
 * `takti_call_ended(task)`, and takti_kernel.ready.running continues.
 */
typedef uint64_t (*takti_call_entry)(uintptr_t, uintptr_t, uintptr_t, uintptr_t);
extern const takti_call_entry takti_call_table[TAKTI_CALL_COUNT];

/*
 * Macros for a table: declarations of the entries (takti_entry_NAME, entries.c), then their initializers. Entries that
 * a kernel does not have are NULL. A system may define the table with only the calls of its processes, so that no
 * others are linked; otherwise it has all (table.c).
 */
#define TAKTI_ENTRY_DECLARE(number, name) extern void takti_entry_##name(void) __attribute__((weak));
#define TAKTI_TABLE_ENTRY(number, name) [number] = (takti_call_entry)takti_entry_##name,

/*
 * Of each task, by its index, threads after those of the table: a copy of the set of hints that it gave, which its
 * process could change during the wait. A system without the call takt_hint_next_set has none.
 */
struct takti_hint_copy {
    struct takt_hint_set set;
    struct takt_mutex *mutexes[TAKT_HINT_SET_MAX];
};
extern struct takti_hint_copy takti_hint_copies[];

/* Entry for a number outside the table, or NULL in it: a fault. */
uint64_t takti_call_unknown(uintptr_t number);

/*
 * For a port whose processor can take an interrupt between the trap and the lock: whether the running task may make its
 * call now; called locked. If not, that interrupt stopped or suspended it: the trap ends without the call, and the task
 * repeats it if it continues.
 */
bool takti_call_begins(void);

/* At the end of a trap, locked: whether `task`, which made it, gets a result. Not if it is stopped, or its process
 * ends: its stack pointer may be invalid. */
bool takti_call_ended(const struct takt_task *task);

/*
 * From the port, in a trap from user mode, locked or not, or from an entry: a fault of the running task. Stops its
 * process, with a record; returns locked, as a call that blocked: takti_kernel.ready.running is another task, unless an
 * interrupt stopped or suspended the task meanwhile and requested a switch. `address`: accessed; `pc`: program counter;
 * `names` and `registers` as for takt_fault_raise_exception, or NULL.
 */
void takti_process_fault(enum takt_process_fault cause, uintptr_t address, uintptr_t pc, const char *names,
                         const uint32_t *registers);

/* Restarts a stopped task, locked: again.h. */
void takti_task_restart(struct takt_task *task, const struct takt_task_config *config, uint64_t now_ns);

/* Whether a task's entry is called once per job: the third argument of takt_user_main. */
static inline bool takti_process_repeats(const struct takt_task_config *config)
{
    return config->release != TAKT_BACKGROUND && config->style == TAKT_STYLE_ENTRY;
}

/* user/main.c: entry of every task of a process, in user mode. */
_Noreturn void takt_user_main(void (*entry)(void *argument), void *argument, uint32_t repeats);

#endif

#endif
