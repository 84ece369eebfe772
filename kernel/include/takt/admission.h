/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_ADMISSION_H
#define TAKT_ADMISSION_H

/*
 * Tasks started at run time under proof: what takt_task_start needs when takt_system.admission is set. The tables are
 * usually generated (`runtime_tasks = N`). The proof is that of analysis/, feasibility only, over a snapshot of the
 * running set; tasks started at run time use no declared mutex. A task that is stopped and started again before it
 * ceased to count takes two places.
 */
#include "takt/analysis.h"
#include "takt/system.h"

/* One place of the set: a task that runs, or a stopped one that still counts. Private; kernel lock. */
struct takt_admission_entry {
    const struct takt_task *task; /* NULL: free */
    uint64_t wcet_ns;
    uint64_t period_ns;
    uint64_t deadline_ns;
    uint64_t until_ns; /* stopped: counts until then; TAKT_FOREVER while it runs */
    uint8_t level;
};

/* What changes while the system runs. Private; kernel lock. */
struct takt_admission_state {
    uint32_t changes;               /* of the set, so that a proof over an old snapshot is not believed */
    const struct takt_task *prover; /* whose the work space is, or NULL */
};

struct takt_admission {
    /* takti_admission_add and takti_admission_remove: named here so that only a system with admission links them. */
    enum takt_status (*add)(const struct takt_task *task, const struct takt_task_config *config, uint32_t lock);
    void (*remove)(const struct takt_task *task);
    struct takt_admission_entry *entries; /* `capacity` of them, zero */
    struct takt_analysis_task *snapshot;  /* `capacity` of them: work space */
    struct takt_admission_state *state;   /* zero */
    const struct takt_analysis_interrupt *interrupts;
    uint64_t blocking_ns;    /* sum over the tasks of their longest hold: bounds what blocks any task */
    uint64_t lock_ns;        /* measured overheads of the board, or 0 (model: boards/B/overheads.toml) */
    uint64_t release_ns[2];  /* fixed, edf */
    uint64_t complete_ns[2]; /* fixed, edf; with the contended locks of a job */
    uint64_t timer_ns;
    uint32_t iterations; /* bound per level (takt_analysis_feasible) */
    uint16_t capacity;   /* task_count + tasks at run time */
    uint16_t interrupt_count;
};

enum takt_status takti_admission_add(const struct takt_task *task, const struct takt_task_config *config,
                                     uint32_t lock);
void takti_admission_remove(const struct takt_task *task);

#endif
