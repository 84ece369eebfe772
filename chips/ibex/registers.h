/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_IBEX_REGISTERS_H
#define TAKT_IBEX_REGISTERS_H

#include <stdint.h>

/* hardware/soc: the addresses are those of soc_pkg.sv, the offsets those of each module. */
#define IBEX_WORD(address) (*(volatile uint32_t *)(address))

/* A cycle: 50 MHz. */
#define IBEX_CYCLE_NS 20u

/* soc_timer: the software interrupt, and the time in ns with its comparator. */
#define IBEX_SOFTWARE IBEX_WORD(0x02000000u)
#define IBEX_COMPARE_LOW IBEX_WORD(0x02004000u)
#define IBEX_COMPARE_HIGH IBEX_WORD(0x02004004u)
#define IBEX_TIME_LOW IBEX_WORD(0x0200BFF8u)
#define IBEX_TIME_HIGH IBEX_WORD(0x0200BFFCu)

/*
 * soc_interrupts: lines, and sources that raise them. Reading CLAIM takes the lowest line that is raised and enabled;
 * IBEX_LINES: there is none. Number 0 is the software interrupt as well.
 */
#define IBEX_LINES 32u
#define IBEX_IRQ_SOFTWARE 0u
#define IBEX_ENABLE IBEX_WORD(0x03000004u)
#define IBEX_CLAIM IBEX_WORD(0x03000008u)
#define IBEX_SOURCES 8u
#define IBEX_SOURCE_PERIOD_LOW(source) IBEX_WORD(0x03000100u + 16u * (source))
#define IBEX_SOURCE_PERIOD_HIGH(source) IBEX_WORD(0x03000104u + 16u * (source))
#define IBEX_SOURCE_NEXT_LOW(source) IBEX_WORD(0x03000108u + 16u * (source))
#define IBEX_SOURCE_NEXT_HIGH(source) IBEX_WORD(0x0300010Cu + 16u * (source))
#define IBEX_SOURCE_LINE(source) IBEX_WORD(0x03000200u + 4u * (source))

/* soc_host: a character, the address of a call (semihosting_call.c), the status that the simulation ends with. */
#define IBEX_CONSOLE IBEX_WORD(0x10000000u)
#define IBEX_CALL IBEX_WORD(0x10000004u)
#define IBEX_EXIT IBEX_WORD(0x10000008u)

#endif
