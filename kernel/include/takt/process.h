/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PROCESS_H
#define TAKT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "takt/task.h"

/*
 * Processes: protected memory with tasks in it. Seed 000, 3.2-3.5; docs/decisions/0016-processes.md.
 * The tables here are constant and usually generated from [[process]] in system.toml.
 */

/* What a process may do with memory. */
enum takt_access { TAKT_ACCESS_READ = 1, TAKT_ACCESS_WRITE = 2, TAKT_ACCESS_EXECUTE = 4 };

/* A piece of memory, as the processor's regions can say it: the generator places it so. */
struct takt_region {
    uintptr_t base;
    uint32_t size;  /* bytes, > 0 */
    uint8_t access; /* enum takt_access, or-ed */
    uint8_t device; /* whether it is a device's registers, not memory */
};

/* What is behind a handle. */
enum takt_object_kind {
    TAKT_OBJECT_FREE, /* nothing: a place of a process's quota */
    TAKT_OBJECT_TASK,
    TAKT_OBJECT_MUTEX,
    TAKT_OBJECT_CEILING,
    TAKT_OBJECT_SEMAPHORE,
    TAKT_OBJECT_CONDITION,
    TAKT_OBJECT_EVENTS,
    TAKT_OBJECT_MAILBOX,
    TAKT_OBJECT_PRIORITY_MAILBOX,
    TAKT_OBJECT_PIPE,
    TAKT_OBJECT_RENDEZVOUS,
    TAKT_OBJECT_ALARM,
    TAKT_OBJECT_WATCHDOG,
    TAKT_OBJECT_STATE,
    TAKT_OBJECT_SHARED,   /* a takt_shared */
    TAKT_OBJECT_DEVICE,   /* a takt_region of registers */
    TAKT_OBJECT_INTERRUPT /* a takt_process_interrupt */
};

/*
 * What a process may do with an object. USE: what whoever has it does with it: lock, wait, receive, read, attach, map.
 * GIVE: what others wait for: post, set, signal, send, write, release a job. MANAGE: start, stop, suspend, delete.
 */
enum takt_right { TAKT_RIGHT_USE = 1, TAKT_RIGHT_GIVE = 2, TAKT_RIGHT_MANAGE = 4 };

/* An object, in the kernel's table. A handle is index | generation << 16; generation is never 0. */
struct takt_object {
    void *object;
    uint16_t generation;
    uint8_t kind;  /* enum takt_object_kind */
    uint8_t owner; /* index of the process whose quota it is of; UINT8_MAX: declared */
};

enum takt_on_fault { TAKT_ON_FAULT_STOP, TAKT_ON_FAULT_RESTART };

#define TAKT_PROCESS_REGIONS 8 /* at most, the guard of the stack not counted */

/* What a process is: constant. */
struct takt_process_config {
    const char *name;
    const struct takt_region *regions; /* [0] the shared text, [1] its own text, [2] its own memory, then others */
    const uint8_t *rights;             /* per index of takt_system.objects: enum takt_right, or-ed */
    const void *data_load;             /* what its memory starts with: copied to regions[2].base ... */
    uint32_t data_size;                /* ... so many bytes, a multiple of 4; ... */
    uint32_t zero_size;                /* ... and so many zeros behind it, a multiple of 4 */
    uint32_t quota_size;               /* bytes at the end of regions[2], for takt_memory_alloc; a multiple of 4 */
    void *tls;                         /* thread-local storage of the C library, in its memory; or NULL */
    const uint16_t *tasks;             /* indices in takt_system.configs: started with it */
    uint16_t task_count;
    uint8_t region_count;
    uint8_t index;        /* of its own */
    uint8_t on_fault;     /* enum takt_on_fault */
    uint8_t restarts_max; /* restarts; after them it stays stopped; UINT8_MAX: no limit */
};

#endif
