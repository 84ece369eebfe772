/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_STATE_H
#define TAKTI_STATE_H

/* The state of the kernel, and the states and flags of tasks and timers. */
#include "kernel/core/budget.h"
#include "kernel/core/optimize.h"
#include "kernel/core/trace.h"
#include "kernel/engine/types.h"
#include "kernel/port.h"
#include "takt/takt.h"
#include "takt_preset.h"

#include <stddef.h>

/* Functions of hint.c, called where hints are present. After all except `take` another task may be the best. */
struct takti_hints {
    bool (*ready)(struct takt_task *task);                                /* its wait is over: takti_make_ready */
    void (*hand_over)(struct takt_mutex *mutex, struct takt_task *owner); /* takti_mutex_hand_over */
    void (*take)(struct takt_mutex *mutex); /* the caller locks a mutex with RESERVED_OWNER */
    void (*overtake)(struct takt_mutex *mutex, struct takt_task **link, const struct takt_task *waiter); /* wait.c */
    void (*cancel)(struct takt_mutex *mutex);   /* the mutex is deleted and in no list */
    void (*rest)(const struct takt_task *task); /* it sleeps or is suspended: takti_on_owner_blocked */
    void (*wait)(const struct takt_task *task, const struct takt_task *owner); /* it waits for a mutex of `owner` */
};

/* Timers: absolute expiries, one-shot, no tick. The engine has the armed ones (kernel/engine/engine.h). */

/* The structure that has a timer as its `member`. */
#define TAKTI_TIMER_OWNER(timer, type, member) ((type *)(void *)((char *)(timer)-offsetof(type, member)))

void takti_timers_serve(uint32_t lock); /* the synchronous first release */

/* Arms `call`, replacing an earlier expiry. Its storage is caller-owned, and zero before the first use. */
void takti_call_at(struct takti_call *call, uint64_t at_ns, void (*function)(struct takti_call *call));

/* For an engine: does what the expiry of a task that waited quietly makes the kernel do; returns the task. */
struct takt_task *takti_came(struct takt_task *task);

static inline bool takti_timer_armed(const struct takt_timer *timer)
{
    return timer->armed != 0;
}

#include TAKTI_ENGINE(state.h)

/* Value of unused stack bytes; presets with trace fill stacks with it. */
#define TAKT_STACK_FILL UINT8_C(0xA5)

/* Bytes of a filled stack that were used, at most; 0: none. O(stack size). */
static inline uint32_t takti_stack_used(const struct takt_task_config *config)
{
    const uint8_t *stack = (const uint8_t *)config->stack;
    uint32_t untouched = 4; /* the guard word */
    while (untouched < config->stack_size && stack[untouched] == TAKT_STACK_FILL) {
        untouched++;
    }
    return config->stack_size - untouched;
}

/* Largest kernel time outside the time stamps around an interval of execution; a port may define it. */
#ifndef TAKT_PORT_CHARGE_NS
#define TAKT_PORT_CHARGE_NS 0u
#endif

/*
 * Values of takt_timer.state: the state of the task for a task's own timer, the purpose for others. A task is dormant,
 * ready, running (ready, and takti_kernel.ready.running), blocked or suspended; BLOCKED_* tell the cause.
 */
enum takti_state {
    TAKTI_DORMANT,        /* not started, or stopped: in no queue, timer not armed */
    TAKTI_BLOCKED_DELAY,  /* until a time; neither suspended nor hinted */
    TAKTI_BLOCKED_JOB,    /* until its next release */
    TAKTI_BLOCKED,        /* for an object, perhaps with a timeout; or until a time, in no queue */
    TAKTI_BLOCKED_MUTEX,  /* for a mutex, perhaps with a timeout */
    TAKTI_BLOCKED_PIPE,   /* as BLOCKED, for bytes of a pipe, of which a part may have been transferred */
    TAKTI_BLOCKED_FIFO,   /* as BLOCKED, in a FIFO queue */
    TAKTI_READY,          /* in the ready queue */
    TAKTI_SUSPENDED,      /* suspended while ready: not in the ready queue */
    TAKTI_TIMER_DEADLINE, /* a takt_deadline_timer */
    TAKTI_TIMER_SLICE,    /* the end of the running task's time slice */
    TAKTI_TIMER_CALL,     /* a takti_call */
    TAKTI_TIMER_BUDGET,   /* the end of the running task's budget, or of its section */
    TAKTI_RESERVED_OWNER  /* no task: the owner of a free mutex whose next lock takes the slow path: hint.c */
};

/* takt_timer.flags */
enum {
    TAKTI_FLAG_SUSPENDED =
        1, /* suspended while it is blocked: it will be SUSPENDED when it is ready. takti_has_plain_wait */
    TAKTI_FLAG_HINTED = 2,    /* has given a hint: making it ready goes through hint.c. takti_has_plain_wait */
    TAKTI_FLAG_ACTIVE = 4,    /* a job has begun and has not ended */
    TAKTI_FLAG_MISSED = 8,    /* its miss has been counted */
    TAKTI_FLAG_AHEAD = 16,    /* HINTED, and waits for that mutex before it has called lock */
    TAKTI_FLAG_SET = 64,      /* HINTED, of a set: task.hint is a takt_hint_set. Valid with HINTED only */
    TAKTI_FLAG_EXPECTED = 32, /* HINTED, and ready: expected to lock that mutex, unless it waits before */
    TAKTI_FLAG_ENDING = 128   /* its process ends: SUSPENDED, or when its wait is over, until it is stopped */
};
/*
 * takt_task.holds of a task that holds no mutex. A stop or a demotion that waits for the last unlock subtracts it, so
 * that only that unlock reaches 0 and others need no test. A hint does the same: takti_last_unlock.
 */
enum { TAKTI_HOLDS = 0x100, TAKTI_HOLDS_COUNT = 0xFF };

/*
 * The whole state of the kernel: one structure, so that the host can reset it. All of it is under the kernel lock
 * (takt_port_lock): accessed with the lock closed, except fields that start.c writes before the first task runs and
 * that are constant afterwards. Grouped by the files that write them. A
 * field of a feature that is off is an array of no element.
 */
struct takti_kernel {
    /* The engine, and dispatch.c at a switch. First: an index into its levels needs no addition, and ports that
     * switch by themselves (kernel/port.h) know the offset of `running` */
    struct takti_ready ready;

    /* core/start.c: constant afterwards */
    const struct takt_system *system;

    /* The engine */
    struct takti_timers timers;

    /* core/interrupt.c: nesting of interrupts that may call the kernel */
    uint8_t interrupts[TAKTI_TELLS_INTERRUPTS];

    /* core/start.c, once: the port's clock has been set to 0, and interrupts may occur */
    bool clock_runs;

    /* sync/, each set once: pointers, so that the functions are linked only where they are used */
    const struct takti_hints *hints[TAKTI_HINTS];                      /* hint.c, from the first hint on */
    void (*mutex_left[TAKTI_OPTIMIZE_SIZE])(struct takt_mutex *mutex); /* takti_mutex_left, from the first wait on */

    /* core/dispatch.c: the end of the running task's time slice */
    struct takt_timer slice[TAKT_SLICES];

    /* core/interrupt.c: execution time is accounted up to these ticks, of the era of the trace; in an interrupt: ticks
     * at the begin of the one that interrupts no other */
    uint32_t charged_until[TAKT_TRACE];
    uint32_t interrupted_at[TAKT_TRACE];

    /* observe/trace.c; includes the reader's position */
    struct takti_trace trace[TAKT_TRACE];

    /* jobs/budget.c */
    struct takti_budgets budgets[TAKT_BUDGETS];

    /* core/start.c; afterwards as any other task */
    struct takt_task idle;
    struct takt_task_config idle_config;
};

_Static_assert(offsetof(struct takti_kernel, ready.running) == TAKTI_RUNNING, "kernel/port.h tells ports");

/* NULL: no task has given a hint, or hints have no effect. */
static inline const struct takti_hints *takti_hints(void)
{
    return TAKTI_HINTS ? *takti_kernel.hints : NULL;
}

/* Whether TAKTI_HOLDS of a task was subtracted by a hint that it gave before it locked. */
static inline bool takti_hinted(const struct takt_task *task)
{
    return TAKTI_HINTS && (task->timer.flags & TAKTI_FLAG_HINTED) != 0 && task->hint != NULL;
}

/* Whether the process of a task ends: then nothing may be handed over to it, and no task may wait for it. */
static inline bool takti_is_ending(const struct takt_task *task)
{
    return TAKT_PROCESSES && (task->timer.flags & TAKTI_FLAG_ENDING) != 0;
}

/* Before an item is handed over to the first of a queue: removes tasks that end from the front. Returns whether a
 * waiter is left. O(removed tasks). wait.c */
void takti_ending_leave_slow_path(struct takt_task **queue);
static inline bool takti_ending_leave(struct takt_task **queue)
{
    if (TAKT_PROCESSES && *queue != NULL && takti_is_ending(*queue)) {
        takti_ending_leave_slow_path(queue);
    }
    return *queue != NULL;
}
void takti_job_fail(struct takt_task *task, uint64_t now_ns); /* job.c */

/* Whether a level has time slices. */
static inline bool takti_has_slices(void)
{
    return TAKT_SLICES && takti_kernel.system->level_quanta_ns != NULL;
}

/* Whether the running task's slice is over and it needs a new one. */
bool takti_slice_ended(void); /* dispatch.c */
static inline bool takti_slice_over(void)
{
    return takti_has_slices() && takti_slice_ended();
}

#endif
