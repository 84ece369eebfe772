/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PLAN_H
#define PLAN_H

/* A random system: what the kernel (drive.c) and the naive model (naive.c) are both given. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    EVENTS_TRIGGER_FLAGS = 3,
    TASKS_MAX = 8,
    OPS_MAX = 16,
    MUTEXES = 4,
    SEMAPHORES = 4,
    IN_TURN = 2, /* from this one on a profile that waits in turn waits so, for the others never */
    MAILBOXES = 3,
    SOURCES = 3,
    GAPS = 6,
    LEVELS_MAX = 16,
    PENDING_MAX = 3,
    INTRUSIONS = 2,
    MAILBOX_ROOM = 2, /* messages */
    EVENTS = 2,
    POOLS = 2,
    CONDITIONS = 2,
    RENDEZVOUS = 2,
    POOL_BLOCKS = 3,  /* of the second; the first has one */
    LETTER_BOXES = 2, /* mailboxes with priorities */
    LETTER_ROOM = 3,
    SIGNALS = 6,
    PIPES = 2,
    PIPE_ROOM = 5, /* bytes */
    PIPE_MOST = 8, /* bytes of a call */
    SLOTS = 2,     /* the first by priority */
    SLOT_ROOM = 3,
    SLOT_LEVELS = 3, /* priorities that lend a level */
    ALARMS = 4,
    ALARMS_DIRECT = 2,   /* from this one on a task calls their handlers, which do nothing */
    ALARM_QUEUE_MAX = 2, /* of the queue's semaphore */
    WATCHDOGS = 3,
    SERVERS = 2,
    NOBODY = 255
};

/* Ids of the objects in the trace. */
enum {
    MUTEX_ID = 10,
    SEMAPHORE_ID = 20,
    MAILBOX_ID = 30,
    EVENTS_ID = 40,
    POOL_ID = 50,
    CONDITION_ID = 60,
    RENDEZVOUS_ID = 70,
    LETTER_ID = 80,
    SLOT_ID = 90,
    SIGNAL_ID = 100,
    PIPE_ID = 120,
    ALARM_ID = 130,
    ALARM_QUEUE_ID = 139,
    WATCHDOG_ID = 140
};

enum op_kind {
    OP_WORK,
    OP_DELAY,
    OP_DELAY_UNTIL, /* now rounded up to a multiple of `ns` */
    OP_LOCK,        /* a mutex above those held; otherwise it is tried: no deadlock */
    OP_LOCK_UNTIL,
    OP_TRY_LOCK,
    OP_UNLOCK, /* the object-th of those held */
    OP_WAIT,
    OP_WAIT_UNTIL,
    OP_TRY_WAIT,
    OP_POST,
    OP_SEND,
    OP_SEND_UNTIL,
    OP_TRY_SEND,
    OP_RECEIVE,
    OP_RECEIVE_UNTIL,
    OP_TRY_RECEIVE,
    OP_SUSPEND,
    OP_RESUME,
    OP_CANCEL,
    OP_STOP,
    OP_START,
    OP_YIELD,
    OP_RELEASE,
    OP_DELETE_MUTEX,
    OP_DELETE_SEMAPHORE,
    OP_DELETE_MAILBOX,
    OP_WAIT_IN_TURN,
    OP_WAIT_IN_TURN_UNTIL,
    OP_FLUSH,
    OP_COUNT,
    OP_EVENTS_SET, /* from here on in drive/sync.c and naive/services/sync.c; detail: four flags, and from bit 4 on the
                      mode */
    OP_EVENTS_CLEAR,
    OP_EVENTS_WAIT,
    OP_EVENTS_WAIT_UNTIL,
    OP_EVENTS_TRY_WAIT,
    OP_DELETE_EVENTS,
    OP_ALLOCATE,
    OP_ALLOCATE_UNTIL,
    OP_TRY_ALLOCATE,
    OP_FREE, /* the block that this actor had last */
    OP_DELETE_POOL,
    OP_CONDITION_WAIT, /* with the last of the mutexes held: no deadlock */
    OP_CONDITION_WAIT_UNTIL,
    OP_SIGNAL,
    OP_BROADCAST,
    OP_DELETE_CONDITION,
    OP_CALL, /* by a task that holds nothing: no deadlock */
    OP_CALL_UNTIL,
    OP_ACCEPT,
    OP_ACCEPT_UNTIL,
    OP_TRY_ACCEPT,
    OP_COMPLETE,
    OP_DELETE_RENDEZVOUS,
    OP_LETTER_SEND, /* `ns` says the priority too: letter_priority */
    OP_LETTER_SEND_UNTIL,
    OP_LETTER_TRY_SEND,
    OP_LETTER_RECEIVE,
    OP_LETTER_RECEIVE_UNTIL,
    OP_LETTER_TRY_RECEIVE,
    OP_LETTER_BROADCAST,
    OP_DELETE_LETTERS,
    OP_SLOT_RESERVE, /* the priority as of letters; nothing while the task has reserved one */
    OP_SLOT_RESERVE_UNTIL,
    OP_SLOT_TRY_RESERVE,
    OP_SLOT_COMMIT, /* what it has, in whatever slot */
    OP_SLOT_POST,   /* reserves if it can, and commits */
    OP_SLOT_TAKE,   /* from here on the owner's: of others a post */
    OP_SLOT_TAKE_UNTIL,
    OP_SLOT_TRY_TAKE,
    OP_SLOT_RELEASE, /* one of those taken, by `ns` */
    OP_SLOT_FLUSH,
    OP_SLOT_CLOSE,
    OP_SLOT_OPEN,
    OP_SLOT_DEALLOCATE,
    OP_SIGNAL_SEND,    /* to a task; its number is of `ns` */
    OP_SIGNAL_RECEIVE, /* what of `ns` says; it is freed when the call returns */
    OP_SIGNAL_RECEIVE_UNTIL,
    OP_SIGNAL_TRY_RECEIVE,
    OP_PIPE_WRITE, /* how many bytes: of `ns` */
    OP_PIPE_WRITE_UNTIL,
    OP_PIPE_TRY_WRITE,
    OP_PIPE_READ,
    OP_PIPE_READ_UNTIL,
    OP_PIPE_TRY_READ,
    OP_PIPE_DELETE,
    OP_BUDGET,      /* what is left of a task's, and how often it was used up */
    OP_LOCK_ANY,    /* in any order: a deadlock is refused, in presets with assertions */
    OP_RELEASE_AT,  /* in `ns` */
    OP_HINT,        /* object: a mutex, or MUTEXES: none, or MUTEXES and a mask: a set */
    OP_ALARM_START, /* drive/alarm.c and naive/services/alarm.c; detail 1: for an expiry that has passed */
    OP_ALARM_RESTART,
    OP_ALARM_STOP,
    OP_ALARM_REMAINING,
    OP_ALARM_MISSED,
    OP_ALARM_SERVE,    /* if the queue's semaphore has been posted; detail 1: in any case */
    OP_WATCHDOG_START, /* drive/watchdog.c and naive/services/watchdog.c */
    OP_WATCHDOG_STOP,
    OP_WATCHDOG_KICK, /* by its task; of others nothing */
    OP_WATCHDOG_EXPIRED,
    OP_KINDS
};

struct op {
    uint8_t kind;
    uint8_t object;
    uint8_t detail;
    bool absolute; /* `ns` is until when it waits, not how long */
    uint32_t ns;
};

static inline uint64_t op_until(const struct op *op, uint64_t now_ns)
{
    return op->absolute ? op->ns : now_ns + op->ns;
}

struct task_plan {
    struct op script[OPS_MAX]; /* one job; a background task runs it `rounds` times */
    struct op hook;            /* TAKT_MISS_NOTIFY */
    uint64_t period_ns;
    uint64_t deadline_ns;
    uint64_t offset_ns;
    uint64_t budget_ns; /* 0: none */
    uint64_t hold_ns;
    uint64_t suspension_ns;
    uint8_t server;   /* with that number, from 1 on, it shares a budget instead; 0: none */
    uint64_t wait_ns; /* the price of a wait beyond `waits` and `locks`, and of a yield */
    uint8_t waits;
    uint8_t locks;
    uint8_t on_budget;
    uint8_t length;
    uint8_t rounds;
    uint8_t release;
    uint8_t style;
    uint8_t on_miss;
    uint8_t level;
    uint8_t pending_max;
};

/* An interrupt of the outside world: `ops` of its script each time, in a circle. */
struct source_plan {
    struct op script[OPS_MAX];
    uint64_t first_ns;
    uint64_t gaps_ns[GAPS];
    uint8_t length;
    uint8_t ops;
};

/* An alarm: once for period 0. */
struct alarm_plan {
    struct op op; /* its handler's */
    uint64_t period_ns;
};

struct watchdog_plan {
    struct op op; /* its hook's */
    uint64_t time_ns;
    uint8_t task;
    uint8_t action;
};

/*
 * An interrupt between two operations, or in the middle of one: where the kernel is known to have its lock open. There
 * source 0 interrupts, or virtual time goes on to the next timer. Idle is nobody; a timer interrupt is INTRUDED_TIMER.
 */
enum { INTRUDED_TIMER = 254 };
struct intrusion {
    uint64_t at_ns;
    unsigned point; /* intrusion_point; in a timer interrupt, how often it had opened the lock */
    uint8_t actor;
    bool in_call; /* what `actor` called has been done, and it does not know the result yet */
    bool timer;
};

/* The results, and what else distinguishes equal times: of idle the timer's points, of a task naive.lives. */
static inline unsigned intrusion_point(unsigned results, unsigned besides)
{
    return results << 16 | besides;
}

struct server_plan {
    uint64_t budget_ns;
    uint64_t period_ns;
    uint64_t deadline_ns;
    uint8_t kind;
};

struct plan {
    uint64_t seed;
    bool (*extend)(unsigned task,
                   unsigned position);       /* NULL, or whether there is an operation there: may put it there */
    struct intrusion intrusions[INTRUSIONS]; /* one after the other */
    uint8_t intrusion_count;
    uint64_t end_ns;
    uint64_t quanta_ns[LEVELS_MAX];
    struct task_plan tasks[TASKS_MAX];
    struct source_plan sources[SOURCES];
    struct alarm_plan alarms[ALARMS];
    struct watchdog_plan watchdogs[WATCHDOGS];
    struct server_plan servers[SERVERS]; /* those that serve something come first */
    uint8_t server_count;
    uint16_t semaphore_initial[SEMAPHORES];
    uint16_t semaphore_maximum[SEMAPHORES];
    uint8_t semaphore_trigger[SEMAPHORES]; /* a task or NOBODY */
    uint8_t mailbox_trigger[MAILBOXES];
    uint8_t letter_trigger[LETTER_BOXES]; /* none of the first: it has a handler */
    uint8_t events_trigger[EVENTS];       /* by flags 1 and 2: of the first any, of the second all */
    uint8_t pipe_trigger[PIPES];          /* by pipe_trigger_bytes */
    uint8_t rendezvous_trigger[RENDEZVOUS];
    bool slot_triggers[SLOTS];       /* its owner */
    bool signal_triggers[TASKS_MAX]; /* the task whose queue it is */
    uint8_t slot_owner[SLOTS];
    uint8_t slot_levels[SLOTS][SLOT_LEVELS];
    uint8_t level_bands[LEVELS_MAX];
    bool level_edf[LEVELS_MAX];
    uint8_t level_count;
    uint8_t task_count;
    uint8_t source_count;
    bool quanta;
    bool cooperative;
    uint8_t fifo_mutexes; /* masks of those with waiters in FIFO order: without ceilings */
    uint8_t fifo_semaphores;
    uint8_t fifo_mailboxes;
    uint8_t fifo_pools;
    uint8_t fifo_letters;
    uint8_t fifo_slots;
    uint8_t ceilings;             /* so many mutexes, the last, have a ceiling ... */
    uint8_t ceiling[MUTEXES];     /* ... of this level ... */
    uint64_t ceiling_ns[MUTEXES]; /* ... and this relative deadline, if it is an edf one */
};

/* What a family of systems is about: the weights of its operations and a few habits. */
struct profile {
    const char *name;
    uint8_t weights[OP_KINDS];
    uint8_t handler_weights[OP_KINDS];
    uint8_t quantum_percent;
    uint8_t stop_percent;     /* of the tasks: other policies than continue */
    uint8_t overload_percent; /* of the systems: works are long */
    uint8_t background_percent;
    uint8_t budget_percent;
    bool cooperative;
    uint8_t ceilings;       /* mutexes that have one */
    uint8_t server_percent; /* of the tasks: served */
};

extern const struct profile profiles[];
const struct profile *profile_find(const char *name); /* NULL: none has that name */

/* Another user of a mutex with a ceiling. */
static inline void plan_ceiling_raise(struct plan *plan, unsigned mutex, const struct task_plan *user)
{
    bool same = user->level == plan->ceiling[mutex];
    if (user->level < plan->ceiling[mutex] || (same && user->deadline_ns < plan->ceiling_ns[mutex])) {
        plan->ceiling[mutex] = user->level;
        plan->ceiling_ns[mutex] = user->deadline_ns;
    }
}

static inline bool plan_ceiling(const struct plan *plan, unsigned mutex)
{
    return mutex + plan->ceilings >= MUTEXES;
}

/* `number` goes round the 30 lists of up to four bands. */
void plan_generate(struct plan *plan, const struct profile *profile, uint64_t seed, unsigned number);
void plan_print(const struct plan *plan);
const char *op_name(unsigned kind);

/* No object releases a task. */
static inline void plan_no_triggers(struct plan *plan)
{
    memset(plan->semaphore_trigger, NOBODY, sizeof plan->semaphore_trigger);
    memset(plan->mailbox_trigger, NOBODY, sizeof plan->mailbox_trigger);
    memset(plan->letter_trigger, NOBODY, sizeof plan->letter_trigger);
    memset(plan->events_trigger, NOBODY, sizeof plan->events_trigger);
    memset(plan->pipe_trigger, NOBODY, sizeof plan->pipe_trigger);
    memset(plan->rendezvous_trigger, NOBODY, sizeof plan->rendezvous_trigger);
}

/* What happened: the trace in absolute time, and what every call returned. */
struct entry {
    uint64_t time_ns;
    uint8_t event; /* enum takt_event, LOG_RESULT + enum op_kind, or LOG_ARRIVAL */
    uint8_t band;
    uint16_t task; /* results in an interrupt: HANDLER + source, or HOOK + task */
    uint32_t job;  /* results: the message received */
    uint16_t object;
    uint16_t value; /* results: the status */
};

enum {
    LOG_RESULT = 128,
    LOG_ARRIVAL = 255,
    HANDLER = 1000,
    HOOK = 2000,
    ALARM = 3000,
    WATCHDOG = 4000,
    LOG_MAX = 1 << 15
};

struct log {
    struct entry entries[LOG_MAX];
    unsigned count;
    bool full; /* nothing after the last entry was kept */
};

struct figures {
    uint64_t response_ns_max[TASKS_MAX];
    uint64_t execution_ns_max[TASKS_MAX];
    uint32_t jobs[TASKS_MAX];
    uint32_t misses[TASKS_MAX];
    uint32_t overruns[TASKS_MAX];
    uint32_t lost[TASKS_MAX];
    uint64_t first_miss_release_ns;
    uint64_t first_miss_deadline_ns; /* UINT64_MAX: none */
    uint16_t first_miss_task;
};

enum { ACTORS = 2 * TASKS_MAX + SOURCES + ALARMS + WATCHDOGS };

struct outcome {
    struct log trace;
    struct log results;
    uint32_t done[ACTORS]; /* results of each */
    struct figures figures;
};

void log_add(struct log *log, struct entry entry);
void log_result(struct outcome *outcome, struct entry entry);
uint32_t log_message(const struct outcome *outcome, unsigned actor); /* a content that nobody else has */
void outcome_reset(struct outcome *outcome);
bool logs_equal(const struct log *of_kernel, const struct log *of_model);
int logs_compare(const char *what, const struct log *of_kernel, const struct log *of_model); /* prints where: 1 */
void log_sort_keys(struct log *log);

/* What an operation answers that is not skipped: its status, and what it got. */
struct answer {
    bool skipped;
    unsigned status;
    uint32_t got;
};

/* What a send to a mailbox with priorities asks for; LETTER_URGENT: to go before all. */
enum { LETTER_URGENT = 3 };
static inline uint32_t letter_priority(const struct op *op)
{
    return op->ns / 1000u % (LETTER_URGENT + 1u);
}

static inline uint32_t pipe_size(const struct op *op)
{
    return 1 + op->ns / 1000u % PIPE_MOST;
}

static inline uint32_t pipe_trigger_bytes(unsigned pipe)
{
    return pipe == 0 ? 1 : 3;
}

static inline uint32_t pipe_least(const struct op *op)
{
    return op->ns / 1000u * 5u % (pipe_size(op) + 1u);
}

/* What is written there by every task that could send this message. */
static inline uint8_t pipe_byte(uint32_t message, unsigned index)
{
    return (uint8_t)((message >> 16) * 61u + message * 8u + index);
}

/* What a call on a pipe returned: how many bytes, and of a read which. */
static inline uint32_t pipe_sum(const uint8_t *bytes, uint32_t done, bool write)
{
    uint32_t sum = 0;
    for (uint32_t index = 0; index < done && !write; index++) {
        sum += bytes[index] * (index + 1u);
    }
    return done << 24 | sum;
}

static inline uint32_t signal_number(const struct op *op)
{
    return op->ns / 1000u % 3u;
}

/* What a task receives: any number or those of a mask, from anybody or from task op->object. */
static inline uint32_t signal_numbers(const struct op *op)
{
    static const uint32_t masks[] = {7, 1, 6, 7, 3};
    return masks[op->ns / 1000u % 5u];
}

static inline bool signal_from_object(const struct op *op)
{
    return op->ns / 1000u % 5u >= 3;
}

/* For which priorities the last message is kept. */
static inline uint32_t slot_important(unsigned slot)
{
    return slot == 0 ? 1 : UINT32_MAX;
}

/*
 * What an operation on a slot is for the task that performs it; the owner's first one allocates and opens it: OP_KINDS.
 */
static inline unsigned slot_op(const struct plan *plan, unsigned actor, const struct op *op, bool allocated)
{
    if (actor == plan->slot_owner[op->object]) {
        return allocated ? op->kind : OP_KINDS;
    }
    return op->kind >= OP_SLOT_TAKE ? OP_SLOT_POST : op->kind;
}

void drive_run(const struct plan *plan, struct outcome *outcome); /* the kernel on the host port */
void naive_run(const struct plan *plan, struct outcome *outcome); /* the model */

/* drive.c */
struct takt_mutex *drive_last_held(unsigned actor); /* or NULL */
void drive_lost_last(unsigned actor);               /* it is not held any more */

/* drive/sync.c */
struct takt_task;
void drive_sync_init(const struct plan *plan, struct takt_task *tasks, const struct outcome *outcome);
void drive_sync_begin(unsigned actor);               /* of a script */
bool drive_sync_ends(unsigned actor, struct op *op); /* of a script: with this operation, and perhaps others */
struct answer drive_sync(unsigned actor, const struct op *op);

#endif
