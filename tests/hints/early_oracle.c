/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs each job of a random program many times. The jobs are compiled for the thread sanitizer, whose functions are
 * here: they are called for each access to memory that more than one function can reach. Prints a sum over all locks,
 * unlocks and accesses to what tasks share, in order and with the values; then how long all jobs worked, and how much
 * of that with each mutex.
 */
#include "tests/hints/early_oracle.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

enum { RUNS = 40, MUTEXES = 5, EVENTS = 400 };

struct world world;
struct takt_mutex a, b, each[3];

static unsigned sum, events, held[MUTEXES];
static unsigned long long worked, worked_with[MUTEXES];
static jmp_buf enough;

static unsigned index_of(const struct takt_mutex *mutex)
{
    return mutex == &a ? 0 : mutex == &b ? 1 : 2 + (unsigned)(mutex - each);
}

static void event(unsigned kind, unsigned what, unsigned value)
{
    sum = (sum * 31 + kind) * 31 + what;
    sum = sum * 31 + value;
    if (++events == EVENTS) {
        longjmp(enough, 1);
    }
}

void takt_work(uint64_t duration_ns)
{
    worked += duration_ns;
    for (unsigned number = 0; number < MUTEXES; number++) {
        worked_with[number] += held[number] != 0 ? duration_ns : 0;
    }
}

enum takt_status takt_mutex_lock(struct takt_mutex *mutex)
{
    event(1, index_of(mutex), 0);
    held[index_of(mutex)] = 1;
    return TAKT_OK;
}

void takt_mutex_unlock(struct takt_mutex *mutex)
{
    event(2, index_of(mutex), 0);
    held[index_of(mutex)] = 0;
    world.one = world.one * 5 + events;
    world.several[events % 3] += world.one;
    world.sensor++;
    *world.to ^= events;
}

static void accessed(unsigned kind, const void *address)
{
    const char *at = address, *begin = (const char *)&world;
    if (at >= begin && at < begin + sizeof world) {
        unsigned value = 0;
        if (at != (const char *)&world.to) {
            memcpy(&value, at, sizeof value);
        }
        event(kind, (unsigned)(at - begin), value);
    } else if (kind >= 5) {
        event(kind, 0, 0); /* a volatile object elsewhere */
    }
}

#define ACCESS(name, kind)              \
    void __tsan_##name(const void *at); \
    void __tsan_##name(const void *at)  \
    {                                   \
        accessed(kind, at);             \
    }
#define SIZES(of) of(1) of(2) of(4) of(8) of(16)
#define OF_SIZE(size)              \
    ACCESS(read##size, 3)          \
    ACCESS(write##size, 4)         \
    ACCESS(volatile_read##size, 5) \
    ACCESS(volatile_write##size, 6)
SIZES(OF_SIZE)

void __tsan_init(void);
void __tsan_init(void)
{
}

void __tsan_func_entry(const void *from);
void __tsan_func_entry(const void *from)
{
    (void)from;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

int main(void)
{
    for (volatile unsigned job = 0; job < job_count; job++) {
        for (volatile unsigned run = 0; run < RUNS; run++) {
            world = (struct world){.one = run, .several = {run / 2, 5, run}, .to = &world.one};
            memset(held, 0, sizeof held);
            events = 0;
            if (setjmp(enough) == 0) {
                jobs[job](run);
            }
        }
    }
    printf("%08x %llu", sum, worked);
    for (unsigned number = 0; number < MUTEXES; number++) {
        printf(" %llu", worked_with[number]);
    }
    printf("\n");
    return 0;
}
