/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_RESTART_H
#define TAKTI_RESTART_H

/* How a process begins, ends and starts again. Called with the kernel locked unless it says otherwise. */
#include "kernel/process/process.h"

/* takt_process.phase: what comes next of its end and new start, in this order */
enum {
    TAKTI_PHASE_NONE,
    TAKTI_PHASE_MUTEXES,  /* those that others wait for, one in a step, each at once */
    TAKTI_PHASE_TASKS,    /* tasks and threads end, with what else they hold */
    TAKTI_PHASE_PLACES,   /* of its quota */
    TAKTI_PHASE_OBJECTS,  /* that it alone uses are as at the start; what it attached is free */
    TAKTI_PHASE_REGIONS,  /* are those of its declaration: the end, unless it starts again */
    TAKTI_PHASE_MEMORY,   /* is as at the start; process->made */
    TAKTI_PHASE_WAIT,     /* until its next fault may come: config->faults_apart_ns */
    TAKTI_PHASE_BROKEN,   /* mutexes that it left can be locked again */
    TAKTI_PHASE_SPORADIC, /* tasks start, which others release ... */
    TAKTI_PHASE_LINES,    /* ... as their interrupts do from here on ... */
    TAKTI_PHASE_OTHERS,   /* ... and then those that do so */
    TAKTI_PHASE_WATCHDOGS
};

/* Whether it has regions beyond those of its declaration: then to make them so takes longer than other steps. */
static inline bool takti_process_has_attached(const struct takt_process *process)
{
    return process->region_count != process->config->region_count;
}

/* It is as at the start of the system: memory, regions, interrupts; its config is set. O(memory + objects). */
void takti_process_make(struct takt_process *process);

/* One that runs does so no more. The rest of its end and restart comes in steps. O(its tasks); afterwards any
 * task can be the best one. */
void takti_process_end(struct takt_process *process);

/* How much of a step each takes: about as many times 18 instructions. One task ends or starts in a step. */
enum { TAKTI_WORK = 48, TAKTI_WORK_LOOK = 2, TAKTI_WORK_MUTEX = 24, TAKTI_WORK_OBJECT = 6, TAKTI_WORK_TIMER = 16 };

/* What becomes of an object in the phases that go through all of them, and how much of the `room` that takes. What has
 * to wait for a step of its own leaves process->at where it is. objects.c */
unsigned takti_process_object(struct takt_process *process, const struct takt_object *object, unsigned room);

/* Whether an object of that kind is the process's alone. */
bool takti_process_owns(const struct takt_process *process, const struct takt_object *object,
                        enum takt_object_kind kind);

/* An interrupt comes to a task of the process from here on. */
void takti_process_attach(const struct takt_process *process, struct takt_process_interrupt *interrupt);

/* It has the regions of its declaration. */
void takti_process_regions(struct takt_process *process);

/* The next step. In the timer's interrupt, unlocked. */
void takti_process_step(struct takti_call *call);

#endif
