/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_REPLAY_READER_H
#define TAKT_REPLAY_READER_H

#include "kernel/include/takt/trace.h"
#include "replay/include/takt/replay.h"
#include "runner/include/takt/board.h"

#define INTERRUPTS_DEPTH 64 /* active at a time; of deeper ones only the number is known */
#define WINDOWS 4
#define LAST_RING 64 /* events, words of messages among them; a power of two */

/* Records to events (decode.c). */
struct taktp_decoder {
    uint64_t now_ns;
    struct takt_replay_event release; /* whose deadline the next record may tell */
    bool waits;                       /* `release` is one */
    uint32_t running;                 /* NONE: what runs before the first task; TAKT_REPLAY_UNKNOWN */
    uint32_t interrupts;
};

/* What the kernel knew (state.c). */
struct taktp_state {
    struct takt_replay_task *tasks;
    uint32_t count; /* of `tasks`: the declared ones, and others that a record named */
    uint32_t running;
    uint32_t depth; /* of active interrupts */
    uint16_t interrupts[INTERRUPTS_DEPTH];
    uint64_t charged_ns; /* the running task has paid up to here */
};

struct taktp_since {
    uint64_t start_ns;
    struct takt_replay_condition condition;
};

/* How often a task locked an object. */
struct taktp_lock {
    uint32_t object;
    uint64_t count;
};

struct taktp_locks {
    struct taktp_lock *first;
    uint32_t count;
    uint32_t capacity;
};

/* Conditions and executions, and what is counted of them (history.c, bins.c). */
struct taktp_history {
    struct taktp_since *since; /* of declared tasks */
    bool busy;                 /* the processor has a known user, below */
    int32_t actor;
    uint32_t detail;
    uint64_t busy_ns;              /* since when */
    struct takt_replay_piece last; /* execution, which the next may continue */
    bool has_last;
    struct takt_replay_figures *figures;
    struct taktp_locks *locks;
    uint64_t **bins; /* by lane; NULL: it did not execute */
    uint64_t begun[TAKT_REPLAY_BINS];
    unsigned bin_shift; /* a bin is 1 << bin_shift ns */
    uint64_t *messages; /* of the log, by number; NULL: there is none */
};

/* What is given to the caller (choose.c). */
struct taktp_choice {
    uint8_t events[256];
    uint32_t outside[256]; /* given outside of chosen times */
    uint8_t *messages;     /* by number: 1; NULL: none is chosen */
    uint8_t *objects;      /* by id: 1; NULL: none is chosen */
    uint8_t *tasks;        /* by index, bits TASK_...; there where `objects` is */
    struct takt_replay_event ring[LAST_RING];
    uint64_t written; /* events that went into the ring */
    uint64_t given;   /* up to this one they were given, or their turn is over */
    bool gives_words; /* LOG_WORDS: of a message that was given */
    bool gives_next;  /* the event that follows */
    bool gives_on;    /* ... and what is between an object's message and the release that it causes */
    uint64_t from_ns[WINDOWS];
    uint64_t to_ns[WINDOWS];
    unsigned windows;
};

struct takt_replay {
    uint32_t tasks;
    uint32_t objects;
    uint8_t *kinds;
    uint32_t bands;
    uint8_t *edf;
    struct takt_replay_budget *budgets;
    bool cooperative;
    struct takt_replay_totals totals;
    struct taktp_decoder decoder;
    struct taktp_state state;
    struct taktp_history history;
    struct taktp_choice choice;
    struct takt_replay_out *out; /* of the call that is under way */
};

/* Memory for `count` elements in place of `*row`; keeps what there was. False: none, which `totals.error` says. */
bool taktp_grow(struct takt_replay *replay, void **row, uint32_t *capacity, uint32_t count, size_t size);

/* At most two events of a record. Returns their number; totals.error says where it is damaged. */
unsigned taktp_decode(struct takt_replay *replay, const uint8_t *record, struct takt_replay_event *events);
/* The release that waits, if one does: returns 1. */
unsigned taktp_decode_rest(struct takt_replay *replay, struct takt_replay_event *events);

bool taktp_state_init(struct takt_replay *replay, bool from_start);
void taktp_state_free(struct taktp_state *state);
/* The task, which is added where no record named it; NULL: no memory. */
struct takt_replay_task *taktp_state_task(struct takt_replay *replay, uint32_t index);
void taktp_state_step(struct takt_replay *replay, const struct takt_replay_event *event);
struct takt_replay_condition taktp_state_condition(const struct takt_replay *replay, uint32_t index);
bool taktp_state_actor(const struct takt_replay *replay, int32_t *actor, uint32_t *detail);
void taktp_state_advance(struct taktp_state *state, uint64_t now_ns);

bool taktp_history_init(struct takt_replay *replay);
void taktp_history_free(struct takt_replay *replay);
/* The event, which is none of the figures at the end of a run; it steps the state. */
void taktp_history_step(struct takt_replay *replay, const struct takt_replay_event *event);
void taktp_history_finish(struct takt_replay *replay);
void taktp_bins_add(struct takt_replay *replay, const struct takt_replay_piece *execution);
void taktp_bins_begin(struct takt_replay *replay, uint64_t time_ns, uint64_t weight);

void taktp_choice_free(struct taktp_choice *choice);
void taktp_give_event(struct takt_replay *replay, const struct takt_replay_event *event);
/* The last events before the end of a trace, or its figures. */
void taktp_give_last(struct takt_replay *replay);
void taktp_give_piece(struct takt_replay *replay, const struct takt_replay_piece *piece);

#endif
