/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/alarm.h"

#include "kernel/core/kernel.h"
#include "kernel/core/processes.h"

void takt_alarm_init(struct takt_alarm *alarm, uint16_t trace_id, void (*handler)(struct takt_alarm *alarm),
                     uint64_t period_ns)
{
    TAKT_ASSERT(handler != NULL);
    *alarm = (struct takt_alarm){
        .call = {.function = takti_alarm_due}, .handler = handler, .period_ns = period_ns, .id = trace_id};
}

static void alarm_expect(struct takt_alarm *alarm, uint64_t at_ns)
{
    alarm->started = true;
    takti_call_arm(&alarm->call, at_ns);
}

/* The expiry of an alarm started for `at_ns`: with TAKT_ALARM_DISTANCE the minimum time between expiries is kept, which
 * the proof assumes. */
static uint64_t alarm_allowed(const struct takt_alarm *alarm, uint64_t at_ns)
{
    if (TAKT_ALARM_DISTANCE && alarm->in_process->distance_ns != 0) {
        uint64_t now_ns = takti_clock_ns();
        uint64_t earliest_ns = alarm->in_process->earliest_ns > now_ns ? alarm->in_process->earliest_ns : now_ns;
        return at_ns > earliest_ns ? at_ns : earliest_ns;
    }
    return at_ns;
}

/* Removes the alarm from its queue. */
static void alarm_withdraw(struct takt_alarm *alarm)
{
    struct takt_alarm_queue *queue = alarm->queue;
    struct takt_alarm **link = &queue->first;
    while (*link != alarm) { /* at most every alarm of the queue */
        link = &(*link)->next;
    }
    *link = alarm->next;
    if (queue->end == &alarm->next) {
        queue->end = link;
    }
    queue->count--;
    alarm->queued = false;
}

/* Stops the alarm; returns whether it was started. */
static bool alarm_forget(struct takt_alarm *alarm)
{
    bool stopped = alarm->started || alarm->queued;
    takti_timer_cancel(&alarm->call.timer);
    alarm->started = false;
    if (alarm->queued) {
        alarm_withdraw(alarm);
    }
    return stopped;
}

enum takt_status takt_alarm_start(struct takt_alarm *alarm, uint64_t at_ns)
{
    enum takt_status status = TAKT_STATE;
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takti_allowed(lock) && at_ns != TAKT_FOREVER);
    if (!alarm->started) {
        takti_trace_call(TAKT_EVENT_ALARM, lock, alarm->id, TAKT_ALARM_STARTED);
        alarm_expect(alarm, alarm_allowed(alarm, at_ns));
        status = TAKT_OK;
    }
    takt_port_leave(lock);
    return status;
}

void takt_alarm_restart(struct takt_alarm *alarm, uint64_t at_ns)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takti_allowed(lock) && at_ns != TAKT_FOREVER);
    takti_trace_call(TAKT_EVENT_ALARM, lock, alarm->id, TAKT_ALARM_STARTED);
    (void)alarm_forget(alarm);
    alarm_expect(alarm, alarm_allowed(alarm, at_ns));
    takt_port_leave(lock);
}

enum takt_status takt_alarm_stop(struct takt_alarm *alarm)
{
    enum takt_status status = TAKT_STATE;
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takti_allowed(lock));
    if (alarm_forget(alarm)) {
        takti_trace_call(TAKT_EVENT_ALARM, lock, alarm->id, TAKT_ALARM_STOPPED);
        status = TAKT_OK;
    }
    takt_port_leave(lock);
    return status;
}

uint64_t takt_alarm_remaining_ns(const struct takt_alarm *alarm)
{
    uint64_t remaining_ns = TAKT_FOREVER;
    uint32_t lock = takt_port_lock();
    if (alarm->started) {
        uint64_t now_ns = takti_clock_ns();
        remaining_ns = alarm->call.timer.at_ns > now_ns ? alarm->call.timer.at_ns - now_ns : 0;
    }
    takt_port_unlock(lock);
    return remaining_ns;
}

uint32_t takt_alarm_missed(const struct takt_alarm *alarm)
{
    return alarm->missed; /* one word */
}

/* Arms the next expiry in the future. */
static void alarm_expect_next(struct takt_alarm *alarm, uint64_t now_ns)
{
    uint64_t next_ns = takt_add(alarm->call.timer.at_ns, alarm->period_ns);
    if (next_ns < now_ns) {
        alarm->missed += (uint32_t)takt_pass(&next_ns, now_ns - 1, alarm->period_ns);
    }
    if (next_ns != TAKT_FOREVER) {
        alarm_expect(alarm, next_ns);
    }
}

/* Whether the alarm has expired. Otherwise it was stopped or restarted before the lock closed. */
bool takti_alarm_came(struct takt_alarm *alarm)
{
    if (!alarm->started || takti_timer_armed(&alarm->call.timer)) {
        return false;
    }
    takti_trace(TAKT_EVENT_ALARM, NULL, alarm->id, TAKT_ALARM_CAME);
    alarm->started = false;
    if (TAKT_ALARM_DISTANCE) {
        alarm->in_process->earliest_ns = takt_add(alarm->call.timer.at_ns, alarm->in_process->distance_ns);
    }
    if (alarm->period_ns != 0) {
        alarm_expect_next(alarm, takti_clock_ns());
    }
    return true;
}

#if TAKT_PROCESS_ALARMS
void takti_alarm_end(struct takt_alarm *alarm)
{
    if (alarm_forget(alarm)) {
        takti_trace(TAKT_EVENT_ALARM, NULL, alarm->id, TAKT_ALARM_STOPPED);
    }
}
#endif

#if TAKT_PROCESSES
void takti_alarm_renew(struct takt_alarm *alarm)
{
    uint64_t now_ns = takti_clock_ns();
    uint64_t at_ns = alarm->in_process->declared_ns;
    uint64_t earliest_ns = alarm->in_process->earliest_ns > now_ns ? alarm->in_process->earliest_ns : now_ns;
    alarm->in_process->by = 0;
    if (alarm_forget(alarm)) {
        takti_trace(TAKT_EVENT_ALARM, NULL, alarm->id, TAKT_ALARM_STOPPED);
    }
    if (at_ns < now_ns && alarm->period_ns == 0) {
        at_ns = TAKT_FOREVER;         /* it has expired, or would have */
    } else if (at_ns < earliest_ns) { /* the next grid point that keeps the minimum time, over all restarts */
        if (alarm->period_ns == 0) {
            at_ns = earliest_ns;
        } else {
            (void)takt_pass(&at_ns, earliest_ns - 1, alarm->period_ns);
        }
    }
    if (at_ns != TAKT_FOREVER) {
        takti_trace(TAKT_EVENT_ALARM, NULL, alarm->id, TAKT_ALARM_STARTED);
        alarm_expect(alarm, at_ns);
    }
}
#endif

/* In the timer interrupt, unlocked, as the next one. */
void takti_alarm_due(struct takti_call *call)
{
    struct takt_alarm *alarm = (struct takt_alarm *)call;
    uint32_t lock = takt_port_enter();
    bool came = takti_alarm_came(alarm);
    takt_port_leave(lock);
    if (came) {
        alarm->handler(alarm);
    }
}
