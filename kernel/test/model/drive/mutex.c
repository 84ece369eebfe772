/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on mutexes, those with ceilings included, for drive.c. */
#include <string.h>

#include "drive.h"
#include "kernel/core/budget.h"
#include "takt/takt.h"

static struct {
    const struct plan *plan;
    struct takt_mutex mutexes[MUTEXES];
    struct takt_ceiling ceilings[MUTEXES]; /* plan_ceiling: in their place */
    /* The scripts' own view. */
    uint32_t held[TASKS_MAX]; /* masks of mutexes */
    bool dead[MUTEXES];
} run;

static uint32_t alive(uint32_t held)
{
    for (unsigned index = 0; index < MUTEXES; index++) {
        held &= run.dead[index] ? ~(1u << index) : ~0u;
    }
    return held;
}

static void unlock_nth(unsigned actor, const struct op *op)
{
    uint32_t held = alive(run.held[actor]);
    unsigned count = (unsigned)__builtin_popcount(held);
    if (count == 0) {
        return;
    }
    for (unsigned skip = op->object % count; skip > 0; skip--) {
        held &= held - 1;
    }
    unsigned index = (unsigned)__builtin_ctz(held);
    run.held[actor] &= ~(1u << index);
    if (plan_ceiling(run.plan, index)) {
        takt_ceiling_unlock(&run.ceilings[index]);
    } else {
        takt_mutex_unlock(&run.mutexes[index]);
    }
    drive_result(actor, op, TAKT_OK, index);
}

struct takt_mutex *drive_last_held(unsigned actor)
{
    uint32_t held = alive(run.held[actor]);
    return held == 0 ? NULL : &run.mutexes[31 - __builtin_clz(held)];
}

void drive_lost_last(unsigned actor)
{
    run.held[actor] &= ~(1u << (31 - __builtin_clz(alive(run.held[actor]))));
}

static void init_mutex(unsigned index)
{
    takt_mutex_init(&run.mutexes[index], (uint16_t)(MUTEX_ID + index));
    drive_fifo(run.mutexes[index].in_turn, run.plan->fifo_mutexes, index);
    takt_ceiling_init(&run.ceilings[index], (uint16_t)(MUTEX_ID + index), run.plan->ceiling[index],
                      run.plan->ceiling_ns[index]);
}

static enum takt_status lock_ceiling(const struct op *op, bool only_try)
{
    struct takt_ceiling *ceiling = &run.ceilings[op->object];
    return only_try                    ? takt_ceiling_try_lock(ceiling)
           : op->kind != OP_LOCK_UNTIL ? takt_ceiling_lock(ceiling)
                                       : takt_ceiling_lock_until(ceiling, op_until(op, takt_now()));
}

static enum takt_status lock_mutex(const struct op *op, bool only_try)
{
    struct takt_mutex *mutex = &run.mutexes[op->object];
    return only_try                    ? takt_mutex_try_lock(mutex)
           : op->kind != OP_LOCK_UNTIL ? takt_mutex_lock(mutex)
                                       : takt_mutex_lock_until(mutex, op_until(op, takt_now()));
}

/* A try mends a mutex whose owner died, unless somebody did so meanwhile. */
static void lock_op(unsigned actor, const struct op *op)
{
    uint32_t held = alive(run.held[actor]);
    if (run.dead[op->object] || ((held >> op->object) & 1u) != 0) {
        return;
    }
    bool only_try = op->kind == OP_TRY_LOCK || (op->kind != OP_LOCK_ANY && (held >> op->object) != 0);
    enum takt_status status =
        plan_ceiling(run.plan, op->object) ? lock_ceiling(op, only_try) : lock_mutex(op, only_try);
    const struct takt_mutex *mutex =
        plan_ceiling(run.plan, op->object) ? &run.ceilings[op->object].mutex : &run.mutexes[op->object];
    if (only_try && status == TAKT_OWNER_DIED && takti_mutex_broken(mutex)) {
        init_mutex(op->object);
    }
    if (status == TAKT_OK) {
        run.held[actor] |= 1u << op->object;
    }
    drive_result(actor, op, status, 0);
}

/* One of those of a mask that are not deleted. */
static void hint_set_op(unsigned actor, unsigned mask)
{
    static struct takt_hint_set sets[TASKS_MAX];
    static struct takt_mutex *mutexes[TASKS_MAX][MUTEXES];
    unsigned count = 0;
    for (unsigned mutex = 0; mutex < MUTEXES; mutex++) {
        if ((mask >> mutex & 1u) != 0 && !run.dead[mutex]) {
            mutexes[actor][count++] = &run.mutexes[mutex];
        }
    }
    if (count > 0) {
        sets[actor].mutexes = mutexes[actor];
        sets[actor].count = (uint8_t)count;
        takt_hint_next_set(&sets[actor]);
    }
}

static void hint_op(unsigned actor, const struct op *op)
{
    if (op->object > MUTEXES) {
        hint_set_op(actor, op->object - MUTEXES);
    } else if (op->object == MUTEXES) {
        takt_hint_next(NULL);
    } else if (!run.dead[op->object]) {
        takt_hint_next(&run.mutexes[op->object]);
    }
    drive_result(actor, op, TAKT_OK, 0);
}

static void deletion(unsigned actor, const struct op *op)
{
    if (run.dead[op->object]) {
        return;
    }
    run.dead[op->object] = true;
    if (plan_ceiling(run.plan, op->object)) {
        takt_ceiling_delete(&run.ceilings[op->object]);
    } else {
        takt_mutex_delete(&run.mutexes[op->object]);
    }
    drive_result(actor, op, TAKT_OK, 0);
}

void drive_mutexes_init(const struct plan *plan)
{
    memset(&run, 0, sizeof run);
    run.plan = plan;
    for (unsigned index = 0; index < MUTEXES; index++) {
        init_mutex(index);
        drive_give(&run.mutexes[index], TAKT_KNOWN_MUTEX);
        drive_give(&run.ceilings[index], TAKT_KNOWN_CEILING);
    }
}

const struct takt_mutex *drive_mutexes(void)
{
    return run.mutexes;
}

void drive_mutex_begin(unsigned actor)
{
    run.held[actor] = 0;
}

void drive_mutex(unsigned actor, const struct op *op)
{
    switch (op->kind) {
    case OP_UNLOCK:
        unlock_nth(actor, op);
        break;
    case OP_DELETE_MUTEX:
        deletion(actor, op);
        break;
    case OP_HINT:
        hint_op(actor, op);
        break;
    default:
        lock_op(actor, op);
        break;
    }
}
