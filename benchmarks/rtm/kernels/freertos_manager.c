/* SPDX-License-Identifier: Apache-2.0 */
/* What FreeRTOS on the task manager does at a tick. */
#include "FreeRTOS.h"
#include "manager.h"
#include "task.h"

#define MIP_MANAGER (UINT32_C(1) << 16) /* it has a better task than the one that was taken last */

void vApplicationTickHook(void);

/* Once in each tick, also while the scheduler is suspended. */
void vApplicationTickHook(void)
{
    MANAGER(RTM_TICK) = 1;
    (void)MANAGER(RTM_NEXT); /* answers when it is settled */
    uint32_t pending;
    __asm volatile("csrr %0, mip" : "=r"(pending));
    if ((pending & MIP_MANAGER) != 0) {
        vTaskMissedYield();
    }
}
