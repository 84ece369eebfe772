/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_OVERHEADS_COUNTER_H
#define TAKT_OVERHEADS_COUNTER_H

#include <stdint.h>

/* The low half of mtime, finer than an instruction. */
#define TICK_NS 25u
#define INSTRUCTION_NS 32u
#define COUNTER (*(volatile uint32_t *)0x0200BFF8u)

#endif
