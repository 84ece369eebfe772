/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The port's, but tasks are selected by the task manager: a record for each priority, each of which one task has. The
 * port's own selection by a word of bits has only 32.
 */
#ifndef RTM_FREERTOS_PORTMACRO_H
#define RTM_FREERTOS_PORTMACRO_H

#include_next "portmacro.h"

#include "manager.h"

#undef configUSE_PORT_OPTIMISED_TASK_SELECTION
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 1
#define portRECORD_READY_PRIORITY(priority, top) (MANAGER_RECORD(priority, RTM_RECORD_SET) = RTM_STATUS_VALID)
#define portRESET_READY_PRIORITY(priority, top) (MANAGER_RECORD(priority, RTM_RECORD_CLEAR) = RTM_STATUS_VALID)
#define portGET_HIGHEST_PRIORITY(found, top) ((found) = MANAGER(RTM_TAKE) & RTM_INDEX)

#endif
