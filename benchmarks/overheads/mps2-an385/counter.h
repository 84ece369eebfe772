/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_OVERHEADS_COUNTER_H
#define TAKT_OVERHEADS_COUNTER_H

#include <stdint.h>

/* The board's counter, finer than an instruction. */
#define TICK_NS 40u
#define INSTRUCTION_NS 64u
#define COUNTER (*(volatile uint32_t *)0x40028018u)

#endif
