/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BENCHMARK_CALLS_H
#define TAKT_BENCHMARK_CALLS_H

/*
 * Every call in the worst states that we know, once each: instructions from the call to its return, or until a task
 * runs that it lets run. A scenario: `setup`; then as many other tasks as option `tasks` says run `wait`, in which each
 * blocks; then `arm`; then the runner, or the blocker, makes the call; `undo`, and all tasks but the runner end.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "benchmarks/kernel/stamp.h"
#include "takt/takt.h"

/* A scenario names what it needs; the rest is zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

/* Better first. The others block and, woken, run before the runner; the first of them before all others. */
enum { LEVEL_FIRST = 1, LEVEL_OTHERS, LEVEL_BLOCKER, LEVEL_RUNNER, LEVEL_SPINNER };
enum { OTHERS_MAX = 64, MESSAGE = 8, CAPACITY = 8, STACK_SIZE = 512, ALL = UINT8_MAX };

struct thread {
    struct takt_task task;
    struct takt_task_config config;
    uint64_t stack[STACK_SIZE / sizeof(uint64_t)];
};

/* The task that makes the call, and where the measurement ends. */
enum form {
    RETURNS,         /* the runner, to whom it returns */
    WAKES,           /* the runner; when the first of the others runs, or `fresh` */
    BLOCKS,          /* the blocker; when the runner goes on */
    BLOCKS_AND_WAKES /* the blocker; when the first of the others runs */
};

struct scenario {
    const char *call;
    const char *name;
    enum form form;
    uint32_t result; /* of the call, if it has returned; BLOCKS: of no account */
    unsigned woken;  /* others that have run since; ALL */
    void (*run)(void);
    void (*setup)(void);
    uint32_t (*wait)(unsigned number); /* NULL: sleeps until its expiry */
    void (*arm)(void);
    void (*undo)(void);
};

/* The function of a scenario: CALL's result is an integer or pointer, DO's none. */
#define CALL(function, expression)                                \
    static void function(void)                                    \
    {                                                             \
        stamp_begin(0);                                           \
        uint32_t call_result = (uint32_t)(uintptr_t)(expression); \
        stamp_end(2);                                             \
        call_returned(call_result);                               \
    }
#define DO(function, statement) \
    static void function(void)  \
    {                           \
        stamp_begin(0);         \
        statement;              \
        stamp_end(2);           \
        call_returned(0);       \
    }

extern struct thread other[OTHERS_MAX];
extern struct thread runner;
extern struct thread blocker;
extern struct thread fresh;
extern unsigned others;

/* Of every message, sent or received. */
extern uint32_t sent[MESSAGE / 4];
extern uint32_t got[MESSAGE / 4];

/*
 * An expiry for each of the others, none of which comes; that of the first is the last, the most expensive to
 * cancel, unless `ascending`. And one among these, behind as many of them as make arming it most expensive.
 */
extern bool ascending;
uint64_t expiry(unsigned number);
extern uint64_t worst_ns;
extern const uint64_t earliest_ns; /* before them all */
extern const uint64_t last_ns;     /* after them all */

/* What the others do, once woken; or NULL. */
extern void (*after)(unsigned number);

/* The others start from the last to the first. */
extern bool last_first;

/* Of the first of the others and of the blocker: LEVEL_FIRST and LEVEL_BLOCKER otherwise. */
extern uint8_t first_level;
extern uint8_t blocker_level;
/* When it is to have jobs, the next of them at worst_ns: what it waits for before its call. */
extern bool blocker_has_jobs;

void call_returned(uint32_t result);
bool call_has_returned(void);
void thread_prepare(struct thread *thread, void (*entry)(void *argument), uint8_t level);
/* Starts `fresh`, which says that it runs. */
void fresh_prepare(uint8_t level);
void fresh_entry(void *argument);

/* Ends the run, with a message. */
_Noreturn void fail(const char *what);

void measure(const struct scenario *scenarios, unsigned count);
#define MEASURE(scenarios) measure(scenarios, sizeof(scenarios) / sizeof *(scenarios))

/* The calls that an image measures. */
void measure_calls(void);

/* Those of a file. */
void measure_tasks(void);
void measure_timers(void);
void measure_locks(void);
void measure_ceilings(void);
void measure_events(void);
void measure_mailboxes(void);
void measure_streams(void);
void measure_slots(void);
void measure_console(void);
void measure_without_lock(void);
void measure_hints(void);

#endif
