/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PROCESS_H
#define TAKT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "takt/task.h"

struct takt_state;

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
    TAKT_OBJECT_NONE,
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
    TAKT_OBJECT_STATE,       /* of which one copies locked */
    TAKT_OBJECT_SHARED,      /* a takt_shared */
    TAKT_OBJECT_DEVICE,      /* a takt_region of registers */
    TAKT_OBJECT_INTERRUPT,   /* a takt_process_interrupt */
    TAKT_OBJECT_FREE = 0x80, /* or-ed with a kind: a place of a quota, with storage for one of that kind and none in it;
                                of TASK the storage is a takt_thread, of MAILBOX and PIPE a takt_created_mailbox or
                                takt_created_pipe (takt/create.h) */
};

/*
 * What a process may do with an object. USE: what whoever has it does with it: lock, wait, receive, read, attach, map.
 * GIVE: what others wait for: post, set, signal, send, write, release a job. MANAGE: start, stop, suspend, delete. Of
 * shared memory GIVE is to write. kernel/process/entries_*.h say which call needs which.
 */
enum takt_right { TAKT_RIGHT_USE = 1, TAKT_RIGHT_GIVE = 2, TAKT_RIGHT_MANAGE = 4 };

/* What a process may do with the board's own: write to its console, use its serial line. */
enum takt_board_right { TAKT_BOARD_CONSOLE = 1, TAKT_BOARD_SERIAL = 2 };

/* An object, in the kernel's table. A handle is index | generation << 16; generation is never 0, and 1 at the start. */
struct takt_object {
    void *object;
    uint16_t generation;
    uint8_t kind;  /* enum takt_object_kind */
    uint8_t owner; /* index of the process that alone uses it, and whose end takes it away or makes it as at the start;
                      UINT8_MAX: several do */
};

/* Memory that processes attach. Seed 000, 3.4.3. `users` is the kernel's, under its lock; 0 at the start. */
struct takt_shared {
    struct takt_region region; /* with what GIVE may do; others only read. Its size is a multiple of 4 */
    uint8_t users;             /* processes that have attached it */
    uint32_t made;             /* bytes that are zeros again, while there is none and the first comes */
#if !TAKT_PROCESSES
    uint32_t attached[8]; /* bit set of them: a processor without regions says nothing */
#endif
};

/*
 * An interrupt whose handler is a task: when it comes the kernel masks the line and releases the task, which calls
 * takt_irq_ack when it has served the device. Define it with TAKT_PROCESS_INTERRUPT_DEFINE.
 */
struct takt_process_interrupt {
    void (*handler)(void);  /* what the port calls */
    struct takt_task *task; /* sporadic, of a process that may USE the interrupt */
    uint16_t number;
    uint8_t attached;                    /* private: kernel lock; index of the process, or UINT8_MAX */
    bool acknowledged;                   /* private: the line opens when the job ends */
    struct takt_process_interrupt *next; /* private: of those of the process that are acknowledged */
};

#define TAKT_PROCESS_INTERRUPT_DEFINE(name, irq, releases)                                    \
    static void name##_comes(void);                                                           \
    struct takt_process_interrupt name = {                                                    \
        .handler = name##_comes, .task = (releases), .number = (irq), .attached = UINT8_MAX}; \
    static void name##_comes(void)                                                            \
    {                                                                                         \
        takti_process_interrupt(&name);                                                       \
    }                                                                                         \
    _Static_assert(true, "a semicolon follows")

/*
 * What a process takes at run time: memory, and places for threads and objects. The declaration says how much there is,
 * the fields with `used` how much of it is taken: the kernel's, under its lock, 0 at the start.
 */
struct takt_quota {
    uintptr_t memory;     /* for takt_memory_alloc and stacks of threads: begins at a TAKT_GRANULE */
    uint32_t memory_size; /* bytes */
    uint32_t memory_used;
    uint8_t *buffers; /* the kernel's: what mailboxes and pipes that it creates hold; aligned to 8 */
    uint32_t buffers_size;
    uint32_t buffers_used;
    struct takt_object *places; /* place_count of them: with protection in takt_system.objects, which handles count */
    uint16_t place_count;
    uint8_t thread_level; /* no thread that it starts has a better one; a fixed level */
};

/* Storage of a thread that a process starts at run time: a place of its quota. Private but for `index`; zero at the
 * start. */
struct takt_thread {
    struct takt_task task; /* must stay first */
    struct takt_task_config config;
    struct takt_task *joiners; /* waiting for its end */
    struct takt_object *place; /* its own */
#if !TAKT_PROCESSES
    struct takt_quota *quota;      /* of its process */
    void (*entry)(void *argument); /* with protection of config: in user mode */
    void *argument;
#endif
    uint16_t index; /* of config, the declaration's: task_count or more, each another, below every edf leaf */
    uint8_t state;
};

#if !TAKT_PROCESSES
/* Without protection: whose quota is whose. Usually generated; there need be none. */
struct takt_quotas {
    struct takt_quota *first; /* per process */
    const uint8_t *of_tasks;  /* per task in takt_system.configs its process, or UINT8_MAX */
};
extern const struct takt_quotas takt_quotas;
#endif

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
    uint32_t quota_size;   /* bytes at the end of regions[2], for takt_memory_alloc; begins at a TAKT_GRANULE */
    uint8_t *buffers;      /* the kernel's, aligned to 8: what mailboxes and pipes that it creates hold; ... */
    uint32_t buffers_size; /* ... so many bytes */
    void *tls;             /* thread-local storage of the C library, in its memory; or NULL */
    const uint16_t *tasks; /* indices in takt_system.configs: started with it, and all that it has */
    uint16_t task_count;
    uint16_t place_first; /* places of its quota: indices of takt_system.objects ... */
    uint16_t place_count; /* ... so many */
    uint8_t thread_level; /* no thread that it starts has a better one; a fixed level */
    uint8_t board;        /* enum takt_board_right, or-ed */
    uint8_t region_count;
    uint8_t index;            /* of its own */
    uint8_t on_fault;         /* enum takt_on_fault */
    uint8_t restarts_max;     /* restarts; after them it stays stopped; UINT8_MAX: no limit */
    uint64_t faults_apart_ns; /* no task of it runs sooner after a fault; 0: as soon as its restart allows */
};

/*
 * What happened to a process. The last TAKT_PROCESS_FAULTS of them stay in memory for a debugger or the end of a run:
 * symbol `takt_process_faults`, written with the kernel locked.
 */
enum takt_process_fault {
    TAKT_PROCESS_STRAY,     /* memory that is not its own, or not for that */
    TAKT_PROCESS_STACK,     /* below its stack */
    TAKT_PROCESS_ILLEGAL,   /* an instruction that is none, or not for user mode */
    TAKT_PROCESS_CALL,      /* a call that there is not, or with a handle, pointer or in a state that it may not have */
    TAKT_PROCESS_ASSERTION, /* of its own code: takt_fault_raise */
    TAKT_PROCESS_BUDGET     /* a task with budget policy stop used it up */
};

#define TAKT_PROCESS_FAULTS 8
#define TAKT_PROCESS_FAULT_REGISTERS 12

struct takt_process_fault_record {
    uint64_t time_ns;
    uintptr_t address; /* what it reached for; of CALL the handle or pointer; of ASSERTION the line; of BUDGET 1: with a
                          wait or yield */
    uintptr_t pc;      /* where; 0: unknown */
    const char *register_names; /* as in takt_fault, or NULL */
    uint32_t registers[TAKT_PROCESS_FAULT_REGISTERS];
    uint16_t task;     /* index */
    uint8_t process;   /* index */
    uint8_t cause;     /* enum takt_process_fault */
    uint8_t restarted; /* whether the process runs again, or will; 0: it stays stopped */
};

struct takt_process_faults {
    uint32_t count; /* of all; the last is in records[(count - 1) % TAKT_PROCESS_FAULTS] */
    struct takt_process_fault_record records[TAKT_PROCESS_FAULTS];
};
extern struct takt_process_faults takt_process_faults;

/*
 * What follows is for tasks of a process, with protection and without. With it each is a call of theirs: a handle that
 * is not of the kind, or that the process may not use so, and a pointer that is not its own, are faults of the process,
 * in these and all other calls. Without it they are direct calls, in the same places and with the same quota; nothing
 * is asked of rights, nobody else is kept from memory, and no process ends.
 */

/* Nothing, for figures: a system call's own cost. Context: task of a process. Blocks: never. */
void takt_process_null(void);

/*
 * `size` bytes, rounded up to TAKT_GRANULE, of the process's quota, aligned to that; NULL: there are not so many left.
 * Retained until the end of the process. Seed 000, 3.5.4. Zero. Context: task of a process. Blocks: never. O(1).
 */
void *takt_memory_alloc(uint32_t size);
#define TAKT_GRANULE 32

/*
 * Attaches `shared`: its first address; NULL: this processor's regions cannot say one more. The first attach of all
 * processes creates it, all zeros; the same process attaching again gets the same address and counts once. Seed 000,
 * 3.4.3. Context: task of a process. Blocks: never. O(size) for the first, in pieces of 256 bytes with the kernel
 * locked: whoever is better runs in between.
 */
void *takt_shared_attach(struct takt_shared *shared);

/* The process does without: an access is a fault from now on. The last detach frees it. Nothing, if it is not attached.
 * Context: task of a process. Blocks: never. */
void takt_shared_detach(struct takt_shared *shared);

/* Maps the registers of a device until the end of the process: their address; NULL as above. Seed 000, 3.5.3. Context:
 * task of a process. Blocks: never. */
volatile void *takt_device_map(struct takt_region *device);

/*
 * Serves an interrupt in the process from now on: its task is released each time it comes, with the line masked until
 * takt_irq_ack. TAKT_STATE: it is attached already, as one that only this process may USE is from its start on; without
 * protection always, for the interrupt calls its handler itself. Seed 000, 3.5.3. Context: task of a process. Blocks:
 * never.
 */
TAKT_MUST_USE enum takt_status takt_irq_attach(struct takt_process_interrupt *interrupt);

/* The device was served: its line may interrupt again when the job of the calling task ends, so once per job. Nothing,
 * if it is not attached, and without protection. Context: task that the interrupt releases. Blocks: never. */
void takt_irq_ack(struct takt_process_interrupt *interrupt);

/* Bytes of a message in a mailbox of processes, with priorities or without: the kernel is locked while it copies one.
 */
#define TAKT_PROCESS_MESSAGE_MAX 256

/* What a thread is: a background task of the process. */
struct takt_thread_attributes {
    void (*entry)(void *argument); /* in the process; the thread ends when it returns */
    void *argument;
    uint32_t stack_size; /* bytes, from the quota: >= 256; a place that had a thread keeps its stack for the next */
    uint32_t level;      /* not better than the process's thread_level */
};

/*
 * Starts a thread, in a place of the process's quota; its handle goes to `*thread`. It is a task as any, but that it
 * inherits nothing: what is done with tasks by handle can be done with it. TAKT_LIMIT: no place, or no memory for its
 * stack. Seed 000, table 3.1. Context: task of a process. Blocks: never.
 */
TAKT_MUST_USE enum takt_status takt_thread_create(struct takt_task **thread,
                                                  const struct takt_thread_attributes *attributes);

/*
 * Waits for the end of a thread, and frees its place: its handle is stale afterwards. TAKT_TIMEOUT: `until_ns`
 * (absolute) came before. TAKT_DELETED: another one has joined it. Not oneself. Context: task of a process. Blocks:
 * until the thread has ended.
 */
TAKT_MUST_USE enum takt_status takt_thread_join(struct takt_task *thread);
TAKT_MUST_USE enum takt_status takt_thread_join_until(struct takt_task *thread, uint64_t until_ns);

/* Nobody will join it: its place is free when it ends, or now if it has. Context: task of a process. Blocks: never. */
void takt_thread_detach(struct takt_task *thread);

/* The calling task or thread ends; it may hold no mutex. Context: task of a process. Blocks: never; does not return. */
_Noreturn void takt_thread_exit(void);

#if TAKT_PROCESSES
/* From the handler of a takt_process_interrupt, between takt_interrupt_enter and takt_interrupt_exit. */
void takti_process_interrupt(struct takt_process_interrupt *interrupt);
#endif

#endif
