/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_ADMISSION_H
#define TAKT_ADMISSION_H

/*
 * Run-time admission: takt_task_start proves the system with the new task before it starts it, when
 * takt_system.admission is set. The tables are usually generated (`runtime_tasks = N`). The proof is that of analysis/,
 * feasibility only, over a snapshot of the running set; a task started at run time uses no declared mutex. A task that
 * is stopped and started again while its earlier run still counts takes two entries.
 */
#include "base/dialect.h"
#include "takt/analysis.h"
#include "takt/system.h"

TAKT_C_BEGIN

/* An entry of the set: a started task, or a stopped one that still counts. Private; kernel lock. */
struct takt_admission_entry {
    const struct takt_task *task; /* NULL: the entry is free */
    uint64_t wcet_ns;
    uint64_t period_ns;
    uint64_t deadline_ns;
    uint64_t until_ns; /* of a stopped task: it counts until then; TAKT_FOREVER: the task is started */
    uint8_t level;
};

struct takt_thread;
struct takt_thread_attributes;

/* The variable part. Private; kernel lock. */
struct takt_admission_state {
    uint32_t changes;                           /* version of the set: a proof over an older snapshot is discarded */
    const struct takt_task *prover;             /* the task that uses the work space, or NULL */
    struct takt_thread *thread[TAKT_PROCESSES]; /* that waits for a proof; NULL: none, or it was given up */
    uint16_t generation[TAKT_PROCESSES];        /* of its handle: another one, if its slot was freed meanwhile */
    struct takt_task *callers[TAKT_PROCESSES];  /* the task that waits for it; NULL: none, or no longer */
    bool asked[TAKT_PROCESSES];                 /* a proof is to be made, or is being made, for a thread */
};

/* With processes: proofs for threads with a period. Pointers, as below. */
struct takt_admission_threads {
    /* Locked, in a trap: takt_thread_create of the running task. */
    enum takt_status (*create)(uintptr_t *handle, const struct takt_thread_attributes *attributes);
    void (*prove)(void);                               /* in idle, unlocked: makes a proof that was asked for */
    void (*give_up)(const struct takt_thread *thread); /* its slot is freed */
    uint32_t wait_ns;                                  /* of their budgets */
    uint32_t yield_ns;
};

struct takt_admission {
    /* takti_admission_add and takti_admission_remove; pointers, so that only a system with admission links them. */
    enum takt_status (*add)(const struct takt_task *task, const struct takt_task_config *config, uint32_t lock);
    void (*remove)(const struct takt_task *task);
    struct takt_admission_entry *entries; /* `capacity` entries, zero */
    struct takt_analysis_task *snapshot;  /* `capacity` entries: work space */
    struct takt_admission_state *state;   /* zero */
    const struct takt_analysis_interrupt *interrupts;
    uint64_t blocking_ns;    /* sum over the tasks of their longest hold: bounds the blocking of any task */
    uint64_t lock_ns;        /* measured overheads of the board, or 0 (model: boards/B/overheads.toml) */
    uint64_t release_ns[2];  /* fixed, edf */
    uint64_t complete_ns[2]; /* fixed, edf; with the contended locks of a job */
    uint64_t timer_ns;
    uint32_t iterations; /* bound per level (takt_analysis_feasible) */
    uint16_t capacity;   /* task_count + tasks started at run time */
    uint16_t interrupt_count;
    struct takt_admission_threads threads[TAKT_PROCESSES];
};

enum takt_status takti_admission_add(const struct takt_task *task, const struct takt_task_config *config,
                                     uint32_t lock);
void takti_admission_remove(const struct takt_task *task);

/* takt_admission_threads, in kernel/process/admitted.c. */
enum takt_status takti_thread_admit(uintptr_t *handle, const struct takt_thread_attributes *attributes);
void takti_thread_prove(void);
void takti_thread_give_up(const struct takt_thread *thread);

TAKT_C_END

#endif
