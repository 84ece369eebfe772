/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs each task of a random program many times. A hint is for the next wait, and the first lock after that is of its
 * mutex: the first hint that is not so is printed, and the exit code is 1. Else it prints a sum of all that happened
 * but hints.
 */
#include "tests/hints/oracle.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 60, EVENTS = 120, CHOICES = 1000 };

struct takt_mutex a, b, locks[4];
struct takt_semaphore go;
unsigned random_state;

static struct takt_mutex *given;   /* by a hint, for the next wait */
static struct takt_mutex *awaited; /* by a hint whose wait is over */
static unsigned events, choices, sum, task, hints;
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
    given = mutex;
    hints++;
}

static void waits(const void *object)
{
    if (awaited != NULL) {
        wrong("it waits before it locks");
    }
    awaited = given;
    given = NULL;
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
    if (given != NULL) {
        wrong("it locks before it waits");
    }
    if (awaited != NULL && awaited != mutex) {
        wrong("it locks another mutex");
    }
    awaited = NULL;
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
    given = awaited = NULL;
    events = choices = 0;
    if (setjmp(enough) == 0) {
        tasks[task].entry(NULL);
        if (given != NULL || awaited != NULL) {
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
    fprintf(stderr, "%u hints\n", hints);
    return 0;
}
