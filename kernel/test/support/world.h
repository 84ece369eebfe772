/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORLD_H
#define WORLD_H

/*
 * A small protected system on the host port: three processes that share one object of each kind (`a` and `b` may use
 * all of them, `c` none), each with tasks that do what the test gives them. Memory of a process: a guard that nobody
 * may write, then buffers.
 */
#include "base/test/check.h"
#include "kernel/process/process.h"
#include "takt/create.h"
#include "takt/takt.h"

enum { PROCESSES = 3, PROCESS_TASKS = 3, TASKS = PROCESSES * PROCESS_TASKS, MEMORY = 2688, GUARD = 256 };
enum {
    QUOTA = 1024,
    MESSAGE = 8,
    STACK = 256,
    BUFFERS = 64,
    REQUEST = 24,
    REPLY = 16,
    SIGNAL = 8,
    SIGNALS = 3,
    BLOCK = 8,
    BLOCKS = 2,
    SLOT_MESSAGES = 2,
    ALARMS_APART_MS = 7, /* of alarms that a process creates */
    HEAP = 512,
    HEAP_AT = GUARD + 576, /* in the memory of a process that has one, behind its buffers */
    HEAP_FIRST = 208       /* offset of the block that is allocated first */
};

/* Places of a process: those of threads first. */
enum {
    PLACES = 2,
    PLACE_MUTEX = PLACES, /* two */
    PLACE_CONDITION = PLACE_MUTEX + 2,
    PLACE_EVENTS,
    PLACE_SEMAPHORE,
    PLACE_MAILBOX,
    PLACE_PIPE,
    PLACE_PRIORITY_MAILBOX,
    PLACE_ALARM,
    PROCESS_PLACES
};

/* Tasks of process p: number 3 * p is periodic, the next sporadic, the third one background. */
enum { PERIODIC, SPORADIC, BACKGROUND };

struct world {
    struct takt_task tasks[TASKS];
    struct takt_process processes[PROCESSES];
    struct takt_process_config process_configs[PROCESSES];
    struct takt_object objects[80];
    uint8_t rights[PROCESSES][80];
    struct takt_thread threads[PROCESSES][PLACES];
    struct {
        struct takt_mutex mutexes[2];
        struct takt_condition condition;
        struct takt_events events;
        struct takt_semaphore semaphore;
        struct takt_created_mailbox mailbox;
        struct takt_created_pipe pipe;
        struct takt_created_priority_mailbox priority_mailbox;
        struct takt_created_alarm alarm;
    } created[PROCESSES];
    struct takt_mutex mutex, own_mutex; /* the second is a's alone */
    struct takt_semaphore own_semaphore;
    struct takt_ceiling ceiling;
    struct takt_semaphore semaphore, trigger;
    struct takt_condition condition;
    struct takt_events events;
    struct takt_mailbox mailbox;
    struct takt_priority_mailbox priority_mailbox;
    struct takt_pipe pipe;
    struct takt_rendezvous rendezvous, exchange; /* the second copies */
    struct takt_signal_pool signals;
    struct takt_pool pool;
    struct takt_signal_queue queues[2]; /* of the periodic tasks of a and b */
    struct takt_slot slot;
    struct takt_alarm alarm;
    struct takt_watchdog watchdog; /* of a's periodic task */
    struct takt_state state;
    struct takt_shared shared;
    struct takt_region device;
    struct takt_process_interrupt interrupt;
    unsigned objects_used;
    void (*work[TASKS])(unsigned task); /* what a task does: once a job */
    void (*thread_work)(unsigned process);
    void (*declare)(void); /* starts what is declared to be started, once */
    uint64_t end_ns;
};

extern struct world world;
extern uint8_t world_memory[PROCESSES][MEMORY]; /* of each process */
extern uint8_t world_shared[256];               /* `shared` */
extern const uint8_t world_text[64];            /* the shared text */
extern uint8_t world_outside[256];              /* nobody's */

/* Handles. */
enum world_object {
    WORLD_MUTEX = TASKS,
    WORLD_CEILING,
    WORLD_SEMAPHORE,
    WORLD_TRIGGER,
    WORLD_CONDITION,
    WORLD_EVENTS,
    WORLD_MAILBOX,
    WORLD_PRIORITY_MAILBOX,
    WORLD_PIPE,
    WORLD_RENDEZVOUS,
    WORLD_ALARM,
    WORLD_WATCHDOG,
    WORLD_STATE,
    WORLD_SHARED,
    WORLD_DEVICE,
    WORLD_INTERRUPT,
    WORLD_EXCHANGE,
    WORLD_SIGNALS,
    WORLD_QUEUE_A,
    WORLD_QUEUE_B,
    WORLD_POOL,
    WORLD_SLOT,
    WORLD_OWN_MUTEX,
    WORLD_OWN_SEMAPHORE,
    WORLD_PROCESS_A, /* each for a and b, but the last: c's own */
    WORLD_PROCESS_B,
    WORLD_PROCESS_C,
    WORLD_PLACES /* PROCESS_PLACES of each process */
};
uintptr_t world_handle(unsigned object);

/* Memory of a process for copies of signals, in its own memory: before its quota. */
enum { COPIES = TAKT_SIGNAL_BYTES(SIGNAL) * SIGNALS };
uint8_t *world_copies(unsigned process);
uint8_t *world_blocks(unsigned process);      /* before these: of the pool */
uint8_t *world_slot_copies(unsigned process); /* before these: of buffers of the slot */

/* Forgets the world before. `restarts_max`: of every process. */
void world_new(unsigned restarts_max);
void world_fifo(void); /* afterwards: waiters in FIFO order, in a kernel that has them */
void world_run(unsigned end_ms);
/* Threads with a period are admitted; the wcet of a task for that. After world_new. */
void world_admission(const struct takt_admission *admission);
void world_wcet(unsigned task, uint64_t wcet_ns);
#if TAKT_PROCESS_START
/* It is not started with the system. */
void world_on_call(unsigned process);
#endif
/* Takes 16 bytes from the end of a process's quota: half a granule. */
void world_odd_quota(unsigned process);
/* Gives a task another level, of those below 2, which none has. */
void world_promote(unsigned task, unsigned level);
/* Makes the background task of a process one of the kernel's, at level 0: it calls the kernel directly. */
void world_kernel_task(unsigned task, void (*entry)(void *argument));
#if TAKT_BUDGETS
void world_limit(unsigned task, struct takt_budget *budget);
#endif

/* A process whose memory is not known, as an application's on the host: it may use whatever there is. */
void world_no_memory(unsigned process);
/* All of a process's memory but its quota is data, from `bytes`. */
void world_all_data(unsigned process, const uint8_t *bytes);
#if TAKT_JOBS
/* What is called when a job of a task misses its deadline. */
void world_deadline(unsigned task, struct takt_deadline_timer *timer, void (*hook)(struct takt_task *task));
#endif
/* A task's entry is called once, and waits for its jobs itself. */
void world_loop(unsigned task);
#if TAKT_EDF
void world_edf(unsigned level);
#endif

/* In a task: a call. Returns what it does. */
uint64_t world_call(enum takti_call_number number, uintptr_t first, uintptr_t second, uintptr_t third,
                    uintptr_t fourth);
#define CALL0(name) world_call(TAKTI_CALL_##name, 0, 0, 0, 0)
#define CALL1(name, a) world_call(TAKTI_CALL_##name, (uintptr_t)(a), 0, 0, 0)
#define CALL2(name, a, b) world_call(TAKTI_CALL_##name, (uintptr_t)(a), (uintptr_t)(b), 0, 0)
#define CALL3(name, a, b, c) world_call(TAKTI_CALL_##name, (uintptr_t)(a), (uintptr_t)(b), (uintptr_t)(c), 0)

uint8_t *world_heap(unsigned process); /* of a and b */
void *world_buffer(unsigned process);  /* writable by the process: MEMORY - GUARD - QUOTA bytes, aligned to 8 */

#endif
