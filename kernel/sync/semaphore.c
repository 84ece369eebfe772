/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `room` is the number of units that a post can add on its fast path, which tests only this word. It is 0 while tasks
 * wait or a trigger is set, and stays 0 after the last waiter left, until the next post corrects it.
 */
#include "kernel/core/kernel.h"

void takt_semaphore_init(struct takt_semaphore *semaphore, uint16_t trace_id, struct takt_task *trigger,
                         uint16_t initial, uint16_t maximum)
{
    TAKT_ASSERT(initial <= maximum && maximum > 0 && (trigger == NULL || initial == 0));
    semaphore->waiters = NULL;
    semaphore->count = initial;
    semaphore->room = TAKTI_OPTIMIZE_SIZE || trigger != NULL ? 0 : (uint32_t)(maximum - initial);
    semaphore->trigger = trigger;
    semaphore->maximum = maximum;
    semaphore->id = trace_id;
    semaphore->hands = TAKTI_HANDS_UNIT;
    if (TAKT_PROCESSES) {
        semaphore->initial = initial;
    }
    if (TAKT_FIFO_WAITERS) {
        *semaphore->in_turn = false;
    }
}

static inline void take(struct takt_semaphore *semaphore, uint32_t count, uint32_t room)
{
    if (TAKTI_OPTIMIZE_SIZE) {
        semaphore->count = count - 1;
        return;
    }
    count--;
    room++;
    TAKTI_PAIR_STORES(count, room);
    semaphore->count = count;
    semaphore->room = room;
}

enum takt_status takt_semaphore_wait(struct takt_semaphore *semaphore)
{
    if (TAKTI_OPTIMIZE_SIZE || (TAKT_FIFO_WAITERS && *semaphore->in_turn)) {
        return takt_semaphore_wait_until(semaphore, TAKT_FOREVER);
    }
    uint32_t lock = takt_port_enter();
    uint32_t count = semaphore->count;
    uint32_t room = semaphore->room;
    TAKT_ASSERT(takt_port_caller(lock) == 0);
    TAKT_ASSERT(semaphore->trigger == NULL); /* no task can wait */
    if (TAKTI_UNLIKELY(count == 0)) {
        semaphore->room = 0;
        return takti_wait(&semaphore->waiters, TAKT_TRACE ? semaphore->id : 0);
    }
    take(semaphore, count, room);
    return takti_trace_leave(TAKT_EVENT_TAKE, lock, semaphore->id);
}

enum takt_status takt_semaphore_wait_until(struct takt_semaphore *semaphore, uint64_t until_ns)
{
    if (TAKT_FIFO_WAITERS && *semaphore->in_turn) {
        return takt_semaphore_wait_in_turn(semaphore, until_ns);
    }
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takt_port_caller(lock) == 0 && semaphore->trigger == NULL);
    if (semaphore->count == 0) {
        semaphore->room = 0;
        return takti_wait_until(&semaphore->waiters, TAKT_TRACE ? semaphore->id : 0, until_ns);
    }
    take(semaphore, semaphore->count, semaphore->room);
    takti_trace(TAKT_EVENT_TAKE, takti_kernel.ready.running, semaphore->id, 0);
    takt_port_leave(lock);
    return TAKT_OK;
}

enum takt_status takt_semaphore_wait_in_turn(struct takt_semaphore *semaphore, uint64_t until_ns)
{
    uint32_t lock = takt_port_enter();
    uint32_t count = semaphore->count;
    TAKT_ASSERT(takt_port_caller(lock) == 0 && semaphore->trigger == NULL);
    if (count == 0) {
        semaphore->room = 0;
        return takti_wait_as(TAKTI_BLOCKED_FIFO, &semaphore->waiters, TAKT_TRACE ? semaphore->id : 0, until_ns);
    }
    take(semaphore, count, semaphore->room);
    takti_trace(TAKT_EVENT_TAKE, takti_kernel.ready.running, semaphore->id, 0);
    takt_port_leave(lock);
    return TAKT_OK;
}

enum takt_status takt_semaphore_try_wait(struct takt_semaphore *semaphore)
{
    enum takt_status status = TAKT_BUSY;
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takti_allowed(lock));
    if (semaphore->count > 0) {
        take(semaphore, semaphore->count, semaphore->room);
        takti_trace_call(TAKT_EVENT_TAKE, lock, semaphore->id, 0);
        status = TAKT_OK;
    }
    takt_port_leave(lock);
    return status;
}

/* The slow path of a post without waiters. */
static TAKTI_NOINLINE_HOT enum takt_status post_no_waiter(struct takt_semaphore *semaphore, uint32_t lock)
{
    bool full = (!TAKT_JOBS || semaphore->trigger == NULL) && semaphore->count >= semaphore->maximum;
    enum takt_status status = full ? TAKT_LIMIT : TAKT_OK;
    takti_trace_call(TAKT_EVENT_POST, lock, semaphore->id, status);
    if (TAKT_JOBS && semaphore->trigger != NULL) {
        if (takti_job_arrive(semaphore->trigger)) {
            return takti_switch(lock);
        }
    } else if (!full) { /* the last waiter left */
        semaphore->count++;
        semaphore->room = TAKTI_OPTIMIZE_SIZE ? 0 : semaphore->maximum - semaphore->count;
    }
    takt_port_leave(lock);
    return status;
}

/* The records of a post that hands its unit over, of one time: the post, the take, and that the waiter is ready. False:
 * none was written. */
static inline bool trace_handed(const struct takt_semaphore *semaphore, const struct takt_task *waiter, uint32_t lock)
{
    uint32_t era;
    uint32_t ticks = takt_port_ticks(&era);
    struct takt_trace_record *record = takti_kernel.trace->next;
    bool plain = (waiter->timer.flags & (TAKTI_FLAG_SUSPENDED | TAKTI_FLAG_HINTED)) == 0;
    if (!plain || !takti_trace_has_room_for(3, record, era)) {
        return false;
    }
    const struct takt_task *caller = takti_caller(lock);
    unsigned id = semaphore->id;
    takti_kernel.trace->next = record + 3;
    takti_trace_fill(record, ticks, takti_trace_identity(caller) | TAKT_EVENT_POST, takti_trace_job(caller), id);
    takti_trace_fill_of(record + 1, ticks, TAKT_EVENT_TAKE, waiter, id);
    takti_trace_fill_of(record + 2, ticks, TAKT_EVENT_READY, waiter, id);
    return true;
}

/* Hands the unit over to the waiter, which has left the queue. */
static inline enum takt_status post_to(struct takt_semaphore *semaphore, struct takt_task *waiter, uint32_t lock)
{
    takti_trace_call(TAKT_EVENT_POST, lock, semaphore->id, TAKT_OK);
    takti_trace(TAKT_EVENT_TAKE, waiter, semaphore->id, 0);
    return takti_wake_last(waiter, lock);
}

static TAKTI_NOINLINE_HOT enum takt_status post_to_slow_path(struct takt_semaphore *semaphore, struct takt_task *waiter,
                                                             uint32_t lock)
{
    return post_to(semaphore, waiter, lock);
}

/* The same of a waiter that has a timeout and is in the trace as ready. */
static TAKTI_NOINLINE_HOT enum takt_status wake_timed(struct takt_task *waiter, uint32_t lock)
{
    takti_timer_remove(&waiter->timer);
    return takti_wake_plain(waiter, lock, true);
}

/* The slow path of a post. Not inlined, so that the fast path saves no registers. */
static TAKTI_NOINLINE_HOT enum takt_status post_slow_path(struct takt_semaphore *semaphore, uint32_t lock)
{
    if (TAKT_PROCESSES) {
        (void)takti_ending_leave(&semaphore->waiters);
    }
    struct takt_task *waiter = semaphore->waiters;
    if (TAKTI_UNLIKELY(waiter == NULL)) {
        return post_no_waiter(semaphore, lock);
    }
    semaphore->waiters = waiter->next;
    if (TAKT_TRACE && !TAKTI_OPTIMIZE_SIZE) {
        if (!trace_handed(semaphore, waiter, lock)) {
            return post_to_slow_path(semaphore, waiter, lock);
        }
        return takti_timer_armed(&waiter->timer) ? wake_timed(waiter, lock) : takti_wake_plain(waiter, lock, true);
    }
    return post_to(semaphore, waiter, lock);
}

enum takt_status takt_semaphore_post(struct takt_semaphore *semaphore)
{
    uint32_t lock = takt_port_enter();
    uint32_t count = semaphore->count;
    uint32_t room = semaphore->room;
    TAKT_ASSERT(takti_allowed(lock)); /* counting or not */
    if (TAKTI_OPTIMIZE_SIZE || TAKTI_UNLIKELY(room == 0)) {
        return post_slow_path(semaphore, lock);
    }
    count++;
    room--;
    TAKTI_PAIR_STORES(count, room);
    semaphore->count = count;
    semaphore->room = room;
    return takti_trace_leave(TAKT_EVENT_POST, lock, semaphore->id);
}

/* As a post: a unit beyond the maximum is lost. */
void takti_semaphore_give_back(struct takt_task **queue, struct takt_task *task)
{
    struct takt_semaphore *semaphore = (struct takt_semaphore *)queue;
    takti_trace(TAKT_EVENT_POST, task, semaphore->id, TAKT_OK);
    if (takti_ending_leave(&semaphore->waiters)) {
        takti_trace(TAKT_EVENT_TAKE, semaphore->waiters, semaphore->id, 0);
        (void)takti_hand_first(&semaphore->waiters);
    } else if (semaphore->count < semaphore->maximum) {
        semaphore->count++;
        semaphore->room = TAKTI_OPTIMIZE_SIZE ? 0 : semaphore->maximum - semaphore->count;
    }
}

void takt_semaphore_flush(struct takt_semaphore *semaphore)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takti_allowed(lock));
    takti_wake_all(&semaphore->waiters, TAKT_FLUSHED);
    (void)takti_reschedule(lock);
}

uint32_t takt_semaphore_count(const struct takt_semaphore *semaphore)
{
    return semaphore->count; /* one word */
}

void takt_semaphore_delete(struct takt_semaphore *semaphore)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takt_port_caller(lock) == 0);
    takti_object_deleted(semaphore);
    takti_delete(&semaphore->waiters, &semaphore->waiters, semaphore->id, lock);
}
