/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MISUSE_H
#define MISUSE_H

/* Misuses that an assertion guards against, each in a process of its own: the fault names the file of the check. */
#include "scenario.h"

/* The caller. CONFIGURED: none, it spoils the scenario. FREE_INTERRUPT: one that may not call the kernel. */
enum misuse_where { TASK, INTERRUPT, FREE_INTERRUPT, IDLE, INIT, JOB, CONFIGURED };

/* With which schedulers. */
enum misuse_sched { BANDS = 1, FIXED = 2, COOPERATIVE = 4, PLAIN = 8 };

struct misuse {
    void (*call)(void);
    enum misuse_where where;
    const char *file; /* of the assertion, after "nobody: " if no task runs; or "?" and the reason of another fault */
    unsigned schedulers; /* 0: with bands */
};

/*
 * Runs those that are for the scheduler of this build. The scenario: background task "a" at level 1 and "p" above it,
 * every 5 ms; `prepare` is called in init, with what the next misuse is. Returns what main returns.
 */
int misuse_run(const struct misuse *misuses, unsigned count, void (*prepare)(const struct misuse *next));

#endif
