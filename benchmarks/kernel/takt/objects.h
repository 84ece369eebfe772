/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BENCHMARK_OBJECTS_H
#define TAKT_BENCHMARK_OBJECTS_H

/*
 * What the rows' objects are. In a process (protection) calls are traps: in_process.h gives them their names, for what
 * includes it before this; an object is a handle, which it keeps itself, and what a process cannot ask for is done in
 * the kernel's mode by processes.c.
 */
#include "kernel/port.h"
#include "takt/takt.h"

#if TAKT_PROCESSES
#define HANDLE uintptr_t handle;
#define STACK_ALIGNED __attribute__((aligned(32))) /* a guard is its lowest bytes */
#define OBJECT(object, member) ((__typeof__(&(object)->member))(object)->handle)
#else
#define HANDLE
#define STACK_ALIGNED
#define OBJECT(object, member) (&(object)->member)
#endif

#define THREAD_STACK_SIZE 512u

struct thread {
    struct takt_task task;
    struct takt_task_config config;
    HANDLE
    uint64_t stack[THREAD_STACK_SIZE / sizeof(uint64_t)] STACK_ALIGNED;
};

struct semaphore {
    struct takt_semaphore semaphore;
    HANDLE
};

struct mutex {
    struct takt_mutex mutex;
    HANDLE
};

struct queue {
    struct takt_mailbox mailbox;
    uint32_t storage[16];
    HANDLE
};

/* A message of which only the last one counts. */
enum { LATEST_SIZE = 8, LATEST_COPIES = 3 };

struct latest {
    struct takt_state state;
    uint64_t storage[(TAKT_STATE_BYTES(LATEST_SIZE, LATEST_COPIES) + 7) / 8];
};

struct events {
    struct takt_events events;
    HANDLE
};

struct pool {
    struct takt_pool pool;
    uint32_t storage[TAKT_POOL_BYTES(16, 4) / sizeof(uint32_t)];
};

#endif
