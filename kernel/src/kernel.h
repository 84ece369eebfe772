/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_KERNEL_H
#define TAKTI_KERNEL_H

/* What the kernel's own files share. Everything here is called with the kernel locked unless it says otherwise. */
#include "base/arith.h"
#include "base/bitmap.h"
#include "base/heap.h"
#include "base/list.h"
#include "base/tournament.h"
#include "kernel/port.h"
#include "kernel/sched.h"
#include "takt/admission.h"
#include "takt/takt.h"
#include "takt_preset.h"

/* What an unused byte of a stack holds; presets with trace fill stacks with it. */
#define TAKT_STACK_FILL UINT8_C(0xA5)

/* Kernel time that the stamps around a stretch of execution do not see, at most; a port may define it. */
#ifndef TAKT_PORT_CHARGE_NS
#define TAKT_PORT_CHARGE_NS 0u
#endif

enum takti_state {
    TAKTI_STOPPED,  /* not started, or stopped: in no queue, no timer armed */
    TAKTI_WAIT_JOB, /* waits for its next release */
    TAKTI_BLOCKED,  /* waits for an object or an instant */
    TAKTI_READY     /* can run: in the ready queue unless it is suspended */
};

/* The kernel's own two timers are those of the idle task, which needs none. */
enum { TAKTI_TIMER_SLICE = TAKTI_TIMER_TIMEOUT, TAKTI_TIMER_CALL = TAKTI_TIMER_RELEASE };

/* The trace ring. Writing never looks at `read`: what was overwritten is found out, and counted, when reading. */
struct takti_trace {
    struct takt_trace_record *records; /* NULL: nothing is traced */
    uint64_t until_ns;                 /* instant of the record written last */
    uint32_t mask;                     /* capacity - 1 */
    uint32_t written;                  /* records ever written, modulo 2^32 */
    uint32_t read;                     /* records ever read or given up */
    uint32_t lost;                     /* given up, and not yet reported */
};

/* The whole state of the kernel: one structure, so that the host can reset it. */
struct takti_kernel {
    struct takt_task *running; /* whose context is on the processor; &idle when none is ready */
    const struct takt_system *system;
    struct takti_ready ready;
    struct takt_tournament timers; /* per task the first of its instants; the last leaf is the kernel's */
    uint64_t programmed_ns;        /* what the one-shot is armed for */
    void (*call_function)(void);   /* takti_call_at */
    uint64_t charged_until_ns;     /* execution time is accounted up to here */

    uint64_t first_miss_release_ns;
    uint64_t first_miss_deadline_ns; /* TAKT_FOREVER: none yet */
    struct takti_trace trace;
    uint16_t first_miss_task;
    uint8_t interrupts; /* nesting of those that may call the kernel */
    bool in_timer_service;
    bool clock_runs; /* the port's clock is the system's: interrupts may come from here on */
    bool started;    /* timers are armed and tasks run */
    struct takt_task idle;
    struct takt_task_config idle_config;
};

extern struct takti_kernel takti_kernel;

#define TAKT_ASSERT(condition)                                                                                  \
    do {                                                                                                        \
        if (TAKT_ASSERTIONS && !(condition)) {                                                                  \
            takt_fault_raise(TAKT_FAULT_ASSERTION, __FILE__, __LINE__, (uintptr_t)__builtin_return_address(0)); \
        }                                                                                                       \
    } while (0)

static inline bool takti_is_edf(unsigned level)
{
    return takt_bitmap_test(takti_kernel.ready.edf, TAKT_LEVEL_WORDS, level) != 0;
}

/* Whether key a comes strictly before key b. Deadlines are 0 in fixed levels, so that equals there compare equal. */
static inline bool takti_key_before(unsigned level_a, uint64_t deadline_a, unsigned level_b, uint64_t deadline_b)
{
    return level_a < level_b || (level_a == level_b && deadline_a < deadline_b);
}

/* dispatch.c */
void takti_reschedule(void);
void takti_make_ready(struct takt_task *task, bool first);
void takti_make_unready(struct takt_task *task);
void takti_slice_due(void);
_Noreturn void takti_idle(void);
_Noreturn void takti_cooperate(void);

/* inherit.c */
void takti_key_base(struct takt_task *task);
void takti_key_raise(struct takt_task *task, unsigned level, uint64_t deadline_ns);
void takti_key_update(struct takt_task *task);

/* wait.c */
struct takti_wait {
    struct takt_node **queue; /* NULL: time only */
    struct takt_mutex *mutex; /* whose queue it is, or NULL */
    void *buffer;
    uint64_t until_ns;
    uint16_t object;
};
enum takt_status takti_wait(const struct takti_wait *wait);
void takti_wake(struct takt_task *task, enum takt_status status);
void takti_wait_cancel(struct takt_task *task, enum takt_status status);
struct takt_task *takti_wait_best(struct takt_node *queue);
void takti_wait_insert(struct takt_task *task);
void takti_wake_all(struct takt_node **queue, enum takt_status status);

/* interrupt.c */
void takti_charge(uint64_t now_ns);
uint64_t takti_interrupt_enter(uint16_t number);
void takti_interrupt_exit(uint16_t number);

/* timer.c */
void takti_timers_init(void);
void takti_timer_attach(struct takt_task *task, unsigned leaf);
void takti_timer_detach(struct takt_task *task);
void takti_timer_arm(struct takt_task *task, enum takti_timer timer, uint64_t at_ns);
void takti_timer_cancel(struct takt_task *task, enum takti_timer timer);
void takti_timers_program(void);
bool takti_timer_serve_first(uint64_t now_ns); /* false: nothing is due by now_ns */
void takti_call_at(uint64_t at_ns, void (*call)(void));

/* job.c */
void takti_job_end(struct takt_task *task);
void takti_job_release_due(struct takt_task *task, uint64_t at_ns);
void takti_job_deadline_due(struct takt_task *task);
void takti_job_arrive(struct takt_task *task);
void takti_job_abandon(struct takt_task *task);
uint64_t takti_job_pending_ns(const struct takt_task *task, unsigned place); /* release of the place-th that waits */
bool takti_job_late(const struct takt_task *task, uint64_t now_ns);

/* task.c */
void takti_task_prepare(struct takt_task *task, const struct takt_task_config *config, uint64_t start_ns);
void takti_task_stop(struct takt_task *task);
void takti_task_stop_pending(struct takt_task *task);

/* trace.c */
void takti_trace_write(uint64_t now_ns, uint32_t told, const struct takt_task *task);
uint32_t takti_trace_identity(const struct takt_task *task);

/* What a record tells besides its instant and task, in one word; value < 256. */
static inline uint32_t takti_told(enum takt_event event, unsigned object, unsigned value)
{
    return (uint32_t)event | value << 8 | object << 16;
}

/* A record of something that concerns no object, at an instant that is known. */
static inline void takti_trace_at(uint64_t now_ns, enum takt_event event, const struct takt_task *task)
{
    if (TAKT_TRACE) {
        takti_trace_write(now_ns, takti_told(event, TAKT_TRACE_NO_OBJECT, 0), task);
    }
}

/* The instant now; 0 until the start sets the port's clock to 0, although it may run before. */
static inline uint64_t takti_clock_ns(void)
{
    return takti_kernel.clock_runs ? takt_port_now_ns() : 0;
}

static inline void takti_trace(enum takt_event event, const struct takt_task *task, unsigned object, unsigned value)
{
    if (TAKT_TRACE) {
        takti_trace_write(takti_clock_ns(), takti_told(event, object, value), task);
    }
}

#endif
