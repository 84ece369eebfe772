/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_PROCESS_H
#define TAKTI_PROCESS_H

/* Processes, for the kernel's own files and for ports. */
#include "kernel/port.h"
#include "kernel/process/calls.h"
#include "takt/process.h"

#if TAKT_PROCESSES
/* takt_process.state */
enum {
    TAKTI_PROCESS_RUNS,
    TAKTI_PROCESS_STOPPED,  /* for good */
    TAKTI_PROCESS_RESTARTS, /* its memory is being made as at the start; all its tasks are stopped */
    TAKTI_PROCESS_ENDS      /* no task of it runs any more; they are stopped one by one */
};

/* Value of a record TAKT_EVENT_PROCESS besides enum takt_process_fault. */
enum { TAKTI_PROCESS_STARTED = 16 };

/* A process that lives. Owner: the kernel, under its lock. */
struct takt_process {
    struct takt_port_map map; /* the port's: what the processor is told at a switch. Must stay first. */
    const uint8_t *rights;    /* of its config, nearer */
    uintptr_t memory_base;    /* of regions[2], likewise */
    uint32_t memory_size;
    const struct takt_process_config *config;
    struct takt_region regions[TAKT_PROCESS_REGIONS]; /* now: declared, then attached */
    struct takt_quota quota;
    uint8_t region_count;
    uint8_t state;
    uint8_t restarts;                            /* so far, the one to come included */
    uint8_t phase;                               /* of its end and new start: restart.c */
    bool again;                                  /* it starts again after the end that was the last */
    uint16_t at;                                 /* how far the phase has come */
    uint16_t released;                           /* messages of a mailbox that have released its task, at the start */
    uint64_t faulted_ns;                         /* the last time */
    uint32_t made;                               /* bytes of its memory, while it is made as at the start */
    struct takt_process_interrupt *acknowledged; /* their lines open when the jobs of their tasks end */
    struct takti_call restart_call; /* the next step of its end or restart: needs a place of TAKT_TIMERS_DEFINE */
};

/*
 * The entry of each call, NULL for one that this kernel does not have. Each takes up to four words as the processor's
 * calling convention has the arguments, and returns up to two. Called by the port in a trap from user mode, with the
 * lock closed; returns with the lock open or closed. Afterwards the trap ends: locked, with what the entry returned for
 * `takti_call_ended(task)`, and takti_kernel.ready.running goes on.
 */
typedef uint64_t (*takti_call_entry)(uintptr_t, uintptr_t, uintptr_t, uintptr_t);
extern const takti_call_entry takti_call_table[TAKTI_CALL_COUNT];

/*
 * What a table consists of: first what each entry is called (takti_entry_NAME, entries.c), then their places. A kernel
 * that does not have one leaves NULL. A system that defines the table names in it what its processes call, and nothing
 * else is linked; without one it is all of them (table.c).
 */
#define TAKTI_ENTRY_DECLARE(number, name) extern void takti_entry_##name(void) __attribute__((weak));
#define TAKTI_ENTRY_PLACE(number, name) [number] = (takti_call_entry)takti_entry_##name,

/*
 * What a number beyond the table, or NULL in it, is: a fault. As an entry.
 */
uint64_t takti_call_unknown(uintptr_t number);

/*
 * For a port whose processor can take an interrupt between the trap and the lock: whether the running task may make its
 * call now, asked locked. If not, that interrupt stopped or suspended it: the trap ends without the call, and the task,
 * if it ever goes on, makes it again.
 */
bool takti_call_begins(void);

/* At the end of a trap, locked: whether `task`, which made it, gets a result. One that is stopped, or whose process
 * ends, is left alone: its stack pointer may say anything. */
bool takti_call_ended(const struct takt_task *task);

/*
 * From the port, in a trap from user mode, locked or not, or from an entry: the running task did what it may not. Stops
 * its process, with a record; returns locked, as a call that its task left the processor in: takti_kernel.ready.running
 * is another task, unless an interrupt stopped or suspended the task meanwhile, and asked for a switch. `address`: what
 * it reached for; `pc`: where; `names` and `registers` as for takt_fault_raise_exception, or NULL.
 */
void takti_process_fault(enum takt_process_fault cause, uintptr_t address, uintptr_t pc, const char *names,
                         const uint32_t *registers);

/*
 * At a switch, locked: `task` leaves the processor, perhaps in a call, with its stack pointer outside of its stack.
 * Stops its process, with a record, before what it has overwritten is used. Returns who runs instead of `next`.
 */
struct takt_task *takti_process_stack_left(struct takt_task *task, uintptr_t stack_pointer, struct takt_task *next);

/*
 * Starts a stopped task again, locked, as if no release had been lost in between, so that what was proved stays so: a
 * periodic one at its next release, a sporadic one not before its minimum distance. Does not switch.
 */
void takti_task_restart(struct takt_task *task, const struct takt_task_config *config, uint64_t now_ns);

/* Whether a task's entry is called once per job: the third argument of takt_user_main. */
static inline bool takti_process_repeats(const struct takt_task_config *config)
{
    return config->release != TAKT_BACKGROUND && config->style == TAKT_STYLE_ENTRY;
}

/* user/main.c: where every task of a process begins, in user mode. */
_Noreturn void takt_user_main(void (*entry)(void *argument), void *argument, uint32_t repeats);

#endif

#endif
