/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a plan on the kernel over the host port and logs what happens. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bitmap.h"
#include "drive.h"
#include "kernel/port.h"
#include "ports/host/host.h"
#include "takt/takt.h"

enum { STACK_BYTES = 64, RING = 1 << 16 };

static struct {
    const struct plan *plan;
    struct outcome *outcome;
    struct takt_task_config configs[TASKS_MAX];
    struct takt_task tasks[TASKS_MAX];
    uint64_t stacks[TASKS_MAX + 1][STACK_BYTES / 8];
    uint64_t releases_ns[TASKS_MAX][PENDING_MAX];
    struct takt_arrivals arrivals[TASKS_MAX];
    struct takt_deadline_timer deadline_timers[TASKS_MAX];
    struct takt_task_statistics statistics[TASKS_MAX];
    uint8_t level_bands[TAKT_LEVELS];
    uint64_t quanta_ns[TAKT_LEVELS];
    struct takt_system system;
    struct takt_mutex mutexes[MUTEXES];
    struct takt_ceiling ceilings[MUTEXES]; /* plan_ceiling: in their place */
    struct takt_semaphore semaphores[SEMAPHORES];
    struct takt_mailbox mailboxes[MAILBOXES];
    uint64_t storage[MAILBOXES][MAILBOX_ROOM];
    /* The scripts' own view. */
    uint32_t held[TASKS_MAX]; /* masks of mutexes */
    bool dead_mutex[MUTEXES];
    bool dead_semaphore[SEMAPHORES];
    bool dead_mailbox[MAILBOXES];
} run;

static struct takt_trace_record ring[RING];
TAKT_TIMERS_DEFINE(timers, 2 * TASKS_MAX + ALARMS + 1);
TAKT_EDF_DEFINE(edf, LEVELS_MAX, TASKS_MAX);

void drive_result(unsigned actor, const struct op *op, unsigned status, uint32_t message)
{
    log_result(run.outcome, (struct entry){.time_ns = takt_now(),
                                           .event = (uint8_t)(LOG_RESULT + op->kind),
                                           .task = (uint16_t)actor,
                                           .job = message,
                                           .object = op->object,
                                           .value = (uint16_t)status});
}

static uint32_t alive(uint32_t held)
{
    for (unsigned index = 0; index < MUTEXES; index++) {
        held &= run.dead_mutex[index] ? ~(1u << index) : ~0u;
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

static enum takt_status lock_ceiling(struct takt_ceiling *ceiling, const struct op *op, bool only_try)
{
    return op->kind == OP_TRY_LOCK || only_try ? takt_ceiling_try_lock(ceiling)
           : op->kind == OP_LOCK               ? takt_ceiling_lock(ceiling)
                                               : takt_ceiling_lock_until(ceiling, op_until(op, takt_now()));
}

static void lock_op(unsigned actor, const struct op *op)
{
    struct takt_mutex *mutex = &run.mutexes[op->object];
    uint32_t held = alive(run.held[actor]);
    enum takt_status status;
    if (run.dead_mutex[op->object] || ((held >> op->object) & 1u) != 0) {
        return;
    }
    if (plan_ceiling(run.plan, op->object)) {
        status = lock_ceiling(&run.ceilings[op->object], op, (held >> op->object) != 0);
    } else if (op->kind == OP_TRY_LOCK || (held >> op->object) != 0) {
        status = takt_mutex_try_lock(mutex);
    } else if (op->kind == OP_LOCK) {
        status = takt_mutex_lock(mutex);
    } else {
        status = takt_mutex_lock_until(mutex, op_until(op, takt_now()));
    }
    if (status == TAKT_OK) {
        run.held[actor] |= 1u << op->object;
    }
    drive_result(actor, op, status, 0);
}

static void hint_op(unsigned actor, const struct op *op)
{
    if (op->object == MUTEXES) {
        takt_hint_next(NULL);
    } else if (!run.dead_mutex[op->object]) {
        takt_hint_next(&run.mutexes[op->object]);
    }
    drive_result(actor, op, TAKT_OK, 0);
}

static void semaphore_op(unsigned actor, const struct op *op)
{
    struct takt_semaphore *semaphore = &run.semaphores[op->object];
    enum takt_status status;
    if (run.dead_semaphore[op->object]) {
        return;
    }
    if (op->kind == OP_WAIT) {
        status = takt_semaphore_wait(semaphore);
    } else if (op->kind == OP_WAIT_UNTIL) {
        status = takt_semaphore_wait_until(semaphore, op_until(op, takt_now()));
    } else if (op->kind == OP_WAIT_IN_TURN) {
        status = takt_semaphore_wait_in_turn(semaphore, TAKT_FOREVER);
    } else if (op->kind == OP_WAIT_IN_TURN_UNTIL) {
        status = takt_semaphore_wait_in_turn(semaphore, op_until(op, takt_now()));
    } else if (op->kind == OP_FLUSH) {
        status = TAKT_OK;
        takt_semaphore_flush(semaphore);
    } else if (op->kind == OP_COUNT) {
        status = takt_semaphore_count(semaphore);
    } else if (op->kind == OP_TRY_WAIT) {
        status = takt_semaphore_try_wait(semaphore);
    } else {
        status = takt_semaphore_post(semaphore);
    }
    drive_result(actor, op, status, 0);
}

static void mailbox_op(unsigned actor, const struct op *op)
{
    struct takt_mailbox *mailbox = &run.mailboxes[op->object];
    enum takt_status status;
    uint64_t message = 0; /* of which a mailbox takes the lower 4 bytes, or all 8 */
    if (run.dead_mailbox[op->object]) {
        return;
    }
    if (op->kind == OP_SEND || op->kind == OP_SEND_UNTIL || op->kind == OP_TRY_SEND) {
        message = log_message(run.outcome, actor);
    }
    if (op->kind == OP_SEND) {
        status = takt_mailbox_send(mailbox, &message);
    } else if (op->kind == OP_SEND_UNTIL) {
        status = takt_mailbox_send_until(mailbox, &message, op_until(op, takt_now()));
    } else if (op->kind == OP_TRY_SEND) {
        status = takt_mailbox_try_send(mailbox, &message);
    } else if (op->kind == OP_RECEIVE) {
        status = takt_mailbox_receive(mailbox, &message);
    } else if (op->kind == OP_RECEIVE_UNTIL) {
        status = takt_mailbox_receive_until(mailbox, &message, op_until(op, takt_now()));
    } else {
        status = takt_mailbox_try_receive(mailbox, &message);
    }
    drive_result(actor, op, status, (uint32_t)message);
}

static void task_op(unsigned actor, const struct op *op)
{
    struct takt_task *task = &run.tasks[op->object];
    enum takt_status status = TAKT_OK;
    if (op->kind == OP_SUSPEND) {
        takt_task_suspend(task);
    } else if (op->kind == OP_RESUME) {
        takt_task_resume(task);
    } else if (op->kind == OP_STOP) {
        takt_task_stop(task);
    } else if (op->kind == OP_START) {
        status = takt_task_start(task, &run.configs[op->object]);
    } else if (TAKT_JOBS) {
        takt_job_release(task);
    }
    drive_result(actor, op, status, 0);
}

static void deletion(unsigned actor, const struct op *op)
{
    bool *dead = op->kind == OP_DELETE_MUTEX       ? &run.dead_mutex[op->object]
                 : op->kind == OP_DELETE_SEMAPHORE ? &run.dead_semaphore[op->object]
                                                   : &run.dead_mailbox[op->object];
    if (*dead) {
        return;
    }
    *dead = true;
    if (op->kind == OP_DELETE_MUTEX && plan_ceiling(run.plan, op->object)) {
        takt_ceiling_delete(&run.ceilings[op->object]);
    } else if (op->kind == OP_DELETE_MUTEX) {
        takt_mutex_delete(&run.mutexes[op->object]);
    } else if (op->kind == OP_DELETE_SEMAPHORE) {
        takt_semaphore_delete(&run.semaphores[op->object]);
    } else {
        takt_mailbox_delete(&run.mailboxes[op->object]);
    }
    drive_result(actor, op, TAKT_OK, 0);
}

static void sync_op(unsigned actor, const struct op *op)
{
    struct answer answer = drive_sync(actor, op);
    if (!answer.skipped) {
        drive_result(actor, op, answer.status, answer.got);
    }
}

void drive_perform(unsigned actor, const struct op *op)
{
    switch ((enum op_kind)op->kind) {
    case OP_WORK:
        takt_work(op->ns);
        break;
    case OP_DELAY:
        takt_delay(op->ns);
        drive_result(actor, op, TAKT_OK, 0);
        break;
    case OP_DELAY_UNTIL:
        takt_delay_until((takt_now() / op->ns + 1) * op->ns);
        drive_result(actor, op, TAKT_OK, 0);
        break;
    case OP_LOCK:
    case OP_LOCK_UNTIL:
    case OP_TRY_LOCK:
        lock_op(actor, op);
        break;
    case OP_UNLOCK:
        unlock_nth(actor, op);
        break;
    case OP_WAIT:
    case OP_WAIT_UNTIL:
    case OP_TRY_WAIT:
    case OP_POST:
    case OP_WAIT_IN_TURN:
    case OP_WAIT_IN_TURN_UNTIL:
    case OP_FLUSH:
    case OP_COUNT:
        semaphore_op(actor, op);
        break;
    case OP_YIELD:
        takt_task_yield();
        drive_result(actor, op, TAKT_OK, 0);
        break;
    case OP_SUSPEND:
    case OP_RESUME:
    case OP_STOP:
    case OP_START:
    case OP_RELEASE:
        task_op(actor, op);
        break;
    case OP_DELETE_MUTEX:
    case OP_DELETE_SEMAPHORE:
    case OP_DELETE_MAILBOX:
        deletion(actor, op);
        break;
    case OP_SEND:
    case OP_SEND_UNTIL:
    case OP_TRY_SEND:
    case OP_RECEIVE:
    case OP_RECEIVE_UNTIL:
    case OP_TRY_RECEIVE:
        mailbox_op(actor, op);
        break;
    case OP_HINT:
        hint_op(actor, op);
        break;
    default:
        if (op->kind >= OP_ALARM_START) {
            struct answer answer = drive_alarm(op);
            drive_result(actor, op, answer.status, answer.got);
        } else if (op->kind >= OP_LETTER_SEND) {
            drive_message(actor, op);
        } else {
            sync_op(actor, op);
        }
        break;
    }
}

static bool goes_on(unsigned index, unsigned place)
{
    return run.plan->extend != NULL ? run.plan->extend(index, place) : place < run.plan->tasks[index].length;
}

static void run_script(unsigned index)
{
    const struct task_plan *task = &run.plan->tasks[index];
    static const struct op unlock_first = {.kind = OP_UNLOCK};
    run.held[index] = 0;
    drive_sync_begin(index);
    for (unsigned place = 0; goes_on(index, place); place++) {
        drive_perform(index, &task->script[place]);
    }
    while (alive(run.held[index]) != 0) {
        unlock_nth(index, &unlock_first);
    }
    for (struct op last; drive_sync_ends(index, &last);) {
        drive_perform(index, &last);
    }
}

static void entry(void *argument)
{
    unsigned index = (unsigned)(uintptr_t)argument;
    const struct task_plan *task = &run.plan->tasks[index];
    if (task->release == TAKT_BACKGROUND) {
        for (unsigned round = 0; round < task->rounds; round++) {
            run_script(index);
        }
        return;
    }
    run_script(index);
    while (TAKT_JOBS && task->style == TAKT_STYLE_LOOP) {
        takt_job_wait();
        run_script(index);
    }
}

static void miss_hook(struct takt_task *task)
{
    unsigned index = task->config->index;
    drive_perform(HOOK + index, &run.plan->tasks[index].hook);
}

struct drive_objects drive_objects(void)
{
    return (struct drive_objects){.tasks = run.tasks,
                                  .deadline_timers = run.deadline_timers,
                                  .mutexes = run.mutexes,
                                  .semaphores = run.semaphores,
                                  .mailboxes = run.mailboxes};
}

static struct takt_task *trigger(uint8_t index)
{
    return index == NOBODY ? NULL : &run.tasks[index];
}

static void init(void)
{
    for (unsigned index = 0; index < MUTEXES; index++) {
        takt_mutex_init(&run.mutexes[index], (uint16_t)(MUTEX_ID + index));
        takt_ceiling_init(&run.ceilings[index], (uint16_t)(MUTEX_ID + index), run.plan->ceiling[index],
                          run.plan->ceiling_ns[index]);
    }
    for (unsigned index = 0; index < SEMAPHORES; index++) {
        takt_semaphore_init(&run.semaphores[index], (uint16_t)(SEMAPHORE_ID + index),
                            trigger(run.plan->semaphore_trigger[index]), run.plan->semaphore_initial[index],
                            run.plan->semaphore_maximum[index]);
    }
    for (unsigned index = 0; index < MAILBOXES; index++) {
        takt_mailbox_init(&run.mailboxes[index], (uint16_t)(MAILBOX_ID + index), run.storage[index],
                          index % 2 == 0 ? sizeof(uint64_t) : sizeof(uint32_t), MAILBOX_ROOM,
                          trigger(run.plan->mailbox_trigger[index]));
    }
    drive_sync_init(run.outcome);
    drive_alarms_init(run.plan);
    drive_messages_init(run.plan, run.tasks, run.outcome);
    drive_interrupts_init(run.plan, run.outcome);
}

static void start(void *argument)
{
    takt_start(argument);
}

static void configure(unsigned index)
{
    const struct task_plan *task = &run.plan->tasks[index];
    bool job = task->release != TAKT_BACKGROUND;
    bool watched = task->on_miss == TAKT_MISS_STOP || task->on_miss == TAKT_MISS_NOTIFY;
    run.arrivals[index] = (struct takt_arrivals){.releases_ns = run.releases_ns[index], .capacity = task->pending_max};
    run.configs[index] = (struct takt_task_config){.name = "task",
                                                   .entry = entry,
                                                   .argument = (void *)(uintptr_t)index,
                                                   .stack = run.stacks[index],
                                                   .period_ns = task->period_ns,
                                                   .deadline_ns = task->deadline_ns,
                                                   .offset_ns = task->offset_ns,
                                                   .statistics = &run.statistics[index],
                                                   .miss_hook = miss_hook,
                                                   .stack_size = STACK_BYTES,
                                                   .index = (uint16_t)index,
                                                   .release = task->release,
                                                   .style = task->style,
                                                   .on_miss = task->on_miss,
                                                   .level = task->level};
    run.configs[index].arrivals = task->release == TAKT_SPORADIC ? &run.arrivals[index] : NULL;
    run.configs[index].deadline_timer = job && watched ? &run.deadline_timers[index] : NULL;
}

void drive_run(const struct plan *plan, struct outcome *outcome)
{
    memset(&run, 0, sizeof run);
    run.plan = plan;
    run.outcome = outcome;
    outcome->figures.first_miss_deadline_ns = UINT64_MAX;
    for (unsigned index = 0; index < plan->task_count; index++) {
        configure(index);
    }
    for (unsigned level = 0; level < plan->level_count; level++) {
        run.level_bands[level] = plan->level_bands[level];
        run.quanta_ns[level] = plan->quanta_ns[level];
        if (plan->level_edf[level]) {
            takt_bitmap_set(run.system.edf_levels, TAKT_LEVEL_WORDS, level);
        }
    }
    run.system.configs = run.configs;
    run.system.tasks = run.tasks;
    run.system.level_bands = run.level_bands;
    run.system.level_quanta_ns = plan->quanta ? run.quanta_ns : NULL;
    run.system.init = init;
    run.system.timers = &timers;
    run.system.edf = &edf;
    run.system.idle_stack = run.stacks[TASKS_MAX];
    run.system.idle_stack_size = STACK_BYTES;
    run.system.trace_records = ring;
    run.system.trace_capacity = RING;
    run.system.task_count = plan->task_count;
    takt_host_reset();
    takt_host_enter(start, &run.system);
}
