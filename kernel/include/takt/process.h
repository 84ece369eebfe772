/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PROCESS_H
#define TAKT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dialect.h"
#include "base/status.h"
#include "takt/budget.h"
#include "takt/task.h"

TAKT_C_BEGIN

struct takt_state;

/*
 * Processes: protected memory with tasks in it. Seed 000, 3.2-3.5; docs/decisions/0016-processes.md. The tables are
 * constant and usually generated from [[process]] in system.toml.
 */

/* Access of a process to memory. */
enum takt_access { TAKT_ACCESS_READ = 1, TAKT_ACCESS_WRITE = 2, TAKT_ACCESS_EXECUTE = 4 };

/*
 * A range of memory that a region of the processor's protection unit can describe; the generator places it accordingly.
 */
struct takt_region {
    uintptr_t base;
    uint32_t size;  /* bytes, > 0 */
    uint8_t access; /* mask of enum takt_access */
    uint8_t device; /* device registers, not memory */
};

/* Kind of the object that a handle names. */
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
    TAKT_OBJECT_STATE,     /* read with takt_state_read_locked */
    TAKT_OBJECT_SHARED,    /* a takt_shared */
    TAKT_OBJECT_DEVICE,    /* a takt_region of registers */
    TAKT_OBJECT_INTERRUPT, /* a takt_process_interrupt */
    TAKT_OBJECT_SIGNAL_POOL,
    TAKT_OBJECT_SIGNAL_QUEUE,
    TAKT_OBJECT_POOL,
    TAKT_OBJECT_PROCESS, /* a takt_process that is started and stopped */
    TAKT_OBJECT_SLOT,
    TAKT_OBJECT_FREE = 0x80, /* or-ed with a kind: an empty slot of a quota, with storage for an object of that kind;
                                for TASK the storage is a takt_thread, for MAILBOX, PRIORITY_MAILBOX and PIPE a
                                takt_created_mailbox ... (takt/create.h) */
};

/*
 * Rights of a process to an object. USE: lock, wait, receive, read, attach, map. GIVE: post, set, signal, send, write,
 * release a job; of shared memory, to write. MANAGE: start, stop, suspend, delete. The files of
 * kernel/process/entries/ list the right that each call needs.
 */
enum takt_right { TAKT_RIGHT_USE = 1, TAKT_RIGHT_GIVE = 2, TAKT_RIGHT_MANAGE = 4 };

/* Rights of a process to the board: write to its console, use its serial line. */
enum takt_board_right { TAKT_BOARD_CONSOLE = 1, TAKT_BOARD_SERIAL = 2 };

/* An entry of the kernel's object table. A handle is index | generation << 16; generation is never 0, and 1 at the
 * start. */
struct takt_object {
    void *object;
    uint16_t generation;
    uint8_t kind;  /* enum takt_object_kind */
    uint8_t owner; /* index of the only process that uses it, and whose end deletes it or resets it to its initial
                      state; UINT8_MAX: several do */
};

/* Shared memory that processes attach. Seed 000, 3.4.3. `users` and `made`: kernel lock; 0 at the start. */
struct takt_shared {
    struct takt_region region; /* with the access that GIVE permits; without GIVE read only. Size: a multiple of 4 */
    uint8_t users;             /* number of processes that have attached it */
    uint32_t made;             /* bytes zeroed so far, during the first attach */
    uint32_t attached[TAKT_PROCESSES ? 0 : 8]; /* bit set of those processes, where there are no regions to tell */
};

/*
 * An interrupt that a task handles: the kernel masks the line and releases the task, which calls takt_irq_ack when it
 * has served the device. Defined with TAKT_PROCESS_INTERRUPT_DEFINE.
 */
struct takt_process_interrupt {
    void (*handler)(void);  /* called by the port */
    struct takt_task *task; /* sporadic, of a process that may USE the interrupt */
    uint16_t number;
    uint8_t attached;                    /* private: kernel lock; index of the process, or UINT8_MAX */
    bool acknowledged;                   /* private: the line is unmasked when the job ends */
    struct takt_process_interrupt *next; /* private: list of the acknowledged ones of the process */
};

#define TAKT_PROCESS_INTERRUPT_DEFINE(name, irq, releases)                                    \
    static void name##_comes(void);                                                           \
    struct takt_process_interrupt name = {                                                    \
        .handler = name##_comes, .task = (releases), .number = (irq), .attached = UINT8_MAX}; \
    static void name##_comes(void)                                                            \
    {                                                                                         \
        takti_process_interrupt(&name);                                                       \
    }                                                                                         \
    TAKT_STATIC_ASSERT(true, "a semicolon follows")

/*
 * Resources that a process allocates at run time: memory, and slots for threads and objects. The declaration sets the
 * sizes; the fields with `used` are the amounts in use: kernel lock, 0 at the start.
 */
struct takt_quota {
    uintptr_t memory;     /* for takt_memory_alloc and stacks of threads: begins at a TAKT_GRANULE */
    uint32_t memory_size; /* bytes */
    uint32_t memory_used;
    uint8_t *buffers; /* kernel memory: contents of mailboxes and pipes that it creates; aligned to 8 */
    uint32_t buffers_size;
    uint32_t buffers_used;
    struct takt_object *slots; /* its slots, slot_count of them; with protection part of takt_system.objects, so that
                                   handles can name them */
    uint16_t slot_count;
    uint8_t thread_level; /* no thread that it starts has a better one; a fixed level */
    bool mutexes_inherit; /* do owners of mutexes that it creates inherit? The longest section is declared then */
    const uint64_t *alarms_apart_ns[TAKT_PROCESS_ALARMS];  /* minimum time between two expiries of an alarm that it
                                                              creates */
    const struct takt_budget *thread_budget[TAKT_BUDGETS]; /* of each thread, whose sections are watched; NULL: none */
};

/* Members of a thread without protection. */
struct takt_thread_unprotected {
    struct takt_quota *quota;      /* of the process */
    void (*entry)(void *argument); /* with protection config's, run in user mode */
    void *argument;
};

/* Storage of a thread that a process starts at run time: a slot of its quota. Private except `index`; zero at the
 * start. */
struct takt_thread {
    struct takt_task task; /* must stay first */
    struct takt_task_config config;
    struct takt_task *joiners;               /* tasks that wait for its end */
    struct takt_object *slot;                /* its own */
    struct takt_budget budget[TAKT_BUDGETS]; /* config's, if its sections are watched */
    struct takt_thread_unprotected unprotected[!TAKT_PROCESSES];
    uint16_t index; /* config's index, declared: unique, >= task_count, below every edf leaf */
    uint8_t state;
};

/* Without protection: the quota of each process and the process of each task. Usually generated; optional. */
struct takt_quotas {
    struct takt_quota *first; /* one per process */
    const uint8_t *of_tasks;  /* process of each task in takt_system.configs, or UINT8_MAX */
};
extern const struct takt_quotas takt_quotas;

enum takt_on_fault { TAKT_ON_FAULT_STOP, TAKT_ON_FAULT_RESTART };

#define TAKT_PROCESS_REGIONS 8 /* at most, not counting the guard of the stack */
#define TAKT_RESTARTS_UNLIMITED UINT8_MAX

/* Description of a process. Constant. */
struct takt_process_config {
    const char *name;
    const struct takt_region *regions; /* [0] the shared code, [1] its own code, [2] its own memory, then others */
    const uint8_t *rights;             /* per index of takt_system.objects a mask of enum takt_right */
    const void *data_load;             /* initial contents of its memory, copied to regions[2].base: ... */
    uint32_t data_size;                /* ... number of bytes, a multiple of 4; ... */
    uint32_t zero_size;                /* ... bytes of zeros after it, a multiple of 4 */
    uint32_t quota_size;   /* bytes at the end of regions[2], for takt_memory_alloc; begins at a TAKT_GRANULE */
    uint8_t *buffers;      /* kernel memory, aligned to 8: contents of mailboxes and pipes that it creates; ... */
    uint32_t buffers_size; /* ... its bytes */
    void *tls;             /* thread-local storage of the C library, in its memory; or NULL */
    const uint16_t *tasks; /* indices in takt_system.configs of all its declared tasks, started with it */
    uint16_t task_count;
    uint16_t slot_first;  /* slots of its quota: first index in takt_system.objects, ... */
    uint16_t slot_count;  /* ... and number */
    uint8_t thread_level; /* no thread that it starts has a better one; a fixed level */
    bool mutexes_inherit; /* as in its quota; likewise the next */
    const struct takt_budget *thread_budget[TAKT_BUDGETS];
    uint8_t board; /* mask of enum takt_board_right */
    uint8_t region_count;
    uint8_t index;            /* its own */
    uint8_t on_fault;         /* enum takt_on_fault */
    uint8_t restarts_max;     /* restarts before it stays stopped; or TAKT_RESTARTS_UNLIMITED */
    uint8_t deadline_threads; /* threads with a period that it may have at a time, those that ended and still count for
                                 admission included */
    uint64_t faults_apart_ns; /* minimum time from a fault or stop until a task of it runs; 0: that of the restart */
    uint64_t alarms_apart_ns[TAKT_PROCESS_ALARMS]; /* as in its quota */
    bool on_call[TAKT_PROCESS_START];              /* not started with the system */
    uint16_t constructs[TAKT_PROCESS_CONSTRUCTS];  /* 0: none; else one more than the number in `tasks` of the sporadic
                                                      task that is released first, and alone, at each start */
};

#if !TAKT_PROCESSES
/* Without protection: a process that is started and stopped. Usually generated. */
struct takt_process {
    const uint16_t *tasks;    /* indices in takt_system.configs */
    struct takt_quota *quota; /* NULL: none */
    uint16_t task_count;
    bool on_call;    /* not started with the system */
    uint8_t index;   /* in the trace */
    uint8_t state;   /* private; kernel lock */
    uint32_t starts; /* private; kernel lock: calls of takt_process_start */
};

/* All of them. */
struct takt_managed_processes {
    struct takt_process *first;
    uint16_t count;
};
extern const struct takt_managed_processes takt_managed_processes;
#endif

/*
 * Cause of a fault of a process. The records of the last TAKT_PROCESS_FAULTS faults stay in memory for a debugger or
 * the end of a run: symbol `takt_process_faults`, written with the kernel locked.
 */
enum takt_process_fault {
    TAKT_PROCESS_STRAY,     /* access to memory that it may not access, or not in that way */
    TAKT_PROCESS_STACK,     /* access below its stack */
    TAKT_PROCESS_ILLEGAL,   /* an illegal instruction, or one not permitted in user mode */
    TAKT_PROCESS_CALL,      /* an unknown call, or one with a handle or pointer, or in a state, that is not permitted */
    TAKT_PROCESS_ASSERTION, /* in its own code: takt_fault_raise */
    TAKT_PROCESS_BUDGET,    /* a task used up a budget with policy stop */
    TAKT_PROCESS_HEAP_DAMAGED /* it freed what is no block of its heap in use, or has overwritten its heap */
};

#define TAKT_PROCESS_FAULTS 8
#define TAKT_PROCESS_FAULT_REGISTERS 12

struct takt_process_fault_record {
    uint64_t time_ns;
    uintptr_t address; /* address accessed; CALL, HEAP: the handle or pointer; ASSERTION: the line; BUDGET: 1 if used up
                          by a wait or yield */
    uintptr_t pc;      /* program counter; 0: unknown */
    const char *register_names; /* as in takt_fault, or NULL */
    uint32_t registers[TAKT_PROCESS_FAULT_REGISTERS];
    uint16_t task;     /* index */
    uint8_t process;   /* index */
    uint8_t cause;     /* enum takt_process_fault */
    uint8_t restarted; /* whether the process restarts; 0: it stays stopped */
};

struct takt_process_faults {
    uint32_t count; /* of all faults; the last is in records[(count - 1) % TAKT_PROCESS_FAULTS] */
    struct takt_process_fault_record records[TAKT_PROCESS_FAULTS];
};
extern struct takt_process_faults takt_process_faults;

/*
 * Calls of tasks of a process, with protection and without. With protection each is a system call: a handle of another
 * kind or without the right, and a pointer outside the process's memory, are faults of the process, in these and all
 * other calls. Without protection they are direct calls, on the same slots and quota; rights are not checked, memory is
 * not protected, and no process ends.
 */

/* Does nothing: to measure the cost of a system call. Context: task of a process. Blocks: never. */
void takt_process_null(void);

/*
 * Allocates `size` bytes of zeros, rounded up to TAKT_GRANULE and aligned to it, from the quota of the process; NULL:
 * the quota has too few left. Allocated until the end of the process. Seed 000, 3.5.4. Context: task of a process.
 * Blocks: never. O(1).
 */
void *takt_memory_alloc(uint32_t size);
#define TAKT_GRANULE 32

/*
 * Attaches `shared` and returns its first address; NULL: the processor has no region left for it. The first attach by
 * any process zeroes it; a process that attaches it again gets the same address and counts once. Seed 000, 3.4.3.
 * Context: task of a process. Blocks: never. O(size) for the first, in pieces of 256 bytes with the kernel locked:
 * better tasks run in between.
 */
void *takt_shared_attach(struct takt_shared *shared);

/* Detaches the memory from the process: an access is a fault from now on. The last detach frees it. No effect if it is
 * not attached. Context: task of a process. Blocks: never. */
void takt_shared_detach(struct takt_shared *shared);

/* Maps the registers of a device until the end of the process and returns their address; NULL as above. Seed 000,
 * 3.5.3. Context: task of a process. Blocks: never. */
volatile void *takt_device_map(struct takt_region *device);

/*
 * Attaches an interrupt to the process: from now on each one releases its task, with the line masked until
 * takt_irq_ack. TAKT_STATE: it is attached already, as an interrupt that only this process may USE is from the start of
 * the process on; always without protection, where the interrupt calls its handler directly. Seed 000, 3.5.3. Context:
 * task of a process. Blocks: never.
 */
TAKT_MUST_USE enum takt_status takt_irq_attach(struct takt_process_interrupt *interrupt);

/* Acknowledges the interrupt: its line is unmasked when the job of the calling task ends, so once per job. No effect if
 * it is not attached, nor without protection. Context: task that the interrupt releases. Blocks: never. */
void takt_irq_ack(struct takt_process_interrupt *interrupt);

/* Largest message in a mailbox, with or without priorities, that processes use, bytes: the kernel is locked while it
 * copies one. */
#define TAKT_PROCESS_MESSAGE_MAX 256

/* Attributes of a thread: a background task of the process, or with a period a task with a deadline. */
struct takt_thread_attributes {
    void (*entry)(void *argument); /* in the code of the process; a background thread ends when it returns, one with a
                                      period is called once per job, until thread_exit */
    void *argument;
    uint32_t stack_size;  /* bytes >= 256, from the quota; a slot keeps its stack for its next thread */
    uint32_t level;       /* not better than the process's thread_level; with a period better than that */
    uint64_t period_ns;   /* 0: a background thread */
    uint64_t deadline_ns; /* > 0, <= period_ns. This and wcet_ns: with a period */
    uint64_t wcet_ns; /* > 0, <= deadline_ns; with protection also the budget: more is a fault, and so is a wait with
                         a timeout, or a lock of a mutex */
};

/*
 * Starts a thread in a slot of the process's quota and writes its handle to `*thread`. All calls on tasks apply to it,
 * but it inherits priority only through created mutexes (takt/create.h). TAKT_LIMIT: no free slot, or not enough memory
 * for its stack. Seed 000, table 3.1. Context: task of a process. Blocks: never without a period.
 *
 * With a period it is admitted (takt/admission.h): TAKT_REFUSED or TAKT_UNDECIDED, as for takt_task_start, when not all
 * deadlines, its own among them, are proved with it; its first release is then now. TAKT_LIMIT also: the process has as
 * many of them as it may. TAKT_REFUSED also: the system has no admission. With protection the proof is made when all
 * tasks wait, and the caller waits for it; TAKT_UNDECIDED then also while another one is made.
 */
TAKT_MUST_USE enum takt_status takt_thread_create(struct takt_task **thread,
                                                  const struct takt_thread_attributes *attributes);

/*
 * Waits for the end of a thread and frees its slot: its handle is stale afterwards. TAKT_TIMEOUT: `until_ns` (absolute)
 * came first. TAKT_DELETED: another task has joined it. A thread must not join itself. Context: task of a process.
 * Blocks: until the thread has ended.
 */
TAKT_MUST_USE enum takt_status takt_thread_join(struct takt_task *thread);
TAKT_MUST_USE enum takt_status takt_thread_join_until(struct takt_task *thread, uint64_t until_ns);

/* Detaches a thread, which will not be joined: its slot is freed when it ends, or now if it has. Context: task of a
 * process. Blocks: never. */
void takt_thread_detach(struct takt_task *thread);

/* Ends the calling task or thread, which must hold no mutex. Context: task of a process. Blocks: never; does not
 * return. */
TAKT_NORETURN void takt_thread_exit(void);

/*
 * Starts a process that is stopped: its memory, objects and tasks are as at the start of the system, except that a
 * periodic task is released when it would have been had it always run, and a sporadic one keeps its distance from its
 * last release. The start is made in steps of the timer interrupt, after those of the stop or fault before, and no
 * sooner after it than config->faults_apart_ns. TAKT_STATE: it runs, or will without this call; without protection
 * also while a task of it holds a mutex since its stop. A process needs the right to MANAGE it. Seed 000, table 3.1.
 * Context: any. Blocks: never. O(1); without protection O(tasks + quota), in locked sections of one each.
 */
TAKT_MUST_USE enum takt_status takt_process_start(struct takt_process *process);

/*
 * Stops a process, also if it is about to restart: none of its tasks runs any more, and its end is made in steps as
 * after a fault (docs/processes.md, What a restart does). It stays stopped until takt_process_start. TAKT_STATE: it is
 * stopped already, or will be without this call. A process needs the right to MANAGE it. Without protection each task
 * and thread is stopped as by takt_task_stop. Context: any. Blocks: never; does not return to a task that stops its own
 * process. O(tasks and threads of the process).
 */
TAKT_MUST_USE enum takt_status takt_process_stop(struct takt_process *process);

/* Whether its end is complete, and it was not started since. A process needs the right to USE it. Context: any. Blocks:
 * never. */
bool takt_process_stopped(const struct takt_process *process);

/* With protection: called by the handler of a takt_process_interrupt, between takt_interrupt_enter and
 * takt_interrupt_exit. */
void takti_process_interrupt(struct takt_process_interrupt *interrupt);

TAKT_C_END

#endif
