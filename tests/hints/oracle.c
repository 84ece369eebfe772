/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs each task of a random program many times. A hint is for the next wait, and the first lock after that is of its
 * mutex; the first locks of the mutexes of a set come in its order, before another wait. The first hint that is not so
 * is printed, and the exit code is 1. Else it prints a sum of all that happened but hints.
 */
#include "tests/hints/oracle.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 60, EVENTS = 120, CHOICES = 1000 };

struct takt_mutex a, b, locks[4];
struct takt_semaphore go;
unsigned random_state;

/* Mutexes of a hint; `locked`: how many of them, the first ones. */
struct announced {
    struct takt_mutex *mutexes[TAKT_HINT_SET_MAX];
    unsigned count, locked;
};

static struct announced given;   /* by a hint, for the next wait */
static struct announced awaited; /* by a hint whose wait is over */
static unsigned events, choices, sum, task, hints, sets;
static jmp_buf enough;

static void wrong(const char *what)
{
    printf("task %u: %s\n", task, what);
    exit(1);
}

static void event(unsigned kind, const void *object)
{
    sum = sum * 31 + kind * 7 + (unsigned)((const char *)object - (const char *)locks);
    if (++events == EVENTS) {
        longjmp(enough, 1);
    }
}

void takt_work(uint64_t duration_ns)
{
    (void)duration_ns;
    if (++choices == CHOICES) {
        longjmp(enough, 1);
    }
}

void takt_hint_next(struct takt_mutex *mutex)
{
    given = (struct announced){.mutexes = {mutex}, .count = mutex != NULL};
    hints++;
}

void takt_hint_next_set(struct takt_hint_set *set)
{
    given = (struct announced){.count = set->count};
    for (unsigned each = 0; each < set->count; each++) {
        given.mutexes[each] = set->mutexes[each];
    }
    sets++;
}

static void waits(const void *object)
{
    if (awaited.locked < awaited.count) {
        wrong("it waits before it locks");
    }
    awaited = given;
    given = (struct announced){.count = 0};
    event(1, object);
}

enum takt_status takt_semaphore_wait(struct takt_semaphore *semaphore)
{
    waits(semaphore);
    return TAKT_OK;
}

enum takt_status takt_semaphore_wait_until(struct takt_semaphore *semaphore, uint64_t until_ns)
{
    (void)until_ns;
    waits(semaphore);
    return choice() % 2 == 0 ? TAKT_OK : TAKT_TIMEOUT;
}

enum takt_status takt_mutex_lock(struct takt_mutex *mutex)
{
    if (given.count > 0) {
        wrong("it locks before it waits");
    }
    bool again = false;
    for (unsigned each = 0; each < awaited.locked; each++) {
        again = again || awaited.mutexes[each] == mutex;
    }
    if (!again && awaited.locked < awaited.count && awaited.mutexes[awaited.locked++] != mutex) {
        wrong("it locks another mutex");
    }
    event(2, mutex);
    return TAKT_OK;
}

void takt_mutex_unlock(struct takt_mutex *mutex)
{
    event(3, mutex);
}

static void run(unsigned seed)
{
    random_state = seed;
    given = awaited = (struct announced){.count = 0};
    events = choices = 0;
    if (setjmp(enough) == 0) {
        tasks[task].entry(NULL);
        if (given.count > 0 || awaited.locked < awaited.count) {
            wrong("it ends before it locks");
        }
    }
}

int main(void)
{
    for (task = 0; task < task_count; task++) {
        for (unsigned seed = 0; seed < RUNS; seed++) {
            run(seed);
        }
    }
    printf("%08x\n", sum);
    fprintf(stderr, "%u hints %u sets\n", hints, sets);
    return 0;
}
