/* SPDX-License-Identifier: Apache-2.0 */
/* The naive model: watchdogs. */
#include <string.h>

#include "kernel/test/model/naive/naive.h"
#include "takt/watchdog.h"

enum state { STOPPED, WATCHES, RESTARTS };

static struct {
    struct expected next[WATCHDOGS]; /* when it looks, or restarts its task */
    enum state state[WATCHDOGS];
    uint64_t until_ns[WATCHDOGS]; /* its task may kick it up to here */
    unsigned expired[WATCHDOGS];
} dogs;

void naive_watchdogs_reset(void)
{
    memset(&dogs, 0, sizeof dogs);
    for (unsigned index = 0; index < WATCHDOGS; index++) {
        dogs.next[index].at_ns = TAKT_FOREVER;
    }
}

const struct expected *naive_watchdog(unsigned watchdog)
{
    return &dogs.next[watchdog];
}

static void event(unsigned watchdog, enum takt_watchdog_change change)
{
    naive_event(TAKT_EVENT_WATCHDOG, naive.plan->watchdogs[watchdog].task, WATCHDOG_ID + watchdog, change);
}

static void begin(unsigned watchdog)
{
    dogs.state[watchdog] = WATCHES;
    dogs.until_ns[watchdog] = naive.now_ns + naive.plan->watchdogs[watchdog].time_ns;
    dogs.next[watchdog] = naive_expect(dogs.until_ns[watchdog]);
}

/* The first time after now at which its task would be released, had it gone on. */
static uint64_t next_release_ns(unsigned watchdog)
{
    const struct naive_task *task = &naive.tasks[naive.plan->watchdogs[watchdog].task];
    uint64_t at_ns = naive.now_ns;
    if (task->plan->release == TAKT_BACKGROUND) {
        return naive.now_ns + naive.plan->watchdogs[watchdog].time_ns;
    }
    if (task->plan->release == TAKT_PERIODIC) {
        at_ns = task->job == UINT32_MAX ? task->first_ns : task->release_ns;
    } else if (task->arrived) {
        at_ns = task->last_ns;
    }
    while (at_ns <= naive.now_ns) {
        at_ns += task->plan->period_ns;
    }
    return at_ns;
}

/* Stopped or started by somebody else meanwhile, or stopped now and still to be left, or in its section. */
static void restart(unsigned watchdog)
{
    unsigned index = naive.plan->watchdogs[watchdog].task;
    struct naive_task *task = &naive.tasks[index];
    uint64_t at_ns = dogs.next[watchdog].at_ns;
    if (task->stop_later || (task->where == OUT && naive.running == index)) {
        dogs.next[watchdog] = naive_expect(next_release_ns(watchdog));
        naive_timer_opens();
        return;
    }
    dogs.next[watchdog].at_ns = TAKT_FOREVER;
    if (task->where == OUT) {
        naive_start(index, naive.now_ns);
        if (task->plan->release == TAKT_PERIODIC) {
            task->first_ns = at_ns;
            task->next_release = naive_expect(at_ns);
        }
    }
    begin(watchdog);
    naive_timer_opens();
}

static void expire(unsigned watchdog)
{
    const struct watchdog_plan *plan = &naive.plan->watchdogs[watchdog];
    dogs.expired[watchdog]++;
    event(watchdog, TAKT_WATCHDOG_EXPIRED);
    if (plan->action == TAKT_WATCHDOG_NOTIFY) {
        begin(watchdog);
        naive_timer_opens();
        naive_call(WATCHDOG + watchdog, &plan->op);
        return;
    }
    dogs.next[watchdog].at_ns = TAKT_FOREVER;
    dogs.state[watchdog] = STOPPED;
    if (plan->action == TAKT_WATCHDOG_RESTART) {
        dogs.state[watchdog] = RESTARTS;
        dogs.next[watchdog] = naive_expect(next_release_ns(watchdog));
    }
    naive_stop(plan->task);
    naive_timer_opens();
}

void naive_watchdog_due(unsigned watchdog)
{
    if (dogs.state[watchdog] == RESTARTS) {
        restart(watchdog);
    } else if (dogs.until_ns[watchdog] > naive.now_ns) {
        dogs.next[watchdog] = naive_expect(dogs.until_ns[watchdog]);
        naive_timer_opens();
    } else {
        expire(watchdog);
    }
}

struct answer naive_watchdog_call(unsigned actor, const struct op *op)
{
    unsigned watchdog = op->object;
    struct answer answer = {.status = TAKT_OK};
    if (op->kind == OP_WATCHDOG_EXPIRED) {
        answer.got = dogs.expired[watchdog];
    } else if (op->kind == OP_WATCHDOG_KICK) {
        answer.skipped = actor != naive.plan->watchdogs[watchdog].task;
        if (!answer.skipped) {
            event(watchdog, TAKT_WATCHDOG_KICKED);
            dogs.until_ns[watchdog] = naive.now_ns + naive.plan->watchdogs[watchdog].time_ns;
        }
    } else if ((op->kind == OP_WATCHDOG_START) != (dogs.state[watchdog] == STOPPED)) {
        answer.status = TAKT_STATE;
    } else if (op->kind == OP_WATCHDOG_START) {
        event(watchdog, TAKT_WATCHDOG_STARTED);
        begin(watchdog);
    } else {
        event(watchdog, TAKT_WATCHDOG_STOPPED);
        dogs.state[watchdog] = STOPPED;
        dogs.next[watchdog].at_ns = TAKT_FOREVER;
    }
    return answer;
}
