/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RTM_MANAGER_H
#define RTM_MANAGER_H

#include <stdint.h>

#include "hardware/driver/rtm_registers.h"

/* The task manager in classic mode, on ibex-soc: the record of a number is the task of that number. */
#define MANAGER(offset) (*(volatile uint32_t *)(0x04000000u + (offset)))
#define MANAGER_RECORD(record, word) MANAGER((record)*RTM_RECORD_BYTES + (word))
#define MANAGER_RELEASE(event) MANAGER(RTM_RELEASE + 4u * (event))
#define MANAGER_LEVEL(priority) ((uint32_t)(priority) << 24)

#endif
