/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_SEED000_MEASURE_H
#define TAKT_SEED000_MEASURE_H

#include <stdbool.h>

#include "takt_app.h"

#include "takt/create.h"
#include "takt/process.h"

/* What is measured; measure.c has the names. */
enum operation {
    FUNCTION,
    NULL_CALL,
    SWITCH,
    PROCESS_START,
    THREAD_CREATE_RUNS,
    THREAD_JOIN,
    THREAD_DETACH_ENDED,
    THREAD_DETACH_RUNNING,
    SHARED_ATTACH_FIRST,
    SHARED_ATTACH,
    SHARED_DETACH_LAST,
    SHARED_DETACH,
    MUTEX_CREATE,
    MUTEX_DELETE,
    MUTEX_LOCK,
    MUTEX_UNLOCK,
    CONDITION_CREATE,
    CONDITION_DELETE,
    CONDITION_WAIT,
    CONDITION_SIGNAL,
    CONDITION_SIGNAL_RUNS,
    MAILBOX_CREATE,
    MAILBOX_DELETE,
    MAILBOX_SEND,
    MAILBOX_RECEIVE,
    STATE_WRITE,
    STATE_READ,
    STATE_READ_LOCKED,
    OPERATIONS
};

/* What the time was, before and after an operation; [2] and [3] of a second one. */
enum { STAMPS = 4 };
extern volatile uint64_t stamps_ns[STAMPS];

static inline void stamp(unsigned which)
{
    stamps_ns[which] = takt_now();
}

/* Counts what lies between stamps `from` and `from + 1`. */
void count(enum operation operation, unsigned from);
/* The same for a number of instructions. */
void count_instructions(enum operation operation, uint32_t instructions);
/* Ends the measurement with a message unless it `happened`: without its effect an operation is not measured. */
void expect(bool happened, enum operation operation);

/* A round of each: objects.c, threads.c. */
void objects_prepare(void);
void objects_once(void);
void states_once(void);
void conditions_once(void);
void threads_once(void);
void processes_once(void);

#endif
