/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a system for a reader that looks for the difference. */
#include <inttypes.h>
#include <stdio.h>

#include "plan.h"
#include "takt/task.h"

static const char *const names[OP_KINDS] = {
    [OP_WORK] = "work",
    [OP_DELAY] = "delay",
    [OP_DELAY_UNTIL] = "delay_until",
    [OP_LOCK] = "lock",
    [OP_LOCK_UNTIL] = "lock_until",
    [OP_TRY_LOCK] = "try_lock",
    [OP_UNLOCK] = "unlock",
    [OP_WAIT] = "wait",
    [OP_WAIT_UNTIL] = "wait_until",
    [OP_TRY_WAIT] = "try_wait",
    [OP_POST] = "post",
    [OP_SEND] = "send",
    [OP_SEND_UNTIL] = "send_until",
    [OP_TRY_SEND] = "try_send",
    [OP_RECEIVE] = "receive",
    [OP_RECEIVE_UNTIL] = "receive_until",
    [OP_TRY_RECEIVE] = "try_receive",
    [OP_SUSPEND] = "suspend",
    [OP_RESUME] = "resume",
    [OP_CANCEL] = "cancel",
    [OP_STOP] = "stop",
    [OP_START] = "start",
    [OP_YIELD] = "yield",
    [OP_RELEASE] = "release",
    [OP_DELETE_MUTEX] = "delete_mutex",
    [OP_DELETE_SEMAPHORE] = "delete_semaphore",
    [OP_DELETE_MAILBOX] = "delete_mailbox",
    [OP_WAIT_IN_TURN] = "wait_in_turn",
    [OP_WAIT_IN_TURN_UNTIL] = "wait_in_turn_until",
    [OP_FLUSH] = "flush",
    [OP_COUNT] = "count",
    [OP_EVENTS_SET] = "events_set",
    [OP_EVENTS_CLEAR] = "events_clear",
    [OP_EVENTS_WAIT] = "events_wait",
    [OP_EVENTS_WAIT_UNTIL] = "events_wait_until",
    [OP_EVENTS_TRY_WAIT] = "events_try_wait",
    [OP_DELETE_EVENTS] = "delete_events",
    [OP_ALLOCATE] = "allocate",
    [OP_ALLOCATE_UNTIL] = "allocate_until",
    [OP_TRY_ALLOCATE] = "try_allocate",
    [OP_FREE] = "free",
    [OP_DELETE_POOL] = "delete_pool",
    [OP_CONDITION_WAIT] = "condition_wait",
    [OP_CONDITION_WAIT_UNTIL] = "condition_wait_until",
    [OP_SIGNAL] = "signal",
    [OP_BROADCAST] = "broadcast",
    [OP_DELETE_CONDITION] = "delete_condition",
    [OP_CALL] = "call",
    [OP_CALL_UNTIL] = "call_until",
    [OP_ACCEPT] = "accept",
    [OP_ACCEPT_UNTIL] = "accept_until",
    [OP_TRY_ACCEPT] = "try_accept",
    [OP_COMPLETE] = "complete",
    [OP_DELETE_RENDEZVOUS] = "delete_rendezvous",
    [OP_LETTER_SEND] = "letter_send",
    [OP_LETTER_SEND_UNTIL] = "letter_send_until",
    [OP_LETTER_TRY_SEND] = "letter_try_send",
    [OP_LETTER_RECEIVE] = "letter_receive",
    [OP_LETTER_RECEIVE_UNTIL] = "letter_receive_until",
    [OP_LETTER_TRY_RECEIVE] = "letter_try_receive",
    [OP_LETTER_BROADCAST] = "letter_broadcast",
    [OP_DELETE_LETTERS] = "delete_letters",
    [OP_SLOT_RESERVE] = "slot_reserve",
    [OP_SLOT_RESERVE_UNTIL] = "slot_reserve_until",
    [OP_SLOT_TRY_RESERVE] = "slot_try_reserve",
    [OP_SLOT_COMMIT] = "slot_commit",
    [OP_SLOT_POST] = "slot_post",
    [OP_SLOT_TAKE] = "slot_take",
    [OP_SLOT_TAKE_UNTIL] = "slot_take_until",
    [OP_SLOT_TRY_TAKE] = "slot_try_take",
    [OP_SLOT_RELEASE] = "slot_release",
    [OP_SLOT_FLUSH] = "slot_flush",
    [OP_SLOT_CLOSE] = "slot_close",
    [OP_SLOT_OPEN] = "slot_open",
    [OP_SLOT_DEALLOCATE] = "slot_deallocate",
    [OP_SIGNAL_SEND] = "signal_send",
    [OP_SIGNAL_RECEIVE] = "signal_receive",
    [OP_SIGNAL_RECEIVE_UNTIL] = "signal_receive_until",
    [OP_SIGNAL_TRY_RECEIVE] = "signal_try_receive",
    [OP_PIPE_WRITE] = "pipe_write",
    [OP_PIPE_WRITE_UNTIL] = "pipe_write_until",
    [OP_PIPE_TRY_WRITE] = "pipe_try_write",
    [OP_PIPE_READ] = "pipe_read",
    [OP_PIPE_READ_UNTIL] = "pipe_read_until",
    [OP_PIPE_TRY_READ] = "pipe_try_read",
    [OP_PIPE_DELETE] = "pipe_delete",
    [OP_BUDGET] = "budget",
    [OP_LOCK_ANY] = "lock_any",
    [OP_RELEASE_AT] = "release_at",
    [OP_HINT] = "hint",
    [OP_ALARM_START] = "alarm_start",
    [OP_ALARM_RESTART] = "alarm_restart",
    [OP_ALARM_STOP] = "alarm_stop",
    [OP_ALARM_REMAINING] = "alarm_remaining",
    [OP_ALARM_MISSED] = "alarm_missed",
    [OP_ALARM_SERVE] = "alarm_serve",
    [OP_WATCHDOG_START] = "watchdog_start",
    [OP_WATCHDOG_STOP] = "watchdog_stop",
    [OP_WATCHDOG_KICK] = "watchdog_kick",
    [OP_WATCHDOG_EXPIRED] = "watchdog_expired",
};

const char *op_name(unsigned kind)
{
    return kind < OP_KINDS ? names[kind] : "?";
}

static void print_script(const struct op *script, unsigned length)
{
    for (unsigned position = 0; position < length; position++) {
        printf(" %s(%u, %u, %" PRIu32 ")", op_name(script[position].kind), script[position].object,
               script[position].detail, script[position].ns);
    }
    printf("\n");
}

void plan_print(const struct plan *plan)
{
    static const char *const releases[] = {"background", "periodic", "sporadic"};
    static const char *const policies[] = {"continue", "skip", "stop", "notify"};
    printf("seed %" PRIu64 "%s, ends at %" PRIu64 " ns\nlevels:", plan->seed, plan->cooperative ? ", cooperative" : "",
           plan->end_ns);
    for (unsigned level = 0; level < plan->level_count; level++) {
        printf(" %u: band %u %s quantum %" PRIu64 ";", level, plan->level_bands[level],
               plan->level_edf[level] ? "edf" : "fixed", plan->quanta_ns[level]);
    }
    printf("\n");
    for (unsigned index = 0; index < plan->task_count; index++) {
        const struct task_plan *task = &plan->tasks[index];
        printf("task %u: level %u %s %s on_miss=%s period %" PRIu64 " deadline %" PRIu64 " offset %" PRIu64
               " pending %u rounds %u hook %s(%u) budget %" PRIu64 " hold %" PRIu64 " suspension %" PRIu64
               " wait %" PRIu64 " waits %u locks %u on_budget %u\n   ",
               index, task->level, releases[task->release], task->style == TAKT_STYLE_LOOP ? "loop" : "entry",
               policies[task->on_miss], task->period_ns, task->deadline_ns, task->offset_ns, task->pending_max,
               task->rounds, op_name(task->hook.kind), task->hook.object, task->budget_ns, task->hold_ns,
               task->suspension_ns, task->wait_ns, task->waits, task->locks, task->on_budget);
        print_script(task->script, task->length);
    }
    printf("in_turn: mutexes %#x semaphores %#x mailboxes %#x pools %#x letters %#x slots %#x\n", plan->fifo_mutexes,
           plan->fifo_semaphores, plan->fifo_mailboxes, plan->fifo_pools, plan->fifo_letters, plan->fifo_slots);
    for (unsigned index = 0; index < plan->server_count; index++) {
        const struct server_plan *server = &plan->servers[index];
        printf("server %u: kind %u budget %" PRIu64 " period %" PRIu64 " deadline %" PRIu64 ", serves", index + 1u,
               server->kind, server->budget_ns, server->period_ns, server->deadline_ns);
        for (unsigned task = 0; task < plan->task_count; task++) {
            printf(plan->tasks[task].server == index + 1u ? " %u" : "", task);
        }
        printf("\n");
    }
    for (unsigned index = 0; index < plan->source_count; index++) {
        const struct source_plan *source = &plan->sources[index];
        printf("interrupt %u: first %" PRIu64 " ops %u gaps", index, source->first_ns, source->ops);
        for (unsigned position = 0; position < GAPS; position++) {
            printf(" %" PRIu64, source->gaps_ns[position]);
        }
        printf("\n   ");
        print_script(source->script, source->length);
    }
    for (unsigned index = 0; index < ALARMS; index++) {
        printf("alarm %u: period %" PRIu64 ":", index, plan->alarms[index].period_ns);
        print_script(&plan->alarms[index].op, 1);
    }
    for (unsigned index = 0; index < WATCHDOGS; index++) {
        const struct watchdog_plan *watchdog = &plan->watchdogs[index];
        printf("watchdog %u: task %u time %" PRIu64 " action %u:", index, watchdog->task, watchdog->time_ns,
               watchdog->action);
        print_script(&watchdog->op, 1);
    }
    for (unsigned index = 0; index < SEMAPHORES; index++) {
        printf("semaphore %u: %u of %u trigger %u\n", index, plan->semaphore_initial[index],
               plan->semaphore_maximum[index], plan->semaphore_trigger[index]);
    }
    for (unsigned index = 0; index < MAILBOXES; index++) {
        printf("mailbox %u: trigger %u\n", index, plan->mailbox_trigger[index]);
    }
    for (unsigned index = 0; index < 2; index++) {
        printf("mailbox with priorities %u: trigger %u; events %u, pipe %u, rendezvous %u, slot %u\n", index,
               plan->letter_trigger[index], plan->events_trigger[index], plan->pipe_trigger[index],
               plan->rendezvous_trigger[index], plan->slot_triggers[index]);
    }
    for (unsigned index = 0; index < SLOTS; index++) {
        const uint8_t *levels = plan->slot_levels[index];
        printf("slot %u: owner %u lends %u %u %u\n", index, plan->slot_owner[index], levels[0], levels[1], levels[2]);
    }
}
