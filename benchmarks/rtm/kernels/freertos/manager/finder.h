/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RTM_FREERTOS_FINDER_H
#define RTM_FREERTOS_FINDER_H

#include "FreeRTOS.h"
#include "manager.h"
#include "task.h"

/*
 * The task manager, in classic mode, counts delays and selects. A task that is delayed stays in FreeRTOS's list of
 * ready tasks, which serves only to find the task of a priority (portmacro.h). The tick: kernels/freertos_manager.c.
 */

/* Before a task of this priority is created. */
static inline void finder_add(UBaseType_t priority)
{
    MANAGER_RECORD(priority, RTM_RECORD_KEY) = MANAGER_LEVEL(configMAX_PRIORITIES - 1u - priority);
}

/* Idle's, which the scheduler creates. */
static inline void finder_begin(void)
{
    finder_add(tskIDLE_PRIORITY);
}

/* The running task, of this priority, goes on `period` ticks after `release`, which moves on; at once if it is late. */
static inline void finder_delay(UBaseType_t priority, TickType_t *release, TickType_t period)
{
    *release += period;
    taskENTER_CRITICAL();
    TickType_t left = *release - xTaskGetTickCount();
    if ((int32_t)left > 0) {
        MANAGER_RECORD(priority, RTM_RECORD_SLEEP) = left;
        portYIELD(); /* with interrupts masked, as it was when the task goes on */
    }
    taskEXIT_CRITICAL();
}

#endif
