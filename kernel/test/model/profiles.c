/* SPDX-License-Identifier: Apache-2.0 */
/* What families of systems are about. */
#include <stddef.h>
#include <string.h>

#include "plan.h"
#include "takt/task.h"

#define WORK_ONLY [OP_WORK] = 6, [OP_YIELD] = 1
#define TIME_OPS [OP_DELAY] = 2, [OP_DELAY_UNTIL] = 2
#define MUTEX_OPS [OP_LOCK] = 3, [OP_LOCK_UNTIL] = 2, [OP_TRY_LOCK] = 2, [OP_UNLOCK] = 5
#define SEMAPHORE_OPS [OP_WAIT] = 1, [OP_WAIT_UNTIL] = 2, [OP_TRY_WAIT] = 1, [OP_POST] = 3
#define MAILBOX_OPS                                                                                  \
    [OP_SEND] = 1, [OP_SEND_UNTIL] = 1, [OP_TRY_SEND] = 2, [OP_RECEIVE] = 1, [OP_RECEIVE_UNTIL] = 1, \
    [OP_TRY_RECEIVE] = 1
#define TASK_OPS [OP_SUSPEND] = 1, [OP_RESUME] = 2, [OP_CANCEL] = 1, [OP_STOP] = 1, [OP_START] = 2, [OP_RELEASE] = 2
#define LETTER_OPS                                                                                       \
    [OP_LETTER_SEND] = 2, [OP_LETTER_SEND_UNTIL] = 2, [OP_LETTER_TRY_SEND] = 2, [OP_LETTER_RECEIVE] = 2, \
    [OP_LETTER_RECEIVE_UNTIL] = 2, [OP_LETTER_TRY_RECEIVE] = 2, [OP_LETTER_BROADCAST] = 1
#define SLOT_OPS                                                                                                     \
    [OP_SLOT_RESERVE] = 1, [OP_SLOT_RESERVE_UNTIL] = 3, [OP_SLOT_TRY_RESERVE] = 2, [OP_SLOT_COMMIT] = 5,             \
    [OP_SLOT_POST] = 2, [OP_SLOT_TAKE] = 1, [OP_SLOT_TAKE_UNTIL] = 5, [OP_SLOT_TRY_TAKE] = 2, [OP_SLOT_RELEASE] = 6, \
    [OP_SLOT_FLUSH] = 1, [OP_SLOT_CLOSE] = 1, [OP_SLOT_OPEN] = 1, [OP_SLOT_DEALLOCATE] = 1
#define LETTER_HANDLER_OPS [OP_LETTER_TRY_SEND] = 4, [OP_LETTER_TRY_RECEIVE] = 2, [OP_LETTER_BROADCAST] = 2
#define HANDLER_OPS                                                                                             \
    [OP_WORK] = 2, [OP_POST] = 4, [OP_TRY_WAIT] = 1, [OP_TRY_SEND] = 3, [OP_TRY_RECEIVE] = 1, [OP_RELEASE] = 4, \
    [OP_SUSPEND] = 1, [OP_RESUME] = 2, [OP_CANCEL] = 1, [OP_STOP] = 1

#define EVENTS_OPS                                                                                \
    [OP_EVENTS_SET] = 4, [OP_EVENTS_CLEAR] = 1, [OP_EVENTS_WAIT] = 3, [OP_EVENTS_WAIT_UNTIL] = 3, \
    [OP_EVENTS_TRY_WAIT] = 1
#define POOL_OPS [OP_ALLOCATE] = 2, [OP_ALLOCATE_UNTIL] = 3, [OP_TRY_ALLOCATE] = 1, [OP_FREE] = 5
#define TURN_OPS [OP_WAIT_IN_TURN] = 2, [OP_WAIT_IN_TURN_UNTIL] = 2, [OP_POST] = 4, [OP_FLUSH] = 1, [OP_COUNT] = 1
#define CONDITION_OPS [OP_CONDITION_WAIT] = 2, [OP_CONDITION_WAIT_UNTIL] = 3, [OP_SIGNAL] = 3, [OP_BROADCAST] = 2
#define RENDEZVOUS_OPS \
    [OP_CALL] = 2, [OP_CALL_UNTIL] = 3, [OP_ACCEPT] = 2, [OP_ACCEPT_UNTIL] = 3, [OP_TRY_ACCEPT] = 1, [OP_COMPLETE] = 3
#define ALARM_OPS \
    [OP_ALARM_START] = 4, [OP_ALARM_RESTART] = 4, [OP_ALARM_STOP] = 3, [OP_ALARM_REMAINING] = 2, [OP_ALARM_MISSED] = 2
#define WATCHDOG_OPS [OP_WATCHDOG_START] = 3, [OP_WATCHDOG_STOP] = 1, [OP_WATCHDOG_EXPIRED] = 1
#define BUDGET_OPS WORK_ONLY, [OP_DELAY] = 2, MUTEX_OPS, [OP_WAIT_UNTIL] = 1, [OP_BUDGET] = 3
#define BUDGET_HABITS                                                                                        \
    .handler_weights = {[OP_WORK] = 3,   [OP_POST] = 1, [OP_RELEASE] = 3, [OP_SUSPEND] = 1, [OP_RESUME] = 2, \
                        [OP_CANCEL] = 1, [OP_STOP] = 1, [OP_SIGNAL] = 2,  [OP_BUDGET] = 3},                  \
    .quantum_percent = 25, .stop_percent = 40, .overload_percent = 40, .background_percent = 15, .budget_percent = 70
#define SERVER_HABITS BUDGET_HABITS, .server_percent = 40
#define SYNC_HANDLER_OPS                                                                                        \
    [OP_WORK] = 2, [OP_EVENTS_SET] = 3, [OP_EVENTS_CLEAR] = 1, [OP_EVENTS_TRY_WAIT] = 1, [OP_TRY_ALLOCATE] = 2, \
    [OP_FREE] = 2, [OP_POST] = 2, [OP_FLUSH] = 1, [OP_SIGNAL] = 2, [OP_BROADCAST] = 1, [OP_SUSPEND] = 1,        \
    [OP_RESUME] = 2, [OP_CANCEL] = 1, [OP_STOP] = 1
#define SYNC_WEIGHTS                         \
    .weights = {[OP_WORK] = 5,               \
                [OP_DELAY] = 1,              \
                [OP_LOCK] = 4,               \
                [OP_UNLOCK] = 3,             \
                [OP_HINT] = 4,               \
                [OP_SUSPEND] = 1,            \
                [OP_RESUME] = 2,             \
                [OP_CANCEL] = 1,             \
                [OP_STOP] = 1,               \
                [OP_START] = 2,              \
                EVENTS_OPS,                  \
                POOL_OPS,                    \
                TURN_OPS,                    \
                [OP_DELETE_EVENTS] = 1,      \
                [OP_DELETE_POOL] = 1,        \
                CONDITION_OPS,               \
                [OP_DELETE_CONDITION] = 1,   \
                RENDEZVOUS_OPS,              \
                [OP_DELETE_RENDEZVOUS] = 1}, \
    .handler_weights = {SYNC_HANDLER_OPS}

/* No condition variables, so that mutexes can be deleted. */
#define HINT_TASK_OPS                                                                                              \
    [OP_CALL_UNTIL] = 1, [OP_ACCEPT_UNTIL] = 1, [OP_SUSPEND] = 1, [OP_RESUME] = 2, [OP_CANCEL] = 1, [OP_STOP] = 1, \
    [OP_START] = 2
#define HINT_WEIGHTS                                                                                                  \
    .weights = {[OP_WORK] = 6,          [OP_HINT] = 12,    [OP_DELAY] = 3, [OP_LOCK] = 9,        [OP_LOCK_UNTIL] = 2, \
                [OP_TRY_LOCK] = 2,      [OP_UNLOCK] = 9,   [OP_WAIT] = 1,  [OP_WAIT_UNTIL] = 4,  [OP_POST] = 4,       \
                [OP_RECEIVE_UNTIL] = 2, [OP_TRY_SEND] = 2, HINT_TASK_OPS,  [OP_DELETE_MUTEX] = 1},                    \
    .handler_weights = {HINT_HANDLER_OPS}
#define HINT_HANDLER_OPS \
    [OP_WORK] = 2, [OP_POST] = 4, [OP_TRY_SEND] = 2, [OP_SUSPEND] = 1, [OP_RESUME] = 2, [OP_CANCEL] = 1, [OP_STOP] = 1

#define CEILING_OPS                                                                                        \
    [OP_WORK] = 5, [OP_DELAY] = 3, [OP_LOCK] = 6, [OP_LOCK_UNTIL] = 5, [OP_TRY_LOCK] = 2, [OP_UNLOCK] = 7, \
    [OP_WAIT_UNTIL] = 2, [OP_POST] = 2, [OP_SUSPEND] = 1, [OP_RESUME] = 2, [OP_CANCEL] = 1, [OP_STOP] = 1, \
    [OP_START] = 2, [OP_DELETE_MUTEX] = 1

const struct profile profiles[] = {
    {.name = "mixed",
     .weights = {WORK_ONLY, TIME_OPS, MUTEX_OPS, SEMAPHORE_OPS, MAILBOX_OPS,
                 TASK_OPS, [OP_DELETE_MUTEX] = 1, [OP_DELETE_SEMAPHORE] = 1, [OP_DELETE_MAILBOX] = 1},
     .handler_weights = {HANDLER_OPS},
     .quantum_percent = 30,
     .stop_percent = 50,
     .overload_percent = 30,
     .background_percent = 25},
    {.name = "inherit",
     .weights = {[OP_WORK] = 5,
                 [OP_DELAY] = 2,
                 [OP_LOCK] = 6,
                 [OP_LOCK_UNTIL] = 6,
                 [OP_TRY_LOCK] = 2,
                 [OP_UNLOCK] = 7,
                 [OP_WAIT_UNTIL] = 1,
                 [OP_POST] = 1,
                 [OP_SUSPEND] = 1,
                 [OP_RESUME] = 2,
                 [OP_CANCEL] = 1,
                 [OP_STOP] = 1,
                 [OP_START] = 2,
                 [OP_DELETE_MUTEX] = 1},
     .handler_weights =
         {[OP_POST] = 2, [OP_RELEASE] = 3, [OP_SUSPEND] = 1, [OP_RESUME] = 2, [OP_CANCEL] = 1, [OP_STOP] = 1},
     .quantum_percent = 10,
     .stop_percent = 40,
     .overload_percent = 40,
     .background_percent = 40},
    {.name = "cycles",
     .weights = {[OP_WORK] = 5,
                 [OP_DELAY] = 2,
                 [OP_LOCK_ANY] = 9,
                 [OP_LOCK_UNTIL] = 2,
                 [OP_UNLOCK] = 4,
                 [OP_SUSPEND] = 1,
                 [OP_RESUME] = 2,
                 [OP_CANCEL] = 1,
                 [OP_STOP] = 1,
                 [OP_START] = 2,
                 [OP_DELETE_MUTEX] = 1},
     .handler_weights =
         {[OP_WORK] = 2, [OP_RELEASE] = 3, [OP_SUSPEND] = 1, [OP_RESUME] = 2, [OP_CANCEL] = 1, [OP_STOP] = 1},
     .stop_percent = 40,
     .overload_percent = 40,
     .background_percent = 40,
     .budget_percent = TAKT_BUDGETS ? 30 : 0},
    {.name = "jobs",
     .weights = {WORK_ONLY, [OP_DELAY] = 1, [OP_TRY_LOCK] = 1, [OP_UNLOCK] = 1, [OP_POST] = 1, [OP_TRY_SEND] = 1,
                 [OP_RELEASE] = 3, [OP_RELEASE_AT] = 2, [OP_STOP] = 1, [OP_START] = 2},
     .handler_weights = {HANDLER_OPS},
     .quantum_percent = 10,
     .stop_percent = 80,
     .overload_percent = 50,
     .background_percent = 10},
    {.name = "slices",
     .weights = {[OP_WORK] = 8,
                 [OP_YIELD] = 3,
                 [OP_DELAY] = 1,
                 [OP_LOCK] = 2,
                 [OP_LOCK_UNTIL] = 2,
                 [OP_UNLOCK] = 3,
                 [OP_SUSPEND] = 1,
                 [OP_RESUME] = 3,
                 [OP_CANCEL] = 1,
                 [OP_START] = 1},
     .handler_weights = {[OP_WORK] = 2, [OP_SUSPEND] = 2, [OP_RESUME] = 3, [OP_CANCEL] = 1, [OP_RELEASE] = 2},
     .quantum_percent = 90,
     .stop_percent = 20,
     .overload_percent = 50,
     .background_percent = 60},
    {.name = "cooperative",
     .weights = {WORK_ONLY, [OP_TRY_LOCK] = 2, [OP_UNLOCK] = 2, [OP_TRY_WAIT] = 1, [OP_POST] = 3, [OP_TRY_SEND] = 2,
                 [OP_TRY_RECEIVE] = 2, TASK_OPS, [OP_RELEASE_AT] = 3},
     .handler_weights = {HANDLER_OPS},
     .quantum_percent = 20,
     .stop_percent = 50,
     .overload_percent = 30,
     .background_percent = 20,
     .cooperative = true},
    {.name = "messages", /* with priorities */
     .weights = {[OP_WORK] = 4,
                 TIME_OPS,
                 LETTER_OPS,
                 [OP_LOCK] = 1,
                 [OP_LOCK_UNTIL] = 1,
                 [OP_UNLOCK] = 2,
                 [OP_SUSPEND] = 1,
                 [OP_RESUME] = 1,
                 [OP_CANCEL] = 1,
                 [OP_STOP] = 1,
                 [OP_START] = 2,
                 [OP_DELETE_LETTERS] = 1},
     .handler_weights =
         {LETTER_HANDLER_OPS, [OP_WORK] = 1, [OP_SUSPEND] = 1, [OP_RESUME] = 2, [OP_CANCEL] = 1, [OP_STOP] = 1},
     .quantum_percent = 20,
     .stop_percent = 30,
     .overload_percent = 30,
     .background_percent = 40},
    {.name = "signals",
     .weights = {[OP_WORK] = 5,
                 TIME_OPS,
                 [OP_SIGNAL_SEND] = 6,
                 [OP_SIGNAL_RECEIVE] = 1,
                 [OP_SIGNAL_RECEIVE_UNTIL] = 3,
                 [OP_SIGNAL_TRY_RECEIVE] = 2,
                 [OP_LOCK] = 1,
                 [OP_LOCK_UNTIL] = 1,
                 [OP_UNLOCK] = 2,
                 [OP_SUSPEND] = 1,
                 [OP_RESUME] = 1,
                 [OP_CANCEL] = 1,
                 [OP_STOP] = 1,
                 [OP_START] = 2},
     .handler_weights =
         {[OP_SIGNAL_SEND] = 6, [OP_WORK] = 1, [OP_SUSPEND] = 1, [OP_RESUME] = 2, [OP_CANCEL] = 1, [OP_STOP] = 1},
     .quantum_percent = 20,
     .stop_percent = 30,
     .overload_percent = 30,
     .background_percent = 40},
    {.name = "alarms",
     .weights = {[OP_WORK] = 6,
                 TIME_OPS,
                 ALARM_OPS,
                 [OP_ALARM_SERVE] = 4,
                 [OP_EVENTS_SET] = 1,
                 [OP_EVENTS_WAIT_UNTIL] = 3,
                 [OP_LOCK] = 1,
                 [OP_UNLOCK] = 2,
                 [OP_SUSPEND] = 1,
                 [OP_RESUME] = 2,
                 [OP_CANCEL] = 1,
                 [OP_STOP] = 1,
                 [OP_START] = 2},
     .handler_weights = {ALARM_OPS, [OP_WORK] = 6, [OP_EVENTS_SET] = 6, [OP_SUSPEND] = 1, [OP_RESUME] = 2,
                         [OP_CANCEL] = 1, [OP_STOP] = 1},
     .quantum_percent = 20,
     .stop_percent = 40,
     .overload_percent = 30,
     .background_percent = 40},
    {.name = "watchdogs",
     .weights = {WORK_ONLY, TIME_OPS, WATCHDOG_OPS, [OP_WATCHDOG_KICK] = 4, MUTEX_OPS, [OP_WAIT_UNTIL] = 1,
                 [OP_SUSPEND] = 1, [OP_RESUME] = 2, [OP_CANCEL] = 1, [OP_STOP] = 1, [OP_START] = 2, [OP_RELEASE] = 2},
     .handler_weights = {WATCHDOG_OPS, [OP_WORK] = 4, [OP_SUSPEND] = 1, [OP_RESUME] = 2, [OP_CANCEL] = 1, [OP_STOP] = 2,
                         [OP_RELEASE] = 3},
     .quantum_percent = 20,
     .stop_percent = 40,
     .overload_percent = 40,
     .background_percent = 20,
     .budget_percent = TAKT_BUDGETS ? 30 : 0},
    {.name = "cooperative_watchdogs",
     .weights = {WORK_ONLY, [OP_TRY_LOCK] = 1, [OP_UNLOCK] = 1, WATCHDOG_OPS, [OP_WATCHDOG_KICK] = 4, TASK_OPS},
     .handler_weights = {WATCHDOG_OPS, [OP_WORK] = 3, [OP_SUSPEND] = 1, [OP_RESUME] = 2, [OP_CANCEL] = 1, [OP_STOP] = 2,
                         [OP_RELEASE] = 3},
     .stop_percent = 40,
     .overload_percent = 40,
     .background_percent = 20,
     .cooperative = true},
    {.name = "pipes",
     .weights = {[OP_WORK] = 5,
                 TIME_OPS,
                 [OP_PIPE_WRITE] = 1,
                 [OP_PIPE_WRITE_UNTIL] = 3,
                 [OP_PIPE_TRY_WRITE] = 2,
                 [OP_PIPE_READ] = 1,
                 [OP_PIPE_READ_UNTIL] = 3,
                 [OP_PIPE_TRY_READ] = 2,
                 [OP_PIPE_DELETE] = 1,
                 [OP_LOCK] = 1,
                 [OP_LOCK_UNTIL] = 1,
                 [OP_UNLOCK] = 2,
                 [OP_SUSPEND] = 1,
                 [OP_RESUME] = 1,
                 [OP_CANCEL] = 1,
                 [OP_STOP] = 1,
                 [OP_START] = 2},
     .handler_weights = {[OP_PIPE_TRY_WRITE] = 4,
                         [OP_PIPE_TRY_READ] = 2,
                         [OP_WORK] = 1,
                         [OP_SUSPEND] = 1,
                         [OP_RESUME] = 2,
                         [OP_CANCEL] = 1,
                         [OP_STOP] = 1},
     .quantum_percent = 20,
     .stop_percent = 30,
     .overload_percent = 30,
     .background_percent = 40},
    {.name = "slots",
     .weights = {[OP_WORK] = 8,
                 TIME_OPS,
                 SLOT_OPS,
                 [OP_LOCK] = 2,
                 [OP_LOCK_UNTIL] = 2,
                 [OP_UNLOCK] = 4,
                 [OP_SUSPEND] = 1,
                 [OP_RESUME] = 1,
                 [OP_CANCEL] = 1,
                 [OP_STOP] = 1,
                 [OP_START] = 2},
     .handler_weights =
         {[OP_SLOT_POST] = 6, [OP_WORK] = 1, [OP_SUSPEND] = 1, [OP_RESUME] = 2, [OP_CANCEL] = 1, [OP_STOP] = 1},
     .quantum_percent = 20,
     .stop_percent = 30,
     .overload_percent = 30,
     .background_percent = 40},
    {.name = "plain", /* without jobs */
     .weights = {WORK_ONLY, TIME_OPS, MUTEX_OPS, SEMAPHORE_OPS,
                 MAILBOX_OPS, [OP_SUSPEND] = 1, [OP_RESUME] = 2, [OP_CANCEL] = 1, [OP_STOP] = 1, [OP_START] = 2,
                 [OP_DELETE_MUTEX] = 1, [OP_DELETE_SEMAPHORE] = 1, [OP_DELETE_MAILBOX] = 1},
     .handler_weights = {[OP_WORK] = 2,
                         [OP_POST] = 4,
                         [OP_TRY_WAIT] = 1,
                         [OP_TRY_SEND] = 3,
                         [OP_TRY_RECEIVE] = 1,
                         [OP_SUSPEND] = 1,
                         [OP_RESUME] = 2,
                         [OP_CANCEL] = 1,
                         [OP_STOP] = 1},
     .background_percent = 100},
    {.name = "sync",
     SYNC_WEIGHTS,
     .quantum_percent = 10,
     .stop_percent = 40,
     .overload_percent = 30,
     .background_percent = 50},
    {.name = "plain_sync", SYNC_WEIGHTS, .background_percent = 100},
    {.name = "hints",
     HINT_WEIGHTS,
     .quantum_percent = 10,
     .stop_percent = 30,
     .overload_percent = 30,
     .background_percent = 30},
    {.name = "plain_hints", HINT_WEIGHTS, .background_percent = 100},
    {.name = "ceiling",
     .weights = {CEILING_OPS},
     .handler_weights = {HINT_HANDLER_OPS},
     .quantum_percent = 10,
     .stop_percent = 40,
     .overload_percent = 40,
     .background_percent = 40,
     .ceilings = 2},
    {.name = "plain_ceiling",
     .weights = {CEILING_OPS},
     .handler_weights = {HINT_HANDLER_OPS},
     .background_percent = 100,
     .ceilings = 2},
    {.name = "budgets", .weights = {BUDGET_OPS, TASK_OPS, [OP_DELETE_MUTEX] = 1}, BUDGET_HABITS},
    {.name = "budgets_sync", .weights = {BUDGET_OPS, [OP_START] = 3, CONDITION_OPS}, BUDGET_HABITS},
    {.name = "budgets_calls", .weights = {BUDGET_OPS, [OP_START] = 3, RENDEZVOUS_OPS}, BUDGET_HABITS},
    {.name = "budgets_hints",
     .weights = {BUDGET_OPS, TASK_OPS, [OP_HINT] = 9, [OP_LOCK_ANY] = TAKT_ASSERTIONS * 4, [OP_DELETE_MUTEX] = 1},
     BUDGET_HABITS},
    {.name = "budgets_ceiling", .weights = {BUDGET_OPS, TASK_OPS, [OP_DELETE_MUTEX] = 1}, BUDGET_HABITS, .ceilings = 2},
    {.name = "servers", .weights = {BUDGET_OPS, TASK_OPS, [OP_DELETE_MUTEX] = 1}, SERVER_HABITS},
    {.name = "servers_sync", .weights = {BUDGET_OPS, [OP_START] = 3, CONDITION_OPS}, SERVER_HABITS},
    {.name = "servers_calls", .weights = {BUDGET_OPS, [OP_START] = 3, RENDEZVOUS_OPS}, SERVER_HABITS},
    {.name = "servers_hints",
     .weights = {BUDGET_OPS, TASK_OPS, [OP_HINT] = 9, [OP_LOCK_ANY] = TAKT_ASSERTIONS * 4, [OP_DELETE_MUTEX] = 1},
     SERVER_HABITS},
    {.name = "servers_ceiling", .weights = {BUDGET_OPS, TASK_OPS, [OP_DELETE_MUTEX] = 1}, SERVER_HABITS, .ceilings = 2},
    {.name = NULL},
};

const struct profile *profile_find(const char *name)
{
    const struct profile *profile = profiles;
    while (profile->name != NULL && strcmp(profile->name, name) != 0) {
        profile++;
    }
    return profile->name == NULL ? NULL : profile;
}
