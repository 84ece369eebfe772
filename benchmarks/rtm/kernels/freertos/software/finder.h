/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RTM_FREERTOS_FINDER_H
#define RTM_FREERTOS_FINDER_H

#include "FreeRTOS.h"
#include "task.h"

/* FreeRTOS finds tasks itself: kernels/freertos.c asks nothing else of it. */

static inline void finder_begin(void)
{
}

/* Before a task of this priority is created. */
static inline void finder_add(UBaseType_t priority)
{
    (void)priority;
}

/* The running task, of this priority, goes on `period` ticks after `release`, which moves on; at once if it is late. */
static inline void finder_delay(UBaseType_t priority, TickType_t *release, TickType_t period)
{
    (void)priority;
    (void)xTaskDelayUntil(release, period);
}

#endif
