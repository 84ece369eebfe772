/* SPDX-License-Identifier: Apache-2.0 */
/* Switches, and tasks that begin and end. */
#include "harness.h"

/* Yield: from the call, in a loop, to the next of the equals, which is the runner. */
static volatile uint32_t passed;

static void yielder(void *argument)
{
    (void)argument;
    for (;;) {
        passed++;
        thread_yield();
    }
}

static void yielder_last(void *argument)
{
    (void)argument;
    for (;;) {
        effects += passed == others - 2;
        passed = 0;
        stamp_begin(0);
        thread_yield();
    }
}

static void yield_setup(void)
{
    for (unsigned i = 2; i < others; i++) {
        thread_take(yielder, LEVEL_RUNNER);
    }
    thread_take(yielder_last, LEVEL_RUNNER);
}

static void yield_once(void)
{
    thread_yield();
    stamp_end(1);
}

/* Resume until the higher one runs; suspend until the lower one goes on. */
static struct thread chain[4];

static void suspender(void *argument)
{
    (void)argument;
    for (;;) {
        stamp_end(1);
        effects++;
        stamp_begin(2);
        thread_suspend_self(&chain[0]);
    }
}

static void resume_setup(void)
{
    thread_start(&chain[0], suspender, LEVEL_ABOVE);
}

static void resume_once(void)
{
    stamp_begin(0);
    thread_resume(&chain[0]);
    stamp_end(3);
}

/* A round of five: each resumes the next higher, then each suspends itself. Eight switches. */
#define LINK(index)                             \
    static void link_##index(void *argument)    \
    {                                           \
        (void)argument;                         \
        for (;;) {                              \
            thread_resume(&chain[(index) + 1]); \
            thread_suspend_self(&chain[index]); \
        }                                       \
    }
LINK(0)
LINK(1)
LINK(2)

static void link_last(void *argument)
{
    (void)argument;
    for (;;) {
        effects++;
        thread_suspend_self(&chain[3]);
    }
}

static void chain_setup(void)
{
    thread_start(&chain[3], link_last, LEVEL_TOP);
    thread_start(&chain[2], link_2, LEVEL_HIGHER);
    thread_start(&chain[1], link_1, LEVEL_HIGH);
    thread_start(&chain[0], link_0, LEVEL_ABOVE);
}

static void chain_once(void)
{
    stamp_begin(0);
    thread_resume(&chain[0]);
    stamp_end(1);
}

/* A task below the runner: it is made, runs, and is deleted while it is suspended. */
static struct thread created;

static void created_entry(void *argument)
{
    (void)argument;
    effects++;
    thread_resume(&runner);
    thread_suspend_self(&created);
}

static void create_setup(void)
{
    thread_prepare(&created, created_entry, LEVEL_BELOW);
}

static void create_and_delete(void)
{
    stamp_begin(0);
    thread_create_prepared(&created, created_entry, LEVEL_BELOW);
    stamp_end(1);
    thread_suspend_self(&runner);
    stamp_begin(2);
    thread_delete(&created);
    stamp_end(3);
}

static const struct row rows[] = {
    {"yield", yield_setup, yield_once, 1, 0, 1, true, 0},
    {"chain_of_5", chain_setup, chain_once, 1, 0, 1, false, 0},
    {"resume_runs", resume_setup, resume_once, 1, 0, 1, false, 0},
    {"suspend_self", resume_setup, resume_once, 1, 2, 3, false, 0},
    {"task_create", create_setup, create_and_delete, 1, 0, 1, false, 0},
    {"task_delete", create_setup, create_and_delete, 1, 2, 3, false, 0},
};

void task_rows_measure(void)
{
    harness_measure(rows, sizeof rows / sizeof rows[0]);
}
