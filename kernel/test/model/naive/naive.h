/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NAIVE_H
#define NAIVE_H

/*
 * The naive model: arrays and linear scans. Every key is recomputed from the definition at every step, every order is
 * an explicit number. Written from DESIGN.md and the public headers.
 */
#include "base/status.h"
#include "kernel/test/model/plan.h"
#include "takt/task.h"
#include "takt/time.h"
#include "takt/trace.h"

enum where { OUT, AWAITS_RELEASE, WAITS, READY };
enum wait_for {
    FOR_TIME,
    FOR_MUTEX,
    FOR_SEMAPHORE,
    FOR_MESSAGE,
    FOR_ROOM,
    FOR_EVENTS,
    FOR_BLOCK,
    FOR_TURN,
    FOR_CONDITION,
    FOR_ACCEPTANCE,
    FOR_CALL,
    FOR_COMPLETION,
    FOR_LETTER,
    FOR_LETTER_ROOM,
    FOR_SLOT,
    FOR_SLOT_ROOM,
    FOR_SIGNAL,
    FOR_BYTES,
    FOR_PIPE_ROOM,
    FOR_TURN_OF_MUTEX /* with a hint: until no task owns it */
};

/* A hint of a task: for the next wait; or that is over, and the mutex is free, or not. */
enum hint { NO_HINT, HINT_GIVEN, HINT_EXPECTED, HINT_AHEAD };

/* An armed expiry. */
struct expected {
    uint64_t at_ns; /* TAKT_FOREVER: none */
    uint64_t turn;  /* of equal expiries the lower comes first: in the order of arming */
};

/* A call on a pipe. */
struct naive_transfer {
    uint8_t bytes[PIPE_MOST];
    uint32_t size;
    uint32_t least;
    uint32_t done;
};

/* A message to a task. */
struct naive_signal {
    uint32_t message;
    uint32_t number;
    unsigned sender; /* NOBODY: an interrupt */
};

/* What a task waited for and was handed, until it runs. */
struct naive_handed {
    bool any;
    enum wait_for what;
    unsigned object;
    struct naive_signal signal;
};

struct naive_task {
    const struct task_plan *plan;
    enum where where;
    bool suspended;
    bool stop_later;
    /* The key in use, and the position among equals: the lower goes first. */
    unsigned level;
    uint64_t deadline_ns;
    unsigned order; /* among equal deadlines: the index of the task whose key it is, if the kernel inherits that */
    int64_t position;
    /* Waiting. */
    enum wait_for wait_for;
    unsigned object;
    unsigned mutex;     /* FOR_CONDITION: with which it waits */
    unsigned signalled; /* one more than the condition of which it was handed a signal; 0: it runs since, or none */
    struct naive_handed handed;
    uint64_t call_until_ns; /* of a rendezvous */
    enum takt_status late;  /* TAKT_OK, or with what its wait for a signal has ended; it waits for the mutex */
    unsigned server;        /* FOR_COMPLETION: the task that serves it */
    enum hint hint;
    unsigned hint_mutex;
    unsigned hint_left;  /* of a set: a mask of those that it may still wait for */
    unsigned hint_first; /* of a set, or MUTEXES: it was one mutex */
    struct expected timeout;
    uint32_t message; /* to send */
    uint32_t priority;
    struct naive_transfer transfer;
    unsigned reserved_in; /* the slot in which it has reserved a message, or NOBODY */
    /* What it executes. */
    unsigned op;
    unsigned rounds;
    uint64_t work_left_ns;
    bool in_call; /* its call returns `status` when it runs again */
    struct op call;
    unsigned status;
    uint32_t returned;
    uint64_t slice_left_ns;
    uint64_t budget_left_ns; /* TAKT_FOREVER: as long as it likes */
    uint64_t section_left_ns;
    uint64_t suspension_left_ns;
    bool charged_before; /* an interrupt suspended it while it ran: no wait of its own begins at the switch */
    uint64_t owed_ns;    /* it has waited for so long */
    uint64_t free_ns;    /* what it may wait yet without being charged, as it paid for that wait */
    unsigned waits_left;
    unsigned locks_left;
    bool counted; /* as ready, by its server */
    uint64_t served_deadline_ns;
    unsigned exhausted;
    bool spent;
    bool demoted;
    bool demote_later;
    /* Jobs. */
    bool active;
    bool missed;
    uint32_t job;
    uint64_t release_ns;
    uint64_t job_deadline_ns;
    uint64_t execution_ns;
    struct expected next_release;
    uint64_t first_ns; /* periodic: its first since it was started */
    struct expected deadline;
    bool arrived; /* sporadic: `last_ns` is valid */
    uint64_t last_ns;
    unsigned waiting; /* sporadic: releases not served, and their times */
    uint64_t waiting_ns[PENDING_MAX];
};

/* A message in a mailbox with priorities: the lowest rank goes first, and among equals the lowest turn. */
struct naive_letter {
    int64_t rank;
    int64_t turn;
    uint32_t message;
    uint32_t priority;
};

/* A part of a sporadic server's budget. */
struct naive_part {
    uint64_t at_ns;
    uint64_t amount_ns;
};

struct naive_server {
    const struct server_plan *plan;
    bool exhausted;
    bool in_use; /* the first part: `left_ns` is of it */
    uint64_t left_ns;
    uint64_t deadline_ns;
    unsigned finishing; /* in its section since before the exhaustion; or NOBODY */
    struct expected next;
    struct naive_part parts[8];
    unsigned part_count;
};

struct naive_slot {
    bool allocated;
    bool open;
    unsigned reserved;
    struct naive_letter committed[SLOT_ROOM];
    unsigned committed_count;
    struct naive_letter taken[SLOT_ROOM]; /* in the order in which they were */
    unsigned taken_count;
    unsigned level; /* that its messages lend; LEVELS_MAX: none */
};

struct naive {
    const struct plan *plan;
    struct outcome *outcome;
    struct naive_task tasks[TASKS_MAX];
    uint64_t now_ns;
    unsigned running; /* NOBODY: idle */
    bool in_interrupt;
    bool ended;
    int64_t last_position;
    int64_t first_position;
    struct expected slice_end;
    struct expected budget_end;
    struct naive_server servers[SERVERS];
    unsigned budget_paid; /* by its last wait or yield all that was left: or NOBODY */
    uint64_t last_turn;
    unsigned owner[MUTEXES];    /* NOBODY: free */
    uint64_t floor_ns[MUTEXES]; /* of an owner's deadline, where the ceiling is an edf level */
    uint64_t owned_turn[MUTEXES];
    bool broken[MUTEXES];
    unsigned count[SEMAPHORES];
    unsigned messages[MAILBOXES];
    uint32_t content[MAILBOXES][MAILBOX_ROOM];
    bool dead_mutex[MUTEXES];
    bool dead_semaphore[SEMAPHORES];
    bool dead_mailbox[MAILBOXES];
    struct naive_letter letters[LETTER_BOXES][LETTER_ROOM];
    unsigned letter_count[LETTER_BOXES];
    bool dead_letters[LETTER_BOXES];
    int64_t letter_turn;
    struct naive_slot slots[SLOTS];
    struct naive_signal signals[TASKS_MAX][SIGNALS]; /* to each task, in their order */
    unsigned signal_count[TASKS_MAX];
    bool signal_held[TASKS_MAX];
    unsigned signals_used;
    uint8_t pipe_bytes[PIPES][PIPE_ROOM]; /* the oldest first */
    unsigned pipe_count[PIPES];
    bool dead_pipe[PIPES];
    uint64_t source_ns[SOURCES];
    unsigned source_position[SOURCES];
    unsigned source_raised[SOURCES];
    unsigned intrusions; /* that have come */
    unsigned timer_points;
    unsigned lives[TASKS_MAX]; /* how often it was started, or a job of it ended */
};

extern struct naive naive;

/* naive.c: events, keys, order */
struct expected naive_expect(uint64_t at_ns);
void naive_event(unsigned event, unsigned task, unsigned object, unsigned value);
void naive_wake(unsigned task, enum takt_status status);
void naive_settle(void);
void naive_to_tail(struct naive_task *task);
bool naive_goes_before(unsigned a, unsigned b);
bool naive_better(unsigned level_a, uint64_t deadline_a, unsigned level_b, uint64_t deadline_b);
void naive_own_key(const struct naive_task *task, unsigned *level, uint64_t *deadline_ns);
unsigned naive_best_waiter(enum wait_for wait_for, unsigned object); /* the first to be served */
bool naive_fifo(enum wait_for wait_for, unsigned object);            /* whether its waiters are in FIFO order */
bool naive_waits_before(unsigned a, unsigned b); /* of waiters for one thing, by key or by who came first */
unsigned naive_best_ready(void);
unsigned naive_awaited(const struct naive_task *waiter);
bool naive_can_run(const struct naive_task *task);
unsigned naive_owned(unsigned task); /* mask of mutexes */
void naive_own(unsigned mutex, unsigned task);

void naive_slice_due(void);

/* interrupt.c */
uint64_t naive_next_event(void);
void naive_serve_timers(void); /* that are due */
void naive_deliver(void);      /* interrupts that are due */
void naive_timer_opens(void);  /* a timer's interrupt is at a point where it may be interrupted */
bool naive_intruded(void);     /* whether an intrusion of the plan came now */

/* job.c */
void naive_job_end(unsigned task);
void naive_release_due(unsigned task);
void naive_deadline_due(unsigned task);
void naive_arrive(unsigned task, uint64_t at_ns);
void naive_start(unsigned task, uint64_t now_ns);
void naive_stop(unsigned task);
void naive_stop_if_due(unsigned task);
void naive_final_figures(void);

/* handed.c */
bool naive_handed_lock(unsigned task);                             /* its only lock is one that it was just handed */
void naive_take_back(unsigned task);                               /* it is stopped: what it was handed goes on */
void naive_handed_forget(enum wait_for wait_for, unsigned object); /* that is deleted */

/* budget.c */
void naive_budget_start(struct naive_task *task);
void naive_budget_begin(struct naive_task *task, bool late); /* a job */
unsigned naive_own_level(const struct naive_task *task);
void naive_budget_spend(struct naive_task *task, uint64_t duration_ns);
void naive_pass(uint64_t duration_ns); /* the clock goes on, and those that wait in a job are charged */
void naive_budget_leave(unsigned task);
void naive_budget_ready(struct naive_task *task);
void naive_budget_yield(unsigned task);
void naive_budget_watch(void);
void naive_budget_switch(void);
void naive_budget_locked(unsigned task);
void naive_budget_unlocked(unsigned task);
void naive_budget_demote_if_due(unsigned task);
void naive_budget_stop(struct naive_task *task);
void naive_budget_due(void);
uint32_t naive_budget_said(unsigned task);

/* server.c */
bool naive_served(const struct naive_task *task);
uint64_t *naive_budget_left(struct naive_task *task); /* its own, or its server's */
void naive_servers_reset(void);
void naive_servers_started(void);
void naive_server_ready(unsigned task);
void naive_server_key(unsigned task); /* its wait is over, but it may wait for a mutex now */
void naive_server_look(unsigned task, bool leaves);
void naive_server_stop(unsigned task);
bool naive_server_continues(unsigned task);
void naive_server_exhaust(unsigned task);
void naive_server_unlocked(unsigned task);
struct expected *naive_server_next(unsigned server); /* when its budget comes back */
void naive_server_due(unsigned server);
uint64_t naive_server_left(unsigned task);
void naive_key_now(unsigned task); /* key.c: of one that has just become ready */

/* services/sync.c. A waiter has `wait_for` set: the caller blocks it. */
struct naive_answer {
    struct answer answer;
    bool waits;
    enum wait_for wait_for;
    unsigned id; /* what it waits for, in the trace */
    bool timed;
};
void naive_sync_reset(void);
void naive_sync_begin(unsigned task);
/* Calls that concern tasks. */
void naive_task_call(unsigned actor, const struct op *op);
void naive_yield(unsigned actor, const struct op *op);

/* Its wait for a signal ended without one: it is ready, and must own its mutex. */
void naive_sync_unsignalled(unsigned task, enum takt_status status);
bool naive_holds(unsigned task); /* a mutex, or a call that it serves: it is not stopped */
bool naive_sync_ends(unsigned task, struct op *op);
uint64_t naive_sync_serves(unsigned task);       /* the turn at which it accepted a call; 0: it serves none */
void naive_sync_break(unsigned task);            /* the call that it serves, with its section */
uint32_t naive_sync_accepted(unsigned acceptor); /* what its caller says */
void naive_sync_take_back(unsigned task, const struct naive_handed *handed);
void naive_sync_signal(unsigned condition, unsigned teller);
unsigned naive_sync_locks(unsigned task); /* mutexes, and calls that it serves */
struct naive_answer naive_sync(unsigned actor, const struct op *op);

/* services/hint.c */
void naive_hint_reset(void);
void naive_hint_give(unsigned task, unsigned mutex); /* MUTEXES: none */
void naive_hint_give_set(unsigned task, unsigned mask);
void naive_hint_ready(unsigned task, bool locked);     /* its wait is over; `locked`: for what has to do with mutexes */
bool naive_hint_others(unsigned mutex, unsigned task); /* whether others may be expected, when `task` locks it */
void naive_hint_hold_back(unsigned mutex);             /* those, then */
void naive_hint_owned(unsigned mutex, unsigned task);  /* it owns it */
void naive_hint_free(unsigned mutex);                  /* no task owns it any more */
bool naive_hint_rest(void); /* one more waits ahead no more, for somebody sleeps or is suspended */
void naive_hint_overtaken(unsigned mutex, unsigned task); /* the task that has called lock; NOBODY: it is deleted */

/* call.c: performs an operation of a task's script, or of a handler or hook (actor >= HANDLER) */
void naive_call(unsigned actor, const struct op *op);
void naive_return(unsigned task);
void naive_done(unsigned actor, const struct op *op, unsigned status, uint32_t returned);
void naive_block(unsigned actor, enum wait_for wait_for, unsigned object, unsigned id, uint64_t until_ns);
void naive_wake_all(enum wait_for wait_for, unsigned object);
unsigned naive_teller(unsigned actor); /* whom the trace names: nobody in an interrupt */

/* services/message.c: the same of operations on messages with priorities */
void naive_message(unsigned actor, const struct op *op);
struct naive_letter naive_take_first(struct naive_letter *letters, unsigned *count);
void naive_letter_take_back(unsigned task, unsigned box);

/* services/slot.c */
void naive_slots_init(void);
void naive_slots_forget(unsigned task); /* it starts anew: nothing is lent to it */
void naive_slot(unsigned actor, const struct op *op);
void naive_slot_take_back(unsigned task, const struct naive_handed *handed);

/* services/signal.c */
void naive_signal(unsigned actor, const struct op *op);
void naive_signal_free(unsigned task); /* the one that it holds, if it does */
void naive_signal_take_back(unsigned task, struct naive_signal signal);

/* services/alarm.c */
void naive_alarms_reset(void);
const struct expected *naive_alarm(unsigned alarm); /* its next expiry */
void naive_alarm_due(unsigned alarm);
struct answer naive_alarm_call(unsigned actor, const struct op *op);

/* services/watchdog.c */
void naive_watchdogs_reset(void);
const struct expected *naive_watchdog(unsigned watchdog); /* when it looks next */
void naive_watchdog_due(unsigned watchdog);
struct answer naive_watchdog_call(unsigned actor, const struct op *op);

/* services/pipe.c */
void naive_pipe(unsigned actor, const struct op *op);
void naive_pipe_take_back(unsigned task, unsigned pipe);

#endif
