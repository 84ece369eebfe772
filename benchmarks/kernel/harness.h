/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BENCHMARK_HARNESS_H
#define TAKT_BENCHMARK_HARNESS_H

/*
 * The rows are written once and measured with each kernel. What a kernel offers is in its operations.h, found
 * through the include path: calls of its public interface and nothing else, inline, so that a row counts what a caller
 * would have to write. The processor's part is target.h.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "benchmarks/kernel/sets.h"
#include "benchmarks/print.h"
#include "stamp.h"

/* Better first. Each kernel has its own way to say so. */
enum level {
    LEVEL_TOP,
    LEVEL_HIGHER,
    LEVEL_HIGH,
    LEVEL_ABOVE,
    LEVEL_RUNNER, /* the thread that runs the rows, and its equals */
    LEVEL_BELOW,
    LEVEL_RETURN, /* gives the processor back to the runner, once those above it are done */
    LEVEL_OTHERS,
    LEVEL_LAST,
    LEVELS
};

/* In a loop the address of what is used twice stays in a register: so it does in a row. */
#define IN_REGISTER(pointer) __asm volatile("" : "+r"(pointer))

/* Ends the run, with a message. */
_Noreturn void harness_fail(const char *what, const char *row);

#include "operations.h"

enum { THREADS_MAX = 140, FEW_THREADS = 6, OTHERS_MORE = 255 };

/* One operation: `once` takes stamp `from` before it and stamp `to` after it, in whichever task then runs. */
struct row {
    const char *name;
    void (*setup)(void); /* starts threads, which are deleted afterwards */
    void (*once)(void);
    unsigned effects; /* what one `once` adds to `effects` */
    uint8_t from;
    uint8_t to;
    bool equals;     /* is about threads of the same level, which not every band has */
    uint8_t threads; /* more than FEW_THREADS at a time: so many; OTHERS_MORE: as many as there are others, and one */
};

/* Counted by the task that did what the row is about: a row without its effect ends the run. */
extern volatile uint32_t effects;

/* How many tasks there are besides the rows' own. */
extern unsigned others;

/* The runner, at LEVEL_RUNNER. */
extern struct thread runner;

/* Starts a thread, which is deleted when the row is done. */
void thread_start(struct thread *thread, void (*entry)(void *argument), enum level level);
/* The same with one of the harness' store, for whom no row asks. */
void thread_take(void (*entry)(void *argument), enum level level);

/* What `runner` does: begins (the others are started), measures rows, and leaves with a line of JSON printed. */
void harness_begin(void);
void harness_measure(const struct row *rows, unsigned count);
_Noreturn void harness_end(void);

/* sweep.c: instead of measuring the row, how long interrupts wait that come in it, one at each instruction. */
void sweep_prepare(void);
void sweep_row(const struct row *row);

/* profile.c: the row that is measured from now on. */
void profile_row(const struct row *row);

/* The rows that every kernel has: rows_*.c. */
void task_rows_measure(void);
void service_rows_measure(void);
void event_rows_measure(void);
void time_rows_measure(void);

/* Instead of those the rows of another set (sets.h). Returns whether there is one. */
bool other_set_measure(void);
void rhealstone_rows_measure(void);
void seed_rows_measure(void);
void share_measure(void);

/* Of this run, by name. */
uint32_t harness_option(const char *name, uint32_t otherwise);

#endif
