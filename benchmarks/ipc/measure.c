/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure count QUEUE BYTES ITEMS       that many pairs, for an instruction counter
 * measure time ROUNDS PAIRS ITEMS       prints a line per queue, size and round: name, bytes, ns per pair in one
 * thread, ns per item from one thread to another. The queues take turns in each round.
 * All tables have as many entries. Exit code 3: there are no two processors.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "queues.h"

static const struct queue *const tables[] = {QUEUES}; /* those that are linked: CMakeLists.txt */
enum { TABLES = sizeof tables / sizeof *tables };

struct consumer {
    const struct queue *queue;
    uint64_t items;
    uint64_t wrong;
    double ns;
    atomic_int state; /* 1: it is there; 2: go */
};

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static cpu_set_t allowed; /* the processors that this process may use */

/* To the one of them with that number. */
static void pin(int number)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &allowed) && number-- == 0) {
            CPU_SET(cpu, &one);
        }
    }
    if (CPU_COUNT(&one) == 0 || pthread_setaffinity_np(pthread_self(), sizeof one, &one) != 0) {
        fprintf(stderr, "two processors are needed\n");
        exit(3);
    }
}

static void *consume(void *argument)
{
    struct consumer *consumer = argument;
    pin(1);
    atomic_store(&consumer->state, 1);
    while (atomic_load(&consumer->state) != 2) {
    }
    double begin = now_ns();
    consumer->wrong = consumer->queue->consume(consumer->items);
    consumer->ns = now_ns() - begin;
    return NULL;
}

void queue_refused(void)
{
    static _Thread_local unsigned refused;
    if (++refused % 1024 == 0) {
        sched_yield();
    }
}

static void check(const struct queue *queue, uint64_t wrong)
{
    if (wrong != 0) {
        fprintf(stderr, "%s, %u bytes: %llu items wrong\n", queue->name, queue->bytes, (unsigned long long)wrong);
        exit(1);
    }
}

static double threads_ns(const struct queue *queue, uint64_t items)
{
    struct consumer consumer = {.queue = queue, .items = items};
    pthread_t thread;
    if (pthread_create(&thread, NULL, consume, &consumer) != 0) {
        exit(1);
    }
    while (atomic_load(&consumer.state) != 1) {
    }
    atomic_store(&consumer.state, 2);
    queue->produce(items);
    pthread_join(thread, NULL);
    check(queue, consumer.wrong);
    return consumer.ns / (double)items;
}

static double pairs_ns(const struct queue *queue, uint64_t pairs)
{
    double begin = now_ns();
    check(queue, queue->pairs(pairs));
    return (now_ns() - begin) / (double)pairs;
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "count") == 0) {
        for (unsigned table = 0; table < TABLES; table++) {
            for (const struct queue *queue = tables[table]; queue->name != NULL; queue++) {
                if (strcmp(queue->name, argv[2]) == 0 && queue->bytes == strtoul(argv[3], NULL, 10)) {
                    check(queue, queue->pairs(strtoull(argv[4], NULL, 10)));
                    return 0;
                }
            }
        }
    } else if (argc == 5 && strcmp(argv[1], "time") == 0) {
        sched_getaffinity(0, sizeof allowed, &allowed);
        pin(0);
        for (unsigned long round = strtoul(argv[2], NULL, 10); round > 0; round--) {
            for (unsigned turn = 0; ring_queues[turn / TABLES].name != NULL; turn++) {
                const struct queue *queue = &tables[turn % TABLES][turn / TABLES];
                if (queue->produce != NULL) {
                    double ns = pairs_ns(queue, strtoull(argv[3], NULL, 10));
                    printf("%s %u %.3f %.3f\n", queue->name, queue->bytes, ns,
                           threads_ns(queue, strtoull(argv[4], NULL, 10)));
                }
            }
        }
        return 0;
    }
    fprintf(stderr, "%s count QUEUE BYTES ITEMS | time ROUNDS PAIRS ITEMS\n", argv[0]);
    return 2;
}
