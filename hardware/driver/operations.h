/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_RTM_OPERATIONS_H
#define TAKT_RTM_OPERATIONS_H

/* The operations of kernel/engine/engine.h by the task manager: rtm.c. */
#include "kernel/core/key.h"

void takti_engine_init(void);
bool takti_ready_insert(struct takt_task *task, enum takti_position position);
void takti_ready_remove(struct takt_task *task);
struct takt_task *takti_ready_first(void);
bool takti_ready_add(struct takt_task *task);
void takti_ready_each(void (*visit)(struct takt_task *task, void *context), void *context);
struct takt_task *takti_ready_rotate(struct takt_task *task);
void takti_settle_quiet(struct takt_task *task);
void takti_timer_arm(struct takt_timer *timer, uint64_t at_ns);
void takti_timer_remove(struct takt_timer *timer);
uint64_t takti_timers_first_ns(void);
struct takt_timer *takti_timers_take(enum takti_take which);

/* The unit is not asked which task is alone. */
static inline bool takti_ready_alone(const struct takt_task *task)
{
    (void)task;
    return false;
}

static inline void takti_settle(struct takt_task *task)
{
    if (TAKTI_QUIET) {
        takti_settle_quiet(task);
    }
}

static inline void takti_timer_arm_inline(struct takt_timer *timer, uint64_t at_ns, uint32_t state)
{
    (void)state;
    takti_timer_arm(timer, at_ns);
}

#endif
