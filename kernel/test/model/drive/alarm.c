/* SPDX-License-Identifier: Apache-2.0 */
/* The operations on alarms, on the kernel. */
#include <string.h>

#include "drive.h"
#include "takt/takt.h"

static struct {
    const struct plan *plan;
    struct takt_alarm alarms[ALARMS];
    struct takt_alarm_queue queue;
    struct takt_semaphore semaphore;
    uint32_t served;
} run;

static void came(struct takt_alarm *alarm)
{
    unsigned index = (unsigned)(alarm - run.alarms);
    drive_perform(ALARM + index, &run.plan->alarms[index].op);
}

static void serve(struct takt_alarm *alarm)
{
    run.served = run.served * (ALARMS + 1) + 1 + (uint32_t)(alarm - run.alarms);
}

void drive_alarms_init(const struct plan *plan)
{
    memset(&run, 0, sizeof run);
    run.plan = plan;
    takt_semaphore_init(&run.semaphore, ALARM_QUEUE_ID, NULL, 0, ALARM_QUEUE_MAX);
    takt_alarm_queue_init(&run.queue, &run.semaphore);
    drive_give(&run.semaphore, TAKT_KNOWN_SEMAPHORE);
    for (unsigned index = 0; index < ALARMS; index++) {
        bool queued = index >= ALARMS_DIRECT;
        takt_alarm_init(&run.alarms[index], (uint16_t)(ALARM_ID + index), queued ? serve : came,
                        plan->alarms[index].period_ns);
        if (queued) {
            takt_alarm_attach(&run.alarms[index], &run.queue);
        }
        drive_give(&run.alarms[index], TAKT_KNOWN_ALARM);
    }
}

struct answer drive_alarm(const struct op *op)
{
    struct takt_alarm *alarm = &run.alarms[op->object];
    struct answer answer = {.status = TAKT_OK};
    uint64_t now_ns = takt_now();
    uint64_t at_ns = op->detail == 0 ? op_until(op, now_ns) : now_ns < op->ns ? 0 : now_ns - op->ns;
    switch (op->kind) {
    case OP_ALARM_START:
        answer.status = takt_alarm_start(alarm, at_ns);
        break;
    case OP_ALARM_RESTART:
        takt_alarm_restart(alarm, at_ns);
        break;
    case OP_ALARM_STOP:
        answer.status = takt_alarm_stop(alarm);
        break;
    case OP_ALARM_REMAINING:
        answer.got = (uint32_t)takt_alarm_remaining_ns(alarm);
        break;
    case OP_ALARM_MISSED:
        answer.got = takt_alarm_missed(alarm);
        break;
    default:
        answer.status = op->detail != 0 ? TAKT_OK : takt_semaphore_try_wait(&run.semaphore);
        if (answer.status == TAKT_OK) {
            run.served = 0;
            answer.got = takt_alarm_serve(&run.queue) << 16;
            answer.got += answer.got != 0 ? run.served : 0; /* else another serves just now */
        }
        break;
    }
    return answer;
}
