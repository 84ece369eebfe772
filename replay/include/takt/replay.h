/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_REPLAY_H
#define TAKT_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dialect.h"

TAKT_C_BEGIN

/*
 * The reader of traces, for the tool: records become events (docs/trace.md), and from these the kernel's state follows
 * at every time: what each task does, keys, mutexes, the user of the processor, the rest of budgets. Besides it counts
 * what a run is judged by, so that a trace of any length is read once, in constant memory.
 *
 * State known from earlier records is unknown from LOST_RECORDS on, until another record gives it again. Context of all
 * functions: a process of the host, one thread at a time for each reader.
 */

#define TAKT_REPLAY_UNKNOWN UINT32_C(0x10000) /* task of a message whose caller is among lost records */
#define TAKT_REPLAY_INTERRUPTS INT32_C(-1)    /* actor: an interrupt executes */
#define TAKT_REPLAY_NO_TIME UINT64_MAX        /* of a section: none is watched; of a deadline: not known */
#define TAKT_REPLAY_NO_LEVEL (-1)             /* not known */
#define TAKT_REPLAY_KINDS 64                  /* causes for which tasks wait */
#define TAKT_REPLAY_MESSAGE 4                 /* pieces as which a message counts where they begin */
#define TAKT_REPLAY_BINS 2048                 /* equal parts of the time so far */
#define TAKT_REPLAY_FIRST 1000                /* events of a kind outside of chosen times */
#define TAKT_REPLAY_LAST 12                   /* events before one that are kept with it */

/* One event at an absolute time. */
struct takt_replay_event {
    uint64_t time_ns;
    uint64_t value;  /* value of the record, or the 64 bits of a wide one; RELEASE: the absolute deadline, 0: not known;
                        LOG: the number of the message */
    uint64_t words;  /* LOG, LOG_WORDS: two words */
    uint32_t task;   /* index, TAKT_TRACE_NONE, TAKT_TRACE_IDLE; LOG: TAKT_REPLAY_UNKNOWN too */
    uint32_t job;    /* TAKT_TRACE_NO_JOB: none */
    uint16_t object; /* TAKT_TRACE_NO_OBJECT: none, and in wide records */
    uint8_t event;   /* enum takt_event, enum takt_run_event */
    uint8_t band;    /* TAKT_TRACE_NO_BAND: none */
    uint32_t unused;
};

enum takt_replay_state {
    TAKT_REPLAY_NOT_KNOWN,
    TAKT_REPLAY_STOPPED,
    TAKT_REPLAY_RELEASE, /* it waits for its release */
    TAKT_REPLAY_BLOCKED,
    TAKT_REPLAY_SUSPENDED,
    TAKT_REPLAY_READY,
    TAKT_REPLAY_RUNNING,
    TAKT_REPLAY_EXECUTES /* of a piece alone */
};

/* What a task does. */
struct takt_replay_condition {
    uint32_t state;   /* enum takt_replay_state */
    uint32_t object;  /* BLOCKED: on what; TAKT_TRACE_NO_OBJECT: a time */
    uint32_t heir_of; /* the task whose key it has; IDLE: a message's or a ceiling's; NONE: its own */
    uint32_t job;     /* RUNNING; else TAKT_TRACE_NO_JOB */
};

/* Ids of objects, in the order in which they were got. */
struct takt_replay_row {
    uint16_t *first;
    uint32_t count;
    uint32_t capacity;
};

/* A task between two events. */
struct takt_replay_task {
    uint64_t job_deadline_ns; /* 0: not known */
    uint64_t key_deadline_ns; /* 0 in a fixed level; TAKT_REPLAY_NO_TIME: not known */
    uint64_t left_ns;         /* of its budget; 0: used up */
    uint64_t section_ns;      /* left of the section in which it is; TAKT_REPLAY_NO_TIME: none is watched */
    struct takt_replay_row mutexes;
    struct takt_replay_row serving; /* of each call that it has accepted: the rendezvous */
    uint32_t base_state;            /* any but SUSPENDED and RUNNING */
    uint32_t object;
    uint32_t job; /* TAKT_TRACE_NO_JOB: not known */
    uint32_t heir_of;
    int32_t own_level;
    int32_t level;
    bool suspended;
    bool stopping;   /* it will be stopped at its last unlock or the end of its job */
    bool overran;    /* a release was found late just now: the job that follows goes straight on */
    bool has_budget; /* false: it has none, or it is not known */
    bool demoted;
    bool pending; /* it will be demoted at its last unlock */
    bool waited;  /* in its section: of that there is less left than section_ns */
};

/* What a task declares; budget_ns 0: nothing. */
struct takt_replay_budget {
    uint64_t budget_ns;
    uint64_t hold_ns;
    bool demotes;
    bool enforced; /* sections are watched */
};

/* A stretch without a change: an execution, or of a task's condition. */
struct takt_replay_piece {
    uint64_t start_ns;
    uint64_t end_ns;
    int32_t actor;   /* task; of an execution TAKT_TRACE_IDLE or TAKT_REPLAY_INTERRUPTS too */
    uint32_t detail; /* of an execution: the job, or the number of the interrupt */
    uint32_t state;  /* enum takt_replay_state; of an execution TAKT_REPLAY_EXECUTES */
    uint32_t object; /* these as in takt_replay_condition; nothing of an execution */
    uint32_t heir_of;
    uint32_t job;
};

/* Where a task's time went, ns, and what it did. */
struct takt_replay_figures {
    uint64_t executed_ns;
    uint64_t able_ns;                      /* ready or running */
    uint64_t waited_ns[TAKT_REPLAY_KINDS]; /* by kind of object */
    uint64_t completed;
};

/* Which events are given to the caller. */
enum takt_replay_choice {
    TAKT_REPLAY_SKIP,
    TAKT_REPLAY_GIVE,
    TAKT_REPLAY_GIVE_AFTER,  /* and the one that follows */
    TAKT_REPLAY_GIVE_LAST,   /* and the TAKT_REPLAY_LAST - 1 before it */
    TAKT_REPLAY_GIVE_WITHIN, /* in a chosen time, and the first TAKT_REPLAY_FIRST of all */
};

/* What the numbers of a trace mean, as far as reading it needs that. Copied by takt_replay_new. */
struct takt_replay_setup {
    uint32_t tasks;
    uint32_t objects;
    const uint8_t *kinds; /* of objects, below TAKT_REPLAY_KINDS - 3 */
    uint32_t bands;
    const uint8_t *edf;                       /* of bands: 1, else 0 */
    const struct takt_replay_budget *budgets; /* of tasks */
    bool cooperative;                         /* tasks are left at the end of a job only */
    bool from_start; /* the first event is that of a run; false: what was before is not known */
};

enum { /* kinds beside those of objects */
       TAKT_REPLAY_KIND_DELAY = TAKT_REPLAY_KINDS - 3,
       TAKT_REPLAY_KIND_OTHER,
       TAKT_REPLAY_KIND_SUSPENDED
};

enum takt_replay_error {
    TAKT_REPLAY_OK,
    TAKT_REPLAY_UNKNOWN_EVENT, /* `damage`: its number */
    TAKT_REPLAY_TIME_BACK,     /* `damage`: the time, ns */
    TAKT_REPLAY_MEMORY         /* there is none left */
};

/* What was counted so far. Read only. */
struct takt_replay_totals {
    uint64_t records;
    uint64_t events; /* figures at the end of a run aside */
    uint64_t now_ns; /* of the last record */
    uint64_t end_ns; /* of the run, as far as it is known */
    uint64_t lost;   /* records that LOST_RECORDS tells of */
    uint64_t logged; /* messages of the log, marks among them */
    uint64_t missed; /* MISS */
    uint64_t gaps;   /* LOST_RECORDS */
    uint64_t pieces; /* executions */
    uint64_t damage;
    uint32_t error; /* enum takt_replay_error, of the record with number `records` */
    uint32_t unused;
    uint64_t bin_ns; /* width of a bin */
};

/* Where events and pieces go. Both arrays must be there; a capacity of pieces of 0: none are wanted. */
struct takt_replay_out {
    struct takt_replay_event *events;
    size_t events_capacity; /* at least TAKT_REPLAY_OUT_MIN */
    size_t events_count;
    struct takt_replay_piece *pieces;
    size_t pieces_capacity; /* 0, or at least tasks + 4 */
    size_t pieces_count;
};

#define TAKT_REPLAY_OUT_MIN 256

struct takt_replay;

/* NULL: no memory. */
struct takt_replay *takt_replay_new(const struct takt_replay_setup *setup);
void takt_replay_free(struct takt_replay *replay);

/* Which events of a kind are given; at first none. */
void takt_replay_choose(struct takt_replay *replay, uint8_t event, uint8_t choice);
/* Messages of the log with that number are given. */
void takt_replay_choose_message(struct takt_replay *replay, uint16_t number);
/* What is done to an object is given, and whatever follows up to what it causes. `posts`: also ends and losses of jobs
 * of the task that it releases. */
void takt_replay_choose_object(struct takt_replay *replay, uint16_t object, uint16_t task, bool posts);
/* Pieces are given that begin in [from, to). */
void takt_replay_choose_time(struct takt_replay *replay, uint64_t from_ns, uint64_t to_ns);

/* Reads records up to the first that is damaged (totals.error) or until `out` is full; fills `out` anew. Returns how
 * many bytes of `records` were taken. O(bytes); an event that loses records is O(tasks). */
size_t takt_replay_feed(struct takt_replay *replay, const uint8_t *records, size_t bytes, struct takt_replay_out *out);
/* The same of events. Returns how many were taken. */
size_t takt_replay_take(struct takt_replay *replay, const struct takt_replay_event *events, size_t count,
                        struct takt_replay_out *out);
/* No record follows: what waited for one, and the last pieces. */
void takt_replay_finish(struct takt_replay *replay, struct takt_replay_out *out);
/* Time passes without an event. */
void takt_replay_advance(struct takt_replay *replay, uint64_t now_ns);

const struct takt_replay_totals *takt_replay_totals(const struct takt_replay *replay);
/* Of a declared task. */
const struct takt_replay_figures *takt_replay_figures(const struct takt_replay *replay, uint32_t task);
/* How often a task locked an object; 0 of what is not declared. */
uint64_t takt_replay_locks(const struct takt_replay *replay, uint32_t task, uint32_t object);
/* How many messages of the log have that number. */
uint64_t takt_replay_messages(const struct takt_replay *replay, uint16_t number);
/* What each of TAKT_REPLAY_BINS parts of the time was used by a lane (a task, then interrupts, then idle), ns. */
const uint64_t *takt_replay_busy(const struct takt_replay *replay, uint32_t lane);
/* How many pieces and messages begin in each bin. */
const uint64_t *takt_replay_begun(const struct takt_replay *replay);

/* The state now. NULL: no memory. */
const struct takt_replay_task *takt_replay_task(struct takt_replay *replay, uint32_t index);
struct takt_replay_condition takt_replay_condition(struct takt_replay *replay, uint32_t index);
/* The task that has the processor, interrupts aside; IDLE; NONE: not known. */
uint32_t takt_replay_running(const struct takt_replay *replay);
/* The innermost interrupt and, by `depth`, how many are active. */
uint32_t takt_replay_interrupt(const struct takt_replay *replay, uint32_t *depth);
/* What executes, and in `detail` its job or the number of the interrupt. False: not known. */
bool takt_replay_actor(struct takt_replay *replay, int32_t *actor, uint32_t *detail);

TAKT_C_END

#endif
