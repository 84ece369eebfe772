/* SPDX-License-Identifier: Apache-2.0 */
/* What is expected of the clock: one heap of absolute instants, one one-shot armed for the first. No tick. */
#include "kernel/src/kernel.h"

void takti_timer_init(struct takti_timer *timer, enum takti_timer_kind kind, uint16_t order)
{
    timer->kind = (uint8_t)kind;
    timer->armed = false;
    /* Kinds first, then declaration order: 13 bits of it. */
    timer->node.order = (uint16_t)(((unsigned)kind << 13) | (order & 0x1FFFu));
}

static void program(void)
{
    if (!takti_kernel.in_timer_service && takti_kernel.started) { /* the service programs it when it ends */
        takt_port_timer_set(takti_kernel.timers == NULL ? TAKT_FOREVER : takti_kernel.timers->key);
    }
}

void takti_timer_arm(struct takti_timer *timer, uint64_t at_ns)
{
    TAKT_ASSERT(!timer->armed);
    timer->node.key = at_ns;
    timer->armed = true;
    takt_heap_insert(&takti_kernel.timers, &timer->node);
    if (takti_kernel.timers == &timer->node) {
        program();
    }
}

void takti_timer_cancel(struct takti_timer *timer)
{
    if (timer->armed) {
        bool first = takti_kernel.timers == &timer->node;
        timer->armed = false;
        takt_heap_remove(&takti_kernel.timers, &timer->node);
        if (first) {
            program();
        }
    }
}

void takti_call_at(uint64_t at_ns, void (*call)(void))
{
    uint32_t state = takt_port_lock();
    takti_kernel.call_function = call;
    takti_timer_cancel(&takti_kernel.call);
    takti_timer_arm(&takti_kernel.call, at_ns);
    takt_port_unlock(state);
}

/* Serves one timer that is due. Locked. */
static void serve(struct takti_timer *timer)
{
    uint64_t at_ns = timer->node.key;
    switch ((enum takti_timer_kind)timer->kind) {
    case TAKTI_TIMER_DEADLINE:
        takti_job_deadline_due(TAKT_CONTAINER(timer, struct takt_task, deadline_timer));
        break;
    case TAKTI_TIMER_TIMEOUT:
        takti_wait_cancel(TAKT_CONTAINER(timer, struct takt_task, timeout), TAKT_TIMEOUT);
        break;
    case TAKTI_TIMER_RELEASE:
        takti_job_release_due(TAKT_CONTAINER(timer, struct takt_task, release_timer), at_ns);
        break;
    case TAKTI_TIMER_SLICE:
        takti_slice_due();
        break;
    case TAKTI_TIMER_CALL:
        takti_kernel.call_function();
        break;
    }
}

bool takti_timer_serve_first(uint64_t now_ns)
{
    struct takt_heap_node *first = takti_kernel.timers;
    if (first == NULL || first->key > now_ns) {
        return false;
    }
    struct takti_timer *timer = TAKT_CONTAINER(first, struct takti_timer, node);
    timer->armed = false;
    takt_heap_remove(&takti_kernel.timers, first);
    serve(timer);
    return true;
}

/*
 * Serves everything due by now; the lock opens between two. Bounded: what is armed here for an instant that has come
 * meanwhile waits for the next interrupt, which is immediate.
 */
void takti_timer_interrupt(void)
{
    uint32_t state = takt_port_lock();
    uint64_t now_ns = takti_interrupt_enter(TAKT_TRACE_TIMER);
    takti_kernel.in_timer_service = true;
    while (takti_timer_serve_first(now_ns)) {
        takt_port_unlock(state);
        state = takt_port_lock();
    }
    takti_kernel.in_timer_service = false;
    program();
    takti_reschedule();
    takti_interrupt_exit(TAKT_TRACE_TIMER);
    takt_port_unlock(state);
}

uint64_t takt_now(void)
{
    uint32_t state = takt_port_lock();
    uint64_t now_ns = takti_clock_ns();
    takt_port_unlock(state);
    return now_ns;
}

void takt_work(uint64_t duration_ns)
{
    takt_port_work(duration_ns);
}
