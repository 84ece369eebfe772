/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_RESTART_H
#define TAKTI_RESTART_H

/* Start, end and restart of processes. Called with the kernel locked unless stated otherwise. */
#include "kernel/process/process.h"

#define TAKTI_RESTART_STEP_NS TAKT_MS(1)    /* minimum distance of the steps of ends and restarts */
#define TAKTI_RESTART_REGIONS_NS TAKT_MS(2) /* before TAKTI_PHASE_REGIONS, if the process has undeclared regions */
enum { TAKTI_RESTART_PIECE = 1024 };        /* bytes of memory that one step initializes, a multiple of 4 */

/* takt_process.phase: next phase of its end and restart, in this order */
enum {
    TAKTI_PHASE_NONE,
    TAKTI_PHASE_MUTEXES,  /* contended mutexes are given up, one per step */
    TAKTI_PHASE_TASKS,    /* tasks and threads are stopped, and their other mutexes given up */
    TAKTI_PHASE_SLOTS,    /* slots of its quota are freed */
    TAKTI_PHASE_OBJECTS,  /* objects that only it uses are reset; attached memory is detached */
    TAKTI_PHASE_REGIONS,  /* regions are those of its declaration: the end, unless it restarts */
    TAKTI_PHASE_MEMORY,   /* memory is initialized; process->made */
    TAKTI_PHASE_WAIT,     /* until its next fault is permitted: config->faults_apart_ns */
    TAKTI_PHASE_BROKEN,   /* broken mutexes that it left can be locked again */
    TAKTI_PHASE_SPORADIC, /* sporadic tasks are started ... */
    TAKTI_PHASE_LINES,    /* ... their interrupts are attached ... */
    TAKTI_PHASE_OTHERS,   /* ... and then the other tasks are started */
    TAKTI_PHASE_WATCHDOGS,
    TAKTI_PHASE_CONSTRUCT /* after TAKTI_PHASE_BROKEN, with TAKT_PROCESS_CONSTRUCTS: constructors run */
};

/* Whether it has regions beyond its declaration: then restoring them takes longer than other steps. */
static inline bool takti_process_has_attached(const struct takt_process *process)
{
    return process->region_count != process->config->region_count;
}

/* Initializes a process for the start of the system: memory, regions, interrupts; its config is set. O(memory +
 * objects). */
void takti_process_make(struct takt_process *process);

/* Whether it is not started with the system. */
static inline bool takti_process_on_call(const struct takt_process *process)
{
    return TAKT_PROCESS_START && *process->config->on_call;
}

/* Whether constructors run at its start. */
static inline bool takti_process_constructs(const struct takt_process *process)
{
    return TAKT_PROCESS_CONSTRUCTS && *process->config->constructs != 0;
}

/* Suspends all tasks of a running process; the rest of its end and restart is done in steps. O(its tasks); any task can
 * be the best one afterwards. */
void takti_process_end(struct takt_process *process);

/*
 * Cost of each operation in units of about 18 instructions, and of a step in total. One task ends or starts per step.
 */
enum { TAKTI_WORK = 48, TAKTI_WORK_LOOK = 2, TAKTI_WORK_MUTEX = 24, TAKTI_WORK_OBJECT = 6, TAKTI_WORK_TIMER = 16 };

/* Processes an object in the phases that go through all of them; returns its cost, of `room`. An object that needs a
 * step of its own leaves process->at unchanged. objects.c */
unsigned takti_process_object(struct takt_process *process, const struct takt_object *object, unsigned room);

/* Whether an object of that kind is used only by the process. */
bool takti_process_owns(const struct takt_process *process, const struct takt_object *object,
                        enum takt_object_kind kind);

/* Attaches an interrupt to a task of the process. */
void takti_process_attach(const struct takt_process *process, struct takt_process_interrupt *interrupt);

/* Gives it the regions of its declaration. */
void takti_process_regions(struct takt_process *process);

/* The next step. Called in the timer interrupt, unlocked. */
void takti_process_step(struct takti_call *call);

#endif
