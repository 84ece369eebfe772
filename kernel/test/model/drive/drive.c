/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a plan on the kernel over the host port and logs what happens. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bitmap.h"
#include "consistent.h"
#include "drive.h"
#include "kernel/port.h"
#include "ports/host/host.h"
#include "takt/takt.h"

enum { STACK_BYTES = 64, RING = 1 << 16, CLOSELY = 50000, NOW_AND_THEN = 1024 };
enum {
    WAITED = EVENTS + CONDITIONS + RENDEZVOUS + LETTER_BOXES + PIPES,
    GIVEN = 2 * MUTEXES + TASKS_MAX + SEMAPHORES + 1 + MAILBOXES + ALARMS + WATCHDOGS + WAITED
};

static struct {
    const struct plan *plan;
    struct outcome *outcome;
    struct takt_task_config configs[TASKS_MAX];
    struct takt_task tasks[TASKS_MAX];
    uint64_t stacks[TASKS_MAX + 1][STACK_BYTES / 8];
    uint64_t releases_ns[TASKS_MAX][PENDING_MAX];
    struct takt_arrivals arrivals[TASKS_MAX];
    struct takt_deadline_timer deadline_timers[TASKS_MAX];
    struct takt_budget budgets[TASKS_MAX];
    struct takt_server servers[SERVERS];
    struct takt_task *served[SERVERS][TASKS_MAX];
    struct takt_task_statistics statistics[TASKS_MAX];
    uint8_t level_bands[TAKT_LEVELS];
    uint64_t quanta_ns[TAKT_LEVELS];
    struct takt_system system;
    struct takt_semaphore semaphores[SEMAPHORES];
    struct takt_mailbox mailboxes[MAILBOXES];
    uint64_t storage[MAILBOXES][MAILBOX_ROOM];
    bool in_hook;
    struct takt_known objects[GIVEN];
    struct takt_known_objects given;
    /* The scripts' own view. */
    bool dead_semaphore[SEMAPHORES];
    bool dead_mailbox[MAILBOXES];
} run;

static unsigned long performed; /* operations, of all systems */
static struct takt_trace_record ring[RING];
TAKT_TIMERS_DEFINE(timers, 2 * TASKS_MAX + ALARMS + WATCHDOGS + SERVERS + 2);
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
    } else if (op->kind == OP_CANCEL) {
        status = takt_task_cancel(task);
    } else if (op->kind == OP_STOP) {
        takt_task_stop(task);
    } else if (op->kind == OP_START) {
        status = takt_task_start(task, &run.configs[op->object]);
    } else if (TAKT_JOBS && op->kind == OP_RELEASE_AT) {
        takt_job_release_at(task, op_until(op, takt_now()));
    } else if (TAKT_JOBS) {
        takt_job_release(task);
    }
    drive_result(actor, op, status, 0);
}

static void deletion(unsigned actor, const struct op *op)
{
    bool *dead = op->kind == OP_DELETE_SEMAPHORE ? &run.dead_semaphore[op->object] : &run.dead_mailbox[op->object];
    if (*dead) {
        return;
    }
    *dead = true;
    if (op->kind == OP_DELETE_SEMAPHORE) {
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

static void budget_op(unsigned actor, const struct op *op)
{
#if TAKT_BUDGETS
    struct takt_task *task = &run.tasks[op->object];
    drive_result(actor, op, TAKT_OK, (uint32_t)takt_task_budget_ns(task) + takt_task_exhausted(task));
#else
    (void)actor;
    (void)op;
#endif
}

static void perform(unsigned actor, const struct op *op)
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
    case OP_LOCK_ANY:
    case OP_UNLOCK:
    case OP_DELETE_MUTEX:
    case OP_HINT:
        drive_mutex(actor, op);
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
    case OP_CANCEL:
    case OP_STOP:
    case OP_START:
    case OP_RELEASE:
    case OP_RELEASE_AT:
        task_op(actor, op);
        break;
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
    case OP_BUDGET:
        budget_op(actor, op);
        break;
    default:
        if (op->kind >= OP_ALARM_START) {
            struct answer answer = op->kind < OP_WATCHDOG_START ? drive_alarm(op) : drive_watchdog(actor, op);
            if (!answer.skipped) {
                drive_result(actor, op, answer.status, answer.got);
            }
        } else if (op->kind >= OP_LETTER_SEND) {
            drive_message(actor, op);
        } else {
            sync_op(actor, op);
        }
        break;
    }
}

void drive_perform(unsigned actor, const struct op *op)
{
    run.in_hook = actor >= HOOK;
    perform(actor, op);
    run.in_hook = false;
    performed++; /* where there are very many not each is looked at; exhaustive/ looks at more points */
    if (run.plan->extend == NULL && (performed < CLOSELY || performed % NOW_AND_THEN == 0)) {
        check_consistent(&run.given);
    }
}

bool drive_in_hook(void)
{
    return run.in_hook;
}

static bool goes_on(unsigned index, unsigned position)
{
    return run.plan->extend != NULL ? run.plan->extend(index, position) : position < run.plan->tasks[index].length;
}

static void run_script(unsigned index)
{
    const struct task_plan *task = &run.plan->tasks[index];
    static const struct op unlock_first = {.kind = OP_UNLOCK};
    drive_mutex_begin(index);
    drive_sync_begin(index);
    for (unsigned position = 0; goes_on(index, position); position++) {
        drive_perform(index, &task->script[position]);
    }
    while (drive_last_held(index) != NULL) {
        drive_mutex(index, &unlock_first);
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
    return (struct drive_objects){.tasks = run.tasks, .mutexes = drive_mutexes()};
}

void drive_give(const void *object, enum takt_known_kind kind)
{
    CHECK(run.given.count < GIVEN);
    run.objects[run.given.count++] = (struct takt_known){object, (uint8_t)kind};
    run.given.all |= (uint16_t)(1u << kind);
}

const struct takt_known_objects *drive_given(void)
{
    return &run.given;
}

static void configure_budget(unsigned index)
{
#if TAKT_BUDGETS
    const struct task_plan *task = &run.plan->tasks[index];
    run.budgets[index] = (struct takt_budget){.full_ns = task->budget_ns,
                                              .hold_ns = task->hold_ns,
                                              .suspension_ns = task->suspension_ns,
                                              .wait_ns = (uint32_t)task->wait_ns,
                                              .yield_ns = (uint32_t)task->wait_ns,
                                              .waits = task->waits,
                                              .locks = task->locks,
                                              .hook = miss_hook,
                                              .policy = task->on_budget,
                                              .level = (uint8_t)(run.plan->level_count - 1u)};
    run.configs[index].budget = task->budget_ns != 0 ? &run.budgets[index] : NULL;
    if (TAKT_SERVERS && task->server != 0) {
        struct takt_server *server = &run.servers[task->server - 1u];
        *run.budgets[index].server = server;
        run.served[task->server - 1u][server->task_count++] = &run.tasks[index];
    }
#else
    (void)index;
#endif
}

static void configure_servers(void)
{
#if TAKT_SERVERS
    for (unsigned number = 0; number < run.plan->server_count; number++) {
        const struct server_plan *server = &run.plan->servers[number];
        run.servers[number] = (struct takt_server){.budget_ns = server->budget_ns,
                                                   .period_ns = server->period_ns,
                                                   .deadline_ns = server->deadline_ns,
                                                   .tasks = run.served[number],
                                                   .kind = server->kind};
    }
    *run.system.servers = run.servers;
    *run.system.server_count = run.plan->server_count;
#endif
}

static struct takt_task *trigger(uint8_t index)
{
    return index == NOBODY ? NULL : &run.tasks[index];
}

static void init(void)
{
    run.given.first = run.objects;
    run.given.all = 1u << TAKT_KNOWN_TASK | 1u << TAKT_KNOWN_TIMER_CALL; /* there are none but those of the table */
    drive_mutexes_init(run.plan);
    for (unsigned index = 0; index < SEMAPHORES; index++) {
        takt_semaphore_init(&run.semaphores[index], (uint16_t)(SEMAPHORE_ID + index),
                            trigger(run.plan->semaphore_trigger[index]), run.plan->semaphore_initial[index],
                            run.plan->semaphore_maximum[index]);
        drive_fifo(run.semaphores[index].in_turn, run.plan->fifo_semaphores, index);
        drive_give(&run.semaphores[index], TAKT_KNOWN_SEMAPHORE);
    }
    for (unsigned index = 0; index < MAILBOXES; index++) {
        takt_mailbox_init(&run.mailboxes[index], (uint16_t)(MAILBOX_ID + index), run.storage[index],
                          index % 2 == 0 ? sizeof(uint64_t) : sizeof(uint32_t), MAILBOX_ROOM,
                          trigger(run.plan->mailbox_trigger[index]));
        drive_fifo(run.mailboxes[index].in_turn, run.plan->fifo_mailboxes, index);
        drive_give(&run.mailboxes[index], TAKT_KNOWN_MAILBOX);
    }
    drive_sync_init(run.plan, run.tasks, run.outcome);
    drive_alarms_init(run.plan);
    drive_watchdogs_init(run.plan, run.tasks);
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
    configure_budget(index);
    run.configs[index].deadline_timer = job && watched ? &run.deadline_timers[index] : NULL;
}

void drive_run(const struct plan *plan, struct outcome *outcome)
{
    memset(&run, 0, sizeof run);
    run.plan = plan;
    run.outcome = outcome;
    outcome->figures.first_miss_deadline_ns = UINT64_MAX;
    configure_servers();
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
