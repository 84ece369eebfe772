/* SPDX-License-Identifier: Apache-2.0 */
/* A waiter's `wait_buffer` is the takt_events_wanted of the wait; the waking call writes the result to it. */
#include "kernel/core/kernel.h"
#include "kernel/core/processes.h"

enum { EVENTS_KIND = TAKT_EVENTS_ALL | TAKT_EVENTS_ONE };

void takt_events_init(struct takt_events *events, uint16_t trace_id)
{
    *events = (struct takt_events){.id = trace_id, .hands = TAKTI_HANDS_FLAGS};
}

/* The flags that a task gets; 0: it continues to wait. */
static inline uint32_t satisfying(uint32_t flags, uint32_t wanted, uint32_t mode)
{
    uint32_t got = flags & wanted;
    if (TAKTI_UNLIKELY((mode & EVENTS_KIND) != 0)) {
        if ((mode & TAKT_EVENTS_ONE) != 0) {
            return got & (~got + 1u);
        }
        return got == wanted ? got : 0;
    }
    return got;
}

/* The flags that remain after a task got some. */
static inline uint32_t left_over(uint32_t flags, uint32_t got, uint32_t mode)
{
    return (mode & TAKT_EVENTS_CLEAR) != 0 ? flags & ~got : flags;
}

/* Records the flags cleared for a waiter in the kernel: in a process, `wanted` is memory that the process can write. */
static inline void note_cleared(struct takt_task *task, uint32_t got, uint32_t mode)
{
    if (TAKT_PROCESSES) {
        task->in_process->kept[0] = left_over(got, got, mode) ^ got;
    }
}

/* A set with several waiters. */
static TAKTI_NOINLINE_HOT void set_for_many(struct takt_events *events, uint32_t set)
{
    struct takt_task **link = &events->waiters;
    uint32_t flags = events->flags | set;
    uint32_t left = flags;
    while (*link != NULL) { /* at most the declared users */
        struct takt_task *task = *link;
        struct takt_events_wanted *wanted = task->wait_buffer;
        uint32_t got = satisfying(flags, wanted->flags, wanted->mode);
        if (got == 0) {
            link = &task->next;
            continue;
        }
        *link = task->next;
        left &= left_over(flags, got, wanted->mode);
        wanted->flags = got;
        note_cleared(task, got, wanted->mode);
        takti_trace(TAKT_EVENT_TAKE, task, events->id, 0);
        (void)takti_hand(task);
    }
    events->flags = left;
}

/* A set with waiters, usually one. Not inlined, so that a set without waiters saves no registers. */
static TAKTI_NOINLINE_HOT void set_for_waiters(struct takt_events *events, uint32_t flags, struct takt_task *waiter,
                                               uint32_t lock)
{
    struct takt_events_wanted *wanted = waiter->wait_buffer;
    if (TAKTI_UNLIKELY(waiter->next != NULL)) {
        set_for_many(events, flags);
        (void)takti_reschedule(lock);
        return;
    }
    flags |= events->flags;
    uint32_t mode = wanted->mode;
    uint32_t got = satisfying(flags, wanted->flags, mode);
    events->flags = left_over(flags, got, mode);
    if (got == 0) {
        takt_port_leave(lock);
        return;
    }
    wanted->flags = got;
    note_cleared(waiter, got, mode);
    events->waiters = NULL;
    takti_trace(TAKT_EVENT_TAKE, waiter, events->id, 0);
    (void)takti_wake_last(waiter, lock);
}

/* Sets the flags that were cleared for it, as takt_events_set. */
void takti_events_give_back(struct takt_task **queue, struct takt_task *task)
{
    struct takt_events *events = (struct takt_events *)queue;
    const struct takt_events_wanted *wanted = task->wait_buffer;
    uint32_t flags = 0;
    if (TAKT_PROCESSES) {
        flags = (uint32_t)task->in_process->kept[0];
    } else if ((wanted->mode & TAKT_EVENTS_CLEAR) != 0) {
        flags = wanted->flags;
    }
    if (flags != 0) {
        takti_trace(TAKT_EVENT_POST, task, events->id, 0);
        set_for_many(events, flags);
    }
}

/* Whether flags satisfy the trigger. */
static bool satisfies_trigger(const struct takt_events *events, uint32_t flags)
{
    return satisfying(flags, events->trigger_flags, events->trigger_mode) != 0;
}

unsigned takti_events_due(const struct takt_events *events)
{
    return satisfies_trigger(events, events->flags) ? 1 : 0;
}

/* The end of a set with a trigger; `before`: the flags before it. */
static TAKTI_NOINLINE_HOT void set_for_trigger(const struct takt_events *events, uint32_t before, uint32_t lock)
{
    bool released = !satisfies_trigger(events, before) && satisfies_trigger(events, events->flags);
    (void)takti_trigger_last(released ? events->trigger : NULL, lock);
}

void takt_events_set(struct takt_events *events, uint32_t flags)
{
    uint32_t lock = takt_port_enter();
    struct takt_task *waiter = events->waiters;
    TAKT_ASSERT(takti_allowed(lock));
    takti_trace_call(TAKT_EVENT_POST, lock, events->id, 0);
    if (waiter != NULL && !TAKTI_OPTIMIZE_SIZE) {
        set_for_waiters(events, flags, waiter, lock);
        return;
    }
    uint32_t before = events->flags;
    if (TAKTI_OPTIMIZE_SIZE) {
        set_for_many(events, flags);
    } else {
        events->flags = before | flags;
    }
    if (TAKT_JOBS && (TAKTI_OPTIMIZE_SIZE || TAKTI_UNLIKELY(events->trigger != NULL))) {
        set_for_trigger(events, before, lock);
    } else if (TAKTI_OPTIMIZE_SIZE) {
        (void)takti_reschedule(lock);
    } else {
        takt_port_leave(lock);
    }
}

void takt_events_clear(struct takt_events *events, uint32_t flags)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takti_allowed(lock));
    events->flags &= ~flags;
    takti_trace_call(TAKT_EVENT_TAKE, lock, events->id, 0);
    takt_port_leave(lock);
}

uint32_t takt_events_get(const struct takt_events *events)
{
    return events->flags; /* one word */
}

/* Whether the flags satisfy the caller at once. */
static inline bool get_wanted(struct takt_events *events, struct takt_events_wanted *wanted, uint32_t lock)
{
    uint32_t flags = events->flags;
    uint32_t mode = wanted->mode;
    uint32_t got = satisfying(flags, wanted->flags, mode);
    TAKT_ASSERT(wanted->flags != 0 && (mode & EVENTS_KIND) != EVENTS_KIND);
    if (got == 0) {
        return false;
    }
    wanted->flags = got;
    events->flags = left_over(flags, got, mode);
    takti_trace_call(TAKT_EVENT_TAKE, lock, events->id, 0);
    takt_port_leave(lock);
    return true;
}

enum takt_status takt_events_wait(struct takt_events *events, struct takt_events_wanted *wanted)
{
    if (TAKTI_OPTIMIZE_SIZE) {
        return takt_events_wait_until(events, wanted, TAKT_FOREVER);
    }
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takt_port_caller(lock) == 0 && events->trigger == NULL);
    if (get_wanted(events, wanted, lock)) {
        return TAKT_OK;
    }
    takti_kernel.ready.running->wait_buffer = wanted;
    return takti_wait(&events->waiters, TAKT_TRACE ? events->id : 0);
}

enum takt_status takt_events_wait_until(struct takt_events *events, struct takt_events_wanted *wanted,
                                        uint64_t until_ns)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takt_port_caller(lock) == 0 && events->trigger == NULL);
    if (get_wanted(events, wanted, lock)) {
        return TAKT_OK;
    }
    takti_kernel.ready.running->wait_buffer = wanted;
    return takti_wait_until(&events->waiters, TAKT_TRACE ? events->id : 0, until_ns);
}

enum takt_status takt_events_try_wait(struct takt_events *events, struct takt_events_wanted *wanted)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takti_allowed(lock));
    if (get_wanted(events, wanted, lock)) {
        return TAKT_OK;
    }
    takt_port_leave(lock);
    return TAKT_BUSY;
}

void takt_events_delete(struct takt_events *events)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takt_port_caller(lock) == 0);
    takti_object_deleted(events);
    takti_delete(&events->waiters, &events->waiters, events->id, lock);
}
