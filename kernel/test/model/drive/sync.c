/* SPDX-License-Identifier: Apache-2.0 */
/* The operations on services that a system need not have, on the kernel. */
#include <string.h>

#include "drive.h"
#include "takt/takt.h"

static struct {
    const struct outcome *outcome;
    struct takt_events events[EVENTS];
    bool dead_events[EVENTS];
    struct takt_condition conditions[CONDITIONS];
    bool dead_condition[CONDITIONS];
    struct takt_rendezvous rendezvous[RENDEZVOUS];
    bool dead_rendezvous[RENDEZVOUS];
    struct takt_rendezvous_accepted accepted[TASKS_MAX];
    bool serves[TASKS_MAX];
    uint32_t values[TASKS_MAX]; /* what each offered last */
    struct takt_pool pools[POOLS];
    uint64_t storage[POOLS][TAKT_POOL_BYTES(sizeof(uint64_t[2]), POOL_BLOCKS) / sizeof(uint64_t) + 1];
    void *blocks[TASKS_MAX + 1][POOLS][POOL_BLOCKS]; /* of every task, and of interrupts */
    unsigned held[TASKS_MAX + 1][POOLS];
    uint64_t stamp; /* of the block allocated last: what is in it tells whose it is */
    bool dead_pool[POOLS];
} run;

void drive_sync_init(const struct plan *plan, struct takt_task *tasks, const struct outcome *outcome)
{
    memset(&run, 0, sizeof run);
    run.outcome = outcome;
    for (unsigned index = 0; index < TASKS_MAX; index++) {
        drive_give(&run.accepted[index], TAKT_KNOWN_CALL);
    }
    for (unsigned index = 0; index < EVENTS; index++) {
        takt_events_init(&run.events[index], (uint16_t)(EVENTS_ID + index));
        if (plan->events_trigger[index] != NOBODY) {
            run.events[index].trigger = &tasks[plan->events_trigger[index]];
            run.events[index].trigger_flags = EVENTS_TRIGGER_FLAGS;
            run.events[index].trigger_mode = index == 0 ? 0 : TAKT_EVENTS_ALL;
        }
        drive_give(&run.events[index], TAKT_KNOWN_EVENTS);
    }
    for (unsigned index = 0; index < RENDEZVOUS; index++) {
        takt_rendezvous_init(&run.rendezvous[index], (uint16_t)(RENDEZVOUS_ID + index));
        if (plan->rendezvous_trigger[index] != NOBODY) {
            run.rendezvous[index].trigger = &tasks[plan->rendezvous_trigger[index]];
        }
        drive_give(&run.rendezvous[index], TAKT_KNOWN_RENDEZVOUS);
    }
    for (unsigned index = 0; index < CONDITIONS; index++) {
        takt_condition_init(&run.conditions[index], (uint16_t)(CONDITION_ID + index));
        drive_give(&run.conditions[index], TAKT_KNOWN_CONDITION);
    }
    for (unsigned index = 0; index < POOLS; index++) {
        takt_pool_init(&run.pools[index], (uint16_t)(POOL_ID + index), run.storage[index], sizeof(uint64_t[2]),
                       index == 0 ? 1 : POOL_BLOCKS);
        drive_fifo(run.pools[index].in_turn, plan->fifo_pools, index);
    }
}

void drive_sync_begin(unsigned actor)
{
    memset(run.held[actor], 0, sizeof run.held[actor]);
    run.serves[actor] = false;
}

bool drive_sync_ends(unsigned actor, struct op *op)
{
    if (run.serves[actor]) {
        *op = (struct op){.kind = OP_COMPLETE};
        return true;
    }
    for (unsigned index = 0; index < POOLS; index++) {
        if (!run.dead_pool[index] && run.held[actor][index] > 0) {
            *op = (struct op){.kind = OP_FREE, .object = (uint8_t)index};
            return true;
        }
    }
    return false;
}

static struct answer pool_op(unsigned actor, const struct op *op)
{
    struct takt_pool *pool = &run.pools[op->object];
    unsigned holder = actor < TASKS_MAX ? actor : TASKS_MAX;
    unsigned *held = &run.held[holder][op->object];
    void **blocks = run.blocks[holder][op->object];
    struct answer answer = {.status = TAKT_OK};
    if (run.dead_pool[op->object] || (op->kind == OP_FREE && *held == 0)) {
        return (struct answer){.skipped = true};
    }
    if (op->kind == OP_DELETE_POOL) {
        run.dead_pool[op->object] = true;
        takt_pool_delete(pool);
        return answer;
    }
    if (op->kind == OP_FREE) {
        uint64_t *block = blocks[--*held];
        answer.got = block[0] != block[1] || block[0] % 16 != holder; /* somebody else wrote into it */
        takt_pool_free(pool, block);
        return answer;
    }
    void *block = NULL;
    if (op->kind == OP_ALLOCATE) {
        answer.status = takt_pool_allocate(pool, &block);
    } else if (op->kind == OP_ALLOCATE_UNTIL) {
        answer.status = takt_pool_allocate_until(pool, &block, op_until(op, takt_now()));
    } else {
        block = takt_pool_try_allocate(pool);
        answer.status = block == NULL ? TAKT_BUSY : TAKT_OK;
    }
    if (answer.status == TAKT_OK) {
        run.stamp += 16;
        ((uint64_t *)block)[0] = run.stamp + holder;
        ((uint64_t *)block)[1] = run.stamp + holder;
        blocks[(*held)++] = block;
    }
    return answer;
}

static struct answer events_op(const struct op *op)
{
    struct takt_events *events = &run.events[op->object];
    struct takt_events_wanted wanted = {op->detail & 15u, op->detail >> 4};
    struct answer answer = {.status = TAKT_OK};
    if (run.dead_events[op->object]) {
        return (struct answer){.skipped = true};
    }
    if (op->kind == OP_EVENTS_SET) {
        takt_events_set(events, op->detail & 15u);
        return answer;
    }
    if (op->kind == OP_EVENTS_CLEAR) {
        takt_events_clear(events, op->detail & 15u);
        answer.got = takt_events_get(events);
        return answer;
    }
    if (op->kind == OP_DELETE_EVENTS) {
        run.dead_events[op->object] = true;
        takt_events_delete(events);
        return answer;
    }
    if (op->kind == OP_EVENTS_WAIT) {
        answer.status = takt_events_wait(events, &wanted);
    } else if (op->kind == OP_EVENTS_WAIT_UNTIL) {
        answer.status = takt_events_wait_until(events, &wanted, op_until(op, takt_now()));
    } else {
        answer.status = takt_events_try_wait(events, &wanted);
    }
    answer.got = answer.status == TAKT_OK ? wanted.flags : 0;
    return answer;
}

static struct answer condition_op(unsigned actor, const struct op *op)
{
    struct takt_condition *condition = &run.conditions[op->object];
    struct takt_mutex *mutex = actor < TASKS_MAX ? drive_last_held(actor) : NULL;
    bool waits = op->kind == OP_CONDITION_WAIT || op->kind == OP_CONDITION_WAIT_UNTIL;
    struct answer answer = {.status = TAKT_OK};
    if (run.dead_condition[op->object] || (waits && mutex == NULL)) {
        return (struct answer){.skipped = true};
    }
    if (op->kind == OP_SIGNAL) {
        takt_condition_signal(condition);
    } else if (op->kind == OP_BROADCAST) {
        takt_condition_broadcast(condition);
    } else if (op->kind == OP_DELETE_CONDITION) {
        run.dead_condition[op->object] = true;
        takt_condition_delete(condition);
    } else if (op->kind == OP_CONDITION_WAIT) {
        answer.status = takt_condition_wait(condition, mutex);
    } else {
        answer.status = takt_condition_wait_until(condition, mutex, op_until(op, takt_now()));
    }
    if (answer.status == TAKT_DELETED || answer.status == TAKT_OWNER_DIED) {
        drive_lost_last(actor);
    }
    return answer;
}

/* A completion multiplies by 3 what the caller offers. */
static struct answer complete(unsigned actor)
{
    struct takt_rendezvous_accepted *accepted = &run.accepted[actor];
    run.serves[actor] = false;
    *(uint32_t *)accepted->data *= accepted->size == sizeof(uint32_t) ? 3 : 5;
    takt_rendezvous_complete(accepted);
    return (struct answer){.status = TAKT_OK};
}

static struct answer rendezvous_op(unsigned actor, const struct op *op)
{
    struct takt_rendezvous *rendezvous = &run.rendezvous[op->object];
    uint32_t *value = &run.values[actor];
    bool calls = op->kind == OP_CALL || op->kind == OP_CALL_UNTIL;
    struct answer answer = {.status = TAKT_OK};
    if (op->kind == OP_COMPLETE && run.serves[actor]) {
        return complete(actor);
    }
    if (run.dead_rendezvous[op->object] || op->kind == OP_COMPLETE ||
        (run.serves[actor] && op->kind != OP_DELETE_RENDEZVOUS) || (calls && drive_last_held(actor) != NULL)) {
        return (struct answer){.skipped = true};
    }
    if (op->kind == OP_DELETE_RENDEZVOUS) {
        run.dead_rendezvous[op->object] = true;
        takt_rendezvous_delete(rendezvous);
        return answer;
    }
    if (calls) {
        *value = log_message(run.outcome, actor);
        answer.status = op->kind == OP_CALL
                            ? takt_rendezvous_call(rendezvous, value, sizeof *value)
                            : takt_rendezvous_call_until(rendezvous, value, sizeof *value, op_until(op, takt_now()));
        answer.got = answer.status == TAKT_OK ? *value : 0;
        return answer;
    }
    if (op->kind == OP_ACCEPT) {
        answer.status = takt_rendezvous_accept(rendezvous, &run.accepted[actor]);
    } else if (op->kind == OP_ACCEPT_UNTIL) {
        answer.status = takt_rendezvous_accept_until(rendezvous, &run.accepted[actor], op_until(op, takt_now()));
    } else {
        answer.status = takt_rendezvous_try_accept(rendezvous, &run.accepted[actor]);
    }
    run.serves[actor] = answer.status == TAKT_OK;
    answer.got = answer.status == TAKT_OK ? *(uint32_t *)run.accepted[actor].data : 0;
    return answer;
}

struct answer drive_sync(unsigned actor, const struct op *op)
{
    return op->kind <= OP_DELETE_EVENTS      ? events_op(op)
           : op->kind <= OP_DELETE_POOL      ? pool_op(actor, op)
           : op->kind <= OP_DELETE_CONDITION ? condition_op(actor, op)
                                             : rendezvous_op(actor, op);
}
