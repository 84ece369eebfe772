/* SPDX-License-Identifier: Apache-2.0 */
/* Random systems. Times lie on a coarse grid, so that equal times are common. */
#include <stdio.h>
#include <string.h>

#include "plan.h"
#include "takt/budget.h"
#include "takt/events.h"
#include "takt/task.h"
#include "takt/watchdog.h"

#define UNIT_NS UINT64_C(1000)

static uint64_t random_state;

/* splitmix64 (Steele, Lea and Flood 2014). */
static uint64_t random_next(void)
{
    uint64_t z = random_state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static unsigned below(unsigned limit)
{
    return (unsigned)(random_next() % limit);
}

static bool percent(unsigned share)
{
    return below(100) < share;
}

static uint64_t units(unsigned least, unsigned most)
{
    return UNIT_NS * (least + below(most - least + 1));
}

static unsigned pick(const uint8_t *weights)
{
    unsigned sum = 0;
    for (unsigned kind = 0; kind < OP_KINDS; kind++) {
        sum += weights[kind];
    }
    unsigned rest = below(sum);
    unsigned kind = 0;
    while (rest >= weights[kind]) {
        rest -= weights[kind++];
    }
    return kind;
}

/* A sporadic task, or NOBODY when there is none among those tried. */
static unsigned sporadic(const struct plan *plan)
{
    for (unsigned tries = 0; tries < 8; tries++) {
        unsigned task = below(plan->task_count);
        if (plan->tasks[task].release == TAKT_SPORADIC) {
            return task;
        }
    }
    return NOBODY;
}

static const uint8_t modes[] = {0,
                                TAKT_EVENTS_ALL,
                                TAKT_EVENTS_ONE,
                                TAKT_EVENTS_CLEAR,
                                TAKT_EVENTS_ALL | TAKT_EVENTS_CLEAR,
                                TAKT_EVENTS_ONE | TAKT_EVENTS_CLEAR};

static struct op random_op(const struct plan *plan, const uint8_t *weights, unsigned work_max)
{
    struct op op = {.kind = (uint8_t)pick(weights), .ns = (uint32_t)units(0, 12)};
    switch (op.kind) {
    case OP_WORK:
        op.ns = (uint32_t)units(1, work_max);
        break;
    case OP_DELAY_UNTIL:
        op.ns = (uint32_t)units(5, 20);
        break;
    case OP_LOCK:
    case OP_LOCK_UNTIL:
    case OP_TRY_LOCK:
    case OP_LOCK_ANY:
    case OP_UNLOCK:
    case OP_DELETE_MUTEX:
        op.object = (uint8_t)below(MUTEXES);
        break;
    case OP_WAIT:
    case OP_WAIT_UNTIL:
    case OP_TRY_WAIT:
    case OP_POST:
    case OP_FLUSH:
    case OP_COUNT:
    case OP_DELETE_SEMAPHORE:
        op.object = (uint8_t)below(SEMAPHORES);
        break;
    case OP_WAIT_IN_TURN:
    case OP_WAIT_IN_TURN_UNTIL:
        op.object = (uint8_t)(IN_TURN + below(SEMAPHORES - IN_TURN));
        break;
    case OP_SUSPEND:
    case OP_RESUME:
    case OP_CANCEL:
    case OP_STOP:
    case OP_START:
    case OP_SIGNAL_SEND:
    case OP_SIGNAL_RECEIVE:
    case OP_SIGNAL_RECEIVE_UNTIL:
    case OP_SIGNAL_TRY_RECEIVE:
    case OP_BUDGET:
        op.object = (uint8_t)below(plan->task_count);
        break;
    case OP_RELEASE:
    case OP_RELEASE_AT:
        op.object = (uint8_t)sporadic(plan);
        break;
    case OP_EVENTS_SET:
    case OP_EVENTS_CLEAR:
    case OP_EVENTS_WAIT:
    case OP_EVENTS_WAIT_UNTIL:
    case OP_EVENTS_TRY_WAIT:
    case OP_DELETE_EVENTS:
        op.object = (uint8_t)below(EVENTS);
        op.detail = (uint8_t)(1 + below(15) + 16 * modes[below(6)]);
        break;
    case OP_ALLOCATE:
    case OP_ALLOCATE_UNTIL:
    case OP_TRY_ALLOCATE:
    case OP_FREE:
    case OP_DELETE_POOL:
        op.object = (uint8_t)below(POOLS);
        break;
    case OP_CONDITION_WAIT:
    case OP_CONDITION_WAIT_UNTIL:
    case OP_SIGNAL:
    case OP_BROADCAST:
    case OP_DELETE_CONDITION:
        op.object = (uint8_t)below(CONDITIONS);
        break;
    case OP_CALL:
    case OP_CALL_UNTIL:
    case OP_ACCEPT:
    case OP_ACCEPT_UNTIL:
    case OP_TRY_ACCEPT:
    case OP_COMPLETE:
    case OP_DELETE_RENDEZVOUS:
        op.object = (uint8_t)below(RENDEZVOUS);
        break;
    case OP_HINT:
        op.object = (uint8_t)(percent(95) ? below(MUTEXES) : MUTEXES);
        if (percent(40)) {
            op.object = (uint8_t)(MUTEXES + 1 + below((1u << MUTEXES) - 1));
        }
        break;
    case OP_SEND:
    case OP_SEND_UNTIL:
    case OP_TRY_SEND:
    case OP_RECEIVE:
    case OP_RECEIVE_UNTIL:
    case OP_TRY_RECEIVE:
    case OP_DELETE_MAILBOX:
        op.object = (uint8_t)below(MAILBOXES);
        break;
    case OP_SLOT_RESERVE:
    case OP_SLOT_RESERVE_UNTIL:
    case OP_SLOT_TRY_RESERVE:
    case OP_SLOT_COMMIT:
    case OP_SLOT_POST:
    case OP_SLOT_TAKE:
    case OP_SLOT_TAKE_UNTIL:
    case OP_SLOT_TRY_TAKE:
    case OP_SLOT_RELEASE:
    case OP_SLOT_FLUSH:
    case OP_SLOT_CLOSE:
    case OP_SLOT_OPEN:
    case OP_SLOT_DEALLOCATE:
        op.object = (uint8_t)below(SLOTS);
        break;
    case OP_PIPE_WRITE:
    case OP_PIPE_WRITE_UNTIL:
    case OP_PIPE_TRY_WRITE:
    case OP_PIPE_READ:
    case OP_PIPE_READ_UNTIL:
    case OP_PIPE_TRY_READ:
    case OP_PIPE_DELETE:
        op.object = (uint8_t)below(PIPES);
        break;
    case OP_ALARM_START:
    case OP_ALARM_RESTART:
    case OP_ALARM_STOP:
    case OP_ALARM_REMAINING:
    case OP_ALARM_MISSED:
        op.object = (uint8_t)below(ALARMS);
        op.detail = percent(20);
        break;
    case OP_ALARM_SERVE:
        break;
    case OP_WATCHDOG_START:
    case OP_WATCHDOG_STOP:
    case OP_WATCHDOG_KICK:
    case OP_WATCHDOG_EXPIRED:
        op.object = (uint8_t)below(WATCHDOGS);
        break;
    default:
        op.object = (uint8_t)below(LETTER_BOXES);
        break;
    }
    if ((op.kind == OP_RELEASE || op.kind == OP_RELEASE_AT) && op.object == NOBODY) {
        op.kind = OP_POST;
        op.object = 0;
    }
    return op;
}

static bool deletes(unsigned kind)
{
    return kind == OP_DELETE_MUTEX || kind == OP_DELETE_SEMAPHORE || kind == OP_DELETE_MAILBOX ||
           kind == OP_DELETE_EVENTS || kind == OP_DELETE_POOL || kind == OP_DELETE_CONDITION ||
           kind == OP_DELETE_RENDEZVOUS || kind == OP_DELETE_LETTERS || kind == OP_PIPE_DELETE;
}

/* Deletions end the use of an object for good: one in four of those drawn stays. */
static struct op rare_deletion(const struct plan *plan, struct op op, const struct profile *profile, unsigned work_max)
{
    while (deletes(op.kind) && !percent(25)) {
        op = random_op(plan, profile->weights, work_max);
    }
    return op;
}

static void levels(struct plan *plan, const struct profile *profile, unsigned number)
{
    unsigned list = number % 30; /* 2 lists of one band, 4 of two, 8 of three, 16 of four */
    unsigned bands = list < 2 ? 1 : list < 6 ? 2 : list < 14 ? 3 : 4;
    unsigned kinds = list - ((1u << bands) - 2);
    plan->quanta = percent(profile->quantum_percent) && TAKT_SLICES;
    for (unsigned band = 0; band <= bands; band++) { /* the last one is for background tasks */
        bool edf = TAKT_EDF && band < bands && ((kinds >> band) & 1u) != 0;
        unsigned groups = edf || band == bands ? 1 : 1 + below(3);
        for (unsigned group = 0; group < groups; group++) {
            plan->level_edf[plan->level_count] = edf;
            plan->level_bands[plan->level_count] = (uint8_t)band;
            plan->quanta_ns[plan->level_count] = !edf && plan->quanta && percent(70) ? units(1, 5) : 0;
            plan->level_count++;
        }
    }
}

static void times(struct plan *plan, struct task_plan *task, const struct profile *profile, bool all_background)
{
    task->release = percent(35) ? TAKT_SPORADIC : TAKT_PERIODIC;
    if (!TAKT_JOBS || all_background || percent(profile->background_percent)) {
        task->release = TAKT_BACKGROUND;
    }
    task->level = (uint8_t)below(plan->level_count - 1u);
    task->style = !profile->cooperative && percent(30) ? TAKT_STYLE_LOOP : TAKT_STYLE_ENTRY;
    if (task->release == TAKT_BACKGROUND) {
        bool elsewhere = percent(50) && !plan->level_edf[task->level];
        task->level = elsewhere ? task->level : (uint8_t)(plan->level_count - 1u);
        task->rounds = (uint8_t)(1 + below(4));
        return;
    }
    task->period_ns = units(5, 40);
    task->deadline_ns = percent(50) ? task->period_ns : units(3, 60);
    task->offset_ns = task->release == TAKT_PERIODIC && percent(30) ? units(0, 20) : 0;
    task->on_miss = percent(profile->stop_percent) ? (uint8_t)below(4) : TAKT_MISS_CONTINUE;
    task->pending_max = (uint8_t)(1 + below(PENDING_MAX));
}

/* The last level, that of background tasks, is always one. */
static uint8_t fixed_level(const struct plan *plan)
{
    unsigned level = below(plan->level_count);
    while (plan->level_edf[level]) {
        level++;
    }
    return (uint8_t)level;
}

/* What is due now is served first, whatever its handlers arm for a time before it. */
static void not_before_now(struct op *op)
{
    if (op->kind >= OP_ALARM_START) {
        op->detail = 0;
    }
}

static void budget(struct task_plan *task, const struct profile *profile)
{
    if (profile->budget_percent != 0 && percent(profile->budget_percent)) {
        task->budget_ns = units(1, 12);
        task->hold_ns = percent(10) ? 0 : units(1, 8);
        task->on_budget = (uint8_t)(percent(60) ? TAKT_BUDGET_DEMOTE : below(3));
        task->suspension_ns = percent(40) ? 0 : units(1, 12);
        task->wait_ns = percent(50) ? 0 : units(1, 3);
        task->waits = (uint8_t)below(3);
        task->locks = (uint8_t)below(2);
    }
}

/* Servers, each with a level of its own or with others, and what each serves. The others come after them. */
static void servers(struct plan *plan, const struct profile *profile)
{
    uint8_t levels_of[SERVERS];
    for (unsigned number = 0; number < SERVERS; number++) {
        levels_of[number] = (uint8_t)below(plan->level_count - 1u);
    }
    unsigned count = 0;
    for (unsigned number = 0; number < SERVERS && profile->server_percent != 0; number++) {
        bool any = false;
        for (unsigned index = 0; index < plan->task_count; index++) {
            struct task_plan *task = &plan->tasks[index];
            if (task->server == 0 && percent(profile->server_percent)) {
                any = true;
                task->server = (uint8_t)(count + 1u);
                task->level = levels_of[number];
                task->on_budget = TAKT_BUDGET_SERVER;
                task->budget_ns = task->budget_ns != 0 ? task->budget_ns : UNIT_NS;
                task->hold_ns = units(1, 8);
            }
        }
        uint64_t period_ns = units(6, 40);
        plan->servers[count] = (struct server_plan){.period_ns = period_ns,
                                                    .budget_ns = units(1, 5),
                                                    .deadline_ns = percent(50) ? period_ns : units(2, 6),
                                                    .kind = (uint8_t)below(3)};
        count += any ? 1 : 0;
    }
    plan->server_count = (uint8_t)count;
}

void plan_generate(struct plan *plan, const struct profile *profile, uint64_t seed, unsigned number)
{
    memset(plan, 0, sizeof *plan);
    random_state = seed;
    plan->seed = seed;
    plan->cooperative = profile->cooperative;
    plan->end_ns = units(100, 400);
    plan->task_count = (uint8_t)(2 + below(TASKS_MAX - 1));
    plan->source_count = (uint8_t)below(SOURCES + 1);
    levels(plan, profile, number);
    unsigned work_max = percent(profile->overload_percent) ? 9 : 3;
    bool all_background = percent(5);
    for (unsigned index = 0; index < plan->task_count; index++) {
        times(plan, &plan->tasks[index], profile, all_background);
        budget(&plan->tasks[index], profile);
    }
    servers(plan, profile);
    plan->ceilings = profile->ceilings;
    memset(plan->ceiling, 0xFF, sizeof plan->ceiling);
    for (unsigned index = 0; index < MUTEXES * plan->task_count; index++) { /* everybody may lock each */
        plan_ceiling_raise(plan, index % MUTEXES, &plan->tasks[index / MUTEXES]);
    }
    for (unsigned index = 0; index < plan->task_count; index++) {
        struct task_plan *task = &plan->tasks[index];
        task->length = (uint8_t)(1 + below(percent(50) ? 5 : OPS_MAX));
        task->script[0] = (struct op){.kind = OP_WORK, .ns = (uint32_t)UNIT_NS}; /* no endless script at one time */
        for (unsigned position = 1; position < task->length; position++) {
            struct op op = random_op(plan, profile->weights, work_max);
            task->script[position] = rare_deletion(plan, op, profile, work_max);
        }
        task->hook = random_op(plan, profile->handler_weights, 2);
        not_before_now(&task->hook);
    }
    for (unsigned index = 0; index < plan->source_count; index++) {
        struct source_plan *source = &plan->sources[index];
        source->first_ns = units(0, 30);
        source->length = (uint8_t)(1 + below(OPS_MAX));
        source->ops = (uint8_t)(1 + below(3));
        for (unsigned position = 0; position < source->length; position++) {
            source->script[position] = random_op(plan, profile->handler_weights, percent(10) ? 20 : 2);
        }
        for (unsigned position = 0; position < GAPS; position++) {
            source->gaps_ns[position] = units(1, 30);
        }
    }
    for (unsigned index = 0; index < ALARMS && profile->weights[OP_ALARM_START] > 0; index++) {
        struct alarm_plan *alarm = &plan->alarms[index];
        alarm->op = random_op(plan, profile->handler_weights, 2);
        not_before_now(&alarm->op);
        alarm->op.ns = alarm->op.ns == 0 ? (uint32_t)UNIT_NS : alarm->op.ns;
        alarm->period_ns = percent(70) ? units(8, 30) : 0; /* longer than all handlers together */
    }
    for (unsigned index = 0; index < WATCHDOGS && profile->weights[OP_WATCHDOG_START] > 0; index++) {
        struct watchdog_plan *watchdog = &plan->watchdogs[index];
        watchdog->task = (uint8_t)below(plan->task_count);
        watchdog->time_ns = units(3, 40);
        watchdog->action = (uint8_t)(percent(50) ? TAKT_WATCHDOG_RESTART : below(2)); /* but HALT */
        watchdog->op = random_op(plan, profile->handler_weights, 2);
        not_before_now(&watchdog->op);
    }
    for (unsigned index = 0; index < SEMAPHORES; index++) {
        plan->semaphore_maximum[index] = (uint16_t)(1 + below(3));
        plan->semaphore_initial[index] = (uint16_t)below(plan->semaphore_maximum[index] + 1u);
        plan->semaphore_trigger[index] = (uint8_t)(percent(25) ? sporadic(plan) : NOBODY);
        if (plan->semaphore_trigger[index] != NOBODY) {
            plan->semaphore_initial[index] = 0;
        }
    }
    for (unsigned index = 0; index < MAILBOXES; index++) {
        plan->mailbox_trigger[index] = (uint8_t)(percent(25) ? sporadic(plan) : NOBODY);
    }
    for (unsigned index = 0; index < SLOTS; index++) {
        plan->slot_owner[index] = (uint8_t)below(plan->task_count);
        for (unsigned priority = 0; priority < SLOT_LEVELS; priority++) {
            plan->slot_levels[index][priority] = fixed_level(plan);
        }
    }
    plan->letter_trigger[0] = NOBODY;
    plan->letter_trigger[1] = (uint8_t)(percent(40) ? sporadic(plan) : NOBODY);
    for (unsigned index = 0; index < EVENTS; index++) {
        plan->events_trigger[index] = (uint8_t)(percent(20) ? sporadic(plan) : NOBODY);
    }
    for (unsigned index = 0; index < PIPES; index++) {
        plan->pipe_trigger[index] = (uint8_t)(percent(40) ? sporadic(plan) : NOBODY);
    }
    for (unsigned index = 0; index < RENDEZVOUS; index++) {
        plan->rendezvous_trigger[index] = (uint8_t)(percent(30) ? sporadic(plan) : NOBODY);
    }
    for (unsigned index = 0; index < SLOTS; index++) {
        plan->slot_triggers[index] = plan->tasks[plan->slot_owner[index]].release == TAKT_SPORADIC && percent(60);
    }
    for (unsigned index = 0; index < plan->task_count; index++) {
        plan->signal_triggers[index] = plan->tasks[index].release == TAKT_SPORADIC && percent(60);
    }
    if (TAKT_FIFO_WAITERS) {
        plan->fifo_mutexes = (uint8_t)(below(1u << MUTEXES) & (0xFFu >> (8 - MUTEXES + plan->ceilings)));
        plan->fifo_semaphores = (uint8_t)below(1u << SEMAPHORES);
        plan->fifo_mailboxes = (uint8_t)below(1u << MAILBOXES);
        plan->fifo_pools = (uint8_t)below(1u << POOLS);
        plan->fifo_letters = (uint8_t)below(1u << LETTER_BOXES);
        plan->fifo_slots = (uint8_t)below(1u << SLOTS);
    }
    for (unsigned index = 0; index < plan->task_count; index++) { /* nobody can wait for a trigger */
        struct task_plan *task = &plan->tasks[index];
        for (unsigned position = 0; position < task->length; position++) {
            struct op *op = &task->script[position];
            bool waits = op->kind == OP_WAIT || op->kind == OP_WAIT_UNTIL || op->kind == OP_WAIT_IN_TURN ||
                         op->kind == OP_WAIT_IN_TURN_UNTIL;
            if (waits && plan->semaphore_trigger[op->object] != NOBODY) {
                op->kind = OP_TRY_WAIT;
            }
            waits = op->kind == OP_EVENTS_WAIT || op->kind == OP_EVENTS_WAIT_UNTIL;
            if (waits && plan->events_trigger[op->object] != NOBODY) {
                op->kind = OP_EVENTS_TRY_WAIT;
            }
        }
    }
}
