/* SPDX-License-Identifier: Apache-2.0 */
/* The operations on watchdogs, on the kernel. */
#include "drive.h"
#include "takt/takt.h"

static struct {
    const struct plan *plan;
    struct takt_watchdog watchdogs[WATCHDOGS];
} run;

static void hook(struct takt_watchdog *watchdog)
{
    unsigned index = (unsigned)(watchdog - run.watchdogs);
    drive_perform(WATCHDOG + index, &run.plan->watchdogs[index].op);
}

void drive_watchdogs_init(const struct plan *plan, struct takt_task *tasks)
{
    run.plan = plan;
    for (unsigned index = 0; index < WATCHDOGS; index++) {
        const struct watchdog_plan *watchdog = &plan->watchdogs[index];
        bool notify = watchdog->action == TAKT_WATCHDOG_NOTIFY;
        takt_watchdog_init(&run.watchdogs[index], (uint16_t)(WATCHDOG_ID + index), &tasks[watchdog->task],
                           watchdog->time_ns, watchdog->action, notify ? hook : NULL);
        drive_give(&run.watchdogs[index], TAKT_KNOWN_WATCHDOG);
    }
}

struct answer drive_watchdog(unsigned actor, const struct op *op)
{
    struct takt_watchdog *watchdog = &run.watchdogs[op->object];
    struct answer answer = {.status = TAKT_OK};
    if (op->kind == OP_WATCHDOG_START) {
        answer.status = takt_watchdog_start(watchdog);
    } else if (op->kind == OP_WATCHDOG_STOP) {
        answer.status = takt_watchdog_stop(watchdog);
    } else if (op->kind == OP_WATCHDOG_EXPIRED) {
        answer.got = takt_watchdog_expired(watchdog);
    } else if (actor == run.plan->watchdogs[op->object].task) {
        takt_watchdog_kick(watchdog);
    } else {
        answer.skipped = true;
    }
    return answer;
}
