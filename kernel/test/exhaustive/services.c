/* SPDX-License-Identifier: Apache-2.0 */
/* What tasks and interrupts may do, service by service; OP_WORK ends a list. The first four are the most important. */
#include "exhaustive.h"
#include "takt/events.h"

#define OP(what, which)                      \
    {                                        \
        .kind = OP_##what, .object = (which) \
    }
#define OP_UNTIL(what, which, units)                                                        \
    {                                                                                       \
        .kind = OP_##what##_UNTIL, .object = (which), .absolute = true, .ns = (units)*1000u \
    }
#define OP_AT(what, which, units)                                                   \
    {                                                                               \
        .kind = OP_##what, .object = (which), .absolute = true, .ns = (units)*1000u \
    }
#define OP_FOR(what, which, units)                                \
    {                                                             \
        .kind = OP_##what, .object = (which), .ns = (units)*1000u \
    }
#define OP_ON(what, which, flags, mode)                                       \
    {                                                                         \
        .kind = OP_##what, .object = (which), .detail = (flags) | (mode) << 4 \
    }

const struct service services[] = {
    {.name = "mutex",
     .tasks = {OP(LOCK, 0), OP_UNTIL(LOCK, 1, 2), OP(UNLOCK, 0), OP_FOR(DELAY, 0, 1), OP(LOCK, 1), OP(DELETE_MUTEX, 0)},
     .interrupts = {OP(SUSPEND, 1), OP(STOP, 1), OP(STOP, 0), OP(RESUME, 1)},
     .levels = {1, 2, 3}},
    {.name = "semaphore",
     .tasks = {OP(WAIT, 0), OP_UNTIL(WAIT, 0, 2), OP(POST, 0), OP(WAIT, 1), OP(POST, 1), OP(DELETE_SEMAPHORE, 0)},
     .interrupts = {OP(POST, 0), OP(FLUSH, 0), OP(STOP, 1)},
     .probes = {OP(TRY_WAIT, 0), OP(TRY_WAIT, 0), OP(TRY_WAIT, 1)}},
    {.name = "semaphore_in_turn",
     .tasks = {OP(WAIT_IN_TURN, 2), OP_UNTIL(WAIT_IN_TURN, 3, 2), OP(POST, 2), OP_FOR(DELAY, 0, 1),
               OP(WAIT_IN_TURN, 3)},
     .interrupts = {OP(POST, 2), OP(POST, 3), OP(STOP, 0)},
     .probes = {OP(TRY_WAIT, 2), OP(TRY_WAIT, 2), OP(TRY_WAIT, 3)}},
    {.name = "mailbox",
     .tasks = {OP(SEND, 0), OP(RECEIVE, 0), OP_UNTIL(RECEIVE, 1, 1), OP(SEND, 1), OP_UNTIL(SEND, 0, 2),
               OP(DELETE_MAILBOX, 0)},
     .interrupts = {OP(TRY_SEND, 0), OP(TRY_RECEIVE, 0), OP(STOP, 1), OP(TRY_SEND, 1)},
     .probes = {OP(TRY_RECEIVE, 0), OP(TRY_RECEIVE, 0), OP(TRY_RECEIVE, 0), OP(TRY_RECEIVE, 1), OP(TRY_RECEIVE, 1)}},
    {.name = "events",
     .tasks =
         {OP_ON(EVENTS_SET, 0, 1, 0),
          OP_ON(EVENTS_WAIT, 0, 3, TAKT_EVENTS_CLEAR),
          OP_ON(EVENTS_WAIT, 0, 3, TAKT_EVENTS_ALL),
          {.kind = OP_EVENTS_WAIT_UNTIL, .object = 1, .detail = 3 | TAKT_EVENTS_ONE << 4, .absolute = true, .ns = 1000},
          OP_ON(EVENTS_SET, 1, 3, 0),
          OP(DELETE_EVENTS, 0)},
     .interrupts = {OP_ON(EVENTS_SET, 0, 2, 0), OP(STOP, 1), OP_ON(EVENTS_CLEAR, 0, 1, 0), OP_ON(EVENTS_SET, 1, 1, 0)},
     .probes = {OP_ON(EVENTS_TRY_WAIT, 0, 3, 0), OP_ON(EVENTS_TRY_WAIT, 1, 3, 0)}},
    {.name = "pool",
     .tasks = {OP(ALLOCATE, 0), OP_UNTIL(ALLOCATE, 0, 2), OP(FREE, 0), OP_FOR(DELAY, 0, 1), OP(ALLOCATE, 1),
               OP(DELETE_POOL, 0)},
     .interrupts = {OP(TRY_ALLOCATE, 0), OP(STOP, 1), OP(TRY_ALLOCATE, 1)},
     .probes = {OP(TRY_ALLOCATE, 0), OP(FREE, 0), OP(TRY_ALLOCATE, 1), OP(TRY_ALLOCATE, 1), OP(TRY_ALLOCATE, 1)}},
    {.name = "condition",
     .tasks = {OP(LOCK, 0), OP(CONDITION_WAIT, 0), OP_UNTIL(CONDITION_WAIT, 1, 1), OP(SIGNAL, 0), OP(UNLOCK, 0),
               OP(DELETE_CONDITION, 0)},
     .interrupts = {OP(SIGNAL, 0), OP(STOP, 0), OP(STOP, 1), OP(BROADCAST, 1)}},
    {.name = "rendezvous",
     .tasks = {OP(CALL, 0), OP_UNTIL(CALL, 1, 1), OP(ACCEPT, 0), OP_UNTIL(ACCEPT, 1, 2), OP_FOR(DELAY, 0, 1),
               OP(DELETE_RENDEZVOUS, 0)},
     .interrupts = {OP(STOP, 1), OP(SUSPEND, 0), OP(STOP, 2), OP(STOP, 0)},
     .levels = {2, 1, 3}},
    {.name = "priority_mailbox",
     .tasks = {OP_FOR(LETTER_SEND, 0, 2), OP(LETTER_RECEIVE, 0), OP_UNTIL(LETTER_RECEIVE, 1, 1), OP(LETTER_SEND, 1),
               OP_FOR(LETTER_SEND, 0, 1), OP(DELETE_LETTERS, 0)},
     .interrupts = {OP_FOR(LETTER_TRY_SEND, 0, LETTER_URGENT), OP(LETTER_TRY_RECEIVE, 0), OP(STOP, 1),
                    OP(LETTER_BROADCAST, 1)},
     .probes = {OP(LETTER_TRY_RECEIVE, 0), OP(LETTER_TRY_RECEIVE, 0), OP(LETTER_TRY_RECEIVE, 0),
                OP(LETTER_TRY_RECEIVE, 0), OP(LETTER_TRY_RECEIVE, 1), OP(LETTER_TRY_RECEIVE, 1)}},
    {.name = "slot",
     .tasks = {OP_FOR(SLOT_RESERVE, 0, 1), OP(SLOT_COMMIT, 0), OP(SLOT_TAKE, 0), OP(SLOT_RELEASE, 0),
               OP_UNTIL(SLOT_TAKE, 1, 1), OP_UNTIL(SLOT_RESERVE, 1, 2)},
     .interrupts = {OP_FOR(SLOT_POST, 0, 2), OP_FOR(SLOT_POST, 0, 0), OP(STOP, 0), OP(STOP, 1), OP(SLOT_POST, 1)},
     .probes = {OP(SLOT_POST, 0), OP(SLOT_POST, 0), OP(SLOT_POST, 0), OP(SLOT_POST, 1)},
     .levels = {2, 2, 3}},
    {.name = "signal",
     .tasks = {OP(SIGNAL_SEND, 0), OP_FOR(SIGNAL_SEND, 1, 1), OP_FOR(SIGNAL_RECEIVE, 0, 1),
               OP_UNTIL(SIGNAL_RECEIVE, 1, 3), OP(SIGNAL_RECEIVE, 0)},
     .interrupts = {OP(SIGNAL_SEND, 0), OP_FOR(SIGNAL_SEND, 1, 1), OP(STOP, 0), OP_FOR(SIGNAL_SEND, 2, 2)}},
    {.name = "pipe",
     .tasks = {OP_FOR(PIPE_WRITE, 0, 3), OP_FOR(PIPE_READ, 0, 3), OP_UNTIL(PIPE_READ, 1, 1), OP_FOR(PIPE_WRITE, 1, 1),
               OP_UNTIL(PIPE_WRITE, 0, 2), OP(PIPE_DELETE, 0)},
     .interrupts = {OP_FOR(PIPE_TRY_WRITE, 0, 1), OP_FOR(PIPE_TRY_READ, 0, 2), OP(STOP, 1), OP_FOR(PIPE_TRY_WRITE, 1, 0)},
     .probes = {OP_FOR(PIPE_TRY_READ, 0, 0), OP_FOR(PIPE_TRY_READ, 0, 1), OP_FOR(PIPE_TRY_READ, 0, 7),
                OP_FOR(PIPE_TRY_READ, 1, 0), OP_FOR(PIPE_TRY_READ, 1, 7)}},
    {.name = "hint",
     .tasks = {OP(LOCK, 0), OP(HINT, 0), OP_FOR(DELAY, 0, 1), OP(UNLOCK, 0), OP_UNTIL(LOCK, 0, 2), OP(DELETE_MUTEX, 0)},
     .interrupts = {OP(SUSPEND, 1), OP(STOP, 0), OP(RESUME, 1)},
     .levels = {1, 2, 3}},
    {.name = "task",
     .tasks = {OP(SUSPEND, 0), OP(RESUME, 0), OP(STOP, 1), OP(START, 1), OP_FOR(DELAY, 0, 1), OP(SUSPEND, 1)},
     .interrupts = {OP(RESUME, 1), OP(SUSPEND, 2), OP(STOP, 0)}},
    {.name = "job",
     .where = WITH_EDF,
     .system = system_jobs,
     .tasks = {OP_FOR(WORK, 0, 3), OP(RELEASE, 2), OP(LOCK, 0), OP_FOR(DELAY, 0, 1), OP_AT(RELEASE_AT, 2, 5),
               OP(YIELD, 0), OP(UNLOCK, 0), OP(SUSPEND, 1)},
     .interrupts = {OP(RELEASE, 2), OP(SUSPEND, 0), OP(RESUME, 1)},
     .levels = {1, 1, 1}},
    {.name = "policy",
     .where = WITH_EDF,
     .system = system_policies,
     .tasks = {OP_FOR(WORK, 0, 3), OP(RELEASE, 2), OP(LOCK, 0), OP(STOP, 1), OP(START, 1), OP_FOR(DELAY, 0, 1)},
     .interrupts = {OP(RELEASE, 2), OP(STOP, 0), OP(STOP, 1)},
     .levels = {1, 1, 1}},
    {.name = "alarm",
     .system = system_alarms,
     .tasks = {OP_AT(ALARM_START, 0, 1), OP(WAIT, 0), OP_AT(ALARM_START, 2, 1), OP_ON(ALARM_SERVE, 0, 1, 0),
               OP_AT(ALARM_RESTART, 1, 2), OP(SUSPEND, 1), OP_FOR(DELAY, 0, 1), OP(ALARM_REMAINING, 0)},
     .interrupts = {OP(ALARM_STOP, 0), OP_AT(ALARM_RESTART, 2, 3), OP(ALARM_STOP, 1), OP_AT(ALARM_START, 0, 2)},
     .probes = {OP(ALARM_MISSED, 1), OP(ALARM_MISSED, 2), OP(ALARM_REMAINING, 0), OP(ALARM_REMAINING, 1),
                OP(TRY_WAIT, 0), OP(TRY_WAIT, 0)}},
    {.name = "watchdog",
     .system = system_watchdogs,
     .tasks = {OP(WATCHDOG_START, 0), OP_FOR(WORK, 0, 2), OP(WATCHDOG_KICK, 0), OP(WATCHDOG_START, 1), OP(LOCK, 0),
               OP(WATCHDOG_STOP, 0), OP(WATCHDOG_START, 2), OP_FOR(DELAY, 0, 1)},
     .interrupts = {OP(WATCHDOG_STOP, 0), OP(WATCHDOG_START, 1), OP(STOP, 0), OP(RESUME, 0)},
     .probes = {OP(WATCHDOG_EXPIRED, 0), OP(WATCHDOG_EXPIRED, 1), OP(WATCHDOG_EXPIRED, 2)}},
    {.name = "job_watchdog",
     .where = WITH_EDF,
     .system = system_job_watchdogs,
     .tasks = {OP(WATCHDOG_START, 0), OP_FOR(WORK, 0, 3), OP(RELEASE, 2), OP(WATCHDOG_START, 2), OP(WATCHDOG_KICK, 0),
               OP(STOP, 0), OP(START, 0), OP(LOCK, 0)},
     .interrupts = {OP(WATCHDOG_STOP, 0), OP(WATCHDOG_START, 2), OP(RELEASE, 2), OP(STOP, 0)},
     .probes = {OP(WATCHDOG_EXPIRED, 0), OP(WATCHDOG_EXPIRED, 2)},
     .levels = {1, 1, 1}},
    {.name = "budget",
     .where = WITH_BUDGETS,
     .system = system_budgets,
     .tasks = {OP_FOR(WORK, 0, 1), OP(LOCK, 0), OP(UNLOCK, 0), OP_FOR(DELAY, 0, 1), OP(BUDGET, 0), OP(START, 1),
               OP(SUSPEND, 0)},
     .interrupts = {OP(STOP, 1), OP(RESUME, 0), OP(BUDGET, 1)},
     .probes = {OP(BUDGET, 0), OP(BUDGET, 1), OP(BUDGET, 2)}},
    {.name = "section",
     .where = WITH_BUDGETS,
     .system = system_sections,
     .tasks = {OP(LOCK, 0), OP_FOR(WORK, 0, 1), OP(UNLOCK, 0), OP_UNTIL(LOCK, 1, 3), OP_FOR(DELAY, 0, 1),
               OP(TRY_LOCK, 0), OP(START, 1), OP(HINT, 0)},
     .interrupts = {OP(STOP, 0), OP(SUSPEND, 1), OP(RESUME, 1)},
     .probes = {OP(BUDGET, 0), OP(BUDGET, 1), OP(BUDGET, 2)}},
    {.name = NULL},
};
