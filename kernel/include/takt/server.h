/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_SERVER_H
#define TAKT_SERVER_H

#include "base/dialect.h"
#include "takt/budget.h"

TAKT_C_BEGIN

/* When the budget of a server comes back. A budget is never more than `budget_ns`. */
enum takt_server_kind {
    TAKT_SERVER_DEFERRABLE, /* all of it at each multiple of the period after takt_start; what is left over is lost */
    TAKT_SERVER_POLLING,    /* the same; what is left is lost also when no served task is ready, at the latest then */
    TAKT_SERVER_SPORADIC    /* each part that was used, a period after it could first have been used: when it came
                               back or, if later, when served work became ready after a time without any */
};

/*
 * Largest number of parts in which the budget of a sporadic server comes back. If there would be more, the last two
 * come back together, at the later time.
 */
#define TAKT_SERVER_PARTS 4

/* A part of a sporadic server's budget. */
struct takt_server_part {
    uint64_t at_ns; /* it may be used from then on */
    uint64_t amount_ns;
};

/*
 * A budget that several tasks share, with a kernel of a system that has servers (TAKT_SERVERS): the tasks that it
 * serves execute for at most `budget_ns` at their own level before the budget comes back, and after that at the level
 * of the demoted. Each served task has a struct takt_budget with the policy TAKT_BUDGET_SERVER, which names the server
 * and watches its own sections; `wait_ns` and `yield_ns` are taken from the server's budget. What a task executes while
 * it is demoted is not. A task in a section at the end of the budget is demoted at the end of the section; the others
 * at once. Served tasks in an edf band have the server's deadline: `deadline_ns` after the budget came back, or after
 * served work became ready with budget left, whichever is later.
 *
 * Rationale: docs/decisions/0029-servers.md. Caller-owned, in takt_system.servers.
 */
struct takt_server {
    uint64_t budget_ns;             /* 0 < budget_ns < period_ns */
    uint64_t period_ns;             /* <= TAKT_FOREVER / 4 */
    uint64_t deadline_ns;           /* in an edf band: 0 < deadline_ns <= period_ns */
    struct takt_task *const *tasks; /* the served tasks, `task_count` of them, all in one level */
    uint16_t task_count;
    uint8_t kind;   /* enum takt_server_kind */
    bool exhausted; /* private, as all following fields: kernel lock. No budget is left, served tasks are demoted */
    uint16_t ready; /* number of served tasks that are ready */
    uint16_t part_count;
    uint32_t exhaustions;
    uint32_t replenishments;
    uint64_t left_ns;         /* of the budget, or of the first part; TAKT_FOREVER: exhausted */
    uint64_t settled_ns;      /* sporadic: of the first part, when its use was last taken off it; 0: it is not in use */
    uint64_t key_deadline_ns; /* in an edf band: of served work */
    uint64_t from_ns;         /* last stretch of execution that was charged */
    uint64_t until_ns;        /* ... its end */
    struct takt_task *finishing; /* in its section since before the exhaustion, not demoted; or NULL */
    struct takt_server_part parts[TAKT_SERVER_PARTS]; /* sporadic: by time; they add up to the budget */
    struct takti_call replenishment;                  /* needs an entry of TAKT_TIMERS_DEFINE */
};

TAKT_C_END

#endif
