/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HINTS_PROGRAM_H
#define HINTS_PROGRAM_H

/*
 * What each small program of programs/ has: mutexes, semaphores, a task that owns them by turns and posts meanwhile,
 * and a list of what its tasks noted. It is compiled and run with its hints and without; the notes have to be the same.
 */
#include "takt/takt.h"

struct program {
    const char *name;
    const struct takt_task_config *tasks; /* name, entry, level; and of jobs release, style and period */
    unsigned count;
};

#define TASK(letter, rank, function)                           \
    {                                                          \
        .name = (letter), .entry = (function), .level = (rank) \
    }
#define JOB(letter, rank, function, period)                                                      \
    {                                                                                            \
        .name = (letter), .entry = (function), .level = (rank), .release = TAKT_PERIODIC,        \
        .period_ns = TAKT_MS(period), .deadline_ns = TAKT_MS(period), .style = TAKT_STYLE_ENTRY, \
    }
#define LOOP(letter, rank, function, period)                                                    \
    {                                                                                           \
        .name = (letter), .entry = (function), .level = (rank), .release = TAKT_PERIODIC,       \
        .period_ns = TAKT_MS(period), .deadline_ns = TAKT_MS(period), .style = TAKT_STYLE_LOOP, \
    }
#define OWNER TASK("o", 7, owner)
#define PROGRAM(name, ...)                                                  \
    static const struct takt_task_config tasks_of_##name[] = {__VA_ARGS__}; \
    const struct program program_##name = {#name, tasks_of_##name, sizeof tasks_of_##name / sizeof tasks_of_##name[0]}

struct program_notes {
    unsigned count;
    unsigned values[256];
};
extern struct program_notes program_notes[]; /* by task */

/* What the running task found out: nothing that depends on the order of arrival. */
static inline void note(unsigned value)
{
    struct program_notes *notes = &program_notes[takt_task_running()->config->index];
    if (notes->count < sizeof notes->values / sizeof notes->values[0]) {
        notes->values[notes->count++] = value;
    }
}

/* Does nothing, in a file that the tool does not see. */
void outside(void);

enum { ROUNDS = 12, LOCKS = 3 };

struct device {
    struct takt_mutex lock;
    struct takt_mutex *other;
    unsigned value;
};

static TAKT_MUTEX_DEFINE(a, 1);
static TAKT_MUTEX_DEFINE(b, 2);
static struct takt_mutex locks[LOCKS] = {{.id = 3}, {.id = 4}, {.id = 5}};
static struct device device = {.lock = {.id = 6}, .other = &a};
static TAKT_SEMAPHORE_DEFINE(go, 7, 0, 60);
static TAKT_SEMAPHORE_DEFINE(more, 8, 0, 60);
static unsigned shared; /* by the owner of the mutex that the program is about */

static inline void owns(struct takt_mutex *mutex)
{
    takt_mutex_lock(mutex);
    takt_work(TAKT_US(200));
    takt_semaphore_post(&go);
    takt_semaphore_post(&more);
    takt_work(TAKT_US(300));
    takt_mutex_unlock(mutex);
}

static void owner(void *argument)
{
    (void)argument;
    for (unsigned round = 0; round < ROUNDS; round++) {
        owns(&a);
        owns(&b);
        owns(&locks[round % LOCKS]);
        owns(&device.lock);
    }
}

#endif
