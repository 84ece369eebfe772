/* SPDX-License-Identifier: Apache-2.0 */
/* The naive model: alarms. */
#include <string.h>

#include "kernel/test/model/naive/naive.h"
#include "takt/trace.h"

static struct {
    struct expected next[ALARMS];
    unsigned missed[ALARMS];
    unsigned position[ALARMS]; /* in the queue; 0: it does not wait there */
    unsigned last_position;
    unsigned posted;
} state;

void naive_alarms_reset(void)
{
    memset(&state, 0, sizeof state);
    for (unsigned index = 0; index < ALARMS; index++) {
        state.next[index].at_ns = TAKT_FOREVER;
    }
}

const struct expected *naive_alarm(unsigned alarm)
{
    return &state.next[alarm];
}

static void event(unsigned actor, unsigned alarm, enum takt_alarm_change change)
{
    naive_event(TAKT_EVENT_ALARM, naive_teller(actor), ALARM_ID + alarm, change);
}

void naive_alarm_due(unsigned alarm)
{
    uint64_t at_ns = state.next[alarm].at_ns;
    uint64_t period_ns = naive.plan->alarms[alarm].period_ns;
    event(HANDLER, alarm, TAKT_ALARM_CAME);
    state.next[alarm].at_ns = TAKT_FOREVER;
    if (period_ns != 0) {
        for (at_ns += period_ns; at_ns < naive.now_ns; at_ns += period_ns) {
            state.missed[alarm]++;
        }
        state.next[alarm] = naive_expect(at_ns);
    }
    bool waits = state.position[alarm] != 0;
    if (alarm >= ALARMS_DIRECT && waits) {
        state.missed[alarm]++;
    } else if (alarm >= ALARMS_DIRECT) {
        state.position[alarm] = ++state.last_position;
    }
    naive_timer_opens();
    if (alarm < ALARMS_DIRECT) {
        naive_call(ALARM + alarm, &naive.plan->alarms[alarm].op);
    } else if (!waits) {
        bool full = state.posted == ALARM_QUEUE_MAX;
        state.posted += !full;
        naive_event(TAKT_EVENT_POST, TAKT_TRACE_NONE, ALARM_QUEUE_ID, full ? TAKT_LIMIT : TAKT_OK);
        naive_timer_opens();
    }
}

static unsigned first_in_queue(void)
{
    unsigned first = ALARMS;
    for (unsigned alarm = 0; alarm < ALARMS; alarm++) {
        if (state.position[alarm] != 0 && (first == ALARMS || state.position[alarm] < state.position[first])) {
            first = alarm;
        }
    }
    return first;
}

static struct answer serve(unsigned actor, bool asks)
{
    struct answer answer = {.status = TAKT_BUSY};
    uint32_t order = 0;
    if (asks && state.posted == 0) {
        return answer;
    }
    if (asks) {
        state.posted--;
        naive_event(TAKT_EVENT_TAKE, naive_teller(actor), ALARM_QUEUE_ID, 0);
    }
    for (unsigned alarm; (alarm = first_in_queue()) != ALARMS;) {
        event(actor, alarm, TAKT_ALARM_SERVED);
        state.position[alarm] = 0;
        order = order * (ALARMS + 1) + 1 + alarm;
        answer.got += 1u << 16;
    }
    answer.status = TAKT_OK;
    answer.got += order;
    return answer;
}

struct answer naive_alarm_call(unsigned actor, const struct op *op)
{
    unsigned alarm = op->object;
    struct expected *next = &state.next[alarm];
    bool starts = op->kind == OP_ALARM_START || op->kind == OP_ALARM_RESTART;
    bool some = next->at_ns != TAKT_FOREVER || (op->kind != OP_ALARM_START && state.position[alarm] != 0);
    struct answer answer = {.status = TAKT_OK};
    if (op->kind == OP_ALARM_SERVE) {
        return serve(actor, op->detail == 0);
    }
    if (op->kind == OP_ALARM_MISSED) {
        answer.got = state.missed[alarm];
    } else if (op->kind == OP_ALARM_REMAINING) {
        uint64_t at_ns = next->at_ns;
        answer.got = (uint32_t)(at_ns == TAKT_FOREVER ? at_ns : at_ns < naive.now_ns ? 0 : at_ns - naive.now_ns);
    } else if ((op->kind == OP_ALARM_START && some) || (op->kind == OP_ALARM_STOP && !some)) {
        answer.status = TAKT_STATE;
    } else {
        event(actor, alarm, starts ? TAKT_ALARM_STARTED : TAKT_ALARM_STOPPED);
        next->at_ns = TAKT_FOREVER;
        state.position[alarm] = op->kind == OP_ALARM_START ? state.position[alarm] : 0;
        if (starts) {
            uint64_t passed_ns = naive.now_ns < op->ns ? 0 : naive.now_ns - op->ns;
            *next = naive_expect(op->detail == 0 ? op_until(op, naive.now_ns) : passed_ns);
        }
    }
    return answer;
}
