/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_PROCESS_H
#define TAKTI_PROCESS_H

/* Processes, for the kernel's own files and for ports. */
#include "kernel/port.h"
#include "takt/process.h"

/* A process that lives. Owner: the kernel, under its lock. */
struct takt_process {
    struct takt_port_map map; /* the port's: what the processor is told at a switch. Must stay first. */
    const struct takt_process_config *config;
    struct takt_region regions[TAKT_PROCESS_REGIONS]; /* now: declared, then attached */
    uint8_t region_count;
    uint8_t stopped;     /* after a fault, or its end */
    uint8_t restarts;    /* so far */
    uint32_t quota_used; /* bytes of its quota */
};

/*
 * What a trap found: the number of the call and what the port makes of the task's registers. `takti_call_table` has the
 * entry of each call, NULL for one that this system does not have: each takes up to four words as the processor's
 * calling convention has them, and returns up to two.
 */
typedef uint64_t (*takti_call_entry)(uint32_t, uint32_t, uint32_t, uint32_t);
extern const takti_call_entry takti_call_table[];
extern const uint32_t takti_call_count;

/*
 * From the port, in a trap from user mode, unlocked: the running task did what it may not. Stops its process, with a
 * record; afterwards takti_kernel.ready.running is another task, to be continued. `cause`: enum takt_process_fault;
 * `address`: what it reached for; `pc`: where.
 */
enum takt_process_fault {
    TAKT_PROCESS_STRAY,   /* memory that is not its own, or not for that */
    TAKT_PROCESS_STACK,   /* below its stack */
    TAKT_PROCESS_ILLEGAL, /* an instruction that is none, or not for user mode */
    TAKT_PROCESS_CALL,    /* a call that there is not, or with a handle or pointer that is not its own */
    TAKT_PROCESS_ASSERTION,
    TAKT_PROCESS_BUDGET
};
void takti_process_fault(enum takt_process_fault cause, uintptr_t address, uintptr_t pc);

#endif
