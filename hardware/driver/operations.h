/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_RTM_OPERATIONS_H
#define TAKT_RTM_OPERATIONS_H

/* The operations of kernel/engine/engine.h by the task manager: rtm.c; the shortest of them in line. */
#include "hardware/driver/rtm_limits.h"
#include "hardware/driver/rtm_registers.h"
#include "kernel/core/key.h"

/* The linker script's: the unit's window, as records. */
extern volatile struct {
    uint32_t words[RTM_RECORD_BYTES / sizeof(uint32_t)];
} takt_rtm[];

static inline volatile uint32_t *takti_rtm_word(unsigned record, unsigned offset)
{
    return &takt_rtm[record].words[offset / sizeof(uint32_t)];
}

/* Of the unit, in place of a record. */
static inline volatile uint32_t *takti_rtm_unit(unsigned offset)
{
    return takti_rtm_word(offset / RTM_RECORD_BYTES, offset % RTM_RECORD_BYTES);
}

/* Of a timer that is armed, or whose task is ready; others may have none. */
static inline unsigned takti_rtm_record(const struct takt_timer *timer)
{
    return (timer->record & TAKTI_RECORD) - 1u;
}

/* What a key begins with: the level is one below the task's own, for level 0 is that of expiries. */
static inline uint32_t takti_rtm_key(const struct takt_task *task)
{
    _Static_assert(sizeof *task->level == 4, "the address of a level is four times its number");
    uintptr_t before = (uintptr_t)takti_kernel.ready.levels - sizeof *task->level;
    return (uint32_t)((uintptr_t)task->level - before) << (LEVEL - 2);
}

void takti_engine_init(void);
void takti_ready_remove(struct takt_task *task);
bool takti_rtm_insert(struct takt_task *task, enum takti_position position);
struct takt_task *takti_rtm_first_of(struct takt_timer *timer);
bool takti_ready_add(struct takt_task *task);
void takti_ready_each(void (*visit)(struct takt_task *task, void *context), void *context);
struct takt_task *takti_ready_rotate(struct takt_task *task);
void takti_settle_quiet(struct takt_task *task);
void takti_timer_arm(struct takt_timer *timer, uint64_t at_ns);
void takti_timer_remove(struct takt_timer *timer);
uint64_t takti_timers_first_ns(void);
struct takt_timer *takti_timers_take(enum takti_take which);

/* The best task is RUNNING at once, so nothing is asked. If the time of another has come meanwhile, that is NEXT, and
 * the unit interrupts. In line, and without a call, so that its caller saves no registers. */
static inline bool takti_ready_insert(struct takt_task *task, enum takti_position position)
{
    if (position != TAKTI_BEST) {
        return takti_rtm_insert(task, position);
    }
    if (TAKTI_UNLIKELY(task->timer.record == 0)) {
        return false;
    }
    unsigned record = takti_rtm_record(&task->timer);
    *takti_rtm_word(record, RTM_RECORD_KEY) = takti_rtm_key(task);
    *takti_rtm_word(record, RTM_RECORD_STATUS) = RTM_STATUS_VALID;
    *takti_rtm_unit(RTM_RUNNING) = RTM_SOME | record;
    return true;
}

/* NEXT is mostly a task that is ready, and has no expiry. */
static inline struct takt_task *takti_ready_first(void)
{
    uint32_t name = *takti_rtm_unit(RTM_TAKE);
    if ((name & RTM_SOME) == 0) {
        return &takti_kernel.idle;
    }
    struct takt_timer *timer = takti_kernel.timers.of[name & RTM_INDEX];
    if (TAKTI_UNLIKELY(timer->armed != 0)) {
        return takti_rtm_first_of(timer);
    }
    return TAKTI_TIMER_OWNER(timer, struct takt_task, timer);
}

/* The unit is not asked which task is alone. */
static inline bool takti_ready_alone(const struct takt_task *task)
{
    (void)task;
    return false;
}

static inline void takti_timer_arm_inline(struct takt_timer *timer, uint64_t at_ns, uint32_t state)
{
    (void)state;
    takti_timer_arm(timer, at_ns);
}

#include "hardware/driver/quiet.h"

static inline struct takt_task *takti_settle(struct takt_task *task, enum takti_settle what)
{
    if (TAKTI_QUIET && what == TAKTI_ASKED) {
        takti_settle_quiet(task);
    } else if (TAKTI_QUIET && takti_job_end_quietly(task)) {
        struct takt_task *next = takti_ready_first_quietly();
        return next == NULL ? task : next;
    }
    return NULL;
}

#endif
